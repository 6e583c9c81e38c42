"""One set of rows, whatever holds it, is one tally: every backend against plain lists.

Where a format cannot say what a list can, a rule says what the same rows mean in it:

| rows             | delimited text               | JSON lines | elsewhere                          |
|------------------|------------------------------|------------|------------------------------------|
| an empty text    | a missing value              | as it is   | as it is                           |
| text such as "1" | a number, if all labels are  | as it is   | as it is                           |
| NaN              | a missing value              | null       | NaN, which is missing everywhere   |
| a category       | its text                     | its text   | its text (Spark has no categories) |
| names y and Y    | refused                      | refused    | refused (DuckDB renames one)       |
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from backends import BACKENDS, LABELS, ROWS, as_in_text, plain, table
from edgeworth.errors import InputError
from edgeworth.forecasts.reading import ForecastColumns, ForecastTerms, tally_forecasts
from edgeworth.pipeline.tally_rows import tally
from edgeworth.sources.batches import Batch, CountingSource, Reducer, Source
from edgeworth.sources.opening import ArraySource, open_source
from tallying_files import tally_decisions, tally_scores

pytestmark = pytest.mark.usefixtures("short_files_are_counted")

ELSEWHERE = {
    "spark": "pyarrow",
    "spark on csv": "csv",
    "spark on parquet": "parquet",
    "spark on jsonl": "jsonl",
    "dask in another process": "dask",
}
"""Rows in other processes, where each job takes its time, and which backend sees the same without it."""


def marked(name: str, *values: Any) -> Any:
    """A backend as a parameter. All that need Spark stay in one process, which starts it once."""
    needs = [pytest.mark.java, pytest.mark.xdist_group("spark")] if name.startswith("spark") else []
    return pytest.param(name, *values, marks=needs)


def every_backend(*besides: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("backend", [marked(name) for name in BACKENDS if name not in besides])


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Source]:
    """Each backend with the table in it, made once."""

    @functools.cache
    def source(backend: str) -> Source:
        return BACKENDS[backend](table(), tmp_path_factory.mktemp("rows"))

    return source


# -- the tallies -------------------------------------------------------------------------------------------

SIDES = {"truth": "truth text", "prediction": "prediction text"}
SCORED = {"truth": "target", "score": "score"}

TALLIES: dict[str, Callable[[Source], Any]] = {
    "counted": lambda source: tally_decisions(source, SIDES | {"weight": "count"}),
    "weighed": lambda source: tally_decisions(source, SIDES | {"weight": "share"}),
    "clustered": lambda source: tally_decisions(source, SIDES | {"cluster": "patient"}),
    "clustered and weighed": lambda source: tally_decisions(
        source, SIDES | {"cluster": "patient", "weight": "share"}
    ),
    "abstaining": lambda source: tally_decisions(source, SIDES, abstain="dog"),
    "ranked": lambda source: tally_scores(source, SCORED),
    "ranked by counts": lambda source: tally_scores(source, SCORED | {"weight": "count"}),
    "ranked by weights": lambda source: tally_scores(source, SCORED | {"weight": "share"}),
    "ranked in two passes": lambda source: tally_scores(source, SCORED, most=5),
    "lists": lambda source: tally(source, truth="grade", score="score", query="query", id="document").final,
    "lists of numbers": lambda source: tally(source, truth="grade", score="score", query="patient").final,
    "bets in order": lambda source: tally_forecasts(
        source, ForecastColumns.of("target", "chance"), ForecastTerms(ordered=True)
    ),
    "bets against a rival": lambda source: tally_forecasts(
        source, ForecastColumns.of("target", "chance", "rival"), ForecastTerms()
    ),
    "paired": lambda source: (
        tally(
            source,
            truth="truth text",
            prediction={"one": "prediction text", "two": "other"},
            cluster="patient",
        ).final
    ),
}


def decisions(source: Source, kind: str) -> Any:
    columns = {"truth": f"truth {kind}", "prediction": f"prediction {kind}"}
    return tally_decisions(source, columns, missing="drop").to_dict()


def lists_for(source: Source) -> Source:
    return ArraySource(as_in_text(plain(table())) if source.is_text else plain(table()))


def same(left: Any, right: Any) -> bool:
    """Nested plain values of the same types; floats to 1e-12."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-300)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and type(left) is type(right):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LABELS)
@every_backend(*ELSEWHERE)
def test_decisions_of_every_kind_of_label(opened: Any, backend: str, kind: str) -> None:
    source = opened(backend)
    # repr tells True from 1 and 1 from 1.0, which == does not.
    assert repr(decisions(source, kind)) == repr(decisions(lists_for(source), kind))


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "without"), [marked(*item) for item in ELSEWHERE.items()])
def test_every_kind_of_label_in_another_process(opened: Any, backend: str, without: str) -> None:
    """All kinds in one job; the other backend is held to the lists."""

    def counted(batch: Batch) -> Counter[tuple[str, str]]:
        from edgeworth.core.labels import canonical_label
        from edgeworth.sources.columns import encode

        total: Counter[tuple[str, str]] = Counter()
        for name, column in batch.columns.items():
            coded = encode(column, name)
            # The code of a missing value is −1.
            names = [*(repr(canonical_label(label)) for label in coded.labels), "missing"]
            total.update((name, names[code]) for code in coded.codes.tolist())
        return total

    kinds = [kind for kind in LABELS if kind != "unsigned_integers"]
    columns = [f"{role} {kind}" for role in ("truth", "prediction") for kind in kinds]
    nothing: Counter[tuple[str, str]] = Counter()
    reducer = Reducer(columns, counted, nothing)
    result = reducer.fold(opened(backend))
    assert result == reducer.fold(opened(without))
    assert result.total() == ROWS * len(columns)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("backend", ["polars lazy", "duckdb", "parquet", "parquet files"])
def test_what_an_engine_counts_is_counted(opened: Any, backend: str, kind: str) -> None:
    """A fold reads the rows where counting is declined: here it is not."""
    source = opened(backend)
    assert isinstance(source, CountingSource)
    batches = list(source.distinct([f"truth {kind}", f"prediction {kind}"]))
    repeats = [batch.repeats for batch in batches if batch.repeats is not None]
    assert len(repeats) == len(batches)
    assert sum(int(repeat.sum()) for repeat in repeats) == ROWS


def test_sources_that_can_count_are_these(opened: Any) -> None:
    here = [backend for backend in BACKENDS if backend not in ELSEWHERE]
    counting = [backend for backend in here if isinstance(opened(backend), CountingSource)]
    assert counting == ["polars lazy", "duckdb", "parquet", "parquet files"]


@pytest.mark.parametrize("kind", LABELS)
def test_lists_are_counted_as_counting_one_by_one_counts_them(kind: str) -> None:
    columns = plain(table())
    sides = zip(columns[f"truth {kind}"], columns[f"prediction {kind}"], strict=True)
    pairs = Counter(pair for pair in sides if all(x is not None and x == x for x in pair))
    tally = decisions(ArraySource(columns), kind)
    labels = tally["labels"]
    assert len(set(labels)) == len(labels)
    assert set(labels) == {label for pair in pairs for label in pair}
    assert tally["counts"] == [[pairs[real, text] for real in labels] for text in labels]
    assert tally["dropped"] == ROWS - sum(pairs.values())


# What Spark reads itself is folded as any other of its frames, and Dask folds alike in every process.
SOME = ("counted", "bets in order")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "name"),
    [
        marked(backend, name)
        for backend in BACKENDS
        for name in (SOME if backend in list(ELSEWHERE)[1:] else TALLIES)
    ],
)
def test_every_tally(opened: Any, backend: str, name: str) -> None:
    source = opened(backend)
    assert same(TALLIES[name](source).to_dict(), TALLIES[name](lists_for(source)).to_dict())


@pytest.mark.slow
@every_backend("spark on parquet", "spark on jsonl")
def test_an_error_names_the_same_row(opened: Any, backend: str) -> None:
    columns = {"truth": "gap.in`row 41", "prediction": "other"}
    # Of several files it is the row of one of them.
    row = r"21 of \S+part-2.parquet" if backend == "parquet files" else "41"
    with pytest.raises(InputError, match=rf"truth is missing in row {row} \(1 such row\)"):
        tally_decisions(opened(backend), columns)


@every_backend()
def test_a_column_that_is_not_there(opened: Any, backend: str) -> None:
    with pytest.raises(InputError, match="has no column 'truth texts'; did you mean 'truth text'"):
        tally_decisions(opened(backend), SIDES | {"truth": "truth texts"})


@every_backend(*list(ELSEWHERE)[1:])
def test_one_row(tmp_path: Path, backend: str) -> None:
    one = pa.table({"y": ["a"], "guess": ["b"]})
    tally = tally_decisions(BACKENDS[backend](one, tmp_path), {"truth": "y", "prediction": "guess"})
    assert tally.to_dict()["counts"] == [[0, 0], [1, 0]]


@every_backend("duckdb", "lists", "numpy")
def test_names_that_differ_only_in_case(tmp_path: Path, backend: str) -> None:
    """DuckDB renames one of them before we see it; Spark does so in text, and then the name is not there."""
    both = pa.table({"y": ["a", "b"], "Y": ["b", "b"], "guess": ["b", "a"]})
    with pytest.raises(InputError, match=r"'y'|\by\b"):
        tally_decisions(BACKENDS[backend](both, tmp_path), {"truth": "y", "prediction": "guess"})


def test_duckdb_counts_by_itself() -> None:
    source: Any = open_source(duckdb.connect().from_arrow(table()))
    batches = list(source.distinct(["truth text", "prediction text"]))
    assert sum(len(batch) for batch in batches) <= 9
    assert sum(int(batch.repeats.sum()) for batch in batches) == ROWS
