from __future__ import annotations

import os
import signal

from palettes import seen
from segments import child, run, segment_name  # noqa: F401
from skinproof.publish import PaletteOwner


def test_fork_voids_everything_and_the_parent_keeps_all(name):
    code = """
    import os
    from skinproof.errors import PublishError
    character = owner(1, 2, name=name)
    memory = owner(3, 4)
    reader = PaletteReader(name)
    snapshot, other = character.acquire(), reader.acquire()
    candidate = character.begin(0)
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (
            character.acquire, memory.acquire, reader.acquire, lambda: character.request(1), lambda: memory.request(1),
            lambda: snapshot.palette, lambda: other.revision, lambda: character.begin(0), candidate.commit,
            lambda: candidate.range(0, 1), character.counters, lambda: character.requested,
        ):
            try:
                use()
            except PublishError as error:
                assert "forked child" in str(error)
                refused += 1
        snapshot.close(); other.close(); character.close(); reader.close(); memory.close()
        del snapshot, other, character, reader, memory, candidate
        os._exit(refused)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), character.counters()["cells_in_use"], xs(snapshot), xs(other))
    print(seen(PaletteReader(name)))
    """
    assert run(code, name).stdout == "12 2 [1.0, 2.0] [1.0, 2.0]\n(0, [1.0, 2.0])\n"


def test_a_forked_child_does_not_keep_the_locks(name):
    code = """
    import os
    character = owner(1, 2, name=name)
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
    """
    with child(code, name) as process:
        process.kill()
        process.wait()
        with PaletteOwner.recover(name) as heir:  # while the child of the dead owner still runs
            os.kill(int(process.first_line), signal.SIGKILL)
            assert seen(heir) == (0, [1, 2])
