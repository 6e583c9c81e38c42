"""Seeded: intervals of paired differences cover, and tests reject equal predictors as seldom as they say.

Two predictors of labels are drawn case by case with correlated errors: on a share of the cases they differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.labels.joint_cells import JointCells, joint_cells, one_vs_rest
from edgeworth.comparisons.labels.methods import delta_law, difference_law
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.labels.randomization import swap_test
from edgeworth.comparisons.randomization.coins import mcnemar
from edgeworth.decisions.views import Resolved, resolve


@dataclass(frozen=True)
class Setting:
    """How often the first class is real, each predictor is right, and they differ."""

    labels: int
    prevalence: float
    right: tuple[float, float]
    differ: float
    cases: int

    def shares(self) -> np.ndarray:
        """P(real, first says, second says); wrong labels are as likely as each other."""
        size = self.labels
        both_wrong = 0.0 if size == 2 else 0.15 * self.differ
        lead = self.right[0] - self.right[1]
        only = ((self.differ - both_wrong + lead) / 2, (self.differ - both_wrong - lead) / 2)
        both = self.right[0] - only[0]
        alike = 1 - both - sum(only) - both_wrong
        shares = np.zeros((size, size, size))
        for real in range(size):
            weight = self.prevalence if real == 0 else (1 - self.prevalence) / (size - 1)
            others = [label for label in range(size) if label != real]
            shares[real, real, real] = weight * both
            for one in others:
                shares[real, real, one] = weight * only[0] / len(others)
                shares[real, one, real] = weight * only[1] / len(others)
                for two in others:
                    pairs = len(others) * (len(others) - 1) if one != two else len(others)
                    shares[real, one, two] = weight * (both_wrong if one != two else alike) / pairs
        return shares

    def paired(self, counts: Any) -> ew.Paired:
        real, one, two = (axis.ravel() for axis in np.indices((self.labels,) * 3))
        return ew.Paired.from_labels(real, {"one": one, "two": two}, weights=counts.ravel())

    def samples(self, runs: int, seed: int) -> np.ndarray:
        shape = (runs, *(self.labels,) * 3)
        return (
            np.random.default_rng(seed)
            .multinomial(self.cases, self.shares().ravel(), size=runs)
            .reshape(shape)
        )


def focused(paired: ew.Paired, spelling: str) -> tuple[JointCells, Resolved]:
    cells = joint_cells(paired, "one", "two")
    return one_vs_rest(cells, resolve(cells.tables[0], spelling))


FEW = Setting(2, 0.5, (0.8, 0.8), 0.06, 300)
UNEQUAL = Setting(2, 0.3, (0.85, 0.8), 0.15, 200)
FOUR = Setting(4, 0.4, (0.8, 0.75), 0.2, 400)
SETTINGS = pytest.mark.parametrize("setting", [FEW, UNEQUAL, FOUR], ids=["few", "unequal", "four"])


@SETTINGS
def test_intervals_cover(setting: Setting) -> None:
    spellings = ("informedness", "accuracy", "f[0]")
    true = setting.paired(np.round(setting.shares() * 1e9).astype(np.int64))
    truth = {
        name: ew.measure(true.table("one"), name) - ew.measure(true.table("two"), name) for name in spellings
    }
    covered = dict.fromkeys(spellings, 0)
    for counts in setting.samples(1000, seed=setting.cases):
        cells = joint_cells(setting.paired(counts), "one", "two")
        for name in spellings:
            low, high = difference_law(*one_vs_rest(cells, resolve(cells.tables[0], name))).interval(0.95)
            covered[name] += low <= truth[name] <= high
    # With 1000 runs the share covered has a standard error of 0.007.
    assert all(935 <= count <= 965 for count in covered.values()), covered


@pytest.mark.parametrize(("right", "cases"), [(0.99, 40), (0.99, 200), (0.95, 60)])
def test_intervals_cover_where_the_sample_shows_hardly_an_error(right: float, cases: int) -> None:
    """Nearly perfect against always 1: most samples have no error at all, and the delta method no width."""
    rng = np.random.default_rng(cases)
    runs, covered, naive = 800, 0, 0
    for _ in range(runs):
        truth = np.arange(cases) % 2
        one = np.where(rng.random(cases) < right, truth, 1 - truth)
        paired = ew.Paired.from_labels(truth, {"one": one, "two": np.ones(cases, dtype=int)})
        cells, resolved = focused(paired, "informedness")
        low, high = difference_law(cells, resolved).interval(0.95)
        covered += low <= 2 * right - 1 <= high
        low, high = delta_law(cells, resolved, natural=False).interval(0.95)
        naive += low <= 2 * right - 1 <= high
    # With 800 runs a share of 95% has a standard error of 0.008; so few errors come in large steps.
    assert covered / runs >= 0.935
    assert naive / runs <= (0.5 if cases == 40 else 0.9)


EQUAL = Setting(2, 0.4, (0.8, 0.8), 0.2, 200)
RUNS = 1000  # a standard error of 0.007


def test_exact_randomisation_rejects_equal_predictors_as_often_as_it_says() -> None:
    """Class 0 is the target: counts[real, first says, second says]."""
    real, first, second = np.indices((2, 2, 2)).reshape(3, -1)
    p_values = []
    for counts in EQUAL.samples(RUNS, seed=7):
        paired = ew.Paired.from_labels(real, {"one": first, "two": second}, weights=counts.ravel())
        p_values.append(swap_test(*focused(paired, "f[0]")).p_value)
    assert 0.03 <= (np.array(p_values) <= 0.05).mean() <= 0.07


@cache
def conditional_size(disagreements: int, *, mid_p: bool) -> float:
    """How often one of so many fair coins is found unfair at 5%: every split gone through."""
    rejected = sum(
        math.comb(disagreements, first)
        for first in range(disagreements + 1)
        if mcnemar(first, disagreements - first, mid_p=mid_p).p_value <= 0.05
    )
    return rejected / (1 << disagreements)


def size_of_test(cases: int, right: float, *, mid_p: bool) -> float:
    """The same for independent predictors that are each right so often: the number of coins is binomial."""
    shares = stats.binom.pmf(np.arange(cases + 1), cases, 2 * right * (1 - right))
    return float(
        sum(share * conditional_size(k, mid_p=mid_p) for k, share in enumerate(shares) if share > 1e-9)
    )


# Of recall the cases are the targets.
@pytest.mark.parametrize("right", [0.7, 0.8, 0.9, 0.95])
def test_the_exact_test_keeps_below_its_level_and_mid_p_holds_it(right: float) -> None:
    """Accuracy or recall of at least 200 cases, by enumeration: nothing is drawn."""
    for cases in (200, 333):
        assert size_of_test(cases, right, mid_p=False) <= 0.05
        assert 0.04 <= size_of_test(cases, right, mid_p=True) <= 0.06
    assert max(conditional_size(k, mid_p=False) for k in range(200)) <= 0.05


def test_the_sizes_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "methods" / "comparing-labels.md").read_text(
        encoding="utf-8"
    )
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()]
    conditional = [row for row in rows if len(row) == 3 and row[0].isdigit()]
    assert len(conditional) >= 8
    for coins, exact, middle in conditional:
        assert exact == f"{100 * conditional_size(int(coins), mid_p=False):.1f}"
        assert middle == f"{100 * conditional_size(int(coins), mid_p=True):.1f}"
    whole = [row for row in rows if len(row) == 5 and row[0].isdigit()]
    assert len(whole) >= 8
    for cases, right, coins, exact, middle in whole:
        share = float(right.rstrip("%")) / 100
        assert coins == f"{int(cases) * 2 * share * (1 - share):.0f}"
        assert exact == f"{100 * size_of_test(int(cases), share, mid_p=False):.1f}"
        assert middle == f"{100 * size_of_test(int(cases), share, mid_p=True):.1f}"


def test_walds_test_rejects_equal_predictors_as_often_as_it_says() -> None:
    setting = Setting(4, 0.4, (0.8, 0.8), 0.2, 400)
    rejected = dict.fromkeys(("informedness", "mcc"), 0)
    for counts in setting.samples(1200, seed=8):
        cells = joint_cells(setting.paired(counts), "one", "two")
        for name in rejected:
            law = delta_law(cells, resolve(cells.tables[0], name), natural=False)
            rejected[name] += law.p_value(0.0, "two-sided") <= 0.05
    assert all(48 <= count <= 72 for count in rejected.values()), rejected


def test_groups_cover_and_their_swaps_keep_the_level_where_cases_do_not() -> None:
    """Patients whose eight visits are alike: each is diagnosed better by one predictor or by the other."""
    rng = np.random.default_rng(9)
    runs, patients, visits = 400, 40, 8
    covered = rejected = plain = 0
    for run in range(runs):
        truth = rng.integers(0, 2, patients * visits)
        skill = [np.repeat(rng.beta(2, 1, patients), visits) for _ in range(2)]
        one, two = (np.where(rng.random(len(truth)) < item, truth, 1 - truth) for item in skill)
        predictions = {"one": one, "two": two}
        grouped = ew.Paired.from_labels(truth, predictions, clusters=np.repeat(np.arange(patients), visits))
        low, high = difference_law(*focused(grouped, "informedness")).interval(0.95)
        covered += low <= 0 <= high
        rejected += swap_test(*focused(grouped, "informedness"), draws=499, seed=run).p_value <= 0.05
        low, high = difference_law(
            *focused(ew.Paired.from_labels(truth, predictions), "informedness")
        ).interval(0.95)
        plain += low <= 0 <= high
    # With 400 runs a share of 5% has a standard error of 0.011.
    assert 0.925 <= covered / runs <= 0.975
    assert 0.025 <= rejected / runs <= 0.08
    assert plain / runs <= 0.85


UNEQUAL_SIZES, EQUAL_SIZES = np.repeat([2, 15], [20, 4]), np.full(20, 5)


@pytest.mark.parametrize("sizes", [UNEQUAL_SIZES, EQUAL_SIZES])
@pytest.mark.parametrize(
    ("wins", "losses"),
    [(0.1, 0.02), (0.5, 0.05), (0.9, 0.02), (0.2, 0.2)],
)
def test_clustered_differences_cover_and_stay_within_their_range(
    sizes: np.ndarray, wins: float, losses: float
) -> None:
    """Nine cases in ten do as their cluster does: Student's t covered 69 to 97% there, and went beyond 1."""
    rng, cluster, covered = np.random.default_rng(17), np.repeat(np.arange(len(sizes)), sizes), 0
    for _ in range(600):
        together, alone = rng.random(len(sizes))[cluster], rng.random(len(cluster))
        predicted = np.where(rng.random(len(cluster)) < 0.9, together, alone)
        ahead = np.where(predicted < wins, 1, np.where(predicted < wins + losses, -1, 0))
        counted = PairedProportions((ahead > 0).sum(), (ahead < 0).sum(), len(ahead))
        law = counted.over_clusters(cluster, ahead, np.ones(len(ahead)))
        assert law is not None
        low, high = law.interval(0.95)
        assert -1 <= low < high <= 1
        covered += low - 1e-12 <= wins - losses <= high + 1e-12
    assert covered / 600 >= 0.925 - 3 * math.sqrt(0.925 * 0.075 / 600)
