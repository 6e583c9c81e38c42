"""Rows counted by DuckDB where they lie are the rows that come out of the file, on columns made to differ."""

from __future__ import annotations

import datetime as dt
import errno
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.common.progress import listen_to_progress
from edgeworth.core.labels import canonical_label
from edgeworth.errors import InputError
from edgeworth.sources import duckdb_engine as duckdb_connection
from edgeworth.sources import duckdb_engine as duckdb_counts
from edgeworth.sources import parquet as counting
from edgeworth.sources.batches import Batch, CannotCountError, CountingSource
from edgeworth.sources.columns import encode
from edgeworth.sources.opening import open_source
from edgeworth.sources.parquet import ParquetSource
from tallying_files import tallied

pytestmark = pytest.mark.usefixtures("short_files_are_counted")

NAN = float("nan")
OTHER_NAN = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64).tolist()

PUSHED: dict[str, Any] = {
    "zeros of both signs": pa.array([0.0, -0.0, 1.0, -1.0, 0.0]),
    "every NaN": pa.array([NAN, *OTHER_NAN, 1.0, 2.0, None]),
    "floats a bit apart": pa.array([0.1, 0.1 + 2**-56, 0.30000000000000004, 0.3, 5e-324]),
    "floats of 32 bits": pa.array([0.1, 0.1, -0.0, 0.0, None], pa.float32()),
    "large integers": pa.array([2**53, 2**53 + 1, 2**63 - 1, -(2**63), None]),
    "unsigned": pa.array([2**64 - 1, 2**64 - 2, 0, None], pa.uint64()),
    "small integers": pa.array([-128, 127, 0, None], pa.int8()),
    "booleans": pa.array([True, False, None, True]),
    "upper and lower case": pa.array(["a", "A", "ß", "SS", "ss", "ı", "I", "i"]),
    "blanks": pa.array(["a", "a ", " a", "a\t", "", " ", None]),
    "accents in two forms": pa.array(["é", "e\u0301", "e"]),
    "text that looks like something else": pa.array(["1", "1.0", "01", "NULL", "nan", "true", "2020-01-01"]),
    "zero bytes": pa.array(["a\0b", "a\0c", "a", "a\0"]),
    "hostile text": pa.array(["'; DROP TABLE x; --", '"', "\\", "\n", "🦆", "%s", "$1"]),
    "categories": pa.array(["b", "a", None, "b"]).dictionary_encode(),
    "categories of integers": pa.array([7, 8, 7]).dictionary_encode(),
    "long text": pa.array(["x" * 5000, "x" * 5001, "x" * 5000]),
    "only gaps": pa.array([None, None], pa.int64()),
}

BY_ROWS: dict[str, Any] = {
    "decimals": pa.array([Decimal("1.50"), Decimal("2.00"), None, Decimal("1.50")]),
    "wide decimals": pa.array([Decimal(10**40), Decimal(10**40 + 1)], pa.decimal256(50, 0)),
    "dates": pa.array([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)]),
    "times with a zone": pa.array(
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 7, 1, tzinfo=dt.UTC), None],
        pa.timestamp("us", "Europe/Zurich"),
    ),
    "nanoseconds": pa.array([1_577_836_800_000_001_000, 1_577_836_800_000_002_000, None], pa.timestamp("ns")),
    "bytes": pa.array([b"a", b"b", None]),
    "float16": pa.array(np.array([1.5, 0.25], np.float16)),
}


def write(path: Path, column: Any) -> Path:
    rows = len(column)
    table = pa.table({"y": column, "guess": column.take(pa.array(np.roll(np.arange(rows), 1)))})
    # Again, and without its first rows: counts differ from row to row.
    pq.write_table(pa.concat_tables([table, table.slice(1), table.slice(rows // 2)]), path)
    return path


def counts(batches: Any) -> Counter[tuple[Any, ...]]:
    """How many rows have each combination of canonical labels, None for a missing one."""
    total: Counter[tuple[Any, ...]] = Counter()
    for batch in batches:
        coded = [encode(column, name) for name, column in batch.columns.items()]
        repeats = np.ones(len(batch), int) if batch.repeats is None else batch.repeats
        rows = zip(*(column.codes.tolist() for column in coded), strict=True)
        for row, times in zip(rows, repeats.tolist(), strict=True):
            key = tuple(
                None if code < 0 else repr(canonical_label(column.labels[code]))
                for code, column in zip(row, coded, strict=True)
            )
            total[key] += times
    return total


@pytest.mark.parametrize("column", PUSHED.values(), ids=PUSHED)
def test_counted_where_it_lies(tmp_path: Path, column: Any) -> None:
    source = open_source(write(tmp_path / "file.parquet", column))
    assert isinstance(source, CountingSource)
    counted = list(source.distinct(["y", "guess"]))
    assert all(batch.repeats is not None for batch in counted)
    assert counts(counted) == counts(source.batches(["y", "guess"]))


@pytest.mark.slow
@pytest.mark.parametrize("column", (PUSHED | BY_ROWS).values(), ids=PUSHED | BY_ROWS)
def test_tables_are_those_of_the_frame(tmp_path: Path, column: Any) -> None:
    path = write(tmp_path / "file.parquet", column)
    if column.null_count == len(column):
        with pytest.raises(InputError, match="no rows are left"):
            tallied(path, truth="y", prediction="guess", options={"missing": "drop"})
        return
    result = tallied(path, truth="y", prediction="guess", options={"missing": "drop"})
    frame = tallied(pq.read_table(path), truth="y", prediction="guess", options={"missing": "drop"})
    assert repr(result) == repr(frame)


@pytest.mark.parametrize("column", BY_ROWS.values(), ids=BY_ROWS)
def test_types_that_come_back_in_another_form_are_read_by_rows(tmp_path: Path, column: Any) -> None:
    source = open_source(write(tmp_path / "file.parquet", column))
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="row by row"):
        list(source.distinct(["y", "guess"]))


NAMES = ['a "b"', "select", "c1", "c0", "é", "x.y", "a;b--", "$paths", "'", "two\nlines", " "]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_any_name_of_a_column(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"other": [1, 1, 0], name: [0, 1, 0]}), path)
    source = open_source(path)
    assert isinstance(source, CountingSource)
    assert counts(source.distinct([name, "other"])) == counts(source.batches([name, "other"]))


@pytest.mark.parametrize(
    "name", ["a[1].parquet", "a*.parquet", "a'b.parquet", "y=7/file.parquet", "{a,b}.pq"]
)
def test_any_name_of_a_file(tmp_path: Path, name: str) -> None:
    """Nothing in a path is a pattern, and a folder's name does not replace the file's own column."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"y": [1, 1, 0], "guess": [0, 1, 0]}), path)
    pq.write_table(pa.table({"y": [5], "guess": [5]}), path.with_name("a1x.parquet"))
    source = open_source(path)
    assert isinstance(source, CountingSource)
    assert counts(source.distinct(["y", "guess"])) == {("1", "0"): 1, ("1", "1"): 1, ("0", "0"): 1}


def test_several_files_whose_columns_stand_in_another_order(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1, 1], "guess": [0, 1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"more": ["x"], "guess": [0], "y": [1]}), tmp_path / "2.parquet")
    pq.write_table(
        pa.table({"y": pa.array([], pa.int64()), "guess": pa.array([], pa.int64())}), tmp_path / "3.parquet"
    )
    source = open_source(tmp_path)
    assert isinstance(source, CountingSource)
    assert counts(source.distinct(["y", "guess"])) == {("1", "0"): 2, ("1", "1"): 1}
    assert counts(source.batches(["y", "guess"])) == {("1", "0"): 2, ("1", "1"): 1}


def test_files_of_other_widths_are_read_by_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1, 1], "guess": [0, 1]}), tmp_path / "1.parquet")
    wide = pa.table({"y": pa.array([2**64 - 1], pa.uint64()), "guess": [1.5]})
    pq.write_table(wide, tmp_path / "2.parquet")
    tally = tallied(tmp_path, truth="y", prediction="guess")
    assert tally["labels"] == [0, 1, 1.5, 18446744073709551615]


def no_rows(*_: Any) -> Any:
    raise AssertionError("rows were read that could have been counted")
    yield


def test_a_table_is_counted_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    expected = tallied(pq.read_table(path), truth="y", prediction="guess")
    monkeypatch.setattr(counting, "_rows_repeat", lambda *_: True)
    monkeypatch.setattr(ParquetSource, "batches", no_rows)
    assert tallied(path, truth="y", prediction="guess") == expected


@pytest.mark.parametrize(
    ("few_rows", "asked"),
    [
        (6, ["file", "folder"]),
        (7, ["folder"]),
        (14, []),
    ],
)
def test_few_rows_are_read_without_loading_an_engine(
    few_rows: int, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    (tmp_path / "folder").mkdir()
    for index in range(2):
        write(tmp_path / "folder" / f"{index}.parquet", pa.array(["a", "b", "b"]))
    begun: list[int] = []

    def connected() -> Any:
        begun.append(1)
        raise InputError("not now")

    monkeypatch.setattr(duckdb_counts, "connect", connected)
    monkeypatch.setattr(counting, "MAX_ROWS_READ_WITHOUT_DUCKDB", few_rows)
    for name in ("file.parquet", "folder"):
        path = tmp_path / name
        begun.clear()
        expected = tallied(pq.read_table(path), truth="y", prediction="guess")
        assert tallied(path, truth="y", prediction="guess") == expected
        assert bool(begun) == (path.stem in asked)


def test_without_duckdb_the_rows_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    expected = tallied(path, truth="y", prediction="guess")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert tallied(path, truth="y", prediction="guess") == expected
    source = open_source(path)
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="DuckDB is not installed"):
        list(source.distinct(["y"]))


def test_rows_that_hardly_repeat_are_not_counted_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"y": np.arange(20_000), "guess": np.arange(20_000) / 7}), path)
    source = open_source(path)
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="hardly repeat"):
        list(source.distinct(["y", "guess"]))
    with pytest.raises(InputError, match="different labels"):
        tallied(path, truth="y", prediction="guess")


def test_more_combinations_than_memory_spill_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    monkeypatch.setattr(duckdb_connection, "MEMORY_LIMIT", "24MB")
    path = tmp_path / "file.parquet"
    numbers = np.random.default_rng(0).permutation(np.repeat(np.arange(300_000), 2))
    first = np.zeros(1 << 17, dtype=np.int64)
    pq.write_table(pa.table({"y": np.concatenate([first, numbers])}), path)
    source = open_source(path)
    assert isinstance(source, CountingSource)
    repeats = np.concatenate([batch.repeats for batch in source.distinct(["y"]) if batch.repeats is not None])
    assert len(repeats) == 300_000
    assert sorted(set(repeats.tolist())) == [2, 2 + (1 << 17)]
    assert not list(spill.iterdir())


def test_nothing_stays_when_nobody_reads_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    source = open_source(path)
    assert isinstance(source, CountingSource)
    some: Any = source.distinct(["y"])
    assert isinstance(next(some), Batch)
    assert len(list(spill.iterdir())) == 1
    some.close()
    assert not list(spill.iterdir())


def test_the_engine_is_bounded_and_fetches_nothing() -> None:
    with duckdb_connection.connect() as connection:
        values = dict(connection.sql("SELECT name, value FROM duckdb_settings()").fetchall())
    assert values["autoinstall_known_extensions"] == "false"
    assert values["autoload_known_extensions"] == "false"
    assert values["enable_progress_bar_print"] == "false"
    assert int(values["threads"]) <= duckdb_connection.MAX_THREADS
    assert values["memory_limit"].split()[0] == "183.1"  # 192 MB in MiB


INTERRUPTED = """
import os, signal, sys, threading
from pathlib import Path
from edgeworth.sources.duckdb_engine import count_rows
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    list(count_rows([Path(sys.argv[1])] * 50_000, ["y"], 1))
except KeyboardInterrupt:
    print("heard")
"""


def test_an_interrupt_is_heard_while_the_engine_works(tmp_path: Path) -> None:
    # All of it would take minutes.
    path = write(tmp_path / "file.parquet", pa.array(np.arange(1_000_000) % 7))
    command = [sys.executable, "-c", INTERRUPTED, str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (shown.stdout, shown.stderr) == ("heard\n", "")


def test_a_second_interrupt_waits_until_it_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # All of it would take minutes.
    path = write(tmp_path / "file.parquet", pa.array(np.arange(5000) % 3))
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    wait, heard = duckdb_counts.wait, []

    def interrupted(works: Any, timeout: float) -> Any:
        if len(heard) < 2:
            heard.extend(thread.name for thread in threading.enumerate() if "edgeworth" in thread.name)
            raise KeyboardInterrupt
        return wait(works, timeout)

    monkeypatch.setattr(duckdb_counts, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(duckdb_counts.count_rows([path] * 50_000, ["y"], 1))
    assert heard == ["edgeworth-counting_0"] * 2
    assert not list(spill.iterdir())
    assert "edgeworth-counting_0" not in [thread.name for thread in threading.enumerate()]


def test_an_interrupt_that_duckdb_hears_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), duckdb_connection.connect():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="something else"), duckdb_connection.connect():
        raise RuntimeError("something else")


def test_an_error_of_the_engine_is_that_of_the_caller() -> None:
    with pytest.raises(InputError, match="DuckDB cannot read it: No files found"):
        list(duckdb_counts.count_rows([Path("no such file.parquet")], ["y"], 1))


def test_without_room_for_temporary_files_rows_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "file.parquet", pa.array([0, 1, 1] * 10))
    whole = ew.tally(path, truth="y", prediction="y").tally

    def full(*_: Any, **__: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/edgeworth-")

    monkeypatch.setattr(Path, "mkdir", full)
    assert ew.tally(path, truth="y", prediction="y").tally == whole
    with pytest.raises(CannotCountError, match="temporary files"):
        list(open_source(path).distinct(["y"]))  # type: ignore[attr-defined]  # Parquet has it


class Heard:
    """How much each operation told of, and out of how much."""

    def __init__(self) -> None:
        self.totals: dict[str, float | None] = {}
        self.done: Counter[str] = Counter()

    @contextmanager
    def note(self, what: str, total: float | None) -> Iterator[Any]:
        self.totals[what] = total

        def advance(number: Any) -> None:
            self.done[what] += number

        yield advance


def test_a_long_count_tells_how_far_it_is_to_the_end(tmp_path: Path) -> None:
    heard = Heard()
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    with listen_to_progress(heard.note):
        tallied(path, truth="y", prediction="guess")
    assert heard.totals == {"rows counted": 7, "rows read": 7}
    assert heard.done == {"rows counted": 7, "rows read": 7}


def test_dask_tells_of_its_partitions() -> None:
    heard = Heard()
    dask_frames: Any = import_module("dask.dataframe")
    frame = dask_frames.from_pandas(pd.DataFrame({"y": [1, 0, 1], "guess": [1, 1, 0]}), npartitions=3)
    with listen_to_progress(heard.note):
        tallied(frame, truth="y", prediction="guess")
    assert heard.totals == heard.done == {"partitions": 3}


# -- what happens when counting fails ----------------------------------------------------------------------


@pytest.mark.parametrize("roles", [{"prediction": "guess"}, {"probabilities": "chance"}], ids=str)
def test_a_query_that_fails_runs_once(roles: dict[str, str]) -> None:
    runs = []

    def broken(_: Any) -> Any:
        runs.append(1)
        raise pl.exceptions.ComputeError("the disk is gone")

    rows = pl.LazyFrame({"y": ["a", "b"], "guess": ["a", "a"], "chance": [0.5, 0.2]})
    query = rows.map_batches(broken, schema=rows.collect_schema(), validate_output_schema=False)
    with pytest.raises(InputError, match=r"cannot be computed: .*the disk is gone"):
        ew.evaluate(query, truth="y", **roles)  # type: ignore[arg-type]  # roles by name
    assert len(runs) == 1


def test_a_file_that_breaks_while_it_is_counted_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    source = open_source(path)
    path.write_bytes(b"PAR1 and nothing more PAR1")
    assert isinstance(source, CountingSource)
    with pytest.raises(InputError, match=r"file.parquet"):
        list(source.distinct(["y", "guess"]))


def test_what_duckdb_cannot_hold_is_read_by_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "file.parquet", pa.array(["a", "b", "b"]))
    expected = tallied(path, truth="y", prediction="guess")

    def full(*_: Any) -> None:
        raise duckdb.OutOfMemoryException("no more")

    monkeypatch.setattr(duckdb_counts, "record_batches", full)
    source = open_source(path)
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="no more"):
        list(source.distinct(["y", "guess"]))
    assert tallied(path, truth="y", prediction="guess") == expected


def test_a_column_without_a_name_is_read_by_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"": [1, 1, 0], "guess": [0, 1, 0]}), tmp_path / "file.parquet")
    source = open_source(tmp_path / "file.parquet")
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="without a name"):
        list(source.distinct(["", "guess"]))
    assert tallied(tmp_path / "file.parquet", truth="", prediction="guess")["labels"] == [0, 1]


def test_values_in_the_names_of_folders_are_read_by_rows(tmp_path: Path) -> None:
    for label in (0, 1):
        (tmp_path / f"y={label}").mkdir()
        pq.write_table(pa.table({"guess": [0, 1, label]}), tmp_path / f"y={label}" / "file.parquet")
    source = open_source(tmp_path)
    assert isinstance(source, CountingSource)
    with pytest.raises(CannotCountError, match="names of folders"):
        list(source.distinct(["y", "guess"]))
    assert tallied(tmp_path, truth="y", prediction="guess")["counts"] == [[2, 1], [1, 2]]
