"""Measures of one label against the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from edgeworth.arrays import Values, ratio
from edgeworth.core.measures import POWERS, RETRIEVAL, Combination, Direction, Measure, Option
from edgeworth.decisions.requirements import (
    CASES,
    F_NEEDS_PREDICTED,
    F_NEEDS_REAL,
    HAS_FALSE_ALARMS,
    HAS_MISSES,
    HAS_REJECTIONS,
    INVERSE_F_NEEDS_PREDICTED,
    INVERSE_F_NEEDS_REAL,
    IS_PREDICTED,
    IS_REAL,
    IS_SEEN,
    OTHERS_PREDICTED,
    OTHERS_REAL,
    OTHERS_SEEN,
)
from edgeworth.decisions.views import LabelView

RATIOS = "Glas et al. 2003, The diagnostic odds ratio"
MATTHEWS = "Matthews 1975, Comparison of the predicted and observed secondary structure"
JACCARD = "Jaccard 1901; Tanimoto 1958"
ALPHA = Option(0.5, 0.0, 1.0)


def _proportion(
    name: str,
    formula: str,
    parts: Callable[[LabelView], tuple[Values, Values]],
    *,
    chance: str,
    direction: Direction = "higher",
    source: str = RETRIEVAL,
    **more: Any,
) -> Measure:
    """Make a measure that is a number of successes over a number of trials."""
    return Measure(
        name=name,
        scope="label",
        formula=formula,
        low=0.0,
        high=1.0,
        chance=chance,
        direction=direction,
        source=source,
        compute=lambda view: ratio(*parts(view)),
        proportion=parts,
        **more,
    )


def f_measure(view: LabelView, alpha: float) -> Values:
    """Compute ``1/(α/recall + (1-α)/precision)``, which is 0 (not undefined) when nothing was found."""
    return ratio(view.hits, alpha * view.real + (1 - alpha) * view.predicted)


def g_measure(view: LabelView) -> Values:
    """Compute the geometric mean of precision and recall."""
    return ratio(view.hits, np.sqrt(view.predicted * view.real))


def edge(view: LabelView) -> Values:
    """Compute recall minus fallout, which a bet on the label earns at fair odds."""
    return ratio(view.hits, view.real) - ratio(view.false_alarms, view.not_real)


def inverse_view(view: LabelView) -> LabelView:
    """View the same table from "not this label"."""
    return LabelView(view.rejections, view.not_predicted, view.not_real, view.total)


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
    return ratio(view.total * view.hits - view.predicted * view.real, np.sqrt(margins))


LABEL_MEASURES = (
    _proportion(
        "recall",
        "hits / real",
        lambda v: (v.hits, v.real),
        chance="the label's predicted share",
        synonyms=(
            "sensitivity",
            "true positive rate",
            "tpr",
            "hit rate",
            "probability of detection",
            "cumulative gain",
        ),
        needs=(IS_REAL,),
    ),
    _proportion(
        "fallout",
        "false alarms / not real",
        lambda v: (v.false_alarms, v.not_real),
        chance="the label's predicted share",
        direction="lower",
        synonyms=("false positive rate", "fpr", "false alarm rate", "type 1 error"),
        needs=(OTHERS_REAL,),
    ),
    _proportion(
        "precision",
        "hits / predicted",
        lambda v: (v.hits, v.predicted),
        chance="the label's prevalence",
        synonyms=("positive predictive value", "ppv", "confidence"),
        needs=(IS_PREDICTED,),
    ),
    _proportion(
        "inverse_recall",
        "rejections / not real",
        lambda v: (v.rejections, v.not_real),
        chance="1 − the label's predicted share",
        synonyms=("specificity", "true negative rate", "tnr", "selectivity"),
        needs=(OTHERS_REAL,),
    ),
    _proportion(
        "inverse_precision",
        "rejections / not predicted",
        lambda v: (v.rejections, v.not_predicted),
        chance="1 − the label's prevalence",
        synonyms=("negative predictive value", "npv"),
        needs=(OTHERS_PREDICTED,),
    ),
    _proportion(
        "miss_rate",
        "misses / real",
        lambda v: (v.misses, v.real),
        chance="1 − the label's predicted share",
        direction="lower",
        synonyms=("false negative rate", "fnr", "type 2 error"),
        needs=(IS_REAL,),
    ),
    _proportion(
        "false_discovery_rate",
        "false alarms / predicted",
        lambda v: (v.false_alarms, v.predicted),
        chance="1 − the label's prevalence",
        direction="lower",
        synonyms=("fdr",),
        needs=(IS_PREDICTED,),
    ),
    _proportion(
        "false_omission_rate",
        "misses / not predicted",
        lambda v: (v.misses, v.not_predicted),
        chance="the label's prevalence",
        direction="lower",
        synonyms=("for",),
        needs=(OTHERS_PREDICTED,),
    ),
    _proportion(
        "label_accuracy",
        "(hits + rejections) / cases",
        lambda v: (v.hits + v.rejections, v.total),
        chance="p r + (1 − p)(1 − r)",
        source=POWERS,
        synonyms=("one-versus-rest accuracy",),
        needs=(CASES,),
    ),
    _proportion(
        "prevalence",
        "real / cases",
        lambda v: (v.real, v.total),
        chance="itself",
        direction="neither",
        source=POWERS,
        synonyms=("base rate", "real share", "r"),
        needs=(CASES,),
    ),
    _proportion(
        "predicted_share",
        "predicted / cases",
        lambda v: (v.predicted, v.total),
        chance="itself",
        direction="neither",
        source=POWERS,
        synonyms=("bias (Powers 2011)", "p"),
        needs=(CASES,),
    ),
    _proportion(
        "jaccard",
        "hits / (hits + false alarms + misses)",
        lambda v: (v.hits, v.predicted + v.real - v.hits),
        chance="p r / (p + r − p r)",
        source=JACCARD,
        synonyms=("tanimoto", "intersection over union", "iou", "critical success index", "threat score"),
        needs=(IS_SEEN,),
    ),
    Measure(
        "f",
        "label",
        "1 / (alpha/recall + (1 − alpha)/precision)",
        0.0,
        1.0,
        "p r / (alpha r + (1 − alpha) p)",
        "higher",
        "van Rijsbergen 1979, whose alpha weighs precision; as in Powers, ours weighs recall",
        f_measure,
        synonyms=("f1", "f-score", "f-measure", "f-factor", "dice", "sørensen"),
        options={"alpha": ALPHA},
        needs=(IS_SEEN, F_NEEDS_REAL, F_NEEDS_PREDICTED),
        title="F",
    ),
    Measure(
        "inverse_f",
        "label",
        "f of everything that is not the label",
        0.0,
        1.0,
        "(1 − p)(1 − r) / (alpha (1 − r) + (1 − alpha)(1 − p))",
        "higher",
        POWERS,
        lambda view, alpha: f_measure(inverse_view(view), alpha),
        synonyms=("negative f-factor",),
        options={"alpha": ALPHA},
        needs=(CASES, OTHERS_SEEN, INVERSE_F_NEEDS_REAL, INVERSE_F_NEEDS_PREDICTED),
        title="inverse F",
    ),
    Measure(
        "g",
        "label",
        "√(precision · recall)",
        0.0,
        1.0,
        "√(p r)",
        "higher",
        POWERS,
        g_measure,
        synonyms=("fowlkes-mallows index of a label", "geometric mean of precision and recall"),
        needs=(IS_REAL, IS_PREDICTED),
        title="G",
    ),
    Measure(
        "inverse_g",
        "label",
        "√(inverse precision · inverse recall)",
        0.0,
        1.0,
        "√((1 − p)(1 − r))",
        "higher",
        POWERS,
        lambda view: g_measure(inverse_view(view)),
        needs=(OTHERS_REAL, OTHERS_PREDICTED),
        title="inverse G",
    ),
    Measure(
        "informedness",
        "label",
        "recall − fallout",
        -1.0,
        1.0,
        "0",
        "higher",
        POWERS,
        edge,
        synonyms=(
            "edge",
            "g(l)",
            "youden's j",
            "youden's index",
            "peirce skill score",
            "deltap'",
            "true skill statistic",
            "tss",
            "hanssen-kuipers discriminant",
            "bookmaker",
            "bm",
        ),
        needs=(IS_REAL, OTHERS_REAL),
        combination=edge_combination,
    ),
    Measure(
        "markedness",
        "label",
        "precision − false omission rate",
        -1.0,
        1.0,
        "0",
        "higher",
        POWERS,
        lambda view: edge(transpose_view(view)),
        synonyms=("deltap", "mk", "clayton skill score"),
        needs=(IS_PREDICTED, OTHERS_PREDICTED),
        combination=lambda view: edge_combination(transpose_view(view)),
    ),
    Measure(
        "mcc",
        "label",
        "(N hits − P R) / √(P R (N − P)(N − R))",
        -1.0,
        1.0,
        "0",
        "higher",
        MATTHEWS,
        _phi,
        synonyms=("matthews correlation coefficient", "phi"),
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, OTHERS_PREDICTED),
        title="MCC",
    ),
    Measure(
        "positive_likelihood_ratio",
        "label",
        "recall / fallout",
        0.0,
        np.inf,
        "1",
        "higher",
        RATIOS,
        lambda v: ratio(v.hits * v.not_real, v.false_alarms * v.real),
        synonyms=("lr+", "plr"),
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, HAS_FALSE_ALARMS),
    ),
    Measure(
        "negative_likelihood_ratio",
        "label",
        "miss rate / inverse recall",
        0.0,
        np.inf,
        "1",
        "lower",
        RATIOS,
        lambda v: ratio(v.misses * v.not_real, v.rejections * v.real),
        synonyms=("lr-", "nlr"),
        needs=(IS_REAL, OTHERS_REAL, HAS_REJECTIONS),
    ),
    Measure(
        "diagnostic_odds_ratio",
        "label",
        "hits · rejections / (false alarms · misses)",
        0.0,
        np.inf,
        "1",
        "higher",
        RATIOS,
        lambda v: ratio(v.hits * v.rejections, v.false_alarms * v.misses),
        synonyms=("dor",),
        needs=(IS_REAL, OTHERS_REAL, IS_PREDICTED, HAS_FALSE_ALARMS, HAS_MISSES),
    ),
    Measure(
        "lift",
        "label",
        "precision / prevalence",
        0.0,
        np.inf,
        "1",
        "higher",
        "Brin et al. 1997, Dynamic itemset counting (as interest)",
        lambda v: ratio(v.hits * v.total, v.predicted * v.real),
        synonyms=("interest", "gain over random"),
        needs=(IS_REAL, IS_PREDICTED),
    ),
    Measure(
        "label_bias",
        "label",
        "predicted share − prevalence",
        -1.0,
        1.0,
        "itself",
        "neither",
        POWERS,
        lambda v: ratio(v.predicted - v.real, v.total),
        needs=(CASES,),
    ),
    Measure(
        "evenness",
        "label",
        "prevalence · (1 − prevalence)",
        0.0,
        0.25,
        "itself",
        "neither",
        "Powers 2011, Evaluation: from precision, recall and F-measure to ROC",
        lambda v: ratio(v.real, v.total) * ratio(v.not_real, v.total),
        needs=(CASES,),
    ),
)
