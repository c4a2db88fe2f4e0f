"""Everything the docs show is run: blocks, commands named in a sentence, links."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from house.blocks import blocks_of, run_document
from house.tree import ROOT, run
from skinproof.cli.main import skinproof

DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def hero(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's character, which the docs call hero.glb."""
    folder = tmp_path_factory.mktemp("demo")
    result = run(folder, str(Path(sys.executable).with_name("skinproof")), "demo", "--quiet", "--output", "demo-out")
    assert result.returncode == 0, result.stdout
    return folder / "demo-out" / "character.glb"


def test_the_documents_are_there() -> None:
    assert len(DOCUMENTS) >= 10
    assert {"README.md", "CONTRIBUTING.md", "CONVENTIONS.md", "CHANGELOG.md"} < set(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_does_what_the_document_says(document: str, hero: Path, tmp_path: Path) -> None:
    shutil.copy(hero, tmp_path / "hero.glb")
    run_document(document, (ROOT / document).read_text(), tmp_path)


def test_most_blocks_are_run() -> None:
    blocks = [block for document in DOCUMENTS for block in blocks_of(document, (ROOT / document).read_text())]
    commands = [block for block in blocks if block.kind in ("python", "console", "bash")]
    assert len(commands) >= 15
    assert len([block for block in commands if block.not_run]) <= len(commands) // 4


def _exists(subcommand: str, options: list[str]) -> bool:
    command = skinproof.commands.get(subcommand)
    return command is not None and set(options) <= {option for parameter in command.params for option in parameter.opts}


def _unknown_commands(text: str) -> tuple[int, list[str]]:
    """Count the commands named in sentences, and list those that do not exist as named."""
    makefile = (ROOT / "Makefile").read_text()
    named = [span for span in _INLINE.findall(text) if re.match(r"(skinproof|make) [a-z]", span)]
    unknown = []
    for span in named:
        program, subcommand, *rest = span.split()
        if program == "make":
            if not re.search(rf"^{re.escape(subcommand)}:", makefile, re.MULTILINE):
                unknown.append(span)
            continue
        options = [re.split(r"[=\[]", word)[0] for word in rest if re.match(r"--?[a-z]", word)]
        if not _exists(subcommand, options):
            unknown.append(span)
    return len(named), unknown


def test_commands_named_in_sentences_exist() -> None:
    count, unknown = _unknown_commands("\n".join((ROOT / document).read_text() for document in DOCUMENTS))
    assert count >= 20
    assert not unknown


@pytest.mark.parametrize(
    "span", ["make tests", "skinproof prove FILE", "skinproof limit FILE --influences 4", "skinproof check FILE -z"]
)
def test_a_command_that_does_not_exist_is_found(span: str) -> None:
    assert _unknown_commands(f"Use `{span}` then.") == (1, [span])


def _broken_links(document: str, text: str) -> tuple[int, list[str]]:
    folder = (ROOT / document).parent
    links = [link for link in _LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)) if "://" not in link]
    broken = []
    for link in links:
        file, _, anchor = link.partition("#")
        target = folder / file if file else ROOT / document
        if not target.exists():
            broken.append(link)
        elif anchor:
            body = text if target == ROOT / document else target.read_text()
            if anchor not in {_anchor(heading) for heading in _HEADING.findall(body)}:
                broken.append(link)
    return len(links), broken


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_links_lead_somewhere() -> None:
    checked = {document: _broken_links(document, (ROOT / document).read_text()) for document in DOCUMENTS}
    assert sum(count for count, _ in checked.values()) >= 20
    assert {document: broken for document, (_, broken) in checked.items() if broken} == {}


def test_a_broken_link_is_found() -> None:
    text = "# Here\n[a](no-such-file.md) [b](#nowhere) [c](#here) [d](README.md)\n"
    assert _broken_links("README.md", text) == (4, ["no-such-file.md", "#nowhere"])


_TEST = re.compile(r"`(tests/[\w/]+\.py)((?:::\w+)*)`")


def _missing_tests(text: str) -> tuple[int, list[str]]:
    """Count the tests that a document names, and list those that do not exist."""
    named = _TEST.findall(text)
    missing = []
    for file, names in named:
        source = (ROOT / file).read_text() if (ROOT / file).is_file() else ""
        parts = names.split("::")[1:]
        if not source or not all(re.search(rf"^\s*(def|class) {part}\b", source, re.MULTILINE) for part in parts):
            missing.append(file + names)
    return len(named), missing


def test_tests_named_in_the_docs_exist() -> None:
    checked = {document: _missing_tests((ROOT / document).read_text()) for document in DOCUMENTS}
    assert checked["docs/cases.md"][0] >= 19
    assert checked["CONVENTIONS.md"][0] >= 10
    assert {document: missing for document, (_, missing) in checked.items() if missing} == {}


def _cases_without_test(text: str) -> tuple[int, list[str]]:
    """Count the rows of the table of cases, and list those whose last column names no test."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    rows = [row for row in rows if set(row[0]) != {"-"}]
    return len(rows), [row[0] for row in rows if not _TEST.search(row[-1])]


def test_every_case_names_a_test_that_holds_it() -> None:
    count, without = _cases_without_test((ROOT / "docs/cases.md").read_text())
    assert count >= 20
    assert without == []


def test_a_case_without_test_is_found() -> None:
    text = "| case | held by |\n| --- | --- |\n| a | `tests/house/test_docs.py` |\n| b | soon |\n"
    assert _cases_without_test(text) == (2, ["b"])


def test_a_test_that_does_not_exist_is_found() -> None:
    text = "`tests/house/test_docs.py::test_links_lead_somewhere` `tests/house/test_docs.py::test_no` `tests/no.py`"
    assert _missing_tests(text) == (3, ["tests/house/test_docs.py::test_no", "tests/no.py"])


def test_the_published_figures_in_the_docs_are_those_that_are_measured() -> None:
    document = (ROOT / "docs/measuring.md").read_text()
    section = document.partition("## Held against the figures of others\n")[2].partition("\n## ")[0]
    figures = re.findall(r"\| (\d+\.\d+) (?=\|)", section)
    measured = (ROOT / "tests/assets/test_facts.py").read_text()
    assert len(figures) == 8
    assert [figure for figure in figures if f'"{figure}"' not in measured] == []


def test_every_document_can_be_reached_from_the_readme() -> None:
    seen: set[str] = set()
    waiting = ["README.md"]
    while waiting:
        document = waiting.pop()
        seen.add(document)
        for link in _LINK.findall((ROOT / document).read_text()):
            target = (ROOT / document).parent / link.partition("#")[0]
            if target.suffix == ".md" and target.is_file():
                name = str(target.resolve().relative_to(ROOT.resolve()))
                if name not in seen:
                    waiting.append(name)
    assert set(DOCUMENTS) - seen == set()
