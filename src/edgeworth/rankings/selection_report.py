"""The report on random selection: the distributions of average precision, hits and ranks of hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from edgeworth.core.formatting import format_number
from edgeworth.core.test_results import TestResult
from edgeworth.rankings.chance.hits import ExactMoments, HitRankLaw, HitsLaw
from edgeworth.rankings.chance.law import AveragePrecisionLaw
from edgeworth.report.estimates import test_result_to_dict
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns
from edgeworth.report.wording import describe_probability, p_value_cell


@dataclass(frozen=True)
class RequestedPrecision:
    """An average precision that chance has to reach, and how often it does."""

    value: float
    text: str
    tail: TestResult
    reading: str = ""
    """What the text was taken for, if it is a rounded number."""
    attained: Fraction | None = None
    """The smallest attainable value that counts, if it was looked for and found."""


@dataclass(frozen=True)
class RandomSelection:
    """What random selection does, and what was asked about it."""

    law: AveragePrecisionLaw
    precision: RequestedPrecision | None = None
    hits_law: HitsLaw | None = None
    hits: int | None = None
    hit_rank: HitRankLaw | None = None
    rank: int | None = None

    @property
    def hits_tail(self) -> TestResult | None:
        """The probability of as many hits."""
        return None if self.hits_law is None or self.hits is None else self.hits_law.tail(self.hits)


def selection_report(selection: RandomSelection, provenance: Mapping[str, object]) -> Report:
    """Report the mean and spread under random selection, and the requested probabilities."""
    law, typed, hits_law, hits_tail = (
        selection.law,
        selection.precision,
        selection.hits_law,
        selection.hits_tail,
    )
    depth = "" if law.depth == law.n else f" in the top {law.depth:,}"
    sentences = [
        f"Random selection among {law.n:,} items, {law.m:,} of them targets, reaches an average precision"
        f"{depth} of {format_number(law.mean)} on average (standard deviation "
        f"{format_number(law.standard_deviation)})."
    ]
    notes: tuple[str, ...] = ()
    lines: list[tuple[Cell, ...]] = []
    if typed is not None:
        probability = f"{describe_probability(typed.tail)} ({typed.tail.method})"
        sentences.append(f"It reaches {typed.text} or more with probability {probability}.")
        notes = (f"Note: {typed.reading}",) if typed.reading else ()
        lines.append(_tail_line(f"average precision of at least {typed.text}", typed.tail))
    if hits_law is not None:
        more = ""
        if hits_tail is not None:
            more = f", and {selection.hits:,} or more with probability {describe_probability(hits_tail)}"
        sentences.append(
            f"In the top {hits_law.t:,} it finds {format_number(hits_law.mean)} targets on average{more}."
        )
    if hits_tail is not None:
        lines.append(_tail_line(f"hits of at least {selection.hits:,}", hits_tail))
    rows = (
        ("mean", law.mean),
        ("standard deviation", law.standard_deviation),
        ("share of targets", law.share),
    )
    grids = [Grid("Average precision by random selection", make_columns("what/text", "value"), rows)]
    if selection.hit_rank is not None:
        sentences.append(_hit_rank_sentence(selection.hit_rank, selection.rank))
        grids.append(_hit_rank_grid(selection.hit_rank, selection.rank))
    if lines:
        chances = (f"{name}/probability" for name in ("probability", "at least", "at most"))
        heads = make_columns("what/text", *chances, "method/text")
        grids.append(Grid("Probabilities", heads, tuple(lines)))
    precision: dict[str, object] = {"value": None, "tail": None, "typed": None, "attained": None}
    if typed is not None:
        attained = None if typed.attained is None else float(typed.attained)
        precision = {
            "value": typed.value,
            "tail": test_result_to_dict(typed.tail),
            "typed": typed.text,
            "attained": attained,
        }
    found_hits = {"value": selection.hits, "tail": test_result_to_dict(hits_tail)}
    return Report(
        verdict=" ".join(sentences),
        sections=(Section("Random selection", (), tuple(grids)),),
        warnings=notes,
        provenance=provenance,
        numbers={
            "kind": "chance",
            "average_precision": _moments(law) | precision,
            "hits": None if hits_law is None else _moments(hits_law) | found_hits,
            "hit_rank": None
            if selection.hit_rank is None
            else _hit_rank_numbers(selection.hit_rank, selection.rank),
        },
    )


def _moments(law: ExactMoments) -> dict[str, object]:
    return {name: getattr(law, name) for name in ("mean", "variance", "standard_deviation")}


def _tail_line(name: str, tail: TestResult) -> tuple[Cell, ...]:
    return name, p_value_cell(tail), tail.low, tail.high, tail.method


SHOWN_RANKS = 24
"""Ranks of a hit that are listed; with more of them, those at equal steps of probability."""


def _shown_ranks(law: HitRankLaw, rank: int | None) -> list[int]:
    """Choose the ranks to list: all, or those where P(T ≤ k) passes 5%, …, 95%, and the requested one."""
    first, last = law.range
    if last - first < SHOWN_RANKS:
        ranks = set(range(first, last + 1))
    else:
        ranks = {_rank_quantile(law, share / 20) for share in range(1, 20)}
    return sorted(ranks | ({rank} if rank is not None and first <= rank <= last else set()))


def _rank_quantile(law: HitRankLaw, share: float) -> int:
    """Find the least k with P(T ≤ k) of at least the share, by bisection."""
    low, high = law.range
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if law.lower_tail(middle).p_value >= share else (middle + 1, high)
    return low


def _hit_rank_sentence(law: HitRankLaw, rank: int | None) -> str:
    average = f"Hit {law.j:,} comes at rank {format_number(law.mean)} on average"
    if rank is None:
        return f"{average} (standard deviation {format_number(law.standard_deviation)})."
    at, by = format_number(law.probability(rank)), describe_probability(law.lower_tail(rank))
    return (
        f"{average}. The probability is {at} for exactly rank {rank:,} and {by} for rank {rank:,} or earlier."
    )


def _hit_rank_grid(law: HitRankLaw, rank: int | None) -> Grid:
    heads = make_columns("rank k/count", f"P(T_{law.j} = k)", f"P(T_{law.j} ≤ k)", default="probability")
    ranks = _shown_ranks(law, rank)
    rows = tuple((k, law.probability(k), law.lower_tail(k).p_value) for k in ranks)
    first, last = law.range
    note = "" if len(ranks) > last - first else f"{len(ranks)} of the {last - first + 1:,} possible ranks"
    return Grid(f"Rank T_{law.j} of hit {law.j:,}", heads, rows, note)


def _hit_rank_numbers(law: HitRankLaw, rank: int | None) -> dict[str, object]:
    ranks = _shown_ranks(law, rank)
    probability = None if rank is None else law.probability(rank)
    return _moments(law) | {
        "hit": law.j,
        "rank": rank,
        "probability": probability,
        "at_most": None if rank is None else test_result_to_dict(law.lower_tail(rank)),
        "ranks": ranks,
        "probabilities": [law.probability(k) for k in ranks],
    }
