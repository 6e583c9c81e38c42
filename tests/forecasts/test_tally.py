"""All that is counted of forecasts, in one tally: shards of it, wherever they were cut, are the whole."""

from __future__ import annotations

import json
import math
import pickle
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest

from close_values import assert_close
from edgeworth.bet import Bookmaker, Commission, Drunken, Market
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.forecasts import calibration as bounded_reliability
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.forecasts import Forecasts, argmax_table
from edgeworth.forecasts.tally import ForecastTally, Opponent

CASES = 300


def likeliest(forecasts: Forecasts) -> ContingencyTable:
    """The table of the likeliest labels."""
    return ContingencyTable.from_matrix(argmax_table(forecasts), rows="predicted", labels=forecasts.labels)


def forecasts(classes: int, seed: int = 0) -> Forecasts:
    rng = np.random.default_rng([classes, seed])
    chances = rng.dirichlet(np.ones(classes), CASES).round(2)
    chances[:, -1] = 1 - chances[:, :-1].sum(axis=1)
    chances = np.clip(chances, 0.01, 1)
    chances /= chances.sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(classes, p=row) for row in chances])
    return Forecasts(truth, chances, tuple(range(classes)))


def opponent(kind: str, model: Forecasts, rows: slice) -> Opponent:
    part = model[rows]
    if kind == "rival":
        return Opponent(Forecasts(part.codes, forecasts(model.size, 9).probabilities[rows], model.labels))
    if kind == "shares":
        return Opponent.class_shares(part, (0.5, *[0.5 / (model.size - 1)] * (model.size - 1)))
    if kind == "odds":
        prices = 0.9 * forecasts(model.size, 9).probabilities[rows] + 0.1 / model.size
        return Opponent(bookmaker=Market(1 / (1.04 * prices)))
    drawn: dict[str, Bookmaker] = {"drunken": Drunken(rng=3), "commission": Commission(0.05, Drunken())}
    return Opponent(bookmaker=drawn[kind])


KINDS = ("rival", "shares", "odds", "drunken", "commission")


def evidence(model: Forecasts, kind: str, edges: list[int], **terms: Any) -> ForecastTally:
    total = ForecastTally.empty()
    for start, stop in pairwise(edges):
        rows = slice(start, stop)
        part = ForecastTally.of(model[rows], opponent(kind, model, rows), first=start, **terms)
        total = total + pickle.loads(pickle.dumps(part))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("classes", "terms"),
    [(2, {}), (2, {"fraction": 0.5, "ordered": True}), (4, {"ordinal": True}), (3, {"fraction": 0.25})],
)
def test_shards_are_the_whole(kind: str, classes: int, terms: dict[str, Any]) -> None:
    model = forecasts(classes)
    whole = evidence(model, kind, [0, CASES], **terms)
    assert_close(evidence(model, kind, [0, 1, 130, 131, CASES], **terms).to_dict(), whole.to_dict())


def test_it_holds_what_its_parts_would() -> None:
    model = forecasts(3)
    result = evidence(model, "rival", [0, 100, CASES], ordinal=True)
    assert (result.cases, result.labels, result.against) == (CASES, (0, 1, 2), "the rival")
    assert {name: table.counts.tolist() for name, table in result.tables.items()} == {
        "model": likeliest(model).counts.tolist(),
        "against": likeliest(opponent("rival", model, slice(0, CASES)).forecasts or model).counts.tolist(),
    }
    calibration = Calibration.from_forecasts(model)
    assert list(result.reliability) == list(calibration.labels)
    for curve, plain in zip(result.reliability.values(), calibration.curves, strict=True):
        assert curve.to_dict() == {"is_rounded": False, **plain.to_dict()}
    below = [np.minimum(np.cumsum(model.probabilities, axis=1)[:, index], 1) for index in (0, 1)]
    assert list(result.cumulative_games) == [0, 1]
    for position, rung in enumerate(result.cumulative):
        outcome = (model.codes <= position).astype(int)
        scored = np.square(below[position] - outcome).mean()
        rival = np.cumsum(forecasts(3, 9).probabilities, axis=1)[:, position]
        expected = np.square(np.minimum(rival, 1) - outcome).mean() - scored
        assert rung.sums("brier").sum() / CASES == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_mean_over_all_drunkards(classes: int) -> None:
    model = forecasts(classes)
    result = evidence(model, "drunken", [0, 77, CASES])
    # A game adds one nat to the log score, a race of three one and a half.
    expected = np.log(model.happened).sum() + CASES * (1 if classes == 2 else 1.5)
    assert result.expected_log_wealth == pytest.approx(expected, abs=1e-9)
    assert evidence(model, "rival", [0, CASES]).expected_log_wealth is None
    some = ForecastTally.of(model, Opponent(bookmaker=Drunken(0.1, 0.9)))
    assert (some.expected_log_wealth is None) == (classes == 3)


def test_a_day_is_added_to_the_past() -> None:
    model = forecasts(2)
    past = evidence(model, "rival", [0, 200])
    day = ForecastTally.of(model[200:], opponent("rival", model, slice(200, CASES)))
    with pytest.raises(MergeError, match="position 0"):
        past + day
    both, whole = past + day.shift(past.cases), evidence(model, "rival", [0, CASES])
    assert_close(both.to_dict(), whole.to_dict())


def test_longer_paths_are_moved_too() -> None:
    """Blocks that lie across the grid of their new place are joined all the same."""
    model, rival = forecasts(2), forecasts(2, 9)
    with mock.patch("edgeworth.forecasts.betting.path.MAX_BLOCKS", 16):
        whole = Wealth.from_forecasts(model, rival)
        parts = Wealth.from_forecasts(model[:75], rival[:75])
        parts = parts + Wealth.from_forecasts(model[75:], rival[75:]).shift(75)
    for name in ("log_wealth", "log_maximum", "log_minimum", "drawdown", "cases"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    assert parts.blocks.ends.max() == CASES


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: evidence(forecasts(3), "shares", [0, CASES]), "pass all classes"),
        (
            lambda: ForecastTally.of(
                forecasts(2), Opponent.class_shares(forecasts(2), (0.4, 0.6)), first=CASES
            ),
            "class shares",
        ),
    ],
)
def test_what_does_not_add(other: Any, message: str) -> None:
    with pytest.raises(MergeError, match=message):
        evidence(forecasts(2), "shares", [0, CASES]) + other()


def test_terms_must_agree() -> None:
    model = forecasts(3)
    one = evidence(model, "rival", [0, CASES])
    later = opponent("rival", model, slice(0, CASES))
    with pytest.raises(MergeError, match="ordinal"):
        one + ForecastTally.of(model, later, first=CASES, ordinal=True)
    with pytest.raises(MergeError, match="fraction"):
        one + ForecastTally.of(model, later, first=CASES, fraction=0.5)
    drunken = evidence(model, "drunken", [0, CASES])
    with pytest.raises(MergeError, match="drunken bookmaker"):
        drunken + ForecastTally.of(model, Opponent(bookmaker=Drunken(0.1, 0.8)), first=CASES)
    with pytest.raises(OptionError, match="three or more classes"):
        evidence(forecasts(2), "rival", [0, CASES], ordinal=True)
    assert one.__add__(1) is NotImplemented  # type: ignore[operator]  # what is no evidence


def test_rounded_forecasts_are_said_aloud() -> None:
    model = forecasts(3)
    assert evidence(model, "rival", [0, CASES]).warnings == ()
    with mock.patch.object(bounded_reliability, "MAX_DISTINCT_FORECASTS", 20):
        (text,) = evidence(model, "rival", [0, CASES]).warnings
    assert "different forecasts of 0, 1, 2" in text
    assert "1/4,096" in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_plain_values_come_back_through_json(kind: str) -> None:
    for classes in (2, 3):
        result = evidence(forecasts(classes), kind, [0, CASES], ordinal=classes > 2, notes=("a note",))
        again = ForecastTally.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
        assert again == result
        assert again.warnings == ("a note",)
    assert ForecastTally.from_dict(ForecastTally.empty().to_dict()) == ForecastTally.empty()


def test_ruin_comes_back_through_json() -> None:
    model = Forecasts.of([1, 0, 1], [0.5, 1.0, 0.2])
    forecast_tally = ForecastTally.of(model, Opponent.class_shares(model, (0.5, 0.5)))
    again = ForecastTally.from_dict(json.loads(json.dumps(forecast_tally.to_dict(), allow_nan=False)))
    assert again == forecast_tally
    assert again.wealth.log_wealth == -math.inf


def changed(payload: Any, *path: Any, to: Any) -> dict[str, Any]:
    """A file in which someone has changed a value."""
    copy = json.loads(json.dumps(payload))
    index = copy
    for name in path[:-1]:
        index = index[name]
    index[path[-1]] = to
    return dict(copy)


@pytest.mark.parametrize(
    "edit",
    [
        (["kind"], "wealth"),
        (["label_source"], "hearsay"),
        (["shares"], [0.5, 0.5]),
        (["drawn"], [0.1]),
        (["drawn"], [0.9, 0.1]),
        (["notes"], 3),
        (["decisions"], [[[1, 0], [0, 1]]] * 2),
        (["decisions", 0, 0, 0], 10_000),
        (["curves"], []),
        (["curves", 0, "cases", 0], 10_000),
        (["pairs", "counts", 0, 0], 10_000),
        (["scores", "classes", 0], 10_000),
        (["scores", "systems"], ["model", "somebody"]),
        (["cumulative_games"], [{}]),
        (["wealth"], None),
        (["wealth", "labels"], ["a", "b"]),
    ],
)
def test_edited_files_are_refused(edit: tuple[list[Any], Any]) -> None:
    path, value = edit
    payload = evidence(forecasts(2), "rival", [0, CASES]).to_dict()
    with pytest.raises((InputError, OptionError)):
        ForecastTally.from_dict(changed(payload, *path, to=value))
