"""Measures of a whole table: Powers' informedness and markedness, accuracy and agreement."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Unpack

import numpy as np

from edgeworth.common.arrays import Values, ratio, weighted_sum
from edgeworth.core.measures import (
    POWERS,
    CaseWorth,
    Combination,
    Measure,
    MeasureFields,
    Parameter,
    measure_family,
)
from edgeworth.decisions import guidance
from edgeworth.decisions.margin_slopes import (
    balanced_accuracy_slopes,
    informedness_slopes,
    kappa_slopes,
    macro_f_slopes,
    markedness_slopes,
    mcc_slopes,
)
from edgeworth.decisions.per_label import ALPHA, edge, edge_combination, f_measure, g_measure
from edgeworth.decisions.views import (
    ALL_PREDICTED,
    ANY_CASE,
    CASES,
    GUESSING_ERRS,
    SOME_COMMON,
    TWO_PREDICTED,
    TWO_REAL,
    LabelView,
    Marginals,
    label_view,
)

BRODERSEN = "Brodersen et al. 2010, The balanced accuracy and its posterior distribution"
COHEN = "Cohen 1960, A coefficient of agreement for nominal scales"
GORODKIN = "Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient"
SCIKIT_LEARN = "scikit-learn's definition"

ABSTENTIONS = Parameter("discount", choices=("discount", "zero_weight", "drop"))


def informedness(view: Marginals, abstentions: str = "drop") -> Values:
    """Compute ``Σ p_l (recall_l − fallout_l)`` over the labels that have fair odds, p_l the predicted share.

    With abstentions, "discount" multiplies the value of the decided cases by their share of all cases,
    "zero_weight" keeps every case in the shares and pays nothing on undecided ones, "drop" looks at the
    decided cases alone.
    """
    if abstentions == "zero_weight":
        every = view.total + view.undecided
        by_label = LabelView(view.hits, view.predicted, view.every_real, every[..., None])
        return _where_bet(by_label, ratio(weighted_sum(view.predicted, edge(by_label)), every))
    by_label = view.by_label()
    value = _where_bet(by_label, ratio(weighted_sum(view.predicted, edge(by_label)), view.total))
    return value * coverage(view) if abstentions == "discount" else value


def _where_bet(by_label: LabelView, value: Values) -> Values:
    """Make a sum over labels nan when no prediction is of a label that has odds."""
    bet = (by_label.real.real > 0) & (by_label.not_real.real > 0) & (by_label.predicted.real > 0)
    return np.where(bet.any(axis=-1), value, np.nan)


def _total_at_odds(by_label: LabelView) -> Values:
    """Count all cases, or none when no label has odds."""
    priced = ((by_label.real.real > 0) & (by_label.not_real.real > 0)).any(axis=-1)
    return np.where(priced, by_label.total[..., 0], 0.0)


def _exchanged(view: Marginals) -> Marginals:
    """Exchange prediction and truth, over the decided cases."""
    return Marginals(view.hits, view.real, view.predicted, np.zeros_like(view.abstained))


def markedness(view: Marginals) -> Values:
    """Compute informedness with prediction and truth exchanged."""
    return informedness(_exchanged(view))


def coverage(view: Marginals) -> Values:
    """Compute the share of cases with a decision."""
    return ratio(view.total, view.total + view.undecided)


def balanced_accuracy(view: Marginals) -> Values:
    """Compute the mean recall of the real classes."""
    real = view.every_real.real > 0
    return ratio(np.where(real, ratio(view.hits, view.every_real), 0).sum(axis=-1), real.sum(axis=-1))


def _adjusted_balanced_accuracy(view: Marginals) -> Values:
    chance = ratio(np.ones_like(view.total, dtype=np.float64), (view.every_real.real > 0).sum(axis=-1))
    return ratio(balanced_accuracy(view) - chance, 1 - chance)


def recalls_combination(hits: Values, real: Values, constant: float, coefficient: float) -> Combination:
    """Write ``constant + coefficient · Σ recall`` over the real classes, whose recalls are independent."""
    hits, trials = (counts[real > 0].astype(np.float64) for counts in (hits, real))
    return Combination(constant, np.full(len(hits), coefficient), hits, trials)


def _balanced_combination(view: Marginals) -> Combination:
    return recalls_combination(view.hits, view.every_real, 0.0, 1 / int((view.every_real > 0).sum()))


def _adjusted_combination(view: Marginals) -> Combination:
    others = int((view.every_real > 0).sum()) - 1
    return recalls_combination(view.hits, view.every_real, -1 / others, 1 / others)


def _informedness_combination(view: Marginals, abstentions: str) -> Combination | None:
    """Write informedness of two labels as one label's edge; with more it is no fixed combination."""
    seen = np.flatnonzero((view.real > 0) | (view.predicted > 0))
    if len(seen) != 2 or (view.abstained.any() and abstentions != "drop"):
        return None
    return edge_combination(label_view(view, int(seen[0])))


def _kappa(view: Marginals) -> Values:
    # N Σ hits − Σ P R over N² − Σ P R, without their rounding.
    by_label = view.by_label()
    rest = (view.predicted * by_label.not_real).sum(axis=-1)
    return ratio(by_label.determinant.sum(axis=-1), rest)


def _mcc(view: Marginals) -> Values:
    by_label = view.by_label()
    spread_predicted = (view.predicted * by_label.not_predicted).sum(axis=-1)
    spread_real = (view.real * by_label.not_real).sum(axis=-1)
    return ratio(by_label.determinant.sum(axis=-1), np.sqrt(spread_predicted * spread_real))


def _macro_informedness(view: Marginals) -> Values:
    values = edge(view.by_label())
    return ratio(weighted_sum(np.ones_like(values), values), (~np.isnan(values)).sum(axis=-1))


def _micro_informedness(view: Marginals) -> Values:
    labels = ((view.real.real > 0) | (view.predicted.real > 0)).sum(axis=-1)
    accuracy = ratio(view.hits.sum(axis=-1), view.total)
    return accuracy - ratio(1 - accuracy, labels - 1)


def _real_weighted_informedness(view: Marginals) -> Values:
    by_label = view.by_label()
    return ratio(weighted_sum(view.real, edge(by_label)), _total_at_odds(by_label))


# -- what a hit of each label adds when both margins are fixed: the law under guessing is exact -----------


def informedness_hit_values(predicted: list[int], real: list[int]) -> list[Fraction]:
    """Compute ``P_l / (R_l (N − R_l))``, 0 for a label without odds."""
    total = sum(predicted)
    return [
        Fraction(p, r * (total - r)) if 0 < r < total else Fraction(0)
        for p, r in zip(predicted, real, strict=True)
    ]


def _equal_hit_values(predicted: list[int], real: list[int]) -> list[Fraction]:  # noqa: ARG001  # one signature
    return [Fraction(1, sum(predicted))] * len(predicted)


_overall = measure_family(
    scope="overall", low=-1.0, high=1.0, chance="0", direction="higher", source=POWERS, needs=(CASES,)
)


def _proportion(
    name: str,
    formula: str,
    parts: Callable[[Marginals], tuple[Values, Values]],
    synonyms: str = "",
    **own: Unpack[MeasureFields],
) -> Measure:
    """Make a measure of successes over trials."""
    shared: MeasureFields = {"low": 0.0, "proportion": parts}
    return _overall(name, formula, lambda view: ratio(*parts(view)), synonyms, **(shared | own))


def _hit_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Count hits alike."""
    del cases, real, hits, predicted
    return Fraction(0), Fraction(1)


def _recall_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Count a hit as its share of the real cases of its class."""
    del cases, hits, predicted
    return Fraction(0), Fraction(1, real) if real else Fraction(0)


def _informedness_worth(cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Compute what a label adds to a difference of informedness, which is a difference of squares.

    ``B − B' = Σ_l [T_l (h_l − h'_l) + (H_l − 2 R_l T_l/N) (P_l − P'_l)] / (2 R_l (N − R_l))`` with the hits H
    and predictions T of both systems. A label that is never or always real has no fair odds and adds nothing.
    """
    if not 0 < real < cases:
        return Fraction(0), Fraction(0)
    odds = 2 * real * (cases - real)
    return Fraction(cases * hits - 2 * real * predicted, cases * odds), Fraction(predicted, odds)


OVERALL_MEASURES = (
    _overall(
        "informedness",
        "Σ_l p_l (recall_l − fallout_l)",
        informedness,
        synonyms="Powers' B, bookmaker informedness, Youden's J (two classes), deltap' (two classes), bm",
        guidance=guidance.INFORMEDNESS,
        options={"abstentions": ABSTENTIONS},
        needs=(CASES, TWO_REAL, SOME_COMMON),
        combination=_informedness_combination,
        guessing=informedness_hit_values,
        margin_slopes=informedness_slopes,
        combination_strata="target",
        is_case_sum=True,
        # The value of the decided cases is multiplied by their share, and swaps change both.
        case_worth=CaseWorth(_informedness_worth, needs_decisions=True),
        ignores_prevalence="two classes",
    ),
    _overall(
        "markedness",
        "Σ_l r_l (precision_l − false omission rate_l)",
        markedness,
        synonyms="Powers' M, deltap, mk",
        needs=(CASES, TWO_PREDICTED, SOME_COMMON),
        combination=lambda view: _informedness_combination(_exchanged(view), "drop"),
        guessing=lambda predicted, real: informedness_hit_values(real, predicted),
        margin_slopes=markedness_slopes,
        is_rate_of_predictions=True,
        guidance=guidance.MARKEDNESS,
    ),
    _proportion(
        "accuracy",
        "Σ_l hits_l / cases",
        lambda v: (v.hits.sum(axis=-1), v.total + v.undecided),
        chance="Σ_l p_l r_l",
        synonyms=(
            "acc, Rand accuracy (Powers), micro recall, micro precision, micro F1, avrecall, avprecision"
        ),
        guessing=_equal_hit_values,
        is_case_sum=True,
        case_worth=CaseWorth(_hit_worth),
        is_share_of_right_answers=True,
        guidance=guidance.ACCURACY,
    ),
    _proportion(
        "error_rate",
        "1 − accuracy",
        lambda v: (v.total + v.undecided - v.hits.sum(axis=-1), v.total + v.undecided),
        chance="1 − Σ_l p_l r_l",
        direction="lower",
        synonyms="misclassification rate, zero-one loss, MAP error",
        guessing=lambda predicted, real: [-slope for slope in _equal_hit_values(predicted, real)],
        is_case_sum=True,
        case_worth=CaseWorth(_hit_worth),
    ),
    _overall(
        "balanced_accuracy",
        "mean over real classes of recall_l",
        balanced_accuracy,
        low=0.0,
        chance="1 / real classes (when guesses are only of those)",
        source=BRODERSEN,
        synonyms="macro recall, UAR",
        combination=_balanced_combination,
        margin_slopes=balanced_accuracy_slopes,
        combination_strata="classes",
        is_case_sum=True,
        case_worth=CaseWorth(_recall_worth),
        ignores_prevalence="always",
        guidance=guidance.BALANCED_ACCURACY,
    ),
    _overall(
        "adjusted_balanced_accuracy",
        "(balanced accuracy − 1/C) / (1 − 1/C)",
        _adjusted_balanced_accuracy,
        chance="0 (when every guess is of a real class)",
        source=SCIKIT_LEARN,
        needs=(CASES, TWO_REAL),
        combination=_adjusted_combination,
        combination_strata="classes",
        is_case_sum=True,
        case_worth=CaseWorth(_recall_worth),
        ignores_prevalence="always",
    ),
    _overall(
        "macro_informedness",
        "mean over labels with odds of recall_l − fallout_l",
        _macro_informedness,
        source="yardstick's macro j_index",
        weighs_classes_equally=True,
        needs=(CASES, TWO_REAL),
        ignores_prevalence="two classes",
    ),
    _overall(
        "micro_informedness",
        "accuracy − (1 − accuracy)/(K − 1)",
        _micro_informedness,
        source="yardstick's micro j_index",
        chance="Σ_l p_l r_l − (1 − Σ_l p_l r_l)/(K − 1)",
        needs=(CASES, GUESSING_ERRS),
    ),
    _overall(
        "real_weighted_informedness",
        "Σ_l r_l (recall_l − fallout_l)",
        _real_weighted_informedness,
        source="yardstick's macro_weighted j_index",
        needs=(CASES, TWO_REAL),
        title="real-weighted informedness",
        ignores_prevalence="two classes",
    ),
    _overall(
        "mcc",
        "(N Σ hits − Σ P_l R_l) / √((N² − Σ P_l²)(N² − Σ R_l²))",
        _mcc,
        source=GORODKIN,
        synonyms="Matthews correlation coefficient, Matthews corrcoef, r_k, phi",
        needs=(CASES, TWO_REAL, TWO_PREDICTED),
        guessing=_equal_hit_values,
        margin_slopes=mcc_slopes,
        title="MCC",
        weighs_classes_by_cases=True,
        guidance=guidance.MCC,
    ),
    _overall(
        "kappa",
        "(accuracy − Σ p_l r_l) / (1 − Σ p_l r_l)",
        _kappa,
        source=COHEN,
        synonyms="Cohen's kappa, Heidke skill score",
        needs=(CASES, GUESSING_ERRS),
        guessing=_equal_hit_values,
        margin_slopes=kappa_slopes,
        weighs_classes_by_cases=True,
        guidance=guidance.KAPPA,
    ),
    _proportion(
        "coverage",
        "cases decided / all cases",
        lambda v: (v.total, v.total + v.undecided),
        chance="itself",
        direction="neither",
        needs=(ANY_CASE,),
        is_case_sum=True,
    ),
)


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
    seen = (view.every_real.real > 0) | (view.predicted.real > 0)
    complete = ~(seen & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(np.where(seen, values, 0).sum(axis=-1), seen.sum(axis=-1)), np.nan)


def _weighted(view: Marginals, values: Values) -> Values:
    """Average by real share; undefined if one real class's value is."""
    real = view.every_real
    complete = ~((real.real > 0) & np.isnan(values)).any(axis=-1)
    return np.where(complete, ratio(weighted_sum(real, values), real.sum(axis=-1)), np.nan)


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
        "macro F1",
        margin_slopes=macro_f_slopes,
        weighs_classes_equally=True,
        title="macro F",
        guidance=guidance.MACRO_F,
    ),
    _average_of_f(
        "weighted_f",
        "Σ_l r_l f_l",
        lambda view, alpha: _weighted(view, f_measure(view.by_label(), alpha)),
        "weighted F1",
        title="weighted F",
    ),
    _average(
        "macro_precision",
        "mean over labels of precision_l",
        lambda view: _macro(view, ratio(view.hits, view.predicted)),
        weighs_classes_equally=True,
        needs=(CASES, ALL_PREDICTED),
    ),
    _average(
        "weighted_precision",
        "Σ_l r_l precision_l",
        lambda view: _weighted(view, ratio(view.hits, view.predicted)),
        needs=(CASES, ALL_PREDICTED),
    ),
)
