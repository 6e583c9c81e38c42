"""Displays on matplotlib with scikit-learn's conventions: the data in ``__init__``, the picture in ``plot``.

Every number is one that the charts of a report have: displays call ``evaluate`` or ``compare`` and draw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypedDict, Unpack

import numpy as np

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import displayable, format_level, format_number
from edgeworth.core.options import EvaluateOptions
from edgeworth.errors import InputError, OptionError
from edgeworth.report.report import Report
from edgeworth.sklearn.drawing import (
    CHANCE_COLOUR,
    chart_band,
    chart_column,
    chart_rows,
    fill_band,
    new_axes,
    next_colour,
    show_legend,
)
from edgeworth.sklearn.predictions import Fold, Kind, pool_folds, predict_cases, second_class, target_of
from edgeworth.sklearn.scoring import Classifier
from edgeworth.sources.columns import Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "predictions"

MAX_CHARACTERS_BELOW = 40
"""Characters of all labels, each as long as the longest, that fit below a matrix side by side."""


class DisplayOptions(TypedDict, total=False):
    """Axes to draw upon, a name for the legend, and for ``CostDisplay`` the costs of errors."""

    ax: Axes | None
    name: str | None
    cost_false_alarm: float
    cost_miss: float


class Display(ABC):
    """A picture of predictions that can be made of an estimator, of predictions or of cross-validation."""

    kind: ClassVar[Kind]
    ax_: Axes
    name: str | None

    @classmethod
    @abstractmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        """Take the data of a report's charts."""

    @abstractmethod
    def _draw(self, ax: Axes, name: str) -> None:
        """Draw upon axes."""

    @classmethod
    def from_predictions(
        cls,
        y_true: object,
        y_pred: object,
        *,
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        **display: Unpack[DisplayOptions],
    ) -> Self:
        """Evaluate predictions, and draw.

        Parameters
        ----------
        y_true : array_like, (n,)
            The true class of each case.
        y_pred : array_like
            Labels, scores or probabilities, as the display needs.
        sample_weight : array_like, optional
            Weights of the cases. Whole numbers count cases, fractions are sampling weights. With fractions,
            a hit curve has no band.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level of bands and intervals.
        **display
            ``ax`` and ``name``, as in ``plot``; ``cost_false_alarm`` and ``cost_miss`` for ``CostDisplay``.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> display = RocDisplay.from_predictions([0, 1, 0, 1] * 5, [0.1, 0.8, 0.4, 0.3] * 5)
        >>> display.ax_.get_xlabel()
        'fallout (false positive rate)'
        """
        return cls._evaluate(y_true, y_pred, {"weight": sample_weight}, pos_label, level, display)

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: object,  # noqa: N803  # scikit-learn's name
        y: object,
        *,
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        **display: Unpack[DisplayOptions],
    ) -> Self:
        """Evaluate the predictions of a fitted estimator for cases that it was not fitted to, and draw.

        Parameters
        ----------
        estimator : estimator
            The fitted estimator.
        X, y : array_like
            Features and classes.
        sample_weight : array_like, optional
            As in ``from_predictions``.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level of bands and intervals.
        **display
            As in ``from_predictions``.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = make_classification(200, random_state=0)
        >>> model = LogisticRegression().fit(X[:100], y[:100])
        >>> ReliabilityDisplay.from_estimator(model, X[100:], y[100:]).ax_.get_xlabel()
        'forecast probability'
        """
        if pos_label is None:
            pos_label = second_class(estimator, cls.kind)
        predictions = predict_cases(estimator, X, cls.kind, pos_label)
        named: DisplayOptions = {"name": type(estimator).__name__, **display}
        return cls._evaluate(y, predictions, {"weight": sample_weight}, pos_label, level, named)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Fold,
        X: object,  # noqa: N803  # scikit-learn's name
        y: object,
        *,
        sample_weight: object = None,
        pos_label: Label | None = None,
        level: float = 0.95,
        **display: Unpack[DisplayOptions],
    ) -> Self:
        """Evaluate the out-of-fold predictions of cross-validation together, and draw.

        Predictions of all folds are pooled, so scores must be comparable between folds, as probabilities are.
        A case that several folds test is one cluster; hit curves then have no band.

        Parameters
        ----------
        cv_results : dict
            The result of ``cross_validate`` with ``return_estimator=True`` and ``return_indices=True``.
        X, y : array_like
            Features and classes.
        sample_weight : array_like, optional
            As in ``from_predictions``.
        pos_label : label, optional
            The class of the targets.
        level : float
            The confidence level of bands and intervals.
        **display
            As in ``from_predictions``.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> X, y = make_classification(200, random_state=0)
        >>> folds = cross_validate(LogisticRegression(), X, y, return_estimator=True, return_indices=True)
        >>> PrecisionRecallDisplay.from_cv_results(folds, X, y).ax_.get_ylabel()
        'precision'
        """
        rows, predictions = pool_folds(cv_results, X, cls.kind, pos_label)
        if pos_label is None:
            pos_label = second_class(cv_results["estimator"][0], cls.kind)
        weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
        options: EvaluateOptions = {"weight": weights, "predictions_made": "cross-validated"}
        if len(np.unique(rows)) < len(rows):
            options["cluster"] = rows
        named: DisplayOptions = {"name": type(cv_results["estimator"][0]).__name__, **display}
        return cls._evaluate(np.asarray(y)[rows], predictions, options, pos_label, level, named)

    @classmethod
    def _evaluate(
        cls,
        truth: object,
        predictions: object,
        options: EvaluateOptions,
        pos_label: Label | None,
        level: float,
        display: DisplayOptions,
    ) -> Self:
        shape = np.shape(np.asarray(predictions))
        if cls.kind == "probabilities" and len(shape) == 2 and shape[1] > 2:
            raise InputError("pass the probabilities of one class, and that class as pos_label")
        truth, pos_label = target_of(truth, [predictions], cls.kind, pos_label)
        evaluate_options: EvaluateOptions = {**options, "truth": truth, "level": level}
        if "cost_false_alarm" in display:
            evaluate_options["cost_false_alarm"] = display["cost_false_alarm"]
        if "cost_miss" in display:
            evaluate_options["cost_miss"] = display["cost_miss"]
        if pos_label is not None:
            evaluate_options["positive"] = pos_label
        if cls.kind == "labels":
            evaluate_options["prediction"] = predictions
        elif cls.kind == "scores":
            evaluate_options["score"] = predictions
        else:
            evaluate_options["probabilities"] = predictions
        name = display.get("name")
        return cls._of_report(ew.evaluate(**evaluate_options), name, level).plot(display.get("ax"), name=name)

    def plot(self, ax: Axes | None = None, *, name: str | None = None) -> Self:
        """Draw on axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new axes.
        name : str, optional
            The name in the legend.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.

        Examples
        --------
        >>> HitCurveDisplay([1, 2, 3], [0.5, 1.0, 1.0], items=3).plot(name="mine").ax_.get_xlabel()
        'items reviewed'
        """
        if ax is None:
            _, ax = new_axes()
        self._draw(ax, displayable(name or self.name or NAME))
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _measured(report: Report, measure: str) -> float:
    """Take a measure of a report, whatever its options are."""
    values = [
        row["value"]
        for row in report.rows()
        if row["measure"].partition("(")[0] == measure and row.get("value") is not None
    ]
    return float(values[0]) if values else float("nan")


def _finish(ax: Axes, x: str, y: str, *, is_square: bool = False) -> None:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if is_square:
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        ax.set_aspect("equal")
    show_legend(ax)


class RocDisplay(Display):
    """A plot of recall against fallout, with a band for the true recall at each fallout.

    Parameters
    ----------
    fallout, recall : sequence of float
        The points of the ROC curve.
    band : (array, array), optional
        The lower and the upper bound of recall at each point.
    roc_auc : float, optional
        The area, for the legend.
    level : float
        The confidence level of the band.
    name : str, optional
        The name in the legend.

    Examples
    --------
    >>> display = RocDisplay([0.0, 0.0, 1.0], [0.0, 0.6, 1.0], roc_auc=0.8)
    >>> display.plot().ax_.get_xlabel()
    'fallout (false positive rate)'
    """

    kind = "scores"

    def __init__(
        self,
        fallout: Sequence[float] | Floats,
        recall: Sequence[float] | Floats,
        band: tuple[Floats, Floats] | None = None,
        *,
        roc_auc: float | None = None,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.fallout, self.recall, self.band = np.asarray(fallout), np.asarray(recall), band
        self.roc_auc, self.level, self.name = roc_auc, level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        rows = chart_rows(report, "roc")
        area = _measured(report, "roc_auc")
        return cls(
            chart_column(rows, "fallout"),
            chart_column(rows, "recall"),
            chart_band(rows),
            roc_auc=area,
            level=level,
            name=name,
        )

    def _draw(self, ax: Axes, name: str) -> None:
        area = "" if self.roc_auc is None else f" (area {format_number(self.roc_auc)})"
        colour = next_colour(ax)
        fill_band(ax, self.fallout, self.band, colour, f"{format_level(self.level)} at each fallout")
        ax.plot(self.fallout, self.recall, color=colour, label=f"{name}{area}")
        ax.plot([0, 1], [0, 1], color=CHANCE_COLOUR, linestyle="--", label="chance")
        _finish(ax, "fallout (false positive rate)", "recall (true positive rate)", is_square=True)


class PrecisionRecallDisplay(Display):
    """A plot of precision against recall, with a band for the true precision at each recall.

    Parameters
    ----------
    recall, precision : sequence of float
        The points of the curve.
    band : (array, array, array), optional
        Recall, and the lower and the upper bound of precision at it.
    average_precision : float, optional
        The value for the legend.
    prevalence : float, optional
        The share of targets, which is the precision of random selection.
    level : float
        The confidence level of the band.
    name : str, optional
        The name in the legend.

    Examples
    --------
    >>> display = PrecisionRecallDisplay([0.5, 1.0], [1.0, 0.6], prevalence=0.3)
    >>> display.plot().ax_.get_ylabel()
    'precision'
    """

    kind = "scores"

    def __init__(
        self,
        recall: Sequence[float] | Floats,
        precision: Sequence[float] | Floats,
        band: tuple[Floats, Floats, Floats] | None = None,
        *,
        average_precision: float | None = None,
        prevalence: float | None = None,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.recall, self.precision, self.band = np.asarray(recall), np.asarray(precision), band
        self.average_precision, self.prevalence = average_precision, prevalence
        self.level, self.name = level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        rows, around = (chart_rows(report, "precision_recall", data) for data in (None, "around"))
        band = (chart_column(around, "recall"), *(chart_band(around) or ())) if around else None
        items, targets = (float(report.provenance[name]) for name in ("items", "targets"))
        return cls(
            chart_column(rows, "recall"),
            chart_column(rows, "precision"),
            band if band is not None and len(band) == 3 else None,
            average_precision=_measured(report, "average_precision"),
            prevalence=targets / items,
            level=level,
            name=name,
        )

    def _draw(self, ax: Axes, name: str) -> None:
        mean = self.average_precision
        average = "" if mean is None else f" (average precision {format_number(mean)})"
        colour = next_colour(ax)
        if self.band is not None:
            recall, low, high = self.band
            fill_band(ax, recall, (low, high), colour, f"{format_level(self.level)} at each recall")
        ax.plot(self.recall, self.precision, color=colour, label=f"{name}{average}")
        if self.prevalence is not None:
            ax.axhline(self.prevalence, color=CHANCE_COLOUR, linestyle="--", label="chance")
        _finish(ax, "recall", "precision", is_square=True)


class HitCurveDisplay(Display):
    """A plot of the share of targets among the first items, with its band and that of random selection.

    Parameters
    ----------
    depth, recall : sequence of float
        The numbers of items reviewed, and the share of targets among them.
    band : (array, array), optional
        The lower and the upper bound of recall.
    chance_band : (array, array), optional
        The range of recall under random selection.
    items : float, optional
        The number of all items.
    level : float
        The confidence level of the bands.
    name : str, optional
        The name in the legend.

    Examples
    --------
    >>> HitCurveDisplay([1, 2, 3], [0.5, 1.0, 1.0], items=3).plot().ax_.get_xlabel()
    'items reviewed'
    """

    kind = "scores"

    def __init__(
        self,
        depth: Sequence[float] | Floats,
        recall: Sequence[float] | Floats,
        band: tuple[Floats, Floats] | None = None,
        chance_band: tuple[Floats, Floats] | None = None,
        *,
        items: float | None = None,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.depth, self.recall = np.asarray(depth, dtype=np.float64), np.asarray(recall)
        self.band, self.chance_band = band, chance_band
        self.items, self.level, self.name = items, level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        rows = chart_rows(report, "hits")
        return cls(
            chart_column(rows, "items reviewed"),
            chart_column(rows, "found"),
            chart_band(rows),
            chart_band(rows, "chance low", "chance high"),
            items=float(report.provenance["items"]),
            level=level,
            name=name,
        )

    def _draw(self, ax: Axes, name: str) -> None:
        items = float(self.depth[-1]) if self.items is None else self.items
        level, colour = format_level(self.level), next_colour(ax)
        fill_band(ax, self.depth, self.chance_band, CHANCE_COLOUR, f"{level} of random selections")
        fill_band(ax, self.depth, self.band, colour, f"{level} at each depth")
        ax.plot(self.depth, self.recall, color=colour, label=name)
        ax.plot(self.depth, self.depth / items, color=CHANCE_COLOUR, linestyle="--", label="random selection")
        _finish(ax, "items reviewed", "share of targets found")


class ReliabilityDisplay(Display):
    """A plot of observed frequency against forecast probability, with a band for calibrated forecasts.

    Parameters
    ----------
    forecast, frequency : sequence of float
        The forecast probabilities, and how often the event happened at each.
    band : (array, array, array), optional
        Forecasts, and the range of frequencies at each if the forecasts are calibrated.
    level : float
        The confidence level of the band.
    name : str, optional
        The name in the legend.

    Examples
    --------
    >>> ReliabilityDisplay([0.2, 0.8], [0.3, 0.7]).plot().ax_.get_xlabel()
    'forecast probability'
    """

    kind = "probabilities"

    def __init__(
        self,
        forecast: Sequence[float] | Floats,
        frequency: Sequence[float] | Floats,
        band: tuple[Floats, Floats, Floats] | None = None,
        *,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.forecast, self.frequency, self.band = np.asarray(forecast), np.asarray(frequency), band
        self.level, self.name = level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        curve, around = (chart_rows(report, "reliability", data) for data in ("curve", "band"))
        band = None
        if around:
            band = (
                chart_column(around, "forecast"),
                chart_column(around, "low"),
                chart_column(around, "high"),
            )
        return cls(
            chart_column(curve, "forecast"), chart_column(curve, "calibrated"), band, level=level, name=name
        )

    def _draw(self, ax: Axes, name: str) -> None:
        if self.band is not None:
            forecast, low, high = self.band
            label = f"{format_level(self.level)} of calibrated forecasts"
            fill_band(ax, forecast, (low, high), CHANCE_COLOUR, label)
        ax.plot([0, 1], [0, 1], color=CHANCE_COLOUR, linestyle="--", label="calibrated")
        ax.plot(self.forecast, self.frequency, color=next_colour(ax), label=name)
        _finish(ax, "forecast probability", "share that came true", is_square=True)


class ConfusionInformednessDisplay(Display):
    """A plot of the contingency table, and beside it the informedness of each class with its interval.

    Parameters
    ----------
    confusion_matrix : array_like, (K, K)
        The counts; rows are real classes.
    labels : sequence of str
        The classes.
    informedness : sequence of float
        The informedness of each class.
    band : (array, array), optional
        The lower and the upper bound of each interval.
    level : float
        The confidence level.
    name : str, optional
        The title.

    Examples
    --------
    >>> display = ConfusionInformednessDisplay([[8, 2], [1, 9]], ["a", "b"], [0.7, 0.7])
    >>> len(display.plot().ax_.texts)
    4
    """

    kind = "labels"

    def __init__(
        self,
        confusion_matrix: Sequence[Sequence[float]] | Floats,
        labels: Sequence[str],
        informedness: Sequence[float] | Floats,
        band: tuple[Floats, Floats] | None = None,
        *,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.confusion_matrix = np.asarray(confusion_matrix, dtype=np.float64)
        self.labels, self.informedness = list(labels), np.asarray(informedness, dtype=np.float64)
        self.band, self.level, self.name = band, level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        cells, edges = chart_rows(report, "contingency"), chart_rows(report, "edges")
        labels = [str(row["label"]) for row in edges]
        # The chart of edges has the labels in order of their edges; the table has their own order.
        order = [label for label in dict.fromkeys(str(row["actual"]) for row in cells) if label in labels]
        places = {label: index for index, label in enumerate(order)}
        matrix = np.zeros((len(order), len(order)))
        for row in cells:
            actual, predicted = str(row["actual"]), str(row["predicted"])
            if actual in places and predicted in places:
                matrix[places[actual], places[predicted]] = row["cases"]
        rows = sorted(edges, key=lambda row: places.get(str(row["label"]), len(places)))
        return cls(
            matrix,
            order,
            chart_column(tuple(rows), "informedness"),
            chart_band(tuple(rows)),
            level=level,
            name=name,
        )

    def _draw(self, ax: Axes, name: str) -> None:
        totals = self.confusion_matrix.sum(axis=1, keepdims=True)
        shares = np.divide(
            self.confusion_matrix, totals, out=np.zeros_like(self.confusion_matrix), where=totals > 0
        )
        ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for cell, count in np.ndenumerate(self.confusion_matrix):
            colour = "white" if shares[cell] > 0.6 else "black"
            ax.text(cell[1], cell[0], f"{count:,.5g}", ha="center", va="center", color=colour)
        bounds = self.band
        informed = []
        for index, value in enumerate(self.informedness):
            ends = "" if bounds is None else f" ({bounds[0][index]:.2f} to {bounds[1][index]:.2f})"
            informed.append(f"{displayable(self.labels[index])}\n{value:.2f}{ends}")
        names = [displayable(label) for label in self.labels]
        is_crowded = len(names) * max(map(len, names)) > MAX_CHARACTERS_BELOW
        ax.set_xticks(range(len(names)), names)
        if is_crowded:
            for text in ax.get_xticklabels():
                text.set(rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(self.labels)), informed)
        ax.set_xlabel("predicted")
        ax.set_ylabel(f"actual, with informedness and its {format_level(self.level)} interval")
        ax.set_title(name, fontsize="medium")


class CostDisplay(Display):
    """A plot of the cost per case of false alarms and misses at each threshold.

    Parameters
    ----------
    threshold, cost : sequence of float
        The thresholds, and the cost per case at each.
    band : (array, array), optional
        The lower and the upper bound of the cost.
    best : float, optional
        The chosen threshold.
    level : float
        The confidence level of the band.
    name : str, optional
        The name in the legend.

    Examples
    --------
    >>> CostDisplay([0.2, 0.5], [1.0, 0.6], best=0.5).plot().ax_.get_xlabel()
    'threshold'
    """

    kind = "scores"

    def __init__(
        self,
        threshold: Sequence[float] | Floats,
        cost: Sequence[float] | Floats,
        band: tuple[Floats, Floats] | None = None,
        *,
        best: float | None = None,
        level: float = 0.95,
        name: str | None = None,
    ) -> None:
        self.threshold, self.cost, self.band = np.asarray(threshold), np.asarray(cost), band
        self.best, self.level, self.name = best, level, name

    @classmethod
    def _of_report(cls, report: Report, name: str | None, level: float) -> Self:
        if report.provenance.get("cost_miss") is None:
            raise OptionError("costs at each threshold need cost_false_alarm and cost_miss")
        rows = chart_rows(report, "cost")
        threshold, cost = chart_column(rows, "threshold"), chart_column(rows, "cost per case")
        return cls(
            threshold, cost, chart_band(rows), best=float(threshold[np.argmin(cost)]), level=level, name=name
        )

    def _draw(self, ax: Axes, name: str) -> None:
        colour = next_colour(ax)
        fill_band(ax, self.threshold, self.band, colour, f"{format_level(self.level)} at a fixed threshold")
        ax.plot(self.threshold, self.cost, color=colour, label=name)
        if self.best is not None:
            label = f"lowest at {format_number(self.best)}"
            ax.axvline(self.best, color=colour, linestyle=":", label=label)
        ax.set_ylim(bottom=0)
        _finish(ax, "threshold", "cost per case")
