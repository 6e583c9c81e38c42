"""Whatever fails or stops the command: no file is lost or half written, and nothing is left lying about."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import edgeworth as ew
from edgeworth.errors import InputError

ROOT = Path(__file__).parents[2]

# The n-th time that something is opened, renamed, removed or changed in the folder, a fault happens: an
# error of the disk, or a signal. Each case is a process, forked from one that has loaded everything.
FAULTS = """
import errno, json, os, resource, shutil, signal, sys, tempfile
from pathlib import Path
import edgeworth.__main__, edgeworth.cli, edgeworth.pipeline.tally_rows, edgeworth.pipeline.tally_file
import edgeworth.evaluation
import edgeworth.cli.tally, edgeworth.sources.parquet, edgeworth.sources.stdin, edgeworth.sources.text_files
import pyarrow.csv, pyarrow.parquet, duckdb, rich.progress

folder, work, arguments, faults = Path(sys.argv[1]), Path(sys.argv[2]), *json.loads(sys.argv[3])
edgeworth.sources.parquet.MAX_ROWS_READ_WITHOUT_DUCKDB = 0

def run(place, fault):
    written = 100 if fault == "write" else None
    spool = work / "spool"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder, work)
    spool.mkdir()
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        code = os.waitstatus_to_exitcode(status)
        left = sorted(path.name for path in work.iterdir() if path.name != "spool")
        return code, left, len(list(spool.iterdir())), (work / "out.json").read_text()
    os.chdir(work)
    tempfile.tempdir = str(spool)
    for stream, name in ((0, "a.csv"), (1, os.devnull), (2, os.devnull)):
        os.dup2(os.open(name, os.O_RDONLY if stream == 0 else os.O_WRONLY), stream)
    count = 0
    def hook(event, given):
        nonlocal count
        if event not in ("open", "os.rename", "os.remove", "os.chmod", "os.mkdir", "tempfile.mkdtemp"):
            return
        name = os.fspath(given[0]) if given and isinstance(given[0], (str, os.PathLike)) else ""
        if not name or (os.path.isabs(name) and not name.startswith(str(work))):
            return
        if fault == "disk" and (event == "os.remove" or os.path.isdir(name)):
            return  # what cannot be removed is left
        count += 1
        if count == place:
            if fault == "disk":
                raise OSError(errno.ENOSPC, "No space left on device")
            os.kill(os.getpid(), getattr(signal, fault))
    if written is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (place * written, place * written))
    elif place:
        sys.addaudithook(hook)
    sys.argv = ["edgeworth", *arguments]
    code = 1
    try:
        edgeworth.__main__.main()
    except SystemExit as left:
        code = left.code or 0
    finally:
        if written is None and place > count:
            code += 1000 * (code == 0)
        # As the interpreter ends: what waits for its end is done.
        import atexit, gc
        gc.collect()
        atexit._run_exitfuncs()
        os._exit(77 if code >= 1000 else code)

found = {fault: [] for fault in faults}
for fault, cases in found.items():
    for place in range(0, 80):
        cases.append(run(place, fault))
        # 77: all was done before the n-th time.
        if place and cases[-1][0] == (0 if fault == "write" else 77):
            break
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A day of data as CSV and as Parquet, a past and a day that were counted."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = tmp_path / "made"
    made.mkdir()
    columns = {"y": ["a", "b"] * 100, "p": ["a", "a", "b", "b"] * 50}
    rows = zip(columns["y"], columns["p"], strict=True)
    (made / "a.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in rows))
    pq.write_table(pa.table(columns), made / "a.parquet")
    ew.tally(truth=["a", "b"], prediction=["a", "a"]).write(made / "out.json")
    ew.tally(truth=["a", "b", "b"], prediction=["a", "a", "b"]).write(made / "day.json")
    return made


COMMANDS = {
    "tally": ["tally", "a.csv", "--truth", "y", "--prediction", "p", "-o", "out.json"],
    "tally-": ["tally", "-", "--truth", "y", "--prediction", "p", "-o", "out.json"],
    "tally-parquet": ["tally", "a.parquet", "--truth", "y", "--prediction", "p", "-o", "out.json"],
    "merge": ["merge", "out.json", "day.json", "-o", "out.json"],
}
FAULTS_OF = {
    "tally": ["disk", "SIGINT", "SIGTERM", "SIGKILL", "write"],
    "merge": ["disk", "SIGTERM", "write"],
}
"""Every fault of the plainest command; of the others those that take another way."""
CODES = {"disk": {2}, "SIGINT": {130}, "SIGTERM": {143}, "SIGKILL": {-9}}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_fault_loses_a_file_or_leaves_one(folder: Path, tmp_path: Path, command: str) -> None:
    before = (folder / "out.json").read_text()
    names = sorted(path.name for path in folder.iterdir())
    asked = json.dumps([COMMANDS[command], FAULTS_OF.get(command, ["disk", "SIGTERM"])])
    done = subprocess.run(
        [sys.executable, "-c", FAULTS, str(folder), str(tmp_path / "work"), asked],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for fault, ((code, *_, after), *result) in json.loads(done.stdout).items():
        if fault == "write":
            # A file may have no bytes at all.
            assert code == 2
            after = result[-1][-1]
        else:
            assert code == 0
        assert len(result) >= 3
        assert json.loads(after)["tally"] != json.loads(before)["tally"]
        for code, left, spooled, content in result[:-1]:
            assert content == before or json.loads(content)["tally"] == json.loads(after)["tally"]
            assert code in ({2} if fault == "write" else CODES[fault] | {0}), (code, fault)
            if code == 0:
                assert content != before
            if fault != "SIGKILL":
                assert left == names
                assert spooled == 0
        assert any(code for code, *_ in result[:-1])


@pytest.mark.slow
def test_merges_at_once_lose_no_day(tmp_path: Path) -> None:
    ew.tally(truth=["a", "b"], prediction=["a", "a"]).write(tmp_path / "past.json")
    days = range(5)
    for day in days:
        rows = ["a", "b"] * (day + 2)
        ew.tally(truth=rows, prediction=rows[::-1]).write(tmp_path / f"{day}.json")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "edgeworth", "merge", "past.json", f"{day}.json", "-o", "past.json"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for day in days
    ]
    texts = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0] * len(running), texts
    merged = ew.read_tally(tmp_path / "past.json")
    assert merged.origin.number == 1 + len(days)
    assert merged.final.counts.sum() == 2 + sum(2 * (day + 2) for day in days)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*(f"{day}.json" for day in days), "past.json"]


WITHOUT_LOCKS = """
import fcntl, sys

def refuse(*_):
    raise OSError(37, "No locks available")

fcntl.flock = refuse
from edgeworth.__main__ import main

sys.argv[0] = "edgeworth"
main()
"""


@pytest.mark.slow
def test_merges_at_once_lose_no_day_on_a_file_system_without_locks(tmp_path: Path) -> None:
    ew.tally(truth=["a", "b"], prediction=["a", "a"]).write(tmp_path / "past.json")
    days = range(5)
    for day in days:
        rows = ["a", "b"] * (day + 2)
        ew.tally(truth=rows, prediction=rows[::-1]).write(tmp_path / f"{day}.json")
    words = [sys.executable, "-c", WITHOUT_LOCKS, "merge", "past.json"]
    running = [
        subprocess.Popen([*words, f"{day}.json", "-o", "past.json"], cwd=tmp_path, stderr=subprocess.PIPE)
        for day in days
    ]
    texts = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0] * len(running), texts
    assert ew.read_tally(tmp_path / "past.json").final.counts.sum() == 2 + sum(2 * (day + 2) for day in days)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*(f"{day}.json" for day in days), "past.json"]


def test_a_lock_that_was_left_behind_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    from edgeworth.pipeline import tally_file

    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(tally_file, "LOCK_ATTEMPTS", 2)
    (tmp_path / ".past.json.lock").touch()
    with (
        pytest.raises(InputError, match=r"if none is running, delete .*\.past\.json\.lock"),
        tally_file.locked(str(tmp_path / "past.json")),
    ):
        pytest.fail("the lock was taken")


def test_a_file_that_another_program_changed_is_not_written_over(tmp_path: Path) -> None:
    from edgeworth.pipeline.tally_file import locked

    ew.tally(truth=["a", "b"], prediction=["a", "a"]).write(tmp_path / "past.json")
    with locked(str(tmp_path / "past.json")) as check:
        check()
        ew.tally(truth=["a"], prediction=["a"]).write(tmp_path / "past.json")
        with pytest.raises(InputError, match="changed while it was read"):
            check()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("seconds", [0.3, 0.6, 0.9, 1.2])
def test_a_signal_at_any_time_leaves_nothing(tmp_path: Path, number: int, seconds: float) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    command = [sys.executable, "-m", "edgeworth", "tally", "-", "--truth", "y", "--prediction", "p"]
    with subprocess.Popen(
        [*command, "-o", "out.json"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(spool), "PATH": "/usr/bin:/bin"},
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"y,p\n" + b"a,b\n" * 1000)
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.send_signal(number)
        process.wait(60)
    assert process.returncode in (128 + number, -number)
    assert not list(spool.iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["spool"]
