"""Which of two predictors of labels is better: differences of any measure of decisions, from joint counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Unpack

from edgeworth.common.choices import Abstentions
from edgeworth.comparisons.chance import GUESSING
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import (
    ComparisonFindings,
    Disagreement,
    PairsOptions,
    all_pairs,
    compare_pairs,
)
from edgeworth.comparisons.labels.joint_cells import (
    JointCells,
    joint_cells,
    one_vs_rest,
    usual_spellings,
    with_coverage,
)
from edgeworth.comparisons.labels.methods import (
    NothingVariesError,
    default_method,
    difference_law,
    effect_of,
    interval_caveat,
    plain_law,
    probability_first_better,
)
from edgeworth.comparisons.labels.proportions import (
    AsIfIndependent,
    PairedCombination,
    PairedProportions,
    paired_proportions,
)
from edgeworth.comparisons.labels.randomization import (
    disagreement_amounts,
    randomisation_test,
    swap_test,
)
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.policy import (
    MIN_PREDICTIONS_TO_NAME_WINNER,
    MIN_REAL_CASES_TO_NAME_WINNER,
    MIN_RIGHT_AND_WRONG_PREDICTIONS,
)
from edgeworth.comparisons.randomization.sign_sums import COARSE, FINE, Grid
from edgeworth.core.estimates import estimate
from edgeworth.core.formatting import plural
from edgeworth.core.sampling_distributions import SamplingLaw, degrees_of_freedom, few_clusters_caveat
from edgeworth.core.test_results import TestResult, hypergeometric_tails
from edgeworth.decisions.verdict import weights_warning
from edgeworth.decisions.views import Resolved, resolve
from edgeworth.errors import OptionError


def label_differences(
    paired: Paired,
    first: str,
    second: str,
    spellings: Sequence[str] | None = None,
    *,
    method: object = None,
    seed: int = 0,
    level: float = 0.95,
    quick: bool = False,
) -> dict[str, Difference]:
    """Compare two predictors by each measure; without ``spellings``, by the usual ones.

    The interval is Tango's score interval for proportions of the same cases (accuracy, recall), those of the
    real classes squared and added for informedness of two classes and balanced accuracy, the delta method's
    for everything else that has a derivative (with weights, and with clusters as units), or by a ``method``:
    Delta(), Tango(), Bootstrap(), Dirichlet(). The tests are randomisation (exact where the measure allows
    it), McNemar's for proportions of the same cases, exact and mid-p, and Wald's. ``level`` is that of what
    is stated beside the interval.

    ``quick`` is for one of many pairs: posteriors are drawn less often, and of several classes only the first
    measure's randomisation is counted or bracketed (more coarsely), the others' is drawn.

    >>> truth, good, bad = [1] * 20 + [0] * 20, [1] * 17 + [0] * 23, [1] * 12 + [0] * 20 + [1] * 8
    >>> paired = Paired.from_labels(truth, {"good": good, "bad": bad})
    >>> result = label_differences(paired, "good", "bad")["informedness"]
    >>> round(result.difference, 4), result.better, round(result.p_value(), 4)
    (0.65, 'good', 0.0002)
    """
    cells = joint_cells(paired, first, second)
    differences: dict[str, Difference] = {}
    for spelling in spellings or usual_spellings(cells.tables[0]):
        grid = FINE if not quick else None if differences else COARSE
        differences[spelling] = _difference(
            cells, (first, second), spelling, grid, method=method, seed=seed, level=level
        )
    return differences


def _difference(
    whole: JointCells,
    names: tuple[str, str],
    spelling: str,
    grid: Grid | None,
    *,
    method: object,
    seed: int,
    level: float,
) -> Difference:
    """Compare two predictors by one measure of their joint counts; the primary test comes first."""
    resolved = resolve(whole.tables[0], spelling)
    cells, focus = one_vs_rest(whole, resolved)
    reasons = [focus.undefined(table) for table in cells.tables]
    values = cells.values(focus)
    difference = Difference(resolved.spelling, *names, values, focus.measure.direction, cases=whole.units)
    if any(reasons):
        reason = "; ".join(
            f"for {name}, {reason}" for name, reason in zip(names, reasons, strict=True) if reason
        )
        first, second = (math.nan if reason else value for value, reason in zip(values, reasons, strict=True))
        return replace(difference, values=(first, second), undefined=reason, no_interval=reason)
    law, no_interval = None, focus.measure.no_interval if method is None else None
    if no_interval is None:
        try:
            law = difference_law(cells, focus, method)
        except OptionError as error:
            # A method that does not fit is an error; a sample without spread is none.
            if method is not None and not isinstance(error, NothingVariesError):
                raise
            no_interval = str(error)
    counts, plain = paired_proportions(cells, focus), plain_law(cells, focus)
    better, how = probability_first_better(cells, focus, counts, plain, seed, quick=grid is not FINE)
    names_itself = isinstance(law, (PairedProportions, PairedCombination, AsIfIndependent))
    how_found = str(law if names_itself else method or default_method(focus))
    tests: dict[str, TestResult] = {}
    if needs_standard_errors(focus):
        tests["studentised"] = swap_test(cells, focus, studentised=True, seed=seed)
    tests["randomisation"] = randomisation_test(cells, focus, seed=seed, grid=grid)
    discordant = None
    if counts is not None and cells.is_counted:
        tests |= counts.tests()
        discordant = int(counts.only_first), int(counts.only_second)
    if plain is not None:
        wald = plain.p_value(0.0, "two-sided")
        tests["wald"] = TestResult.approximate(wald, 0.0, "Wald's test with the delta method's variance")
    return replace(
        difference,
        law=law,
        tests=tests,
        probability_better=better,
        probability_method=how,
        effect=effect_of(cells, counts, plain),
        discordant=discordant,
        amounts=None if needs_standard_errors(focus) else disagreement_amounts(cells, focus),
        interval_method="" if law is None else how_found,
        no_interval=no_interval,
        no_winner=reason_for_no_winner(cells, focus, law),
        caveat=interval_caveat(cells, focus, law, level),
    )


def needs_standard_errors(resolved: Resolved) -> bool:
    """Return whether equal values do not make systems interchangeable: all but sums over the same cases."""
    return not resolved.measure.is_case_sum and resolved.measure.scope != "cells"


def reason_for_no_winner(cells: JointCells, resolved: Resolved, law: SamplingLaw | None) -> str | None:
    """Explain why no winner is named at any p-value, or return None.

    With three classes or more, those that are rarely predicted, or rarely real, count together: one rare
    class among common ones decides a measure by a few cases, many small classes do not.
    """
    reason = None if cells.clusters is None else few_clusters_caveat(degrees_of_freedom(law))
    if reason is not None or not needs_standard_errors(resolved):
        return reason
    if cells.size > 2:
        return _rare_class(cells)
    labels = range(cells.size) if resolved.position is None else (resolved.position,)
    fewest = min(cells.predictions(positions, label) for positions in cells.places for label in labels)
    if fewest < MIN_PREDICTIONS_TO_NAME_WINNER:
        needed = f"at least {MIN_PREDICTIONS_TO_NAME_WINNER} are needed"
        return f"a system predicts the class only {_times(fewest)}; {needed}"
    if resolved.measure.is_rate_of_predictions and any(_is_unclear(cells, label) for label in labels):
        return (
            f"fewer than {MIN_RIGHT_AND_WRONG_PREDICTIONS} predictions of a class are right, or fewer than "
            f"{MIN_RIGHT_AND_WRONG_PREDICTIONS} are wrong"
        )
    return None


def _rare_class(cells: JointCells) -> str | None:
    """Explain which class of three or more is predicted too rarely by a system, or is too rarely real."""
    for positions in cells.places:
        predicted = [cells.predictions(positions, label) for label in range(cells.size)]
        rare = _rare_together(predicted, MIN_PREDICTIONS_TO_NAME_WINNER)
        if rare is not None:
            number = f"only {_times(sum(predicted[label] for label in rare))}"
            needed = f"at least {MIN_PREDICTIONS_TO_NAME_WINNER} are needed"
            return f"a system predicts {_class_names(cells, rare)} {number}; {needed}"
    real = [cells.real_cases(label) for label in range(cells.size)]
    rare = _rare_together(real, MIN_REAL_CASES_TO_NAME_WINNER)
    if rare is None:
        return None
    cases = round(sum(real[label] for label in rare))
    number = f"only {cases} {plural(cases, 'case')} of {_class_names(cells, rare)}"
    return f"there {plural(cases, 'is', 'are')} {number}; at least {MIN_REAL_CASES_TO_NAME_WINNER} are needed"


def _times(predictions: float) -> str:
    """Write how often a class is predicted.

    >>> _times(1.0), _times(3.0)
    ('1 time', '3 times')
    """
    return f"{predictions:.0f} {plural(round(predictions), 'time')}"


def _rare_together(counts: Sequence[float], least: int) -> list[int] | None:
    """Find the classes below a count if they are also below it together; the largest is never among them.

    >>> _rare_together([90, 60, 3], 20), _rare_together([15] * 6, 20), _rare_together([90, 60, 30], 20)
    ([2], None, None)
    """
    largest = max(range(len(counts)), key=lambda label: counts[label])
    rare = [label for label, count in enumerate(counts) if count < least and label != largest]
    return rare if rare and sum(counts[label] for label in rare) < least else None


def _class_names(cells: JointCells, labels: Sequence[int]) -> str:
    names = [str(cells.tables[0].labels[label]) for label in labels]
    return f"class {names[0]}" if len(names) == 1 else f"classes {', '.join(names)} together"


def _is_unclear(cells: JointCells, label: int) -> bool:
    """Return whether predictions are too seldom right, or wrong, and Fisher's test shows nothing."""
    right, wrong = [], []
    for output, real in map(cells.split, cells.places):
        is_predicted = output == label
        right.append(round(float(cells.weight[is_predicted & (real == label)].sum())))
        wrong.append(round(float(cells.weight[is_predicted].sum())) - right[-1])
    if min(*right, *wrong) >= MIN_RIGHT_AND_WRONG_PREDICTIONS:
        return False
    drawn = right[0] + wrong[0]
    tails = hypergeometric_tails(sum(right) + sum(wrong), sum(right), drawn, right[0])
    return 2 * min(tails) > 0.05


MEASURES = ("informedness", "coverage", "markedness", "accuracy", "mcc")
"""Measures of many systems: those of single labels are left out, for there are pairs enough to read."""


def compare_labels(
    paired: Paired,
    *,
    measures: Sequence[str] | None = None,
    method: object = None,
    abstentions: Abstentions = "count",
    level: float = 0.95,
    seed: int = 0,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare the labels of several predictors of the same cases.

    A case without a decision is not right; with ``abstentions="drop"`` only cases that all decided count.
    """
    judged = ""
    if abstentions == "drop":
        whole, paired = paired.total, paired.decided()
        if paired.total < whole:
            judged = f"Judged on the {paired.total:,.6g} of {whole:,.6g} cases that every system decided."
    is_many = len(paired.names) > 3
    usual = usual_spellings(paired.table(paired.names[0]))
    if is_many:
        usual = tuple(name for name in usual if name in MEASURES)
    spellings = with_coverage(measures or usual, *(paired.table(name) for name in paired.names))

    def differences(first: str, second: str) -> dict[str, Difference]:
        return label_differences(
            paired, first, second, spellings, method=method, seed=seed, level=level, quick=is_many
        )

    return compare_pairs(
        "labels",
        paired.names,
        differences,
        unit="cluster" if paired.is_clustered else "case",
        level=level,
        **pairs_options,
        cases=float(paired.total),
        seed=seed,
        disagreements=tuple(_disagreement(paired, *pair) for pair in all_pairs(paired.names)),
        dropped=paired.dropped,
        notes=() if paired.is_counted else (weights_warning(paired.table(paired.names[0])),),
        judged=judged,
        alone=lambda name, measure: estimate(paired.table_alone(name), measure, rng=seed),
        chance_null=GUESSING,
    )


def _disagreement(paired: Paired, first: str, second: str) -> Disagreement:
    # Sampling weights are no cases: rows are counted.
    rows = replace(paired, joint=replace(paired.joint, weight=paired.joint.rows, square=None))
    counts = (paired if paired.is_counted else rows).discordance(first, second)
    return {
        "first": first,
        "second": second,
        "both_right": counts.both_right,
        "only_first_right": counts.only_first_right,
        "only_second_right": counts.only_second_right,
        "both_wrong_alike": counts.both_wrong_alike,
        "both_wrong_differently": counts.both_wrong_differently,
        "disagreements": counts.disagreements,
        "cases": sum(asdict(counts).values()),
    }
