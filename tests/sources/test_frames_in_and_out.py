"""Frames of every library: results come back in the same one, and columns may be called by integers."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import expit

import edgeworth as ew
from edgeworth.errors import InputError

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 120)
GOOD, BAD = (np.where(RNG.random(120) < right, TRUTH, 1 - TRUTH) for right in (0.9, 0.6))
WIDE = pl.DataFrame({"truth": TRUTH, "good": GOOD, "bad": BAD, "id": range(120)})
TABLES = {
    name: WIDE.select("id", "truth", label=name, right=pl.col(name) == pl.col("truth"))
    for name in ("good", "bad")
}
LONG = pl.concat([table.with_columns(model=pl.lit(name)) for name, table in TABLES.items()])

POLARS_ROUTES: dict[str, Callable[[], ew.Comparison]] = {
    "columns": lambda: ew.compare(WIDE, truth="truth", systems=["good", "bad"]),
    "lazy": lambda: ew.compare(WIDE.lazy(), truth="truth", systems=["good", "bad"]),
    "system": lambda: ew.compare(LONG, truth="truth", systems="label", system="model", id="id"),
    "join": lambda: ew.compare(TABLES, truth="truth", systems="label", join="id"),
    "join grades": lambda: ew.compare(TABLES, systems="right", join="id", kind="correct"),
    "series": lambda: ew.compare(truth=WIDE["truth"], systems={"good": WIDE["good"], "bad": WIDE["bad"]}),
}


@pytest.mark.parametrize("route", POLARS_ROUTES)
def test_a_comparison_of_polars_gives_polars(route: str) -> None:
    comparison = POLARS_ROUTES[route]()
    assert isinstance(comparison.to_frame(), pl.DataFrame)
    assert isinstance(comparison.to_frame("pandas"), pd.DataFrame)


def test_every_route_measures_the_same() -> None:
    accuracy = {
        route: compare()["good", "bad"]["accuracy"].difference for route, compare in POLARS_ROUTES.items()
    }
    expected = (GOOD == TRUTH).mean() - (BAD == TRUTH).mean()
    assert list(accuracy.values()) == pytest.approx([expected] * len(POLARS_ROUTES))


def test_an_evaluation_of_series_gives_their_library() -> None:
    assert isinstance(ew.evaluate(truth=WIDE["truth"], prediction=WIDE["good"]).to_frame(), pl.DataFrame)
    arrays = ew.evaluate(truth=pa.array(TRUTH), prediction=pa.array(GOOD))
    assert isinstance(arrays.to_frame(), pa.Table)


def test_a_tally_remembers_the_library_of_its_rows() -> None:
    halves = [ew.tally(part, truth="truth", prediction="good") for part in (WIDE.head(60), WIDE.tail(60))]
    assert isinstance(ew.evaluate(halves[0] + halves[1]).to_frame(), pl.DataFrame)
    series = ew.tally(truth=WIDE["truth"], prediction=WIDE["good"])
    assert isinstance(ew.evaluate(series).to_frame(), pl.DataFrame)


def test_levels_of_an_index_are_no_columns() -> None:
    frame = WIDE.to_pandas().set_index(["id", "bad"])
    with pytest.raises(InputError, match=r"'bad' in its index, not in a column: pass frame.reset_index\(\)"):
        ew.evaluate(frame, truth="truth", prediction="good", by="bad")
    report = ew.evaluate(frame.reset_index(), truth="truth", prediction="good", by="bad")
    assert len(report.to_frame().dropna(subset="slice")) == 2


def test_columns_may_be_called_by_integers() -> None:
    frame = pd.DataFrame(np.c_[TRUTH, GOOD, BAD])
    named = frame.set_axis(["truth", "good", "bad"], axis=1)
    ours = ew.evaluate(frame, truth=0, prediction=1, cluster=2).numbers["estimates"]
    assert ours == ew.evaluate(named, truth="truth", prediction="good", cluster="bad").numbers["estimates"]
    assert (
        ew.tally(frame, truth=0, prediction=1).final
        == ew.tally(named, truth="truth", prediction="good").final
    )
    expected = ew.compare(named, truth="truth", systems=["good", "bad"])["good", "bad"]["accuracy"].difference
    assert ew.compare(frame, truth=0, systems=[1, 2])["1", "2"]["accuracy"].difference == expected
    assert ew.compare(frame, truth=0, systems={"a": 1, "b": 2})["a", "b"]["accuracy"].difference == expected
    assert list(frame.columns) == [0, 1, 2]


def test_joined_tables_and_gates_take_integer_columns_too() -> None:
    expected = ew.compare(WIDE, truth="truth", systems=["good", "bad"])["good", "bad"]["accuracy"].difference
    tables = {
        name: pd.DataFrame({0: range(120), 1: TRUTH, 2: text})
        for name, text in {"good": GOOD, "bad": BAD}.items()
    }
    joined = ew.compare(tables, truth=1, systems=2, join=0)
    assert joined["good", "bad"]["accuracy"].difference == expected
    long = pd.concat([table.assign(system=name) for name, table in tables.items()]).set_axis(
        [0, 1, 2, 3], axis=1
    )
    stacked = ew.compare(long, truth=1, systems=2, system=3, id=0)
    assert stacked["good", "bad"]["accuracy"].difference == expected
    gate = ew.check(pd.DataFrame(np.c_[TRUTH, GOOD]), truth=0, prediction=1, require="accuracy >= 0.5")
    assert gate.outcome == ew.check(WIDE, truth="truth", prediction="good", require="accuracy >= 0.5").outcome


def test_integer_columns_hold_probabilities_too() -> None:
    shares = RNG.dirichlet([1, 1, 1], 120)
    frame = pd.DataFrame(np.c_[RNG.integers(0, 3, 120), shares])
    report = ew.evaluate(frame, truth=0, probabilities=[1, 2, 3], labels=[0, 1, 2])
    arrays = ew.evaluate(truth=frame[0], probabilities=shares, labels=[0, 1, 2])
    assert report.numbers["means"]["model"]["brier"] == pytest.approx(
        arrays.numbers["means"]["model"]["brier"]
    )


@pytest.mark.parametrize("number", [200, 20_000])
def test_a_regression_target_is_refused_by_name(number: int) -> None:
    target, guess = RNG.normal(size=(2, number))
    for call in (
        lambda: ew.evaluate(truth=target, prediction=guess),
        lambda: ew.evaluate(truth=target, score=guess),
        lambda: ew.evaluate(truth=target, probabilities=expit(guess)),
        lambda: ew.evaluate(pd.DataFrame({"y": target, "p": guess}), truth="y", prediction="p"),
        lambda: ew.compare(truth=target, systems={"a": guess, "b": guess + 1}),
    ):
        with pytest.raises(InputError, match=r"looks like regression: use grade="):
            call()


@pytest.mark.parametrize("role", ["truth", "score", "prediction"])
def test_a_sparse_matrix_is_refused_with_the_call_that_helps(role: str) -> None:
    columns: dict[str, object] = {"truth": TRUTH, "prediction" if role == "prediction" else "score": GOOD}
    columns[role] = sparse.csr_matrix(np.column_stack([GOOD, BAD]))
    with pytest.raises(
        InputError, match=rf"{role} is a sparse matrix: pass it as an array, with .toarray\(\)"
    ):
        ew.evaluate(**columns)


def test_a_few_fractions_are_classes() -> None:
    truth = np.resize([0.5, 1.0, 1.5], 60)
    assert ew.evaluate(truth=truth, prediction=truth).numbers["estimates"]["accuracy"]["value"] == 1


def test_multi_label_data_are_refused_with_a_recipe_that_runs() -> None:
    actual = RNG.integers(0, 2, (80, 3))
    predicted = np.where(RNG.random(actual.shape) < 0.8, actual, 1 - actual)
    with pytest.raises(InputError, match="multi-label") as refused:
        ew.evaluate(truth=actual, prediction=predicted)
    recipe = str(refused.value).partition("clustered by case: ")[2]
    names = {"Y": actual, "P": predicted, "labels": ["cat", "dog", "fox"], "np": np}
    report = ew.evaluate(**eval(f"dict({recipe})", names))
    frame = report.to_frame("pandas").dropna(subset="slice").set_index("slice")
    for column, label in enumerate(names["labels"]):
        table = ew.ContingencyTable.from_labels(actual[:, column], predicted[:, column])
        assert frame.loc[label, "value"] == pytest.approx(ew.measure(table, "informedness"))
    assert report.numbers["clusters"]
    compared = ew.compare(
        systems={"one": predicted.ravel(), "two": 1 - actual.ravel()},
        **eval(f"dict({recipe.replace('prediction=P.ravel(), ', '')})", names),
    )
    assert set(compared.to_frame("pandas")["slice"].dropna()) <= set(names["labels"])


@pytest.mark.parametrize("kind", [list, set, np.array])
def test_lists_of_labels_are_multi_label_data(kind: Callable[[list[str]], object]) -> None:
    rows = [kind(["a", "b"]), kind(["a"])] * 20
    with pytest.raises(InputError, match=r"truth holds lists of labels, .* clustered by case: truth=Y.ravel"):
        ew.evaluate(truth=rows, prediction=rows)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # Ibis reads an option of pandas
def test_ibis_tables_are_read_whether_filtered_or_not() -> None:
    import ibis

    table = ibis.memtable(WIDE.to_arrow())
    direct = ew.evaluate(WIDE, truth="truth", prediction="good").numbers["estimates"]
    assert ew.evaluate(table, truth="truth", prediction="good").numbers["estimates"] == direct
    early = ew.evaluate(table.filter(table["id"] < 60), truth="truth", prediction="good")
    first = ew.evaluate(WIDE.head(60), truth="truth", prediction="good")
    assert early.numbers["estimates"] == first.numbers["estimates"]
    compared = ew.compare(table, truth="truth", systems=["good", "bad"])["good", "bad"]["informedness"]
    assert compared.difference == POLARS_ROUTES["columns"]()["good", "bad"]["informedness"].difference
