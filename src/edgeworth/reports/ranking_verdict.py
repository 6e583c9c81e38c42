"""The verdict on a ranking, or on many lists, in sentences a manager understands."""

from __future__ import annotations

from edgeworth.inference import Estimate, ListFindings, RankingFindings, Tail
from edgeworth.reports.wording import about, level_said, number_said, plural


def ranking_verdict(findings: RankingFindings) -> str:
    """What is found, how good that is, could it be chance, and what would settle it."""
    precision = findings.average_precision
    if precision.undefined is not None:
        return f"Cannot be judged: {precision.undefined}."
    sentences = [
        f"{_found(findings)}; average precision {with_interval(precision, findings.level)}.",
        _against_chance(findings),
        _what_would_settle(findings),
        _worth(findings),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _found(findings: RankingFindings) -> str:
    look, ranking = findings.look, findings.ranking
    hits, targets = (number_said(x) for x in (look.hits, float(ranking.target_total)))
    word = plural(ranking.target_total, "target")
    return f"Finds {hits} of {targets} {word} in the first {min(look.depth, ranking.ranked_total):,}"


def with_interval(estimate: Estimate, level: float) -> str:
    """.520 (95% interval .410 to .630)."""
    if estimate.law is None:
        return f"{share_said(estimate.value)} (no interval: {estimate.no_interval})"
    low, high = estimate.interval(level)
    return (
        f"{share_said(estimate.value)} ({level_said(level)} interval {share_said(low)} to {share_said(high)})"
    )


def share_said(value: float) -> str:
    """A share with the digits that matter: .52, .520, .0052."""
    text = f"{value:.3f}" if value >= 0.0995 or value == 0 else f"{value:.2g}"
    return text[1:] if text.startswith("0.") and "e" not in text else text


def _against_chance(findings: RankingFindings) -> str:
    precision, tail = findings.average_precision, findings.tail
    mean = f"which reaches {share_said(precision.chance)} on average"
    if tail is None:
        return _by_the_interval(findings, mean)
    said = probability_words(tail)
    if findings.is_better:
        if findings.is_settled:
            return f"Random selection, {mean}, would do as well with probability {said}."
        return (
            f"But random selection, {mean}, would do as well with probability {said}: "
            "it cannot be told from chance."
        )
    if findings.is_settled:
        return f"That is worse than random selection, {mean}, and would do as badly with probability {said}."
    return f"Random selection, {mean}, would do as badly with probability {said}: nothing shows but chance."


def _by_the_interval(findings: RankingFindings, mean: str) -> str:
    if findings.average_precision.law is None:
        return f"Random selection, {mean}, cannot be tested here."
    said = "is ruled out" if findings.is_settled else "is not ruled out"
    return f"Random selection, {mean}, {said} by the interval."


def probability_words(tail: Tail) -> str:
    """A tail as people say it: never 0, and "below" where only a bound is known or it hardly matters."""
    value = tail.p_value
    if value < 1e-12:
        return "below 1e-12"
    text = f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}".replace("e-0", "e-")
    if tail.kind == "bound" or (tail.kind == "drawn" and tail.low == 0):
        return f"below {text}"
    return text if tail.kind in ("exact", "bracket") else f"about {text}"


def _what_would_settle(findings: RankingFindings) -> str:
    more = findings.plan.more
    if findings.is_settled or not 0 < more < float("inf"):
        return ""
    return f"If the ranking is as good as it looks, about {about(more)} more items would show it (80% power)."


def _worth(findings: RankingFindings) -> str:
    worth = findings.worth
    if worth is None:
        return ""
    terms = f"With a gain of {worth.gain:g} a hit and a cost of {worth.cost:g} a look"
    if worth.best_depth == 0:
        return f"{terms}, looking never pays."
    return f"{terms}, the best depth of this list is {worth.best_depth:,.0f}, worth {worth.best_value:,.2f}."


def lists_verdict(findings: ListFindings) -> str:
    """The mean over lists, its interval, how lists differ, and chance."""
    headline = findings.headline
    if headline.undefined is not None:
        return f"Cannot be judged: {headline.undefined}."
    low, middle, high = (share_said(value) for value in findings.spread)
    lists = f"{findings.counted:,} {plural(findings.counted, 'list')}"
    first = (
        f"Mean {_name(headline.measure)} {with_interval(headline, findings.level)} over {lists}; "
        f"single lists range from {low} to {high}, half of them above {middle}."
    )
    return " ".join(part for part in (first, _lists_against_chance(findings)) if part)


def _name(spelling: str) -> str:
    return spelling.split("(")[0].replace("_", " ")


def _lists_against_chance(findings: ListFindings) -> str:
    if findings.tail is None:
        return ""
    mean = share_said(findings.headline.chance)
    said = probability_words(findings.tail)
    return (
        f"Random orders of the same lists, with {mean} on average, would do as well with probability {said}."
    )
