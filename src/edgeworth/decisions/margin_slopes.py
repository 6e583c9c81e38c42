"""Derivatives of measures over many labels by every margin at once.

A complex step differentiates by one margin at a time, which takes the square of the number of labels. The
measures that are compared by default have closed forms, which take that number.
"""

from __future__ import annotations

import numpy as np

from edgeworth.common.arrays import ratio
from edgeworth.core.measures import MarginSlopes
from edgeworth.decisions.views import Marginals, Resolved


def margin_slopes(resolved: Resolved, view: Marginals) -> MarginSlopes | None:
    """Differentiate a measure of the whole table by all margins, or return None without a closed form."""
    closed_form = resolved.measure.margin_slopes
    if closed_form is None or resolved.position is not None:
        return None
    return closed_form(view, **resolved.arguments)


def informedness_slopes(view: Marginals, abstentions: str = "drop") -> MarginSlopes | None:
    """Differentiate ``B = Σ_l P_l e_l / N`` with ``e_l = h_l/R_l − (P_l − h_l)/(N − R_l)``."""
    if abstentions == "zero_weight":
        return None
    total, undecided = view.total[..., None], view.undecided[..., None]
    others, alarms = total - view.real, view.predicted - view.hits
    has_odds = (view.real > 0) & (others > 0)
    edge = np.where(has_odds, ratio(view.hits, view.real) - ratio(alarms, others), 0.0)
    value = ratio((view.predicted * edge).sum(axis=-1), view.total)[..., None]
    share = view.predicted / total
    by_hits = np.where(has_odds, share * (ratio(1.0, view.real) + ratio(1.0, others)), 0.0)
    by_predicted = np.where(has_odds, edge / total - ratio(share, others), 0.0)
    per_hit = np.where(has_odds, ratio(view.hits, view.real**2), 0.0)
    per_alarm = np.where(others > 0, ratio(alarms, others**2), 0.0)
    by_total = np.where(has_odds, share * per_alarm, 0.0).sum(axis=-1)[..., None] - value / total
    # A label that is never real is left out; a case of it would bring its false alarms in.
    by_real = by_total + share * np.where(has_odds, -per_hit - per_alarm, per_alarm)
    by_abstained = np.zeros_like(by_real)
    if abstentions == "discount":
        every = total + undecided
        decided_share = total / every
        by_hits, by_predicted = by_hits * decided_share, by_predicted * decided_share
        by_real = by_real * decided_share + value * undecided / every**2
        by_abstained = by_abstained - value * total / every**2
    return by_hits, by_predicted, by_real, by_abstained


def markedness_slopes(view: Marginals) -> MarginSlopes | None:
    """Differentiate informedness with prediction and truth exchanged."""
    slopes = informedness_slopes(
        Marginals(view.hits, view.real, view.predicted, np.zeros_like(view.abstained))
    )
    if slopes is None:
        return None
    by_hits, by_real, by_predicted, by_abstained = slopes
    return by_hits, by_predicted, by_real, by_abstained


def mcc_slopes(view: Marginals) -> MarginSlopes:
    """Differentiate ``Σ (N h_l − P_l R_l) / √(Σ P_l (N − P_l) · Σ R_l (N − R_l))``."""
    total = view.total[..., None]
    determinant, predicted, real = (
        values.sum(axis=-1)[..., None]
        for values in (
            total * view.hits - view.predicted * view.real,
            view.predicted * (total - view.predicted),
            view.real * (total - view.real),
        )
    )
    scale = np.sqrt(predicted * real)
    half = ratio(determinant, 2 * scale)
    hits, predictions = (values.sum(axis=-1)[..., None] for values in (view.hits, view.predicted))
    by_hits = ratio(np.broadcast_to(total, view.hits.shape), scale)
    by_predicted = ratio(-view.real, scale) - half * ratio(total - 2 * view.predicted, predicted)
    by_real = ratio(hits - view.predicted, scale)
    by_real = by_real - half * (ratio(predictions, predicted) + ratio(2 * (total - view.real), real))
    return by_hits, by_predicted, by_real, np.zeros_like(by_real)


def macro_f_slopes(view: Marginals, alpha: float) -> MarginSlopes:
    """Differentiate the mean over labels of ``h_l / (α R_l + (1 − α) P_l)``."""
    every_real = view.every_real
    number = ((every_real > 0) | (view.predicted > 0)).sum(axis=-1)[..., None]
    size = alpha * every_real + (1 - alpha) * view.predicted
    by_hits = ratio(ratio(1.0, size), number)
    by_size = -ratio(ratio(view.hits, size**2), number)
    return by_hits, (1 - alpha) * by_size, alpha * by_size, alpha * by_size


def kappa_slopes(view: Marginals) -> MarginSlopes:
    """Differentiate ``Σ (N h_l − P_l R_l) / Σ P_l (N − R_l)``."""
    total = view.total[..., None]
    determinant = (total * view.hits - view.predicted * view.real).sum(axis=-1)[..., None]
    rest = (view.predicted * (total - view.real)).sum(axis=-1)[..., None]
    value = ratio(determinant, rest)
    hits, predictions = (values.sum(axis=-1)[..., None] for values in (view.hits, view.predicted))
    by_hits = ratio(np.broadcast_to(total, view.hits.shape), rest)
    by_predicted = ratio(-view.real - value * (total - view.real), rest)
    by_real = ratio(hits - view.predicted - value * (predictions - view.predicted), rest)
    return by_hits, by_predicted, by_real, np.zeros_like(by_real)


def balanced_accuracy_slopes(view: Marginals) -> MarginSlopes:
    """Differentiate the mean over real classes of ``h_l / R_l``."""
    every = view.every_real
    number = (every > 0).sum(axis=-1)[..., None]
    by_hits = np.where(every > 0, ratio(ratio(1.0, every), number), 0.0)
    by_real = np.where(every > 0, -ratio(ratio(view.hits, every**2), number), 0.0)
    return by_hits, np.zeros_like(by_real), by_real, by_real
