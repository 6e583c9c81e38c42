"""Probabilities batch by batch: however rows are cut, and whoever folds them, what they are at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from close_values import assert_close
from edgeworth.bet import Bookmaker, Commission, Drunken, Market
from edgeworth.core.options import EvaluateOptions
from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts import reading as gathering
from edgeworth.forecasts.reading import (
    ForecastColumns,
    ForecastTerms,
    count_truth,
    read_forecasts,
    tally_forecasts,
)
from edgeworth.forecasts.tally import ForecastTally
from edgeworth.pipeline.call_options import fill_in
from edgeworth.sources.batches import Batch
from edgeworth.sources.columns import Coded, Column, encode
from edgeworth.sources.opening import open_source

ROWS = 240
CUTS = ([0, ROWS], [0, 1, 2, 100, ROWS], [0, 120, 120, 239, ROWS])
NAMES = {2: ("no", "yes"), 3: ("low", "middle", "top")}


class Cut:
    """Columns in memory, in batches of chosen lengths; as text, as a text file gives them."""

    name = "cut"

    def __init__(self, columns: dict[str, Any], edges: Sequence[int], *, is_text: bool = False) -> None:
        self.columns, self.edges, self.is_text = columns, list(edges), is_text

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        for start, stop in pairwise(self.edges):
            held = {name: self._column(name, slice(start, stop)) for name in columns}
            yield Batch(held, first_row=start + 1)

    def _column(self, name: str, rows: slice) -> Column:
        values = np.asarray(self.columns[name])[rows]
        if not self.is_text:
            return values
        return encode(np.array([str(value) for value in values.tolist()], dtype=object), name)


class Elsewhere(Cut):
    """Batches that are prepared somewhere else: everything goes through pickle, rows keep their positions."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], Any], empty: Any) -> Any:
        there, nothing = pickle.loads(pickle.dumps((prepare, empty)))
        parts = [pickle.loads(pickle.dumps(there(batch))) for batch in self.batches(columns)]
        # Neighbours first: whoever adds up may group as it likes.
        return nothing + parts[0] + reduce(add, parts[1:], nothing), ROWS


class CountedElsewhere(Cut):
    """An engine that counts equal rows by itself, and then does not know which they were."""

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        (name,) = columns
        coded = encode(np.asarray(self.columns[name]), name)
        # What is missing is counted like anything else.
        codes, repeats = np.unique(coded.codes, return_counts=True)
        yield Batch({name: Coded(codes, coded.labels)}, 1, repeats)


def columns(classes: int) -> dict[str, Any]:
    """Truth in words and in numbers, two forecasters of some ties, and odds."""
    rng = np.random.default_rng(classes)
    model, rival = (rng.dirichlet(np.ones(classes) * 2, ROWS).round(2) for _ in range(2))
    for item in (model, rival):
        item += 0.02
        item /= item.sum(axis=1, keepdims=True)
    codes = np.array([rng.choice(classes, p=row) for row in model])
    names = NAMES[classes]
    held = {"y": np.array(names)[codes], "place": codes, "p": model[:, 1], "q": rival[:, 1]}
    held |= {f"p_{name}": model[:, index] for index, name in enumerate(names)}
    # In another order, which the names put right.
    held |= {f"q_{name}": rival[:, position] for position, name in reversed(list(enumerate(names)))}
    held |= {f"o_{name}": 1 / (1.03 * rival[:, place]).clip(0, 0.99) for place, name in enumerate(names)}
    return held


def roles(kind: str, classes: int) -> dict[str, Any]:
    names = NAMES[classes]
    results: dict[str, Any] = {"probabilities": [f"p_{name}" for name in names]}
    if kind == "rival":
        results["against"] = [f"q_{name}" for name in reversed(names)]
    if kind == "odds":
        results["odds"] = [f"o_{name}" for name in reversed(names)]
    if kind == "single":
        return {"probabilities": "p", "against": "q"}
    if kind == "price":
        return {"probabilities": "p", "odds": "o_yes"}
    return results


BOOKMAKERS: dict[str, Bookmaker] = {
    "drunken": Drunken(rng=3),
    "sober": Drunken(0.1, 0.9, rng=1),
    "commission": Commission(0.05, Drunken(rng=5)),
}

SETTINGS: list[tuple[str, int, dict[str, Any]]] = [
    ("rival", 2, {"fraction": 0.5}),
    ("rival", 3, {"ordinal": True, "ordered": True}),
    ("shares", 2, {}),
    ("shares", 3, {"normalise": True}),
    ("odds", 2, {}),
    ("odds", 3, {"ordinal": True}),
    ("single", 2, {"positive": "yes"}),
    ("price", 2, {}),
    ("drunken", 2, {}),
    ("sober", 3, {}),
    ("commission", 3, {}),
]


def tallied(source: Any, kind: str, classes: int, terms: dict[str, Any], **more: Any) -> ForecastTally:
    named = ForecastColumns.of("y", **roles(kind, classes))
    return tally_forecasts(source, named, ForecastTerms(**terms, bookmaker=BOOKMAKERS.get(kind), **more))


def read(
    source: Any, truth: Any, model: Any, against: Any, odds: Any, time: Any, terms: Any
) -> ForecastTally:
    given = {"truth": truth, "probabilities": model, "against": against, "odds": odds, "time": time}
    return read_forecasts(source, fill_in("evaluate", EvaluateOptions, given), terms)


def in_memory(kind: str, classes: int, terms: dict[str, Any]) -> ForecastTally:
    """From arrays, whose columns stand in the order of the classes."""
    held, names = columns(classes), NAMES[classes]

    def table(letter: str) -> Any:
        return np.stack([held[f"{letter}_{name}"] for name in names], axis=1)

    model = held["p"] if kind in ("single", "price") else table("p")
    against = held["q"] if kind == "single" else table("q") if kind == "rival" else None
    odds = held["o_yes"] if kind == "price" else table("o") if kind == "odds" else None
    predicted = terms | {} if model.ndim == 1 else terms | {"labels": names}
    terms_said = ForecastTerms(**predicted, bookmaker=BOOKMAKERS.get(kind))
    return read(None, held["y"], model, against, odds, None, terms_said)


def plain(evidence: ForecastTally) -> dict[str, Any]:
    """All but how it was told which column is which."""
    return {name: value for name, value in evidence.to_dict().items() if name != "label_source"}


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_batches_are_the_whole(setting: tuple[str, int, dict[str, Any]]) -> None:
    expected = plain(in_memory(*setting))
    for make, edges in [*((Cut, edges) for edges in CUTS), (Elsewhere, CUTS[1])]:
        assert_close(plain(tallied(make(columns(setting[1]), edges), *setting)), expected)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_that_an_engine_counted(classes: int) -> None:
    result = tallied(CountedElsewhere(columns(classes), CUTS[1]), "shares", classes, {})
    assert_close(plain(result), plain(in_memory("shares", classes, {})))


def test_text_is_understood_when_all_of_it_is_known() -> None:
    """Until the last row every label may be a number; "10" and "9" sort as numbers then."""
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(ROWS) < 0.4, 10, 9)
    held = {"y": truth, "p": rng.uniform(0.1, 0.9, ROWS)}
    named, terms = ForecastColumns.of("y", "p"), ForecastTerms(positive="10")
    for edges in CUTS:
        result = tally_forecasts(Cut(held, edges, is_text=True), named, terms)
        assert result.labels == (9, 10)
    held["y"] = np.where(np.arange(ROWS) == ROWS - 1, "nine", truth.astype(str))
    with pytest.raises(InputError, match="one column of probabilities is for two classes"):
        tally_forecasts(Cut(held, CUTS[1], is_text=True), named, terms)


def test_a_class_may_be_missing_from_a_batch() -> None:
    held = columns(3)
    order = np.argsort(held["place"], kind="stable")
    held = {name: values[order] for name, values in held.items()}
    whole, parts = (tallied(Cut(held, edges), "shares", 3, {}) for edges in (CUTS[0], CUTS[1]))
    assert_close(plain(parts), plain(whole))
    assert parts.shares == tuple((np.bincount(held["place"]) / ROWS).tolist())


def test_long_batches_are_worked_on_in_pieces() -> None:
    with mock.patch.object(gathering, "ROWS_AT_ONCE", 50):
        pieces = tallied(Cut(columns(3), CUTS[2]), "rival", 3, {"ordinal": True})
    assert_close(plain(pieces), plain(in_memory("rival", 3, {"ordinal": True})))


def test_shards_of_a_path() -> None:
    """Files that know where they stand add up to one file; class shares are those of all of them."""
    held, terms = columns(2), {"ordered": True}
    rows = [slice(0, 90), slice(90, ROWS)]
    parts = [{name: values[row] for name, values in held.items()} for row in rows]
    sources = [Cut(part, [0, 40, len(part["y"])]) for part in parts]
    one, two = (
        tallied(source, "rival", 2, terms, first=item.start)
        for source, item in zip(sources, rows, strict=True)
    )
    assert_close(plain(one + two), plain(in_memory("rival", 2, terms)))
    with pytest.raises(MergeError, match="class shares"):
        tallied(sources[0], "shares", 2, terms) + tallied(sources[1], "shares", 2, terms, first=90)


WRONG: list[tuple[str, int, str, Any, str]] = [
    ("rival", 3, "p_top", 1.5, "probabilities must be between 0 and 1; row 150, column 3 has 1.5"),
    ("rival", 3, "p_top", np.nan, "row 150"),
    ("rival", 3, "q_low", 0.999, "the rival's probabilities of row 150 add up to"),
    ("odds", 3, "o_middle", 0.5, r"saw 0.5 in row 150, column o_middle"),
    ("odds", 3, "o_low", 1000.0, "row 150: the odds 1000, .* add up to .* arbitrage"),
    ("price", 2, "o_yes", 1.0, r"saw 1 in row 150, column o_yes"),
]


@pytest.mark.parametrize("make", [Cut, Elsewhere, CountedElsewhere])
@pytest.mark.parametrize(("kind", "classes", "column", "value", "message"), WRONG)
def test_errors_name_the_row(
    make: type[Cut], kind: str, classes: int, column: str, value: float, message: str
) -> None:
    held = columns(classes)
    held[column] = held[column].copy()
    held[column][149] = value
    for edges in CUTS:
        with pytest.raises(InputError, match=message):
            tallied(make(held, edges), kind, classes, {})


@pytest.mark.parametrize("make", [Cut, Elsewhere, CountedElsewhere])
@pytest.mark.parametrize(
    ("value", "terms", "message"),
    [
        (None, {}, "y is missing in row 150"),
        ("peak", {}, "truth is 'peak' in row 150, and no column has that name"),
        ("peak", {"labels": NAMES[3]}, "truth is 'peak' in row 150, which has no column of probabilities"),
    ],
)
def test_errors_name_the_row_of_a_truth(make: type[Cut], value: Any, terms: Any, message: str) -> None:
    held = columns(3)
    held["y"] = held["y"].astype(object)
    held["y"][[149, 200]] = value
    for edges in CUTS:
        with pytest.raises(InputError, match=message):
            tallied(make(held, edges), "rival", 3, terms)


def test_what_both_rule_out_is_named_by_its_row_in_the_file() -> None:
    held = columns(2)
    for column, sure in (("p_no", 1.0), ("p_yes", 0.0), ("q_no", 1.0), ("q_yes", 0.0)):
        held[column][149] = sure
    held["y"][149] = "yes"
    for edges in CUTS:
        with pytest.raises(InputError, match="row 150: both gave probability 0"):
            tallied(Cut(held, edges), "rival", 2, {}, first=1000)


def test_data_that_change_between_two_readings() -> None:
    source = Cut(columns(2), CUTS[1])
    seen = count_truth(source, "y")
    source.columns["y"][149] = "other"
    counted = mock.patch.object(gathering, "count_truth", return_value=seen)
    with counted, pytest.raises(InputError, match="truth in row 150 changed while the data were read"):
        tallied(source, "rival", 2, {})


def test_places_are_not_sorted_to_be_counted() -> None:
    """Whole numbers that are places go as they are; the answer is that of the names."""
    held = columns(3)
    named = ForecastColumns("place", ("p_low", "p_middle", "p_top"))
    result = tally_forecasts(Cut(held, CUTS[1]), named, ForecastTerms())
    assert result.labels == (0, 1, 2)
    assert result.wealth.log_wealth == pytest.approx(in_memory("shares", 3, {}).wealth.log_wealth, rel=1e-12)


def test_no_rows() -> None:
    with pytest.raises(InputError, match="no rows"):
        tallied(Cut(columns(2), [0]), "rival", 2, {})


@pytest.mark.parametrize("more", [{"time": "when"}, {"bookmaker": Market([1.9, 1.9])}])
def test_what_needs_all_rows_reads_them_all(more: dict[str, Any]) -> None:
    """Times put rows in order, and a market may have odds for each of them."""
    held = columns(2)
    frame = pd.DataFrame({"y": held["y"], "p": held["p"], "when": np.arange(ROWS)[::-1]})
    terms, time = ForecastTerms(positive="yes", bookmaker=more.get("bookmaker")), more.get("time")
    read_back = read(open_source(frame), "y", "p", None, None, time, terms)
    times = None if time is None else frame["when"].to_numpy()
    expected = read(None, held["y"], held["p"], None, None, times, terms)
    assert_close(plain(read_back), plain(expected))


@pytest.mark.slow
def test_a_report_from_a_file_is_that_of_its_columns(tmp_path: Any) -> None:
    held = columns(3)
    pd.DataFrame(held).to_csv(tmp_path / "f.csv", index=False)
    with mock.patch("edgeworth.sources.text_files.PIECE_BYTES", 2048):
        file = ew.evaluate(tmp_path / "f.csv", truth="y", ordered=True, **roles("rival", 3))
    names = NAMES[3]
    arrays = ew.evaluate(
        truth=held["y"],
        probabilities=np.stack([held[f"p_{name}"] for name in names], axis=1),
        against=np.stack([held[f"q_{name}"] for name in names], axis=1),
        labels=names,
        ordered=True,
    )
    assert file.verdict == arrays.verdict
    for key in ("wealth", "scores"):
        assert_close(file.to_dict()[key], arrays.to_dict()[key])
