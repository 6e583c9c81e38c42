"""Student's t, effect sizes, Wilcoxon and sign tests against scipy, statsmodels and enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from edgeworth.comparisons.paired_values.exact_values import Scaled, scale_values
from edgeworth.comparisons.paired_values.paired_tests import (
    MeanDifference,
    mean_difference,
    sign_test,
    signed_ranks,
    wilcoxon_test,
)
from edgeworth.comparisons.planning import noncentral_t
from edgeworth.comparisons.randomization import sign_sums


def pairs(seed: int, size: int, shift: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, size), rng.normal(0, 1, size)


@pytest.mark.parametrize("size", [2, 5, 40, 1000])
def test_student_s_t_is_scipy_s(size: int) -> None:
    first, second = pairs(size, size)
    result, theirs = mean_difference(first - second), stats.ttest_rel(first, second)
    assert result.test().p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert result.statistic == pytest.approx(theirs.statistic, rel=1e-10)
    assert result.law is not None
    for level in (0.5, 0.95, 0.999):
        expected = theirs.confidence_interval(level)
        assert result.law.interval(level) == pytest.approx((expected.low, expected.high), rel=1e-10)
    one_sided = stats.ttest_rel(first, second, alternative="greater").pvalue
    assert result.probability_above == pytest.approx(1 - one_sided, rel=1e-10)


def test_the_error_over_unequal_clusters_is_cr2_written_out_as_matrices() -> None:
    """Bell & McCaffrey 2002: residuals times (I − H)^(-1/2) of their cluster, and the trace formula."""
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(12), rng.integers(1, 15, 12))
    number = len(clusters)
    values = rng.normal(0.1, 1, number) + rng.normal(0, 1, 12)[clusters]
    rest = np.eye(number) - 1 / number
    sums, columns = [], []
    for cluster in range(12):
        inside = clusters == cluster
        sizes, vectors = np.linalg.eigh(rest[np.ix_(inside, inside)])
        root = vectors @ np.diag(sizes**-0.5) @ vectors.T
        sums.append(np.ones(inside.sum()) @ root @ (values - values.mean())[inside] / number)
        columns.append(rest[:, inside] @ root @ np.ones(inside.sum()) / number)
    products = np.array(columns) @ np.array(columns).T
    difference = mean_difference(values, clusters=clusters.tolist())
    assert difference.standard_error == pytest.approx(np.sqrt(np.square(sums).sum()), rel=1e-10)
    assert difference.freedom == pytest.approx(np.trace(products) ** 2 / (products**2).sum(), rel=1e-9)
    assert difference.caveat is None
    assert mean_difference([3.0, 1, 2, 4], clusters=["a", "a", "a", "b"]).caveat is not None


def test_the_error_over_clusters_of_one_size_is_that_of_a_clustered_regression() -> None:
    import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no stubs

    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(15), 6)
    values = rng.normal(0.1, 1, 90) + rng.normal(0, 1, 15)[clusters]
    theirs = sm.OLS(values, np.ones(90)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    difference = mean_difference(values, clusters=clusters.tolist())
    assert difference.value == pytest.approx(theirs.params[0], rel=1e-12)
    assert difference.standard_error == pytest.approx(theirs.bse[0], rel=1e-10)
    assert difference.units == len(set(clusters.tolist()))
    assert difference.test().p_value == pytest.approx(theirs.pvalues[0], rel=1e-8)
    alone = mean_difference(values, clusters=range(90))
    assert alone.standard_error == pytest.approx(mean_difference(values).standard_error, rel=1e-12)


def test_differences_that_do_not_vary_have_no_law() -> None:
    none = mean_difference([0.0, 0.0, 0.0])
    assert (none.test().p_value, none.probability_above, none.law, none.effect()) == (1.0, 0.5, None, None)
    # 0.1 three times, as floats come out of subtractions.
    same = mean_difference([0.1, 0.3 - 0.2, 0.4 - 0.3], size=1.0)
    assert same.standard_error == 0
    assert same.value == pytest.approx(0.1)
    assert math.isnan(same.test().p_value)
    assert math.isnan(same.probability_above)
    assert same.no_law is not None
    assert "the same in every unit" in same.no_law
    one = mean_difference([0.2])
    assert one.law is None
    assert one.no_law is not None
    assert "single unit" in one.no_law


# -- effect size ---------------------------------------------------------------------------------------


def test_published_limits_of_the_noncentral_t() -> None:
    # Kelley, MBESS: conf.limits.nct(t.value=2.83, df=126, conf.level=.95) gives 0.8337502 and 4.815359.
    effect = MeanDifference(2.83, 1.0, 127, 126.0).effect()
    assert effect is not None
    low, high = effect.interval()
    assert low * math.sqrt(127) == pytest.approx(0.8337502, abs=2e-7)
    assert high * math.sqrt(127) == pytest.approx(4.815359, abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("units", [2, 3, 10, 200, 5000])
@pytest.mark.parametrize("statistic", [-30.0, -2.0, 0.0, 1e-3, 1.5, 12.0, 300.0])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_bounds_leave_half_of_the_rest_on_each_side(units: int, statistic: float, level: float) -> None:
    effect = MeanDifference(statistic, 1.0, units, units - 1.0).effect()
    assert effect is not None
    assert effect.value == pytest.approx(statistic / math.sqrt(units))
    root = math.sqrt(units)
    below = [beneath(units - 1, bound * root, statistic) for bound in effect.interval(level)]
    assert below == pytest.approx([(1 + level) / 2, (1 - level) / 2], abs=1e-7)


def beneath(freedom: float, centre: float, statistic: float) -> float:
    """P(T ≤ t) = E Φ(t s − δ) over s = √(χ²/ν), by adaptive integration in pieces."""
    ends = [stats.chi.ppf(q, freedom) / math.sqrt(freedom) for q in (1e-14, 0.01, 0.5, 0.99, 1 - 1e-14)]
    if statistic and ends[0] < centre / statistic < ends[-1]:
        turn = centre / statistic
        near = [turn + k / abs(statistic) for k in (-8, -3, 0, 3, 8)]
        ends = sorted({*ends, *(x for x in near if ends[0] < x < ends[-1])})

    def integrand(s: float) -> float:
        density = stats.chi.pdf(s * math.sqrt(freedom), freedom) * math.sqrt(freedom)
        return float(stats.norm.cdf(statistic * s - centre) * density)

    return math.fsum(integrate.quad(integrand, low, high, epsabs=1e-11)[0] for low, high in pairwise(ends))


@given(st.integers(1, 300), st.floats(-60, 60), st.floats(-4, 4))
def test_the_noncentral_law_turns_round(freedom: int, statistic: float, away: float) -> None:
    centre = statistic + away
    value = noncentral_t(freedom, centre, statistic)
    assert 0 <= value <= 1 + 1e-12
    assert noncentral_t(freedom, -centre, -statistic) == pytest.approx(1 - value, abs=1e-9)
    assert noncentral_t(freedom, centre + 0.1, statistic) <= value + 1e-9


@pytest.mark.parametrize(
    ("centre", "below"), [(1e7, 0.0), (1e19, 0.0), (1e300, 0.0), (-1e10, 1.0), (-1e300, 1.0)]
)
@pytest.mark.parametrize("statistic", [-2.0, 0.0, 2.0, 40.0])
def test_the_noncentral_law_has_a_limit_far_out(centre: float, below: float, statistic: float) -> None:
    assert noncentral_t(5, centre, statistic) == below


# -- Wilcoxon and sign ---------------------------------------------------------------------------------


def enumerated_wilcoxon(numbers: list[int]) -> Fraction:
    """Zeros left out, mean ranks of ties, all signs gone through."""
    kept = [x for x in numbers if x]
    ranks = [
        Fraction(sum(abs(y) < abs(x) for y in kept) + 1 + sum(abs(y) <= abs(x) for y in kept), 2)
        for x in kept
    ]
    observed = abs(sum((r if x > 0 else -r for x, r in zip(kept, ranks, strict=True)), Fraction()))
    count = sum(
        abs(sum((s * r for s, r in zip(signs, ranks, strict=True)), Fraction())) >= observed
        for signs in product((1, -1), repeat=len(kept))
    )
    return Fraction(count, 2 ** len(kept))


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_wilcoxon_is_enumeration_with_ties_and_zeros(numbers: list[int]) -> None:
    assert wilcoxon_test(Scaled.of(numbers)).exact == enumerated_wilcoxon(numbers)


@pytest.mark.parametrize("size", [5, 20, 50])
def test_wilcoxon_is_scipy_s_exact_test_without_ties(size: int) -> None:
    first, second = pairs(size, size, 0.3)
    theirs = stats.wilcoxon(first, second, method="exact")
    assert wilcoxon_test(scale_values(first - second)).p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_wilcoxon_is_scipy_s_approximation_for_many_units_with_ties() -> None:
    rng = np.random.default_rng(8)
    values = rng.integers(-9, 11, 3000)
    tail = wilcoxon_test(scale_values(values))
    assert tail.kind == "approximation"
    # With ties scipy corrects by half a rank, as if there were none; ours is half the step of the sums.
    theirs = stats.wilcoxon(values, method="approx", correction=False)
    assert tail.p_value == pytest.approx(theirs.pvalue, rel=1e-3)
    distinct = rng.normal(0.01, 1, 3000)
    corrected = stats.wilcoxon(distinct, method="approx", correction=True)
    assert wilcoxon_test(scale_values(distinct)).p_value == pytest.approx(corrected.pvalue, rel=1e-9)


def test_the_approximation_takes_over_smoothly(monkeypatch: pytest.MonkeyPatch) -> None:
    units = scale_values(np.random.default_rng(9).normal(0.1, 1, 200))
    exact = wilcoxon_test(units)
    monkeypatch.setattr(sign_sums, "MAX_BYTES_MOVED", 0)
    normal = wilcoxon_test(units)
    assert (exact.kind, normal.kind) == ("exact", "approximation")
    assert normal.p_value == pytest.approx(exact.p_value, rel=0.01)


def test_magnitudes_that_differ_by_rounding_share_a_rank() -> None:
    # 0.1 three ways, with π beside it so that the floats are not read as tenths.
    units = scale_values([0.1, 0.3 - 0.2, -(0.4 - 0.3), math.pi / 7, 1e-17], size=1.0)
    assert units.slack > 0
    assert signed_ranks(units).numbers.tolist() == [4, 4, -4, 8, 0]


@given(st.lists(st.integers(-2, 2), max_size=40))
def test_the_sign_test_is_scipy_s(numbers: list[int]) -> None:
    wins, losses = sum(x > 0 for x in numbers), sum(x < 0 for x in numbers)
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(Scaled.of(numbers)).p_value == pytest.approx(expected, rel=1e-12)


def test_the_sign_test_of_very_many_units() -> None:
    signs = Scaled.of([1] * 51_000 + [-1] * 50_000 + [0] * 7)
    tail = sign_test(signs)
    assert tail.p_value == pytest.approx(stats.binomtest(51_000, 101_000).pvalue, rel=1e-9)
    assert "7 ties left out" in tail.method
    assert sign_test(Scaled.of([1] * 5_000)).p_value == 5e-324
