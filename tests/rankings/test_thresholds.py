"""A threshold is the best of all cuts, as brute force finds it, and says what it will do on new cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings import thresholds
from edgeworth.rankings.thresholds import Cuts, Goal, round_between, thin_cuts

GOALS: dict[str, dict[str, float]] = {
    "informedness": {},
    "cheap alarms": {"cost_false_alarm": 1, "cost_miss": 5},
    "dear alarms": {"cost_false_alarm": 3, "cost_miss": 1},
    "free alarms": {"cost_false_alarm": 0, "cost_miss": 1},
    "precision": {"precision_at_least": 0.6},
    "recall": {"recall_at_least": 0.75},
    "both": {"precision_at_least": 0.3, "recall_at_least": 0.5},
    "cost and recall": {"cost_false_alarm": 2, "cost_miss": 1, "recall_at_least": 0.9},
}


def cases(seed: int, size: int = 60, steps: int | None = None) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.35).astype(int)
    truth[:2] = 0, 1
    scores = rng.normal(size=size) + 1.2 * truth
    return truth, scores if steps is None else np.round(scores * steps) / steps


def counted(truth: Any, scores: Any, threshold: float) -> tuple[int, int, int, int]:
    taken = scores >= threshold
    hits, alarms = int((taken & (truth == 1)).sum()), int((taken & (truth == 0)).sum())
    return hits, alarms, int((truth == 1).sum()) - hits, int((truth == 0).sum()) - alarms


def worth(goal: dict[str, float], hits: int, alarms: int, misses: int, rejections: int) -> float | None:
    """What a cut is worth by the definition of the goal; None where it does not meet the requirements."""
    recall, fallout = hits / (hits + misses), alarms / (alarms + rejections)
    precision = hits / (hits + alarms) if hits + alarms else None
    if "precision_at_least" in goal and (precision is None or precision < goal["precision_at_least"] - 1e-12):
        return None
    if recall < goal.get("recall_at_least", 0) - 1e-12:
        return None
    if "cost_miss" in goal:
        return -goal["cost_false_alarm"] * alarms - goal["cost_miss"] * misses
    if "precision_at_least" in goal and "recall_at_least" not in goal:
        return recall
    if "recall_at_least" in goal and "precision_at_least" not in goal:
        return precision
    return recall - fallout


@pytest.mark.slow
@pytest.mark.parametrize("steps", [None, 3])
@pytest.mark.parametrize("name", GOALS)
def test_no_cut_is_better(name: str, steps: int | None) -> None:
    for seed in range(5):
        truth, scores = cases(seed, steps=steps)
        ranking = ew.Ranking.from_scores(truth, scores, positive=1)
        every = [counted(truth, scores, cut) for cut in (*np.unique(scores), np.inf)]
        results = [value for value in (worth(GOALS[name], *counts) for counts in every) if value is not None]
        for given in (ranking, ranking.collapse()):
            if not results:
                with pytest.raises(InputError, match="no threshold has precision"):
                    ew.rankings.choose_threshold(given, **GOALS[name])
                continue
            choice = ew.rankings.choose_threshold(given, **GOALS[name])
            counts = counted(truth, scores, choice.threshold)
            assert worth(GOALS[name], *counts) == pytest.approx(max(results), abs=1e-12)
            assert choice.table.counts.tolist() == [[counts[3], counts[2]], [counts[1], counts[0]]]
            assert choice.depth == counts[0] + counts[1]


def test_weights_count_as_that_many_cases() -> None:
    truth, scores = cases(3)
    weights = np.random.default_rng(1).integers(1, 4, len(truth))
    goal = GOALS["cheap alarms"]
    whole = ew.rankings.choose_threshold(
        ew.Ranking.from_scores(np.repeat(truth, weights), np.repeat(scores, weights), positive=1), **goal
    )
    weighed = ew.rankings.choose_threshold(
        ew.Ranking.from_scores(truth, scores, weights=weights / 2, positive=1), **goal
    )
    assert weighed.threshold == whole.threshold
    assert weighed.estimates["cost"].value == pytest.approx(whole.estimates["cost"].value)
    # A sum of sampling weights cannot be divided into cases.
    assert weighed.expected == {}
    assert weighed.to_dict()["cross_fitted"] is None


def test_estimates_are_those_of_the_table() -> None:
    truth, scores = cases(5, 200)
    choice = ew.rankings.choose_threshold(
        ew.Ranking.from_scores(truth, scores, positive=1), cost_false_alarm=2, cost_miss=7
    )
    hits, alarms, misses, _ = counted(truth, scores, choice.threshold)
    assert choice.estimates["cost"].value == pytest.approx((2 * alarms + 7 * misses) / 200)
    assert choice.estimates["recall"].value == pytest.approx(hits / (hits + misses))
    assert tuple(choice.estimates["precision"].interval()) == tuple(
        ew.estimate(choice.table, "precision").interval()
    )
    low, high = choice.expected["cost"].interval()
    assert low < choice.expected["cost"].value < high


def test_nothing_is_taken_where_alarms_are_too_dear() -> None:
    ranking = ew.Ranking.from_scores([0, 1, 0], [0.9, 0.5, 0.1])
    choice = ew.rankings.choose_threshold(ranking, cost_false_alarm=10, cost_miss=1)
    assert (choice.threshold, choice.depth) == (np.inf, 0)
    assert choice.to_dict()["threshold"] is None


def test_infinite_scores_are_cut_as_others() -> None:
    ranking = ew.Ranking.from_scores([0, 1, 0, 1], [np.inf, 0.5, 0.1, -np.inf])
    with pytest.raises(InputError, match="infinite scores"):
        ew.rankings.choose_threshold(ranking, cost_false_alarm=10, cost_miss=1)
    result = ew.rankings.choose_threshold(ranking, recall_at_least=1.0)
    assert (result.threshold, result.depth) == (-np.inf, 4)
    top = ew.Ranking.from_scores([1, 0, 1], [np.inf, 0.5, 0.2])
    best = ew.rankings.choose_threshold(top, precision_at_least=1.0)
    assert best.table.counts.tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("size", [10, 31])
def test_everything_may_be_taken(size: int) -> None:
    """Means over divisions are rounded, and no cell of their table falls below 0."""
    truth = np.arange(size) % 2
    ranking = ew.Ranking.from_scores(truth, np.arange(size, 0, -1), positive=1)
    choice = ew.rankings.choose_threshold(ranking, cost_false_alarm=0, cost_miss=1)
    assert choice.cross_fitted is not None
    assert choice.cross_fitted.counts.sum() == pytest.approx(size)
    tied = ew.rankings.choose_threshold(
        ew.Ranking.from_scores(truth, np.ones(size), positive=1), recall_at_least=1.0
    )
    assert tied.expected["recall"].value == pytest.approx(1.0)
    # A single target is either chosen by or judged.
    alone = ew.rankings.choose_threshold(ew.Ranking.from_scores([0, 1, 0], [1, 2, 3]))
    assert alone.expected == {}


def test_cuts_to_look_at_hold_the_cheapest_of_any_costs() -> None:
    truth, scores = cases(8, 3000)
    ranking = ew.Ranking.from_scores(truth, scores, positive=1)
    cuts = thin_cuts(ranking, 199)
    assert cuts == sorted(cuts)
    assert len(cuts) <= 200
    tables = [counted(truth, scores, cut) for cut in cuts]
    for dear in (0.05, 0.3, 1, 2, 8, 40):
        goal = {"cost_false_alarm": 1.0, "cost_miss": dear}
        least = ew.rankings.choose_threshold(ranking, **goal)
        counts = counted(truth, scores, least.threshold)
        assert max(worth(goal, *table) or 0 for table in tables) == pytest.approx(worth(goal, *counts) or 0)


def test_round_thresholds() -> None:
    rng = np.random.default_rng(2)
    for low, high in np.sort(rng.normal(size=(500, 2)) * 10.0 ** rng.integers(-6, 6, (500, 1)), axis=1):
        result = round_between(float(low), float(high))
        assert low < result <= high
        assert len(repr(result)) <= max(len(repr(float(high))), 5)
    # Inside a bin a threshold would decide otherwise than its edge.
    truth, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.31, 0.9])
    binned = ew.Ranking.from_scores(truth, scores, bins=4, positive=1)
    assert ew.rankings.choose_threshold(binned, precision_at_least=0.9).threshold == 0.75


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"cost_miss": 1}, "both"),
        ({"cost_false_alarm": -1, "cost_miss": 1}, "at least 0"),
        ({"cost_false_alarm": 0, "cost_miss": 0}, "must be above 0"),
        ({"cost_false_alarm": np.inf, "cost_miss": 1}, "finite"),
        ({"precision_at_least": 0}, "above 0"),
        ({"recall_at_least": 1.2}, "at most 1"),
        ({"recall_at_least": True}, "a number above 0"),
    ],
)
def test_nonsense_is_refused(goal: dict[str, float], message: str) -> None:
    truth, scores = cases(1)
    with pytest.raises(OptionError, match=message):
        ew.rankings.choose_threshold(ew.Ranking.from_scores(truth, scores, positive=1), **goal)
    with pytest.raises(OptionError, match=message):
        ew.evaluate(truth=truth, score=scores, positive=1, **goal)


def test_thresholds_need_scores_of_one_class() -> None:
    with pytest.raises(OptionError, match="is not supported"):
        ew.evaluate(truth=[0, 1], prediction=[0, 1], recall_at_least=0.5)
    rng = np.random.default_rng(1)
    chances = rng.dirichlet([1, 1, 1], 60)
    truth = [("a", "b", "c")[rng.choice(3, p=row)] for row in chances]
    given: dict[str, Any] = {"truth": truth, "probabilities": chances, "labels": ["a", "b", "c"]}
    with pytest.raises(OptionError, match="--positive"):
        ew.evaluate(**given, recall_at_least=0.5)
    best_cut = ew.evaluate(**given, recall_at_least=0.5, positive="b").numbers["best_cut"]
    taken = chances[:, 1] >= best_cut["threshold"]
    assert best_cut["depth"] == taken.sum()
    assert taken[np.array(truth) == "b"].mean() >= 0.5


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_probabilities_are_cut_as_scores(positive: str) -> None:
    rng = np.random.default_rng(4)
    chances = np.round(rng.random(150), 2)
    truth = np.where(rng.random(150) < chances, "yes", "no")
    columns = np.column_stack([1 - chances, chances])
    goal: dict[str, Any] = {"cost_false_alarm": 1, "cost_miss": 4}
    report = ew.evaluate(truth=truth, probabilities=columns, labels=["no", "yes"], positive=positive, **goal)
    scores = columns[:, ["no", "yes"].index(positive)]
    direct = ew.rankings.choose_threshold(ew.Ranking.from_scores(truth, scores, positive=positive), **goal)
    best_cut = report.numbers["best_cut"]
    assert best_cut["depth"] == direct.depth
    assert best_cut["estimates"]["cost"]["value"] == pytest.approx(direct.estimates["cost"].value)
    assert best_cut["cross_fitted"]["cost"]["value"] == pytest.approx(direct.expected["cost"].value)


def test_a_report_says_that_no_threshold_will_do() -> None:
    report = ew.evaluate(truth=[0, 1, 0, 1, 0, 1], score=[6, 5, 4, 3, 2, 1], precision_at_least=0.9)
    assert any("No threshold has precision of at least" in warning for warning in report.warnings)
    assert report.numbers["best_cut"] is None


def test_requirements_that_nothing_meets_fall_back_to_the_nearest() -> None:
    cuts = Cuts(np.array([0.0, 1, 2]), np.array([0.0, 1, 1]), 2.0, 4.0)
    assert Goal(precision_at_least=0.9).best(cuts) == (2, False)


def test_many_cuts_are_cross_fitted_as_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    truth = np.repeat([1, 0], [9000, 21000])
    ranking = ew.Ranking.from_scores(truth, rng.normal(size=len(truth)) + truth)
    for goal in (Goal(), Goal(recall_at_least=0.999), Goal(precision_at_least=0.8)):
        some = thresholds.cross_fit(ranking, goal)
        with monkeypatch.context() as patch:
            patch.setattr(thresholds, "MAX_CUTS", len(truth))
            every = thresholds.cross_fit(ranking, goal)
        # The random divisions differ: the mean over ten has an error of about 0.001.
        for name in ("recall[1]", "fallout[1]"):
            assert abs(ew.measure(some, name) - ew.measure(every, name)) < 0.005
    kept = thresholds._some_cuts(10**6)
    assert len(kept) <= thresholds.MAX_CUTS
    assert kept[:50].tolist() == list(range(50))
    assert (10**6 - 1 - kept[-50:]).tolist() == list(range(49, -1, -1))


def scored(seed: int) -> ew.Ranking:
    rng = np.random.default_rng(seed)
    truth = rng.random(400) < 0.25
    return ew.Ranking.from_scores(truth, (rng.normal(size=400) + 1.5 * truth).round(2))


@pytest.mark.parametrize(
    ("goal", "begin"),
    [
        ({"cost_miss": 5.0, "cost_false_alarm": 1.0}, "Flag cases at or above "),
        ({"cost_miss": 500.0, "cost_false_alarm": 1.0}, "Flag every case: that costs "),
        ({"cost_miss": 1.0, "cost_false_alarm": 500.0}, "Flag no case: that costs "),
        ({"precision_at_least": 0.8}, "Flag cases at or above "),
    ],
)
def test_the_threshold_that_was_asked_for_leads_the_verdict(goal: dict[str, float], begin: str) -> None:
    report = ew.evaluate(scored(1), **goal)
    choice = ew.rankings.choose_threshold(scored(1), **goal)
    first = report.verdict.claims[0]
    assert first.about == "threshold"
    assert first.text.startswith(begin)
    if choice.constant_costs:
        none, every = (cost.value for cost in choice.constant_costs.values())
        is_constant = begin.startswith(("Flag every", "Flag no"))
        assert is_constant == (min(none, every) <= choice.expected["cost"].value)
        assert f"{min(none, every):.2f}" in first.text
    assert "cross-fitted" not in first.text
