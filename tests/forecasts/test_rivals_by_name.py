"""Model, rival and odds whose columns are told by name: their order never matters, and doubt is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.bet import Commission, Market
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores

TRUTH = ["a", "b", "a", "a", "b"]
MODEL = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.9, 0.1], [0.4, 0.6]])
RIVAL = np.array([[0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.7, 0.3], [0.6, 0.4]])
RATIO = math.log((0.8 * 0.7 * 0.6 * 0.9 * 0.6) / (0.6 * 0.5 * 0.4 * 0.7 * 0.4))


def frame(table: np.ndarray, names: str, order: Any = None) -> pd.DataFrame:
    made = pd.DataFrame(table, columns=list(names))
    return made if order is None else made[list(order)]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_rival_in_a_frame_beside_an_array(order: str) -> None:
    rival = frame(RIVAL, "ab", order)
    for kind in (rival, pl.DataFrame(rival), rival.rename(columns=lambda name: f"q_{name}")):
        assert Wealth.from_probabilities(TRUTH, MODEL, against=kind).log_wealth == pytest.approx(RATIO)


def test_evaluate_and_compare_find_columns_by_name() -> None:
    model, rival = frame(MODEL, "ab"), frame(RIVAL, "ab", "ba")
    report = ew.evaluate(truth=TRUTH, probabilities=model, against=rival).to_dict()
    assert report["wealth"]["log_wealth"] == pytest.approx(RATIO)
    plain = ew.evaluate(truth=TRUTH, probabilities=MODEL, against=RIVAL).to_dict()
    assert report["means"] == plain["means"]
    difference = ew.compare(truth=TRUTH, systems={"model": model, "rival": rival})["model", "rival"][
        "log"
    ].difference
    assert abs(difference) == pytest.approx(RATIO / 5)


@settings(max_examples=30)
@given(
    classes=st.integers(2, 4),
    seed=st.integers(0, 2**32 - 1),
    random=st.randoms(use_true_random=False),
    declared=st.booleans(),
)
def test_the_order_of_named_columns_never_matters(
    classes: int, seed: int, random: Any, declared: bool
) -> None:
    rng = np.random.default_rng(seed)
    names = [f"class {index}" for index in range(classes)]
    p, q = (rng.dirichlet(np.ones(classes), 6) for _ in range(2))
    truth = rng.integers(0, classes, 6)
    words = [names[position] for position in truth]
    expected = sum(math.log(p[i, k] / q[i, k]) for i, k in enumerate(truth))
    odds = 1 / ((0.8 * q + 0.2 / classes) * 1.05)
    options: dict[str, Any] = {"labels": names} if declared else {}

    def shuffled(table: np.ndarray) -> pd.DataFrame:
        order = names.copy()
        random.shuffle(order)
        return pd.DataFrame(table, columns=names)[order]

    wealth = Wealth.from_probabilities(words, shuffled(p), against=shuffled(q), **options)
    assert wealth.log_wealth == pytest.approx(expected, rel=1e-12, abs=1e-12)
    systems = {"model": shuffled(p), "rival": shuffled(q)}
    scores = ForecastScores.from_probabilities(words, systems, scores=["log"], **options)
    assert scores.mean("log", "rival") - scores.mean("log", "model") == pytest.approx(expected / 6, abs=1e-12)
    plain = Wealth.from_probabilities(words, p, odds=odds, labels=names)
    by_name = Wealth.from_probabilities(words, shuffled(p), odds=shuffled(odds), **options)
    assert by_name.log_wealth == pytest.approx(plain.log_wealth, rel=1e-12, abs=1e-12)


def test_one_column_beside_two() -> None:
    truth, p = ["yes", "no", "yes"], np.array([0.7, 0.4, 0.9])
    rival = pd.DataFrame({"yes": [0.5, 0.2, 0.6], "no": [0.5, 0.8, 0.4]})
    expected = math.log(0.7 * 0.6 * 0.9 / (0.5 * 0.8 * 0.6))
    assert Wealth.from_probabilities(truth, p, against=rival).log_wealth == pytest.approx(expected)
    turned = Wealth.from_probabilities(truth, rival, against=p)
    assert turned.log_wealth == pytest.approx(-expected)
    called = Wealth.from_probabilities(truth, pd.DataFrame({"no": 1 - p}), against=rival)
    assert called.log_wealth == pytest.approx(expected)
    its = Wealth.from_probabilities(truth, p, against=pd.DataFrame({"no": rival["no"]}))
    assert its.log_wealth == pytest.approx(expected)


def test_an_array_beside_names_in_another_order_is_asked_about() -> None:
    """In the order of the model's columns, or of the classes? Either would be a guess."""
    with pytest.raises(InputError, match=r"no names of classes, .* pass the order of both"):
        Wealth.from_probabilities(TRUTH, frame(MODEL, "ab", "ba"), against=RIVAL)
    with pytest.raises(InputError, match="pass the order of both"):
        ForecastScores.from_probabilities(TRUTH, {"m": frame(MODEL, "ab", "ba"), "r": RIVAL})
    wealth = Wealth.from_probabilities(TRUTH, frame(MODEL, "ab", "ba"), against=RIVAL[:, ::-1], labels="ba")
    assert wealth.log_wealth == pytest.approx(RATIO)


def test_other_classes_are_refused() -> None:
    with pytest.raises(InputError, match="truth is 'b' in row 2, and no column has that name"):
        Wealth.from_probabilities(TRUTH, MODEL, against=frame(RIVAL, "ac"))
    three = np.c_[MODEL * 0.9, np.full(5, 0.1)]
    model, rival = (Forecasts.of(TRUTH, frame(three, names)) for names in ("abc", "bad"))
    with pytest.raises(
        InputError, match="have the classes 'b', 'a', 'd', the first system has 'a', 'b', 'c'"
    ):
        Wealth.from_forecasts(model, rival)
    with pytest.raises(InputError, match=r"there is none for 'b'"):
        Wealth.from_probabilities(TRUTH, MODEL, odds=frame(2 * np.ones((5, 2)), "ac"))


def test_forecasts_in_another_order_of_classes() -> None:
    model, rival = Forecasts.of(TRUTH, frame(MODEL, "ab")), Forecasts.of(TRUTH, frame(RIVAL, "ab", "ba"))
    assert Wealth.from_forecasts(model, rival).log_wealth == pytest.approx(RATIO)
    moved = rival.in_order_of(model)
    assert moved.codes.tolist() == model.codes.tolist()
    assert moved.probabilities.tolist() == RIVAL.tolist()


# -- odds --------------------------------------------------------------------------------------------------


def test_odds_that_are_none_are_found_by_row_and_column() -> None:
    odds = np.full((5, 2), 2.0)
    odds[1, 1] = np.nan
    with pytest.raises(InputError, match=r"nan in row 2, column b"):
        Wealth.from_probabilities(TRUTH, MODEL, odds=odds)
    with pytest.raises(InputError, match=r"nan in row 2, column o_a"):
        Wealth.from_probabilities(TRUTH, MODEL, odds=pd.DataFrame({"o_b": odds[:, 0], "o_a": odds[:, 1]}))
    with pytest.raises(InputError, match=r"odds need a column for each of 'a', 'b'; saw 3$"):
        Wealth.from_probabilities(TRUTH, MODEL, odds=np.full((5, 3), 2.0))
    with pytest.raises(InputError, match="saw 2 of 4 rows where there are 5 cases"):
        Wealth.from_probabilities(TRUTH, MODEL, odds=np.full((4, 2), 2.0))


def test_games_at_one_price_are_backed_and_laid() -> None:
    """MATH C1: at odds O the factor is p O when it came true and (1 − p) O/(O − 1) when not."""
    truth, p, odds = [1, 0, 1, 0], np.array([0.6, 0.3, 0.8, 0.7]), np.array([2.0, 1.5, 4.0, 3.0])
    expected = 0.6 * 2 * (0.7 * 1.5 / 0.5) * 0.8 * 4 * (0.3 * 3 / 2)
    wealth = Wealth.from_probabilities(truth, p, bookmaker=Market(odds))
    assert wealth.wealth == pytest.approx(expected, rel=1e-12)
    assert (wealth.book, wealth.against) == ("fair", "the market's odds")


def test_one_column_of_odds_is_never_laid_at_its_own_price() -> None:
    """At odds O ≤ 1/p nothing is bet; otherwise the factors are those of a back."""
    truth, p, odds = [1, 0, 1, 0], np.array([0.6, 0.3, 0.8, 0.7]), np.array([2.0, 1.5, 4.0, 3.0])
    wealth = Wealth.from_probabilities(truth, p, odds=odds)
    assert wealth.wealth == pytest.approx(0.6 * 2 * 1 * 0.8 * 4 * (0.3 * 3 / 2), rel=1e-12)
    assert wealth.book == "backing"


def test_games_with_a_commission() -> None:
    truth, p, q = [1, 0, 1], np.array([0.7, 0.2, 0.45]), np.array([0.5, 0.5, 0.5])
    wealth = Wealth.from_probabilities(truth, p, bookmaker=Commission(0.02, Market(1 / q)))
    # Back odds 1.98 on the first; lay odds 1 + 1/0.98 on the others, so 1 − p is backed at L/(L − 1) = 1.98.
    # Kelly: f = (1.98 p − 1)/0.98, and where it wins wealth is multiplied by 1 + 0.98 f = 1.98 p.
    assert wealth.wealth == pytest.approx(1.98 * 0.7 * 1.98 * 0.8 * wealth.returns[2], rel=1e-12)
    f = (1.98 * 0.55 - 1) / 0.98
    assert wealth.returns[2] == pytest.approx(1 - f, rel=1e-12)
    assert wealth.book == "exchange"
