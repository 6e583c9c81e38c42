"""Evaluate or compare estimators of scikit-learn by cross-validation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal, Protocol, TypeAlias

import numpy as np
from joblib import Parallel, delayed  # type: ignore[import-untyped]  # joblib has no types
from numpy.typing import NDArray
from sklearn import get_config  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.base import clone, is_regressor  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.model_selection import check_cv  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.pipeline import Pipeline  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils import _safe_indexing, indexable  # type: ignore[import-untyped]  # scikit-learn has no types

import edgeworth as ew
from edgeworth.common.arrays import Floats, Numbers, finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.common.progress import Advance, track_progress
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.core.formatting import format_level, format_p_value, format_percent, plural
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.errors import InputError, OptionError
from edgeworth.report.frames import library_of
from edgeworth.report.report import Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Strength, Verdict, claims_of
from edgeworth.report.wording import describe_measure
from edgeworth.sklearn.resampled_t import ResampledMean
from edgeworth.sklearn.scoring import mean_score
from edgeworth.sources.numbers import as_weights

Predictions: TypeAlias = Literal["labels", "probabilities", "scores"]
Array: TypeAlias = NDArray[np.generic]  # type: ignore[explicit-any]  # values of any type
Positions: TypeAlias = NDArray[np.intp]

METHODS: dict[Predictions, tuple[str, ...]] = {
    "labels": ("predict",),
    "probabilities": ("predict_proba",),
    "scores": ("decision_function", "predict_proba"),
}
MEASURES: dict[Predictions, str] = {
    "labels": "informedness",
    "probabilities": "brier",
    "scores": "average_precision",
}
"""The measure of a fold, if the primary one of a comparison cannot be computed in every fold."""
REGRESSION_RECIPE = (
    'Make a grade of each case from its error, and compare with ew.compare(systems={…}, kind="grades")'
)
PROPER_SCORES = ("log", "brier", "spherical")
MIN_FOLDS = 2
"""Folds in which every system has a value: fewer have no spread."""
MAX_DISAGREEMENTS_LISTED = 3
"""Pairs of systems that get a sentence each if pooled predictions and folds differ: more are hard to read."""
MEASURED_ERROR_RATES = {
    "accuracy": (0.012, 0.093),
    "informedness": (0.011, 0.097),
    "roc_auc": (0.006, 0.097),
    "average_precision": (0.006, 0.085),
    "brier": (0.014, 0.093),
    "log": (0.014, 0.093),
}
"""The lowest and highest type I error at the 5% level over ten settings: bench/cross_validation.py.

Informedness has the rates of balanced accuracy, because it is 2 · balanced accuracy − 1 for two classes."""


class Estimator(Protocol):
    """An estimator of scikit-learn."""

    def fit(self, X: object, y: object, /, **metadata: object) -> object:  # noqa: N803  # scikit-learn's name
        """Learn from cases and their classes."""


@dataclass(frozen=True)
class Folds:
    """Out-of-fold predictions, one row per test case of a split."""

    kind: Predictions
    rows: Positions
    """Which case each prediction is for."""
    numbers: Positions
    """Which split it is from."""
    truth: Array
    predictions: dict[str, Array]
    classes: tuple[object, ...]
    test_to_train: float
    weights: Numbers | None = None

    @property
    def are_repeated(self) -> bool:
        """Whether some case was predicted more than once."""
        return len(np.unique(self.rows)) < len(self.rows)

    def values(self, measure: str) -> dict[str, Floats]:
        """Compute a measure of each system in each fold; nan if a fold lacks a class that it needs."""
        parts = [np.flatnonzero(self.numbers == number) for number in range(self.numbers.max() + 1)]
        return {
            name: np.array([self._value(measure, predicted[part], part) for part in parts])
            for name, predicted in self.predictions.items()
        }

    def can_measure(self, measure: str) -> bool:
        """Return whether a measure can be computed from the predictions of one fold."""
        return self.kind != "probabilities" or measure in PROPER_SCORES

    def _value(self, measure: str, predictions: Array, part: Positions) -> float:
        """Compute a measure of the predictions for one fold."""
        truth, weights = self.truth[part], None if self.weights is None else self.weights[part]
        if self.kind == "probabilities":
            return mean_score(measure, truth, predictions, list(self.classes), weights)
        if len(np.unique(truth)) < 2:
            return float("nan")
        if self.kind == "labels":
            return ew.measure(ew.ContingencyTable.from_labels(truth, predictions, weights=weights), measure)
        target = self.classes[-1]
        ranking = ew.Ranking.from_scores(truth, predictions, positive=target, weights=weights)
        return ew.measure(ranking, measure)


@dataclass(frozen=True)
class PooledResult:
    """What the pooled predictions show about two systems, in the order in which the report subtracts them."""

    first: str
    second: str
    is_shown: bool
    """Whether the first is shown to be better."""

    @property
    def winner(self) -> str | None:
        """The system that is shown to be better; None if it is unclear."""
        return self.first if self.is_shown else None

    @classmethod
    def of(cls, findings: ComparisonFindings, pair: tuple[str, str]) -> PooledResult:
        """Put the system with the better primary measure first, as the verdict and its table do."""
        difference = findings.headlines[findings.as_given(*pair)]
        is_directed = findings.direction != "neither"
        is_second = difference.better == difference.second if is_directed else difference.difference < 0
        first, second = (difference.second, difference.first) if is_second else pair
        return cls(first, second, is_directed and findings.is_conclusive(*pair))


def cross_evaluate(
    estimator: Estimator | Mapping[str, Estimator],
    X: object,  # noqa: N803  # scikit-learn's name
    y: object,
    *,
    cv: object = None,
    kind: Predictions = "labels",
    groups: object = None,
    sample_weight: object = None,
    n_jobs: int | None = None,
    progress: bool = False,
    level: float = 0.95,
    measures: Sequence[str] | None = None,
) -> Report | ew.Comparison:
    """Evaluate an estimator by cross-validation, or compare several on the same splits.

    The report is about the fitted models, on their pooled out-of-fold predictions. A section about the next
    training set has the corrected resampled t test, which is approximate.

    Parameters
    ----------
    estimator : estimator, or mapping of names to estimators
        What to fit. Each is cloned for each split.
    X, y : arrays or dataframes
        Features and classes.
    cv : int, splitter or iterable of splits, optional
        As in scikit-learn: by default five stratified folds. If cases are tested more than once, as in
        ``RepeatedStratifiedKFold``, the predictions for one case are one cluster.
    kind : {"labels", "probabilities", "scores"}
        What to ask of the fitted models: ``predict``, ``predict_proba``, or ``decision_function`` (if a model
        has none, the probability of the last class). Scores are ranked within folds.
    groups : array, optional
        Groups of cases that belong together. Splitters get them, and intervals take groups as clusters.
    sample_weight : array, optional
        The weight of each case. Fits and the evaluation use it. Whole numbers count cases, fractions are
        sampling weights. The last step of a pipeline gets it; with ``enable_metadata_routing``, the steps
        that request it.
    n_jobs : int, optional
        How many fits run at once, as in scikit-learn.
    progress : bool
        Whether to show a progress bar.
    level : float
        The confidence level of all intervals.
    measures : list of measures, optional
        What to report or compare, the primary measure first.

    Returns
    -------
    Report or Comparison
        A report for one estimator, a comparison for several.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(200, random_state=0)
    >>> report = cross_evaluate(LogisticRegression(), X, y, cv=5)
    >>> report.numbers["cross_validation"]["folds"]
    5
    """
    if kind not in METHODS:
        raise OptionError(f"kind is one of {', '.join(METHODS)}; saw {kind!r}")
    systems = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
    if not systems:
        raise OptionError("pass at least one estimator")
    _check_estimators(systems)
    weights = None if sample_weight is None else as_weights(sample_weight)
    _check_weights(weights, kind, len(systems))
    folds = _predict(
        systems,
        X,
        y,
        cv=cv,
        kind=kind,
        groups=groups,
        weights=weights,
        n_jobs=n_jobs,
        progress=progress,
    )
    common: JsonObject = {"truth": folds.truth, "predictions_made": "cross-validated", "level": level}
    common |= {} if measures is None else {"measures": list(measures)}
    if folds.weights is not None:
        common["weight"] = folds.weights
    if folds.are_repeated or groups is not None:
        common["cluster"] = folds.rows if groups is None else np.asarray(groups)[folds.rows]
    if kind == "scores":
        common |= {"fold": folds.numbers, "positive": folds.classes[-1]}
    if kind == "probabilities":
        common["labels"] = list(folds.classes)
    measure = MEASURES[kind]
    if len(systems) > 1:
        comparison = ew.compare(systems=folds.predictions, kind=kind, **common)
        findings = comparison.findings
        values = folds.values(findings.headline) if folds.can_measure(findings.headline) else {}
        is_primary = bool(values) and not any(np.isinf(fold_values).any() for fold_values in values.values())
        measure, values = (findings.headline, values) if is_primary else (measure, folds.values(measure))
        pooled = [PooledResult.of(findings, pair) for pair in combinations(values, 2)]
        add = partial(
            _add_folds,
            folds=folds,
            measure=measure,
            values=values,
            level=level,
            pooled=pooled,
            pooled_measure=findings.headline,
        )
        return replace(
            comparison,
            complete_report=partial(_complete_report, then=comparison.complete_report, add=add),
            library=library_of(X, y),
        )
    role = {"labels": "prediction", "probabilities": "probabilities", "scores": "score"}[kind]
    common[role] = folds.predictions[next(iter(systems))]
    report = replace(ew.evaluate(**common), library=library_of(X, y))
    values = folds.values(measure)
    return _add_folds(report, folds=folds, measure=measure, values=values, level=level)


def _complete_report(
    report: Report, then: Callable[[Report], Report] | None, add: Callable[[Report], Report]
) -> Report:
    return add(report if then is None else then(report))


def _check_estimators(systems: Mapping[str, Estimator]) -> None:
    """Refuse what is no estimator, and regressors, before anything is fitted."""
    for name, system in systems.items():
        if isinstance(system, type) or not hasattr(system, "fit"):
            seen = system if isinstance(system, type) else type(system)
            raise OptionError(
                f"{name or 'estimator'} must be an estimator, such as LogisticRegression(), or pass a "
                f"mapping of names to estimators; saw {seen.__name__}"
            )
        if is_regressor(system):
            raise InputError(f"{name or type(system).__name__} is a regressor. {REGRESSION_RECIPE}")


def _predict(
    systems: Mapping[str, Estimator],
    X: object,  # noqa: N803  # scikit-learn's name
    y: object,
    *,
    cv: object,
    kind: Predictions,
    groups: object,
    weights: Numbers | None,
    n_jobs: int | None,
    progress: bool,
) -> Folds:
    """Fit every estimator on every split, and gather the predictions for the test cases."""
    features, truth, groups = indexable(X, y, groups)
    actual = np.asarray(truth)
    if actual.ndim == 2 and actual.shape[1] == 1:
        # A column of a dataframe, taken as y = frame[["class"]].
        truth = actual = actual[:, 0]
    if weights is not None and len(weights) != len(actual):
        raise InputError(f"{len(actual):,} cases need as many weights; saw {len(weights):,}")
    if actual.ndim != 1:
        raise InputError(
            f"y must be one column of classes; saw an array of shape {actual.shape}. "
            "For multi-label data call cross_evaluate for one label at a time"
        )
    missing = sum(value is None or value != value for value in actual.tolist())
    if missing:
        raise InputError(
            f"y is missing in {missing:,} of {len(actual):,} cases: leave them out of X and y before you "
            "cross-validate"
        )
    classes = np.unique(actual)
    if actual.dtype.kind == "f" and (actual % 1 != 0).any():
        raise InputError(f"y has fractions, so this looks like regression: use grade=. {REGRESSION_RECIPE}")
    if kind == "scores" and len(classes) != 2:
        raise InputError(f'kind="scores" needs two classes; saw {len(classes)}: use kind="probabilities"')
    splits = list(check_cv(cv, truth, classifier=True).split(features, truth, groups))
    tasks = [
        delayed(_fit_and_predict)(name, system, features, truth, train, test, kind, classes, weights)
        for train, test in splits
        for name, system in systems.items()
    ]
    results: list[Array] = []
    with _show_progress(progress, len(tasks)) as done:
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            results.append(result)
            done(1)
    names = list(systems)
    predictions = {name: np.concatenate(results[index :: len(names)]) for index, name in enumerate(names)}
    rows = np.concatenate([np.arange(len(actual))[test] for _, test in splits])
    sizes = [len(np.arange(len(actual))[test]) for _, test in splits]
    numbers = np.repeat(np.arange(len(splits)), sizes)
    trained = [len(np.arange(len(actual))[train]) for train, _ in splits]
    ratio = float(np.mean(sizes) / np.mean(trained))
    used = None if weights is None else weights[rows]
    return Folds(kind, rows, numbers, actual[rows], predictions, tuple(classes.tolist()), ratio, used)


def _fit_and_predict(
    name: str,
    system: Estimator,
    features: object,
    truth: object,
    train: Positions,
    test: Positions,
    kind: Predictions,
    classes: Array,
    weights: Numbers | None,
) -> Array:
    """Fit a clone on the training cases, and predict the test cases."""
    fitted = clone(system)
    metadata = {} if weights is None else {_weight_parameter(name, fitted): weights[train]}
    try:
        fitted.fit(_safe_indexing(features, train), _safe_indexing(truth, train), **metadata)
    except Exception as error:
        error.add_note(f"{name or 'the estimator'} failed on a training set of {len(train):,} cases")
        raise
    method = next((method for method in METHODS[kind] if hasattr(fitted, method)), None)
    if method is None:
        raise OptionError(f"{name or 'the estimator'} has no {' or '.join(METHODS[kind])}: use another kind")
    predicted = np.asarray(getattr(fitted, method)(_safe_indexing(features, test)))
    if method != "predict_proba":
        return predicted
    # A class that no training case has gets probability 0.
    wide = np.zeros((len(predicted), len(classes)))
    wide[:, np.searchsorted(classes, fitted.classes_)] = predicted
    return wide if kind == "probabilities" else np.asarray(wide[:, -1])


def _check_weights(weights: Numbers | None, kind: Predictions, systems: int) -> None:
    """Refuse weights that the evaluation of these predictions does not support."""
    if weights is None:
        return
    if kind == "scores" and systems == 1:
        raise OptionError(
            'sample_weight is not supported with kind="scores" for one estimator: use kind="labels"'
        )
    if kind == "probabilities" and systems > 1:
        raise OptionError(
            'sample_weight is not supported with kind="probabilities" for several estimators: use '
            'kind="labels" or kind="scores", or pass one estimator at a time'
        )


def _weight_parameter(name: str, estimator: Estimator) -> str:
    """Name the parameter of ``fit`` that takes weights: of a pipeline without routing, its last step's."""
    parameter, taker = "sample_weight", estimator
    while isinstance(taker, Pipeline) and not get_config()["enable_metadata_routing"]:
        step, taker = taker.steps[-1]
        parameter = f"{step}__{parameter}"
    signature = inspect.signature(taker.fit)
    takes_any = any(item.kind is item.VAR_KEYWORD for item in signature.parameters.values())
    if "sample_weight" not in signature.parameters and not takes_any:
        raise OptionError(
            f"{name or 'the estimator'}: {type(taker).__name__} cannot be fitted with sample_weight. Omit "
            "sample_weight, or use another estimator"
        )
    return parameter


def _show_progress(is_shown: bool, total: int) -> AbstractContextManager[Advance]:
    """Show a bar of the fits, or report them to the listener."""
    if not is_shown:
        return track_progress("fits", total)
    from edgeworth.sklearn.progress_bar import show_bar

    return show_bar("fits", total)


def _add_folds(
    report: Report,
    *,
    folds: Folds,
    measure: str,
    values: Mapping[str, Floats],
    level: float,
    pooled: Sequence[PooledResult] = (),
    pooled_measure: str = "",
) -> Report:
    """Add the values of the folds, and what they show about the next training set."""
    defined = min(int((~np.isnan(fold_values)).sum()) for fold_values in values.values())
    if defined < MIN_FOLDS:
        return _without_spread(report, folds, measure, defined)
    means = {name: ResampledMean.of(fold_values, folds.test_to_train) for name, fold_values in values.items()}
    pairs = [
        ResampledMean.of(values[pair.first] - values[pair.second], folds.test_to_train) for pair in pooled
    ]
    differences = zip(pooled, pairs, strict=True)
    named = {f"{pair.first} − {pair.second}": mean for pair, mean in differences} or means
    # JSON has differences in the order in which the systems were given, as the claims of the verdict do.
    given = {
        " − ".join(pair): ResampledMean.of(values[pair[0]] - values[pair[1]], folds.test_to_train)
        for pair in combinations(values, 2)
    } or means
    winners = [_winner(pair, mean, measure, level) for pair, mean in zip(pooled, pairs, strict=True)]
    text = (
        "The rest of this report is about these fitted models. This section is about models that the same "
        "pipeline would fit to another training set of this size.",
        f"The {'test' if pairs else 'interval'} is approximate. {_describe_error_rates(measure)}",
        *_describe_disagreements(pooled, winners, pooled_measure, measure),
    )
    interval = f"{format_level(level)} CI/interval"
    columns = make_columns("what/text", f"mean {describe_measure(measure)}", "spread between folds", interval)
    rows = [
        (name or "estimator", mean.mean, mean.deviation, mean.interval(level), finite_or_none(mean.p_value()))
        for name, mean in named.items()
    ]
    if pairs:
        columns = (*columns, *make_columns("p/probability"))
    note = f"corrected resampled t test (Nadeau and Bengio 2003), {len(np.unique(folds.numbers))} folds"
    grid = Grid("", columns, tuple(row if pairs else row[:-1] for row in rows), note)
    systems = [(name or "estimator", mean.mean, mean.deviation, mean.folds) for name, mean in means.items()]
    heads = make_columns("system/text", f"mean {describe_measure(measure)}", "spread", "folds/count")
    section = Section(
        "The next training set", text, (grid, Grid("Folds", heads, tuple(systems))), is_main=True
    )
    numbers: JsonObject = {
        "measure": measure,
        "folds": len(np.unique(folds.numbers)),
        "are_repeated": folds.are_repeated,
        "systems": {
            name or "estimator": {
                "mean": mean.mean,
                "deviation": mean.deviation,
                "values": _plain(values[name]),
            }
            for name, mean in means.items()
        },
        "next_training_set": [
            {
                "what": name or "estimator",
                "mean": mean.mean,
                "low": mean.interval(level)[0],
                "high": mean.interval(level)[1],
                "p_value": finite_or_none(mean.p_value()),
            }
            for name, mean in given.items()
        ],
    }
    verdict = report.verdict
    if len(pooled) == 1 and measure == pooled_measure:
        verdict = _add_caveat(verdict, pooled[0], pairs[0], winners[0])
    return replace(
        report,
        verdict=verdict,
        sections=(*report.sections, section),
        numbers={**report.numbers, "cross_validation": numbers},
    )


def _without_spread(report: Report, folds: Folds, measure: str, defined: int) -> Report:
    """Explain why too few folds have a value, as with one split or when each fold is one case."""
    number = len(np.unique(folds.numbers))
    text = (
        f"The spread between folds is unknown: {describe_measure(measure)} is defined in {defined:,} of "
        f"{number:,} {plural(number, 'fold')}, and {MIN_FOLDS} are needed. This report is about these fitted "
        "models only. Use fewer and larger folds, such as cv=10, to learn about the next training set.",
    )
    numbers: JsonObject = {"measure": measure, "folds": number, "are_repeated": folds.are_repeated}
    return replace(
        report,
        sections=(*report.sections, Section("The next training set", text, (), is_main=True)),
        numbers={**report.numbers, "cross_validation": numbers | {"systems": {}, "next_training_set": []}},
    )


def _describe_error_rates(measure: str) -> str:
    """Write how often the corrected test of a measure was wrong in simulations, if that was measured."""
    rates = MEASURED_ERROR_RATES.get(measure.partition("(")[0])
    if rates is None:
        names = ", ".join(describe_measure(name) for name in MEASURED_ERROR_RATES)
        return f"Its error rate is unknown for {describe_measure(measure)}; it was measured for {names}."
    low, high = (format_percent(rate) for rate in rates)
    return (
        "In ten simulated settings with two classes and equally good pipelines, the test of "
        f"{describe_measure(measure)} at the 5% level named a winner in {low} to {high} of the repetitions."
    )


def _plain(values: Floats) -> list[float | None]:
    return [finite_or_none(float(value)) for value in values]


def _winner(pair: PooledResult, mean: ResampledMean, measure: str, level: float) -> str | None:
    """Name the system that the folds show to be better for the next training set; None if it is unclear."""
    if not is_significant(mean.p_value(), level):
        return None
    is_lower_better = measure in PROPER_SCORES
    return pair.first if (mean.mean < 0) == is_lower_better else pair.second


def _describe_disagreements(
    pooled: Sequence[PooledResult], winners: Sequence[str | None], pooled_measure: str, measure: str
) -> tuple[str, ...]:
    """Explain how the two questions differ if their answers do."""
    pairs = list(zip(pooled, winners, strict=True))
    differing = [
        (pair, winner) for pair, winner in pairs if winner != (pair.first if pair.is_shown else None)
    ]
    if not differing:
        return ()
    is_same = pooled_measure == measure
    by_pooled, by_folds = ("", "") if is_same else (_by_measure(pooled_measure), _by_measure(measure))
    sentences = [
        f"For {pair.first} and {pair.second}, the pooled predictions show "
        f"{_describe_winner(pair.winner)}{by_pooled}. The folds show "
        f"{_describe_winner(winner)}{by_folds}."
        for pair, winner in differing[:MAX_DISAGREEMENTS_LISTED]
    ]
    more = len(differing) - len(sentences)
    if more:
        sentences.append(f"They also differ for {more:,} other {plural(more, 'pair')}.")
    sentences.append(
        "Both can be right, because the questions differ. The pooled predictions are about these fitted "
        "models and new cases. The folds are about models from other training sets too."
    )
    return (" ".join(sentences),)


def _by_measure(measure: str) -> str:
    return f" by {describe_measure(measure)}"


def _describe_winner(winner: str | None) -> str:
    return "no clear difference" if winner is None else f"that {winner} is better"


def _add_caveat(verdict: str, pair: PooledResult, mean: ResampledMean, winner: str | None) -> str:
    """Add to a verdict that names the better of two systems that the next training set may reverse it."""
    if not pair.is_shown or winner == pair.first:
        return verdict
    p_value = mean.p_value()
    test = "" if np.isnan(p_value) else f" (corrected resampled t test, {format_p_value(p_value)})"
    text = f"It is not shown that this holds for the next training set{test}."
    if winner is not None:
        text = f"For the next training set, {winner} is shown to be better instead{test}."
    numbers = {"p_value": finite_or_none(p_value), "folds": mean.folds}
    strength: Strength = "not shown" if winner is None else "shown"
    return Verdict(
        (
            *claims_of(verdict),
            Claim("next training set", text, strength, numbers, "corrected resampled t test"),
        )
    )
