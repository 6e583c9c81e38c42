"""Seeded: between equals, a winner is named no more often than the level. The grid is bench/winners.py."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.differences import compare_forecasts, mean_score_difference
from edgeworth.comparisons.graded_means import guard_mean
from edgeworth.comparisons.grades import compare_grades
from edgeworth.comparisons.labels.differences import compare_labels, label_differences
from edgeworth.comparisons.paired_values.differences import value_difference
from edgeworth.comparisons.paired_values.permutation import sign_flip_tail
from edgeworth.forecasts.estimates import bound_if_scarce
from edgeworth.forecasts.findings import examine_bets
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scarce_outcomes import scarcity_of_tally
from edgeworth.forecasts.scoring_rules import case_scores
from edgeworth.forecasts.tally import ForecastTally, Opponent

MOST = 0.07
DRAWS = 999


def is_named(result: Difference) -> bool:
    return result.is_shown(0.95) and bool(result.p_value() < 0.05)


def is_model_better(tally: ForecastTally) -> bool:
    """Return whether a report on forecasts calls the model better by its Brier score."""
    scarcity = scarcity_of_tally(tally.scores, tally.tables, tally.possible, "brier")
    plain = examine_bets(tally.wealth).brier
    result = bound_if_scarce(plain, "brier", scarcity, scores=tally.scores, possible=tally.possible)
    return result.low > 0 and result.no_winner is None


def allowed(runs: int) -> float:
    """Two standard errors above the share that is accepted."""
    return MOST + 2 * math.sqrt(MOST * (1 - MOST) / runs)


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "before"), [(100, 0.3), (200, 0.08)])
def test_the_overconfident_forecaster_does_not_win_for_want_of_surprises(cases: int, before: float) -> None:
    rng, runs, plain, named = np.random.default_rng(cases), 300, 0, 0
    for _ in range(runs):
        codes = (rng.random(cases) < 0.99).astype(np.intp)
        sure, calibrated = (1 - p * rng.uniform(0.9, 1.1, cases) for p in (0.0001, 0.01))
        losses = ((np.where(codes, 1 - p, p)) ** 2 for p in (sure, calibrated))
        difference = mean_score_difference(*losses, names=("sure", "calibrated"), score="brier")
        plain += is_named(difference) and difference.better == "sure"
        systems = {
            name: Forecasts(codes, np.stack([1 - p, p], axis=1), (0, 1))
            for name, p in (("sure", sure), ("calibrated", calibrated))
        }
        after = compare_forecasts(systems, measures=["brier"]).pairs["sure", "calibrated"]["brier"]
        named += is_named(after) and after.better == "sure"
    assert plain / runs > before
    assert named / runs <= allowed(runs)


@pytest.mark.slow
@pytest.mark.parametrize(("score", "cases"), [("brier", 100), ("brier", 300), ("log", 100)])
def test_who_is_too_sure_of_the_rarest_events_does_not_win_among_common_ones(score: str, cases: int) -> None:
    """Both forecast common events alike, so that counts of events and failures are large."""
    rng, runs, plain, named = np.random.default_rng(cases), 200, 0, 0
    for _ in range(runs):
        risk = 1 / (1 + np.exp(-rng.normal(-3, 2.5, cases)))
        codes = (rng.random(cases) < risk).astype(np.intp)
        systems = {
            name: Forecasts(codes, np.stack([1 - p, p], axis=1), (0, 1))
            for name, p in (("sure", np.where(risk < 0.05, risk / 100, risk)), ("calibrated", risk))
        }
        losses = (case_scores(system, (score,))[0] for system in systems.values())
        found = mean_score_difference(*losses, names=("sure", "calibrated"), score=score)
        plain += is_named(found) and found.better == "sure"
        after = compare_forecasts(systems, measures=[score]).pairs["sure", "calibrated"][score]
        named += is_named(after) and after.better == "sure"
    assert plain / runs > 0.1
    assert named / runs <= allowed(runs)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [150, 300])
def test_evaluate_against_calls_no_forecaster_better_who_is_too_sure_of_the_rarest_events(cases: int) -> None:
    """The same forecasters by tallies, whose plain interval names the one who is too sure."""
    rng, runs, plain, named = np.random.default_rng(cases), 100, 0, 0
    for _ in range(runs):
        risk = 1 / (1 + np.exp(-rng.normal(-3, 2.5, cases)))
        codes = (rng.random(cases) < risk).astype(np.intp)
        sure, calibrated = (
            Forecasts(codes, np.stack([1 - p, p], axis=1), (0, 1))
            for p in (np.where(risk < 0.05, risk / 100, risk), risk)
        )
        tally = ForecastTally.of(sure, Opponent(calibrated))
        plain += examine_bets(tally.wealth).brier.low > 0
        named += is_model_better(tally)
    assert plain / runs > 0.08
    assert named / runs <= allowed(runs)


@pytest.mark.slow
def test_variance_seen_costs_evaluate_against_no_power() -> None:
    """A calibrated forecaster against one who sees the risk with noise."""
    rng, runs, cases, plain, named = np.random.default_rng(8), 100, 200, 0, 0
    for _ in range(runs):
        logits = rng.normal(0, 1.2, cases)
        codes = (rng.random(cases) < 1 / (1 + np.exp(-logits))).astype(np.intp)
        model, rival = (
            Forecasts(codes, np.stack([1 - p, p], axis=1), (0, 1))
            for p in (1 / (1 + np.exp(-x)) for x in (logits, logits + rng.normal(0, 0.8, cases)))
        )
        tally = ForecastTally.of(model, Opponent(rival))
        plain += examine_bets(tally.wealth).brier.low > 0
        named += is_model_better(tally)
    assert plain / runs > 0.5
    assert named >= plain - 0.02 * runs


@pytest.mark.slow
@pytest.mark.parametrize(("items", "bounds"), [(30, None), (150, None), (60, (0.0, 60.0))])
def test_rare_time_outs_name_no_winner_between_equal_means(
    items: int, bounds: tuple[float, float] | None
) -> None:
    """Three in a hundred take a minute, which the rest makes up for."""
    rng, runs, plain, named, covered = np.random.default_rng(items), 120, 0, 0, 0
    mean, share, limit = math.exp(1 + 0.3**2 / 2), 0.03, 60.0
    for _ in range(runs):
        steady = rng.lognormal(1, 0.3, items)
        faster = steady * (mean - share * limit) / (mean * (1 - share))
        risky = np.where(rng.random(items) < share, limit, faster)
        permute = partial(sign_flip_tail, draws=DRAWS)
        plain += is_named(value_difference(steady, risky, measure="mean", direction="lower", permute=permute))
        systems = {
            name: ew.Grades.from_grades(x, ids=range(items), grade_range=bounds, lower_is_better=True)
            for name, x in (("steady", steady), ("risky", risky))
        }
        pair = compare_grades(systems, draws=DRAWS).pairs["steady", "risky"]["mean"]
        named += is_named(pair)
        covered += 0.0 in pair.interval(0.95) or pair.row_caveat is not None
    assert items == 150 or plain / runs > 0.15
    assert named / runs <= allowed(runs)
    assert covered / runs >= 0.91 - 2 * math.sqrt(0.91 * 0.09 / runs)


@pytest.mark.slow
@pytest.mark.parametrize("items", [150, 200, 300, 400])
def test_two_percent_time_outs_are_covered_or_have_a_caveat(items: int) -> None:
    """Equal means, and a time-out of a minute in 2% of one system's items."""
    rng, runs, named, covered, has_caveat = np.random.default_rng(items), 250, 0, 0, 0
    mean, share, limit = math.exp(1 + 0.3**2 / 2), 0.02, 60.0
    for _ in range(runs):
        steady = rng.lognormal(1, 0.3, items)
        faster = steady * (mean - share * limit) / (mean * (1 - share))
        values = np.stack([steady, np.where(rng.random(items) < share, limit, faster)], axis=1)
        permute = partial(sign_flip_tail, draws=DRAWS)
        plain = value_difference(*values.T, measure="mean", direction="lower", permute=permute)
        guarded = guard_mean(plain, values, math.inf)
        named += is_named(guarded)
        has_caveat += guarded.row_caveat is not None
        covered += 0.0 in guarded.interval(0.95) or guarded.row_caveat is not None
    assert named / runs <= allowed(runs)
    assert has_caveat / runs >= 0.75
    assert covered / runs >= 0.91 - 2 * math.sqrt(0.91 * 0.09 / runs)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "limit"), [(0.01, 60.0), (0.005, 120.0)])
def test_a_winner_that_unseen_time_outs_made_has_a_caveat(share: float, limit: float) -> None:
    """Equal means of 200 items. Most samples without a time-out name the risky system."""
    rng, runs, items, named, bare = np.random.default_rng(31), 200, 200, 0, 0
    mean = math.exp(1 + 0.3**2 / 2)
    for _ in range(runs):
        steady = rng.lognormal(1, 0.3, items)
        faster = steady * (mean - share * limit) / (mean * (1 - share))
        values = np.stack([steady, np.where(rng.random(items) < share, limit, faster)], axis=1)
        permute = partial(sign_flip_tail, draws=DRAWS)
        plain = value_difference(*values.T, measure="mean", direction="lower", permute=permute)
        guarded = guard_mean(plain, values, math.inf)
        named += is_named(guarded)
        bare += is_named(guarded) and guarded.row_caveat is None
    assert named / runs > 0.07
    assert bare == 0


@pytest.mark.slow
@pytest.mark.parametrize(("family", "most_caveats"), [("normal", 0.04), ("exponential", 0.55)])
def test_guarding_against_time_outs_costs_ordinary_grades_no_power(family: str, most_caveats: float) -> None:
    rng, runs, items = np.random.default_rng(7), 250, 150
    plain_named = named = has_caveat = 0
    for _ in range(runs):
        pair = rng.normal([5.0, 4.7], 1.0, (items, 2))
        if family == "exponential":
            pair = rng.exponential([1.0, 0.7], (items, 2))
        permute = partial(sign_flip_tail, draws=DRAWS)
        plain = value_difference(*pair.T, measure="mean", direction="lower", permute=permute)
        guarded = guard_mean(plain, pair, math.inf)
        plain_named += is_named(plain)
        named += is_named(guarded)
        has_caveat += "of the variance" in (guarded.caveat or "")
    assert plain_named / runs > 0.5
    assert named >= plain_named - 0.01 * runs
    assert has_caveat / runs <= most_caveats


@pytest.mark.slow
def test_a_rare_class_decides_no_macro_f() -> None:
    """Two systems of one law that predict class 2 a few times in 300 cases."""
    rng, runs, named = np.random.default_rng(3), 120, 0
    shy = np.array([[0.9, 0.0983, 0.0017], [0.0983, 0.9, 0.0017], [0.3, 0.3, 0.4]])
    for _ in range(runs):
        truth = rng.choice(3, 300, p=[0.6, 0.37, 0.03])
        one, two = ((rng.random(300)[:, None] > shy[truth].cumsum(axis=1)).sum(axis=1) for _ in range(2))
        paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
        macro_f = label_differences(paired, "one", "two", ["macro_f"], quick=True)["macro_f"]
        named += is_named(macro_f)
        assert macro_f.no_winner is not None
    assert named == 0


@pytest.mark.slow
def test_the_level_of_the_best_of_ten_equal_systems_is_covered() -> None:
    rng, runs, plain, covered = np.random.default_rng(10), 80, 0, 0
    for _ in range(runs):
        truth = rng.integers(0, 2, 150)
        systems = {f"s{i}": np.where(rng.random(150) < 0.8, truth, 1 - truth) for i in range(10)}
        leader = compare_labels(ew.Paired.from_labels(truth, systems), measures=["accuracy"]).leader
        assert leader is not None
        table = ew.ContingencyTable.from_labels(truth, systems[leader.system])
        plain += 0.8 in ew.estimate(table, "accuracy").interval(0.95)
        covered += 0.8 in leader.interval
    assert plain < covered
    assert covered / runs >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / runs)
