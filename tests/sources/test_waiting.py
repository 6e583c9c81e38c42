"""What is done while DuckDB counts: in time, without a trace, and never instead of where it is needed."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from command_line import call
from edgeworth.gathering import tally_decisions
from edgeworth.sources import open_source
from edgeworth.tallying import Opened
from edgeworth.waiting import HAND_OVER, meanwhile, waiting

pytestmark = pytest.mark.usefixtures("short_files_are_counted")

COLUMNS = {"truth": "y_true", "prediction": "y_pred"}


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"y_true": [0, 1, 1, 0] * 50, "y_pred": [0, 1, 0, 0] * 50}), path)
    return path


def in_the_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def test_it_is_done_in_another_thread_while_duckdb_counts(parquet: Path) -> None:
    seen: list[Any] = []
    usual = sys.getswitchinterval()
    with meanwhile(lambda: seen.append((in_the_main_thread(), sys.getswitchinterval()))):
        inside = tally_decisions(open_source(parquet), COLUMNS)
    assert seen == [(False, pytest.approx(HAND_OVER))]
    assert sys.getswitchinterval() == usual
    assert inside == tally_decisions(open_source(parquet), COLUMNS)
    assert len(seen) == 1


def test_what_goes_wrong_meanwhile_stops_nothing(parquet: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = []

    def fail() -> None:
        raise OSError("a disk that is gone")

    usual = sys.getswitchinterval()
    with meanwhile(fail, lambda: done.append(1)):
        tally_decisions(open_source(parquet), COLUMNS)
    assert done == [1]
    assert sys.getswitchinterval() == usual
    assert capfd.readouterr() == ("", "")


def test_those_of_an_outer_caller_are_done_first() -> None:
    done: list[int] = []
    with meanwhile(lambda: done.append(1)):
        with meanwhile(lambda: done.append(2)), waiting():
            pass
        with waiting():
            pass
    with waiting():
        pass
    assert done == [1, 2, 1]


def test_an_interrupt_does_not_wait_for_what_was_done_meanwhile() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def slow() -> None:
        begun.set()
        assert go_on.wait(60)

    def interrupted() -> None:
        with meanwhile(slow, lambda: done.append(1)), waiting():
            assert begun.wait(60)
            raise KeyboardInterrupt

    usual = sys.getswitchinterval()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    worker = next(thread for thread in threading.enumerate() if thread.name == "edgeworth-meanwhile")
    assert worker.daemon
    go_on.set()
    worker.join(60)
    assert done == []
    assert sys.getswitchinterval() == usual


def test_two_that_wait_at_once_do_not_wait_for_each_other() -> None:
    meeting = threading.Barrier(2, timeout=60)
    usual = sys.getswitchinterval()

    def one() -> None:
        with meanwhile(meeting.wait), waiting():
            pass

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not meeting.broken
    assert sys.getswitchinterval() == usual


def test_what_somebody_else_set_since_stays() -> None:
    usual = sys.getswitchinterval()
    try:
        with meanwhile(lambda: sys.setswitchinterval(0.02)), waiting():
            pass
        assert sys.getswitchinterval() == pytest.approx(0.02)
    finally:
        sys.setswitchinterval(usual)


FORKED = """
import os, sys, threading
from edgeworth.waiting import meanwhile, waiting
begun, go_on = threading.Event(), threading.Event()
def slow():
    begun.set()
    go_on.wait(60)
usual = sys.getswitchinterval()
def wait():
    with meanwhile(slow), waiting():
        pass
thread = threading.Thread(target=wait)
thread.start()
begun.wait(60)
child = os.fork()
if child == 0:
    done = []
    same = sys.getswitchinterval() == usual
    with meanwhile(lambda: done.append(1)), waiting():
        pass
    os._exit(0 if same and done == [1] and sys.getswitchinterval() == usual else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
go_on.set()
thread.join(60)
sys.exit(code if sys.getswitchinterval() == usual else 2)
"""


def test_a_forked_process_waits_for_nobody_else() -> None:
    assert subprocess.run([sys.executable, "-c", FORKED], timeout=60, check=False).returncode == 0


def test_a_fingerprint_is_read_once_and_is_the_same(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def digests(paths: Any) -> tuple[str, ...]:
        read.append(threading.current_thread() is threading.main_thread())
        return ("sha256:" + hashlib.sha256(Path(paths[0]).read_bytes()).hexdigest(),)

    expected = digests([parquet])[0]
    monkeypatch.setattr("edgeworth.sources.digests.digests_of", digests)
    read.clear()
    report = ew.evaluate(parquet, **COLUMNS)
    assert read == [False]
    assert report.provenance["digest"] == expected
    read.clear()
    assert ew.tally(parquet, **COLUMNS).origin.parts[0].digest == expected
    assert read == [False]


def test_what_is_opened_reads_nothing_beforehand(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Any) -> tuple[str, ...]:
        raise AssertionError("nobody asked yet")

    monkeypatch.setattr("edgeworth.sources.digests.digests_of", refuse)
    from edgeworth.counting_terms import CountingTerms

    assert Opened.of(parquet, CountingTerms(**COLUMNS)).notices == ()


@pytest.mark.parametrize("words", ["evaluate", "compare"])
def test_a_file_is_read_for_its_fingerprint_where_somebody_sees_it(
    words: str, parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = "sha256:" + hashlib.sha256(parquet.read_bytes()).hexdigest()
    truth, prediction = COLUMNS["truth"], COLUMNS["prediction"]
    names = [f"--truth={truth}", f"--prediction={prediction}"]
    asked = [words, str(parquet), *names, *([f"--prediction={truth}"] if words == "compare" else [])]
    done = call(parquet.parent, capsys, *asked, "--json=-")
    assert json.loads(done.stdout)["provenance"]["digest"] == expected
    for kind in ("html", "markdown"):
        done = call(parquet.parent, capsys, *asked, f"--{kind}=-")
        assert expected[:20] in done.stdout

    def refuse(_: Any) -> tuple[str, ...]:
        raise AssertionError("nobody sees it on a terminal")

    shown = call(parquet.parent, capsys, *asked)
    monkeypatch.setattr("edgeworth.sources.digests.digests_of", refuse)
    assert call(parquet.parent, capsys, *asked).stdout == shown.stdout
    assert expected[7:20] not in shown.stdout


def test_what_a_report_is_made_with_exists() -> None:
    from edgeworth.evaluation import _LOADED, _load_report

    for kind in _LOADED:
        _load_report(kind)
