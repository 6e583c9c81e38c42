"""Seeded: intervals cover as often as they say, and the test of guessing rejects as seldom as it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import edgeworth as ew
from edgeworth.methods import Bootstrap, ClopperPearson, Delta, Dirichlet

RUNS = 1500
# With 1500 runs the share covered has a standard error of 0.0056 at 95%; 0.935 to 0.965 is 2.7 of them.
LOW, HIGH = 0.935, 0.965


def samples(shares: np.ndarray, cases: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    size = len(shares)
    return rng.multinomial(cases, shares.ravel(), size=RUNS).reshape(RUNS, size, size)


def coverage(shares: np.ndarray, spelling: str, cases: int, method: object = None) -> float:
    truth = ew.measure(ew.ContingencyTable.from_matrix(shares, rows="predicted"), spelling)
    covered = 0
    for counts in samples(shares, cases, seed=cases):
        table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
        covered += truth in ew.estimate(table, spelling, method=method).interval(0.95)
    return covered / RUNS


TWO = np.array([[0.45, 0.10], [0.15, 0.30]])
THREE = np.array([[0.30, 0.06, 0.04], [0.05, 0.22, 0.05], [0.05, 0.07, 0.16]])
UNEVEN = np.array([[0.70, 0.06, 0.02], [0.06, 0.06, 0.01], [0.03, 0.01, 0.05]])


@pytest.mark.parametrize("shares", [TWO, THREE, UNEVEN], ids=["two", "three", "uneven"])
@pytest.mark.parametrize(
    "spelling",
    ["informedness", "markedness", "mcc", "kappa", "accuracy", "recall[1]", "f[1]", "balanced_accuracy"],
)
def test_default_intervals_cover(shares: np.ndarray, spelling: str) -> None:
    assert LOW <= coverage(shares, spelling, 250) <= HIGH


@pytest.mark.parametrize("method", [Delta(), Dirichlet(draws=500), Bootstrap(draws=500)], ids=str)
def test_other_methods_cover_informedness(method: object) -> None:
    # 500 draws blur the bounds a little, always towards less coverage.
    assert LOW - 0.01 <= coverage(THREE, "informedness", 400, method) <= HIGH


def test_clopper_pearson_covers_at_least_its_level() -> None:
    assert coverage(TWO, "recall[0]", 40, ClopperPearson()) >= 0.95


def test_clustered_intervals_cover_where_plain_ones_do_not() -> None:
    # Patients differ in how often they are diagnosed rightly: rows of one patient are alike.
    rng = np.random.default_rng(5)
    runs, patients, visits = 600, 60, 8
    clustered = plain = 0
    for _ in range(runs):
        skill = np.repeat(rng.beta(2, 1, patients), visits)
        truth = rng.integers(0, 2, patients * visits)
        prediction = np.where(rng.random(len(truth)) < skill, truth, 1 - truth)
        tally = ew.ContingencyTable.from_labels(
            truth, prediction, clusters=np.repeat(np.arange(patients), visits)
        )
        expected = 2 / 3 - 1 / 3  # recall − fallout when the mean skill is 2/3
        clustered += expected in ew.estimate(tally, "informedness").interval()
        plain += expected in ew.estimate(replace(tally, clusters=None), "informedness").interval()
    assert clustered / runs >= 0.925
    assert plain / runs <= 0.85


def test_sampling_weights_cover() -> None:
    # Cases are sampled with unequal chances and weighted back.
    rng = np.random.default_rng(6)
    runs, covered = 800, 0
    population = rng.multinomial(1, THREE.ravel(), size=40_000).argmax(axis=1)
    predicted, real = np.divmod(population, 3)
    true_value = ew.measure(ew.ContingencyTable.from_labels(real, predicted), "informedness")
    chance = np.where(real == 2, 0.03, 0.01)
    for _ in range(runs):
        taken = rng.random(len(real)) < chance
        table = ew.ContingencyTable.from_labels(real[taken], predicted[taken], weights=1 / chance[taken])
        covered += true_value in ew.estimate(table, "informedness").interval()
    assert 0.925 <= covered / runs <= 0.975


@pytest.mark.parametrize("labels", [2, 3])
def test_the_exact_test_rejects_guessing_no_more_often_than_it_says(labels: int) -> None:
    rng = np.random.default_rng(7)
    runs, rejected = 1000, 0
    for _ in range(runs):
        truth, prediction = rng.integers(0, labels, (2, 24 if labels == 2 else 15))
        estimate = ew.estimate(ew.ContingencyTable.from_labels(truth, prediction), "informedness")
        rejected += estimate.undefined is None and estimate.p_value() <= 0.05
    assert rejected / runs <= 0.065  # 5% and two standard errors; exact tests stay below


def test_draws_reject_guessing_no_more_often_than_they_say() -> None:
    rng = np.random.default_rng(8)
    runs, rejected = 300, 0
    for run in range(runs):
        truth, prediction = rng.integers(0, 6, (2, 120))
        table = ew.ContingencyTable.from_labels(truth, prediction)
        law = ew.chance.informedness(table, draws=199, rng=run)
        rejected += law.tail(ew.measure(table, "informedness")).p_value <= 0.05
    assert rejected / runs <= 0.085  # 5% and 2.8 standard errors
    assert rejected / runs >= 0.015


@pytest.mark.parametrize(("cases", "share"), [(100, 0.05), (500, 0.02)])
@pytest.mark.parametrize("kind", ["weights", "clusters"])
def test_guessers_with_a_rare_class_are_seldom_called_informed(cases: int, share: float, kind: str) -> None:
    rng = np.random.default_rng(cases)
    options = {kind: np.linspace(0.5, 1.5, cases) if kind == "weights" else np.arange(cases)}
    runs, rejected = 300, 0
    for _ in range(runs):
        truth, prediction = (rng.random((2, cases)) < share).astype(int)
        table = ew.ContingencyTable.from_labels(truth, prediction, labels=[0, 1], **options)
        estimate = ew.estimate(table, "informedness")
        rejected += estimate.undefined is None and estimate.p_value() <= 0.05
    # At 5.5% the standard error of a share of 300 is 0.013.
    assert rejected / runs <= 0.055 + 2 * 0.013


@pytest.mark.parametrize("alike", [0.0, 0.3])
def test_one_large_cluster_among_small_ones_is_covered(alike: float) -> None:
    rng = np.random.default_rng(6)
    sizes = [3] * 39 + [100]
    clusters = np.repeat(np.arange(40), sizes)
    runs, covered = 200, 0
    for _ in range(runs):
        skill = rng.beta(0.8 * (1 / alike - 1), 0.2 * (1 / alike - 1), 40) if alike else np.full(40, 0.8)
        truth = rng.integers(0, 2, len(clusters))
        prediction = np.where(rng.random(len(clusters)) < skill[clusters], truth, 1 - truth)
        tally = ew.ContingencyTable.from_labels(truth, prediction, clusters=clusters)
        covered += 0.6 in ew.estimate(tally, "informedness").interval()
    # At 92.5% the standard error of a share of 200 is 0.019.
    assert covered / runs >= 0.925 - 2 * 0.019


@pytest.mark.parametrize("informed", [0.75, 0.97])
def test_several_classes_with_a_rare_one_are_covered(informed: float) -> None:
    # The delta method alone covers 73 to 80% here.
    real = np.array([0.88, 0.1, 0.02])
    shares = (1 - informed) * np.outer(real / 2 + 1 / 6, real) + informed * np.diag(real)
    truth = ew.measure(ew.ContingencyTable.from_matrix(shares, rows="predicted"), "informedness")
    runs, covered = 300, 0
    for counts in np.random.default_rng(7).multinomial(100, shares.ravel(), size=runs):
        table = ew.ContingencyTable.from_matrix(counts.reshape(3, 3), rows="predicted")
        covered += truth in ew.estimate(table, "informedness").interval()
    # At 92.5% the standard error of a share of 300 is 0.015.
    assert covered / runs >= 0.925 - 2 * 0.015


def test_macro_f_covers_if_a_class_is_hardly_ever_predicted() -> None:
    """Enumerated for 30 targets and 170 others: in 15% of samples no target is predicted at all."""
    targets, others, recall, fallout = 30, 170, 0.05, 0.002
    law = np.array([[others * (1 - fallout), targets * (1 - recall)], [others * fallout, targets * recall]])
    truth = ew.measure(ew.ContingencyTable.from_matrix(law, rows="predicted"), "macro_f")
    covered = total = 0.0
    for hits in range(8):
        for alarms in range(4):
            chance = binom.pmf(hits, targets, recall) * binom.pmf(alarms, others, fallout)
            cells = [[others - alarms, targets - hits], [alarms, hits]]
            interval = ew.estimate(
                ew.ContingencyTable.from_matrix(cells, rows="predicted"), "macro_f"
            ).interval()
            covered += chance * (truth in interval)
            total += chance
    assert total > 0.999
    assert covered > 0.93
