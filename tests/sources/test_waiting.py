"""What is done while DuckDB counts: in time, without a trace, and never instead of where it is needed."""

from __future__ import annotations

import hashlib
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.gathering import tally_decisions
from edgeworth.sources import open_source
from edgeworth.tallying import Opened
from edgeworth.waiting import HAND_OVER, meanwhile, waited_for

COLUMNS = {"truth": "y_true", "prediction": "y_pred"}


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"y_true": [0, 1, 1, 0] * 50, "y_pred": [0, 1, 0, 0] * 50}), path)
    return path


def test_it_is_done_in_another_thread_while_duckdb_counts(parquet: Path) -> None:
    seen: list[Any] = []

    def work() -> None:
        seen.append((threading.current_thread() is threading.main_thread(), sys.getswitchinterval()))

    usual = sys.getswitchinterval()
    with meanwhile(work):
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
        with meanwhile(lambda: done.append(2)):
            waited_for()()
        waited_for()()
    waited_for()()
    assert done == [1, 2, 1]


def test_a_fingerprint_is_read_once_and_is_the_same(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def digests(paths: Any) -> tuple[str, ...]:
        read.append(threading.current_thread() is threading.main_thread())
        return ("sha256:" + hashlib.sha256(Path(paths[0]).read_bytes()).hexdigest(),)

    expected = digests([parquet])[0]
    monkeypatch.setattr("edgeworth.tallying.digests_of", digests)
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

    monkeypatch.setattr("edgeworth.tallying.digests_of", refuse)
    from edgeworth.counting_terms import CountingTerms

    assert Opened.of(parquet, CountingTerms(**COLUMNS)).notices == ()


def test_what_a_report_is_made_with_exists() -> None:
    from edgeworth.evaluation import _LOADED, _load_report

    for kind in _LOADED:
        _load_report(kind)
