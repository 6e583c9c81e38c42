"""Findings about a table of decisions: every number that the verdict, report and charts need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from edgeworth.common.choices import Abstentions
from edgeworth.core.estimates import Estimate, Plan, estimate
from edgeworth.core.measures import quote_label
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.core.test_results import TestResult, hypergeometric_tails
from edgeworth.decisions.guessing import guessing_tail
from edgeworth.decisions.payoffs_and_costs import Payoffs, payoffs
from edgeworth.decisions.policy import (
    MAX_LABELS_EXAMINED,
    MIN_CASES_OF_WEAKEST_CLASS,
    MIN_CLASSES_FOR_WEAKEST_CLASS,
)
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import check_decisions, resolve
from edgeworth.errors import InputError
from edgeworth.sources.columns import Label

OVERALL_MEASURES_SHOWN = (
    "informedness",
    "markedness",
    "mcc",
    "kappa",
    "accuracy",
    "balanced_accuracy",
    "macro_f",
)
MEASURES_OF_BETS = ("break_even_margin",)
LABEL_MEASURES_SHOWN = ("recall", "precision", "f", "informedness", "label_bias")


@dataclass(frozen=True)
class DecisionFindings:
    """The numbers behind a report on decisions."""

    table: ContingencyTable
    level: float
    informedness: Estimate
    overall: tuple[Estimate, ...]
    labels: dict[Label, tuple[Estimate, ...]]
    at_least: TestResult | None
    either_way: TestResult | None
    payoffs: Payoffs
    worse_than_guessing: dict[Label, float]
    """For each label that was predicted and has odds: p-value against guessing or better, Holm's."""
    plan: Plan
    coverage: Estimate
    """The share of cases with a decision, of all cases."""
    decided: Estimate | None = None
    zero_weight: Estimate | None = None
    shows_bets: bool = False
    """Whether bets were requested, or a house that takes its share of them."""

    @property
    def superstitious(self) -> tuple[Label, ...]:
        """The labels that do significantly worse than guessing."""
        return tuple(label for label, p in self.worse_than_guessing.items() if is_significant(p, self.level))

    @property
    def is_of_decided(self) -> bool:
        """Whether cases without a decision were left out of the table."""
        return self.coverage.value < 1 and not self.table.abstained.any()

    @property
    def never_real(self) -> tuple[tuple[Label, ...], float]:
        """The predicted labels that never occur, and their share of the predictions."""
        table = self.table
        indices = np.flatnonzero((table.predicted > 0) & (table.real == 0))
        share = float(table.predicted[indices].sum() / table.total)
        return tuple(table.labels[index] for index in indices), share

    @property
    def is_constant(self) -> bool:
        """Whether every case has the same prediction, so that nothing beats guessing."""
        table = self.table
        has_one_answer = (table.predicted > 0).sum() == 1 and not table.abstained.any()
        return bool(has_one_answer and self.informedness.value == 0)

    @property
    def is_significant(self) -> bool:
        """Whether guessing is ruled out at the level, by its exact test or else by the interval."""
        if self.either_way is not None:
            return is_significant(self.either_way.p_value, self.level)
        return self.informedness.law is not None and not self.interval_includes_0

    @property
    def is_conclusive(self) -> bool:
        """Whether both the test and the interval rule guessing out."""
        is_open = self.interval_includes_0 or self.informedness.no_claim is not None
        return self.is_significant and (self.informedness.law is None or not is_open)

    @cached_property
    def association(self) -> tuple[float, TestResult] | None:
        """The χ² test of predictions and outcomes, if it is significant and mostly due to errors."""
        if len(self.labels) < 3 or not self.table.is_plain or not self.table.is_counted:
            return None
        chi_square = estimate(self.table, "chi_square")
        test = chi_square.test_against_chance("greater")
        expected = np.diag(np.outer(self.table.predicted, self.table.real)) / self.table.total
        from_hits = (np.diag(self.table.counts) - expected) ** 2 / np.where(expected > 0, expected, 1.0)
        if from_hits.sum() > chi_square.value / 2:
            return None
        return (
            (chi_square.value, test)
            if test is not None and is_significant(test.p_value, self.level)
            else None
        )

    @property
    def interval_includes_0(self) -> bool:
        """Whether the interval of informedness includes 0."""
        return 0.0 in self.informedness.interval(self.level)


def examine_decisions(
    table: ContingencyTable,
    *,
    level: float = 0.95,
    seed: int = 0,
    pool: float = 10.0,
    overround: float = 0.0,
    commission: float = 0.0,
    abstentions: Abstentions = "count",
    bets: bool = False,
) -> DecisionFindings:
    """Estimate, test and price a table of decisions."""
    if table.total == 0:
        raise InputError("there are no cases with a decision")
    coverage = estimate(table, "coverage", rng=seed)
    table = table.without_abstentions() if abstentions == "drop" else table
    headline = estimate(table, "informedness", rng=seed)
    abstains = bool(table.abstained.any())
    shows_bets = bool(bets or overround or commission)
    overall = (*OVERALL_MEASURES_SHOWN, *(MEASURES_OF_BETS if shows_bets else ()))
    return DecisionFindings(
        table=table,
        level=level,
        informedness=headline,
        overall=(*(estimate(table, name, rng=seed) for name in overall), coverage),
        labels={
            label: tuple(
                estimate(table, f"{name}[{quote_label(str(label))}]", rng=seed)
                for name in LABEL_MEASURES_SHOWN
            )
            for label in labels_to_examine(table)
        },
        at_least=headline.test_against_chance("greater"),
        either_way=headline.test_against_chance("two-sided"),
        payoffs=payoffs(table, pool=pool, overround=overround, commission=commission),
        worse_than_guessing=worse_than_guessing(table),
        plan=headline.cases_needed(level=level),
        coverage=coverage,
        shows_bets=shows_bets,
        decided=estimate(table, "informedness(abstentions=drop)", rng=seed) if abstains else None,
        zero_weight=estimate(table, "informedness(abstentions=zero_weight)", rng=seed) if abstains else None,
    )


def labels_to_examine(table: ContingencyTable) -> tuple[Label, ...]:
    """List all labels, or the most frequent ones, in the table's order."""
    if len(table.labels) <= MAX_LABELS_EXAMINED:
        return table.labels
    frequent = np.argsort(-(table.predicted + table.real), kind="stable")[:MAX_LABELS_EXAMINED]
    return tuple(table.labels[index] for index in sorted(frequent))


@dataclass(frozen=True)
class WeakestClass:
    """The class with the lowest recall, and the test of that recall against the other classes."""

    label: Label
    recall: float
    others: float
    """The recall of the cases of all other classes."""
    cases: float
    classes: int
    """The number of classes that could have been the weakest."""
    p_value: float | None
    """Exact and one-sided, times the number of classes; None with weights or clusters."""


def weakest_class(findings: DecisionFindings) -> WeakestClass | None:
    """Find the class that is recognised least, if that is more than chance. It needs three classes.

    If all classes are recognised equally often, the hits of a class are a random sample of all hits. With
    weights or clusters, the upper bound of its recall must lie below the mean lower bound of the others. Both
    are corrected for choosing one of several classes (Bonferroni).
    """
    table = findings.table
    cases = dict(zip(table.labels, table.actual.tolist(), strict=True))
    recalls = {
        label: estimates[0]
        for label, estimates in findings.labels.items()
        if cases[label] >= MIN_CASES_OF_WEAKEST_CLASS
    }
    if len(recalls) < MIN_CLASSES_FOR_WEAKEST_CLASS:
        return None
    label = min(recalls, key=lambda candidate: recalls[candidate].value)
    adjusted_error = (1 - findings.level) / len(recalls)
    index, all_cases = table.labels.index(label), table.actual.sum().item()
    hits_by_class = table.counts.diagonal()
    others = float((hits_by_class.sum() - hits_by_class[index]) / (all_cases - cases[label]))
    p_value = None
    if table.is_counted and table.is_plain:
        hits = hits_by_class[index].item()
        tail = hypergeometric_tails(all_cases, hits_by_class.sum().item(), cases[label], hits)[0]
        p_value = min(tail * len(recalls), 1.0)
        is_shown = is_significant(p_value, findings.level)
    else:
        other_labels = [candidate for candidate in recalls if candidate != label]
        low_bounds = [recalls[candidate].interval(1 - adjusted_error).low for candidate in other_labels]
        high_bound = recalls[label].interval(1 - adjusted_error).high
        is_shown = high_bound < np.average(
            low_bounds, weights=[cases[candidate] for candidate in other_labels]
        )
    weakest = WeakestClass(label, recalls[label].value, others, cases[label], len(recalls), p_value)
    return weakest if is_shown else None


def superstitious_labels(table: ContingencyTable, *, level: float = 0.95) -> tuple[Label, ...]:
    """Find the labels that do significantly worse than guessing.

    Parameters
    ----------
    table : ContingencyTable
        The decisions.
    level : float
        One minus the chance of naming any label when all are guessed.

    Returns
    -------
    tuple of labels

    Notes
    -----
    Under pure guessing half of all labels have an edge (recall − fallout) below 0. So each label is tested,
    exactly with the margins fixed, or by its sampling law with weights or clusters, and Holm's correction is
    made for the number of labels. Dropping labels after this test is a selection: expect a smaller gain on
    new cases.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[5, 60, 0], [60, 5, 0], [0, 0, 50]], rows="predicted")
    >>> superstitious_labels(table)
    (0, 1)
    """
    check_decisions(table)
    return tuple(label for label, p in worse_than_guessing(table).items() if is_significant(p, level))


def worse_than_guessing(table: ContingencyTable) -> dict[Label, float]:
    """Test each label that was predicted and has odds against guessing or better, with Holm's correction."""
    has_odds = (table.real > 0) & (table.real < table.total)
    candidates = np.flatnonzero((table.predicted > 0) & has_odds).tolist()
    adjusted = holm([_worse_than_guessing(table, index) for index in candidates])
    return {table.labels[index]: float(p) for index, p in zip(candidates, adjusted, strict=True)}


def _worse_than_guessing(table: ContingencyTable, index: int) -> float:
    # Python's own numbers: products of large counts would overflow.
    hits, predicted, real = (x[index].item() for x in (table.counts.diagonal(), table.predicted, table.real))
    if hits * table.total >= predicted * real:
        return 1.0  # hit as often as by guessing, or more: nothing to show, but one of the labels tested
    spelling = f"informedness[{quote_label(str(table.labels[index]))}]"
    test = guessing_tail(table, resolve(table, spelling), "less")
    if test is not None:
        return test.p_value
    informedness = estimate(table, spelling)
    return informedness.p_value(0.0, "less") if informedness.law is not None else 1.0
