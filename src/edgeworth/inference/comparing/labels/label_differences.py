"""Which of two predictors of labels is better: differences of any measure of decisions, from joint counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from edgeworth.errors import OptionError, check_seed
from edgeworth.inference.comparing.differences import Difference
from edgeworth.inference.comparing.labels.grouped_swaps import swap_groups
from edgeworth.inference.comparing.labels.joint_cells import JointCells, in_focus, joint_cells
from edgeworth.inference.comparing.labels.label_methods import (
    check_method_of_differences,
    default_method,
    delta_law,
    difference_law,
    doubt_of,
    effect_of,
)
from edgeworth.inference.comparing.labels.label_posteriors import probability_first_better
from edgeworth.inference.comparing.labels.paired_proportions import paired_proportions
from edgeworth.inference.comparing.swaps.mcnemar import mcnemar
from edgeworth.inference.comparing.swaps.randomisation import randomisation_test
from edgeworth.inference.comparing.swaps.swapping import swap_test
from edgeworth.inference.laws import SamplingLaw
from edgeworth.inference.tails import Tail
from edgeworth.measures import Resolved, quoted, resolve
from edgeworth.tallies import Paired

EXACT_OF_A_LABEL = {
    "precision": "precision",
    "false_discovery_rate": "precision",
    "recall": "recall",
    "miss_rate": "recall",
    "f": "f",
    "informedness": "informedness",
    "label_accuracy": "accuracy",
}
EXACT_OF_ALL = {
    "accuracy": "accuracy",
    "error_rate": "accuracy",
    "informedness": "informedness",
    "balanced_accuracy": "balanced_accuracy",
    "adjusted_balanced_accuracy": "balanced_accuracy",
}
"""Measures whose randomisation is exact, with the one that has the same differences up to a factor."""

MOST_LABELS = 10
"""Past this the default measures leave single labels out."""


def label_difference(
    paired: Paired, first: str, second: str, spelling: str, *, method: Any = None, seed: int = 0
) -> Difference:
    """How much better the first predictor does than the second on a measure, and how sure that is.

    The interval is Tango's score interval for proportions of the same cases (accuracy, recall), the delta
    method's for everything else that has a derivative (with weights, and with groups as units), or by a
    ``method``: Delta(), Tango(), Bootstrap(), Dirichlet(). The tests are randomisation (exact where the
    measure allows it), McNemar's for accuracy, and Wald's.

    >>> truth, good, bad = [1] * 20 + [0] * 20, [1] * 17 + [0] * 23, [1] * 12 + [0] * 20 + [1] * 8
    >>> paired = Paired.from_labels(truth, {"good": good, "bad": bad})
    >>> found = label_difference(paired, "good", "bad", "informedness")
    >>> round(found.difference, 4), found.better, round(found.p_value(), 4)
    (0.65, 'good', 0.0002)
    """
    check_seed(seed)
    check_method_of_differences(method)
    return _difference(paired, joint_cells(paired, first, second), (first, second), spelling, method, seed)


def label_differences(
    paired: Paired,
    first: str,
    second: str,
    spellings: Sequence[str] | None = None,
    *,
    method: Any = None,
    seed: int = 0,
) -> dict[str, Difference]:
    """The differences of several measures by their spelling; without ``spellings``, of the usual ones."""
    check_seed(seed)
    check_method_of_differences(method)
    cells = joint_cells(paired, first, second)
    wanted = default_spellings(paired) if spellings is None else spellings
    return {
        spelling: _difference(paired, cells, (first, second), spelling, method, seed) for spelling in wanted
    }


def default_spellings(paired: Paired) -> tuple[str, ...]:
    """Informedness, markedness, accuracy and MCC; precision, recall and F of the positive label, or of each.

    >>> default_spellings(Paired.from_labels([1, 0], {"a": [1, 0], "b": [1, 1]}))[4:]
    ('precision[1]', 'recall[1]', 'f[1]')
    """
    positive = paired.table(paired.names[0]).positive
    labels = paired.labels if positive is None else (positive,)
    of_labels = [
        f"{name}[{quoted(str(label))}]"
        for label in (labels if len(labels) <= MOST_LABELS else ())
        for name in ("precision", "recall", "f")
    ]
    several = ("macro_f",) if len(paired.labels) > 2 else ()
    return ("informedness", "markedness", "accuracy", "mcc", *several, *of_labels)


def _difference(
    paired: Paired, whole: JointCells, names: tuple[str, str], spelling: str, method: Any, seed: int
) -> Difference:
    resolved = resolve(whole.tables[0], spelling)
    cells, focus = in_focus(whole, resolved)
    is_higher_better = focus.measure.direction != "lower"
    reasons = [focus.undefined(table) for table in cells.tables]
    values = cells.values(focus)
    if any(reasons):
        said = "; ".join(f"of {name}: {why}" for name, why in zip(names, reasons, strict=True) if why)
        first, second = (math.nan if why else value for value, why in zip(values, reasons, strict=True))
        return Difference(
            resolved.spelling,
            *names,
            (first, second),
            is_higher_better,
            cases=whole.units,
            undefined=said,
            no_interval=said,
        )
    law, no_interval = _law_or_reason(cells, focus, method)
    better, how = probability_first_better(cells, focus, seed)
    return Difference(
        measure=resolved.spelling,
        first=names[0],
        second=names[1],
        values=values,
        is_higher_better=is_higher_better,
        law=law,
        tests=_tests(paired, names, cells, focus, seed),
        probability_better=better,
        probability_method=how,
        effect=effect_of(cells, focus) if _has_derivative(focus) else None,
        cases=whole.units,
        interval_method="" if law is None else str(method or default_method(cells, focus)),
        no_interval=no_interval,
        doubt=doubt_of(cells, focus, law),
    )


def _law_or_reason(
    cells: JointCells, resolved: Resolved, method: Any
) -> tuple[SamplingLaw | None, str | None]:
    """The law; without one the difference still stands, with the reason, unless the method was asked for."""
    if method is None and resolved.measure.no_interval is not None:
        return None, resolved.measure.no_interval
    try:
        return difference_law(cells, resolved, method), None
    except OptionError as error:
        if method is not None:
            raise
        return None, str(error)


def _tests(
    paired: Paired, names: tuple[str, str], cells: JointCells, resolved: Resolved, seed: int
) -> dict[str, Tail]:
    """Tests of no difference, the one to go by first; with sampling weights Wald's alone."""
    tests = {}
    if cells.is_counted or cells.groups is not None:
        tests["randomisation"] = _randomisation(paired, names, cells, resolved, seed)
    if resolved.position is None and resolved.measure.name in ("accuracy", "error_rate"):
        found = paired_proportions(cells, resolved)
        if found is not None:
            tests["mcnemar"] = mcnemar(found.only_first, found.only_second)
            tests["mcnemar mid-p"] = mcnemar(found.only_first, found.only_second, mid_p=True)
    if _has_derivative(resolved) and cells.units > 1:
        wald = delta_law(cells, resolved, natural=False).p_value(0.0, "two-sided")
        if not math.isnan(wald):
            tests["wald"] = Tail.approximated(wald, 0.0, "Wald's test with the delta method's variance")
    return tests


def _randomisation(
    paired: Paired, names: tuple[str, str], cells: JointCells, resolved: Resolved, seed: int
) -> Tail:
    """Exact where only sums over discordant cases matter; any other measure by swaps, all or drawn."""
    abstained = any(table.abstained.any() for table in cells.tables)
    measure = (EXACT_OF_ALL if resolved.position is None else EXACT_OF_A_LABEL).get(resolved.measure.name)
    # Without a decision from everyone the measures are of the decided cases, which swapping changes.
    if measure is None or abstained or not cells.is_counted:
        return swap_test(cells, resolved, seed=seed)
    if cells.groups is not None:
        return swap_groups(cells, resolved, measure, seed)
    if resolved.position is not None:
        alpha = float(resolved.arguments.get("alpha", 0.5))
        return randomisation_test(paired, *names, measure, positive=resolved.label, alpha=alpha)
    if len(paired.labels) == 2 and all(cells.tables[0].real > 0):
        # Of two classes all of these are sums over targets and background, which is always exact.
        of_two = "accuracy" if measure == "accuracy" else "informedness"
        return randomisation_test(paired, *names, of_two, positive=paired.labels[0])
    return randomisation_test(paired, *names, measure, seed=seed)


def _has_derivative(resolved: Resolved) -> bool:
    return resolved.measure.scope != "cells" or resolved.measure.gradient is not None
