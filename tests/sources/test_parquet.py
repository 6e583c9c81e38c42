"""Parquet and Arrow files: the answer of the same rows in memory, in bounded pieces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

from edgeworth.errors import InputError
from edgeworth.sources import arrow as arrow_files
from edgeworth.sources import parquet
from edgeworth.sources.columns import Coded
from edgeworth.sources.opening import open_source
from tallying_files import tallied

pytestmark = pytest.mark.usefixtures("counted_or_read")

RNG = np.random.default_rng(7)
ROWS = 500
TABLE = pa.table(
    {
        "truth": pa.array(RNG.choice(["cat", "dog", "emu, wild"], ROWS)),
        "prediction": pa.array(RNG.choice(["cat", "dog", "emu, wild"], ROWS)).dictionary_encode(),
        "number": pa.array(RNG.integers(2**62, 2**62 + 3, ROWS)),
        "guess": pa.array(RNG.integers(2**62, 2**62 + 3, ROWS)),
        "weight": pa.array(RNG.integers(1, 5, ROWS)),
        "share": pa.array(RNG.integers(1, 9, ROWS) / 8),
        "patient": pa.array(RNG.integers(0, 40, ROWS)),
        "score": pa.array(RNG.normal(size=ROWS)),
        "hit": pa.array(RNG.random(ROWS) < 0.3),
    }
)


def ipc_file(table: pa.Table, path: Path) -> None:
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=77)


def ipc_stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=77)


WRITERS: dict[str, tuple[str, Callable[[pa.Table, Path], Any]]] = {
    "Parquet": ("file.parquet", pq.write_table),
    "small row groups": ("file.pq", lambda table, path: pq.write_table(table, path, row_group_size=33)),
    "one row group, no dictionary": (
        "file.parquet",
        lambda table, path: pq.write_table(table, path, use_dictionary=False, compression="zstd"),
    ),
    "polars' Parquet": ("file.parquet", lambda table, path: pl.DataFrame(table).write_parquet(path)),
    "Arrow file": ("file.arrow", ipc_file),
    "Arrow stream": ("file.arrow", ipc_stream),
    "Arrow stream by another name": ("file.ipc", ipc_stream),
    "Feather": ("file.feather", lambda table, path: feather.write_feather(table, str(path))),
    "polars' Arrow file": ("file.arrow", lambda table, path: pl.DataFrame(table).write_ipc(path)),
    "Parquet without an ending": ("file", pq.write_table),
    "Arrow without an ending": ("file", ipc_file),
}
every_writer = pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)

OPTIONS: list[dict[str, Any]] = [
    {"truth": "truth", "prediction": "prediction"},
    {"truth": "number", "prediction": "guess"},
    {"truth": "truth", "prediction": "prediction", "cluster": "patient"},
    {"truth": "truth", "prediction": "prediction", "weight": "weight"},
    {"truth": "truth", "prediction": "prediction", "weight": "share"},
    {"truth": "hit", "score": "score"},
]


@pytest.mark.slow
@every_writer
def test_the_answer_is_that_of_the_frame(tmp_path: Path, name: str, write: Any) -> None:
    path = tmp_path / name
    write(TABLE, path)
    for options in OPTIONS:
        # repr tells True from 1 and 1 from 1.0, which == does not.
        assert repr(tallied(path, **options)) == repr(tallied(TABLE, **options))


@every_writer
def test_rows_are_known_and_numbered_through(
    tmp_path: Path, name: str, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH_ROWS", 64)
    monkeypatch.setattr(arrow_files, "BATCH_ROWS", 64)
    path = tmp_path / name
    write(TABLE, path)
    source = open_source(path)
    batches = list(source.batches(["number", "truth"]))
    assert len(batches) > 4
    assert max(map(len, batches)) <= 64
    assert [batch.first_row for batch in batches] == [
        1 + sum(map(len, batches[:k])) for k in range(len(batches))
    ]
    assert np.concatenate([b.columns["number"] for b in batches]).tolist() == TABLE["number"].to_pylist()
    assert getattr(source, "rows", None) in ((None,) if "stream" in str(write) else (ROWS,))


@pytest.mark.parametrize(("number", "is_few"), [(3, True), (60_000, False)])
def test_text_comes_as_codes_only_where_labels_are_few(tmp_path: Path, number: int, is_few: bool) -> None:
    """A list of all labels of a row group would hold the whole column of identifiers in memory."""
    path = tmp_path / "file.parquet"
    texts = [f"a rather long identifier {index % number}" for index in range(60_000)]
    pq.write_table(pa.table({"nested": [{"y": "x"}] * 60_000, "y": texts}), path)
    source = parquet.ParquetSource(path)
    assert source._columns_to_encode(["y"]) == ["y"] * is_few
    results = [batch.columns["y"] for batch in source.batches(["y"])]
    labels = [column.labels[code] for column in results if isinstance(column, Coded) for code in column.codes]
    assert labels == texts


@pytest.mark.parametrize("name", ["file.parquet", "file.arrow"])
def test_a_missing_value_names_its_row(tmp_path: Path, name: str) -> None:
    table = pa.table({"y": ["a", "b", None, "b"], "guess": ["a", "b", "b", "b"]})
    path = tmp_path / name
    (pq.write_table if name.endswith("parquet") else ipc_file)(table, path)
    with pytest.raises(InputError, match="truth is missing in row 3"):
        tallied(path, truth="y", prediction="guess")
    tally = tallied(path, truth="y", prediction="guess", options={"missing": "drop"})
    assert tally["counts"] == [[1, 0], [0, 2]]
    assert tally["dropped"] == 1


@pytest.mark.parametrize("name", ["file.parquet", "file.arrow"])
def test_columns_are_found_as_in_any_source(tmp_path: Path, name: str) -> None:
    table = pa.table({"y": [1, 0], "Guess": [1, 0], "guess": [0, 1], "a.b": [1, 1], "a": [0, 0]})
    path = tmp_path / name
    (pq.write_table if name.endswith("parquet") else ipc_file)(table, path)
    with pytest.raises(InputError, match=r"no column 'z'; it has 'y', 'Guess'"):
        tallied(path, truth="y", prediction="z")
    with pytest.raises(InputError, match=r"differ only in case \('Guess', 'guess'\)"):
        tallied(path, truth="y", prediction="guess")
    tally = tallied(path, truth="a.b", prediction="a")
    assert tally["counts"] == [[0, 2], [0, 0]]
    # Asked for out of order, and one of them twice.
    assert tallied(path, truth="a", prediction="y")["counts"] == [[1, 0], [1, 0]]
    assert tallied(path, truth="y", prediction="y")["counts"] == [[1, 0], [0, 1]]


@pytest.mark.parametrize("name", ["file.parquet", "file.arrow"])
def test_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    (pq.write_table if name.endswith("parquet") else ipc_file)(TABLE.slice(0, 0), path)
    with pytest.raises(InputError, match="no rows"):
        tallied(path, truth="truth", prediction="prediction")


def spoilt(tmp_path: Path, name: str, write: Any, change: Callable[[bytes], bytes]) -> Path:
    path = tmp_path / name
    write(TABLE, path)
    path.write_bytes(change(path.read_bytes()))
    return path


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"truth, and nothing else\na\n",
    "truncated": lambda whole: whole[: len(whole) // 2],
    "a few bytes": lambda whole: whole[:10],
    "overwritten": lambda whole: whole[:100] + b"\xff" * (len(whole) - 200) + whole[-100:],
}


@pytest.mark.parametrize("change", SPOILT.values(), ids=SPOILT)
@every_writer
def test_a_spoilt_file_is_refused_by_name(tmp_path: Path, name: str, write: Any, change: Any) -> None:
    path = spoilt(tmp_path, name, write, change)
    with pytest.raises(InputError) as caught:
        tallied(path, truth="truth", prediction="prediction")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_spoilt_pages_behind_a_sound_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_ROWS", 10_000)
    path = tmp_path / "file.parquet"
    numbers = pa.table({"y": np.arange(40_000) % 7, "guess": np.arange(40_000) % 5})
    pq.write_table(numbers, path, row_group_size=10_000, use_dictionary=False, compression="zstd")
    start = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    whole = bytearray(path.read_bytes())
    whole[start : start + 400] = b"\xff" * 400
    path.write_bytes(whole)
    with pytest.raises(InputError, match=r"file\.parquet cannot be read from row 20,001 on"):
        tallied(path, truth="y", prediction="guess")


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    wrong = pa.array([b"a", b"\xff\xfe"]).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"y": wrong, "guess": wrong}), path)
    with pytest.raises(InputError, match=r"file\.parquet cannot be read from row 1 on: 'utf-8' codec"):
        tallied(path, truth="y", prediction="guess")


@pytest.mark.parametrize("name", ["file.parquet", "file.arrow", "file.csv", "file.jsonl"])
def test_a_file_that_may_not_be_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, who may read anything: the system's answer is put in its place."""
    path = tmp_path / name
    path.write_bytes(b"a,b\n1,2\n")

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(pa, "input_stream", refuse)
    monkeypatch.setattr(pq, "ParquetFile", refuse)
    with pytest.raises(InputError, match=rf"{name} cannot be read.*: Permission denied"):
        tallied(path, truth="a", prediction="b")
