"""Position bias against enumeration of all sign flips, scipy's binomial test and statsmodels."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from edgeworth.decisions.position_bias import (
    CLUSTERED_TEST,
    bias_claim,
    bias_section,
    exact_deals,
    exact_sign_flips,
    examine_position_bias,
)

OPTIONS = list("ABCD")


def enumerate_flips(steps: Any) -> Fraction:
    """P(|Σ ± step| ≥ |Σ step|), every sign pattern counted."""
    seen = abs(int(sum(steps)))
    sums = [
        abs(sum(s * int(x) for s, x in zip(signs, steps, strict=True)))
        for signs in product((1, -1), repeat=len(steps))
    ]
    return Fraction(sum(x >= seen for x in sums), len(sums))


def enumerate_deals(steps: Any) -> list[Fraction]:
    """P(|sum of an option| ≥ that seen), every way to deal each cluster's steps to the options counted."""
    seen = np.abs(steps.sum(axis=0))
    deals = product(*(list(permutations(row.tolist())) for row in steps))
    sums = np.array([np.abs(np.sum(deal, axis=0)) for deal in deals])
    return [Fraction(int((sums[:, option] >= seen[option]).sum()), len(sums)) for option in range(len(seen))]


@pytest.mark.parametrize(("seed", "shape"), [(0, (5, 3)), (1, (5, 3)), (2, (3, 4)), (3, (3, 4)), (4, (9, 2))])
def test_options_are_tested_by_every_deal(seed: int, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.multinomial(6, np.ones(shape[1]) / shape[1], size=shape[0])
    steps -= rng.multinomial(6, np.ones(shape[1]) / shape[1], size=shape[0])
    expected = [float(share) for share in enumerate_deals(steps)]
    assert exact_deals(steps) == pytest.approx(expected, abs=1e-12)
    if shape[1] == 2:  # dealing two opposite steps is flipping their signs
        assert exact_deals(steps) == pytest.approx([exact_sign_flips(column) for column in steps.T])


@pytest.mark.parametrize("seed", range(12))
def test_one_option_is_tested_by_every_sign_flip(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(-3, 4, size=rng.integers(1, 12))
    assert exact_sign_flips(steps) == pytest.approx(float(enumerate_flips(steps)), abs=1e-12)


def test_long_laws_are_summed_as_short_ones_are() -> None:
    """Beyond a thousand values laws are multiplied by Fourier transforms: condition on the steps of 2."""
    ones, twos = 7800, 2900
    steps = np.concatenate([np.ones(4000), -np.ones(3800), np.full(1500, 2), np.full(1400, -2)]).astype(int)
    seen = abs(steps.sum())
    sum_of_twos = 2 * (2 * np.arange(twos + 1) - twos)
    # The ones must add up to at least seen − t, or to at most −seen − t.
    above = binom.sf(np.ceil((ones + seen - sum_of_twos) / 2) - 1, ones, 0.5)
    below = binom.cdf(np.floor((ones - seen - sum_of_twos) / 2), ones, 0.5)
    expected = float(binom.pmf(np.arange(twos + 1), twos, 0.5) @ (above + below))
    assert exact_sign_flips(steps) == pytest.approx(expected, rel=1e-9)


def draw(seed: int, cases: int, bias: float) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(OPTIONS, cases)
    guesses = np.where(rng.random(cases) < bias, "A", rng.choice(OPTIONS, cases))
    return truth.tolist(), np.where(rng.random(cases) < 0.4, truth, guesses).tolist()


def test_single_questions_have_mcnemars_exact_test_and_stuart_and_maxwells() -> None:
    from statsmodels.stats.contingency_tables import SquareTable

    truth, chosen = draw(1, 150, 0.3)
    result = examine_position_bias(truth, chosen, OPTIONS)
    assert result is not None
    for option in result.options:
        only_chosen = sum(c == option.option != t for t, c in zip(truth, chosen, strict=True))
        only_right = sum(t == option.option != c for t, c in zip(truth, chosen, strict=True))
        assert option.p_value == pytest.approx(binomtest(only_chosen, only_chosen + only_right).pvalue)
        assert (option.predicted, option.actual) == (chosen.count(option.option), truth.count(option.option))
    counts = [
        [sum((t, c) == (x, y) for t, c in zip(truth, chosen, strict=True)) for y in OPTIONS] for x in OPTIONS
    ]
    other = SquareTable(np.array(counts), shift_zeros=False).homogeneity("stuart_maxwell")
    assert result.test.p_value == pytest.approx(other.pvalue, rel=1e-6)
    ranked = sorted(x.p_value for x in result.options)
    assert min(x.adjusted for x in result.options) == pytest.approx(min(1, 4 * ranked[0]))


def test_clusters_are_flipped_and_dealt_as_wholes() -> None:
    truth, chosen = draw(1, 12, 0.6)
    clusters = [number // 3 for number in range(12)]
    result = examine_position_bias(truth, chosen, OPTIONS, clusters=clusters)
    assert result is not None
    steps = np.zeros((4, 4), dtype=int)
    for index, (t, c) in enumerate(zip(truth, chosen, strict=True)):
        steps[clusters[index], OPTIONS.index(c)] += 1
        steps[clusters[index], OPTIONS.index(t)] -= 1
    flips = [enumerate_flips(column) for column in steps.T]
    larger = [max(pair) for pair in zip(flips, enumerate_deals(steps), strict=True)]
    assert any(deal > flip for flip, deal in zip(flips, enumerate_deals(steps), strict=True))
    for expected, option in zip(larger, result.options, strict=True):
        assert option.p_value == pytest.approx(float(expected), abs=1e-12)
    smallest = min(larger)
    assert result.test.p_value == pytest.approx(min(1.0, 4 * float(smallest)), abs=1e-12)


def test_the_claim_names_its_test() -> None:
    truth, chosen = draw(2, 400, 0.6)
    for clusters, name in (
        (None, "exact McNemar tests"),
        (list(range(100)) * 4, CLUSTERED_TEST),
    ):
        result = examine_position_bias(truth, chosen, OPTIONS, clusters=clusters)
        assert result is not None
        claim = bias_claim(result, 0.95)
        assert claim is not None
        assert claim.rests_on == f"{name}, adjusted by Holm"


def test_a_single_question_per_cluster_is_no_cluster() -> None:
    truth, chosen = draw(3, 60, 0.3)
    alone = examine_position_bias(truth, chosen, OPTIONS)
    clustered = examine_position_bias(truth, chosen, OPTIONS, clusters=list(range(60)))
    assert alone is not None
    assert clustered is not None
    assert alone.options == clustered.options
    # The joint test of clusters is the smallest p of the four options times 4.
    assert clustered.test.p_value == min(1.0, 4 * min(option.p_value for option in alone.options))


def test_sentences() -> None:
    biased = examine_position_bias(*draw(2, 400, 0.6), OPTIONS)
    assert biased is not None
    claim = bias_claim(biased, 0.95)
    assert claim is not None
    assert claim.text.startswith("Position bias: option A is chosen in ")
    assert "; chosen too rarely: " in claim.text
    fair = examine_position_bias(*draw(2, 400, 0.0), OPTIONS)
    assert fair is not None
    assert bias_claim(fair, 0.95) is None
    assert bias_section(fair, 0.95).text == ("No significant position bias.",)
    truth = ["A", "B"] * 20
    perfect = examine_position_bias(truth, truth, ["A", "B"])
    assert perfect is not None
    assert perfect.test.p_value == 1
    assert examine_position_bias(truth, [None] * 40, ["A", "B"]) is None


def test_answers_without_an_option_are_left_out() -> None:
    truth, chosen = draw(4, 80, 0.4)
    some = examine_position_bias([*truth, "A", "B"], [*chosen, None, None], OPTIONS)
    assert some == examine_position_bias(truth, chosen, OPTIONS)
