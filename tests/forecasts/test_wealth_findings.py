"""What bets prove: against all outcomes of small games, plain loops, and the sequences they are made of."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from edgeworth.bet import Drunken, Market
from edgeworth.bet.fractional import score_log_factors
from edgeworth.errors import InputError, OptionError
from edgeworth.evaluation import evaluate
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import Bets, examine_bets
from edgeworth.forecasts.sequential import (
    ConfidenceSequence,
    Evidence,
    asymptotic_sequence,
    empirical_bernstein,
)

TRUTH = [1, 0, 1, 1, 0, 1]
MODEL = [0.9, 0.2, 0.6, 0.3, 0.25, 0.8]
RIVAL = [0.5, 0.5, 0.7, 0.6, 0.4, 0.5]


def bets(truth: Any = TRUTH, p: Any = MODEL, q: Any = RIVAL, level: float = 0.95, **options: Any) -> Bets:
    return examine_bets(Wealth.from_probabilities(truth, p, against=q, labels=[0, 1], **options), level=level)


def factors(truth: Any = TRUTH, p: Any = MODEL, q: Any = RIVAL) -> list[float]:
    return [(a / b) if y else (1 - a) / (1 - b) for y, a, b in zip(truth, p, q, strict=True)]


def random_cases(number: int, seed: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p, q = (rng.dirichlet(np.ones(classes), number) for _ in range(2))
    truth = np.array([rng.choice(classes, p=row) for row in (p + q) / 2])
    return truth, p, q


def every_evidence(answer: Bets) -> list[Evidence]:
    values = (getattr(answer, field.name) for field in dataclasses.fields(answer))
    return [value for value in values if isinstance(value, Evidence)]


# -- evidence ----------------------------------------------------------------------------------------------


def test_ordered_evidence_takes_the_maximum_and_unordered_the_end() -> None:
    path = np.cumprod(factors())
    assert path.max() > path[-1]
    ordered, unordered = bets(ordered=True), bets(ordered=False)
    assert ordered.against_rival.e_value == pytest.approx(path[-1], rel=1e-12)
    assert ordered.against_rival.p_value == pytest.approx(1 / path.max(), rel=1e-12)
    assert unordered.against_rival.e_value == pytest.approx(path[-1], rel=1e-12)
    assert unordered.against_rival.p_value == pytest.approx(min(1.0, 1 / path[-1]), rel=1e-12)
    for evidence in every_evidence(ordered):
        assert evidence.ordered
    for evidence in every_evidence(unordered):
        assert not evidence.ordered
        assert evidence.log_maximum is None
        assert evidence.p_value == pytest.approx(min(1.0, 1 / evidence.e_value), rel=1e-12)


def test_unordered_evidence_does_not_depend_on_the_order() -> None:
    expected = every_evidence(bets())
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]):
        truth, p, q = ([column[row] for row in order] for column in (TRUTH, MODEL, RIVAL))
        moved = bets(truth, p, q)
        for evidence, known in zip(every_evidence(moved), expected, strict=True):
            assert evidence.log_e_value == pytest.approx(known.log_e_value, abs=1e-12)
            assert evidence.p_value == pytest.approx(known.p_value, rel=1e-12)


ZERO_OR_NOT = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
CASES = st.lists(
    st.tuples(st.integers(0, 1), ZERO_OR_NOT, ZERO_OR_NOT).filter(
        lambda case: not (case[1] == case[2] == 1 - case[0])
    ),
    min_size=1,
    max_size=8,
)


@given(cases=CASES, ordered=st.booleans())
def test_the_other_way_round_is_the_rival_betting_against_the_model(
    cases: list[tuple[int, float, float]], ordered: bool
) -> None:
    truth, p, q = (list(column) for column in zip(*cases, strict=True))
    there, back = bets(truth, p, q, ordered=ordered), bets(truth, q, p, ordered=ordered)
    assert there.against_model is not None
    assert there.against_model.log_e_value == pytest.approx(back.against_rival.log_e_value, abs=1e-12)
    assert there.against_model.p_value == pytest.approx(back.against_rival.p_value, rel=1e-12)
    assert there.against_model.null != there.against_rival.null


@pytest.mark.parametrize("ordered", [True, False])
def test_both_directions_keep_their_level(ordered: bool) -> None:
    """The p-value is at most alpha with probability at most alpha, whichever of the two is right."""
    q = [0.5, 0.4, 0.7, 0.6, 0.3, 0.5]
    for true, direction in ((q, "against_rival"), (MODEL, "against_model")):
        results = []
        for truth in itertools.product((0, 1), repeat=6):
            chance = math.prod(pi if y else 1 - pi for y, pi in zip(truth, true, strict=True))
            evidence = getattr(bets(list(truth), MODEL, q, ordered=ordered), direction)
            results.append((chance, evidence.p_value))
        assert sum(chance for chance, _ in results) == pytest.approx(1)
        for _, alpha in results:
            assert sum(chance for chance, p in results if p <= alpha * (1 + 1e-12)) <= alpha * (1 + 1e-9)


def test_the_null_is_in_words() -> None:
    wealth = {
        "rival": Wealth.from_probabilities(TRUTH, MODEL, against=RIVAL, ordered=True),
        "odds": Wealth.from_probabilities(TRUTH, MODEL, odds=[[1.9, 1.9]] * 6),
        "drunken": Wealth.from_probabilities(TRUTH, MODEL, bookmaker=Drunken(rng=2)),
        "exchange": Wealth.from_probabilities(
            TRUTH, MODEL, bookmaker=Market([[2.0, 2.0]] * 6, lay=[[2.0, 2.0]] * 6)
        ),
    }
    texts = {
        name: [evidence.null for evidence in every_evidence(examine_bets(item))]
        for name, item in wealth.items()
    }
    for nulls in texts.values():
        assert nulls
        for null in nulls:
            assert len(null.split()) > 6
            assert "{" not in null
            # A plural has no second s.
            assert "s's" not in null
    rival = examine_bets(wealth["rival"])
    assert (
        rival.against_rival.null
        == "the rival's probabilities are the true ones, given all that the model knew"
    )
    assert rival.against_model is not None
    assert (
        rival.against_model.null
        == "the model's probabilities are the true ones, given all that the rival knew"
    )
    assert rival.brier_rounds is not None
    assert "expected Brier score is at least as good" in rival.brier_rounds.null
    assert rival.log_rounds is not None
    assert "expected log score is at least as good" in rival.log_rounds.null
    assert texts["odds"] == ["no outcome is likelier than its price, given all that the model knew"] * 2


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_a_spread_allows_every_probability_inside_it(classes: int) -> None:
    """The largest mean factor of a game over all true probabilities between the two prices is at most 1."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        inner, p = rng.dirichlet(np.ones(classes)), rng.dirichlet(np.ones(classes))
        low, high = inner * rng.uniform(0.7, 1, classes), inner + (1 - inner) * rng.uniform(0, 0.3, classes)
        market = Market([1 / high] * classes, lay=[1 / low] * classes)
        wealth = Wealth.from_probabilities(range(classes), [p] * classes, bookmaker=market)
        bounds = list(zip(low, high, strict=True))
        optimum = optimize.linprog(-wealth.returns, A_eq=np.ones((1, classes)), b_eq=[1.0], bounds=bounds)
        assert optimum.fun is not None
        assert -optimum.fun <= 1 + 1e-9
        assert wealth.book == "exchange"
    bets_found = examine_bets(wealth)
    assert "lies between" in bets_found.against_rival.null
    assert bets_found.against_model is None


def test_backing_has_no_other_way_round() -> None:
    findings = examine_bets(Wealth.from_probabilities(TRUTH, MODEL, odds=[[1.9, 1.9]] * 6))
    assert (findings.against_model, findings.brier_rounds, findings.log_rounds) == (None, None, None)


def test_the_mixture_is_the_mean_of_all_fractions() -> None:
    paths = [np.cumprod([1 - c / 20 + c / 20 * x for x in factors()]) for c in range(21)]
    mean = np.mean(paths, axis=0)
    mixture = bets(ordered=True).mixture
    assert mixture is not None
    assert mixture.e_value == pytest.approx(mean[-1], rel=1e-12)
    assert mixture.p_value == pytest.approx(1 / max(1.0, mean.max()), rel=1e-12)


def test_a_fraction_of_the_stake() -> None:
    result = bets(ordered=True, fraction=0.5)
    path = np.cumprod([0.5 + 0.5 * x for x in factors()])
    assert result.against_rival.e_value == pytest.approx(path[-1], rel=1e-12)
    assert result.against_rival.p_value == pytest.approx(1 / max(1.0, path.max()), rel=1e-12)
    assert result.against_model is None


@pytest.mark.parametrize(("name", "score"), [("brier_rounds", "brier"), ("log_rounds", "log")])
def test_bets_on_scores_follow_their_factors(name: str, score: Any) -> None:
    result = getattr(bets(ordered=True), name)
    path = np.cumsum(score_log_factors(np.array(TRUTH), np.array(MODEL), np.array(RIVAL), score=score))
    assert result.log_e_value == pytest.approx(path[-1], abs=1e-12)
    assert result.log_maximum == pytest.approx(max(0.0, path.max()), abs=1e-12)


def test_more_classes_have_no_bets_on_scores() -> None:
    truth, p, q = random_cases(30, 1, classes=3)
    findings = examine_bets(Wealth.from_probabilities(truth, p, against=q, labels=range(3)))
    assert (findings.brier_rounds, findings.log_rounds) == (None, None)
    assert findings.against_model is not None


def test_evidence_does_not_contradict_itself_by_rounding() -> None:
    """The end of a path that only rises is its maximum, whatever the order in which floats were added."""
    rng = np.random.default_rng(0)
    for number in (20, 100, 1000, 5000):
        for _ in range(3):
            truth = rng.integers(0, 2, number)
            p = np.where(truth == 1, rng.uniform(0.5, 1, number), rng.uniform(0, 0.5, number))
            for forecast in (p, 1 - p):
                result = bets(truth, forecast, np.full(number, 0.5), ordered=True)
                for evidence in every_evidence(result):
                    assert evidence.log_maximum is not None
                    assert evidence.log_maximum >= evidence.log_e_value


def test_ruin_and_what_was_impossible() -> None:
    ruined = bets([1, 1], [0.9, 0.0], [0.5, 0.5], ordered=True)
    assert ruined.against_rival.e_value == 0.0
    assert ruined.against_rival.p_value == pytest.approx(1 / 1.8)
    assert ruined.against_model is not None
    assert (ruined.against_model.e_value, ruined.against_model.p_value) == (math.inf, 0.0)
    assert (ruined.growth, ruined.rate) == (-math.inf, -1.0)
    boundless = bets([1, 1], [0.9, 0.1], [0.5, 0.0])
    assert (boundless.against_rival.e_value, boundless.against_rival.p_value) == (math.inf, 0.0)
    assert boundless.against_model is not None
    assert (boundless.against_model.e_value, boundless.against_model.p_value) == (0.0, 1.0)
    assert boundless.log is None


def test_growth_is_a_geometric_mean() -> None:
    result = bets()
    assert result.rate == pytest.approx(math.prod(factors()) ** (1 / 6) - 1, rel=1e-12)
    assert result.growth == pytest.approx(math.log(math.prod(factors())) / 6, rel=1e-12)


# -- luck --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stake", [1.0, 0.5])
def test_luck_is_the_chance_of_as_much_if_the_prices_are_right(stake: float) -> None:
    q = [0.5, 0.4, 0.7, 0.6, 0.3, 0.5]

    def staked(truth: Any) -> float:
        return math.prod(1 - stake + stake * x for x in factors(truth, MODEL, q))

    expected = 0.0
    for truth in itertools.product((0, 1), repeat=6):
        chance = math.prod(b if y else 1 - b for y, b in zip(truth, q, strict=True))
        expected += chance * (staked(truth) >= staked(TRUTH) * (1 - 1e-12))
    result = bets(q=q, fraction=stake)
    assert result.luck is not None
    assert result.luck.p_value == pytest.approx(expected, rel=1e-9)
    # What luck does exactly, Markov's inequality only bounds.
    assert result.luck.p_value <= result.against_rival.p_value


def test_luck_with_a_class_that_both_ruled_out() -> None:
    p, q = [[0.5, 0.5, 0.0]] * 4, [[0.4, 0.6, 0.0]] * 4
    with_it = examine_bets(Wealth.from_probabilities([0, 1, 0, 0], p, against=q, labels=range(3)))
    without = bets([0, 1, 0, 0], [0.5] * 4, [0.6] * 4)
    assert with_it.luck is not None
    assert without.luck is not None
    assert with_it.luck.p_value == pytest.approx(without.luck.p_value, rel=1e-12)


def brier_sequence(answer: Bets) -> ConfidenceSequence:
    assert answer.brier.sequence is not None
    return answer.brier.sequence


# -- who scores better on average --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("number", "level"), [(1, 0.95), (7, 0.9), (500, 0.99), (4096, 0.95)])
def test_the_brier_sequence_is_the_empirical_bernstein_one(number: int, level: float) -> None:
    truth, p, q = random_cases(number, number)
    differences = (q[:, 1] - truth) ** 2 - (p[:, 1] - truth) ** 2
    expected = empirical_bernstein(differences, c=2.0, level=level)
    result = brier_sequence(bets(truth, p[:, 1], q[:, 1], level=level, ordered=True))
    assert result.cases.tolist() == list(range(1, number + 1))
    for name in ("mean", "low", "high", "V"):
        np.testing.assert_allclose(getattr(result, name), getattr(expected, name), rtol=1e-9, atol=1e-9)


def test_the_brier_sequence_of_more_classes() -> None:
    truth, p, q = random_cases(300, 4, classes=3)
    came = np.eye(3)[truth]
    differences = ((q - came) ** 2).sum(axis=1) - ((p - came) ** 2).sum(axis=1)
    expected = empirical_bernstein(differences, c=4.0)
    wealth = Wealth.from_probabilities(truth, p, against=q, labels=range(3), ordered=True)
    result = brier_sequence(examine_bets(wealth))
    np.testing.assert_allclose(result.low, expected.low, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result.high, expected.high, rtol=1e-9, atol=1e-9)


def test_the_largest_differences_of_brier_scores_are_allowed() -> None:
    sure = examine_bets(
        Wealth.from_probabilities([0] * 3, [[1.0, 0.0, 0.0]] * 3, against=[[0.0, 1.0, 0.0]] * 3, ordered=True)
    )
    assert brier_sequence(sure).mean[-1] == 2.0
    two = bets([1] * 3, [0.0] * 3, [1.0] * 3, ordered=True)
    assert brier_sequence(two).mean[-1] == -1.0


def test_the_log_sequence_is_the_asymptotic_one() -> None:
    truth, p, q = random_cases(2000, 9)
    rows = np.arange(2000)
    differences = np.log(p[rows, truth]) - np.log(q[rows, truth])
    average, expected = bets(truth, p[:, 1], q[:, 1], ordered=True).log, asymptotic_sequence(differences)
    assert average is not None
    sequence = average.sequence
    assert sequence is not None
    np.testing.assert_allclose(sequence.last, expected.last, rtol=1e-9)


def test_a_coarse_path_has_the_same_mean_and_wider_bounds_by_little() -> None:
    truth, p, q = random_cases(20_000, 10)
    differences = (q[:, 1] - truth) ** 2 - (p[:, 1] - truth) ** 2
    result = brier_sequence(bets(truth, p[:, 1], q[:, 1], ordered=True))
    assert result.cases[-1] == 20_000
    (mean, low, high), expected = result.last, empirical_bernstein(differences).last
    assert mean == pytest.approx(expected[0], abs=1e-12)
    assert high - low == pytest.approx(expected[2] - expected[1], rel=0.02)


def test_nothing_to_settle() -> None:
    with pytest.raises(InputError, match="no bets"):
        examine_bets(Wealth.empty())


@pytest.mark.parametrize("level", [0.0, 1.0, math.nan, 95])
def test_bad_levels(level: float) -> None:
    with pytest.raises((OptionError, InputError)):
        bets(level=level)


# -- what the report says of it ----------------------------------------------------------------------------


def said(**options: Any) -> str:
    roles: dict[str, Any] = {"truth": TRUTH, "probabilities": MODEL, "against": RIVAL} | options
    return " ".join(evaluate(**roles).warnings)


def test_the_report_warns_of_predictions_that_were_not_made_before() -> None:
    assert "cross-validated" in said(predictions_made="cross-validated", ordered=True)
    assert said(predictions_made="before", ordered=True) == ""
    assert "valid only for the final result" in said()


def test_predictions_in_sample_rule_nothing_out() -> None:
    truth = [0, 1] * 30
    options: dict[str, Any] = {
        "probabilities": np.where(truth, 0.9, 0.1),
        "against": [0.5] * 60,
        "ordered": True,
    }
    assert evaluate(truth=truth, **options).verdict.claims[0].strength == "shown"
    assert (
        evaluate(truth=truth, predictions_made="in-sample", **options).verdict.claims[0].about == "in sample"
    )


def test_the_verdict_does_not_give_the_end_the_probability_of_the_maximum() -> None:
    """110 on the way and 7 at the end: the e-value given is that of the p-value, both ways paid for."""
    truth, p = [1] * 8 + [0] * 4, [0.9] * 8 + [0.75] * 4
    report = evaluate(truth=truth, probabilities=p, against=[0.5] * 12, ordered=True)
    top, end = 1.8**8, 1.8**8 / 2**4
    assert (top > 100, end < 10) == (True, True)
    assert f"e-value {top / 2:.1f}, p ≤ {2 / top:.3f}" in report.verdict


def test_the_verdict_gives_each_hypothesis_its_own_probability() -> None:
    """A model that lost has p = 1 against its rival; the smaller p of the other direction is not its own."""
    report = evaluate(truth=[1, 1, 1], probabilities=[0.25] * 3, against=[0.5] * 3)
    assert report.numbers["evidence"]["full_stakes"]["p_value"] == 1
    assert report.numbers["evidence"]["reverse"]["p_value"] == pytest.approx(1 / 8)
    assert not any(claim.strength == "shown" for claim in report.verdict.claims if claim.about == "bets")
    assert "p ≤ 0.25" not in report.verdict


def test_the_mean_is_not_better_by_less_than_nothing() -> None:
    report = evaluate(truth=[1, 1, 1], probabilities=[0.25] * 3, against=[0.5] * 3)
    assert "better than that of the rival by -" not in report.verdict
    assert "better than that of the rival by −" not in report.verdict


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [True, False])
def test_shares_counted_on_these_outcomes_make_no_bet_against_the_model(ordered: bool) -> None:
    """With hindsight the rival's wealth has a mean above 1 if the model is right, so it proves nothing."""
    mean = 0.0
    for truth in itertools.product((0, 1), repeat=4):
        p = [0.9, 0.1, 0.9, 0.1]
        chance = math.prod(a if y else 1 - a for y, a in zip(truth, p, strict=True))
        share = sum(truth) / 4
        mean += chance / math.prod(factors(truth, p, [share] * 4))
        evidence = evaluate(
            truth=list(truth), probabilities=p, positive=1, labels=[0, 1], ordered=ordered
        ).numbers["evidence"]
        assert evidence.get("reverse") is None
        assert not any(requirement["ordered"] for requirement in evidence.values())
    assert mean > 3
