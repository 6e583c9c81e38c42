"""LAGO: a ranker of rare targets by kernels as wide as the distance from each target to the background."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Self, TypeAlias

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.neighbors import NearestNeighbors  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils import Tags  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils.validation import check_is_fitted, validate_data  # type: ignore[import-untyped]  # scikit-learn has no types

from edgeworth.common.arrays import AnyArray, Floats
from edgeworth.common.threads import row_blocks
from edgeworth.errors import InputError, OptionError, check_whole

BLOCK_CELLS = 1 << 16
"""The most pairs of a point and a target handled at once: half a megabyte a temporary."""


Kernel: TypeAlias = Callable[[Floats], Floats]

KERNELS: dict[str, Kernel] = {
    "gaussian": lambda u: -(u * u),
    "triangular": lambda u: np.log(np.maximum(0.0, 1.0 - np.abs(u))),
    "uniform": lambda u: np.log((np.abs(u) <= 1.0).astype(np.float64)),
}
"""Logarithms of one feature's factor: their product would underflow."""


def mean_gaps(targets: Floats, background: Floats, n_neighbors: int) -> Floats:
    """Compute ``r_ij``, the mean of |x_ij − w_j| over the background points w nearest to target i.

    >>> mean_gaps(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0], [-1.0, 2.0], [9.0, 9.0]]), 2).tolist()
    [[1.0, 1.0]]
    """
    # Distances lose digits far from the origin, and only differences matter.
    middle = background.mean(axis=0)
    search = NearestNeighbors(n_neighbors=n_neighbors).fit(background - middle)
    nearest = search.kneighbors(targets - middle, return_distance=False)
    total = np.zeros_like(targets)
    for neighbour in nearest.T:
        total += np.abs(targets - background[neighbour])
    return total / n_neighbors


def widen_radii(radii: Floats, features: Floats) -> Floats:
    """Widen radii of 0, in each feature's own unit.

    A target whose neighbours all have its value of a feature has the radius 0 there. It gets the smallest
    radius that any target has in that feature; where all are 0, the feature's standard deviation; and a
    feature that never varies gets an infinite radius, so that it is left out. Differences within rounding
    error of the feature's values are 0.

    >>> training = np.array([[0.0, 5.0], [3.0, 5.0]])
    >>> widen_radii(np.array([[0.0, 0.0], [3.0, 0.0]]), training).tolist()
    [[3.0, inf], [3.0, inf]]
    """
    rounding = 8 * np.finfo(np.float64).eps * np.abs(features).max(axis=0)
    has_width = radii > rounding
    smallest = np.where(has_width, radii, np.inf).min(axis=0)
    varies = np.ptp(features, axis=0) > rounding
    floor = np.where(np.isinf(smallest) & varies, features.std(axis=0), smallest)
    return np.where(has_width, radii, floor)


def mean_kernels(
    points: Floats, targets: Floats, widths: Floats, kernel: Kernel, *, leave_own_out: bool = False
) -> Floats:
    """Average each point's kernels over the targets, in logarithms and in bounded memory.

    With ``leave_own_out`` the points are the targets, and each is scored by all others.
    """
    scores = np.empty(len(points))
    for rows in row_blocks(len(points), max(1, BLOCK_CELLS // len(targets))):
        values = np.zeros((rows.stop - rows.start, len(targets)))
        with np.errstate(divide="ignore"):
            for feature in range(points.shape[1]):
                gaps = points[rows, feature, None] - targets[:, feature]
                values += kernel(gaps / widths[:, feature])
        if leave_own_out:
            own = np.arange(rows.start, rows.stop)
            values[own - rows.start, own] = -np.inf
        scores[rows] = logsumexp(values, axis=1) - np.log(len(targets) - leave_own_out)
    return scores


def cut_for(scores: Floats, number: int) -> float:
    """Find a score that ``number`` of these exceed, or fewer where scores tie at the cut.

    >>> cut_for(np.array([0.0, 3.0, 1.0, 2.0]), 2), cut_for(np.array([3.0, 0.0, 0.0]), 2)
    (1.5, 1.5)
    """
    first_below = np.sort(scores)[::-1][number]
    above = scores[scores > first_below]
    return float((first_below + above.min()) / 2 if above.size else np.nextafter(first_below, np.inf))


class Lago(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A ranker of rare targets: kernels around the targets, as wide as the background leaves room.

    Parameters
    ----------
    n_neighbors : int
        The number of background points that set the width of each kernel.
    alpha : float
        The factor that stretches all kernels. It matters more than ``n_neighbors``: choose it by
        cross-validation.
    kernel : {"gaussian", "triangular", "uniform"}
        k(u) = exp(−u²), ``max(0, 1 − |u|)``, or 1 where ``|u| ≤ 1``. The authors call the last one not very
        effective.
    positive : label, optional
        The class of the targets; by default the second of ``classes_``.

    Notes
    -----
    ``score(z) = (1/m) Σ_i Π_j k((z_j − x_ij) / (alpha · r_ij))`` over the m training targets x_i. Here r_ij
    is the mean of ``|x_ij − w_j|`` over the ``n_neighbors`` background points w nearest to x_i (Euclidean).
    This estimates the density of the targets with bandwidth r, times r, which is about one over the density
    of the background. So the score is about proportional to the odds of a target. Source: Zhu, Su & Chipman
    2006, LAGO: A computationally efficient approach for statistical detection, Technometrics 48, 193-205.

    ``score_samples`` is the logarithm of the score for the gaussian kernel, because the score underflows far
    from all targets. Points outside all kernels of the other kinds tie at 0.

    ``decision_function`` is ``score_samples − offset_``, with the sign that makes it positive for the second
    class, and ``predict`` cuts it at 0. ``offset_`` is the score that as many training cases exceed as there
    are targets, where each training target is scored by the other targets. This assumes that targets are as
    frequent among new cases as in training.

    Standardise features whose units differ, because neighbours are found in the features' own units. Radii of
    0 are widened (``widen_radii``). Missing values and sparse matrices raise an error.

    Examples
    --------
    >>> ranker = Lago(n_neighbors=2).fit([[0.0], [-1.0], [2.0], [9.0]], [1, 0, 0, 0])
    >>> ranker.radii_.tolist(), ranker.score_samples([[1.5], [3.0]]).tolist()
    ([[1.5]], [-1.0, -4.0])
    >>> ranker.decision_function([[0.1], [9.0]]).round(2).tolist(), ranker.predict([[0.1], [9.0]]).tolist()
    ([0.22, -35.78], [1, 0])
    """

    def __init__(
        self, n_neighbors: int = 5, *, alpha: float = 1.0, kernel: str = "gaussian", positive: object = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.kernel = kernel
        self.positive = positive

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: object, y: object) -> Self:  # noqa: N803  # scikit-learn's name
        """Keep the targets, and measure the distance from each to its nearest background points.

        Parameters
        ----------
        X : array_like, (n, p)
            Features.
        y : array_like, (n,)
            Classes.

        Returns
        -------
        Lago
            The fitted ranker.
        """
        kernel = self._check_kernel()
        features, classes = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(classes)
        self.classes_ = np.unique(classes)
        is_target = classes == self.classes_[self._target_position()]
        targets, background = features[is_target], features[~is_target]
        if self.n_neighbors > len(background):
            raise InputError(
                f"each target needs its {self.n_neighbors} nearest background points (n_neighbors), and "
                f"there are {len(background)} among n_samples = {len(features)}: pass more background or a "
                "smaller n_neighbors"
            )
        self.targets_ = targets
        self.radii_ = widen_radii(mean_gaps(targets, background, self.n_neighbors), features)
        own = mean_kernels(targets, targets, self._widths(), kernel, leave_own_out=len(targets) > 1)
        of_background = mean_kernels(background, targets, self._widths(), kernel)
        self.offset_ = cut_for(self._scores(np.concatenate([own, of_background])), len(targets))
        return self

    def score_samples(self, X: object) -> Floats:  # noqa: N803  # scikit-learn's name
        """Score how near each case is to targets.

        Parameters
        ----------
        X : array_like, (n, p)
            Features.

        Returns
        -------
        array, (n,)
            The logarithm of the score for the gaussian kernel, and the score for the others.
        """
        check_is_fitted(self)
        points = validate_data(self, X, dtype=np.float64, reset=False)
        return self._scores(mean_kernels(points, self.targets_, self._widths(), self._check_kernel()))

    def decision_function(self, X: object) -> Floats:  # noqa: N803  # scikit-learn's name
        """Compute a score that is above 0 for the second of ``classes_``: ``±(score_samples − offset_)``.

        Parameters
        ----------
        X : array_like, (n, p)
            Features.

        Returns
        -------
        array, (n,)
            The scores.
        """
        check_is_fitted(self)
        sign = 1.0 if self._target_position() == 1 else -1.0
        return sign * (self.score_samples(X) - self.offset_)

    def predict(self, X: object) -> AnyArray:  # noqa: N803  # scikit-learn's name
        """Predict the class of each case.

        Parameters
        ----------
        X : array_like, (n, p)
            Features.

        Returns
        -------
        array, (n,)
            The classes.
        """
        decision = self.decision_function(X)
        return np.asarray(self.classes_[(decision > 0).astype(np.intp)])

    def _scores(self, logarithms: Floats) -> Floats:
        return logarithms if self.kernel == "gaussian" else np.exp(logarithms)

    def _widths(self) -> Floats:
        return np.asarray(self.alpha * self.radii_)

    def _check_kernel(self) -> Kernel:
        check_whole(self.n_neighbors, "n_neighbors", 1, Integral)
        if not isinstance(self.alpha, Real) or not 0 < self.alpha < np.inf:
            raise OptionError(f"alpha is a number above 0; saw {self.alpha!r}")
        if self.kernel not in list(KERNELS):
            raise OptionError(f"the kernels are {', '.join(KERNELS)}; saw {self.kernel!r}")
        return KERNELS[self.kernel]

    def _target_position(self) -> int:
        """Find which of the two classes the targets are."""
        number = len(self.classes_)
        if number < 2:
            raise InputError(
                "LAGO needs two classes, targets and background; "
                f"saw 1 class, {self.classes_.tolist()[0]!r}, in all training cases"
            )
        if number > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"saw {number} classes; name the targets and make the rest one class"
            )
        if self.positive is None:
            return 1
        places = np.flatnonzero(self.classes_ == self.positive)
        if not places.size:
            raise InputError(
                f"there are no targets: positive is {self.positive!r}, and the classes are "
                f"{self.classes_.tolist()}"
            )
        return int(places[0])
