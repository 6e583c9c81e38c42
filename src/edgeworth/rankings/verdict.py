"""The verdict on a ranking, or on the lists of many queries, in plain sentences."""

from __future__ import annotations

import math

from edgeworth import __version__
from edgeworth.core.formatting import format_count, format_number, plural
from edgeworth.core.sampling_distributions import alpha_of
from edgeworth.rankings.findings import ListFindings, RankingFindings
from edgeworth.report.verdict import Claim, Strength, Verdict, estimate_numbers
from edgeworth.report.wording import (
    describe_estimate,
    describe_measure,
    describe_odds,
    describe_p_value,
    describe_plan,
    describe_test,
    format_option,
    p_value_cell,
)


def ranking_verdict(findings: RankingFindings, name: str = "") -> Verdict:
    """Write the verdict: how good, what the top finds, chance, the next step, and what a depth is worth."""
    precision, reason = findings.average_precision, None
    if precision.undefined is not None:
        reason = precision.undefined
    elif not findings.ranking.background.total:
        reason = "every ranked item is a target, so all orders are equally good"
    if reason is not None:
        return Verdict(
            [Claim("average_precision", f"{name or 'This'} cannot be judged: {reason}.", "undefined")]
        )
    subject = f"Average precision of {name}:" if name else "Average precision"
    return Verdict(
        [
            _quality(findings, subject),
            _top(findings),
            _chance(findings),
            _sample_size(findings),
            _worth(findings),
        ]
    )


def _quality(findings: RankingFindings | ListFindings, subject: str, over: str = "") -> Claim:
    headline = findings.headline
    chance = ""
    if not math.isnan(headline.chance):
        chance = f"; chance level {format_number(headline.chance)}"
        if not findings.is_conclusive and (headline.law is not None or not findings.is_significant):
            chance += ", no significant difference"
        elif findings.is_conclusive and not findings.is_better:
            chance += ": worse than chance"
    sentence = f"{subject} {describe_estimate(headline, findings.level)}{over}{chance}."
    numbers = {**estimate_numbers(headline, findings.level), "chance": headline.chance}
    return Claim(headline.measure, sentence, _strength(findings), numbers, str(headline.method or ""))


def _strength(findings: RankingFindings | ListFindings) -> Strength:
    return "shown" if findings.is_conclusive else "not shown"


def _top(findings: RankingFindings) -> Claim | None:
    """Write how many targets are at the top of the list, unless that is the whole list."""
    if findings.takes_whole_list:
        return None
    top, ranking = findings.at_verdict_depth, findings.ranking
    hits, targets = (format_count(x) for x in (top.hits, float(ranking.target_total)))
    chance = f"{top.by_chance:,.0f}" if top.by_chance >= 10 else f"{top.by_chance:.1f}"
    word = plural(ranking.target_total, "target")
    of_all = format_count(float(ranking.total))
    sentence = (
        f"The top {top.depth:,} of {of_all} holds {hits} of {targets} {word} ({chance} expected by chance)."
    )
    return Claim(
        "hits", sentence, "estimated", {"depth": top.depth, "hits": top.hits, "chance": top.by_chance}
    )


def _chance(findings: RankingFindings | ListFindings) -> Claim | None:
    """Write how often random order does as well, or as badly, and whether the interval agrees."""
    headline, tail = findings.headline, findings.tail
    if tail is None:
        if headline.law is None or math.isnan(headline.chance):
            return None
        sentence = f"The interval {'excludes' if findings.is_conclusive else 'includes'} the chance level."
        return Claim("chance", sentence, _strength(findings), {}, str(headline.method or ""))
    adverb = "well" if findings.is_better else "badly"
    twice = ""
    # Readers take a p-value of exactly 0.05 for significant too, so the two-sided one is printed.
    if not findings.is_significant and tail.p_value <= alpha_of(findings.level):
        twice = f"; two-sided p = {format_number(2 * tail.p_value)}"
    odds = f"{describe_odds(tail)} ({describe_test(tail)}{twice})"
    sentence = f"Chance of ranking this {adverb} at random: {odds}."
    if findings.is_significant and not findings.is_conclusive:
        sentence += " The interval includes the chance level, so the evidence is not conclusive."
    return Claim("chance", sentence, _strength(findings), {"p_value": p_value_cell(tail)}, tail.method)


def _sample_size(findings: RankingFindings) -> Claim | None:
    more = findings.plan.more
    if findings.is_conclusive or not findings.is_better or not 0 < more < math.inf:
        return None
    sentence = describe_plan(findings.plan, "items", "an average precision")
    return Claim("sample size", sentence, "advised", {"more_items": more, "power": findings.plan.power})


def _worth(findings: RankingFindings) -> Claim | None:
    worth = findings.worth
    if worth is None:
        return None
    gain, cost = format_option(worth.gain), format_option(worth.cost)
    terms = f"At a gain of {gain} per target found and a cost of {cost} per item reviewed"
    if worth.best_depth == 0:
        sentence = f"{terms}, reviewing never pays."
    else:
        best = f"{worth.best_depth:,.0f}, worth {format_number(worth.best_value)}"
        sentence = f"{terms}, the best depth is {best} (measured on the same data; optimistic)."
    return Claim("worth", sentence, "estimated", {"depth": worth.best_depth, "value": worth.best_value})


def lists_verdict(findings: ListFindings) -> Verdict:
    """Write the verdict on many queries: the mean and its interval, how queries differ, and chance."""
    headline = findings.headline
    if headline.undefined is not None:
        return Verdict(
            [Claim(headline.measure, f"This cannot be judged: {headline.undefined}.", "undefined")]
        )
    number = findings.counted
    over = f" over {number:,} {plural(number, findings.unit)}"
    quality = _quality(findings, f"Mean {describe_measure(headline.measure)}", over)
    return Verdict([quality, _range(findings), _chance(findings) if findings.lists.is_whole else None])


def _range(findings: ListFindings) -> Claim | None:
    low, middle, high = findings.spread
    if low == high:
        return None
    units = plural(2, findings.unit).capitalize()
    sentence = (
        f"{units} range from {format_number(low)} to {format_number(high)} (median {format_number(middle)})."
    )
    return Claim("range", sentence, "estimated", {"low": low, "median": middle, "high": high})


def rankings_citation(findings: RankingFindings | ListFindings) -> str:
    """Write the sentence for a paper or a model card."""
    headline = findings.headline
    if headline.undefined is not None:
        return ""
    measure = describe_measure(headline.measure)
    method = "" if headline.law is None else f", {headline.method}"
    parts = [f"{measure} {describe_estimate(headline, findings.level)}{method}"]
    if not math.isnan(headline.chance):
        parts.append(f"chance level {format_number(headline.chance)}")
    if findings.tail is not None:
        tail = findings.tail
        parts.append(f"one-sided {describe_p_value(tail)} against random order ({tail.method})")
    if isinstance(findings, ListFindings):
        parts.append(f"{findings.counted:,} {plural(findings.counted, findings.unit)}")
    else:
        ranking = findings.ranking
        targets = format_count(float(ranking.target_total))
        parts.append(f"n = {format_count(float(ranking.total))} with {targets} targets")
    return f"{'; '.join(parts)}; Edgeworth {__version__}."
