"""Measures of one label against the rest."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from operator import attrgetter
from typing import TypeAlias, Unpack

import numpy as np

from edgeworth.common.arrays import Values, ratio
from edgeworth.core.measures import (
    POWERS,
    RETRIEVAL,
    BetaCounts,
    CaseWorth,
    Combination,
    Measure,
    MeasureFields,
    Parameter,
    measure_family,
)
from edgeworth.decisions import guidance
from edgeworth.decisions.views import (
    CASES,
    HAS_CASES,
    HAS_FALSE_ALARMS,
    HAS_MISSES,
    HAS_REJECTIONS,
    IS_PREDICTED,
    IS_REAL,
    IS_SEEN,
    OTHERS_HAVE_CASES,
    OTHERS_PREDICTED,
    OTHERS_REAL,
    OTHERS_SEEN,
    LabelView,
)

GLAS = "Glas et al. 2003, The diagnostic odds ratio"
MATTHEWS = "Matthews 1975, Comparison of the predicted and observed secondary structure"
JACCARD = "Jaccard 1901; Tanimoto 1958"
ALPHA = Parameter(0.5, 0.0, 1.0)
BY_PREDICTION = "the label's predicted share"
BY_PREVALENCE = "the label's prevalence"

Parts: TypeAlias = Callable[[LabelView], tuple[Values, Values]]


REQUIREMENT_BY_DIVISOR = {
    "every_real": HAS_CASES,
    "every_other": OTHERS_HAVE_CASES,
    "not_real": OTHERS_REAL,
    "real": IS_REAL,
    "predicted": IS_PREDICTED,
    "not_predicted": OTHERS_PREDICTED,
    "total": CASES,
}
"""The requirement that makes a count, as a divisor, different from 0."""

_label = measure_family(scope="label", low=0.0, high=1.0, direction="higher", source=POWERS)
_edge = partial(_label, low=-1.0, chance="0")
_ratio = partial(_label, high=np.inf, chance="1", source=GLAS)


def _proportion(
    name: str, formula: str, synonyms: str, parts: Parts, **own: Unpack[MeasureFields]
) -> Measure:
    """Make a measure of successes over trials."""
    shared: MeasureFields = {"source": RETRIEVAL, "proportion": parts}
    return _label(name, formula, lambda view: ratio(*parts(view)), synonyms, **(shared | own))


def _share(name: str, successes: str, trials: str, synonyms: str, **own: Unpack[MeasureFields]) -> Measure:
    """Make a measure of one count of a LabelView over another."""
    formula = f"{successes} / {trials}".replace("every_", "").replace("_", " ").replace("total", "cases")
    own["needs"] = (REQUIREMENT_BY_DIVISOR[trials],)
    return _proportion(name, formula, synonyms, attrgetter(successes, trials), **own)


def f_measure(view: LabelView, alpha: float) -> Values:
    """Compute ``1/(α/recall + (1-α)/precision)``, which is 0 (not undefined) when nothing was found."""
    return ratio(view.hits, alpha * view.every_real + (1 - alpha) * view.predicted)


def _f_beta_counts(view: LabelView, alpha: float) -> BetaCounts | None:
    """Return the counts behind the posterior of F1. Other F measures have no Beta posterior."""
    if alpha != ALPHA.default:
        return None
    errors = float(view.false_alarms) + float(view.every_misses)
    return BetaCounts(float(view.hits), errors, failure_cells=2, is_f1=True)


def g_measure(view: LabelView) -> Values:
    """Compute the geometric mean of precision and recall."""
    return ratio(view.hits, np.sqrt(view.predicted * view.every_real))


def edge(view: LabelView) -> Values:
    """Compute recall minus fallout, which a bet on the label earns at fair odds."""
    return ratio(view.hits, view.real) - ratio(view.false_alarms, view.not_real)


def inverse_view(view: LabelView) -> LabelView:
    """View the same table from "not this label"."""
    abstained = view.undecided - view.abstained
    return LabelView(
        view.rejections, view.not_predicted, view.not_real, view.total, abstained, view.undecided
    )


def transpose_view(view: LabelView) -> LabelView:
    """Exchange prediction and truth."""
    return LabelView(view.hits, view.real, view.predicted, view.total)


def edge_combination(view: LabelView) -> Combination:
    """Write an edge as recall minus fallout, which are independent given the truth."""
    return Combination(
        0.0,
        np.array([1.0, -1.0]),
        np.array([view.hits, view.false_alarms], dtype=np.float64),
        np.array([view.real, view.not_real], dtype=np.float64),
    )


def _phi(view: LabelView) -> Values:
    margins = view.predicted * view.not_predicted * view.real * view.not_real
    return ratio(view.determinant, np.sqrt(margins))


def _recall_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Count hits: a false alarm costs nothing."""
    del cases, real, hits, predicted
    return Fraction(0), Fraction(1)


def _accuracy_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Count hits minus false alarms."""
    del cases, real, hits, predicted
    return Fraction(-1), Fraction(2)


def _edge_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Compute the worth in units of 1/(R (N − R)): a hit earns N − R and a false alarm costs R."""
    del hits, predicted
    return Fraction(-real), Fraction(cases)


LABEL_MEASURES = (
    _share(
        "recall",
        "hits",
        "every_real",
        "sensitivity, true positive rate, TPR, hit rate, probability of detection, cumulative gain, R at k",
        chance=BY_PREDICTION,
        beta_counts=lambda view: BetaCounts(float(view.hits), float(view.every_misses)),
        is_case_sum=True,
        case_worth=CaseWorth(_recall_worth),
        ignores_prevalence="always",
        guidance=guidance.RECALL,
    ),
    _share(
        "fallout",
        "false_alarms",
        "not_real",
        "false positive rate, FPR, false alarm rate, type 1 error",
        chance=BY_PREDICTION,
        direction="lower",
        is_case_sum=True,
        ignores_prevalence="two classes",
        guidance=guidance.FALLOUT,
    ),
    _share(
        "precision",
        "hits",
        "predicted",
        "positive predictive value, PPV, confidence, P at k",
        chance=BY_PREVALENCE,
        beta_counts=lambda view: BetaCounts(float(view.hits), float(view.false_alarms)),
        is_rate_of_predictions=True,
        counts_abstention_as_rejection=True,
        guidance=guidance.PRECISION,
    ),
    _share(
        "inverse_recall",
        "rejections",
        "every_other",
        "specificity, true negative rate, TNR, selectivity, irecall",
        chance=f"1 − {BY_PREDICTION}",
        is_case_sum=True,
        ignores_prevalence="two classes",
        guidance=guidance.SPECIFICITY,
    ),
    _share(
        "inverse_precision",
        "rejections",
        "not_predicted",
        "negative predictive value, NPV, iprecision",
        chance=f"1 − {BY_PREVALENCE}",
        is_rate_of_predictions=True,
    ),
    _share(
        "miss_rate",
        "every_misses",
        "every_real",
        "false negative rate, FNR, type 2 error",
        chance=f"1 − {BY_PREDICTION}",
        direction="lower",
        is_case_sum=True,
        case_worth=CaseWorth(_recall_worth),
        ignores_prevalence="always",
    ),
    _share(
        "false_discovery_rate",
        "false_alarms",
        "predicted",
        "FDR",
        chance=f"1 − {BY_PREVALENCE}",
        direction="lower",
        is_rate_of_predictions=True,
        counts_abstention_as_rejection=True,
    ),
    _share("false_omission_rate", "misses", "not_predicted", "FOR", chance=BY_PREVALENCE, direction="lower"),
    _proportion(
        "label_accuracy",
        "(hits + rejections) / cases",
        "one-versus-rest accuracy",
        lambda v: (v.hits + v.rejections, v.total + v.undecided),
        needs=(CASES,),
        chance="p r + (1 − p)(1 − r)",
        source=POWERS,
        is_case_sum=True,
        # One label against the rest would count an abstention on a case of the rest as right.
        case_worth=CaseWorth(_accuracy_worth, needs_decisions=True),
    ),
    _share(
        "prevalence",
        "real",
        "total",
        "base rate, real share",
        is_case_sum=True,
        chance="itself",
        direction="neither",
        source=POWERS,
    ),
    _share(
        "predicted_share",
        "predicted",
        "total",
        "bias (Powers 2011)",
        is_case_sum=True,
        chance="itself",
        direction="neither",
        source=POWERS,
    ),
    _proportion(
        "jaccard",
        "hits / (hits + false alarms + misses)",
        "Tanimoto, intersection over union, IOU, critical success index, threat score",
        lambda v: (v.hits, v.predicted + v.every_real - v.hits),
        needs=(IS_SEEN,),
        chance="p r / (p + r − p r)",
        source=JACCARD,
        guidance=guidance.JACCARD,
    ),
    _label(
        "f",
        "1 / (alpha/recall + (1 − alpha)/precision), alpha = beta²/(1 + beta²)",
        f_measure,
        "F1, F-score, F-measure, F-factor, Dice, Sørensen",
        chance="p r / (alpha r + (1 − alpha) p)",
        source="van Rijsbergen 1979, whose alpha weighs precision; as in Powers, ours weighs recall",
        options={"alpha": ALPHA},
        needs=(IS_SEEN, HAS_CASES, IS_PREDICTED),
        beta_counts=_f_beta_counts,
        title="F",
        counts_abstention_as_rejection=True,
        guidance=guidance.F,
    ),
    _label(
        "inverse_f",
        "f of everything that is not the label",
        lambda view, alpha: f_measure(inverse_view(view), alpha),
        "negative F-factor",
        chance="(1 − p)(1 − r) / (alpha (1 − r) + (1 − alpha)(1 − p))",
        options={"alpha": ALPHA},
        needs=(CASES, OTHERS_SEEN, OTHERS_HAVE_CASES, OTHERS_PREDICTED),
        title="inverse F",
    ),
    _label(
        "g",
        "√(precision · recall)",
        g_measure,
        "Fowlkes-Mallows index of a label, geometric mean of precision and recall",
        chance="√(p r)",
        needs=(HAS_CASES, IS_PREDICTED),
        title="G",
    ),
    _label(
        "inverse_g",
        "√(inverse precision · inverse recall)",
        lambda view: g_measure(inverse_view(view)),
        chance="√((1 − p)(1 − r))",
        needs=(OTHERS_HAVE_CASES, OTHERS_PREDICTED),
        title="inverse G",
    ),
    _edge(
        "informedness",
        "recall − fallout",
        edge,
        "edge, g(l), J, Youden's J, Youden's index, Peirce skill score, deltap', true skill statistic, TSS, "
        "Hanssen-Kuipers discriminant, bookmaker, bm",
        needs=(IS_REAL, OTHERS_REAL),
        combination=edge_combination,
        combination_strata="target",
        is_case_sum=True,
        case_worth=CaseWorth(_edge_worth, needs_decisions=True),
        ignores_prevalence="two classes",
    ),
    _edge(
        "markedness",
        "precision − false omission rate",
        lambda view: edge(transpose_view(view)),
        "deltap, mk, Clayton skill score",
        needs=(IS_PREDICTED, OTHERS_PREDICTED),
        combination=lambda view: edge_combination(transpose_view(view)),
        is_rate_of_predictions=True,
    ),
    _edge(
        "mcc",
        "(N hits − P R) / √(P R (N − P)(N − R))",
        _phi,
        "Matthews correlation coefficient, phi",
        source=MATTHEWS,
        weighs_classes_by_cases=True,
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, OTHERS_PREDICTED),
        title="MCC",
    ),
    _ratio(
        "positive_likelihood_ratio",
        "recall / fallout",
        lambda v: ratio(v.hits * v.not_real, v.false_alarms * v.real),
        "LR+, PLR",
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, HAS_FALSE_ALARMS),
        ignores_prevalence="two classes",
    ),
    _ratio(
        "negative_likelihood_ratio",
        "miss rate / inverse recall",
        lambda v: ratio(v.misses * v.not_real, v.rejections * v.real),
        "LR-, NLR",
        direction="lower",
        needs=(IS_REAL, OTHERS_REAL, HAS_REJECTIONS),
        ignores_prevalence="two classes",
    ),
    _ratio(
        "diagnostic_odds_ratio",
        "hits · rejections / (false alarms · misses)",
        lambda v: ratio(v.hits * v.rejections, v.false_alarms * v.misses),
        "DOR",
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, HAS_FALSE_ALARMS, HAS_MISSES),
        ignores_prevalence="two classes",
    ),
    _ratio(
        "lift",
        "precision / prevalence",
        lambda v: ratio(v.hits * v.total, v.predicted * v.real),
        "interest, gain over random",
        source="Brin et al. 1997, Dynamic itemset counting (as interest)",
        needs=(IS_REAL, IS_PREDICTED),
        guidance=guidance.LIFT,
    ),
    _label(
        "label_bias",
        "predicted share − prevalence",
        lambda v: ratio(v.predicted - v.real, v.total),
        low=-1.0,
        is_case_sum=True,
        needs=(CASES,),
        chance="itself",
        direction="neither",
    ),
    _label(
        "evenness",
        "prevalence · (1 − prevalence)",
        lambda v: ratio(v.real, v.total) * ratio(v.not_real, v.total),
        high=0.25,
        needs=(CASES,),
        chance="itself",
        direction="neither",
        source="Powers 2011, Evaluation: from precision, recall and F-measure to ROC",
    ),
)
