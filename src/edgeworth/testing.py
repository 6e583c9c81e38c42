"""Gates inside tests: assertions that fail with the numbers, the interval and the error rates.

Examples
--------
>>> from edgeworth.testing import assert_at_least
>>> decision = assert_at_least("accuracy", 0.7, truth=[1, 0] * 100, prediction=[1, 0] * 90 + [0, 1] * 10)
>>> decision.outcome
'pass'
"""

from __future__ import annotations

from typing import Literal, Unpack

from edgeworth.core.options import CheckOptions
from edgeworth.gate import check
from edgeworth.gates.decision import Decision

__all__ = ["assert_at_least", "assert_at_most", "assert_meets", "assert_no_worse"]

Undecided = Literal["fail", "pass"]


def assert_meets(
    require: str,
    data: object = None,
    *,
    baseline: object = None,
    undecided: Undecided = "fail",
    **options: Unpack[CheckOptions],
) -> Decision:
    """Assert that a candidate meets a requirement, as ``ew.check`` reads it.

    Parameters
    ----------
    require : str
        The requirement, such as ``"recall[fraud] >= 0.9"``.
    data, baseline
        As in ``ew.check``.
    undecided : {"fail", "pass"}
        What a test does if the data do not decide.
    **options
        As in ``ew.check``.

    Returns
    -------
    Decision
        If the assertion holds.

    Raises
    ------
    AssertionError
        With the decision in words.

    Examples
    --------
    >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
    >>> assert_meets("recall[1] >= 0.8", truth=truth, prediction=prediction).outcome
    'pass'
    """
    __tracebackhide__ = True
    decision = check(data, require=require, baseline=baseline, undecided=undecided, **options)
    if not decision.passed:
        raise AssertionError(f"\n{decision}")
    return decision


def assert_at_least(
    measure: str,
    bound: float,
    data: object = None,
    *,
    undecided: Undecided = "fail",
    **options: Unpack[CheckOptions],
) -> Decision:
    """Assert that the interval of a measure lies above a bound.

    Parameters
    ----------
    measure : str
        The measure, such as ``"recall[fraud]"``.
    bound : float
        The bound.
    data : optional
        As in ``ew.check``.
    undecided : {"fail", "pass"}
        What a test does if the interval contains the bound.
    **options
        As in ``ew.check``.

    Returns
    -------
    Decision
        If the assertion holds. Otherwise an ``AssertionError`` states the decision.

    Examples
    --------
    >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
    >>> assert_at_least("accuracy", 0.7, truth=truth, prediction=prediction).outcome
    'pass'
    """
    __tracebackhide__ = True
    return assert_meets(f"{measure} >= {bound!r}", data, undecided=undecided, **options)


def assert_at_most(
    measure: str,
    bound: float,
    data: object = None,
    *,
    undecided: Undecided = "fail",
    **options: Unpack[CheckOptions],
) -> Decision:
    """Assert that the interval of a measure lies below a bound.

    Parameters
    ----------
    measure : str
        The measure, such as ``"brier"``.
    bound : float
        The bound.
    data : optional
        As in ``ew.check``.
    undecided : {"fail", "pass"}
        What a test does if the interval contains the bound.
    **options
        As in ``ew.check``.

    Returns
    -------
    Decision
        If the assertion holds. Otherwise an ``AssertionError`` states the decision.

    Examples
    --------
    >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
    >>> assert_at_most("fallout[1]", 0.2, truth=truth, prediction=prediction).outcome
    'pass'
    """
    __tracebackhide__ = True
    return assert_meets(f"{measure} <= {bound!r}", data, undecided=undecided, **options)


def assert_no_worse(
    measure: str,
    margin: float | str,
    data: object = None,
    *,
    baseline: object,
    undecided: Undecided = "fail",
    **options: Unpack[CheckOptions],
) -> Decision:
    """Assert that the candidate is no worse than the baseline by more than a margin.

    Parameters
    ----------
    measure : str
        The measure, such as ``"accuracy"``.
    margin : float or str
        The margin: ``0.01``, or ``"1pp"`` for one percentage point.
    data, baseline
        As in ``ew.check``.
    undecided : {"fail", "pass"}
        What a test does if the data do not decide.
    **options
        As in ``ew.check``.

    Returns
    -------
    Decision
        If the assertion holds. Otherwise an ``AssertionError`` states the decision.

    Examples
    --------
    >>> truth = [1, 0] * 300
    >>> old, new = [1, 0] * 270 + [0, 1] * 30, [0, 1] * 3 + [1, 0] * 269 + [0, 1] * 28
    >>> assert_no_worse("accuracy", "3pp", truth=truth, prediction=new, baseline=old).outcome
    'pass'
    """
    __tracebackhide__ = True
    requirement = f"{measure} no worse than baseline by {margin}"
    return assert_meets(requirement, data, baseline=baseline, undecided=undecided, **options)
