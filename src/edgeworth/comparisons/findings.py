"""What a comparison of two or more systems found: every pair, every measure, who stands apart from whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from edgeworth.common.arrays import plain_values
from edgeworth.common.choices import Adjust, PredictionsMade
from edgeworth.common.progress import track_progress
from edgeworth.comparisons.chance import AgainstChance, against_chance
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.planning import SampleSizePlan, units_needed
from edgeworth.comparisons.policy import MAX_SYSTEMS_TESTED_EXACTLY
from edgeworth.core.estimates import Estimate
from edgeworth.core.measures import Direction
from edgeworth.core.multiple_testing import benjamini_hochberg, compact_letters, holm
from edgeworth.core.on_demand import OnDemand
from edgeworth.core.sampling_distributions import check_level
from edgeworth.errors import EdgeworthError, InputError, OptionError

if TYPE_CHECKING:
    from edgeworth.comparisons.forecasts.bets import Duel, WealthRace

Pair: TypeAlias = tuple[str, str]
ComparedKind: TypeAlias = Literal["labels", "scores", "lists", "probabilities", "grades"]


SAME_VALUE = 1e-9
"""Values of a system by itself and in a comparison are the same but for rounding."""


class Disagreement(TypedDict):
    """How many cases two systems got right together, alone or not at all, and how many they differ on."""

    first: str
    second: str
    both_right: float
    only_first_right: float
    only_second_right: float
    both_wrong_alike: float
    both_wrong_differently: float
    disagreements: float
    cases: float


class PairsOptions(TypedDict, total=False):
    """What is asked of every comparison: the power of its plans, and how many pairs are considered."""

    power: float
    adjust: Adjust


@dataclass(frozen=True)
class ComparisonFindings:
    """Differences of every pair of systems, first less second, on the measures asked for.

    ``headline`` is the measure that the verdict, the adjustment for many pairs and the letters go by, and
    ``headlines`` are its differences, with the first test. ``adjusted`` are its p-values for all pairs
    together; those that share a letter are tied. ``pairs`` has every measure and test. ``pairs``, ``values``
    and ``plans`` are computed when somebody looks.
    """

    kind: ComparedKind
    names: tuple[str, ...]
    unit: str
    headline: str
    headlines: Mapping[Pair, Difference]
    pairs: Mapping[Pair, Mapping[str, Difference]]
    values: Mapping[str, Mapping[str, float]]
    adjusted: Mapping[Pair, float]
    adjust: Adjust
    plans: Mapping[Pair, SampleSizePlan]
    level: float = 0.95
    cases: float = math.nan
    seed: int = 0
    disagreements: tuple[Disagreement, ...] = ()
    """Of labels: where each pair agrees, differs, and who is right there."""
    race: WealthRace | None = field(default=None, repr=False)
    duels: tuple[Duel, ...] = field(default=(), repr=False)
    """Of forecasts: what they would have won from each other."""
    dropped: int = 0
    """Rows left out for missing values."""
    notes: tuple[str, ...] = ()
    predictions_made: PredictionsMade | None = None
    judged: str = ""
    """Which cases were judged, where that is not all: the verdict begins with it."""
    chance_null: str = ""
    """What each system is tested against: guessing, random selection, constant class shares, or nothing."""
    chance: Mapping[str, AgainstChance] = field(default_factory=dict, repr=False)
    """Each system against chance, by the measure to go by, computed when somebody looks."""

    def difference(self, first: str, second: str) -> Mapping[str, Difference]:
        """Give the differences of two systems, first less second, by measure."""
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        found = self.pairs[second, first]
        return OnDemand(found, lambda measure: found[measure].mirror())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared."""
        return tuple(next(iter(self.pairs.values())))

    @property
    def no_evidence(self) -> str | None:
        """Why wealth proves nothing here, where it does not."""
        return None if self.race is None else self.race.no_evidence

    @property
    def direction(self) -> Direction:
        """Which way the measure to go by is good, if either."""
        return next(iter(self.headlines.values())).direction

    @property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first; those without a value last."""
        sign = 1.0 if self.direction == "lower" else -1.0
        values = {name: sign * self.values[name][self.headline] for name in self.names}
        # Nan would keep others from being in order.
        places = {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
        return tuple(sorted(self.names, key=lambda name: (not math.isfinite(values[name]), places[name])))

    def is_conclusive(self, first: str, second: str) -> bool:
        """Tell whether test, all pairs considered, and interval both show that two systems differ.

        Predictions of a model that had seen the outcomes show nothing.
        """
        return not self.is_in_sample and self.as_given(first, second) in self._shown

    @cached_property
    def _shown(self) -> frozenset[Pair]:
        """The pairs that differ by test and by interval."""
        most = round(1 - self.level, 12)
        differ = (pair for pair, p_value in self.adjusted.items() if p_value < most)
        return frozenset(pair for pair in differ if self.headlines[pair].is_shown(self.level))

    @cached_property
    def adjusted_chance(self) -> dict[str, float]:
        """The p-values of the systems against chance, made to hold together by Holm unless not adjusted."""
        p_values = {name: each.p_value for name, each in self.chance.items()}
        if self.adjust == "none":
            return p_values
        return dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))

    def is_better_than_chance(self, name: str) -> bool:
        """Tell whether test (two-sided, all systems considered) and interval both show it."""
        if self.is_in_sample or not self.chance[name].is_apart:
            return False
        return 2 * self.adjusted_chance[name] < round(1 - self.level, 12)

    @property
    def is_in_sample(self) -> bool:
        """Whether the systems had seen the outcomes."""
        return self.predictions_made == "in-sample"

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system, the best first: those that share one do not differ significantly."""
        valued = () if self.is_in_sample else self.valued
        apart = {
            frozenset(pair) for pair in self.pairs if set(pair) <= set(valued) and self.is_conclusive(*pair)
        }
        return compact_letters(valued, apart) | {name: "" for name in self.ranked if name not in valued}

    @cached_property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The places that each system may have, the best first; nothing in sample, or without a direction.

        From 1 and the systems that are shown to be better than it, down to the last but for those that it is
        shown to be better than (Klein, Wright & Wieczorek 2020; Mogstad, Romano, Shaikh & Wilhelm 2024). With
        p-values adjusted for all pairs, all of these hold together at the level.
        """
        if self.direction == "neither" or self.is_in_sample:
            return {}
        valued = self.valued
        beaten = dict.fromkeys(valued, 0)
        beaten_by = dict(beaten)
        for better, worse in all_pairs(valued):
            if self.is_conclusive(better, worse):
                beaten[better] += 1
                beaten_by[worse] += 1
        return {name: (1 + beaten_by[name], len(valued) - beaten[name]) for name in valued}

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The systems that none is shown to be better than: one of them is the best, at the level."""
        return tuple(name for name, (best, _) in self.ranks.items() if best == 1)

    @property
    def valued(self) -> tuple[str, ...]:
        """The systems that have a finite value, the best first. The others cannot be compared."""
        return tuple(name for name in self.ranked if math.isfinite(self.values[name][self.headline]))

    @property
    def ranked_pairs(self) -> tuple[Pair, ...]:
        """Every pair, the better one first, and the pairs of the best system before the others."""
        return all_pairs(self.ranked)

    @property
    def ranked_disagreements(self) -> list[Disagreement]:
        """Who is right where, of the ranked pairs."""
        by_pair: dict[Pair, Disagreement] = {}
        for given in self.disagreements:
            by_pair[given["first"], given["second"]] = given
            by_pair[given["second"], given["first"]] = {
                **given,
                "first": given["second"],
                "second": given["first"],
                "only_first_right": given["only_second_right"],
                "only_second_right": given["only_first_right"],
            }
        return [by_pair[pair] for pair in self.ranked_pairs if pair in by_pair]

    def as_given(self, first: str, second: str) -> Pair:
        """Find the order in which two systems are compared here."""
        return (first, second) if (first, second) in self.pairs else (second, first)

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return dict(self.numbers)

    @property
    def numbers(self) -> Mapping[str, object]:
        """Plain values by name, each computed when it is looked at."""
        before = ("kind", "names", "unit", "cases", "headline", "level", "adjust", "values")
        after = ("ranked", "ranks", "tied_for_first", "letters", "disagreements")
        last = ("race", "duels", "no_evidence", "dropped", "notes")
        return OnDemand((*before, "chance", "pairs", *after, *last), self._plain)

    def _plain(self, name: str) -> object:
        """Make one of the results plain values."""
        if name == "pairs":
            return self._plain_pairs()
        if name == "chance":
            return self._plain_chance()
        if name == "race":
            return self.race and plain_values(self.race.to_dict())
        if name == "duels":
            return [plain_values(duel.to_dict()) for duel in self.duels]
        return plain_values(getattr(self, name))

    def _plain_chance(self) -> dict[str, object] | None:
        """Make plain values of each system against chance; None if there is nothing to test against."""
        if not self.chance_null:
            return None
        systems = {
            name: {
                **each.to_dict(),
                "adjusted_p_value": plain_values(self.adjusted_chance[name]),
                "is_better": self.is_better_than_chance(name),
            }
            for name, each in self.chance.items()
        }
        return {"null": self.chance_null, "measure": self.headline, "systems": systems}

    def _plain_pairs(self) -> list[dict[str, object]]:
        """Make every pair plain values: all tests of all measures are computed."""
        pairs = []
        with track_progress("pairs tested in detail", len(self.pairs)) as done:
            for (first, second), differences in self.pairs.items():
                pair = {
                    "first": first,
                    "second": second,
                    "adjusted_p_value": self.adjusted[first, second],
                    "is_conclusive": self.is_conclusive(first, second),
                    "plan": self.plans[first, second].to_dict(),
                    "measures": {name: each.to_dict(self.level) for name, each in differences.items()},
                }
                pairs.append(plain_values(pair))
                done(1)
        return pairs


def adjusted_p_values(
    p_values: Mapping[Pair, float], adjust: Adjust, tukey: Mapping[Pair, float] | None = None
) -> dict[Pair, float]:
    """Adjust the p-values of all pairs so that they hold together.

    >>> adjusted_p_values({("a", "b"): 0.01, ("a", "c"): 0.5, ("b", "c"): 0.03}, "holm")
    {('a', 'b'): 0.03, ('a', 'c'): 0.5, ('b', 'c'): 0.06}
    """
    if adjust == "tukey":
        if tukey is None:
            raise OptionError(
                'adjust="tukey" (randomised) is for values of each query or case; use "holm" here'
            )
        return {pair: tukey[pair] for pair in p_values}
    if adjust == "none":
        return dict(p_values)
    correction = holm if adjust == "holm" else benjamini_hochberg
    return dict(zip(p_values, correction(list(p_values.values())).tolist(), strict=True))


def level_of_one(level: float, pairs: int, adjust: Adjust) -> float:
    """Find the level that a single pair has to beat to be told apart among so many.

    Holm's first step, and Benjamini and Hochberg's, ask for ``(1 − level)/pairs`` of the smallest p-value;
    later steps, and the randomised Tukey test, ask for less. A plan for the strictest is enough for all.

    >>> round(level_of_one(0.95, 10, "holm"), 6), level_of_one(0.95, 10, "none")
    (0.995, 0.95)
    """
    return level if adjust == "none" or pairs < 2 else 1 - (1 - level) / pairs


def compare_pairs(
    kind: ComparedKind,
    names: tuple[str, ...],
    difference: Callable[[str, str], Mapping[str, Difference]],
    *,
    unit: str,
    level: float,
    power: float = 0.8,
    adjust: Adjust = "holm",
    headline: str | None = None,
    first_test: Callable[[str, str, str], Difference] | None = None,
    values: Mapping[str, Mapping[str, float]] | None = None,
    tukey: Mapping[Pair, float] | None = None,
    alone: Callable[[str, str], Estimate] | None = None,
    chance_null: str = "",
    dropped: int = 0,
    notes: tuple[str, ...] = (),
    cases: float = math.nan,
    seed: int = 0,
    disagreements: tuple[Disagreement, ...] = (),
    race: WealthRace | None = None,
    duels: tuple[Duel, ...] = (),
    predictions_made: PredictionsMade | None = None,
    judged: str = "",
) -> ComparisonFindings:
    """Compare every two systems by their differences: adjusted p-values, plans, and the measure to go by.

    Without a ``headline`` that measure is the first that every pair has a value of. ``first_test`` computes a
    difference with its first test alone, if that takes less time than ``difference``, which then waits until
    somebody looks. Plans are for the level that a pair has to beat among all of them (``level_of_one``).
    ``alone`` estimates a measure of one system by itself, which is tested against chance (``chance_null``).
    """
    check_level(level)
    if len(names) < 2:
        raise InputError(f"a comparison needs two systems at least; saw {len(names)}")
    pairs = OnDemand(all_pairs(names), lambda pair: difference(*pair))
    first_test = first_test or (lambda first, second, measure: pairs[first, second][measure])
    measures = tuple(next(iter(pairs.values())))
    headline, headlines = _headlines(names, first_test, measures, headline)
    beaten = level_of_one(level, len(pairs), adjust)
    plans = OnDemand(pairs, lambda pair: units_needed(headlines[pair], level=beaten, power=power))
    if values is None:
        values = _values_of_systems(names, measures, lambda pair, measure: pairs[pair][measure])
    p_values = {pair: each.p_value() for pair, each in headlines.items()}
    adjusted = adjusted_p_values(p_values, adjust, tukey)
    direction = next(iter(headlines.values())).direction

    def against(name: str) -> AgainstChance:
        value = values[name][headline]
        assert alone is not None
        try:
            estimate = alone(name, headline)
        except EdgeworthError as error:
            return AgainstChance(value, undefined=str(error))
        found = against_chance(
            estimate, direction, level=level, is_quick=len(names) > MAX_SYSTEMS_TESTED_EXACTLY
        )
        if abs(found.value - value) > SAME_VALUE * max(1.0, abs(value)):
            return AgainstChance(value, undefined=f"alone it has another {headline}, {found.value:.6g}")
        return found

    return ComparisonFindings(
        kind=kind,
        names=names,
        unit=unit,
        headline=headline,
        headlines=headlines,
        pairs=pairs,
        values=values,
        adjusted=adjusted,
        adjust=adjust,
        plans=plans,
        level=level,
        cases=cases,
        seed=seed,
        disagreements=disagreements,
        race=race,
        duels=duels,
        predictions_made=predictions_made,
        judged=judged,
        chance_null=chance_null,
        chance=OnDemand(() if alone is None else names, against),
        dropped=dropped,
        notes=(*notes, *((f"{dropped:,} rows were dropped for missing values.",) if dropped else ())),
    )


def all_pairs(names: tuple[str, ...]) -> tuple[Pair, ...]:
    """List every two systems, in the order in which they were given."""
    return tuple(combinations(names, 2))


def _headlines(
    names: tuple[str, ...],
    first_test: Callable[[str, str, str], Difference],
    measures: tuple[str, ...],
    headline: str | None,
) -> tuple[str, dict[Pair, Difference]]:
    """Compare every pair by the headline, or by the first measure that every pair has a value of.

    It is the first of all if there is none.
    """
    first, *others = measures
    # Of a truth that never varies only accuracy tells systems apart.
    candidates = [first, *sorted(others, key=lambda name: name != "accuracy")] if headline is None else []

    def compare(measure: str, *, is_required: bool) -> dict[Pair, Difference] | None:
        found: dict[Pair, Difference] = {}
        with track_progress("pairs compared", math.comb(len(names), 2)) as done:
            for pair in all_pairs(names):
                found[pair] = first_test(*pair, measure)
                if is_required and found[pair].undefined is not None:
                    return None
                done(1)
        return found

    for measure in candidates:
        found = compare(measure, is_required=True)
        if found is not None:
            return measure, found
    chosen = headline or first
    return chosen, compare(chosen, is_required=False) or {}


def _values_of_systems(
    names: tuple[str, ...], measures: tuple[str, ...], difference: Callable[[Pair, str], Difference]
) -> Mapping[str, Mapping[str, float]]:
    """Take each system's values from its comparison with the last one."""
    *others, last = names

    def value(name: str, measure: str) -> float:
        if name == last:
            return difference((others[-1], last), measure).values[1]
        return difference((name, last), measure).values[0]

    return {name: OnDemand(measures, partial(value, name)) for name in names}
