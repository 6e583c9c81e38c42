"""Dataframes of every library, lazy or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from edgeworth import evaluate
from edgeworth.errors import InputError
from edgeworth.sources import arrow as arrow_pieces
from edgeworth.sources import frames as lazy_frames
from edgeworth.sources.frames import open_frame
from edgeworth.sources.opening import open_source

COLUMNS = {
    "y": ["a", "b", "b", "a", "b", "a"],
    "guess": ["a", "b", "a", "a", "b", "b"],
    "weight": [1, 2, 3, 4, 5, 6],
    "share": [0.5, 1.5, 0.25, 2.0, 1.0, 0.125],
    "patient": ["p", "p", "q", "q", "r", "r"],
    "extra": [None, 1.5, None, 2.5, 3.5, 4.5],
}


CONNECTION = duckdb.connect()
"""DuckDB 1 closes a connection that nothing holds, even if a relation of it is still used."""


def duckdb_relation(columns: dict[str, list[Any]]) -> Any:
    return CONNECTION.from_arrow(pa.table(columns))


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with another index": lambda columns: pd.DataFrame(
        columns, index=list("zyxwvu")[: len(columns["y"])]
    ),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "arrow": pa.table,
    "duckdb": duckdb_relation,
}

every_frame = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


@pytest.mark.slow
@every_frame
@pytest.mark.parametrize(
    "options", [{}, {"weight": "weight"}, {"weight": "share"}, {"cluster": "patient"}], ids=str
)
def test_every_frame_gives_the_same_tally_as_its_columns(make: Any, options: dict[str, str]) -> None:
    arrays = {role: COLUMNS[name] for role, name in options.items()}
    expected = evaluate(truth=COLUMNS["y"], prediction=COLUMNS["guess"], **arrays)
    report = evaluate(make(COLUMNS), truth="y", prediction="guess", **options)
    assert report.to_dict()["tally"] == expected.to_dict()["tally"]


@every_frame
def test_a_null_is_missing_in_every_frame(make: Any) -> None:
    columns = {"y": ["a", None, "b", "b"], "guess": ["a", "a", "b", "a"]}
    with pytest.raises(InputError, match="truth is missing in row 2"):
        evaluate(make(columns), truth="y", prediction="guess")
    report = evaluate(make(columns), truth="y", prediction="guess", missing="drop")
    assert report.to_dict()["tally"]["dropped"] == 1
    assert report.to_dict()["tally"]["counts"] == [[1, 1], [0, 1]]


@every_frame
def test_a_null_among_large_integers(make: Any) -> None:
    columns = {"y": [2**60 + 1, None, 2**60 + 2], "guess": [2**60 + 1, 2**60 + 1, 2**60 + 2]}
    if make is FRAMES["pandas"] or make is FRAMES["pandas with another index"]:
        # pandas turns integers with a gap into floats before we see them, unless they are Int64.
        columns = {name: pd.array(values, dtype="Int64") for name, values in columns.items()}
    report = evaluate(make(columns), truth="y", prediction="guess", missing="drop")
    assert report.to_dict()["tally"]["labels"] == [2**60 + 1, 2**60 + 2]


CATEGORICAL: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.DataFrame({"y": pd.Categorical(values), "guess": ["a", "a", "b", "a"]}),
    "polars": lambda values: pl.DataFrame(
        {"y": pl.Series(values, dtype=pl.Categorical), "guess": ["a", "a", "b", "a"]}
    ),
    "arrow": lambda values: pa.table(
        {"y": pa.array(values).dictionary_encode(), "guess": ["a", "a", "b", "a"]}
    ),
    "duckdb": lambda values: duckdb_relation({"y": values, "guess": ["a", "a", "b", "a"]}).project(
        "y::enum('a', 'b') as y, guess"
    ),
}


@pytest.mark.parametrize("make", CATEGORICAL.values(), ids=CATEGORICAL)
def test_a_null_among_categories_is_no_category(make: Any) -> None:
    report = evaluate(make(["a", None, "b", "b"]), truth="y", prediction="guess", missing="drop")
    assert report.to_dict()["tally"]["dropped"] == 1
    assert report.to_dict()["tally"]["counts"] == [[1, 1], [0, 1]]


@every_frame
def test_a_frame_without_rows(make: Any) -> None:
    columns = {"y": pa.array([], pa.string()), "guess": pa.array([], pa.string())}
    frame = make(columns) if make in (pa.table, duckdb_relation) else make({"y": [], "guess": []})
    with pytest.raises(InputError, match="no rows"):
        evaluate(frame, truth="y", prediction="guess")


@every_frame
def test_a_column_that_is_not_there_names_the_near_misses(make: Any) -> None:
    with pytest.raises(InputError, match="no column 'gues'; did you mean 'guess'"):
        evaluate(make(COLUMNS), truth="y", prediction="gues")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_columns_that_differ_only_in_case(make: Any) -> None:
    with pytest.raises(InputError, match=r"differ only in case \('Y', 'y'\)"):
        evaluate(make({"y": [1, 0], "Y": [0, 1], "guess": [1, 0]}), truth="y", prediction="guess")


def test_two_columns_of_one_name() -> None:
    frame = pd.DataFrame([[1, 1, 0], [0, 0, 1]], columns=["y", "guess", "guess"])
    with pytest.raises(InputError, match="guess"):
        evaluate(frame, truth="y", prediction="guess")


@pytest.mark.parametrize("name", [0, ("a", "b"), None], ids=str)
def test_columns_whose_names_are_not_text_do_no_harm(name: Any) -> None:
    """pandas names columns 0, 1, … unless told otherwise."""
    frame = pd.DataFrame({"y": [1, 0, 1], "guess": [1, 0, 0]})
    frame[name] = [7, 8, 9]
    tally = evaluate(frame, truth="y", prediction="guess").to_dict()["tally"]
    assert tally["counts"] == [[1, 1], [0, 1]]


def test_a_lazy_frame_computes_only_what_is_wanted() -> None:
    def refuse(_: Any) -> Any:
        raise AssertionError("a column nobody wanted was computed")

    lazy = pl.LazyFrame(COLUMNS).with_columns(
        pl.col("extra").map_batches(refuse, return_dtype=pl.Float64).alias("expensive")
    )
    assert evaluate(lazy, truth="y", prediction="guess").to_dict()["tally"]["counts"] == [[2, 1], [1, 2]]


def test_the_frame_is_named_after_its_library() -> None:
    assert open_frame(pd.DataFrame({"y": [1]})).name == "pandas DataFrame"
    assert open_frame(pl.DataFrame({"y": [1]})).name == "polars DataFrame"
    assert open_frame(pa.table({"y": [1]})).name == "pyarrow Table"


@pytest.mark.parametrize(
    "data", [5, {"y": [1]}, [1, 2], np.zeros((2, 2)), pd.Series([1]), pl.Series([1]), object()], ids=type
)
def test_what_is_neither_a_path_nor_a_frame(data: Any) -> None:
    with pytest.raises(InputError, match=f"path of a file or a dataframe; saw {type(data).__name__}"):
        open_source(data)


class Interchanging:
    """A dataframe of a library that nobody knows, which speaks the interchange protocol."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = pa.table(columns)

    def __dataframe__(self, *options: Any, **named: Any) -> Any:
        return self._columns.__dataframe__(*options, **named)


def test_a_frame_by_the_interchange_protocol() -> None:
    columns = {"y": COLUMNS["y"], "guess": COLUMNS["guess"]}
    report = evaluate(Interchanging(columns), truth="y", prediction="guess")
    assert report.to_dict()["tally"]["counts"] == [[2, 1], [1, 2]]
    assert open_source(Interchanging(columns)).name.endswith("Interchanging")


@pytest.mark.parametrize("make", [duckdb_relation, pl.LazyFrame], ids=["duckdb", "polars"])
def test_an_engine_counts_by_itself_where_counting_is_enough(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source(make(COLUMNS))
    monkeypatch.setattr(type(source), "batches", lambda *_: pytest.fail("rows were fetched"))
    assert evaluate(source, truth="y", prediction="guess").to_dict()["tally"]["counts"] == [[2, 1], [1, 2]]


@pytest.mark.parametrize("make", [duckdb_relation, pl.LazyFrame], ids=["duckdb", "polars"])
def test_a_lazy_frame_comes_in_pieces_whose_rows_are_counted_through(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy_frames, "COMBINED_ROWS", 2048)
    monkeypatch.setattr(arrow_pieces, "COMBINED_ROWS", 2048)
    batches = list(open_source(make({"y": list(range(10_000))})).batches(["y"]))
    assert len(batches) > 1
    assert [value for batch in batches for value in np.asarray(batch.columns["y"])] == list(range(10_000))
    assert all(np.asarray(batch.columns["y"])[0] == batch.first_row - 1 for batch in batches)


def test_batches_of_polars_that_lose_an_error_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to polars 1.36, ``collect_batches`` returned the rows before a failed cast, and no error."""
    monkeypatch.setattr(pl, "__version__", "1.36.1")
    lost = staticmethod(lambda *_, **__: iter([pl.DataFrame({"c0": [0]})]))
    monkeypatch.setattr(pl.LazyFrame, "collect_batches", lost, raising=False)
    (batch,) = open_source(pl.LazyFrame({"y": list(range(100))})).batches(["y"])
    assert np.asarray(batch.columns["y"]).tolist() == list(range(100))
    frame = pl.LazyFrame({"y": ["1"] * 99 + ["z"]}).with_columns(pl.col("y").cast(pl.Int64))
    with pytest.raises(InputError, match="cannot be computed: "):
        list(open_source(frame).batches(["y"]))


def test_an_error_in_the_last_rows_of_a_lazy_frame_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_frames, "COMBINED_ROWS", 2048)
    frame = pl.LazyFrame({"y": ["1"] * 99_999 + ["z"]}).with_columns(pl.col("y").cast(pl.Int64))
    with pytest.raises(InputError, match="cannot be computed: "):
        list(open_source(frame).batches(["y"]))


@pytest.mark.parametrize(
    "lazy",
    [
        lambda: pl.scan_parquet("nowhere.parquet"),
        lambda: CONNECTION.sql("select 'x' as y, cast(a as integer) as guess from (select 'z' as a)"),
        lambda: pl.LazyFrame({"y": ["x"], "guess": ["z"]}).with_columns(pl.col("guess").cast(pl.Int64)),
    ],
    ids=["a file that is not there", "duckdb", "polars"],
)
def test_what_an_engine_cannot_compute_is_one_sentence(lazy: Any) -> None:
    with pytest.raises(InputError, match="cannot be computed: ") as caught:
        evaluate(lazy(), truth="y", prediction="guess")
    assert "\n" not in str(caught.value)
