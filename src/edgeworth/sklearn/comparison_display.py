"""A display of differences between systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import displayable, format_level
from edgeworth.core.options import CompareOptions
from edgeworth.errors import InputError
from edgeworth.report.charts.chart import FIRST
from edgeworth.sklearn.drawing import CHANCE_COLOUR, chart_column, chart_rows, new_axes
from edgeworth.sklearn.predictions import Fold, Kind, pool_folds, predict_cases, second_class, target_of
from edgeworth.sklearn.scoring import Classifier
from edgeworth.sources.columns import Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComparisonDisplay:
    """A plot of the differences between systems, measure by measure, with their intervals.

    Parameters
    ----------
    what : sequence of str
        The measures.
    difference, low, high : sequence of float
        The differences and the bounds of their intervals.
    names : sequence of str
        The two systems.
    level : float
        The confidence level.
    verdict : str
        The title.

    Examples
    --------
    >>> ComparisonDisplay(["accuracy"], [0.1], [0.02], [0.18], names=("a", "b")).plot().ax_.get_xlabel()
    'a − b'
    """

    def __init__(
        self,
        what: Sequence[str],
        difference: Sequence[float] | Floats,
        low: Sequence[float] | Floats,
        high: Sequence[float] | Floats,
        *,
        names: Sequence[str] = (),
        level: float = 0.95,
        verdict: str = "",
    ) -> None:
        self.what, self.difference = list(what), np.asarray(difference)
        self.low, self.high = np.asarray(low), np.asarray(high)
        self.names, self.level, self.verdict = tuple(names), level, verdict

    @classmethod
    def from_predictions(
        cls,
        y_true: object,
        y_pred: Mapping[str, object],
        *,
        kind: Kind = "labels",
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Compare the predictions of several systems for the same cases, and draw.

        Parameters
        ----------
        y_true : array_like, (n,)
            The true class of each case.
        y_pred : mapping of str to array_like
            The predictions of each system, by name.
        kind : {"labels", "scores", "probabilities"}
            What the predictions are.
        sample_weight : array_like, optional
            Weights of the cases. Whole numbers count cases, fractions are sampling weights.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level.
        ax : matplotlib Axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        ComparisonDisplay
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> display = ComparisonDisplay.from_predictions([1, 0] * 20, {"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> display.ax_.get_xlabel()
        'a − b'
        """
        return cls._compare(y_true, y_pred, {"weight": sample_weight}, kind, pos_label, level, ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Mapping[str, Classifier],
        X: object,  # noqa: N803  # scikit-learn's name
        y: object,
        *,
        kind: Kind = "labels",
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Compare fitted estimators on cases that they were not fitted to, and draw.

        Parameters
        ----------
        estimator : mapping of str to estimator
            The fitted estimators, by name.
        X, y : array_like
            Features and classes.
        kind : {"labels", "scores", "probabilities"}
            Which predictions to compare.
        sample_weight : array_like, optional
            Weights of the cases. Whole numbers count cases, fractions are sampling weights.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level.
        ax : matplotlib Axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        ComparisonDisplay
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = make_classification(200, random_state=0)
        >>> models = {"logistic": LogisticRegression(), "dummy": DummyClassifier(strategy="stratified")}
        >>> fitted = {name: model.fit(X[:100], y[:100]) for name, model in models.items()}
        >>> ComparisonDisplay.from_estimator(fitted, X[100:], y[100:]).ax_.get_xlabel()
        'logistic − dummy'
        """
        if pos_label is None:
            pos_label = second_class(next(iter(estimator.values())), kind)
        systems = {name: predict_cases(fitted, X, kind, pos_label) for name, fitted in estimator.items()}
        return cls._compare(y, systems, {"weight": sample_weight}, kind, pos_label, level, ax)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Fold],
        X: object,  # noqa: N803  # scikit-learn's name
        y: object,
        *,
        kind: Kind = "labels",
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Compare out-of-fold predictions of systems that were cross-validated on the same folds, and draw.

        Parameters
        ----------
        cv_results : mapping of str to dict
            For each system, the result of ``cross_validate`` with ``return_estimator=True`` and
            ``return_indices=True``.
        X, y : array_like
            Features and classes.
        kind : {"labels", "scores", "probabilities"}
            Which predictions to compare.
        sample_weight : array_like, optional
            Weights of the cases. Whole numbers count cases, fractions are sampling weights.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level.
        ax : matplotlib Axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        ComparisonDisplay
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> X, y = make_classification(200, random_state=0)
        >>> models = {"strict": LogisticRegression(C=0.001), "loose": LogisticRegression()}
        >>> folds = {
        ...     name: cross_validate(model, X, y, return_estimator=True, return_indices=True)
        ...     for name, model in models.items()}
        >>> ComparisonDisplay.from_cv_results(folds, X, y).ax_.get_xlabel()
        'strict − loose'
        """
        pooled = {name: pool_folds(folds, X, kind, pos_label) for name, folds in cv_results.items()}
        rows = next(iter(pooled.values()))[0]
        if any(not np.array_equal(rows, other_rows) for other_rows, _ in pooled.values()):
            raise InputError("the systems have different folds: pass the same cv with a fixed random_state")
        if pos_label is None:
            pos_label = second_class(next(iter(cv_results.values()))["estimator"][0], kind)
        weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
        options: CompareOptions = {"weight": weights, "predictions_made": "cross-validated"}
        if len(np.unique(rows)) < len(rows):
            options["cluster"] = rows
        systems = {name: predictions for name, (_, predictions) in pooled.items()}
        return cls._compare(np.asarray(y)[rows], systems, options, kind, pos_label, level, ax)

    @classmethod
    def _compare(
        cls,
        truth: object,
        systems: Mapping[str, object],
        options: CompareOptions,
        kind: Kind,
        pos_label: Label | None,
        level: float,
        ax: Axes | None,
    ) -> Self:
        truth, pos_label = target_of(truth, list(systems.values()), kind, pos_label)
        compare_options: CompareOptions = {**options, "level": level, "kind": kind}
        if pos_label is not None:
            compare_options["positive"] = pos_label
        comparison = ew.compare(truth=truth, systems=systems, **compare_options)
        report = comparison.report
        rows = chart_rows(report, "differences")
        row_names = [displayable(str(row.get("what", row.get("pair", "")))) for row in rows]
        values = (chart_column(rows, name) for name in ("difference", "low", "high"))
        # The chart subtracts from the better system, whichever was passed first.
        names = comparison.findings.ranked
        return cls(row_names, *values, names=names, level=level, verdict=report.verdict).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        ComparisonDisplay
            With ``ax_`` and ``figure_``.
        """
        if ax is None:
            _, ax = new_axes()
        places = np.arange(len(self.what))[::-1]
        reach = np.abs(np.vstack([self.difference - self.low, self.high - self.difference]))
        ax.errorbar(self.difference, places, xerr=reach, fmt="o", color=FIRST, capsize=3)
        ax.axvline(0, color=CHANCE_COLOUR, linestyle="--")
        ax.set_yticks(places, self.what)
        ax.set_ylim(-0.5, len(self.what) - 0.5)
        for place in places[~np.isfinite(self.difference)]:
            ax.annotate(
                "no finite difference",
                (0.5, place),
                xycoords=("axes fraction", "data"),
                ha="center",
                va="center",
            )
        systems = " − ".join(map(displayable, self.names)) if len(self.names) == 2 else "difference"
        ax.set_xlabel(systems)
        ax.set_title(f"differences, {format_level(self.level)} intervals", fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self
