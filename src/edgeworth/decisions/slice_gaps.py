"""Gaps between a part of the decisions and the rest: which tables are compared, and by which test."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.estimates import Estimate
from edgeworth.core.labels import label_positions, merge_labels
from edgeworth.core.sampling_distributions import GapLaw
from edgeworth.core.slice_gaps import Gap, Units, correlate_clusters, exchange_test, gap_between
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.effective_sizes import combination_of
from edgeworth.decisions.estimates import estimate_table
from edgeworth.decisions.policy import (
    MAX_CELLS_REDRAWN,
    MAX_TABLES_REDRAWN,
    MIN_CLASS_CASES_FOR_GAP,
    MIN_TABLES_REDRAWN,
)
from edgeworth.decisions.resampling import influence
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import resolve
from edgeworth.errors import OptionError
from edgeworth.sources.columns import Label


def default_gap_measure(table: ContingencyTable) -> str:
    """Choose the measure that does not move with the shares of the classes."""
    return "informedness" if len(table.labels) <= 2 else "balanced_accuracy"


def independent_units(table: ContingencyTable) -> Units:
    """Count the cases, the effective number of weighted ones, or the clusters."""
    if table.clusters is not None:
        return Units(float(table.clusters.number), are_clusters=True)
    return Units(table.effective_size)


def base_rates(table: ContingencyTable) -> dict[str, float]:
    """Compute the share of each real class."""
    real = table.cells.sum(axis=0)
    return {str(label): float(count / real.sum()) for label, count in zip(table.labels, real, strict=True)}


def moves_with_prevalence(table: ContingencyTable, measure: str) -> bool:
    """Return whether a measure changes with the shares of the classes, for the same errors in each class."""
    ignores = resolve(table, measure).measure.ignores_prevalence
    return ignores == "no" or (ignores == "two classes" and len(table.labels) > 2)


def gap_of_tables(part: ContingencyTable, rest: ContingencyTable, measure: str, *, seed: int = 0) -> Gap:
    """Compare a measure of two tables of different cases.

    Combinations of proportions (accuracy, recall, informedness of two classes, mean recall) have an exact
    test, in which cases of a class change places between both tables. Other measures have the same test by
    draws. With weights or clusters the test follows from the bounds.
    """
    labels = merge_labels(part.labels, rest.labels)
    no_claim = None
    missing = _missing_classes(part, rest)
    if missing and resolve(part, measure).measure.combination_strata == "classes":
        common_labels = [label for label in labels if label not in missing]
        part, rest = (_keep_classes(table, common_labels) for table in (part, rest))
    elif missing and resolve(part, measure).position is None:
        no_claim = f"{missing[0]} does not occur in both the slice and the rest"
    estimates = [estimate_table(table, measure, seed=seed) for table in (part, rest)]
    if any(estimate.law is None for estimate in estimates):
        return gap_between(*estimates)
    if part.clusters is not None or rest.clusters is not None or not (part.is_plain and rest.is_plain):
        correlation = correlate_clusters(_cluster_effects(part, measure), _cluster_effects(rest, measure))
        return gap_between(
            *estimates, correlation=correlation, no_claim=no_claim or _rare_class(part, rest, measure)
        )
    combinations = [combination_of(table, resolve(table, measure)) for table in (part, rest)]
    first, second = combinations
    test = None if first is None or second is None else exchange_test(first, second)
    if first is None or second is None:
        test = _redraw_test(part, rest, measure, estimates, seed)
    gap = gap_between(*estimates, test=test, no_claim=no_claim)
    # The test holds with rare classes, too. The interval covers 90% instead of 95% of ten slices.
    rare = _rare_class(part, rest, measure)
    return gap if rare is None else replace(gap, caveat=f"the interval of the gap may be too narrow: {rare}")


def _missing_classes(part: ContingencyTable, rest: ContingencyTable) -> list[object]:
    """List the real classes that only one of two tables has."""
    seen = [
        {label for label, count in zip(table.labels, table.cells.sum(axis=0), strict=True) if count}
        for table in (part, rest)
    ]
    return sorted(seen[0] ^ seen[1], key=str)


def _keep_classes(table: ContingencyTable, classes: Collection[Label]) -> ContingencyTable:
    """Keep the cases whose real class is one of some."""
    is_kept = np.array([label in classes for label in table.labels], dtype=bool)
    squared = None if table.squared is None else table.squared * is_kept
    clusters = table.clusters
    if clusters is not None:
        joint = clusters.joint
        rows = np.array([label in classes for label in joint.labels[0]], dtype=bool)[joint.keys[:, 0] - 1]
        clusters = replace(clusters, joint=joint.select(rows))
    return replace(table, cells=table.cells * is_kept, squared=squared, clusters=clusters, matching=None)


def _rare_class(part: ContingencyTable, rest: ContingencyTable, measure: str) -> str | None:
    """Explain that a class is too rare for the delta method; None if it is not, or not needed."""
    if combination_of(part, resolve(part, measure)) is not None:
        return None
    for table in (part, rest):
        real = table.cells.sum(axis=0)
        rare = np.flatnonzero((real > 0) & (real < MIN_CLASS_CASES_FOR_GAP))
        if len(rare):
            return f"class {table.labels[rare[0]]} has fewer than {MIN_CLASS_CASES_FOR_GAP} cases"
    return None


def _cluster_effects(table: ContingencyTable, measure: str) -> dict[Hashable, float]:
    """Sum the influence of the cases of each cluster; empty without clusters, or without a derivative."""
    if table.clusters is None:
        return {}
    resolved = resolve(table, measure)
    try:
        slopes = influence(table, resolved).ravel()
    except OptionError:
        return {}
    cluster, cell, weight = table.clusters.cells(table.labels)
    sums = np.bincount(cluster, weights=weight * slopes[cell], minlength=table.clusters.number)
    return dict(zip(table.clusters.joint.labels[1], sums.tolist(), strict=True))


def _redraw_test(
    part: ContingencyTable, rest: ContingencyTable, measure: str, estimates: list[Estimate], seed: int
) -> TestResult | None:
    """Let cases of a class change places at random, and count how often the gap is as large.

    A p-value below what the draws can show is that of the bounds.
    """
    labels = merge_labels(part.labels, rest.labels)
    if not (part.is_counted and rest.is_counted):
        return None
    tables = [np.zeros((len(labels) + 1, len(labels)), dtype=np.int64) for _ in range(2)]
    for cells, table in zip(tables, (part, rest), strict=True):
        index = label_positions(table.labels, labels)
        cells[np.ix_(np.append(index, len(labels)), index)] = table.cells
    both = tables[0] + tables[1]
    draws = int(np.clip(MAX_CELLS_REDRAWN // both.size, MIN_TABLES_REDRAWN, MAX_TABLES_REDRAWN))
    generator = np.random.default_rng(seed)
    drawn = np.zeros((draws, *both.shape), dtype=np.int64)
    for label in range(len(labels)):
        cases = int(tables[0][:, label].sum())
        drawn[:, :, label] = generator.multivariate_hypergeometric(
            both[:, label], cases, size=draws, method="marginals"
        )
    resolved = resolve(part + rest, measure)
    gaps: Floats = np.asarray(resolved.values(drawn) - resolved.values(both - drawn))
    gap = float(resolved.values(tables[0]) - resolved.values(tables[1]))
    # A draw without a value counts as extreme.
    tails = [int((~(side * gaps < side * gap - SAME_GAP_TOLERANCE)).sum()) for side in (1, -1)]
    result = TestResult.from_draws(min(tails), draws, seed, "tables with cases of a class exchanged")
    p_value = min(1.0, 2 * result.p_value)
    first, second = estimates
    if min(tails) == 0 and first.law is not None and second.law is not None:
        law = GapLaw((first.value, second.value), first.law, second.law)
        p_value = min(p_value, law.p_value(0.0, "two-sided"))
    return TestResult.approximate(p_value, 0.0, f"{result.method}, doubled")


SAME_GAP_TOLERANCE = 1e-12
"""Values that differ by no more are the same: sums of fractions are rounded."""
