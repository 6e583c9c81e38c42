"""How often tests of cross-validated differences reject when two pipelines are equally good.

Two pipelines use one learner on two different halves of the features, and both halves have the same law.
So both are exactly as good on average over training sets, and every rejection is an error. Folds are
stratified, as those of ``cross_evaluate`` are, and 30% of the cases are targets.

The first table has the share of rejections at the 5% level for accuracy: by the paired test of pooled
predictions (McNemar in its normal form, clustered by case), by the t test that takes folds as independent,
and by the corrected resampled t test. The second table has the corrected test for each measure.

    python bench/cross_validation.py [REPEATS]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, stdtr
from scipy.stats import rankdata

Floats = NDArray[np.float64]
Learner = Callable[[Floats, Floats, Floats], Floats]
"""Learn from features and signs, and predict the log odds of a positive sign."""
Measure = Callable[[Floats, Floats], float]
"""Judge log odds by the signs of the cases."""


def nearest_mean(train: Floats, signs: Floats, test: Floats) -> Floats:
    """Predict by the distances from the means of both classes."""
    up, down = train[signs > 0].mean(axis=0), train[signs < 0].mean(axis=0)
    return np.asarray((((test - down) ** 2).sum(1) - ((test - up) ** 2).sum(1)) / 2)


def least_squares(train: Floats, signs: Floats, test: Floats) -> Floats:
    """Predict by a linear regression of the signs."""
    design = np.c_[train, np.ones(len(train))]
    weights = np.linalg.lstsq(design, signs, rcond=None)[0]
    return np.asarray(2 * np.c_[test, np.ones(len(test))] @ weights)


def one_neighbour(train: Floats, signs: Floats, test: Floats) -> Floats:
    """Predict the class of the nearest training case with odds of 3 to 1, an unstable learner."""
    distances = (train**2).sum(1) - 2 * test @ train.T
    return np.asarray(np.log(3) * signs[distances.argmin(axis=1)])


def accuracy(odds: Floats, signs: Floats) -> float:
    """Compute the share of right classes."""
    return float(np.mean((odds > 0) == (signs > 0)))


def balanced_accuracy(odds: Floats, signs: Floats) -> float:
    """Compute the mean recall of both classes, which is (1 + informedness)/2."""
    return float(np.mean(odds[signs > 0] > 0) + np.mean(odds[signs < 0] <= 0)) / 2


def roc_auc(odds: Floats, signs: Floats) -> float:
    """Compute the share of pairs in the right order, ties half."""
    targets = int((signs > 0).sum())
    above = rankdata(odds)[signs > 0].sum() - targets * (targets + 1) / 2
    return float(above / (targets * (len(signs) - targets)))


def average_precision(odds: Floats, signs: Floats) -> float:
    """Compute the mean precision at the scores of targets, tied cases taken together."""
    targets = odds[signs > 0]
    seen = (odds[None, :] >= targets[:, None]).sum(axis=1)
    hits = (targets[None, :] >= targets[:, None]).sum(axis=1)
    return float(np.mean(hits / seen))


def brier(odds: Floats, signs: Floats) -> float:
    """Compute the Brier score."""
    return float(np.mean(expit(-signs * odds) ** 2))


def log_score(odds: Floats, signs: Floats) -> float:
    """Compute the log score."""
    return float(np.mean(np.logaddexp(0, -signs * odds)))


MEASURES: tuple[Measure, ...] = (
    accuracy,
    balanced_accuracy,
    roc_auc,
    average_precision,
    brier,
    log_score,
)


class Setting(NamedTuple):
    """A sample size, a learner and a way to split."""

    cases: int
    learner: Learner
    folds: int
    repeats: int = 1
    shuffled: bool = False
    """Whether each of the splits is drawn by itself, with a tenth of the cases for testing."""

    @property
    def words(self) -> str:
        """Describe the splits."""
        if self.shuffled:
            return f"{self.folds} random splits, 10% for testing"
        return f"{self.folds}-fold" + (f", {self.repeats} times" if self.repeats > 1 else "")


SETTINGS = (
    Setting(50, nearest_mean, 5),
    Setting(50, nearest_mean, 10),
    Setting(200, nearest_mean, 10),
    Setting(100, least_squares, 5),
    Setting(100, least_squares, 10),
    Setting(100, least_squares, 10, 5),
    Setting(200, least_squares, 15, shuffled=True),
    Setting(100, one_neighbour, 5),
    Setting(100, one_neighbour, 10),
    Setting(100, one_neighbour, 5, 10),
)
FEATURES = 4
SHIFT = 0.4
"""The distance of each feature's mean from 0: about 75 to 80% are predicted right."""
TARGETS = 0.3
"""The share of cases with a positive sign."""


class Rejections(NamedTuple):
    """The share of data sets in which each test rejects at the 5% level."""

    pooled: float
    naive: float
    corrected: Floats
    """One share per measure."""


def splits(setting: Setting, signs: Floats, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield the test cases of each split, each class in the same share."""
    classes = [np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)]
    for _ in range(setting.folds if setting.shuffled else setting.repeats):
        orders = [rng.permutation(cases) for cases in classes]
        if setting.shuffled:
            yield np.concatenate([order[: len(order) // 10] for order in orders])
        else:
            # The larger parts of one class meet the smaller parts of the other.
            parts = (np.array_split(order, setting.folds) for order in orders)
            first, second = parts
            yield from map(np.concatenate, zip(first, reversed(second), strict=True))


def simulate(setting: Setting, number: int, seed: int) -> Rejections:
    """Test the difference between two equally good pipelines on simulated data sets."""
    rng = np.random.default_rng([seed, SETTINGS.index(setting)])
    targets = round(TARGETS * setting.cases)
    pooled, naive, corrected = 0, 0, np.zeros(len(MEASURES))
    for _ in range(number):
        signs = rng.permutation(np.repeat([1.0, -1.0], [targets, setting.cases - targets]))
        features = SHIFT * signs[:, None] + rng.normal(size=(setting.cases, 2 * FEATURES))
        differences, net = [], np.zeros(setting.cases)
        for test in splits(setting, signs, rng):
            train = np.setdiff1d(np.arange(setting.cases), test)
            first, second = (
                setting.learner(half[train], signs[train], half[test])
                for half in (features[:, :FEATURES], features[:, FEATURES:])
            )
            actual = signs[test]
            net[test] += ((first > 0) == (actual > 0)).astype(float) - ((second > 0) == (actual > 0))
            differences.append([measure(first, actual) - measure(second, actual) for measure in MEASURES])
        values = np.array(differences)
        pooled += bool(2 * ndtr(-abs(net.sum()) / max(np.sqrt((net**2).sum()), 1e-12)) < 0.05)
        folds = len(values)
        share = 0.1 if setting.shuffled else 1 / setting.folds
        naive += bool(p_values(values[:, 0], 1 / folds) < 0.05)
        corrected += p_values(values, 1 / folds + share / (1 - share)) < 0.05
    return Rejections(pooled / number, naive / number, corrected / number)


def p_values(differences: Floats, factor: float) -> Floats:
    """Test the mean over folds by Student's t, with this factor of the variance between folds."""
    folds = len(differences)
    error = differences.std(axis=0, ddof=1) * np.sqrt(factor)
    distance = np.abs(differences.mean(axis=0)) / np.maximum(error, 1e-12)
    return np.asarray(np.where(error > 1e-12, 2 * stdtr(folds - 1, -distance), 1.0))


def main() -> None:
    """Print two Markdown tables with one line per setting."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    results = {setting: simulate(setting, number, 20) for setting in SETTINGS}
    print("| cases | learner | splits | pooled predictions | folds as independent | corrected |")
    print("|---|---|---|---|---|---|")
    for setting, shares in results.items():
        print(_line(setting, (shares.pooled, shares.naive, shares.corrected[0])))
    names = [measure.__name__.replace("_", " ") for measure in MEASURES]
    print("\n| cases | learner | splits |", " | ".join(names), "|")
    print("|---" * (3 + len(names)) + "|")
    for setting, shares in results.items():
        print(_line(setting, shares.corrected))


def _line(setting: Setting, shares: tuple[float, ...] | Floats) -> str:
    name = setting.learner.__name__.replace("_", " ")
    cells = " | ".join(f"{100 * share:.1f}%" for share in shares)
    return f"| {setting.cases} | {name} | {setting.words} | {cells} |"


if __name__ == "__main__":
    main()
