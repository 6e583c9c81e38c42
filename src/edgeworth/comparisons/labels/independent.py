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
    few_clusters_caveat,
    natural_scale,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.posteriors import beta_law, probability_larger
from edgeworth.decisions.resampling import MIN_VARIANCE, cluster_spread, posterior_values, variance
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, check_decisions, resolve
from edgeworth.errors import OptionError, check_seed

DIFFERENT_CASES = (
    "The systems were judged on different cases: their difference is less certain than on the same."
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

    Without ``measures`` they are the usual ones, of those labels that every table has. Numbers of cases that
    would tell two systems apart are of both together, in the proportion they have now.

    >>> alice = ContingencyTable.from_matrix([[10, 10], [5, 25]], rows="predicted", labels=["no", "yes"])
    >>> bob = ContingencyTable.from_matrix([[3, 2], [3, 12]], rows="predicted", labels=["no", "yes"])
    >>> found = compare_independent({"Alice": alice, "Bob": bob})
    >>> found.measures[:4], round(found.difference("Alice", "Bob")["accuracy"].difference, 4)
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
        alone=lambda name, measure: estimate(tables[name], measure, seed=seed),
        chance_null=GUESSING,
    )


def _usual_spellings(tables: Mapping[str, ContingencyTable]) -> tuple[str, ...]:
    """List the measures that every table has; of more than three systems only those of all labels."""
    found = [usual_spellings(table) for table in tables.values()]
    common = tuple(name for name in found[0] if all(name in others for others in found[1:]))
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
    """Compare a measure of two tables of different cases, the first less the second.

    Proportions, and combinations of them, have Newcombe's square-and-add interval; other measures the delta
    method's with the two variances added. The posterior probability that the first is better is one integral
    for precision, recall and F1, and draws of both tables' Dirichlet posteriors otherwise.

    >>> alice = ContingencyTable.from_matrix([[10, 10], [5, 25]], rows="predicted", labels=["yes", "no"])
    >>> bob = ContingencyTable.from_matrix([[3, 2], [3, 12]], rows="predicted", labels=["yes", "no"])
    >>> round(independent_difference(bob, alice, "f[yes]").probability_better, 10)
    0.4263074017
    """
    check_seed(seed)
    one, two = _Side.of(first_table, spelling), _Side.of(second_table, spelling)
    found = Difference(
        one.resolved.spelling,
        first,
        second,
        (one.value, two.value),
        one.resolved.measure.direction,
        cases=one.units + two.units,
    )
    for name, side in ((first, one), (second, two)):
        reason = side.resolved.undefined(side.table)
        if reason is not None:
            said = f"of {name}: {reason}"
            return replace(found, undefined=said, no_interval=said)
    delta, no_interval = None, None
    try:
        delta = _delta_law(one, two)
    except OptionError as error:
        no_interval = str(error)
    newcombe = _newcombe_law(one, two)
    law = newcombe or delta
    better, how = _probability_first_better(one, two, delta, seed)
    return replace(
        found,
        law=law,
        tests=_tests(newcombe, delta),
        probability_better=better,
        probability_method=how,
        interval_method="" if law is None else DELTA if newcombe is None else NEWCOMBE,
        no_interval=no_interval if law is None else None,
        no_winner=few_clusters_caveat(getattr(law, "freedom", math.inf)),
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
            raise OptionError("all cases of one table are in one cluster: nothing tells how much they vary")
        return cluster_spread(self.table, clusters, self.resolved)


def _newcombe_law(one: _Side, two: _Side) -> NewcombeLaw | None:
    """Square and add where both are combinations of proportions of independent cases."""
    if not (one.table.is_plain and two.table.is_plain):
        return None
    found = independent_proportions(one.table, two.table, one.resolved, two.resolved)
    return None if found is None else NewcombeLaw(found)


def _delta_law(one: _Side, two: _Side) -> NormalLaw:
    """Add both variances; with clusters the law is Student's t (Welch & Satterthwaite)."""
    spreads = one.spread, two.spread
    total, freedom = sum(each.variance for each in spreads), math.inf
    if not total > MIN_VARIANCE:
        raise OptionError(
            "both tables are at an end of the measure's range: the delta method sees no error there"
        )
    if one.table.clusters is not None or two.table.clusters is not None:
        freedom = total**2 / sum(each.variance**2 / max(each.freedom, 1e-9) for each in spreads)
    low, high = one.resolved.measure.range
    difference = one.value - two.value
    return NormalLaw(difference, math.sqrt(total), natural_scale(low - high, high - low, difference), freedom)


def _tests(newcombe: NewcombeLaw | None, delta: NormalLaw | None) -> dict[str, TestResult]:
    """Turn Newcombe's interval into a test, and add Wald's."""
    tests = {}
    if newcombe is not None:
        said = "the level at which Newcombe's interval just reaches 0"
        tests["newcombe"] = TestResult.approximate(newcombe.p_value(0.0, "two-sided"), 0.0, said)
    if delta is not None:
        wald = replace(delta, scale=Scale()).p_value(0.0, "two-sided")
        tests["wald"] = TestResult.approximate(wald, 0.0, "Wald's test with both variances added")
    return tests


def _probability_first_better(
    one: _Side, two: _Side, delta: NormalLaw | None, seed: int
) -> tuple[float, str]:
    direction = one.resolved.measure.direction
    if direction == "neither":
        return math.nan, ""
    if one.table.is_plain and two.table.is_plain:
        try:
            views = [each.resolved.view(each.table.cells) for each in (one, two)]
            laws = [
                beta_law(view, x.resolved, x.value, 0.5) for view, x in zip(views, (one, two), strict=True)
            ]
            larger, how = probability_larger(*laws), GOUTTE_GAUSSIER
        except OptionError:  # no measure that has a Beta law
            seeds = np.random.SeedSequence(seed).generate_state(2)
            first = posterior_values(one.table, one.resolved, None, DRAWS, seeds[0])
            larger = share_above(first - posterior_values(two.table, two.resolved, None, DRAWS, seeds[1]))
            how = f"Dirichlet posteriors, {DRAWS:,} draws, seed {seed}"
    elif delta is not None:
        larger, how = replace(delta, scale=Scale()).p_value(0.0, "less"), "delta method's law, flat prior"
    else:
        return math.nan, ""
    return (larger if direction == "higher" else 1 - larger), how
