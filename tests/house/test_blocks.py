"""The runner of the docs' blocks: what it runs, and that it bites."""

from __future__ import annotations

from pathlib import Path

import pytest

from house.blocks import BlockError, blocks_of, run_document

SOUND = """
# Title

```python
x = 20
print("sum", x + 1)
print("noise")
```

```output
sum 21
...
```

```console
$ printf 'one\\ntwo\\nthree\\n'
one
...
three
$ echo a x \\
  y b
a ... b
$ false || echo "exit code $?"
exit code 1
$ true
```

- a list

  ```bash
  cd .
  echo done > file
  ```

```json
{"a": 1}
```

```text
q = sum of w M p
```

<!-- not run: nobody is at the keyboard -->
```console
$ exit 7
```
"""


def test_a_sound_document_runs(tmp_path: Path) -> None:
    count = run_document("sound.md", SOUND, tmp_path)
    assert (count.run, count.compared, count.not_run) == (4, 4, 1)
    assert (tmp_path / "file").read_text() == "done\n"


def test_blocks_know_where_they_stand() -> None:
    blocks = blocks_of("sound.md", SOUND)
    assert [block.kind for block in blocks] == ["python", "output", "console", "bash", "json", "text", "console"]
    assert blocks[0].place == "sound.md:4"
    assert blocks[-1].not_run == "nobody is at the keyboard"


FAULTS = {
    "python that raises": ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
    "python that prints otherwise": ("```python\nprint(2)\n```\n\n```output\n3\n```\n", "it printed"),
    "output of nothing": ("```output\n3\n```\n", "does not follow"),
    "a command that fails": ("```console\n$ exit 3\n```\n", "exits with 3"),
    "a command that does not exist": ("```console\n$ skinprove limit\n```\n", "exits with 127"),
    "a command that prints otherwise": ("```console\n$ echo 4\n5\n```\n", "it printed"),
    "a command that prints more": ("```console\n$ printf '4\\n5\\n'\n4\n```\n", "it printed"),
    "an ellipsis too short": ("```console\n$ printf '4\\n5\\n6\\n'\n4\n...\n7\n```\n", "it printed"),
    "a console block without a prompt": ("```console\nskinproof limit\n```\n", "starts with"),
    "a failing line within a script": ("```bash\nfalse\ntrue\n```\n", "exit code 1"),
    "broken json": ("```json\n{1}\n```\n", "not JSON"),
    "a command hidden in text": ("```text\nskinproof limit hero.glb\n```\n", "make it 'console'"),
    "a block without a kind": ("```\nskinproof limit\n```\n", "kind ''"),
    "a kind that nobody runs": ("```ruby\nputs 1\n```\n", "kind 'ruby'"),
    "a marker without a reason": ("<!-- not run: -->\n```ruby\nputs 1\n```\n", "without a reason"),
    "a fence that is never closed": ("```python\nx = 1\n", "fences do not make"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_seeded_fault_is_found(name: str, tmp_path: Path) -> None:
    text, expected = FAULTS[name]
    with pytest.raises(BlockError) as caught:
        run_document("faulty.md", text, tmp_path)
    assert expected in str(caught.value)


def test_names_are_shared_within_a_document(tmp_path: Path) -> None:
    count = run_document("two.md", "```python\nx = 3\n```\n```python\nassert x == 3\n```\n", tmp_path)
    assert count.run == 2
