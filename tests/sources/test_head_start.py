"""A count that begins while the program is loaded: used where it is asked for, given up where it is not."""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.sources import duckdb_counts
from edgeworth.sources.duckdb_connection import errors_in_words
from edgeworth.sources.duckdb_counts import Count, Grouping, counting, head_start


class Begun:
    """The counts that DuckDB was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[Count] = []
        begin = Count.__init__

        def noted(count: Count, grouping: Grouping, **how: bool) -> None:
            self.counts.append(count)
            begin(count, grouping, **how)

        monkeypatch.setattr(Count, "__init__", noted)

    @property
    def columns(self) -> list[tuple[str, ...]]:
        return [count.grouping.columns for count in self.counts]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Begun:
    """Every file is large enough."""
    monkeypatch.setattr(duckdb_counts, "LARGE", 0)
    return Begun(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of labels, and nothing left behind by anyone."""
    rng = np.random.default_rng(4)
    columns = {"y": rng.integers(0, 3, 5000), "guess": rng.integers(0, 3, 5000), "chance": rng.random(5000)}
    pq.write_table(pa.table(columns), tmp_path / "file.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    return tmp_path


def nothing_stays(folder: Path) -> bool:
    threads = [thread.name for thread in threading.enumerate()]
    return not list((folder / "spill").iterdir()) and "edgeworth-counting" not in threads


LABELS = ("evaluate", "./file.parquet", "--truth", "y", "--prediction", "guess")


@pytest.mark.usefixtures("short_files_are_counted")
def test_labels_are_counted_once_and_come_out_the_same(
    folder: Path, begun: Begun, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = call(folder, capsys, *LABELS)
    assert begun.columns == [("y", "guess")]
    assert nothing_stays(folder)
    call(folder, capsys, "tally", *LABELS[1:], "-o", "early.json")
    assert len(begun.counts) == 2
    with monkeypatch.context() as patch:
        patch.setattr(duckdb_counts, "LARGE", 1 << 40)
        assert call(folder, capsys, *LABELS).stdout == shown.stdout
        call(folder, capsys, "tally", *LABELS[1:], "-o", "late.json")
    assert len(begun.counts) == 4
    early, late = (ew.read_tally(folder / name).tally for name in ("early.json", "late.json"))
    assert early == late
    call(folder, capsys, *LABELS[:3], "guess", *LABELS[4:])
    assert begun.columns[4:] == [("guess",)]
    assert nothing_stays(folder)


def test_few_rows_are_read_and_the_count_is_given_up(
    folder: Path, begun: Begun, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(folder, capsys, *LABELS).returncode == 0
    (count,) = begun.counts
    assert count.is_closed
    assert nothing_stays(folder)


OTHERS: dict[str, tuple[str, ...]] = {
    "no column is named": ("evaluate", "file.parquet"),
    "a group": (*LABELS, "--group", "chance"),
    "weights": (*LABELS, "--weight", "chance"),
    "a ranking": ("evaluate", "file.parquet", "--truth", "y", "--score", "chance", "--positive", "1"),
    "two files": (*LABELS[:2], "again.parquet", *LABELS[2:]),
}


@pytest.mark.parametrize("words", OTHERS.values(), ids=OTHERS)
def test_what_may_ask_otherwise_begins_nothing(
    folder: Path, begun: Begun, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (folder / "again.parquet").write_bytes((folder / "file.parquet").read_bytes())
    call(folder, capsys, *words)
    assert begun.counts == []


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "a column that is not there": ((*LABELS[:3], "z", *LABELS[4:]), "has no column 'z'"),
    "a file that is not there": (("evaluate", "no.parquet", *LABELS[2:]), "no.parquet does not exist"),
    "a file of another kind": (("evaluate", "text.parquet", *LABELS[2:]), "text.parquet"),
    "a file of another machine": (("evaluate", "file://far/a.parquet", *LABELS[2:]), "another machine"),
    "an option with no meaning": ((*LABELS, "--ordered"), "ordered"),
    "a folder by that name": (("evaluate", "folder.parquet", *LABELS[2:]), "folder.parquet"),
}


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_as_ever(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    (folder / "text.parquet").write_text("y,guess\n1,1\n", encoding="utf-8")
    (folder / "folder.parquet").mkdir()
    shown = call(folder, capsys, *words)
    monkeypatch.setattr(duckdb_counts, "LARGE", 1 << 40)
    late = call(folder, capsys, *words)
    assert (shown.returncode, shown.stderr) == (late.returncode, late.stderr)
    assert said in refused(shown)
    assert nothing_stays(folder)


def test_without_duckdb_nothing_begins(
    folder: Path, begun: Begun, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert call(folder, capsys, *LABELS).returncode == 0
    assert len(begun.counts) == 1
    assert nothing_stays(folder)


@pytest.mark.usefixtures("begun")
def test_another_count_gives_the_first_one_up(folder: Path) -> None:
    path = folder / "file.parquet"
    with head_start(path, ("y", "guess")):
        early: Any = duckdb_counts._early.get()
        with counting(Grouping.of([path], ["guess"])) as other:
            assert other is not early
            assert early.is_closed
            assert sum(piece.num_rows for piece in other.pieces(5000)) == 3
        # Given up, it is begun again where it is asked for after all.
        with counting(Grouping.of([path], ["y", "guess"])) as again:
            assert again is not early
            assert sum(piece.num_rows for piece in again.pieces(5000)) == 9
    assert nothing_stays(folder)


@pytest.mark.usefixtures("begun", "short_files_are_counted")
def test_a_file_that_took_its_place_is_counted_itself(folder: Path) -> None:
    path = folder / "file.parquet"
    with head_start(path, ("y", "guess")):
        early: Any = duckdb_counts._early.get()
        assert early._ended.wait(60)
        pq.write_table(pa.table({"y": [1] * 5000, "guess": [1] * 5000}), folder / "other.parquet")
        (folder / "other.parquet").replace(path)
        found: Any = ew.tally(path, truth="y", prediction="guess").tally
    assert found.cells.sum() == found.counts.diagonal().sum() == 5000


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize("place", ["duckdb.connect", "threading.Thread.start"])
def test_what_cannot_begin_is_done_without_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no more of these")

    monkeypatch.setattr(place, fail)
    assert call(folder, capsys, *LABELS).returncode == 0
    assert nothing_stays(folder)


@pytest.mark.usefixtures("begun")
def test_an_interrupt_ends_the_count(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt), head_start(folder / "file.parquet", ("y", "guess")):
        raise KeyboardInterrupt
    assert nothing_stays(folder)
    assert duckdb_counts._early.get() is None


def test_a_second_interrupt_waits_until_it_has_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it would take minutes."""
    count = Count(Grouping.of([folder / "file.parquet"] * 50_000, ["y"]))
    join, heard = threading.Thread.join, []

    def interrupted(thread: threading.Thread, timeout: float | None = None) -> None:
        if not heard:
            heard.append(thread.name)
            raise KeyboardInterrupt
        join(thread, timeout)

    monkeypatch.setattr(threading.Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        count.close()
    assert heard == ["edgeworth-counting"]
    assert nothing_stays(folder)


def test_an_interrupt_that_duckdb_hears_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), errors_in_words():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="something else"), errors_in_words():
        raise RuntimeError("something else")
