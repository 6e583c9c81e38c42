"""Grades of several systems on the same items: differences of means over items, joined by id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import numpy as np
import scipy

from edgeworth.arrays import Floats, Integers
from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import ComparisonFindings, Pair, Terms, all_pairs, compare_pairs
from edgeworth.comparing.labels.proportions import PairedProportions
from edgeworth.comparing.queries.differences import POSTERIOR, value_difference
from edgeworth.comparing.queries.paired_tests import mean_difference
from edgeworth.comparing.queries.permutation import Shared, shared_sign_flips, sign_flip_tail
from edgeworth.comparing.queries.tukey import randomised_tukey
from edgeworth.comparing.randomisation.coins import mcnemar
from edgeworth.core.clusters import spread_of_ratios
from edgeworth.core.formatting import plural
from edgeworth.core.laws import NormalLaw, Scale, doubt_few_freedom
from edgeworth.core.measures import Direction
from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import resolve_grades

MOST_FLIPPED = 20_000
"""With more items than this signs are not flipped: Student's t says the same."""

BETA = "Beta posterior of who is right where only one is, Jeffreys' prior"


@dataclass(frozen=True, eq=False)
class MatchedItems:
    """The items that all systems have: where each system's tally holds them, and their clusters."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    places: Mapping[str, Integers]
    clusters: Integers | None
    left_out: Mapping[str, int]


def match_items(grades: Mapping[str, Grades]) -> MatchedItems:
    """Find the items that all systems have; those that some have are counted."""
    if len(grades) < 2:
        raise InputError(f"a comparison needs two systems at least; saw {len(grades)}")
    for name, each in grades.items():
        if each.ids is None:
            raise InputError(f"systems are compared item by item, and grades of {name} have no ids: give ids")
    first = next(iter(grades.values()))
    for name, each in grades.items():
        if (each.lower_is_better, each.bounds) != (first.lower_is_better, first.bounds):
            raise OptionError(f"the grades of {name} differ from the first system's in direction or range")
    found = {name: {x: place for place, x in enumerate(each.ids or ())} for name, each in grades.items()}
    common = tuple(x for x in first.ids or () if all(x in each for each in found.values()))
    if not common:
        raise InputError(f"no item is common to {' and '.join(grades)}: nothing can be compared")
    places = {name: np.array([each[x] for x in common], dtype=np.int64) for name, each in found.items()}
    left_out = {name: len(each) - len(common) for name, each in found.items()}
    return MatchedItems(tuple(grades), common, places, _clusters(grades, common, places), left_out)


def _clusters(
    grades: Mapping[str, Grades], common: tuple[str, ...], places: Mapping[str, Integers]
) -> Integers | None:
    """Find the cluster of each common item, on which all systems that have clusters must agree."""
    held: Integers | None = None
    index: dict[str, int] = {}
    for name, each in grades.items():
        if each.clusters is None or each.cluster_names is None:
            continue
        codes = np.array([index.setdefault(x, len(index)) for x in each.cluster_names])
        mine = codes[each.clusters[places[name]]]
        if held is not None and (mine != held).any():
            item = common[int(np.argmax(mine != held))]
            raise InputError(f"item {item!r} is in different clusters in different systems")
        held = mine
    return held


@dataclass(frozen=True, eq=False)
class ItemTable:
    """The values of one measure: a row an item that has one in every system, a column a system."""

    measure: str
    direction: Direction
    names: tuple[str, ...]
    values: Floats
    clusters: Integers | None
    undefined: str | None = None

    @classmethod
    def of(cls, grades: Mapping[str, Grades], matched: MatchedItems, spelling: str) -> ItemTable:
        """Compute a measure of every system on the items that all have."""
        found = {name: resolve_grades(each, spelling) for name, each in grades.items()}
        table = np.stack([each.values[matched.places[name]] for name, each in found.items()], axis=1)
        known = ~np.isnan(table).any(axis=1)
        first = found[matched.names[0]]
        why = next((f"{x.undefined} ({name})" for name, x in found.items() if x.undefined), None)
        return cls(
            first.spelling,
            "lower" if first.grades.lower_is_better and first.measure.name == "mean" else "higher",
            matched.names,
            table[known],
            None if matched.clusters is None else matched.clusters[known],
            why or (None if known.any() else "no item has a value in every system"),
        )

    @property
    def is_right_or_wrong(self) -> bool:
        """Tell whether items are right or wrong, and independent."""
        return self.clusters is None and bool(((self.values == 0) | (self.values == 1)).all())

    def difference(self, pair: Pair, shared: Shared | None, *, draws: int, seed: int) -> Difference:
        """Compare two systems: by McNemar and Tango of right or wrong, else by sign flips and t."""
        places = self.names.index(pair[0]), self.names.index(pair[1])
        one, other = (self.values[:, place] for place in places)
        if self.undefined is not None:
            nothing = (math.nan, math.nan)
            return Difference(
                self.measure, *pair, nothing, self.direction, cases=0.0, undefined=self.undefined
            )
        if self.is_right_or_wrong:
            return self._right_or_wrong(pair, one, other)
        if len(one) > MOST_FLIPPED:
            return self._plain(pair, one, other)
        permute = partial(shared, *places) if shared else partial(sign_flip_tail, draws=draws, seed=seed)
        found = value_difference(
            one,
            other,
            measure=self.measure,
            names=pair,
            direction=self.direction,
            clusters=None if self.clusters is None else self.clusters.tolist(),
            permute=permute,
        )
        return found if self.clusters is None or found.law is None else self._clustered(found, one - other)

    def _right_or_wrong(self, pair: Pair, one: Floats, other: Floats) -> Difference:
        wins, losses = int((one > other).sum()), int((one < other).sum())
        law = PairedProportions(wins, losses, len(one))
        return Difference(
            self.measure,
            *pair,
            (float(one.mean()), float(other.mean())),
            self.direction,
            law,
            {"mcnemar": mcnemar(wins, losses), "mcnemar mid-p": mcnemar(wins, losses, mid_p=True)},
            probability_better=float(scipy.special.betainc(losses + 0.5, wins + 0.5, 0.5)),
            probability_method=BETA,
            effect=law.effect(),
            cases=float(len(one)),
            interval_method=str(law),
            discordant=(wins, losses),
        )

    def _plain(self, pair: Pair, one: Floats, other: Floats) -> Difference:
        """Compare by Student's t alone, where items are too many to flip their signs."""
        clusters = None if self.clusters is None else self.clusters.tolist()
        mean = mean_difference(one - other, clusters=clusters)
        above = mean.probability_above
        found = Difference(
            self.measure,
            *pair,
            (float(one.mean()), float(other.mean())),
            self.direction,
            mean.law,
            {"t": mean.test()},
            probability_better=1 - above if self.direction == "lower" else above,
            probability_method=POSTERIOR,
            cases=float(mean.units),
            interval_method="Student's t over items",
            no_interval=mean.no_law,
        )
        return found if self.clusters is None or found.law is None else self._clustered(found, one - other)

    def _clustered(self, found: Difference, differences: Floats) -> Difference:
        """Take the variance between clusters by CR2, with the degrees of freedom that they leave."""
        assert self.clusters is not None
        _, places = np.unique(self.clusters, return_inverse=True)
        sizes = np.bincount(places).astype(np.float64)
        sums = np.bincount(places, weights=differences - differences.mean()).astype(np.float64)
        spread = spread_of_ratios(sums, sizes)
        law = NormalLaw(found.difference, math.sqrt(spread.variance), Scale("identity"), spread.least)
        p_value = max(law.p_value(0.0, "two-sided"), SMALLEST)
        said = f"CR2 over clusters, {spread.least:.3g} degrees of freedom"
        tests = dict(found.tests) | {"t": Tail(p_value, p_value, p_value, said, kind="approximation")}
        return replace(
            found,
            law=law,
            tests=tests,
            interval_method=f"Student's t, {said}",
            no_winner=doubt_few_freedom(spread.freedom),
        )


def compare_grades(
    grades: Mapping[str, Grades],
    *,
    measures: Sequence[str] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare graded systems on the items that all of them have."""
    names = tuple(grades)
    matched = match_items(grades)
    drawing: dict[str, Any] = {"draws": draws, "seed": seed}
    asked = measures or ["accuracy" if all(each.is_binary for each in grades.values()) else "mean"]
    tables = [ItemTable.of(grades, matched, spelling) for spelling in asked]
    pairs: dict[Pair, dict[str, Difference]] = {pair: {} for pair in all_pairs(names)}
    for table in tables:
        # Of many pairs random signs are drawn once for all.
        flips = 0 < len(table.values) <= MOST_FLIPPED and table.clusters is None
        shared = shared_sign_flips(table.values, **drawing) if len(names) > 3 and flips else None
        for pair in pairs:
            pairs[pair][table.measure] = table.difference(pair, shared, **drawing)
    first, tukey = tables[0], None
    if terms.get("adjust") == "tukey" and 0 < len(first.values) <= MOST_FLIPPED:
        dealt = first.values
        if first.clusters is not None:  # a cluster's items are dealt alike
            dealt = np.zeros((first.clusters.max() + 1, len(names)))
            np.add.at(dealt, first.clusters, first.values)
        p_values = randomised_tukey(dealt, **drawing)
        tukey = {(a, b): float(p_values[names.index(a), names.index(b)]) for a, b in pairs}
    return compare_pairs(
        "grades",
        names,
        lambda *pair: pairs[pair],
        unit="item" if first.clusters is None else "cluster",
        headline=first.measure,
        level=level,
        **terms,
        tukey=tukey,
        cases=next(iter(pairs.values()))[first.measure].cases,
        seed=seed,
        notes=_notes(grades, matched, tables),
    )


def _notes(
    grades: Mapping[str, Grades], matched: MatchedItems, tables: Sequence[ItemTable]
) -> tuple[str, ...]:
    """Say which items and answers were left out."""
    found = {f"of {name} that not every system has": number for name, number in matched.left_out.items()}
    found |= {
        f"without a value of {x.measure} in some system": len(matched.ids) - len(x.values)
        for x in tables
        if x.undefined is None
    }
    parts = [f"{number:,} {plural(number, 'item')} {which}" for which, number in found.items() if number]
    said = [f"Left out: {'; '.join(parts)}."] if parts else []
    for name, each in grades.items():
        if each.unscored:
            verb = plural(each.unscored, "answer of {} has", "answers of {} have").format(name)
            said.append(f"{each.unscored:,} {verb} no grade.")
    return tuple(said)
