"""The verdict on a ranking, or on many lists, in sentences a manager understands."""

from __future__ import annotations

import math

from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_count, format_level, format_number, format_rounded, plural
from edgeworth.rankings.findings import ListFindings, RankingFindings
from edgeworth.report.wording import describe_measure, describe_probability, format_option


def ranking_verdict(findings: RankingFindings) -> str:
    """What is found, how good that is, could it be chance, and what would settle it."""
    precision = findings.average_precision
    if precision.undefined is not None:
        return f"Cannot be judged: {precision.undefined}."
    if not findings.ranking.background.total:
        return "Cannot be judged: every ranked item is a target, so every order is as good as any other."
    good = f"verage precision {with_interval(precision, findings.level)}."
    sentences = [
        f"A{good}" if findings.looks_at_all else f"{_found(findings)}; a{good}",
        _against_chance(findings, "Random selection"),
        _what_would_settle(findings),
        _worth(findings),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _found(findings: RankingFindings) -> str:
    look, ranking = findings.look, findings.ranking
    hits, targets = (format_count(x) for x in (look.hits, float(ranking.target_total)))
    word = plural(ranking.target_total, "target")
    chance = f"{look.by_chance:,.0f}" if look.by_chance >= 10 else f"{look.by_chance:.1f}"
    return f"Finds {hits} of {targets} {word} in the first {look.depth:,} ({chance} by chance)"


def with_interval(estimate: Estimate, level: float) -> str:
    """Write 0.520 (95% interval 0.410 to 0.630)."""
    if estimate.law is None:
        return f"{format_number(estimate.value)} (no interval: {estimate.no_interval})"
    low, high = (format_number(bound) for bound in estimate.interval(level))
    return f"{format_number(estimate.value)} ({format_level(level)} interval {low} to {high})"


def _against_chance(findings: RankingFindings | ListFindings, who: str) -> str:
    """What random order would do, and whether that leaves any doubt at the level, either way."""
    headline, tail = findings.headline, findings.tail
    mean = f"{who}, which reaches {format_number(headline.chance)} on average,"
    if tail is None:
        return _by_the_interval(findings, mean)
    said = describe_probability(tail)
    if findings.is_conclusive:
        if findings.is_better:
            return f"{mean} would do as well with probability {said}."
        return f"That is worse than chance: {mean.lower()} would do as badly with probability {said}."
    how, end = ("well", "it") if findings.is_better else ("badly", "the order")
    twice = " (twice that, either way)" if tail.p_value < 1 - findings.level else ""
    doubt = f"with probability {said}{twice}: {end} cannot be told from chance."
    return f"But {mean.lower()} would do as {how} {doubt}"


def _by_the_interval(findings: RankingFindings | ListFindings, mean: str) -> str:
    if findings.headline.law is None or math.isnan(findings.headline.chance):
        return ""
    said = "is ruled out" if findings.is_conclusive else "is not ruled out"
    return f"{mean} {said} by the interval."


def _what_would_settle(findings: RankingFindings) -> str:
    more = findings.plan.more
    if findings.is_conclusive or not findings.is_better or not 0 < more < math.inf:
        return ""
    return (
        f"If the ranking is as good as it looks, about {format_rounded(more)} more items would show it "
        "(80% power)."
    )


def _worth(findings: RankingFindings) -> str:
    worth = findings.worth
    if worth is None:
        return ""
    terms = (
        f"With a gain of {format_option(worth.gain)} a hit and a cost of {format_option(worth.cost)} a look"
    )
    if worth.best_depth == 0:
        return f"{terms}, looking never pays."
    best = f"{worth.best_depth:,.0f}, worth {format_number(worth.best_value)}"
    return f"{terms}, the best depth of this list is {best}."


def lists_verdict(findings: ListFindings) -> str:
    """The mean over lists, its interval, how lists differ, and chance."""
    headline = findings.headline
    if headline.undefined is not None:
        return f"Cannot be judged: {headline.undefined}."
    number = findings.counted
    first = (
        f"Mean {describe_measure(headline.measure)} {with_interval(headline, findings.level)} "
        f"over {number:,} {plural(number, 'list')}{_range(findings)}."
    )
    if not findings.lists.is_whole:
        return first
    return f"{first} {_against_chance(findings, 'A random order of each list')}"


def _range(findings: ListFindings) -> str:
    low, middle, high = (format_number(value) for value in findings.spread)
    if low == high:
        return ""
    return f"; single lists range from {low} to {high}, half of them at {middle} or above"
