"""Each method against a computation that shares nothing with it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import edgeworth as ew
from edgeworth.decisions.resampling import influence
from edgeworth.decisions.views import resolve
from edgeworth.errors import OptionError
from edgeworth.methods import Bootstrap, ClopperPearson, Delta, Dirichlet, Newcombe, Wilson

SMOOTH = [m for m in ew.catalogue(kind="decisions") if m.scope != "cells" or m.gradient is not None]


def flag_name(measure: ew.Measure, label: object) -> str:
    return f"{measure.name}[{label}]" if measure.scope == "label" else measure.name


def random_table(seed: int, labels: int = 3, most: int = 30) -> ew.ContingencyTable:
    counts = np.random.default_rng(seed).integers(1, most, (labels, labels))
    return ew.ContingencyTable.from_matrix(counts, rows="predicted")


@pytest.mark.parametrize("measure", SMOOTH, ids=lambda m: m.spelling)
def test_influence_is_the_derivative_by_each_cell(measure: ew.Measure) -> None:
    table = random_table(3)
    spelling = flag_name(measure, 1)
    slopes = influence(table, resolve(table, spelling))
    numeric = np.zeros((3, 3))
    for row, column in np.ndindex(3, 3):
        for sign in (1, -1):
            moved = table.counts.astype(float)
            moved[row, column] += sign * 1e-4
            shifted = ew.ContingencyTable.from_matrix(moved, rows="predicted")
            numeric[row, column] += sign * ew.measure(shifted, spelling) / 2e-4
    numeric -= (table.counts * numeric).sum() / table.total
    assert slopes[:-1] == pytest.approx(numeric, abs=1e-7)


def test_influence_counts_abstentions_too() -> None:
    table = random_table(5).map_predictions({2: None})
    spelling = "informedness(abstentions=discount)"
    slopes = influence(table, resolve(table, spelling))
    assert (table.cells * slopes).sum() == pytest.approx(0, abs=1e-12)
    assert np.any(slopes[-1] != 0)


@given(st.integers(0, 10**6))
def test_delta_error_of_a_proportion_is_the_textbook_one(seed: int) -> None:
    table = random_table(seed)
    for spelling, successes, trials in [
        ("accuracy", np.trace(table.counts), table.total),
        ("recall[1]", table.counts[1, 1], table.real[1]),
        ("precision[2]", table.counts[2, 2], table.predicted[2]),
    ]:
        share = successes / trials
        result = ew.estimate(table, spelling, method=Delta()).standard_error
        assert result == pytest.approx(np.sqrt(share * (1 - share) / trials), rel=1e-10)


@pytest.mark.parametrize(
    "spelling", ["informedness", "markedness", "mcc", "kappa", "f[0]", "mutual_information"]
)
def test_delta_bootstrap_and_posterior_agree_on_a_large_table(spelling: str) -> None:
    truth, prediction = ew.decisions.simulate_labels([0.5, 0.3, 0.2], [0.2, 0.5, 0.3], 0.4, 5000, rng=1)
    table = ew.ContingencyTable.from_labels(truth, prediction)
    methods = (
        Delta(),
        Bootstrap(draws=4000, rng=2),
        Dirichlet(draws=4000, rng=3),
    )
    errors = [ew.estimate(table, spelling, method=method).standard_error for method in methods]
    assert max(errors) / min(errors) < 1.06  # 4000 draws give an error to about 1%, four times over


def test_bootstrap_on_counts_equals_a_bootstrap_on_rows() -> None:
    truth, prediction = ew.decisions.simulate_labels([0.6, 0.4], [0.5, 0.5], 0.3, 300, rng=4)
    rng = np.random.default_rng(5)
    values = []
    for _ in range(3000):
        rows = rng.integers(0, 300, 300)
        hit, alarm = prediction[rows][truth[rows] == 1], prediction[rows][truth[rows] == 0]
        values.append(hit.mean() - alarm.mean())
    table = ew.ContingencyTable.from_labels(truth, prediction)
    law = ew.estimate(table, "informedness", method=Bootstrap(draws=20_000, rng=6)).law
    assert law.standard_error == pytest.approx(np.std(values), rel=0.05)
    assert np.quantile(law.draws, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(values, [0.1, 0.5, 0.9]), abs=0.01
    )


def test_the_posterior_of_recall_is_its_beta() -> None:
    # With ½ a cell, recall of two classes is Beta(hits + ½, misses + ½).
    from scipy import stats

    table = ew.ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted", labels=["+", "-"])
    law = ew.estimate(table, "recall[+]", method=Dirichlet(draws=200_000)).law
    beta = stats.beta(12.5, 18.5)
    assert law.interval(0.9) == pytest.approx(beta.interval(0.9), abs=0.003)


def test_same_seed_same_draws() -> None:
    table = random_table(8)
    first, second = (ew.estimate(table, "kappa", method=Bootstrap(rng=9)).interval() for _ in range(2))
    assert first == second


def test_sampling_weights_widen_by_their_spread() -> None:
    # A row of weight 2 must not count as two rows: equal weights of any size change nothing.
    truth, prediction = ew.decisions.simulate_labels([0.6, 0.4], [0.5, 0.5], 0.3, 400, rng=7)
    plain = ew.ContingencyTable.from_labels(truth, prediction)
    heavy = ew.ContingencyTable.from_labels(truth, prediction, weights=np.full(400, 2.5))
    delta = Delta()
    assert ew.estimate(heavy, "informedness").standard_error == pytest.approx(
        ew.estimate(plain, "informedness", method=delta).standard_error
    )
    frequencies = ew.ContingencyTable.from_labels(truth, prediction, weights=np.full(400, 4))
    assert ew.estimate(frequencies, "informedness", method=delta).standard_error == pytest.approx(
        ew.estimate(plain, "informedness", method=delta).standard_error / 2
    )


def test_weighted_error_equals_the_linearised_sum_over_rows() -> None:
    rng = np.random.default_rng(10)
    truth, prediction = rng.integers(0, 2, (2, 500))
    weights = rng.exponential(1.0, 500)
    table = ew.ContingencyTable.from_labels(truth, prediction, weights=weights)
    right = (truth == prediction).astype(float)
    mean = np.average(right, weights=weights)
    expected = np.sqrt((weights**2 * (right - mean) ** 2).sum()) / weights.sum()
    assert ew.estimate(table, "accuracy", method=Delta()).standard_error == pytest.approx(expected)
    # Wilson's interval has as many trials as Kish's effective size.
    size = weights.sum() ** 2 / (weights**2).sum()
    result = ew.estimate(table, "accuracy").interval()
    assert tuple(result) == pytest.approx(proportion_confint(mean * size, size, method="wilson"))


def test_clusters_of_copies_tell_no_more_than_one_of_each() -> None:
    truth, prediction = ew.decisions.simulate_labels([0.6, 0.4], [0.5, 0.5], 0.3, 200, rng=11)
    copies = ew.ContingencyTable.from_labels(
        np.repeat(truth, 5), np.repeat(prediction, 5), clusters=np.repeat(np.arange(200), 5)
    )
    single = ew.ContingencyTable.from_labels(truth, prediction)
    plain = ew.estimate(single, "informedness", method=Delta()).standard_error
    clustered = ew.estimate(copies, "informedness")
    assert clustered.standard_error == pytest.approx(plain)
    rates = [(truth == real, prediction[truth == real].mean()) for real in (0, 1)]
    by_class = sum(rate * (1 - rate) / (which.sum() - 1) for which, rate in rates)
    result = ew.estimate(copies, "informedness", method=Delta()).standard_error
    assert result == pytest.approx(np.sqrt(by_class))
    again = ew.estimate(copies, "informedness", method=Bootstrap(draws=4000, rng=1))
    assert again.standard_error == pytest.approx(plain, rel=0.06)


def test_clustered_error_equals_the_sum_over_clusters() -> None:
    rng = np.random.default_rng(12)
    truth, prediction = rng.integers(0, 3, (2, 300))
    clusters = rng.integers(0, 40, 300)
    tally = ew.ContingencyTable.from_labels(truth, prediction, clusters=clusters)
    right = (truth == prediction).astype(float) - (truth == prediction).mean()
    sums = np.array([right[clusters == cluster].sum() for cluster in range(40)])
    shares = np.bincount(clusters) / 300
    cr2 = (sums**2 / (1 - shares)).sum() / 300**2
    # Clusters tell no more than as many independent cases.
    assert ew.estimate(tally, "accuracy").standard_error == pytest.approx(
        np.sqrt(max(cr2, (right**2).mean() / 300))
    )


def test_defaults_suit_the_measure() -> None:
    table = random_table(13)
    chosen = {
        name: str(ew.estimate(table, name).method)
        for name in (
            "accuracy",
            "recall[1]",
            "informedness[1]",
            "balanced_accuracy",
            "informedness",
            "rand_index",
        )
    }
    assert chosen == {
        "accuracy": "Wilson",
        "recall[1]": "Wilson",
        "informedness[1]": "Newcombe",
        "balanced_accuracy": "Newcombe",
        "informedness": "delta method",
        "rand_index": "bootstrap, 2,000 draws",
    }


def test_a_perfect_table_is_not_certain() -> None:
    table = ew.ContingencyTable.from_matrix(np.diag([4, 5, 6]), rows="predicted")
    for spelling in ("informedness", "kappa", "mcc", "f[1]", "accuracy"):
        interval = ew.estimate(table, spelling).interval()
        assert interval.low < 0.97, spelling
        assert interval.high == 1.0, spelling


def test_methods_refuse_what_they_cannot_do() -> None:
    weighted = ew.ContingencyTable.from_labels([0, 1, 1, 0], [0, 1, 0, 0], weights=[0.5, 1.0, 2.0, 1.0])
    clustered = ew.ContingencyTable.from_labels([0, 1, 1, 0], [0, 1, 0, 0], clusters=[1, 1, 2, 2])
    for tally in (weighted, clustered):
        with pytest.raises(OptionError, match="Wilson"):
            ew.estimate(tally, "accuracy", method=ClopperPearson())
    with pytest.raises(OptionError, match="proportions"):
        ew.estimate(random_table(1), "kappa", method=Wilson())
    with pytest.raises(OptionError, match="combination"):
        ew.estimate(random_table(1), "informedness", method=Newcombe())
    single = ew.ContingencyTable.from_labels([0, 1], [0, 1], clusters=[1, 1])
    with pytest.raises(OptionError, match="one cluster"):
        ew.estimate(single, "accuracy", method=Delta())
    # Nobody asked for a method, so the value stands and the reason is beside it.
    assert ew.estimate(single, "accuracy").value == 1.0
    assert "one cluster" in str(ew.estimate(single, "accuracy").no_interval)
    with pytest.raises(OptionError, match="draws"):
        Bootstrap(draws=0)
    with pytest.raises(OptionError, match="prior"):
        Dirichlet(prior=-1)


SAMPLES: dict[str, tuple[Any, Any]] = {
    "all right": (np.arange(30) % 2, np.arange(30) % 2),
    "all wrong": (np.arange(30) % 2, 1 - np.arange(30) % 2),
    "one answer": (np.arange(30) % 2, np.zeros(30, int)),
    "one class": (np.zeros(30, int), np.arange(30) % 2),
    "one class, all right": (np.zeros(30, int), np.zeros(30, int)),
    "three classes": (np.arange(30) % 3, np.arange(30) % 3),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(
    "options", [{}, {"clusters": np.arange(30) // 3}, {"weights": np.linspace(0.5, 1.5, 30)}]
)
def test_no_interval_is_of_zero_width(sample: str, options: dict[str, Any]) -> None:
    table = ew.ContingencyTable.from_labels(*SAMPLES[sample], **options)
    for measure in ew.catalogue():
        if measure.kind == "decisions":
            spelling = f"{measure.name}[0]" if measure.scope == "label" else measure.name
            low, high = ew.estimate(table, spelling).interval()
            assert math.isnan(low) or low < high, spelling


def test_newcombe_of_one_proportion_is_wilson() -> None:
    table = random_table(2)
    for measure in ("accuracy", "coverage", "recall[0]"):
        one, two = (ew.estimate(table, measure, method=method) for method in (Newcombe(), Wilson()))
        assert one.interval(0.9) == pytest.approx(two.interval(0.9), rel=1e-12)


def test_rounded_fractions_have_an_error_and_bounds_within_the_range() -> None:
    """0.37/0.37 comes out a hair above 1 when the total is a sum of fractions."""
    table = ew.ContingencyTable.from_matrix([[0, 0, 0.37], [0.74, 0, 0], [0, 0, 0]], rows="predicted")
    estimate = ew.estimate(table, "informedness[0]")
    assert estimate.standard_error == 0
    assert estimate.interval().low == -1
