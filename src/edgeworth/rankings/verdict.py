"""The verdict on a ranking, or on the lists of many queries, in plain sentences."""

from __future__ import annotations

import math
from dataclasses import replace

from edgeworth import __version__
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_count, format_number, format_together, plural
from edgeworth.core.sampling_distributions import alpha_of
from edgeworth.rankings.findings import ListFindings, RankingFindings, number_of_targets
from edgeworth.report.verdict import Claim, Strength, Verdict, estimate_numbers
from edgeworth.report.wording import (
    describe_estimate,
    describe_measure,
    describe_odds,
    describe_p_value,
    describe_plan,
    describe_test,
    format_like,
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
    return Verdict(
        [
            _worth(findings),
            _quality(findings, name),
            _top(findings),
            _chance(findings),
            _sample_size(findings),
        ]
    )


def _quality(findings: RankingFindings | ListFindings, name: str, over: str = "") -> Claim:
    headline, level = findings.headline, findings.level
    what = f"{'mean ' if isinstance(findings, ListFindings) else ''}{describe_measure(headline.measure)}"
    chance = ""
    if math.isnan(headline.chance):
        start = f"{what[0].upper()}{what[1:]}{f' of {name}:' if name else ''}"
    else:
        start = f"{_conclusion(findings, name)}: {what}"
        chance = f"; chance level {_chance_level(headline, level)}"
    sentence = f"{start} {describe_estimate(headline, level)}{over}{chance}."
    numbers = {**estimate_numbers(headline, level), "chance": headline.chance}
    return Claim(headline.measure, sentence, _strength(findings), numbers, str(headline.method or ""))


def _conclusion(findings: RankingFindings | ListFindings, name: str) -> str:
    if not findings.is_conclusive:
        return f"No clear difference {f'between {name} and' if name else 'from'} random order"
    return f"{name or 'The ranking'} {'beats' if findings.is_better else 'does worse than'} random order"


def _chance_level(headline: Estimate, level: float) -> str:
    """Write the chance level with the decimals of the estimate, or enough to differ from its interval."""
    [text] = format_like(headline, level, headline.chance)
    if headline.law is not None and text in format_together(headline.value, *headline.interval(level)):
        return format_number(headline.chance)
    return text


def _strength(findings: RankingFindings | ListFindings) -> Strength:
    return "shown" if findings.is_conclusive else "not shown"


def _top(findings: RankingFindings) -> Claim | None:
    """Write how many targets are at the top of the list, unless that is the whole list."""
    if findings.takes_whole_list:
        return None
    top, ranking = findings.at_verdict_depth, findings.ranking
    targets = number_of_targets(ranking)
    reason = ""
    if findings.asked_depth is None and top.depth == targets:
        reason = " (as many as there are targets)"
    elif findings.asked_depth is None and top.depth < targets:
        reason = " (half of the list)"
    hits, target_total, items = (
        format_count(float(x)) for x in (top.hits, ranking.target_total, ranking.total)
    )
    chance = f"{top.by_chance:,.0f}" if top.by_chance >= 10 else f"{top.by_chance:.1f}"
    word = plural(ranking.target_total, "target")
    sentence = (
        f"The top {top.depth:,} of {items}{reason} holds {hits} of {target_total} {word}; {chance} "
        f"{plural(top.by_chance, 'is', 'are')} expected by chance."
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
    sentence = f"Chance of ranking this {adverb} at random: {describe_odds(tail)} ({describe_test(tail)})."
    # Readers take a p-value of exactly 0.05 for significant too, so the two-sided one is printed.
    if not findings.is_significant and tail.p_value <= alpha_of(findings.level):
        tail = replace(tail, p_value=min(1.0, 2 * tail.p_value))
        sentence = f"Test against random order: two-sided {describe_test(tail)}."
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
    terms = f"at a gain of {gain} per target found and a cost of {cost} per item reviewed"
    if worth.best_depth == 0:
        sentence = f"Review no item: {terms}, no depth pays."
    else:
        top = f"the top {worth.best_depth:,.0f} of {format_count(float(findings.ranking.total))}"
        best = f"worth {format_number(worth.best_value)} (measured on the same data; optimistic)"
        sentence = f"Review {top}: {terms}, that is {best}."
    return Claim("worth", sentence, "estimated", {"depth": worth.best_depth, "value": worth.best_value})


def lists_verdict(findings: ListFindings, name: str = "") -> Verdict:
    """Write the verdict on the queries of a run: the mean, how queries differ, and chance."""
    headline = findings.headline
    if headline.undefined is not None:
        return Verdict(
            [
                Claim(
                    headline.measure, f"{name or 'This'} cannot be judged: {headline.undefined}.", "undefined"
                )
            ]
        )
    number = findings.counted
    over = f" over {number:,} {plural(number, findings.unit)}"
    quality = _quality(findings, name, over)
    return Verdict([quality, _range(findings), _chance(findings) if findings.lists.is_whole else None])


def _range(findings: ListFindings) -> Claim | None:
    low, middle, high = findings.spread
    if low == high:
        return None
    units = plural(2, findings.unit).capitalize()
    texts = format_like(findings.headline, findings.level, low, high, middle)
    sentence = f"{units} range from {texts[0]} to {texts[1]} (median {texts[2]})."
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
