"""How often `compare` names a winner between equals, and how often its intervals cover.

    script/coverage winners-grades -n 2000
    python bench/winners.py 500 --only classes

Beside Edgeworth stands the plain method (Student's t, permutation, delta method) without the rules of
``comparisons/policy.py``. Each function is a group of settings. Only the sample sizes that are planned in
"plans" are found by a real difference; every other winner is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from coverage_records import Record, rate, run_grids
from numpy.typing import NDArray
from scipy.optimize import brentq

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.differences import compare_forecasts, mean_score_difference
from edgeworth.comparisons.graded_means import guard_mean
from edgeworth.comparisons.labels.differences import label_differences, reason_for_no_winner
from edgeworth.comparisons.labels.joint_cells import joint_cells, one_vs_rest
from edgeworth.comparisons.labels.methods import difference_law
from edgeworth.comparisons.paired_values.differences import value_difference
from edgeworth.comparisons.paired_values.permutation import sign_flip_tail
from edgeworth.comparisons.planning import units_needed
from edgeworth.core.estimates import Estimate
from edgeworth.core.measures import Direction
from edgeworth.decisions.views import resolve
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import case_scores

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
DrawForecasts: TypeAlias = Callable[[np.random.Generator, int], tuple[Integers, Floats, Floats, Floats]]
DrawGrades: TypeAlias = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
LEVEL = 0.95
DRAWS = 999
"""Of a permutation test, which takes most of the time here."""
PERMUTE = partial(sign_flip_tail, draws=DRAWS)


@dataclass
class Counts:
    """What happened in the samples of one setting: by the plain method, and as reported."""

    plain: str
    """The name of the plain method."""
    named: Floats = field(default_factory=lambda: np.zeros(2))
    covered: Floats = field(default_factory=lambda: np.zeros(2))
    covered_or_caveat: Floats = field(default_factory=lambda: np.zeros(2))
    caveats: int = 0
    """The samples in which a line carries a caveat, or in which no winner may be named."""

    def add(self, plain: Difference, reported: Difference, truth: float, *, is_wrong: bool = True) -> None:
        """Count one sample; ``is_wrong`` tells whether a winner counts."""
        for index, difference in enumerate((plain, reported)):
            self.named[index] += is_wrong and is_named(difference)
            low, high = difference.interval(LEVEL)
            covers = low <= truth <= high
            self.covered[index] += covers
            self.covered_or_caveat[index] += covers or (index == 1 and reported.row_caveat is not None)
        self.caveats += reported.row_caveat is not None

    def records(self, setting: str, n: int, samples: int, *, covers: bool = True) -> Iterator[Record]:
        """Make the records of both methods."""
        for index, method in enumerate((self.plain, "Edgeworth")):
            named, error = rate(int(self.named[index]), samples)
            yield Record(
                setting, method, n, rejected=named, se=error, samples=samples,
                coverage=self.covered[index] / samples if covers else None,
                covers_or_caveat=self.covered_or_caveat[index] / samples if covers else None,
                caveats=self.caveats / samples if index else 0.0,
            )  # fmt: skip


def is_named(difference: Difference) -> bool:
    """Tell whether test and interval show a difference and nothing withholds the winner."""
    return difference.is_shown(LEVEL) and bool(difference.p_value() < 1 - LEVEL)


@dataclass(frozen=True)
class Forecasters:
    """Two constant or noisy forecasters and the law of the outcome."""

    name: str
    score: str
    draw: DrawForecasts
    """Outcomes, the probabilities of both systems, and the true ones."""
    are_equal: bool = True
    """Whether expected scores are equal, so that any winner is wrong; otherwise the worse one is."""


def _two(first: float, second: float, true: float) -> DrawForecasts:
    """Forecast nearly constant probabilities of an event; what is not the event varies by a tenth."""

    def draw(rng: np.random.Generator, cases: int) -> tuple[Integers, Floats, Floats, Floats]:
        codes = (rng.random(cases) < true).astype(np.int64)
        near = [min(p, 1 - p) * rng.uniform(0.9, 1.1, cases) for p in (first, second)]
        one, two = (near[i] if p < 0.5 else 1 - near[i] for i, p in enumerate((first, second)))
        forecasts = (np.stack([1 - p, p], axis=1) for p in (one, two, np.full(cases, true)))
        return codes, *forecasts  # type: ignore[return-value]  # three arrays

    return draw


def _varying(rng: np.random.Generator, cases: int) -> tuple[Integers, Floats, Floats, Floats]:
    """Rare events with varying risks; the truth lies halfway, so that expected Brier scores are equal."""
    low = rng.beta(0.5, 60, cases)
    high = low + rng.uniform(0.0, 0.03, cases)
    true = (low + high) / 2
    codes = (rng.random(cases) < true).astype(np.int64)
    low_p, high_p, true_p = (np.stack([1 - p, p], axis=1) for p in (low, high, true))
    return codes, low_p, high_p, true_p


def _three_classes(rng: np.random.Generator, cases: int) -> tuple[Integers, Floats, Floats, Floats]:
    """Two common classes that both forecast alike, and a rare one at 0.5%, given 0.1% and 0.9%."""
    split = rng.uniform(0.2, 0.8, cases)

    def forecast(rare: float) -> Floats:
        return np.stack([(1 - rare) * split, (1 - rare) * (1 - split), np.full(cases, rare)], axis=1)

    true = forecast(0.005)
    codes = (rng.random(cases)[:, None] > true.cumsum(axis=1)).sum(axis=1)
    return codes.astype(np.int64), forecast(0.001), forecast(0.009), true


def _too_sure_in_the_tail(rng: np.random.Generator, cases: int) -> tuple[Integers, Floats, Floats, Floats]:
    """Give risks below 5% a hundredth of their probability, and the true one to all others."""
    true = 1 / (1 + np.exp(-rng.normal(-3, 2.5, cases)))
    codes = (rng.random(cases) < true).astype(np.int64)
    too_sure = np.where(true < 0.05, 0.01 * true, true)
    too_sure_p, true_p = (np.stack([1 - p, p], axis=1) for p in (too_sure, true))
    return codes, too_sure_p, true_p, true_p


SETTINGS = (
    (
        Forecasters("0.9999 against the calibrated 0.99", "brier", _two(0.9999, 0.99, 0.99), False),
        (50, 100, 200),
    ),
    (Forecasters("0.9999 against the calibrated 0.99", "log", _two(0.9999, 0.99, 0.99), False), (100,)),
    (Forecasters("events at 1%, equal Brier scores", "brier", _two(0.001, 0.019, 0.01)), (100, 300, 1000)),
    (Forecasters("varying risks near 2%, equal Brier scores", "brier", _varying), (100, 300, 1000)),
    (
        Forecasters("a third class at 0.5%, equal Brier scores", "brier", _three_classes),
        (200, 1000, 3000),
    ),
    *(
        (
            Forecasters(
                "risks below 5% divided by 100, against calibrated ones", score, _too_sure_in_the_tail, False
            ),
            (100, 300),
        )
        for score in ("brier", "log")
    ),
)


def forecasters(samples: int) -> Iterator[Record]:
    """Yield how often the wrong forecaster is named when almost nothing happened."""
    for setting, sizes in SETTINGS:
        for cases in sizes:
            rng, counts = np.random.default_rng(cases), Counts("Student's t")
            for _ in range(samples):
                codes, one, two, true = setting.draw(rng, cases)
                labels = tuple(range(true.shape[1]))
                systems = {name: Forecasts(codes, p, labels) for name, p in (("one", one), ("two", two))}
                losses = [case_scores(system, (setting.score,))[0] for system in systems.values()]
                expected = _expected_difference(systems["one"], systems["two"], true, setting.score)
                plain = mean_score_difference(*losses, names=("one", "two"), score=setting.score)
                pairs = compare_forecasts(systems, measures=[setting.score]).pairs
                is_wrong = setting.are_equal or plain.difference * expected < 0
                counts.add(plain, pairs["one", "two"][setting.score], expected, is_wrong=is_wrong)
            yield from counts.records(f"{setting.name} ({setting.score})", cases, samples)


def _expected_difference(one: Forecasts, two: Forecasts, true: Floats, score: str) -> float:
    total = np.zeros(len(true))
    for index in range(true.shape[1]):
        codes = np.full(len(true), index)
        first, second = (case_scores(replace(item, codes=codes), (score,))[0] for item in (one, two))
        total += true[:, index] * (first - second)
    return float(total.mean())


def _time_outs(
    rng: np.random.Generator, items: int, share: float, limit: float = 60.0
) -> tuple[Floats, Floats]:
    """Seconds of two systems with equal means: one is faster, but a share of its items takes the limit."""
    base = rng.lognormal(1.0, 0.3, items)
    mean = math.exp(1.0 + 0.3**2 / 2)
    faster = base * (mean - share * limit) / (mean * (1 - share))
    return base, np.where(rng.random(items) < share, limit, faster)


def _skewed(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Lognormal costs with a heavy tail, independent and with equal means."""
    return rng.lognormal(0.0, 1.5, items), rng.lognormal(1.5**2 / 2 - 1.0**2 / 2, 1.0, items)


def grades(samples: int) -> Iterator[Record]:
    """Yield how often a winner is named between heavy-tailed grades with equal means."""
    settings: list[tuple[str, DrawGrades, tuple[float, float] | None, tuple[int, ...]]] = [
        ("3% time-outs, no range", lambda r, n: _time_outs(r, n, 0.03), None, (30, 60, 150, 300)),
        ("4% time-outs, no range", lambda r, n: _time_outs(r, n, 0.04), None, (15, 30)),
        ("2% time-outs, no range", lambda r, n: _time_outs(r, n, 0.02), None, (60, 150, 200, 300, 400)),
        ("lognormal costs (σ = 1.5 and 1), no range", _skewed, None, (30, 150)),
        ("3% time-outs, range 0 to 60", lambda r, n: _time_outs(r, n, 0.03), (0.0, 60.0), (30, 60, 150)),
    ]
    for name, draw, bounds, sizes in settings:
        for items in sizes:
            rng, counts = np.random.default_rng(items), Counts("permutation and t")
            for _ in range(samples):
                one, two = draw(rng, items)
                plain, reported = _graded_pair(one, two, bounds, "lower")
                counts.add(plain, reported, 0.0)
            yield from counts.records(name, items, samples)


def _graded_pair(
    one: Floats, two: Floats, bounds: tuple[float, float] | None, direction: Direction
) -> tuple[Difference, Difference]:
    """Compare two means without the rule for rare values, and with it."""
    reach = math.inf if bounds is None else bounds[1] - bounds[0]
    plain = value_difference(one, two, measure="mean", direction=direction, reach=reach, permute=PERMUTE)
    return plain, guard_mean(plain, np.stack([one, two], axis=1), reach, None)


def real_differences(samples: int) -> Iterator[Record]:
    """Yield how often a real difference is found: the rules cost hardly any power."""
    rng, counts = np.random.default_rng(189), Counts("Student's t")
    for _ in range(samples):
        risk = 1 / (1 + np.exp(-rng.normal(-0.9, 1.0, 189)))
        codes = (rng.random(189) < risk).astype(np.int64)
        noisy = 1 / (1 + np.exp(-(np.log(risk / (1 - risk)) + rng.normal(0, 0.9, 189))))
        systems = {
            name: Forecasts(codes, np.stack([1 - p, p], axis=1), (0, 1))
            for name, p in (("one", risk), ("two", noisy))
        }
        losses = [case_scores(system, ("brier",))[0] for system in systems.values()]
        plain = mean_score_difference(*losses, names=("one", "two"), score="brier")
        counts.add(plain, compare_forecasts(systems, measures=["brier"]).pairs["one", "two"]["brier"], 0.0)
    yield from counts.records("probabilities, a third events", 189, samples, covers=False)
    rng, counts = np.random.default_rng(5), Counts("permutation and t")
    for _ in range(samples):
        easy = rng.beta(3, 2, 60)
        one, two = (np.clip(easy + rng.normal(shift, 0.15, 60), 0, 1) for shift in (0.1, 0.0))
        counts.add(*_graded_pair(one, two, (0.0, 1.0), "higher"), 0.0)
    yield from counts.records("grades from 0 to 1", 60, samples, covers=False)
    yield from _real_differences_without_range(samples)


def _real_differences_without_range(samples: int) -> Iterator[Record]:
    """Yield what the rules for rare values cost grades without a range."""
    settings: list[tuple[str, DrawGrades]] = [
        ("normal grades, no range", lambda r, n: (r.normal(5, 1, n), r.normal(4.75, 1, n))),
        ("exponential grades, no range", lambda r, n: (r.exponential(1, n), 0.75 * r.exponential(1, n))),
        (
            "lognormal grades (σ = 0.5), no range",
            lambda r, n: (r.lognormal(0, 0.5, n), 0.85 * r.lognormal(0, 0.5, n)),
        ),
        ("paired lognormal grades (σ = 1), no range", _paired_lognormal),
    ]
    for name, draw in settings:
        for items in (150, 400):
            rng, counts = np.random.default_rng(items), Counts("permutation and t")
            for _ in range(samples):
                slow, fast = draw(rng, items)
                counts.add(*_graded_pair(slow, fast, None, "lower"), 0.0)
            yield from counts.records(name, items, samples, covers=False)


def _paired_lognormal(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Draw costs of the same items for two systems, the second of which is cheaper by a tenth."""
    shared = rng.lognormal(0.0, 1.0, items)
    return shared * rng.lognormal(0.0, 0.3, items), 0.9 * shared * rng.lognormal(0.0, 0.3, items)


def _confusion(shares: Floats, recall: Floats, drawn_to: Floats) -> Floats:
    """P(real, predicted): a wrong prediction goes to another class in proportion to how it is drawn there."""
    matrix = np.tile(drawn_to, (len(shares), 1))
    np.fill_diagonal(matrix, 0)
    matrix *= ((1 - recall) / matrix.sum(axis=1))[:, None]
    np.fill_diagonal(matrix, recall)
    return matrix * shares[:, None]


def _equal_systems(shares: list[float], measure: str) -> Floats:
    """P(real, first, second) of a system that hardly predicts the last class and one that overpredicts it.

    The second one's other recalls are chosen so that both have the same value of the measure.
    """
    common = len(shares) - 1
    shy = _confusion(np.array(shares), np.array([0.9] * common + [0.4]), np.array([1.0] * common + [0.05]))

    def bold(recall: float) -> Floats:
        return _confusion(
            np.array(shares), np.array([recall] * common + [0.7]), np.array([1.0] * common + [0.6])
        )

    def value(matrix: Floats) -> float:
        table = ew.ContingencyTable.from_matrix(np.round(matrix * 1e9).astype(np.int64), rows="actual")
        return float(ew.measure(table, measure))

    other = bold(float(brentq(lambda recall: value(bold(recall)) - value(shy), 0.3, 0.995)))
    return np.asarray(np.einsum("yi,yj->yij", shy / np.array(shares)[:, None], other))


def _few_predictions(prevalence: float) -> Floats:
    """P(real, first, second) of two systems with the same markedness; the first hardly ever predicts 1."""

    def law(recall: float, fallout: float) -> Floats:
        return np.array([[1 - fallout, fallout], [1 - recall, recall]])

    def markedness(recall: float, fallout: float) -> float:
        shares = law(recall, fallout) * [[1 - prevalence], [prevalence]]
        right = np.diagonal(shares) / shares.sum(axis=0)
        return float(right.sum() - 1)

    bold = float(brentq(lambda fallout: markedness(0.5, fallout) - markedness(0.1, 0.008), 1e-4, 0.4))
    joint = np.einsum("yi,yj->yij", law(0.1, 0.008), law(0.5, bold))
    return np.asarray(joint * np.array([1 - prevalence, prevalence])[:, None, None])


def classes(samples: int) -> Iterator[Record]:
    """Yield how often a winner is named between labels that are equal by a measure, with a rare class."""
    settings: list[tuple[str, str, int, Floats]] = [
        (measure, f"{measure}, {len(shares)} classes, the rarest {shares[-1]:.0%}", cases, law)
        for measure, shares, cases in (
            ("macro_f", [0.6, 0.37, 0.03], 300),
            ("kappa", [0.6, 0.37, 0.03], 300),
            ("markedness", [0.6, 0.37, 0.03], 300),
            ("macro_f", [0.9, 0.07, 0.03], 200),
            ("macro_f", [0.6, 0.37, 0.03], 1500),
            ("macro_f", [0.1] * 10, 200),
        )
        for law in (_equal_systems(shares, measure),)
    ]
    settings += [
        ("markedness", f"markedness, 2 classes, one system predicts the targets ({share:.0%}) rarely", n, law)
        for share, n in ((0.1, 300), (0.2, 600))
        for law in (_few_predictions(share),)
    ]
    for measure, name, cases, law in settings:
        rng, counts = np.random.default_rng(cases), Counts("delta method")
        for drawn in rng.multinomial(cases, law.ravel(), size=samples):
            difference = _label_difference(drawn.reshape(law.shape), measure)
            counts.add(replace(difference, no_winner=None), difference, 0.0)
        yield from counts.records(name, cases, samples)


def _label_difference(counts: Integers, measure: str) -> Difference:
    """Compare two systems by their joint counts, without a test if the interval already holds 0.

    A winner needs both, so the result is the same and most samples need no draws.
    """
    real, one, two = (axis.ravel() for axis in np.indices(counts.shape))
    paired = ew.Paired.from_labels(real, {"one": one, "two": two}, weights=counts.ravel())
    whole = joint_cells(paired, "one", "two")
    cells, resolved = one_vs_rest(whole, resolve(whole.tables[0], measure))
    if not any(resolved.undefined(table) for table in cells.tables):
        law = difference_law(cells, resolved, None)
        low, high = law.interval(LEVEL)
        if low <= 0 <= high:
            reason = reason_for_no_winner(cells, resolved, law)
            values = cells.values(resolved)
            return Difference(measure, "one", "two", values, law=law, no_winner=reason)
    return label_differences(paired, "one", "two", [measure], quick=True)[measure]


def plans(samples: int) -> Iterator[Record]:
    """Yield the cases that are planned from a few disagreements, and how often they name a winner."""
    for name, prevalence, disagreements in (
        ("one disagreement in 100", 0.5, [(1, True)]),
        ("a disagreement in each class, targets 20%", 0.2, [(1, True), (0, True)]),
        ("three against one, targets 20%", 0.2, [(1, True), (1, True), (0, True), (0, False)]),
    ):
        truth = (np.arange(100) < 100 * prevalence).astype(np.int64)
        one, two = truth.copy(), truth.copy()
        one[::5] = two[::5] = 1 - truth[::5]
        taken: list[int] = []
        for label, first_is_right in disagreements:
            index = next(i for i in range(100) if truth[i] == label and one[i] == label and i not in taken)
            taken.append(index)
            (two if first_is_right else one)[index] = 1 - label
        paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
        difference = label_differences(paired, "one", "two", ["informedness"])["informedness"]
        for method, amounts in (("normal approximation", None), ("Edgeworth", difference.amounts)):
            needed = round(units_needed(replace(difference, amounts=amounts)).needed)
            power, error = rate(_winners_at(needed, truth, one, two, samples), samples)
            yield Record(name, method, needed, rejected=power, se=error, samples=samples)


def _winners_at(cases: int, truth: Integers, one: Integers, two: Integers, runs: int) -> int:
    """Draw samples of that many cases from the joint counts, and count the winners named."""
    rng, named = np.random.default_rng(cases), 0
    keys, counts = np.unique(np.stack([truth, one, two]), axis=1, return_counts=True)
    for drawn in rng.multinomial(cases, counts / counts.sum(), size=runs):
        paired = ew.Paired.from_labels(keys[0], {"one": keys[1], "two": keys[2]}, weights=drawn)
        named += is_named(label_differences(paired, "one", "two", ["informedness"])["informedness"])
    return named


def leaders(samples: int) -> Iterator[Record]:
    """Yield how often the interval for the best of several equal systems covers its true level."""
    for number, cases in ((3, 200), (10, 200)):
        rng, covered = np.random.default_rng(number), np.zeros(2)
        for _ in range(samples):
            truth = rng.integers(0, 2, cases)
            right = rng.random((number, cases)) < 0.8
            best = int(right.sum(axis=1).argmax())
            table = ew.ContingencyTable.from_labels(truth, np.where(right[best], truth, 1 - truth))
            covered += _leader_covers(ew.estimate(table, "accuracy"), number, 0.8)
        yield from _leader_records(
            f"the best of {number} equal classifiers, accuracy 0.8", cases, covered, samples
        )
    rng, covered = np.random.default_rng(8), np.zeros(2)
    for _ in range(samples):
        values = rng.beta(3, 2, (8, 60))
        best = int(values.mean(axis=1).argmax())
        graded = ew.Grades.from_grades(values[best], grade_range=(0, 1))
        covered += _leader_covers(ew.estimate(graded, "mean"), 8, 0.6)
    yield from _leader_records("the best of 8 equal graders, mean 0.6", 60, covered, samples)


def _leader_covers(estimate: Estimate, systems: int, truth: float) -> tuple[bool, bool]:
    """Tell whether the plain interval, and the one that `compare` reports for a leader, cover."""
    return truth in estimate.interval(LEVEL), truth in estimate.interval(1 - (1 - LEVEL) / systems)


def _leader_records(setting: str, n: int, covered: Floats, samples: int) -> Iterator[Record]:
    for method, count in zip(("plain interval", "Edgeworth"), covered, strict=True):
        share, error = rate(int(count), samples)
        yield Record(setting, method, n, coverage=share, se=error, samples=samples)


GRIDS: dict[str, Callable[[int], Iterator[Record]]] = {
    "winners-forecasters": forecasters,
    "winners-grades": grades,
    "winners-classes": classes,
    "winners-real": real_differences,
    "winners-plans": plans,
    "winners-leaders": leaders,
}


if __name__ == "__main__":
    run_grids(GRIDS, __doc__)
