"""The verdict on decisions, in sentences a manager understands."""

from __future__ import annotations

import math

from edgeworth.inference import DecisionFindings, Estimate
from edgeworth.reports.wording import MINUS, about, interval_decimals, level_said, odds_of_chance, percent


def decisions_verdict(findings: DecisionFindings) -> str:
    """How informed, how sure, could it be guessing, what would settle it, what it is worth."""
    if findings.informedness.undefined is not None:
        return f"Cannot be judged: {findings.informedness.undefined}. {_what_to_do(findings)}"
    sentences = [_how_informed(findings), _could_it_be_guessing(findings)]
    return " ".join(
        sentence for sentence in [*sentences, _what_would_settle(findings), _worth(findings)] if sentence
    )


def _what_to_do(findings: DecisionFindings) -> str:
    if (findings.table.real > 0).sum() > 1:
        return "Are these the right columns? If the predictions are clusters, ew.match names them."
    return "A predictor shows what it knows only where there is something to tell apart."


def _how_informed(findings: DecisionFindings) -> str:
    estimate, level = findings.informedness, findings.level
    decided = findings.decided
    if decided is not None and decided.undefined is None:
        share = percent(float(findings.table.total / findings.table.cells.sum()))
        return (
            f"Decides {share} of the cases. On those it {_judged(decided, findings)}. "
            f"Over all cases, that is {_with_interval(estimate, level)}."
        )
    said = _judged(estimate, findings)
    return f"{said[0].upper()}{said[1:]}."


def _judged(estimate: Estimate, findings: DecisionFindings) -> str:
    said = _with_interval(estimate, findings.level)
    if estimate.value >= 0:
        share, _, interval = said.partition(" ")
        return (
            f"does as well as one who knows the answer {share} of the time and guesses otherwise {interval}"
        )
    if not findings.is_settled:
        return f"shows no information: informedness {said}"
    if len(findings.table.labels) == 2:
        value, _, interval = said.partition(" ")
        return (
            f"does worse than guessing: informedness {value} {interval}, as of one who knows the answer "
            f"{value.removeprefix(MINUS)} of the time and then says the opposite"
        )
    return f"does worse than guessing: informedness {said}"


def _with_interval(estimate: Estimate, level: float) -> str:
    low, high = estimate.interval(level)
    decimals = interval_decimals(low, high)
    bounds = f"{percent(low, decimals)} to {percent(high, decimals)}"
    return f"{percent(estimate.value, decimals)} ({level_said(level)} interval {bounds})"


def _could_it_be_guessing(findings: DecisionFindings) -> str:
    better = findings.informedness.value >= 0
    tail = findings.at_least
    if tail is None:
        p_value = findings.informedness.p_value()
        said = f"by the interval's own law, p = {p_value:.2g}"
        return (
            f"Guessing is ruled out at this level ({said})."
            if findings.is_settled
            else f"It cannot be told from guessing ({said})."
        )
    if findings.either_way is not None and not findings.is_settled:
        if not better:
            return "It cannot be told from guessing."
        return f"But guessing would do this {odds_of_chance(tail.p_value)}: it cannot be told from guessing."
    if better:
        said = odds_of_chance(tail.p_value)
        at_most = "at most " if tail.low == 0 and said.startswith("once") else ""
        return f"Guessing would do this {at_most}{said}."
    return (
        f"Guessing would be this far off {odds_of_chance(findings.either_way.p_value)}."
        if findings.either_way
        else ""
    )


def _what_would_settle(findings: DecisionFindings) -> str:
    if findings.is_settled:
        return ""
    more = findings.plan.more
    if not math.isfinite(more):
        return "No number of cases would show an edge that is not there."
    if more <= 0:
        return ""
    power = percent(findings.plan.power)
    return f"If the edge is real and of this size, {about(more)} more cases would show it ({power} power)."


def _worth(findings: DecisionFindings) -> str:
    margin = findings.payoffs.break_even_margin
    if margin > 0.00005:
        decimals = 0 if margin >= 0.02 else 2
        said = percent(margin, decimals)
        return f"A unit bet on each prediction breaks even against a house margin of {said}."
    if margin < -0.00005:
        return "A unit bet on each prediction loses even at fair odds."
    return "A unit bet on each prediction just breaks even at fair odds."
