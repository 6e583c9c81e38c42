"""When a measure is undefined, and the sentence that says so. ``{label}`` is filled in."""

from edgeworth.arrays import Values
from edgeworth.core.measures import Requirement
from edgeworth.decisions.views import LabelView, Marginals

CASES = Requirement(lambda view: view.total > 0, "there are no cases with a decision")
IS_REAL = Requirement(lambda view: view.real > 0, "no case is really {label}")
IS_PREDICTED = Requirement(lambda view: view.predicted > 0, "no case was predicted as {label}")
OTHERS_REAL = Requirement(lambda view: view.not_real > 0, "every case is really {label}")
OTHERS_PREDICTED = Requirement(lambda view: view.not_predicted > 0, "every case was predicted as {label}")
IS_SEEN = Requirement(
    lambda view: view.predicted + view.real > 0, "{label} was neither predicted nor real in any case"
)
HAS_FALSE_ALARMS = Requirement(
    lambda view: view.false_alarms > 0, "no case was wrongly predicted as {label}, so the ratio has no bound"
)
HAS_REJECTIONS = Requirement(
    lambda view: view.rejections > 0, "every case outside {label} was predicted as {label}"
)
HAS_MISSES = Requirement(
    lambda view: view.misses > 0, "no case of {label} was missed, so the ratio has no bound"
)


# F leans wholly on recall or on precision at the ends of its weight.
F_NEEDS_REAL = Requirement(
    lambda view, alpha: (view.real > 0) | (alpha < 1), "no case is really {label}", with_options=True
)
F_NEEDS_PREDICTED = Requirement(
    lambda view, alpha: (view.predicted > 0) | (alpha > 0),
    "no case was predicted as {label}",
    with_options=True,
)
INVERSE_F_NEEDS_REAL = Requirement(
    lambda view, alpha: (view.not_real > 0) | (alpha < 1), "every case is really {label}", with_options=True
)
INVERSE_F_NEEDS_PREDICTED = Requirement(
    lambda view, alpha: (view.not_predicted > 0) | (alpha > 0),
    "every case was predicted as {label}",
    with_options=True,
)
OTHERS_SEEN = Requirement(
    lambda view: view.not_predicted + view.not_real > 0, "every case is {label}, predicted and real"
)


def _some_label_has_odds(view: Marginals) -> Values:
    return ((view.real > 0) & (view.by_label().not_real > 0)).any(axis=-1)


def _some_prediction_varies(view: Marginals) -> Values:
    return ((view.predicted > 0) & (view.by_label().not_predicted > 0)).any(axis=-1)


def _some_label_in_both(view: Marginals) -> Values:
    return ((view.real > 0) & (view.predicted > 0)).any(axis=-1)


def _guessing_could_err(view: Marginals) -> Values:
    return (view.predicted * view.by_label().not_real).sum(axis=-1) > 0


def _every_label_predicted(view: Marginals) -> Values:
    return ((view.predicted > 0) | (view.real == 0)).all(axis=-1)


def _macro_f_defined(view: Marginals, alpha: float) -> Values:
    seen = (view.real > 0) | (view.predicted > 0)
    return (~seen | (alpha * view.real + (1 - alpha) * view.predicted > 0)).all(axis=-1)


def _weighted_f_defined(view: Marginals, alpha: float) -> Values:
    return ((view.real == 0) | (alpha * view.real + (1 - alpha) * view.predicted > 0)).all(axis=-1)


def _any_case(view: Marginals) -> Values:
    return (view.total + view.abstained.sum(axis=-1)) > 0


ANY_CASE = Requirement(_any_case, "there are no cases")
TWO_REAL = Requirement(_some_label_has_odds, "only one class is real, so no label has fair odds")
TWO_PREDICTED = Requirement(_some_prediction_varies, "only one label was ever predicted")
SOME_COMMON = Requirement(_some_label_in_both, "no predicted label is ever real")
EVERY_F = Requirement(_macro_f_defined, "at this alpha some label has no f", with_options=True)
EVERY_REAL_F = Requirement(_weighted_f_defined, "at this alpha some real class has no f", with_options=True)
GUESSING_ERRS = Requirement(_guessing_could_err, "truth and prediction are one and the same single label")
ALL_PREDICTED = Requirement(
    _every_label_predicted, "a real class was never predicted, so it has no precision"
)
SOMETHING_WON = Requirement(
    lambda view: _expected_winnings(view) > 0, "no bet wins anything at fair odds, so there is nothing to tax"
)


def _expected_winnings(view: Marginals) -> Values:
    by_label: LabelView = view.by_label()
    priced = by_label.real > 0
    return (priced * by_label.hits * by_label.not_real).sum(axis=-1)
