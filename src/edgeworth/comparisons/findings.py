"""The results of a comparison: differences of every pair by every measure, and which pairs differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from edgeworth.common.arrays import plain_values
from edgeworth.common.choices import Adjust, PredictionsMade
from edgeworth.common.progress import track_progress
from edgeworth.comparisons.chance import AgainstChance, against_chance
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.planning import SampleSizePlan, units_needed
from edgeworth.comparisons.policy import (
    MAX_PAIRS_PLANNED_IN_JSON,
    MAX_SYSTEMS_TESTED_EXACTLY,
    MAX_SYSTEMS_WITH_INTERVALS,
)
from edgeworth.core.amounts import is_share
from edgeworth.core.estimates import Estimate, Interval
from edgeworth.core.formatting import plural
from edgeworth.core.measures import Direction
from edgeworth.core.multiple_testing import benjamini_hochberg, compact_letters, holm
from edgeworth.core.on_demand import OnDemand
from edgeworth.core.sampling_distributions import check_level, is_significant
from edgeworth.errors import EdgeworthError, InputError, OptionError

if TYPE_CHECKING:
    from edgeworth.comparisons.forecasts.bets import Duel, WealthRace
    from edgeworth.forecasts.sequential import ConfidenceSequence

Pair: TypeAlias = tuple[str, str]


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
    """Options of every comparison: the power of its plans, and the adjustment for several pairs."""

    power: float
    adjust: Adjust


@dataclass(frozen=True)
class Leader:
    """The best of three systems or more, and an interval for its level that allows for having chosen it.

    The best on these cases is partly the luckiest, so its value overstates it. Intervals for all k systems at
    1 − (1 − level)/k hold together (Bonferroni), and so the one of the chosen system holds, however the
    systems depend on each other.
    """

    system: str
    value: float
    interval: Interval
    """The bounds; nan if the level of one system has no interval that holds here."""
    level: float
    """The confidence level of the interval, for whichever system leads."""
    systems: int

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        bounds = {"low": self.interval.low, "high": self.interval.high, "level": self.level}
        known = {"system": self.system, "value": self.value, **bounds, "chosen_among": self.systems}
        return {name: plain_values(value) for name, value in known.items()}


@dataclass(frozen=True)
class ComparisonFindings:
    """Differences of every pair of systems, first less second, on the measures asked for.

    ``headline`` is the measure that the verdict, the adjustment for many pairs and the letters go by, and
    ``headlines`` are its differences, with the first test. ``adjusted`` are its p-values for all pairs
    together; those that share a letter are tied. ``pairs`` has every measure and test. ``pairs``, ``values``
    and ``plans`` are computed on first use.
    """

    kind: str
    """What was compared: labels, scores, lists, probabilities, grades, or the name of a kind of your own."""
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
    loss_sequences: Mapping[Pair, ConfidenceSequence] = field(default_factory=dict, repr=False)
    """For losses in time order with a stated range: bounds of the mean difference after every row."""
    dropped: int = 0
    """Rows left out for missing values."""
    notes: tuple[str, ...] = ()
    predictions_made: PredictionsMade | None = None
    judged: str = ""
    """Which cases were judged, if not all: the verdict begins with it."""
    has_obvious_measure: bool = False
    """Whether the name of the headline would add nothing, as with the share of right answers."""
    clustered: float = 0.0
    """How many cases or items the clusters hold, if clusters are compared and ``cases`` is their number."""
    clustered_unit: str = "case"
    answers: str = ""
    """How many answers the items have, if some have several: "2 answers each"."""
    noun: str = "system"
    """What the compared things are called: systems, or models in run logs."""
    margin: float | None = None
    """How much worse a system may be and still count as no worse, if a margin was given."""
    chance_null: str = ""
    """What each system is tested against: guessing, random selection, constant class shares, or nothing."""
    chance: Mapping[str, AgainstChance] = field(default_factory=dict, repr=False)
    """Each system against chance, by the primary measure, computed on first use."""
    intervals: Mapping[str, Interval] = field(default_factory=dict, repr=False)
    """The interval of each system by itself for the headline, computed on first use.

    Bounds are nan if no interval of one system holds."""
    leaders: Mapping[str, Leader | None] = field(default_factory=dict, repr=False)
    """The best of three systems or more, computed on first use."""

    @property
    def leader(self) -> Leader | None:
        """The best of three systems or more, with an interval that allows for having chosen it."""
        return self.leaders.get("leader")

    def difference(self, first: str, second: str) -> Mapping[str, Difference]:
        """Return the differences of two systems, first less second, by measure."""
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        given = self.pairs[second, first]
        return OnDemand(given, lambda measure: given[measure].mirror())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared."""
        return tuple(next(iter(self.pairs.values())))

    @property
    def no_evidence(self) -> str | None:
        """The reason why wealth is no evidence here, if it is none."""
        return None if self.race is None else self.race.no_evidence

    @property
    def direction(self) -> Direction:
        """The direction in which the primary measure is better, if there is one."""
        return next(iter(self.headlines.values())).direction

    @property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first; those without a value last."""
        sign = 1.0 if self.direction == "lower" else -1.0
        values = {name: sign * self.values[name][self.headline] for name in self.names}
        # Nan would keep others from being in order.
        sort_keys = {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
        return tuple(sorted(self.names, key=lambda name: (not math.isfinite(values[name]), sort_keys[name])))

    def is_conclusive(self, first: str, second: str) -> bool:
        """Return whether test, all pairs considered, and interval both show that two systems differ.

        Predictions of a model that had seen the outcomes show nothing.
        """
        return not self.is_in_sample and self.as_given(first, second) in self._shown

    @cached_property
    def _shown(self) -> frozenset[Pair]:
        """The pairs that differ by test and by interval."""
        differ = (pair for pair, p_value in self.adjusted.items() if is_significant(p_value, self.level))
        return frozenset(pair for pair in differ if self.headlines[pair].is_shown(self.level))

    @cached_property
    def adjusted_chance(self) -> dict[str, float]:
        """The p-values of the systems against chance, made to hold together by Holm unless not adjusted."""
        p_values = {name: result.p_value for name, result in self.chance.items()}
        if self.adjust == "none":
            return p_values
        return dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))

    def is_better_than_chance(self, name: str) -> bool:
        """Return whether test (two-sided, all systems considered) and interval both show it."""
        if self.is_in_sample or not self.chance[name].is_apart:
            return False
        return is_significant(2 * self.adjusted_chance[name], self.level)

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
        """The cases by which system is right, for the ranked pairs."""
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
        """Return plain values."""
        return dict(self.numbers)

    @property
    def numbers(self) -> Mapping[str, object]:
        """Plain values by name, each computed when it is looked at."""
        before = ("kind", "names", "unit", "cases", "headline", "level", "adjust", "values")
        after = ("intervals", "leader", "ranked", "ranks", "tied_for_first", "letters", "disagreements")
        last = (
            "race",
            "duels",
            *(("loss_sequences",) if self.loss_sequences else ()),
            "no_evidence",
            "dropped",
            "notes",
            *(() if self.margin is None else ("margins",)),
        )
        return OnDemand((*before, "chance", "pairs", *after, *last), self._plain)

    def _plain(self, name: str) -> object:
        """Make one of the results plain values."""
        if name == "pairs":
            return self._plain_pairs()
        if name == "chance":
            return self._plain_chance()
        if name == "margins":
            from edgeworth.comparisons.margins import margin_tests

            return [test.to_dict() for test in margin_tests(self)]
        if name == "intervals":
            return {key: plain_values(interval._asdict()) for key, interval in self.intervals.items()}
        if name == "leader":
            return self.leader and self.leader.to_dict()
        if name == "loss_sequences":
            from edgeworth.comparisons.ordered_losses import plain_sequences

            return plain_sequences(self.loss_sequences)
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
                **result.to_dict(),
                "adjusted_p_value": plain_values(self.adjusted_chance[name]),
                "is_better": self.is_better_than_chance(name),
            }
            for name, result in self.chance.items()
        }
        return {"null": self.chance_null, "measure": self.headline, "systems": systems}

    def _plain_pairs(self) -> list[dict[str, object]]:
        """Make every pair plain values: all tests of all measures are computed.

        With very many pairs the plans are left out. ``plans`` computes any of them on request.
        """
        pairs = []
        has_plans = len(self.pairs) <= MAX_PAIRS_PLANNED_IN_JSON
        with track_progress("pairs tested in detail", len(self.pairs)) as done:
            for (first, second), differences in self.pairs.items():
                pair = {
                    "first": first,
                    "second": second,
                    "adjusted_p_value": self.adjusted[first, second],
                    "is_conclusive": self.is_conclusive(first, second),
                    "plan": self.plans[first, second].to_dict() if has_plans else None,
                    "measures": {
                        name: difference.to_dict(self.level) for name, difference in differences.items()
                    },
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
    """Find the level that a single pair has to beat to be significant among all pairs.

    Holm's first step, and Benjamini and Hochberg's, ask for ``(1 − level)/pairs`` of the smallest p-value;
    later steps, and the randomised Tukey test, ask for less. A plan for the strictest is enough for all.

    >>> round(level_of_one(0.95, 10, "holm"), 6), level_of_one(0.95, 10, "none")
    (0.995, 0.95)
    """
    return level if adjust == "none" or pairs < 2 else 1 - (1 - level) / pairs


def compare_pairs(
    kind: str,
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
    is_alone_valid: bool = True,
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
    """Compare every two systems by their differences: adjusted p-values, plans, and the primary measure.

    Without a ``headline`` that measure is the first that every pair has a value of. ``first_test`` computes a
    difference with its first test alone, if that takes less time than ``difference``, which is then
    computed on first use. Plans are for the level at which one of all pairs is tested (``level_of_one``).
    ``alone`` estimates a measure of one system by itself, which is tested against chance (``chance_null``).
    ``is_alone_valid``: whether the interval of that estimate allows for clusters and other dependence.
    """
    check_level(level)
    if len(names) < 2:
        raise InputError(f"a comparison needs at least two systems; saw {len(names)}")
    pairs = OnDemand(all_pairs(names), lambda pair: difference(*pair))
    first_test = first_test or (lambda first, second, measure: pairs[first, second][measure])
    measures = tuple(next(iter(pairs.values())))
    headline, headlines = _headlines(names, first_test, measures, headline)
    beaten = level_of_one(level, len(pairs), adjust)
    plans = OnDemand(pairs, lambda pair: units_needed(headlines[pair], level=beaten, power=power))
    if values is None:
        values = _values_of_systems(names, measures, lambda pair, measure: pairs[pair][measure])
    p_values = {pair: difference.p_value() for pair, difference in headlines.items()}
    adjusted = adjusted_p_values(p_values, adjust, tukey)
    direction = next(iter(headlines.values())).direction

    def against(name: str) -> AgainstChance:
        value = values[name][headline]
        assert alone is not None
        try:
            estimate = alone(name, headline)
        except EdgeworthError as error:
            return AgainstChance(value, undefined=str(error))
        result = against_chance(
            estimate, direction, level=level, is_quick=len(names) > MAX_SYSTEMS_TESTED_EXACTLY
        )
        if abs(result.value - value) > SAME_VALUE * max(1.0, abs(value)):
            return AgainstChance(value, undefined=f"measured alone, its {headline} is {result.value:.6g}")
        return result

    def lead(_: str) -> Leader | None:
        finite = {name: values[name][headline] for name in names if math.isfinite(values[name][headline])}
        if len(finite) < 3 or direction == "neither":
            return None
        best = (min if direction == "lower" else max)(finite, key=lambda name: finite[name])
        interval = interval_of(best, 1 - (1 - level) / len(finite))
        return Leader(best, finite[best], interval, level, len(finite))

    def interval_of(name: str, at_level: float) -> Interval:
        value = values[name][headline]
        pairs_of_one = [difference for pair, difference in headlines.items() if name in pair]
        is_withheld = any(
            difference.no_test is not None or difference.typical is not None for difference in pairs_of_one
        )
        if alone is not None and is_alone_valid and not is_withheld and math.isfinite(value):
            with suppress(EdgeworthError):
                estimate = alone(name, headline)
                if abs(estimate.value - value) <= SAME_VALUE * max(1.0, abs(value)):
                    return estimate.interval(at_level)
        return Interval(math.nan, math.nan)

    leader_keys: tuple[str, ...] = ("leader",) if len(names) > 2 else ()
    boarded = names if len(names) <= MAX_SYSTEMS_WITH_INTERVALS else ()
    return ComparisonFindings(
        leaders=OnDemand(leader_keys, lead),
        intervals=OnDemand(boarded, lambda name: interval_of(name, level)),
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
        chance=OnDemand(names if alone is not None and chance_null else (), against),
        dropped=dropped,
        notes=(*notes, *describe_dropped(dropped)),
    )


def describe_dropped(dropped: int) -> tuple[str, ...]:
    """Write how many rows were dropped, as a note; no note if none was.

    >>> describe_dropped(1), describe_dropped(0)
    (('1 row was dropped for missing values.',), ())
    """
    rows = plural(dropped, "row was", "rows were")
    return (f"{dropped:,} {rows} dropped for missing values.",) if dropped else ()


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

    def candidates() -> Iterator[str]:
        if headline is None:
            yield first
            # If every case has the same class, only the share of right answers is defined for every system.
            yield from sorted(others, key=is_share, reverse=True)

    def compare(measure: str, *, is_required: bool) -> dict[Pair, Difference] | None:
        differences: dict[Pair, Difference] = {}
        with track_progress("pairs compared", math.comb(len(names), 2)) as done:
            for pair in all_pairs(names):
                differences[pair] = first_test(*pair, measure)
                if is_required and differences[pair].undefined is not None:
                    return None
                done(1)
        return differences

    for measure in candidates():
        differences = compare(measure, is_required=True)
        if differences is not None:
            return measure, differences
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
