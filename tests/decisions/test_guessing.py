"""The law of guessing with fixed margins, against enumeration of every assignment of predictions to cases."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import edgeworth as ew
from edgeworth.chance import guessing_law
from edgeworth.core.test_results import hypergeometric_tails
from edgeworth.decisions import guessing as enumeration
from edgeworth.decisions.guessing import GuessingLaw, random_tables
from edgeworth.errors import InputError, OptionError

SIX_DEFINITIONS = [[3, 0, 0], [0, 1, 2], [2, 1, 3]]  # rows real, from the mathematics' table of numbers


def powers(truth: tuple[int, ...], prediction: tuple[int, ...]) -> Fraction:
    """Informedness by definition, as a fraction, over the labels that have odds."""
    n = len(truth)
    value = Fraction(0)
    for label in set(truth):
        real = truth.count(label)
        if real == n:
            continue
        predicted = prediction.count(label)
        hits = sum(t == p == label for t, p in zip(truth, prediction, strict=True))
        value += Fraction(predicted, n) * (Fraction(hits, real) - Fraction(predicted - hits, n - real))
    return value


def every_guess(truth: tuple[int, ...], prediction: tuple[int, ...]) -> Counter[Fraction]:
    """Informedness of every order of the predictions, all equally likely."""
    return Counter(powers(truth, guess) for guess in itertools.permutations(prediction))


@pytest.mark.slow
@given(
    st.integers(2, 7).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 2), min_size=n, max_size=n),
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
        )
    )
)
def test_tails_and_moments_equal_all_permutations(columns: tuple[list[int], list[int]]) -> None:
    truth, prediction = (tuple(column) for column in columns)
    if len(set(truth)) == 1:
        truth = (*truth[:-1], truth[-1] + 1)
    table = ew.ContingencyTable.from_labels(list(truth), list(prediction))
    law = ew.chance.informedness(table)
    values = every_guess(truth, prediction)
    total = sum(values.values())
    mean = sum(value * ways for value, ways in values.items()) / Fraction(total)
    variance = sum(value**2 * ways for value, ways in values.items()) / Fraction(total)
    assert mean == 0
    assert law.variance == pytest.approx(float(variance), abs=1e-13)
    for value in values:
        upper = Fraction(sum(ways for v, ways in values.items() if v >= value), total)
        lower = Fraction(sum(ways for v, ways in values.items() if v <= value), total)
        either = Fraction(sum(ways for v, ways in values.items() if abs(v) >= abs(value)), total)
        assert law.tail(value).exact == upper
        assert law.tail(float(value)).exact == upper
        assert law.lower_tail(value).exact == lower
        assert law.two_sided(value).exact == either


def test_the_numbers_of_the_three_by_three() -> None:
    table = ew.ContingencyTable.from_matrix(SIX_DEFINITIONS, rows="real")
    law = ew.chance.informedness(table)
    assert law.tables == 63
    assert law.variance == pytest.approx(28835 / 513216, abs=1e-15)
    assert law.tail(Fraction(31, 72)).exact == Fraction(1, 24)
    assert law.two_sided(31 / 72).exact == Fraction(13, 168)
    estimate = ew.estimate(table, "informedness")
    assert estimate.p_value() == float(Fraction(13, 168))
    assert estimate.p_value(alternative="greater") == float(Fraction(1, 24))


def test_draws_agree_with_enumeration() -> None:
    table = ew.ContingencyTable.from_matrix(SIX_DEFINITIONS, rows="real")
    law = ew.chance.informedness(table, draws=40_000, rng=3)
    upper = law._threshold(Fraction(31, 72))
    drawn = law._monte_carlo(upper, None)
    both = law._monte_carlo(upper, 2 * law._centre - upper)
    assert drawn.low <= 1 / 24 <= drawn.high
    assert both.low <= 13 / 168 <= both.high


def test_draws_without_integer_weights_agree_too() -> None:
    # Slopes are compared as floats, whatever their common denominator, and never in our favour.
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149]
    rng = np.random.default_rng(4)
    truth = np.repeat(np.arange(10), primes)
    prediction = np.where(rng.random(len(truth)) < 0.03, truth, rng.permutation(truth))
    table = ew.ContingencyTable.from_labels(truth, prediction)
    law = ew.chance.informedness(table, draws=4000, rng=5)
    tail = law.tail(ew.measure(table, "informedness"))
    normal = stats.norm.sf(ew.measure(table, "informedness") / law.standard_deviation)
    assert tail.low - 0.01 <= normal <= tail.high + 0.01


def test_two_labels_are_fishers_exact_test() -> None:
    table = ew.ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    tail = ew.chance.informedness(table).tail(ew.measure(table, "informedness"))
    fisher = stats.fisher_exact([[56, 48], [14, 32]], alternative="greater").pvalue
    assert tail.p_value == pytest.approx(fisher, rel=1e-10)


def test_two_labels_stay_exact_when_large() -> None:
    counts = [[56_000, 48_000], [55_600, 48_500]]
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    law = ew.chance.informedness(table)
    assert law.tables is None
    value = ew.measure(table, "informedness")
    below, above = (stats.fisher_exact(counts, alternative=side).pvalue for side in ("less", "greater"))
    assert law.lower_tail(value).p_value == pytest.approx(below, rel=1e-7)
    assert law.tail(value).p_value == pytest.approx(above, rel=1e-7)
    assert law.two_sided(value).method == "exact, hypergeometric"
    # The margins are so even that both tails are all but equal.
    assert law.two_sided(value).p_value == pytest.approx(2 * above, rel=0.02)


@pytest.mark.parametrize(
    ("total", "marked", "drawn", "count"),
    [
        (50, 20, 20, 3),
        (50, 20, 20, 13),
        (10**6, 3000, 5000, 40),
        (10**6, 300_000, 500_000, 151_000),
        (7, 7, 3, 3),
    ],
)
def test_hypergeometric_tails_agree_with_scipy(total: int, marked: int, drawn: int, count: int) -> None:
    lower, upper = hypergeometric_tails(total, marked, drawn, count)
    assert upper == pytest.approx(stats.hypergeom.sf(count - 1, total, marked, drawn), rel=2e-8)
    assert lower == pytest.approx(stats.hypergeom.cdf(count, total, marked, drawn), rel=2e-8)


def test_a_tail_far_out_is_as_accurate_as_one_near() -> None:
    # All 400 marked items among 400 drawn of 1000: one way in C(1000, 400).
    from math import comb

    _, upper = hypergeometric_tails(1000, 400, 400, 400)
    assert upper == pytest.approx(1 / comb(1000, 400), rel=1e-9)


@pytest.mark.parametrize("informed", [0.3, 0.6])
def test_the_certified_bound_holds(informed: float) -> None:
    # Where enumeration is possible the bound must lie above the exact tail, for every attainable value.
    truth, prediction = ew.decisions.simulate_labels([0.4, 0.3, 0.3], [0.3, 0.4, 0.3], informed, 30, rng=6)
    law = ew.chance.informedness(ew.ContingencyTable.from_labels(truth, prediction))
    assert law._ways_by_sum is not None
    every = sum(ways for ways, _ in law._ways_by_sum.values())
    running = 0
    for total, (ways, _) in sorted(law._ways_by_sum.items(), reverse=True):
        running += ways
        assert running / every <= law._concentration(Fraction(total)) + 1e-15


def test_the_certified_bound_is_used_where_draws_could_not_tell() -> None:
    truth, prediction = ew.decisions.simulate_labels([0.1] * 10, [0.1] * 10, 0.7, 2000, rng=7)
    table = ew.ContingencyTable.from_labels(truth, prediction)
    tail = ew.chance.informedness(table).tail(ew.measure(table, "informedness"))
    assert tail.method.startswith("proven bound")
    assert 0 < tail.high < 1e-50


def test_measures_with_equal_slopes_share_one_p_value() -> None:
    table = ew.ContingencyTable.from_matrix(SIX_DEFINITIONS, rows="real")
    values = {ew.estimate(table, name).p_value() for name in ("accuracy", "kappa", "mcc")}
    assert len(values) == 1
    correct = ew.estimate(table, "accuracy").p_value(alternative="greater")
    wrong = ew.estimate(table, "error_rate").p_value(alternative="less")
    assert wrong == pytest.approx(correct, abs=0.005)


@given(st.lists(st.integers(0, 6), min_size=9, max_size=9).filter(lambda cells: sum(cells) > 0))
def test_a_labels_measures_are_tested_by_its_hits(cells: list[int]) -> None:
    counts = np.array(cells).reshape(3, 3)
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    hits, predicted, real, total = counts[0, 0], counts[0].sum(), counts[:, 0].sum(), counts.sum()
    expected = stats.hypergeom(total, real, predicted).sf(hits - 1)
    for name, alternative in (("recall[0]", "greater"), ("precision[0]", "greater"), ("fallout[0]", "less")):
        estimate = ew.estimate(table, name)
        if estimate.undefined is None:
            assert estimate.p_value(alternative=alternative) == pytest.approx(expected, rel=1e-9)


def test_what_guessing_cannot_change_has_no_test_against_it() -> None:
    table = ew.ContingencyTable.from_matrix(SIX_DEFINITIONS, rows="real")
    with pytest.raises(OptionError, match="pass null="):
        ew.estimate(table, "prevalence[0]").p_value()
    assert 0 < ew.estimate(table, "prevalence[0]").p_value(0.3) <= 1


def test_weights_rule_exact_laws_out() -> None:
    weighted = ew.ContingencyTable.from_labels([0, 1, 1, 0], [0, 1, 0, 0], weights=[0.5, 1.0, 2.0, 1.0])
    with pytest.raises(InputError, match="needs counts"):
        ew.chance.informedness(weighted)
    assert 0 < ew.estimate(weighted, "informedness").p_value() <= 1


def test_the_law_needs_cases() -> None:
    with pytest.raises(InputError):
        GuessingLaw((0, 0), (0, 0), (Fraction(1), Fraction(1)))


def test_any_diagonal_measure_has_the_same_law_up_to_its_slope() -> None:
    table = ew.ContingencyTable.from_matrix(SIX_DEFINITIONS, rows="real")
    law = guessing_law(table, lambda predicted, _: [Fraction(1)] * len(predicted))
    assert law.variance == pytest.approx(
        guessing_law(table, lambda predicted, _: [Fraction(2)] * len(predicted)).variance / 4
    )


@pytest.mark.parametrize(("labels", "cases"), [(6, 20), (4, 30), (5, 40)], ids=["first", "second", "large"])
def test_what_is_foreseen_to_be_too_much_is_not_begun(
    labels: int, cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("no table may be made")

    monkeypatch.setattr(enumeration, "_compositions", begun)
    with pytest.raises(enumeration.TooMany):
        enumeration.enumerate_hits([cases] * labels, [cases] * labels, range(labels))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
@example([(1, 1)])
@example([(1, 0), (1, 1), (1, 1)])
@example([(0, 1), (1, 1), (2, 1)])
def test_tables_that_are_drawn_have_the_margins(cases: list[tuple[int, int]]) -> None:
    predicted, real = (np.bincount(column, minlength=4).tolist() for column in zip(*cases, strict=True))
    (drawn,) = random_tables(predicted, real, 20, seed=0)
    assert drawn.shape == (20, 4, 4)
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=2) == predicted).all()
    assert (drawn.sum(axis=1) == real).all()
