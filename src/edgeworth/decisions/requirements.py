"""When a measure is undefined, and the sentence that says so. ``{label}`` is filled in."""

from edgeworth.arrays import Values
from edgeworth.core.measures import Requirement
from edgeworth.decisions.views import Marginals

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


def _f_needs(count: str, end: float, otherwise: str) -> Requirement:
    """Require a count unless alpha is at the end where F does not lean on it."""
    return Requirement(
        lambda view, alpha: (getattr(view, count) > 0) | (alpha != end), otherwise, with_options=True
    )


F_NEEDS_REAL = _f_needs("real", 1, IS_REAL.otherwise)
F_NEEDS_PREDICTED = _f_needs("predicted", 0, IS_PREDICTED.otherwise)
INVERSE_F_NEEDS_REAL = _f_needs("not_real", 1, OTHERS_REAL.otherwise)
INVERSE_F_NEEDS_PREDICTED = _f_needs("not_predicted", 0, OTHERS_PREDICTED.otherwise)
OTHERS_SEEN = Requirement(
    lambda view: view.not_predicted + view.not_real > 0, "every case is {label}, predicted and real"
)


ANY_CASE = Requirement(lambda view: view.total + view.abstained.sum(axis=-1) > 0, "there are no cases")
TWO_REAL = Requirement(
    lambda view: ((view.real > 0) & (view.by_label().not_real > 0)).any(axis=-1),
    "only one class is real, so no label has fair odds",
)
TWO_PREDICTED = Requirement(
    lambda view: ((view.predicted > 0) & (view.by_label().not_predicted > 0)).any(axis=-1),
    "only one label was ever predicted",
)
SOME_COMMON = Requirement(
    lambda view: ((view.real > 0) & (view.predicted > 0)).any(axis=-1), "no predicted label is ever real"
)
GUESSING_ERRS = Requirement(
    lambda view: (view.predicted * view.by_label().not_real).sum(axis=-1) > 0,
    "truth and prediction are one and the same single label",
)
ALL_PREDICTED = Requirement(
    lambda view: ((view.predicted > 0) | (view.real == 0)).all(axis=-1),
    "a real class was never predicted, so it has no precision",
)
SOMETHING_WON = Requirement(
    lambda view: ((view.real > 0) * view.hits * view.by_label().not_real).sum(axis=-1) > 0,
    "no bet wins anything at fair odds, so there is nothing to tax",
)


def _has_f(view: Marginals, alpha: float) -> Values:
    return alpha * view.real + (1 - alpha) * view.predicted > 0


EVERY_F = Requirement(
    lambda view, alpha: (_has_f(view, alpha) | (view.real + view.predicted == 0)).all(axis=-1),
    "at this alpha some label has no f",
    with_options=True,
)
EVERY_REAL_F = Requirement(
    lambda view, alpha: (_has_f(view, alpha) | (view.real == 0)).all(axis=-1),
    "at this alpha some real class has no f",
    with_options=True,
)
