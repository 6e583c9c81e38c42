"""Wealth on many ways: over random orders of the cases, against many drunken bookmakers, and to a goal."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.bet import Drunken
from edgeworth.errors import MergeError, OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.curves import Paths
from edgeworth.forecasts.findings import examine_forecasts
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.tally import ForecastTally, Opponent

EXTREMES = ("log_minimum", "log_maximum", "drawdown")


def games(number: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.2, 0.8, number)
    p = np.clip(q + rng.normal(0, 0.15, number), 0.05, 0.95)
    return {"truth": (rng.random(number) < p).astype(int), "probabilities": p, "against": q}


def wealth_of(number: int, seed: int = 0) -> Wealth:
    asked = games(number, seed)
    return Wealth.from_probabilities(asked["truth"], asked["probabilities"], against=asked["against"])


def extremes(path: np.ndarray) -> tuple[float, float, float]:
    """Lowest, highest and the worst fall, step by step."""
    low = high = top = fall = 0.0
    for log in path:
        low, top = min(low, log), max(top, log)
        fall = max(fall, top - log)
        high = top
    return low, high, fall


def test_each_order_is_the_same_bets_and_has_its_own_extremes() -> None:
    wealth = wealth_of(60)
    paths = Paths.of_orders(wealth, 25, seed=3)
    steps = np.sort(np.log(wealth.returns))
    for way in range(25):
        path = paths.log_wealth[way]
        np.testing.assert_allclose(np.sort(np.diff(path, prepend=0.0)), steps, atol=1e-12)
        assert path[-1] == pytest.approx(wealth.log_wealth)
        assert [getattr(paths, name)[way] for name in EXTREMES] == pytest.approx(extremes(path), abs=1e-12)
    assert len({tuple(path) for path in paths.log_wealth.round(9).tolist()}) == 25
    np.testing.assert_array_equal(Paths.of_orders(wealth, 25, seed=3).log_wealth, paths.log_wealth)
    assert not np.array_equal(Paths.of_orders(wealth, 25, seed=4).log_wealth, paths.log_wealth)


def test_extremes_are_those_of_all_orders() -> None:
    """Of six cases all 720 orders can be gone through."""
    wealth, draws = wealth_of(6, seed=1), 4000
    paths = Paths.of_orders(wealth, draws)
    every = np.array([extremes(np.cumsum(x)) for x in itertools.permutations(np.log(wealth.returns))])
    for name, values in zip(EXTREMES, every.T, strict=True):
        for point in np.quantile(values, [0.1, 0.4, 0.7]) + 1e-9:
            share = (values <= point).mean()
            error = math.sqrt(share * (1 - share) / draws)
            assert (getattr(paths, name) <= point).mean() == pytest.approx(share, abs=4 * error)


def test_the_band_holds_nine_of_ten_and_ends_where_all_end() -> None:
    paths = Paths.of_orders(wealth_of(80), 400)
    low, middle, high = paths.spread()
    inside = (paths.log_wealth >= low) & (paths.log_wealth <= high)
    # The 5% and the 95% quantile of 400 are the 20th and the 380th; near the ends orders share values.
    assert (inside.sum(axis=0)[9:-9] == 361).all()
    assert ((paths.log_wealth <= middle).sum(axis=0)[9:-9] == 200).all()
    assert low[-1] == pytest.approx(high[-1])


def test_ruin_ends_every_order() -> None:
    wealth = Wealth.from_probabilities([1, 1, 0, 1], [0.8, 0.0, 0.3, 0.6], against=[0.5] * 4)
    paths = Paths.of_orders(wealth, 40)
    assert (paths.spread()[:, -1] == -math.inf).all()
    assert paths.spread("log_minimum").tolist() == [-math.inf] * 3
    assert paths.spread("drawdown").tolist() == [math.inf] * 3
    report = ew.evaluate(
        truth=[1, 1, 0, 1], probabilities=[0.8, 0.0, 0.3, 0.6], against=[0.5] * 4, orders=40, goal=3
    )
    assert report.charts["orders"].svg()
    assert report.to_dict()["goal"]["cases"] is None


def test_long_paths_change_places_in_runs() -> None:
    paths = Paths.of_orders(wealth_of(10_000), 5)
    assert len(paths.cases) == 150
    assert paths.cases[-1] == 10_000
    assert paths.log_wealth[:, -1] == pytest.approx(np.full(5, paths.log_wealth[0, -1]))
    report = ew.evaluate(**games(10_000), orders=5)
    assert "runs of up to 4" in report.charts["orders"].description


def test_the_martingale_of_the_report_is_wealth_over_its_mean_growth() -> None:
    asked = games(40)
    path = ew.evaluate(**asked, ordered=True).to_dict(full=True)["wealth"]["path"]
    p, q = asked["probabilities"], asked["against"]
    growth = np.log(p * p / q + (1 - p) * (1 - p) / (1 - q))
    np.testing.assert_allclose(path["martingale"], path["log_wealth"] - np.cumsum(growth), atol=1e-12)


def test_many_bookmakers_are_those_of_their_prices() -> None:
    """What the report shows of each at the end is the likelihood ratio to the prices that it draws."""
    asked = games(70)
    truth, p = asked["truth"], asked["probabilities"]
    drunken = Drunken(0.15, 0.85, rng=2, bookmakers=12)
    prices = (replace(drunken, number=number).prices(p.shape) for number in range(12))
    wanted = np.array([np.log(np.where(truth, p / q, (1 - p) / (1 - q))).sum() for q in prices])
    for ordered in (False, True):
        tally = ForecastTally.of(Forecasts.of(truth, p), Opponent(bookmaker=drunken), ordered=ordered)
        crowd = examine_forecasts(tally).crowd
        assert crowd is not None
        np.testing.assert_allclose(crowd.log_wealth[:, -1], wanted, atol=1e-9)
    report = ew.evaluate(truth=truth, probabilities=p, bookmaker=drunken).to_dict(full=True)
    numbers = report["drunken"]["bookmakers"]
    ends = {name: numbers["log_wealth"][name][-1] for name in ("low", "median", "high")}
    # Of twelve: the first, the sixth and the twelfth in order.
    assert list(ends.values()) == pytest.approx(np.sort(wanted)[[0, 5, 11]])
    assert numbers["number"] == 12


def test_many_bookmakers_merge() -> None:
    asked = games(50)
    model = Forecasts.of(asked["truth"], asked["probabilities"])

    def tally(rows: slice, bookmakers: int = 3) -> ForecastTally:
        opponent = Opponent(bookmaker=Drunken(bookmakers=bookmakers))
        return ForecastTally.of(model[rows], opponent, first=rows.start)

    whole, merged = tally(slice(0, 50)), tally(slice(20, 50)) + tally(slice(0, 20))
    assert [item.log_wealth for item in merged.crowd] == pytest.approx([x.log_wealth for x in whole.crowd])
    again = ForecastTally.from_dict(whole.to_dict())
    np.testing.assert_array_equal(again.crowd[1].path, whole.crowd[1].path)
    with pytest.raises(MergeError, match="number"):
        _ = tally(slice(0, 20)) + tally(slice(20, 50), bookmakers=2)


def test_a_goal_takes_its_logarithm_over_the_growth() -> None:
    """Wald: growth times the mean time is the logarithm of the goal and what the last case adds beyond it."""
    p, q, goal, runs = 0.6, 0.5, 20.0, 3000
    # Three of five come true, so the growth of these bets is the expected one.
    truth, number = [1, 0, 1, 0, 1] * 40, 200
    report = ew.evaluate(truth=truth, probabilities=[p] * number, against=[q] * number, goal=goal)
    least = report.to_dict()["goal"]["cases"]
    growth = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert least == pytest.approx(math.log(goal) / growth)
    largest = math.log(p / q)
    drawn = np.random.default_rng(5).random((runs, 3000)) < p
    reached = np.cumsum(np.where(drawn, largest, math.log((1 - p) / (1 - q))), axis=1) >= math.log(goal)
    assert reached.any(axis=1).all()
    times = 1 + reached.argmax(axis=1)
    error = times.std() / math.sqrt(runs)
    assert least - 4 * error <= times.mean() <= least + largest / growth + 4 * error


def test_the_goal_of_a_report() -> None:
    asked = games(120)
    report = ew.evaluate(**asked, goal=100).to_dict()["goal"]
    wealth = wealth_of(120)
    low, high = ew.estimate(wealth, "growth").interval(0.95)
    assert report["wealth"] == 100
    assert report["cases"] == pytest.approx(120 * math.log(100) / wealth.log_wealth)
    assert report["low"] == pytest.approx(math.log(100) / high)
    assert report["high"] == (None if low <= 0 else pytest.approx(math.log(100) / low))
    law = ew.forecasts.wealth_law(wealth, truth="model")
    assert law.tail(report["median_log_wealth"]).p_value == pytest.approx(0.5, abs=0.05)
    assert report["median_method"] == "distribution of log wealth"
    # With too many distinct games the law is not kept: the report names what stands for the median.
    many = ew.evaluate(**games(5000), goal=100).to_dict()["goal"]
    assert many["median_method"] == "mean of log wealth"
    lost = ew.evaluate(
        **asked | {"probabilities": asked["against"], "against": asked["probabilities"]}, goal=100
    )
    assert (lost.to_dict()["goal"]["cases"] is None) == (wealth.log_wealth > 0)
    assert ew.evaluate(**asked).to_dict()["goal"] is None


def test_where_nothing_is_bet_no_goal_is_reached() -> None:
    """Odds below what the model thinks fair leave rounding for growth."""
    p = np.random.default_rng(0).dirichlet([2, 2, 2], 50)
    report = ew.evaluate(truth=[0, 1, 2, 0, 1] * 10, probabilities=p, odds=0.95 / p + 0.05, goal=10)
    assert report.to_dict()["goal"]["cases"] is None


def test_wealth_without_bound_tells_no_time_to_a_goal() -> None:
    """A baseline that ruled out what happened pays without bound, which no other case need do."""
    asked = games(40)
    asked["against"][int(asked["truth"].argmax())] = 0.0
    report = ew.evaluate(**asked, goal=10)
    assert report.to_dict()["goal"]["cases"] is None
    text = " ".join(line for section in report.sections for line in section.text)
    assert "probability 0 to the actual class" in text
    assert "about 0 cases" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orders": 0}, "orders is a whole number of at least 1"),
        ({"orders": 2.5}, "orders is a whole number"),
        ({"goal": 1}, "must be above 1"),
        ({"goal": math.inf}, "must be above 1"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ew.evaluate(**games(20), **options)


def test_wealth_is_also_drawn_as_it_is_while_it_can_be_read() -> None:
    small = ew.evaluate(**games(60), orders=30)
    assert len(small.charts["orders"].to_dict()["vconcat"]) == 2
    large = ew.evaluate(
        **{k: v for k, v in games(400).items() if k != "against"}, bookmaker=Drunken(bookmakers=5)
    )
    assert len(large.charts["bookmakers"].to_dict()["vconcat"]) == 1
    band = small.charts["orders"].data["orders"]
    assert band[0] == {"cases settled": 0, "low": 0.0, "median": 0.0, "high": 0.0}
    assert band[-1]["median"] == pytest.approx(wealth_of(60).log_wealth, rel=1e-5)
