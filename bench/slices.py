"""How often slices are named, and how often the intervals of their gaps hold together.

    script/coverage slices-clusters -n 2000
    python bench/slices.py 2000 --only clusters

A setting without a true gap shows how often a slice is named by mistake. A setting with one shows how often
it is found. Beside Edgeworth stands the usual z test in the same samples: rows as independent, normal
quantiles, Bonferroni over the slices. For scores it compares average precision, for probabilities the Brier
score, as slices are usually compared.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from coverage_records import Record, print_records, rate
from numpy.typing import NDArray
from scipy.stats import norm

import edgeworth as ew
from edgeworth.core.kinds import kind_of
from edgeworth.core.sampling_distributions import GapLaw
from edgeworth.core.slice_gaps import Gap
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.tally import MODEL, ForecastTally, Opponent
from edgeworth.methods import Delta
from edgeworth.pipeline.slice_gaps import GapTable, compare_slices
from edgeworth.pipeline.slices import Slice

Generator = np.random.Generator
Floats = NDArray[np.float64]
Tallies = list[object]
Usual = Callable[[object], tuple[float, float, float]]
"""The value of a slice, its usual standard error and its weight among the other slices."""
LEVEL = 0.95


@dataclass(frozen=True)
class Setting:
    """A population cut into slices."""

    name: str
    n: int
    """The cases of all slices."""
    draw: Callable[[Generator], Tallies]
    usual: Usual
    measures: tuple[str, ...] = ()
    """The measures to compare by; the usual ones if there are none."""
    gap: float = 0.0
    """The true gap of the first slice; the others have the opposite one if there are two slices."""
    clusters: int | None = None
    lower_is_better: bool = False
    """Whether the measure of the z test is a loss."""
    is_redrawn: bool = False
    """Whether the test draws tables, which takes most of the time."""


@dataclass(frozen=True)
class Outcome:
    """What one sample led to."""

    is_named: bool
    intervals_hold: bool
    is_allowed: bool
    """Whether some slice is large enough for a claim."""
    is_named_by_z: bool
    hold_or_caveat: bool = True
    """Whether each interval holds, or its row carries a caveat or claims nothing."""


def compare(tallies: Tallies, measures: tuple[str, ...] = ()) -> GapTable:
    """Compare slices as a report does."""
    whole = tallies[0]
    for tally in tallies[1:]:
        if not isinstance(tally, ForecastTally):
            whole = whole + tally  # type: ignore[operator]  # tallies of one kind add up
    slices: list[Slice[object]] = [Slice("slice", str(index), 0, None, {}) for index in range(len(tallies))]
    names = measures or kind_of(whole).slice_measures(whole)
    return compare_slices(slices, tallies, whole, names, level=LEVEL)


def judge(setting: Setting, tallies: Tallies) -> Outcome:
    """Compare the slices of one sample by Edgeworth and by the z test."""
    z = is_named_by_z(setting, tallies)
    bounds = gap_bounds(tallies, setting.measures[0]) if setting.is_redrawn else None
    # A slice is named only if its interval excludes 0, so that most samples need no test.
    if bounds is not None and all(low <= 0 <= high for low, high in bounds):
        return Outcome(False, True, True, z)
    table = compare(tallies, setting.measures)
    holds = [
        not row.gap_low > truth and not row.gap_high < truth
        for row in table.rows
        for truth in (setting.gap if row.slice == "0" else -setting.gap,)
    ]
    return Outcome(
        any(row.is_shown and (not setting.gap or row.slice == "0") for row in table.rows),
        all(holds),
        any(row.no_claim is None for row in table.rows),
        z,
        all(
            is_held or (row.no_claim or row.caveat) is not None
            for is_held, row in zip(holds, table.rows, strict=True)
        ),
    )


def gap_bounds(tallies: Tallies, measure: str) -> list[tuple[float, float]] | None:
    """Compute the intervals that a report shows for the gaps of tables, without the tests.

    The result is None if some slice has no interval.
    """
    tables = [tally for tally in tallies if isinstance(tally, ew.ContingencyTable)]
    number = 1 if len(tables) == 2 else len(tables)
    level = 1 - (1 - LEVEL) / number
    bounds: list[tuple[float, float]] = []
    for index in range(number):
        rest = reduce(add, (table for position, table in enumerate(tables) if position != index))
        part, others = (ew.estimate(table, measure) for table in (tables[index], rest))
        if part.law is None or others.law is None:
            return None
        gap = Gap(part.value - others.value, GapLaw((part.value, others.value), part.law, others.law))
        low, high = gap.interval(level) if number == 1 else gap.outer_interval(level)
        bounds.append((low, high))
    return bounds


def is_named_by_z(setting: Setting, tallies: Tallies) -> bool:
    """Tell whether a z test of each slice against the mean of the others names a slice."""
    values, errors, weights = (np.array(column) for column in zip(*map(setting.usual, tallies), strict=True))
    number = 1 if len(tallies) == 2 else len(tallies)
    quantile = norm.ppf(1 - (1 - LEVEL) / 2 / number)
    for index in range(1 if setting.gap else len(tallies)):
        others = np.arange(len(tallies)) != index
        shares = weights[others] / weights[others].sum()
        gap = values[index] - shares @ values[others]
        error = math.sqrt(errors[index] ** 2 + shares**2 @ errors[others] ** 2)
        if (gap if setting.lower_is_better else -gap) > quantile * error:
            return True
    return False


def simulate(setting: Setting, samples: int, seed: int = 1) -> list[Outcome]:
    """Draw samples of a setting and judge each."""
    rng = np.random.default_rng(seed)
    return [judge(setting, setting.draw(rng)) for _ in range(samples)]


def records(settings: Sequence[Setting], samples: int) -> Iterator[Record]:
    """Summarise each setting: a slice named (rejected), all intervals hold (coverage), no claim (caveats)."""
    for setting in settings:
        start = time.perf_counter()
        outcomes = simulate(setting, samples)
        seconds = (time.perf_counter() - start) / samples
        named, error = rate(sum(outcome.is_named for outcome in outcomes), samples)
        yield Record(
            setting.name, "Edgeworth", setting.n, clusters=setting.clusters, rejected=named, se=error,
            coverage=rate(sum(member.intervals_hold for member in outcomes), samples)[0],
            covers_or_caveat=rate(sum(entry.hold_or_caveat for entry in outcomes), samples)[0],
            caveats=rate(sum(not each.is_allowed for each in outcomes), samples)[0],
            samples=samples, seconds=seconds,
        )  # fmt: skip
        named, error = rate(sum(item.is_named_by_z for item in outcomes), samples)
        yield Record(
            setting.name, "z test", setting.n, clusters=setting.clusters, rejected=named, se=error,
            samples=samples,
        )  # fmt: skip


# -- the usual standard errors ---------------------------------------------------------------------------


def usual_estimate(measure: str) -> Usual:
    """Take an estimate and its standard error; slices weigh alike."""

    def usual(tally: object) -> tuple[float, float, float]:
        method = Delta() if isinstance(tally, ew.ContingencyTable) else None
        estimate = ew.estimate(tally, measure, method=method)
        return estimate.value, estimate.standard_error, 1.0

    return usual


def usual_area(tally: object) -> tuple[float, float, float]:
    """Take the ROC area and its standard error, as if rows were independent."""
    assert isinstance(tally, ew.Ranking)
    return usual_estimate("roc_auc")(replace(tally, clusters=None))


def usual_mean(tally: object) -> tuple[float, float, float]:
    """Take the mean of rows and its standard error, as if rows were independent."""
    assert isinstance(tally, ew.Grades)
    rows = float(tally.repeats @ tally.items)
    mean = float(tally.items @ tally.sums) / rows
    spread = float(tally.items @ tally.squares) / rows - mean**2
    return mean, math.sqrt(max(0.0, spread) / (rows - 1)), rows


def usual_rates(recall: float = 1.0, fallout: float = -1.0) -> Usual:
    """Take a combination of recall and fallout with Wald's standard error; slices weigh by their cases."""

    def usual(tally: object) -> tuple[float, float, float]:
        assert isinstance(tally, ew.ContingencyTable)
        cells = np.asarray(tally.cells, dtype=np.float64)[:2]
        real = cells.sum(axis=0)
        rates, factors = cells[1] / real, np.array([fallout, recall])
        return float(factors @ rates), math.sqrt(factors**2 @ (rates * (1 - rates) / real)), float(real.sum())

    return usual


def usual_top_recall(tally: object) -> tuple[float, float, float]:
    """Take the mean recall of the likeliest labels, with Wald's standard error."""
    assert isinstance(tally, ForecastTally)
    return usual_mean_recall(tally.tables[MODEL])


def usual_mean_recall(tally: object) -> tuple[float, float, float]:
    """Take the mean recall over classes that occur, with Wald's standard error."""
    assert isinstance(tally, ew.ContingencyTable)
    cells = np.asarray(tally.cells, dtype=np.float64)
    real = cells.sum(axis=0)
    hits, trials = np.diagonal(cells)[real > 0], real[real > 0]
    rates = hits / trials
    return float(rates.mean()), math.sqrt((rates * (1 - rates) / trials).sum()) / len(trials), 1.0


# -- populations -----------------------------------------------------------------------------------------


def decisions(recall: float, fallout: float, targets: int, others: int, rng: Generator) -> object:
    """Draw the table of a slice."""
    hits, alarms = rng.binomial(targets, recall), rng.binomial(others, fallout)
    matrix = [[others - alarms, targets - hits], [alarms, hits]]
    return ew.ContingencyTable.from_matrix(matrix, rows="predicted", labels=[0, 1])


def many_classes(shares: Floats, right: float, cases: int, rng: Generator) -> object:
    """Draw a table of several classes whose errors go to any other class."""
    size = len(shares)
    law = np.full((size, size), (1 - right) / (size - 1)) * shares
    np.fill_diagonal(law, right * shares)
    cells = rng.multinomial(cases, law.ravel()).reshape(size, size)
    return ew.ContingencyTable.from_matrix(cells, rows="predicted", labels=list(range(size)))


def ranking(area: float, targets: int, others: int, rng: Generator) -> object:
    """Draw binormal scores with a ROC area."""
    distance = math.sqrt(2) * norm.ppf(area)
    scores = np.concatenate([rng.normal(0, 1, others), rng.normal(distance, 1, targets)])
    return ew.Ranking.from_scores(np.repeat([0, 1], [others, targets]), scores)


def calibrated(base: float, cases: int, rng: Generator) -> object:
    """Draw calibrated probabilities of binormal scores with a base rate."""
    truth = (rng.random(cases) < base).astype(int)
    scores = rng.normal(0, 1, cases) + 1.2 * truth
    logits = 1.2 * scores - 0.72 + math.log(base / (1 - base))
    forecasts = Forecasts.of(truth, 1 / (1 + np.exp(-logits)), labels=[0, 1])
    return ForecastTally.of(forecasts, Opponent.class_shares(forecasts, (0.5, 0.5)))


def calibrated_classes(shares: Sequence[float], cases: int, rng: Generator) -> object:
    """Draw calibrated probabilities of three classes with the same law of scores in each class."""
    classes = rng.choice(len(shares), cases, p=shares)
    scores = rng.normal(0, 1, (cases, len(shares)))
    scores[np.arange(cases), classes] += 1.2
    chances = np.exp(1.2 * scores) * shares
    chances /= chances.sum(axis=1, keepdims=True)
    forecasts = Forecasts.of(classes, chances, labels=list(range(len(shares))))
    return ForecastTally.of(forecasts, Opponent.class_shares(forecasts, tuple(shares)))


def scored(base: float, cases: int, rng: Generator, freedom: float = math.inf) -> object:
    """Draw scores with the same law given the class and a base rate; Student's t has heavier tails."""
    truth = (rng.random(cases) < base).astype(int)
    noise = rng.normal(0, 1, cases) if math.isinf(freedom) else rng.standard_t(freedom, cases)
    return ew.Ranking.from_scores(truth, noise + 1.2 * truth)


def exponential(targets: int, others: int, rng: Generator) -> object:
    """Draw exponential scores, four times as large for targets."""
    scores = np.concatenate([rng.exponential(1, others), rng.exponential(4, targets)])
    return ew.Ranking.from_scores(np.repeat([0, 1], [others, targets]), scores)


def clustered(clusters: int, rows: int, rate: float, rng: Generator, name: str, alike: float = 0.3) -> object:
    """Draw right or wrong answers of whole clusters, with a correlation within clusters."""
    size = 1 / alike - 1
    rates = np.repeat(rng.beta(rate * size, (1 - rate) * size, clusters), rows)
    names = [f"{name}{index}" for index in np.repeat(np.arange(clusters), rows)]
    return ew.Grades.from_grades((rng.random(clusters * rows) < rates).astype(float), clusters=names)


def unequal(clusters: int, rate: float, rng: Generator, name: str, alike: float = 0.3) -> object:
    """Draw right or wrong answers of clusters with lognormal sizes, 15 rows in the median."""
    size = 1 / alike - 1
    rows = np.maximum(1, np.rint(rng.lognormal(math.log(15), 0.7, clusters))).astype(int)
    rates = np.repeat(rng.beta(rate * size, (1 - rate) * size, clusters), rows)
    names = [f"{name}{index}" for index in np.repeat(np.arange(clusters), rows)]
    return ew.Grades.from_grades((rng.random(len(rates)) < rates).astype(float), clusters=names)


def crossed(clusters: int, rows: int, rng: Generator) -> Tallies:
    """Draw clusters that have rows in both slices."""
    rates = np.repeat(rng.beta(0.8 * 3, 0.2 * 3, clusters), rows)
    names = np.repeat(np.arange(clusters), rows).astype(str)
    right = (rng.random(clusters * rows) < rates).astype(float)
    is_first = rng.random(clusters * rows) < 0.3
    return [
        ew.Grades.from_grades(right[kept], clusters=names[kept].tolist()) for kept in (is_first, ~is_first)
    ]


def clustered_table(clusters: int, rows: int, rng: Generator, name: str) -> object:
    """Draw decisions of whole clusters whose rows are alike."""
    skill = np.repeat(rng.beta(4, 1, clusters), rows)
    truth = rng.integers(0, 2, clusters * rows)
    prediction = np.where(rng.random(clusters * rows) < skill, truth, 1 - truth)
    names = [f"{name}{index}" for index in np.repeat(np.arange(clusters), rows)]
    return ew.ContingencyTable.from_labels(truth, prediction, clusters=names)


def clustered_scores(clusters: int, rows: int, rng: Generator, name: str) -> object:
    """Draw scores of whole clusters with an effect of their own on prevalence and scores."""
    cluster = np.repeat(np.arange(clusters), rows)
    truth = (rng.random(clusters * rows) < rng.beta(3, 7, clusters)[cluster]).astype(int)
    scores = rng.normal(0, 1, clusters * rows) + 1.2 * truth + rng.normal(0, 1, clusters)[cluster]
    return ew.Ranking.from_scores(truth, scores, clusters=[f"{name}{index}" for index in cluster])


def graded(values: Floats, grade_range: tuple[float, float] | None = None) -> object:
    """Tally grades."""
    return ew.Grades.from_grades(values, grade_range=grade_range)


def _failures_in_one(rng: Generator, cases: int) -> tuple[Floats, Floats]:
    """Draw grades around 91.2, and grades around 95 of which 4% fail with 0."""
    failing = np.where(rng.random(cases) < 0.04, 0.0, rng.normal(95, 1.5, cases).clip(0, 100))
    return rng.normal(91.2, 1.5, cases), failing


THREE = np.array([0.6, 0.3, 0.1])
FOUR = np.full(4, 0.25)
SKEWED = np.array([0.55, 0.25, 0.15, 0.05])
SIX = np.full(6, 1 / 6)
INFORMEDNESS = usual_rates()
RECALL = usual_rates(fallout=0.0)
AREA = usual_estimate("roc_auc")
PRECISION = usual_estimate("average_precision")
BRIER = usual_estimate("brier")


BASE_RATES = (
    Setting(
        "scores, base rates 10% and 40%, 2 × 2,000",
        4000,
        lambda r: [scored(0.1, 2000, r), scored(0.4, 2000, r)],
        PRECISION,
    ),
    Setting(
        "scores with heavy tails (t, 3), base rates 5% and 50%, 2 × 500",
        1000,
        lambda r: [scored(0.05, 500, r, 3.0), scored(0.5, 500, r, 3.0)],
        PRECISION,
    ),
    Setting(
        "probabilities, base rates 10% and 40%, 2 × 2,000",
        4000,
        lambda r: [calibrated(0.1, 2000, r), calibrated(0.4, 2000, r)],
        BRIER,
        lower_is_better=True,
    ),
    Setting(
        "probabilities, base rates 5% and 50%, 2 × 500",
        1000,
        lambda r: [calibrated(0.05, 500, r), calibrated(0.5, 500, r)],
        BRIER,
        lower_is_better=True,
    ),
    Setting(
        "probabilities, five slices of 200, base rates 5% to 45%",
        1000,
        lambda r: [calibrated(base, 200, r) for base in (0.05, 0.15, 0.25, 0.35, 0.45)],
        BRIER,
        lower_is_better=True,
    ),
    Setting(
        "probabilities, five slices of 100 to 800, base rate 20%",
        1700,
        lambda r: [calibrated(0.2, cases, r) for cases in (100, 200, 200, 400, 800)],
        BRIER,
        lower_is_better=True,
    ),
    Setting(
        "probabilities of three classes with other shares, 2 × 600",
        1200,
        lambda r: [calibrated_classes(shares, 600, r) for shares in ((0.7, 0.2, 0.1), (0.2, 0.3, 0.5))],
        usual_top_recall,
    ),
    Setting(
        "informedness, base rates 10% and 50%, 2 × 300",
        600,
        lambda r: [decisions(0.8, 0.1, 30, 270, r), decisions(0.8, 0.1, 150, 150, r)],
        INFORMEDNESS,
    ),
)
CLUSTERS = (
    Setting(
        "right or wrong, 2 slices of 20 clusters × 30 rows",
        1200,
        lambda r: [clustered(20, 30, 0.8, r, "a"), clustered(20, 30, 0.8, r, "b")],
        usual_mean,
        clusters=40,
    ),
    Setting(
        "right or wrong, 2 slices of 60 clusters × 10 rows",
        1200,
        lambda r: [clustered(60, 10, 0.8, r, "a"), clustered(60, 10, 0.8, r, "b")],
        usual_mean,
        clusters=120,
    ),
    Setting(
        "right or wrong, 5 slices of 12 clusters × 20 rows",
        1200,
        lambda r: [clustered(12, 20, 0.9, r, name) for name in "abcde"],
        usual_mean,
        clusters=60,
    ),
    Setting(
        "right or wrong, 2 slices of 20 clusters with lognormal sizes",
        760,
        lambda r: [unequal(20, 0.8, r, "a"), unequal(20, 0.8, r, "b")],
        usual_mean,
        clusters=40,
    ),
    Setting(
        "right or wrong, 30 clusters × 20 rows that cross 2 slices",
        600,
        lambda r: crossed(30, 20, r),
        usual_mean,
        clusters=30,
    ),
    Setting(
        "labels, 2 slices of 20 clusters × 20 rows",
        800,
        lambda r: [clustered_table(20, 20, r, "a"), clustered_table(20, 20, r, "b")],
        INFORMEDNESS,
        clusters=40,
    ),
    Setting(
        "ROC area, 2 slices of 20 clusters × 20 rows",
        800,
        lambda r: [clustered_scores(20, 20, r, "a"), clustered_scores(20, 20, r, "b")],
        usual_area,
        clusters=40,
    ),
)
LABELS = (
    Setting(
        "macro F, 2 slices of 60, 3 classes",
        120,
        lambda r: [many_classes(THREE, 0.8, 60, r) for _ in range(2)],
        usual_estimate("macro_f"),
        ("macro_f",),
        is_redrawn=True,
    ),
    Setting(
        "macro F, 10 slices of 60, 3 classes",
        600,
        lambda r: [many_classes(THREE, 0.8, 60, r) for _ in range(10)],
        usual_estimate("macro_f"),
        ("macro_f",),
        is_redrawn=True,
    ),
    Setting(
        "macro F, 3 slices of 100, 4 classes, the rarest 5%",
        300,
        lambda r: [many_classes(SKEWED, 0.75, 100, r) for _ in range(3)],
        usual_estimate("macro_f"),
        ("macro_f",),
        is_redrawn=True,
    ),
    Setting(
        "kappa, 2 slices of 60, 4 classes",
        120,
        lambda r: [many_classes(FOUR, 0.75, 60, r) for _ in range(2)],
        usual_estimate("kappa"),
        ("kappa",),
        is_redrawn=True,
    ),
    Setting(
        "kappa, 10 slices of 60, 4 classes",
        600,
        lambda r: [many_classes(FOUR, 0.75, 60, r) for _ in range(10)],
        usual_estimate("kappa"),
        ("kappa",),
        is_redrawn=True,
    ),
    Setting(
        "kappa, 5 slices of 80, 3 classes",
        400,
        lambda r: [many_classes(THREE, 0.85, 80, r) for _ in range(5)],
        usual_estimate("kappa"),
        ("kappa",),
        is_redrawn=True,
    ),
    Setting(
        "mean recall, 10 slices of 60, 3 classes",
        600,
        lambda r: [many_classes(THREE, 0.8, 60, r) for _ in range(10)],
        usual_mean_recall,
    ),
    Setting(
        "mean recall, 4 slices of 150, 6 classes",
        600,
        lambda r: [many_classes(SIX, 0.7, 150, r) for _ in range(4)],
        usual_mean_recall,
    ),
    Setting(
        "informedness, 10 slices of 60, recall 0.95",
        600,
        lambda r: [decisions(0.95, 0.05, 30, 30, r) for _ in range(10)],
        INFORMEDNESS,
    ),
)
SCORES = (
    Setting(
        "ROC area, 10 slices of 25 targets and 75 others",
        1000,
        lambda r: [ranking(0.85, 25, 75, r) for _ in range(10)],
        AREA,
    ),
    Setting(
        "ROC area, 10 slices of 22 targets and 128 others, exponential scores",
        1500,
        lambda r: [exponential(22, 128, r) for _ in range(10)],
        AREA,
    ),
)
GRADES = (
    Setting(
        "lognormal grades, 10 slices of 60",
        600,
        lambda r: [graded(r.lognormal(0, 1, 60)) for _ in range(10)],
        usual_mean,
    ),
    Setting(
        "lognormal grades, 10 slices of 200",
        2000,
        lambda r: [graded(r.lognormal(0, 1, 200)) for _ in range(10)],
        usual_mean,
    ),
    Setting(
        "lognormal grades with a heavier tail (σ = 1.5), 10 slices of 200",
        2000,
        lambda r: [graded(r.lognormal(0, 1.5, 200)) for _ in range(10)],
        usual_mean,
    ),
    Setting(
        "grades from 0 to 10, 10 slices of 40",
        400,
        lambda r: [graded(10 * r.beta(4, 0.7, 40), (0.0, 10.0)) for _ in range(10)],
        usual_mean,
    ),
    Setting(
        "grades from 0 to 100 with equal means, 4% failures in one of 2 slices of 60",
        120,
        lambda r: [graded(x, (0.0, 100.0)) for x in _failures_in_one(r, 60)],
        usual_mean,
    ),
    Setting(
        "right or wrong, 10 slices of 40, rate 0.95",
        400,
        lambda r: [graded((r.random(40) < 0.95).astype(float)) for _ in range(10)],
        usual_mean,
    ),
)
GAPS = (
    Setting(
        "informedness 0.60 and 0.70, 2 × (300 and 700)", 2000,
        lambda r: [decisions(0.8, 0.2, 300, 700, r), decisions(0.85, 0.15, 300, 700, r)],
        INFORMEDNESS, gap=-0.1,
    ),
    Setting(
        "informedness 0.30 and 0.50, 2 × (50 and 150)", 400,
        lambda r: [decisions(0.5, 0.2, 50, 150, r), decisions(0.65, 0.15, 50, 150, r)],
        INFORMEDNESS, gap=-0.2,
    ),
    Setting(
        "recall 0.80 and 0.85, 2 × 360 targets", 2000,
        lambda r: [decisions(0.8, 0.1, 360, 640, r), decisions(0.85, 0.1, 360, 640, r)],
        RECALL, ("recall[1]",), gap=-0.05,
    ),
    Setting(
        "recall 0.85 and 0.95, 2 × 120 targets", 1000,
        lambda r: [decisions(0.85, 0.1, 120, 380, r), decisions(0.95, 0.1, 120, 380, r)],
        RECALL, ("recall[1]",), gap=-0.1,
    ),
    Setting(
        "ROC area 0.76 and 0.82, 2 × (300 and 700)", 2000,
        lambda r: [ranking(0.76, 300, 700, r), ranking(0.82, 300, 700, r)], AREA, gap=-0.06,
    ),
    Setting(
        "ROC area 0.76 and 0.82, 2 × (180 and 820)", 2000,
        lambda r: [ranking(0.76, 180, 820, r), ranking(0.82, 180, 820, r)], AREA, gap=-0.06,
    ),
    Setting(
        "ROC area 0.85 and 0.95, 2 × (40 and 160)", 400,
        lambda r: [ranking(0.85, 40, 160, r), ranking(0.95, 40, 160, r)], AREA, gap=-0.1,
    ),
    Setting(
        "right or wrong, 65% and 80%, 2 × 150", 300,
        lambda r: [graded((r.random(150) < rate).astype(float)) for rate in (0.65, 0.8)],
        usual_mean, gap=-0.15,
    ),
    Setting(
        "grades from 0 to 10, means 7.0 and 7.6, 2 × 100", 200,
        lambda r: [graded(10 * r.beta(mean, 10 - mean, 100), (0.0, 10.0)) for mean in (7.0, 7.6)],
        usual_mean, gap=-0.6,
    ),
    Setting(
        "normal grades without a range, a gap of 0.3 standard deviations, 2 × 200",
        400,
        lambda r: [graded(r.normal(mean, 1, 200)) for mean in (0.0, 0.3)],
        usual_mean,
        gap=-0.3,
    ),
    Setting(
        "lognormal grades without a range, means 1.65 and 2.47, 2 × 400",
        800,
        lambda r: [graded(r.lognormal(mean, 1, 400)) for mean in (0.0, math.log(1.5))],
        usual_mean,
        gap=-0.5 * math.exp(0.5),
    ),
)  # fmt: skip
SETTINGS = (*BASE_RATES, *CLUSTERS, *LABELS, *SCORES, *GRADES, *GAPS)


def base_rates(samples: int) -> Iterator[Record]:
    """Yield how often a slice is named when slices differ in nothing but their base rate."""
    yield from records(BASE_RATES, samples)


def clusters(samples: int) -> Iterator[Record]:
    """Yield how often one of several equal slices is named, when rows come in clusters."""
    yield from records(CLUSTERS, samples)


def labels(samples: int) -> Iterator[Record]:
    """Yield how often one of several equal slices of labels is named: macro F, kappa, mean recall."""
    yield from records(LABELS, samples)


def scores(samples: int) -> Iterator[Record]:
    """Yield how often one of ten equal slices of scores is named by its ROC area."""
    yield from records(SCORES, samples)


def grades(samples: int) -> Iterator[Record]:
    """Yield how often one of ten equal slices of grades is named, with and without heavy tails."""
    yield from records(GRADES, samples)


def true_gaps(samples: int) -> Iterator[Record]:
    """Yield how often a true gap between two slices is found, beside a z test in the same samples."""
    yield from records(GAPS, samples)


GRIDS = {
    "slices-base-rates": base_rates,
    "slices-clusters": clusters,
    "slices-labels": labels,
    "slices-scores": scores,
    "slices-grades": grades,
    "slices-gaps": true_gaps,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=500)
    parser.add_argument("--only", default="", help="settings whose name has this in it")
    arguments = parser.parse_args()
    print_records(records([x for x in SETTINGS if arguments.only in x.name], arguments.samples))


if __name__ == "__main__":
    main()
