"""The race of all against all: from sums of scores, from duels, and what is said of ruin."""

from __future__ import annotations

import functools
import itertools
import json
import math
import operator
from typing import Any

import numpy as np
import pytest

from edgeworth.comparisons.forecasts.bets import Duel, WealthRace, forecast_duel, race_of_duels, race_of_sums
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores

Systems = dict[str, Forecasts]


def systems(cases: int = 300, classes: int = 3, names: str = "ABCD", seed: int = 0) -> Systems:
    rng = np.random.default_rng(seed)
    truth, result = rng.integers(0, classes, cases), {}
    for index, name in enumerate(names):
        # Each is surer of the truth than the one before.
        chances = rng.dirichlet(np.ones(classes), cases) + 0.3 * index * np.eye(classes)[truth]
        chances /= chances.sum(axis=1, keepdims=True)
        result[name] = Forecasts.of(truth, chances, labels=range(classes))
    return result


def duels_of(given: Systems, **options: Any) -> list[Duel]:
    return [
        forecast_duel(Wealth.from_forecasts(given[a], given[b], **options), a, b)
        for a, b in itertools.combinations(given, 2)
    ]


def race_of_scores(scores: ForecastScores) -> WealthRace:
    return race_of_sums(scores.systems, scores.sums[scores.names.index("log")], scores.cases)


def both_races(given: Systems, **options: Any) -> tuple[WealthRace, WealthRace]:
    scores = ForecastScores.from_forecasts(given, scores=("log",))
    return race_of_scores(scores), race_of_duels(duels_of(given, **options))


def test_log_wealth_is_the_sum_of_log_ratios_and_antisymmetric() -> None:
    given = systems()
    logs = {name: np.log(item.of_truth(item.probabilities)) for name, item in given.items()}
    for race in both_races(given):
        assert race.cases == 300
        for a, b in itertools.permutations(given, 2):
            assert race.against(a, b) == pytest.approx(math.fsum(logs[a] - logs[b]), rel=1e-12)
            assert race.evidence[a, b].log_e_value == pytest.approx(race.against(a, b), rel=1e-12)
            assert f"probabilities of {b} are the true ones" in race.evidence[a, b].null
        np.testing.assert_array_equal(race.log_wealth, -race.log_wealth.T)
        for a, b, c in itertools.permutations(given, 3):
            assert race.against(a, c) == pytest.approx(race.against(a, b) + race.against(b, c), rel=1e-10)


def test_who_leads() -> None:
    for race in both_races(systems()):
        assert race.standings == ("D", "C", "B", "A")
        assert race.leader == "D"
        assert race.wins == {"A": -3, "B": -1, "C": 1, "D": 3}
        rows = race.rows()
        assert len(rows) == 12
        assert (rows[0]["bettor"], rows[0]["against"]) == ("D", "C")


def test_both_directions_are_paid_for() -> None:
    given = systems(40)
    for race in (*both_races(given), race_of_duels(duels_of(given, ordered=True))):
        for a, b in itertools.combinations(given, 2):
            stronger = race.stronger(a, b)
            assert stronger is not None
            one, two = race.evidence[a, b], race.evidence[b, a]
            assert stronger.p_value == pytest.approx(min(1.0, 2 * min(one.p_value, two.p_value)), rel=1e-12)
            if not race.ordered:
                largest = max(one.log_e_value, two.log_e_value)
                assert stronger.log_e_value == pytest.approx(largest - math.log(2), rel=1e-12)


def test_with_an_order_the_maximum_on_the_way_counts() -> None:
    given = systems(200)
    race = race_of_duels(duels_of(given, ordered=True))
    logs = {name: np.log(item.of_truth(item.probabilities)) for name, item in given.items()}
    for a, b in itertools.permutations(given, 2):
        largest = max(0.0, float(np.cumsum(logs[a] - logs[b]).max()))
        assert race.evidence[a, b].p_value == pytest.approx(math.exp(-largest), rel=1e-9)
    assert race.ordered
    assert not race_of_scores(ForecastScores.from_forecasts(given)).ordered


@pytest.mark.parametrize("cases", [5, 600, 10_000])
def test_paths_are_on_one_short_grid(cases: int) -> None:
    given = systems(cases)
    race = race_of_duels(duels_of(given))
    logs = {name: np.log(item.of_truth(item.probabilities)) for name, item in given.items()}
    assert len(race.positions) == min(512, cases)
    assert race.positions[-1] == cases
    for a, b in itertools.permutations(given, 2):
        path = np.cumsum(logs[a] - logs[b])[race.positions - 1]
        np.testing.assert_allclose(race.path(a, b), path, rtol=1e-9, atol=1e-9)
    assert race_of_scores(ForecastScores.from_forecasts(given)).path("A", "B").size == 0


def test_merged_scores_give_the_same_race() -> None:
    given = systems()
    shards = [
        ForecastScores.from_forecasts({name: item[start : start + 77] for name, item in given.items()})
        for start in range(0, 300, 77)
    ]
    merged = race_of_scores(functools.reduce(operator.add, shards))
    np.testing.assert_allclose(merged.log_wealth, both_races(given)[0].log_wealth, rtol=1e-12)


def test_identical_systems_do_not_race() -> None:
    given = systems(names="AB")
    given["C"] = given["B"]
    for race in both_races(given, ordered=True):
        assert race.against("B", "C") == race.against("C", "B") == 0.0
        assert race.evidence["B", "C"].e_value == race.evidence["C", "B"].e_value == 1.0
        stronger = race.stronger("B", "C")
        assert stronger is not None
        assert stronger.p_value == 1.0
        assert race.leader is None
        assert race.standings == ("B", "C", "A")


def test_ruin_is_not_hidden() -> None:
    truth = [1, 0, 1, 1]
    chances = {
        "sound": [0.6, 0.4, 0.7, 0.6],
        "ruined": [0.6, 1.0, 0.7, 0.9],
        "lost": [0.9, 0.1, 0.0, 0.9],
    }
    given = {name: Forecasts.of(truth, item) for name, item in chances.items()}
    sums, ways = both_races(given, ordered=True)
    for race in (sums, ways):
        assert race.leader == "sound"
        assert race.against("sound", "ruined") == math.inf
        assert race.against("ruined", "sound") == -math.inf
        assert race.evidence["sound", "lost"].p_value == 0.0
        json.dumps(race.to_dict(), allow_nan=False)
    # Sums do not tell whether both gave 0 to the same case; the bets do.
    assert math.isnan(sums.against("ruined", "lost"))
    assert sums.stronger("ruined", "lost") is None
    unsettled = [row for row in sums.rows() if row["undefined"]]
    assert {(row["bettor"], row["against"]) for row in unsettled} == {("ruined", "lost"), ("lost", "ruined")}
    assert ways.against("ruined", "lost") == ways.against("lost", "ruined") == -math.inf
    # While it lasted, one was ahead without bound.
    np.testing.assert_allclose(
        ways.path("lost", "ruined"), [math.log(1.5), math.inf, -math.inf, -math.inf], rtol=1e-12
    )
    assert ways.evidence["lost", "ruined"].p_value == 0.0


def test_plain_values() -> None:
    race = race_of_duels(duels_of(systems(), ordered=True))
    shown = json.loads(json.dumps(race.to_dict(), allow_nan=False))
    assert shown["leader"] == "D"
    assert len(shown["race"]) == 12
    assert len(shown["stronger"]) == len(shown["paths"]) == 6
    assert all(len(path["log_wealth"]) == 300 for path in shown["paths"])
    first = shown["race"][0]
    assert first["evidence"]["log_e_value"] == pytest.approx(first["log_wealth"], rel=1e-12)
