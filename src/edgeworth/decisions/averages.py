"""Averages of labels' measures: Powers' (by predicted share) and the ones scikit-learn has made usual."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.arrays import Values, difference, ratio, weighted_sum
from edgeworth.core.measures import POWERS, Combination, Measure, Option
from edgeworth.decisions.overall import SCIKIT_LEARN
from edgeworth.decisions.per_label import ALPHA, f_measure, g_measure
from edgeworth.decisions.requirements import ALL_PREDICTED, CASES, EVERY_F, EVERY_REAL_F, SOMETHING_WON
from edgeworth.decisions.views import Marginals


def average_f(view: Marginals, alpha: float) -> Values:
    """The harmonic mean of the labels' F, weighted by predicted share; 0 once a predicted label has 0."""
    values = f_measure(view.by_label(), alpha)
    predicted = view.predicted.real > 0
    some_zero = (predicted & (view.hits.real == 0)).any(axis=-1)
    reciprocal = ratio(np.where(predicted, view.predicted, 0), np.where(predicted, values, 1))
    return np.where(some_zero, 0.0 * view.total, ratio(view.total, np.nansum(reciprocal, axis=-1)))


def average_g(view: Marginals) -> Values:
    """The geometric mean of the labels' G, weighted by predicted share; 0 once a predicted label has 0."""
    predicted = view.predicted.real > 0
    some_zero = (predicted & (view.hits.real == 0)).any(axis=-1)
    safe = np.where(predicted & ~some_zero[..., None], g_measure(view.by_label()), 1)
    mean_log = ratio((view.predicted * np.log(safe)).sum(axis=-1), view.total)
    return np.where(some_zero, 0.0 * view.total, np.exp(mean_log))


def _seen(view: Marginals) -> Values:
    return (view.real.real > 0) | (view.predicted.real > 0)


def _macro(view: Marginals, values: Values) -> Values:
    """The plain mean over labels; undefined as soon as one label's value is."""
    seen = _seen(view)
    complete = ~(seen & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(np.where(seen, values, 0).sum(axis=-1), seen.sum(axis=-1)), np.nan)


def _weighted(view: Marginals, values: Values) -> Values:
    """The mean weighted by real share; undefined as soon as one real class's value is."""
    complete = ~((view.real.real > 0) & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(weighted_sum(view.real, values), view.total), np.nan)


def _precisions(view: Marginals) -> Values:
    return ratio(view.hits, view.predicted)


def _average(name: str, formula: str, compute: Any, **more: Any) -> Measure:
    defaults: dict[str, Any] = {
        "chance": "the same average at guessing",
        "source": SCIKIT_LEARN,
        "needs": (CASES,),
    }
    return Measure(
        name=name,
        scope="overall",
        formula=formula,
        low=0.0,
        high=1.0,
        direction="higher",
        compute=compute,
        **(defaults | more),
    )


AVERAGES = (
    _average(
        "average_f", "1 / Σ_l p_l/f_l", average_f, source=POWERS, synonyms=("avf",), options={"alpha": ALPHA}
    ),
    _average("average_g", "Π_l g_l^p_l", average_g, source=POWERS, synonyms=("avg",)),
    _average(
        "macro_f",
        "mean over labels of f_l",
        lambda view, alpha: _macro(view, f_measure(view.by_label(), alpha)),
        synonyms=("macro f1",),
        options={"alpha": ALPHA},
        needs=(CASES, EVERY_F),
    ),
    _average(
        "weighted_f",
        "Σ_l r_l f_l",
        lambda view, alpha: _weighted(view, f_measure(view.by_label(), alpha)),
        synonyms=("weighted f1",),
        options={"alpha": ALPHA},
        needs=(CASES, EVERY_REAL_F),
    ),
    _average(
        "macro_precision",
        "mean over labels of precision_l",
        lambda view: _macro(view, _precisions(view)),
        needs=(CASES, ALL_PREDICTED),
    ),
    _average(
        "weighted_precision",
        "Σ_l r_l precision_l",
        lambda view: _weighted(view, _precisions(view)),
        needs=(CASES, ALL_PREDICTED),
    ),
)


HOUSE = "unit stakes at Powers' fair odds less the house's share; see docs/decisions.md"


def recall_sum(view: Marginals) -> Values:
    """Σ_l recall_l: what one unit a case returns at fair odds ``1/r_l``."""
    return np.where(view.real.real > 0, ratio(view.hits, view.real), 0).sum(axis=-1)


def break_even_margin(view: Marginals) -> Values:
    """The over-round at which a unit bet on each prediction neither wins nor loses."""
    return np.where(view.total.real > 0, recall_sum(view) - 1, np.nan)


def break_even_commission(view: Marginals) -> Values:
    """The commission on net winnings at fair odds at which they are all gone."""
    by_label = view.by_label()
    wrong = difference(view.total, view.hits.sum(axis=-1), view.total)
    # Σ recall − accuracy, times N.
    winnings = np.where(view.real.real > 0, ratio(view.hits * by_label.not_real, view.real), 0).sum(axis=-1)
    return 1 - ratio(wrong, winnings)


def unit_return(view: Marginals, margin: float, commission: float) -> Values:
    """Mean profit of a unit bet on each prediction at odds ``1/(r_l (1 + margin))``, after commission.

    A house with so large a margin that a winning bet returns less than its stake takes no commission on it.
    """
    total = view.total[..., None]
    priced = view.real.real > 0
    net = np.where(priced, ratio(total, view.real), 0) / (1 + margin) - 1
    winnings = np.where(net.real > 0, net * (1 - commission), net)
    hits = np.where(priced, view.hits, 0)
    won = ratio((hits * winnings).sum(axis=-1), view.total)
    return won - ratio(view.total - view.hits.sum(axis=-1), view.total)


def _margin_combination(view: Marginals) -> Combination:
    real = view.real > 0
    return Combination(
        -1.0,
        np.ones(int(real.sum())),
        view.hits[real].astype(np.float64),
        view.real[real].astype(np.float64),
    )


def _house(name: str, formula: str, compute: Any, **more: Any) -> Measure:
    return Measure(
        name=name,
        scope="overall",
        formula=formula,
        low=more.pop("low", -1.0),
        high=more.pop("high", np.inf),
        chance=more.pop("chance", "0 (when every guess is of a real class)"),
        direction="higher",
        source=HOUSE,
        compute=compute,
        needs=more.pop("needs", (CASES,)),
        **more,
    )


HOUSE_MEASURES = (
    _house(
        "break_even_margin",
        "Σ_l recall_l − 1",
        break_even_margin,
        combination=_margin_combination,
        synonyms=("v*", "over-round", "vigorish"),
    ),
    _house(
        "break_even_commission",
        "1 − (1 − accuracy)/(Σ_l recall_l − accuracy)",
        break_even_commission,
        low=-np.inf,
        high=1.0,
        needs=(CASES, SOMETHING_WON),
    ),
    _house(
        "unit_return",
        "Σ_l j_ll (O_l − 1)(1 − commission) − (1 − accuracy), O_l = 1/(r_l (1 + margin))",
        unit_return,
        chance="1/(1 + margin) − 1 without commission, lower with it",
        options={"margin": Option(0.0, -0.999999), "commission": Option(0.0, 0.0, 1.0)},
    ),
)
