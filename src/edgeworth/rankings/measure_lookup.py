"""Measures along a ranking: its own, and those of the decisions that a cut at a depth makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from edgeworth.common.arrays import Values
from edgeworth.core.measures import Measure, Parameter, Requirement, Spelling
from edgeworth.core.registry import canonical_spelling, measures_by_name, unknown_measure
from edgeworth.decisions.kind import TABLE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import LabelView, find_measure, marginals, measure_table
from edgeworth.errors import OptionError
from edgeworth.rankings.kind import RANKING
from edgeworth.rankings.list_tie_groups import tie_groups_of_lists
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.tie_groups import (
    HIGHEST_GRADE,
    IN_SOME_ORDER,
    STRICT_TIES,
    WHOLE_TIES,
    TieGroups,
    all_tied,
)
from edgeworth.rankings.trec.names import translate_measure
from edgeworth.sources.columns import Label

Ranked: TypeAlias = Ranking | RankedLists
TIES_AT_DEPTH = Parameter("expected", choices=IN_SOME_ORDER)
"""Measures of decisions have no ties of their own; at a depth of a list they have these."""


@dataclass(frozen=True)
class ResolvedRanking:
    """A measure with the depth and options that it has for a ranking, or for many lists."""

    measure: Measure
    depth: int | None
    ties: str
    """The policy for ties in force."""
    arguments: dict[str, float | str]
    spelling: str
    relevant_from: int | None = None
    """The smallest grade that makes a target, if the measure has one of its own."""

    @property
    def view(self) -> tuple[str, int | None]:
        """What tie groups depend on: measures with the same view can share them."""
        return self.ties, self.relevant_from

    def retarget(self, lists: RankedLists) -> RankedLists:
        """Return the lists with the targets that the measure counts."""
        return lists if self.relevant_from is None else lists.with_threshold(self.relevant_from)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value there can be at the depth, with the options."""
        if self.measure.bounds is None:
            return self.measure.range
        depth = () if self.depth is None else (float(self.depth),)
        return self.measure.bounds(*depth, **self.arguments)

    def values(self, groups: TieGroups) -> Values:
        """Compute one value per list; nan if it is undefined."""
        if self.measure.scope != "ranking":
            return np.asarray(self.measure.compute(self._seen(self._view(groups)), **self.arguments))
        if groups.ties != self.ties:
            groups = replace(groups, ties=self.ties)
        if self.measure.depth == "none":
            return np.asarray(self.measure.compute(groups, **self.arguments))
        depth = None if self.depth is None else np.full(groups.number, float(self.depth))
        return np.asarray(self.measure.compute(groups, depth, **self.arguments))

    def _view(self, groups: TieGroups) -> LabelView:
        """Return the decisions at the depth; empty ranks count as false alarms, as in trec_eval."""
        depth = np.full(groups.number, float(self.depth or 0))
        items = groups.items + np.maximum(depth - groups.ranked, 0)
        return LabelView(groups.hits_at(depth), depth, groups.targets, items)

    def _seen(self, view: LabelView) -> Values:
        """Return the decisions in the form that the measure needs."""
        if self.measure.scope == "label":
            return view
        rows = [
            np.stack(row, axis=-1) for row in ((view.rejections, view.misses), (view.false_alarms, view.hits))
        ]
        if self.measure.scope == "cells":
            return np.stack(rows, axis=-2)
        return marginals(np.stack([*rows, np.zeros_like(rows[0])], axis=-2))

    def micro(self, groups: TieGroups) -> float:
        """Add up the decisions of all lists at the depth, and compute the measure of the sum."""
        view = self._view(groups)
        totals = LabelView(*(np.asarray(x.sum()) for x in (view.hits, view.predicted, view.real, view.total)))
        return float(self.measure.compute(self._seen(totals), **self.arguments))

    def at_random(self, groups: TieGroups) -> Values:
        """Compute the mean under random selection, as if all items were tied; nan if it differs."""
        if not self.measure.has_mean_chance:
            return np.full(groups.number, np.nan)
        values = replace(self, ties="expected").values(all_tied(groups))
        return np.where(np.isnan(groups.items), np.nan, values)

    def undefined(self, groups: TieGroups) -> list[str | None]:
        """Explain why each list has no value; None if it has one."""
        values = self.values(groups)
        reasons: list[str | None] = [None] * groups.number
        if not np.isnan(values).any():
            return reasons
        known = groups if self.measure.scope == "ranking" else _in_some_collection(groups, self.depth or 0)
        holding = [(self._holds(need, known), need.otherwise) for need in self.measure.needs]
        for index in np.flatnonzero(np.isnan(values)):
            messages = [message for holds, message in holding if not holds[index]]
            is_unknown = groups.targets[index] > 0 and np.isnan(groups.items[index])
            if is_unknown and self.measure.scope != "ranking":
                messages = ["the number of items is unknown"]
            otherwise = f"its formula, {self.measure.formula}, divides by 0 here"
            reasons[index] = (messages or [otherwise])[0].format(label="a target")
        return reasons

    def _holds(self, need: Requirement, groups: TieGroups) -> Values:
        view = groups if self.measure.scope == "ranking" else self._seen(self._view(groups))
        options = self.arguments if need.with_options else {}
        return np.broadcast_to(need.holds(view, **options), groups.number)


def _in_some_collection(groups: TieGroups, depth: int) -> TieGroups:
    """Assume more items than are ranked if their number is unknown, so that no requirement fails."""
    more = groups.ranked + groups.targets + depth + 1
    return replace(groups, items=np.where(np.isnan(groups.items), more, groups.items))


def resolve_ranking(tally: Ranked, spelling: str | Measure) -> ResolvedRanking:
    """Find the measure, its depth and its options; runs of search engines have trec_eval's rule for ties."""
    ties_of_runs = tally.default_ties if isinstance(tally, RankedLists) else None
    written = parse_measure(with_ties(spelling, ties_of_runs))
    measure = measures_by_name(RANKING, "ranking").get(written.name)
    if measure is None:
        if written.label is not None and isinstance(tally, RankedLists):
            plain = replace(written, label=None)
            raise OptionError(f"{written}: lists have targets, not labels; write {plain}")
        return _of_decisions(tally, written)
    if written.label is not None:
        raise OptionError(f"{written.name} is a measure of a whole ranking; write it without a label")
    if measure.depth == "required" and written.depth is None:
        raise OptionError(f"{written.name} needs a depth: write {written.name}@100")
    if measure.depth == "none" and written.depth is not None:
        raise OptionError(f"{written.name} has no depth; write it without @{written.depth}")
    _check_depth(written)
    grade = _relevant_from(tally, measure, written)
    arguments = measure.arguments(_without(written, "relevant_from"))
    ties = str(arguments.pop("ties"))
    resolved = ResolvedRanking(measure, written.depth, ties, arguments, str(written), grade)
    return _choose_ties(tally, resolved, is_given="ties" in written.options)


def with_ties(spelling: str | Measure, ties: str | None) -> str:
    """Add a policy for ties to the spelling of a measure, or to trec_eval's name for it, unless it has one.

    >>> with_ties("precision@10", "trec"), with_ties("P_10", "trec")
    ('precision@10(ties=trec)', 'precision@10(ties=trec)')
    """
    written = parse_measure(spelling)
    if ties is None or "ties" in written.options:
        return str(written)
    return str(replace(written, options={**written.options, "ties": ties}))


def cut_of(ranking: Ranking, spelling: str | Measure) -> tuple[ContingencyTable, str] | None:
    """Return the table at a depth and the measure's spelling there; None if it measures the whole list."""
    written = parse_measure(spelling)
    if written.name in measures_by_name(RANKING, "ranking"):
        return None
    resolved = _of_decisions(ranking, written)
    if resolved.ties != "expected":
        raise _needs_order(resolved)
    table = ranking.at_depth(written.depth or 0)
    return table, str(replace(written, depth=None, options=_without(written, "ties")))


def tie_groups_of(tally: Ranked, resolved: ResolvedRanking) -> TieGroups:
    """Return the tie groups that the measure is computed from."""
    if isinstance(tally, Ranking):
        return tally.tie_groups
    return tie_groups_of_lists(resolved.retarget(tally), resolved.ties)


def needs_whole_cases(tally: Ranked, resolved: ResolvedRanking) -> str | None:
    """Explain why sampling weights rule the measure out, or return None."""
    if not isinstance(tally, Ranking) or tally.is_counted:
        return None
    if not resolved.measure.allows_weights:
        return "it needs ranks, and weighted rows have none"
    if resolved.ties != "threshold" and resolved.measure.is_average_precision:
        name = resolved.measure.name
        return f"an order inside ties needs whole cases: write {name}(ties=threshold)"
    return None


def parse_measure(spelling: str | Measure) -> Spelling:
    """Read a measure of a ranking or of the decisions at a depth, by any of its names."""
    if isinstance(spelling, Measure):
        return Spelling(spelling.name)
    if not isinstance(spelling, str):
        raise OptionError(f"a measure is written as text, such as 'precision@100'; saw {spelling!r}")
    return canonical_spelling(translate_measure(spelling), RANKING, TABLE)


def _check_depth(written: Spelling) -> None:
    if written.depth is not None and written.depth < 1:
        raise OptionError(f"a depth is at least 1; saw {written}")


def _relevant_from(tally: Ranked, measure: Measure, written: Spelling) -> int | None:
    """Return the smallest grade of a target if the measure's differs from that of the lists."""
    if "relevant_from" not in written.options:
        return measure.relevant_from
    if isinstance(tally, Ranking):
        raise OptionError(f"{written}: a ranking has no grades; use RankedLists")
    option = Parameter(1.0, 1.0, HIGHEST_GRADE)
    return int(option.take(f"relevant_from of {measure.name}", written.options["relevant_from"]))


def _of_decisions(tally: Ranked, written: Spelling) -> ResolvedRanking:
    single, overall = find_measure(written.name, is_label=True), find_measure(written.name, is_label=False)
    measure = overall if written.label is None and overall is not None else single
    if measure is None:
        raise unknown_measure(written.name)
    if written.depth is None:
        raise OptionError(
            f"{written.name} is a measure of decisions: add a depth, as in {written.name}@100, or pass "
            "labels (--prediction; in Python, ranking.at_threshold(0.5) makes decisions)"
        )
    _check_depth(written)
    ties = str(TIES_AT_DEPTH.take(f"ties of {written.name}", written.options.get("ties", "expected")))
    grade = _relevant_from(tally, measure, written)
    arguments = measure.arguments(_without(written, "ties", "relevant_from"))
    return ResolvedRanking(measure, written.depth, ties, arguments, str(written), grade)


def _without(written: Spelling, *names: str) -> dict[str, float | str]:
    return {name: value for name, value in written.options.items() if name not in names}


def _needs_order(resolved: ResolvedRanking) -> OptionError:
    return OptionError(
        f"{resolved.spelling}: ties={resolved.ties} needs document ids or an order, which RankedLists have"
    )


def _choose_ties(tally: Ranked, resolved: ResolvedRanking, *, is_given: bool) -> ResolvedRanking:
    if isinstance(tally, Ranking):
        if is_given and resolved.ties in STRICT_TIES:
            raise _needs_order(resolved)
        has_threshold = "threshold" in resolved.measure.options["ties"].choices
        if not (is_given or tally.is_counted) and has_threshold and resolved.depth is None:
            # Weights have no random order, so tie groups are taken whole, and the spelling states that.
            written = Spelling.parse(resolved.spelling)
            with_threshold = str(replace(written, options={**written.options, "ties": "threshold"}))
            return replace(resolved, ties="threshold", spelling=with_threshold)
    if resolved.ties in WHOLE_TIES and resolved.depth is not None:
        raise OptionError(
            f"{resolved.spelling}: ties={resolved.ties} ranks whole tie groups, which a depth may split; "
            "write ties=expected"
        )
    return resolved


def measure_ranking(ranking: Ranking, spelling: str | Measure) -> float:
    """Compute a measure of one ranking; nan when it is undefined."""
    cut = cut_of(ranking, spelling)
    if cut is not None:
        return measure_table(*cut)
    resolved = resolve_ranking(ranking, spelling)
    if needs_whole_cases(ranking, resolved) is not None:
        return math.nan
    return float(resolved.values(tie_groups_of(ranking, resolved))[0])


def measure_lists(lists: RankedLists, spelling: str | Measure) -> float:
    """Compute the mean of a measure over the lists that count."""
    values = list(measure_counted(lists, spelling).values())
    return float(np.mean(values)) if values else math.nan


def measure_counted(lists: RankedLists, spelling: str | Measure) -> dict[Label, float]:
    """Compute a measure of each list that its mean counts, as it counts there."""
    values = values_in_mean(lists, resolve_ranking(lists, spelling)).tolist()
    return {query: value for query, value in zip(lists.queries, values, strict=True) if not math.isnan(value)}


def measure_each(lists: RankedLists, spelling: str | Measure) -> dict[Label, float]:
    """Compute a measure of each query's list; nan if it is undefined.

    Parameters
    ----------
    lists : RankedLists
        One list per query.
    spelling : str or Measure
        ``name@depth(option=value)``, as ``ew.catalogue(kind="rankings")`` lists them.

    Returns
    -------
    dict
        The value of each query, in the order of ``lists.queries``.

    Examples
    --------
    >>> lists = RankedLists.from_scores([1, 0, 0, 1], [0.9, 0.1, 0.8, 0.2], groups=["a", "a", "b", "b"])
    >>> measure_each(lists, "average_precision")
    {'a': 1.0, 'b': 0.5}
    """
    if not isinstance(lists, RankedLists):
        raise OptionError(f"measure_each is for RankedLists; saw {type(lists).__name__}")
    resolved = resolve_ranking(lists, spelling)
    values = resolved.values(tie_groups_of(lists, resolved))
    return dict(zip(lists.queries, values.tolist(), strict=True))


def measure_micro(lists: RankedLists, spelling: str | Measure) -> float:
    """Compute a measure over all lists together instead of the mean over lists.

    Parameters
    ----------
    lists : RankedLists
        One list per query.
    spelling : str or Measure
        ``name@depth(option=value)``, as ``ew.catalogue(kind="rankings")`` lists them.

    Returns
    -------
    float
        The value; nan if it is undefined.

    Notes
    -----
    At a depth, the decisions of all lists are added up; otherwise all items are ranked in one list.

    Examples
    --------
    >>> lists = RankedLists.from_scores([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], groups=["a", "a", "a", "b", "b"])
    >>> measure_lists(lists, "recall@1"), round(measure_micro(lists, "recall@1"), 4)
    (0.25, 0.3333)
    """
    resolved = resolve_ranking(lists, spelling)
    if resolved.measure.scope == "ranking":
        return measure_ranking(lists.pooled(), spelling)
    return resolved.micro(tie_groups_of(lists, resolved))


def values_in_mean(lists: RankedLists, resolved: ResolvedRanking, values: Values | None = None) -> Values:
    """Compute the value of each list as it counts in the mean; nan if it is left out.

    A list without targets is left out, unless the lists were read with the rule that it counts: then it
    counts as 0 if it has no value.
    """
    if values is None:
        values = resolved.values(tie_groups_of(lists, resolved))
    empty = np.where(np.isnan(values), 0.0, values) if lists.empty_is_zero else math.nan
    return np.where(resolved.retarget(lists).targets == 0, empty, values)
