"""McNemar's test against SciPy, statsmodels, a published example and exact sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar  # type: ignore[import-untyped]  # it has no types

from edgeworth.comparisons.randomization.coins import (
    MAX_COINS_AS_FRACTION,
    coin_law,
    lower_tail,
    mcnemar,
    ways,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError


@pytest.mark.parametrize("split", [(0, 1), (3, 3), (0, 9), (12, 5), (5, 12), (40, 61), (300, 351)])
def test_equals_scipy_and_statsmodels(split: tuple[int, int]) -> None:
    ours = mcnemar(*split)
    assert ours.p_value == pytest.approx(stats.binomtest(split[0], sum(split)).pvalue, rel=1e-12)
    table = [[7, split[0]], [split[1], 9]]
    assert ours.p_value == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-12)


def test_published_example() -> None:
    """Bentur et al. in Fagerland, Lydersen & Laake 2013: exact 0.070, mid-p 0.039."""
    assert mcnemar(1, 7).exact == Fraction(18, 256)
    assert mcnemar(7, 1, mid_p=True).exact == Fraction(10, 256)


@pytest.mark.parametrize("split", [(1, 1), (2, 5), (0, 4), (4, 4)])
def test_mid_p_counts_the_observed_split_half(split: tuple[int, int]) -> None:
    coins = sum(split)
    away = abs(split[0] - split[1])
    share = {x: Fraction(math.comb(coins, x), 2**coins) for x in range(coins + 1)}
    farther = sum(p for x, p in share.items() if abs(2 * x - coins) > away)
    as_far = sum(p for x, p in share.items() if abs(2 * x - coins) == away)
    assert mcnemar(*split, mid_p=True).exact == farther + as_far / 2


def test_no_discordant_case_is_no_evidence() -> None:
    assert mcnemar(0, 0).exact == 1
    assert mcnemar(0, 0, mid_p=True).exact == 1


@pytest.mark.parametrize("first", [4_970_000, 4_990_000, 4_999_500, 5_000_000, 5_003_000])
def test_ten_million(first: int) -> None:
    """Against the incomplete beta function; SciPy's bdtr itself is wrong in the eighth digit here."""
    coins = 10_000_000
    fewer = min(first, coins - first)
    expected = min(1.0, 2 * float(special.betainc(coins - fewer, fewer + 1, 0.5)))
    assert mcnemar(first, coins - first).p_value == pytest.approx(expected, rel=1e-10)
    point = float(stats.binom.pmf(fewer, coins, 0.5)) * (0.5 if 2 * fewer == coins else 1.0)
    assert mcnemar(first, coins - first, mid_p=True).p_value == pytest.approx(expected - point, rel=1e-10)


@pytest.mark.parametrize(
    ("coins", "heads"),
    [(MAX_COINS_AS_FRACTION + 1, 700), (MAX_COINS_AS_FRACTION + 1, 300), (5_001, 2_400), (20_000, 9_000)],
)
def test_floats_equal_exact_sums(coins: int, heads: int) -> None:
    total = sum(ways(coins)[: heads + 1])
    tail = lower_tail(coins, heads, "binomial")
    assert tail.exact is None
    assert tail.p_value == pytest.approx(float(Fraction(2 * total, 2**coins)), rel=1e-11)


def test_probabilities_at_every_size() -> None:
    for coins in (0, 1, 2, 7, 31, 200, 1_501):
        numbers, law = coin_law(coins)
        assert numbers.tolist() == list(range(coins + 1))
        # What is below the smallest normal float loses digits.
        exact = [float(Fraction(way, 2**coins)) for way in ways(coins)]
        np.testing.assert_allclose(law, exact, rtol=1e-12, atol=1e-300)


def test_a_probability_too_small_for_a_float_is_not_0() -> None:
    tail = mcnemar(0, 5_000)
    assert tail.p_value > 0
    assert tail.kind == "bound"
    assert "below" in tail.method
    assert mcnemar(0, 5_000, mid_p=True).p_value > 0
    assert TestResult.from_probability(0.0, "nothing").p_value > 0


@pytest.mark.parametrize("bad", [(-1, 2), (1.5, 2), (True, 2)])
def test_only_counts(bad: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="whole numbers of cases"):
        mcnemar(*bad)


def test_more_coins_than_memory_holds_are_refused() -> None:
    with pytest.raises(InputError, match="too many to swap"):
        coin_law(10**18)
