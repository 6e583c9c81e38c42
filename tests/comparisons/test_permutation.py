"""The sign-flip test against enumeration as fractions, and against scipy."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgeworth.comparisons.paired_values.exact_values import Scaled, scale_values
from edgeworth.comparisons.paired_values.permutation import permutation_test, sign_flip_tail
from edgeworth.comparisons.randomization import sign_sums
from edgeworth.comparisons.randomization.sign_sums import SignSums
from edgeworth.errors import InputError, OptionError


def enumerated(differences: list[Fraction]) -> Fraction:
    """P(|Σ ± d| ≥ |Σ d|) by going through all signs."""
    observed = abs(sum(differences, Fraction()))
    count = 0
    for signs in product((1, -1), repeat=len(differences)):
        signed = (s * d for s, d in zip(signs, differences, strict=True))
        count += abs(sum(signed, Fraction())) >= observed
    return Fraction(count, 2 ** len(differences))


tenths = st.tuples(st.integers(0, 10), st.integers(0, 10))
average_precisions = st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True).map(
    lambda ranks: [Fraction(i, rank) / len(ranks) for i, rank in enumerate(sorted(ranks), 1)]
)


@given(st.lists(tenths, min_size=1, max_size=9))
def test_grid_values_as_floats_have_the_p_value_of_their_fractions(pairs: list[tuple[int, int]]) -> None:
    floats = [a / 10 - b / 10 for a, b in pairs]
    assert permutation_test(floats, size=1.0).exact == enumerated([Fraction(a - b, 10) for a, b in pairs])


@given(st.lists(st.tuples(average_precisions, average_precisions), min_size=1, max_size=8))
def test_average_precisions_as_floats_have_the_p_value_of_their_fractions(
    pairs: list[tuple[list[Fraction], list[Fraction]]],
) -> None:
    # Added up in floats, term by term: 1/3 + 1/6 is not 1/2 there.
    floats = [sum(map(float, first)) - sum(map(float, second)) for first, second in pairs]
    expected = enumerated([sum(first, Fraction()) - sum(second, Fraction()) for first, second in pairs])
    assert permutation_test(floats, size=1.0).exact == expected


def test_ties_that_floats_would_miss() -> None:
    # 0.1 + 0.2 > 0.3 as floats: flipping all three leaves a sum of the same size, flipping none as well.
    assert permutation_test([0.1, 0.2, -0.3]).exact == 1
    assert permutation_test([0.1, 0.2, 0.3, 0.6]).exact == Fraction(1, 8)
    third = 1 / 3
    assert permutation_test([third, 0.5 - third, -0.5, 0.25]).exact == enumerated(
        [Fraction(1, 3), Fraction(1, 6), Fraction(-1, 2), Fraction(1, 4)]
    )


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=9))
def test_fractions_of_floats_are_taken_exactly(values: list[float]) -> None:
    exact = [Fraction(value) for value in values]
    assert permutation_test(exact).exact == enumerated(exact)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_irregular_floats_have_the_p_value_of_enumeration(scale: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        values = (rng.normal(0.3, 1, 9) * scale).tolist()
        tail = permutation_test(values)
        assert tail.exact == enumerated([Fraction(value) for value in values])
        assert "cannot be told apart after rounding" in tail.method


@settings(max_examples=25)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=10))
def test_every_way_of_counting_is_the_same(numbers: list[int]) -> None:
    units, expected = Scaled.of(numbers), enumerated([Fraction(x) for x in numbers])
    assert sign_flip_tail(units).exact == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_sums, "MAX_BYTES_MOVED", -1)
        assert sign_flip_tail(units).exact == expected
        patch.setattr(sign_sums, "MAX_SUM", 0)
        assert sign_flip_tail(units).exact == expected
        patch.setattr(sign_sums, "MAX_UNITS_WITH_LARGE_SUMS", 0)
        assert sign_flip_tail(units).p_value == pytest.approx(float(expected), rel=1e-10)


def test_forty_units_by_halves_and_by_polynomial(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    units = Scaled.of(rng.integers(-300, 400, 40).tolist())
    by_polynomial = sign_flip_tail(units).exact
    monkeypatch.setattr(sign_sums, "MAX_BYTES_MOVED", 0)
    by_halves = sign_flip_tail(units).exact
    assert by_polynomial is not None
    assert by_polynomial == by_halves
    assert 0.001 < by_polynomial < 0.9


def test_a_thousand_units_on_a_grid_are_exact_in_floats_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    values = (rng.integers(0, 11, 700) - rng.integers(0, 10, 700)) / 10
    exact = permutation_test(values, size=1.0).exact
    monkeypatch.setattr(sign_sums, "MAX_BYTES_MOVED", 0)
    tail = permutation_test(values, size=1.0)
    assert tail.exact is None
    assert tail.kind == "exact"
    assert tail.p_value == pytest.approx(float(exact or 0), rel=1e-10)


def test_a_p_value_too_small_for_a_float_is_not_0() -> None:
    every = permutation_test(np.full(1500, 0.1))
    assert every.p_value == 5e-324
    assert "below 5e-324" in every.method


def test_large_fractions_are_exact() -> None:
    rng = np.random.default_rng(5)
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157]
    values = [
        Fraction(int(rng.integers(-90, 100)), p) * Fraction(1, q)
        for p, q in zip(primes, primes[::-1], strict=True)
    ]
    units = scale_values(values)
    assert units.numbers.dtype == object
    assert permutation_test(values).exact == enumerated(values)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0.4, 1, 9), rng.normal(0, 1, 9)
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=10**9,  # more than there are: all of them
        vectorized=True,
    )
    assert permutation_test(first - second).p_value == pytest.approx(theirs.pvalue, rel=1e-12)


def test_draws_enclose_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    values = rng.normal(0.25, 1, 37)
    exact = permutation_test(values).p_value
    assert 0.01 < exact < 0.9
    only_draw(monkeypatch)
    drawn = [permutation_test(values, draws=9_999, rng=seed) for seed in range(40)]
    # 99% intervals: of forty, four or more misses have a chance of one in a thousand.
    assert sum(not tail.low <= exact <= tail.high for tail in drawn) <= 3
    assert drawn[0] == permutation_test(values, draws=9_999, rng=0)
    assert len({tail.p_value for tail in drawn}) > 30
    few = permutation_test(values, draws=19, rng=1)
    assert (20 * few.p_value) % 1 == pytest.approx(0, abs=1e-12)
    assert "19 choices of 37 signs" in few.method


def test_draws_count_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    # Half of all signs give a sum of 0.1 in size, the others 0.3; as floats 0.1 comes in several sizes.
    values, expected = [0.1, 0.1, -0.1], 1.0
    only_draw(monkeypatch)
    assert permutation_test(values, draws=99).p_value == expected
    # sums of thirds and sixths that a plain comparison of floats would lose
    uneven = [1 / 3, 0.5 - 1 / 3, -0.5, 0.25, np.pi / 1e3]
    exact = enumerated(
        [Fraction(1, 3), Fraction(1, 6), Fraction(-1, 2), Fraction(1, 4), Fraction(np.pi / 1e3)]
    )
    tail = permutation_test(uneven, draws=20_000)
    assert tail.low <= exact <= tail.high


def test_large_fractions_are_drawn_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [Fraction(k, 10**30 + k) for k in (-5, 7, 11, 13, -17, 19, 23, 29)]
    exact = permutation_test(values).p_value
    only_draw(monkeypatch)
    tail = permutation_test(values)
    assert tail.kind == "drawn"
    assert tail.low <= exact <= tail.high


def test_many_large_fractions_that_are_multiples_of_one() -> None:
    tiny = Fraction(1, 10**30 + 57)
    assert scale_values([10**25 * tiny] * 60 + [tiny]).numbers.dtype == object
    tail = permutation_test([10**25 * tiny] * 60)
    assert tail.exact == Fraction(2, 2**60)
    # Too many and too different for exactness: bracketed, on a grid on which the smallest parts are nothing.
    rng = np.random.default_rng(8)
    whole = rng.integers(-9, 11, 60).tolist()
    result = permutation_test([k * 10**18 * tiny + tiny for k in whole])
    assert result.kind == "bracket"
    assert result.low <= permutation_test(whole).p_value <= result.high


def only_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignSums, "exact", lambda *_: None)
    monkeypatch.setattr(SignSums, "bracket", lambda *_: None)


def test_floats_of_any_size() -> None:
    for scale in (1e-310, 1e300):
        assert permutation_test([scale * np.pi, scale * np.e, -scale, scale * 2]).exact == enumerated(
            [Fraction(scale * np.pi), Fraction(scale * np.e), Fraction(-scale), Fraction(scale * 2)]
        )


def test_clusters_flip_together() -> None:
    values = [0.1, 0.3, -0.2, 0.4, 0.25, -0.1]
    clusters = ["a", "b", "a", "c", "b", "c"]
    assert permutation_test(values, clusters=clusters).exact == enumerated(
        [Fraction(-1, 10), Fraction(11, 20), Fraction(3, 10)]
    )
    with pytest.raises(InputError, match="each of 6 values needs a cluster; saw 5 clusters"):
        permutation_test(values, clusters=clusters[:-1])


def test_units_without_a_difference_do_not_matter() -> None:
    values = [0.3, -0.1, 0.2]
    assert permutation_test([*values, 0.0, 0.0]).exact == permutation_test(values).exact
    # Equal but for rounding is no difference.
    assert permutation_test([*values, 0.3 - 0.1 - 0.2]).exact == permutation_test(values).exact
    for nothing in ([0.0] * 5, [], [0.1 + 0.2 - 0.3]):
        assert permutation_test(nothing, size=1.0).p_value == 1


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_p_values_hold_over_all_signs(magnitudes: list[int]) -> None:
    results = [
        permutation_test([s * m for s, m in zip(signs, magnitudes, strict=True)]).exact
        for signs in product((1, -1), repeat=len(magnitudes))
    ]
    for level in set(results):
        assert level is not None
        # A two-sided p-value of an exact test is met as often as it says, at every value it takes.
        assert Fraction(sum(p is not None and p <= level for p in results), len(results)) == level


@pytest.mark.parametrize("values", [[0.1, float("nan")], [float("inf"), 0.2]])
def test_values_that_are_no_numbers_are_refused(values: list[float]) -> None:
    with pytest.raises(InputError, match="must be finite numbers; saw"):
        permutation_test(values)


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="draws is a whole number of at least 1; saw 0"):
        permutation_test([0.1], draws=0)
    with pytest.raises(OptionError, match="a seed is a whole number"):
        permutation_test([0.1], rng=-1)
