"""Two predictors judged on different cases: nothing is paired, so variances add up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from edgeworth.comparisons.chance import GUESSING
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, PairsOptions, compare_pairs
from edgeworth.comparisons.labels.joint_cells import usual_spellings, with_coverage
from edgeworth.comparisons.labels.methods import DRAWS, share_above
from edgeworth.comparisons.labels.proportions import independent_proportions
from edgeworth.core.clusters import ClusterSpread
from edgeworth.core.estimates import estimate
from edgeworth.core.sampling_distributions import (
    NewcombeLaw,
    NormalLaw,
    Scale,
    degrees_of_freedom,
    few_clusters_caveat,
    natural_scale,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.posteriors import beta_law, probability_larger
from edgeworth.decisions.resampling import MIN_VARIANCE, cluster_spread, posterior_values, variance
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, check_decisions, resolve
from edgeworth.errors import OptionError

DIFFERENT_CASES = (
    "The systems were evaluated on different cases, so the difference is less certain than a paired one."
)
NEWCOMBE = "Newcombe's square-and-add interval"
DELTA = "delta method, both variances added"
GOUTTE_GAUSSIER = "exact, Beta posteriors (Goutte & Gaussier), prior ½"


def compare_independent(
    tables: Mapping[str, ContingencyTable],
    *,
    measures: Sequence[str] | None = None,
    level: float = 0.95,
    seed: int = 0,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare predictors that were judged on different cases, each by its own contingency table.

    Without ``measures``, the usual ones are compared for the labels that every table has. Planned numbers of
    cases are for both systems together, in the proportion that they have now.

    >>> alice = ContingencyTable.from_matrix([[10, 10], [5, 25]], rows="predicted", labels=["no", "yes"])
    >>> bob = ContingencyTable.from_matrix([[3, 2], [3, 12]], rows="predicted", labels=["no", "yes"])
    >>> result = compare_independent({"Alice": alice, "Bob": bob})
    >>> result.measures[:4], round(result.difference("Alice", "Bob")["accuracy"].difference, 4)
    (('informedness', 'markedness', 'accuracy', 'mcc'), -0.05)
    """
    for table in tables.values():
        check_decisions(table)
    spellings = with_coverage(measures or _usual_spellings(tables), *tables.values())

    def differences(first: str, second: str) -> dict[str, Difference]:
        return {
            spelling: independent_difference(
                tables[first], tables[second], spelling, first=first, second=second, seed=seed
            )
            for spelling in spellings
        }

    return compare_pairs(
        "labels",
        tuple(tables),
        differences,
        unit="case" if any(table.clusters is None for table in tables.values()) else "cluster",
        level=level,
        **pairs_options,
        cases=float(sum(table.total for table in tables.values())),
        seed=seed,
        dropped=sum(table.dropped for table in tables.values()),
        notes=(DIFFERENT_CASES,),
        alone=lambda name, measure: estimate(tables[name], measure, rng=seed),
        chance_null=GUESSING,
    )


def _usual_spellings(tables: Mapping[str, ContingencyTable]) -> tuple[str, ...]:
    """List the measures that every table has; of more than three systems only those of all labels."""
    spellings = [usual_spellings(table) for table in tables.values()]
    common = tuple(name for name in spellings[0] if all(name in others for others in spellings[1:]))
    return common if len(tables) <= 3 else tuple(name for name in common if "[" not in name)


def independent_difference(
    first_table: ContingencyTable,
    second_table: ContingencyTable,
    spelling: str,
    *,
    first: str = "first",
    second: str = "second",
    seed: int = 0,
) -> Difference:
    """Compare a measure of two tables of different cases, the first minus the second.

    Proportions, and combinations of them, have Newcombe's square-and-add interval; other measures the delta
    method's with the two variances added. The posterior probability that the first is better is one integral
    for precision, recall and F1, and draws of both tables' Dirichlet posteriors otherwise.

    >>> alice = ContingencyTable.from_matrix([[10, 10], [5, 25]], rows="predicted", labels=["yes", "no"])
    >>> bob = ContingencyTable.from_matrix([[3, 2], [3, 12]], rows="predicted", labels=["yes", "no"])
    >>> round(independent_difference(bob, alice, "f[yes]").probability_better, 10)
    0.4263074017
    """
    first_side, second_side = _Side.of(first_table, spelling), _Side.of(second_table, spelling)
    difference = Difference(
        first_side.resolved.spelling,
        first,
        second,
        (first_side.value, second_side.value),
        first_side.resolved.measure.direction,
        cases=first_side.units + second_side.units,
    )
    for name, side in ((first, first_side), (second, second_side)):
        reason = side.resolved.undefined(side.table)
        if reason is not None:
            text = f"for {name}, {reason}"
            return replace(difference, undefined=text, no_interval=text)
    delta, no_interval = None, None
    try:
        delta = _delta_law(first_side, second_side)
    except OptionError as error:
        no_interval = str(error)
    newcombe = _newcombe_law(first_side, second_side)
    law = newcombe or delta
    better, how = _probability_first_better(first_side, second_side, delta, seed)
    return replace(
        difference,
        law=law,
        tests=_tests(newcombe, delta),
        probability_better=better,
        probability_method=how,
        interval_method="" if law is None else DELTA if newcombe is None else NEWCOMBE,
        no_interval=no_interval if law is None else None,
        no_winner=few_clusters_caveat(degrees_of_freedom(law)),
    )


@dataclass(frozen=True)
class _Side:
    """One predictor's table and the measure as it is for that table."""

    table: ContingencyTable
    resolved: Resolved
    value: float

    @classmethod
    def of(cls, table: ContingencyTable, spelling: str) -> _Side:
        resolved = resolve(table, spelling)
        return cls(table, resolved, float(resolved.values(table.cells)))

    @property
    def units(self) -> float:
        clusters = self.table.clusters
        return self.table.effective_size if clusters is None else float(clusters.number)

    @property
    def spread(self) -> ClusterSpread:
        """The delta method's variance, and its degrees of freedom."""
        clusters = self.table.clusters
        if self.resolved.measure.no_interval is not None:
            raise OptionError(self.resolved.measure.no_interval)
        if clusters is None:
            return ClusterSpread(variance(self.table, self.resolved), self.units - 1, self.units)
        if clusters.number < 2:
            raise OptionError(
                "all cases of one table are in one cluster, so the variability cannot be estimated"
            )
        return cluster_spread(self.table, clusters, self.resolved)


def _newcombe_law(first_side: _Side, second_side: _Side) -> NewcombeLaw | None:
    """Square and add if both are combinations of proportions of independent cases."""
    if not (first_side.table.is_plain and second_side.table.is_plain):
        return None
    combination = independent_proportions(
        first_side.table, second_side.table, first_side.resolved, second_side.resolved
    )
    return None if combination is None else NewcombeLaw(combination)


def _delta_law(first_side: _Side, second_side: _Side) -> NormalLaw:
    """Add both variances; with clusters the law is Student's t (Welch & Satterthwaite)."""
    spreads = first_side.spread, second_side.spread
    total, freedom = sum(spread.variance for spread in spreads), math.inf
    if not total > MIN_VARIANCE:
        raise OptionError(
            "both tables are at an end of the measure's range, where the delta method's variance is 0"
        )
    if first_side.table.clusters is not None or second_side.table.clusters is not None:
        freedom = total**2 / sum(spread.variance**2 / max(spread.freedom, 1e-9) for spread in spreads)
    low, high = first_side.resolved.measure.range
    difference = first_side.value - second_side.value
    return NormalLaw(difference, math.sqrt(total), natural_scale(low - high, high - low, difference), freedom)


def _tests(newcombe: NewcombeLaw | None, delta: NormalLaw | None) -> dict[str, TestResult]:
    """Turn Newcombe's interval into a test, and add Wald's."""
    tests = {}
    if newcombe is not None:
        method = "the level at which Newcombe's interval reaches 0"
        tests["newcombe"] = TestResult.approximate(newcombe.p_value(0.0, "two-sided"), 0.0, method)
    if delta is not None:
        wald = replace(delta, scale=Scale()).p_value(0.0, "two-sided")
        tests["wald"] = TestResult.approximate(wald, 0.0, "Wald's test with both variances added")
    return tests


def _probability_first_better(
    first_side: _Side, second_side: _Side, delta: NormalLaw | None, seed: int
) -> tuple[float, str]:
    direction = first_side.resolved.measure.direction
    if direction == "neither":
        return math.nan, ""
    if first_side.table.is_plain and second_side.table.is_plain:
        try:
            views = [side.resolved.view(side.table.cells) for side in (first_side, second_side)]
            laws = [
                beta_law(view, x.resolved, x.value, 0.5)
                for view, x in zip(views, (first_side, second_side), strict=True)
            ]
            larger, how = probability_larger(*laws), GOUTTE_GAUSSIER
        except OptionError:  # no measure that has a Beta law
            seeds = np.random.SeedSequence(seed).generate_state(2)
            first = posterior_values(first_side.table, first_side.resolved, None, DRAWS, seeds[0])
            larger = share_above(
                first - posterior_values(second_side.table, second_side.resolved, None, DRAWS, seeds[1])
            )
            how = f"Dirichlet posteriors, {DRAWS:,} draws, seed {seed}"
    elif delta is not None:
        larger, how = replace(delta, scale=Scale()).p_value(0.0, "less"), "delta method, flat prior"
    else:
        return math.nan, ""
    return (larger if direction == "higher" else 1 - larger), how
