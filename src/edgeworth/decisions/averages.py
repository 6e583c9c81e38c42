"""Averages of the labels' measures: Powers' (by predicted share), macro and weighted ones."""

from __future__ import annotations

from functools import partial

import numpy as np

from edgeworth.arrays import Values, ratio, weighted_sum
from edgeworth.core.measures import POWERS, measure_family
from edgeworth.decisions.overall import SCIKIT_LEARN
from edgeworth.decisions.per_label import ALPHA, f_measure, g_measure
from edgeworth.decisions.requirements import ALL_PREDICTED, CASES, EVERY_F, EVERY_REAL_F
from edgeworth.decisions.views import Marginals


def average_f(view: Marginals, alpha: float) -> Values:
    """Average the labels' F harmonically by predicted share; 0 if a predicted label has 0."""
    values = f_measure(view.by_label(), alpha)
    predicted = view.predicted.real > 0
    some_zero = (predicted & (view.hits.real == 0)).any(axis=-1)
    reciprocal = ratio(np.where(predicted, view.predicted, 0), np.where(predicted, values, 1))
    return np.where(some_zero, 0.0 * view.total, ratio(view.total, np.nansum(reciprocal, axis=-1)))


def average_g(view: Marginals) -> Values:
    """Average the labels' G geometrically by predicted share; 0 if a predicted label has 0."""
    predicted = view.predicted.real > 0
    some_zero = (predicted & (view.hits.real == 0)).any(axis=-1)
    safe = np.where(predicted & ~some_zero[..., None], g_measure(view.by_label()), 1)
    mean_log = ratio((view.predicted * np.log(safe)).sum(axis=-1), view.total)
    return np.where(some_zero, 0.0 * view.total, np.exp(mean_log))


def _macro(view: Marginals, values: Values) -> Values:
    """Average over labels; undefined if one label's value is."""
    seen = (view.real.real > 0) | (view.predicted.real > 0)
    complete = ~(seen & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(np.where(seen, values, 0).sum(axis=-1), seen.sum(axis=-1)), np.nan)


def _weighted(view: Marginals, values: Values) -> Values:
    """Average by real share; undefined if one real class's value is."""
    complete = ~((view.real.real > 0) & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(weighted_sum(view.real, values), view.total), np.nan)


_average = measure_family(
    scope="overall",
    low=0.0,
    high=1.0,
    chance="the same average at guessing",
    direction="higher",
    source=SCIKIT_LEARN,
    needs=(CASES,),
)
_average_of_f = partial(_average, options={"alpha": ALPHA})

AVERAGES = (
    _average_of_f("average_f", "1 / Σ_l p_l/f_l", average_f, "avf", source=POWERS, title="average F"),
    _average("average_g", "Π_l g_l^p_l", average_g, "avg", source=POWERS, title="average G"),
    _average_of_f(
        "macro_f",
        "mean over labels of f_l",
        lambda view, alpha: _macro(view, f_measure(view.by_label(), alpha)),
        "macro f1",
        needs=(CASES, EVERY_F),
        title="macro F",
    ),
    _average_of_f(
        "weighted_f",
        "Σ_l r_l f_l",
        lambda view, alpha: _weighted(view, f_measure(view.by_label(), alpha)),
        "weighted f1",
        needs=(CASES, EVERY_REAL_F),
        title="weighted F",
    ),
    _average(
        "macro_precision",
        "mean over labels of precision_l",
        lambda view: _macro(view, ratio(view.hits, view.predicted)),
        needs=(CASES, ALL_PREDICTED),
    ),
    _average(
        "weighted_precision",
        "Σ_l r_l precision_l",
        lambda view: _weighted(view, ratio(view.hits, view.predicted)),
        needs=(CASES, ALL_PREDICTED),
    ),
)
