"""One table of everything that is hard to hold, and every backend that can hold it."""

from __future__ import annotations

import csv
import functools
import gzip
import itertools
import json
import math
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from edgeworth.sources.batches import Batch, Source
from edgeworth.sources.opening import ArraySource, open_source
from spark_session import MASTER, spark_session

dask: Any = import_module("dask")

Columns = dict[str, list[Any]]

HOSTILE = [
    'say "hi"',
    "two\nlines",
    "a,b;c\td|e",
    "😀",
    "\u200f\u05e9\u05dc\u05d5\u05dd",
    " spaced ",
    "'; drop table y; --",
    "</script>",
    "back\\slash\\",
    '\\"',
    "Cat",
    "cat",
    "\u00e9",
    "e\u0301",
    "nan",
    "NULL",
    "column_0",
]

LABELS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "integers": (pa.int64(), [0, 1, 12]),
    "small_integers": (pa.int8(), [-1, 0, 1]),
    "large_integers": (pa.int64(), [2**53, 2**53 + 1, 2**63 - 1, -(2**63)]),
    "unsigned_integers": (pa.uint64(), [2**63, 2**63 + 1, 2**64 - 1, 0]),
    "text": (pa.string(), ["cat", "dog", "emu, wild"]),
    "hostile_text": (pa.string(), HOSTILE),
    "digits": (pa.string(), ["1", "2"]),
    "empty_text": (pa.string(), ["", "a"]),
    "booleans": (pa.bool_(), [True, False]),
    "categories": (pa.dictionary(pa.int8(), pa.string()), ["low", "mid", "high"]),
    "fractions": (pa.float64(), [0.5, 0.0, -0.0, 2.0, 2.25]),
    "text_with_gaps": (pa.string(), ["a", "b", None]),
    "integers_with_gaps": (pa.int64(), [2**53 + 1, 2**53 + 2, None]),
    "booleans_with_gaps": (pa.bool_(), [True, False, None]),
    "categories_with_gaps": (pa.dictionary(pa.int8(), pa.string()), ["low", "high", None]),
    "fractions_with_gaps": (pa.float64(), [1.5, math.nan, None, 2.0]),
}

ROWS = 60


@functools.cache
def table() -> pa.Table:
    """Some rows of everything; the order is no accident, so that errors can name rows."""
    rng = np.random.default_rng(7)
    columns: dict[str, Any] = {}
    for kind, (of_arrow, labels) in LABELS.items():
        for role in ("truth", "prediction"):
            places = rng.integers(len(labels), size=ROWS)
            columns[f"{role} {kind}"] = pa.array([labels[place] for place in places], of_arrow)
    columns |= {
        "other": [["cat", "dog"][index] for index in rng.integers(2, size=ROWS)],
        "count": rng.integers(0, 5, size=ROWS),
        "share": rng.integers(1, 30, size=ROWS) / 10,
        "patient": rng.integers(12, size=ROWS),
        "target": rng.integers(2, size=ROWS),
        "score": np.array([0.1, 0.0, -0.0, -2.5, 1e300, 0.1 + 2**-54])[rng.integers(6, size=ROWS)],
        "query": [f"q{position}" for position in rng.integers(4, size=ROWS)],
        "document": [f"d{number}" for number in range(ROWS)],
        "chance": rng.integers(1, 64, size=ROWS) / 64,
        "rival": rng.integers(1, 10, size=ROWS) / 10,
        "grade": rng.integers(3, size=ROWS),
        "gap.in`row 41": [None if row == 40 else "a" for row in range(ROWS)],
    }
    return pa.table(columns)


def plain(columns: pa.Table) -> Columns:
    return {name: columns[name].to_pylist() for name in columns.column_names}


def as_in_text(columns: Columns) -> Columns:
    """What the same rows mean in delimited text."""

    def meant(name: str, value: Any) -> Any:
        if value == "" or value != value:
            return None
        return int(value) if name.endswith("digits") else value

    return {name: [meant(name, value) for value in values] for name, values in columns.items()}


# -- the backends ------------------------------------------------------------------------------------------


def decoded(columns: pa.Table) -> pa.Table:
    """What Spark can be given: categories as the text they are, and no unsigned integers."""
    fields = [
        pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        for field in columns.schema
        if field.type != pa.uint64()
    ]
    return columns.select([field.name for field in fields]).cast(pa.schema(fields))


def numpy_arrays(columns: pa.Table, _: Path) -> Source:
    arrays = {
        name: np.array(values, dtype=object if None in values else np.uint64 if "unsigned" in name else None)
        for name, values in plain(columns).items()
    }
    return ArraySource(arrays)


def pandas_frame(columns: pa.Table) -> pd.DataFrame:
    # Without these types pandas makes floats of integers with gaps, and large ones into their neighbours.
    return columns.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get)


def dask_frame(columns: pa.Table, _: Path) -> Source:
    """Four partitions, one of them empty."""
    frame = pandas_frame(columns)
    cuts = [0, len(frame) // 3, len(frame) // 3, len(frame) // 2, len(frame)]
    parts = [frame.iloc[start:stop] for start, stop in itertools.pairwise(cuts)]
    dask_frames: Any = import_module("dask.dataframe")
    return open_source(dask_frames.from_map(lambda place: parts[place], range(4), meta=frame.iloc[:0]))


@functools.cache
def one_process() -> ProcessPoolExecutor:
    """Another process, for all tests: it takes its time to start."""
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


class InAnotherProcess:
    """A Dask dataframe whose partitions are computed in another process."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.name, self.is_text = source.name, source.is_text

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        with dask.config.set(scheduler="processes", pool=one_process()):
            yield from self._source.batches(columns)

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], Any], empty: Any) -> Any:
        with dask.config.set(scheduler="processes", pool=one_process()):
            return self._source.fold(columns, prepare, empty)


class ByRows:
    """A file whose rows are read, even where an engine could count them."""

    is_text = False

    def __init__(self, source: Any) -> None:
        self._source = source
        self.name, self.rows = source.name, source.rows

    def batches(self, columns: Any) -> Any:
        return self._source.batches(columns)


def chunks(columns: pa.Table) -> pa.Table:
    cut = columns.num_rows // 2
    return pa.concat_tables([columns.slice(0, cut), columns.slice(0, 0), columns.slice(cut)])


class Streaming:
    """A dataframe of a library that nobody knows, which speaks Arrow."""

    def __init__(self, columns: Any) -> None:
        self._columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._columns.__arrow_c_stream__(requested_schema)


def written_text(value: Any) -> str:
    if value is None or value != value:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def text_file(columns: pa.Table, folder: Path, name: str = "rows.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if name.endswith("tsv") else ",")
        writer.writerow(columns.column_names)
        writer.writerows([written_text(value) for value in row.values()] for row in columns.to_pylist())
    return path


def packed_file(columns: pa.Table, folder: Path, ending: str) -> Path:
    content = text_file(columns, folder).read_bytes()
    path = folder / f"rows.csv.{ending}"
    path.write_bytes(
        gzip.compress(content) if ending == "gz" else pa.Codec("zstd").compress(content, asbytes=True)
    )
    return path


def parquet_file(columns: pa.Table, folder: Path) -> Path:
    pq.write_table(columns, folder / "rows.parquet", row_group_size=17)
    return folder / "rows.parquet"


def parquet_files(columns: pa.Table, folder: Path) -> Path:
    """Three files, one of them without rows."""
    below = folder / "parts"
    below.mkdir()
    cut = columns.num_rows // 3
    for index, part in enumerate([columns.slice(0, cut), columns.slice(0, 0), columns.slice(cut)]):
        pq.write_table(part, below / f"part-{index}.parquet")
    return below


def json_file(columns: pa.Table, folder: Path) -> Path:
    path = folder / "rows.jsonl"
    rows = (
        {name: None if value != value else value for name, value in row.items()}
        for row in columns.to_pylist()
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def arrow_file(columns: pa.Table, folder: Path) -> Path:
    path = folder / "rows.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, columns.schema) as writer:
        writer.write_table(columns, max_chunksize=17)
    return path


def spark_frame(columns: pa.Table, _: Path) -> Source:
    """Several partitions, of which at least one is empty."""
    frame = spark_session().createDataFrame(decoded(columns))
    return open_source(frame.union(frame.where("1 = 0")))


def on_spark(path: Path) -> Source:
    spark_session()
    return open_source(path, engine="spark", master=MASTER)


BACKENDS: dict[str, Callable[[pa.Table, Path], Source]] = {
    "lists": lambda columns, _: ArraySource(plain(columns)),
    "numpy": numpy_arrays,
    "pandas": lambda columns, _: open_source(pandas_frame(columns)),
    "pandas on arrow": lambda columns, _: open_source(columns.to_pandas(types_mapper=pd.ArrowDtype)),
    "polars": lambda columns, _: open_source(pl.DataFrame(columns)),
    "polars lazy": lambda columns, _: open_source(pl.DataFrame(columns).lazy()),
    "pyarrow": lambda columns, _: open_source(columns),
    "pyarrow in chunks": lambda columns, _: open_source(chunks(columns)),
    "arrow stream": lambda columns, _: open_source(Streaming(columns)),
    "duckdb": lambda columns, _: open_source(duckdb.connect().from_arrow(columns)),
    "dask": dask_frame,
    "dask in another process": lambda columns, folder: InAnotherProcess(dask_frame(columns, folder)),
    "spark": spark_frame,
    "csv": lambda columns, folder: open_source(text_file(columns, folder)),
    "tsv": lambda columns, folder: open_source(text_file(columns, folder, "rows.tsv")),
    "csv.gz": lambda columns, folder: open_source(packed_file(columns, folder, "gz")),
    "csv.zst": lambda columns, folder: open_source(packed_file(columns, folder, "zst")),
    "parquet": lambda columns, folder: open_source(parquet_file(columns, folder)),
    "parquet by rows": lambda columns, folder: ByRows(open_source(parquet_file(columns, folder))),
    "parquet files": lambda columns, folder: open_source(parquet_files(columns, folder)),
    "jsonl": lambda columns, folder: open_source(json_file(columns, folder)),
    "arrow file": lambda columns, folder: open_source(arrow_file(columns, folder)),
    "spark on csv": lambda columns, folder: on_spark(text_file(columns, folder)),
    "spark on parquet": lambda columns, folder: on_spark(parquet_file(columns, folder)),
    "spark on jsonl": lambda columns, folder: on_spark(json_file(columns, folder)),
}
