"""The verdict on decisions, in sentences a manager understands."""

from __future__ import annotations

import math

from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    MINUS,
    format_level,
    format_p_value,
    format_percent,
    format_rounded,
    interval_decimals,
    plural,
)
from edgeworth.core.labels import looks_missing
from edgeworth.core.tails import Tail
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.wording import describe_frequency


def decisions_verdict(findings: DecisionFindings) -> str:
    """Write the verdict: informedness with its interval, chance, sample size, and what bets would earn."""
    if findings.informedness.undefined is not None:
        return f"Cannot be judged: {findings.informedness.undefined}. {_remedy(findings)}"
    writers = (_informedness_sentence, _chance_sentence, _sample_size_sentence, _bets_sentence)
    return " ".join(filter(None, (write(findings) for write in writers)))


def _remedy(findings: DecisionFindings) -> str:
    if (findings.table.real > 0).sum() > 1:
        return "Are these the right columns? If the predictions are clusters, ew.match names them."
    return "A predictor shows what it knows only where there is something to tell apart."


def _informedness_sentence(findings: DecisionFindings) -> str:
    estimate, level = findings.informedness, findings.level
    decided = findings.decided
    if decided is not None and decided.undefined is None:
        share = format_percent(findings.coverage.value)
        return (
            f"Decides {share} of the cases. On those it {_describe_informedness(decided, findings)}. "
            f"Over all cases, that is {_value_and_interval(estimate, level)}."
        )
    said = _describe_informedness(estimate, findings)
    if findings.is_of_decided:
        share = format_percent(findings.coverage.value)
        return f"Only decided cases are judged, {share} of all. On those it {said}."
    return f"{said[0].upper()}{said[1:]}."


def _describe_informedness(estimate: Estimate, findings: DecisionFindings) -> str:
    said = _value_and_interval(estimate, findings.level)
    if estimate.value >= 0:
        share, _, interval = said.partition(" ")
        return (
            f"does as well as one who knows the answer {share} of the time and guesses otherwise {interval}"
        )
    if not findings.is_conclusive and estimate.law is not None:
        return f"shows no information: informedness {said}"
    if ((findings.table.real > 0) | (findings.table.predicted > 0)).sum() == 2:
        value, _, interval = said.partition(" ")
        return (
            f"does worse than guessing: informedness {value} {interval}, as of one who knows the answer "
            f"{value.removeprefix(MINUS)} of the time and then says the opposite"
        )
    return f"does worse than guessing: informedness {said}"


def _value_and_interval(estimate: Estimate, level: float) -> str:
    if estimate.law is None:
        return f"{format_percent(estimate.value)} (no interval)"
    low, high = estimate.interval(level)
    decimals = interval_decimals(low, high)
    bounds = f"{format_percent(low, decimals)} to {format_percent(high, decimals)}"
    return f"{format_percent(estimate.value, decimals)} ({format_level(level)} interval {bounds})"


def _chance_sentence(findings: DecisionFindings) -> str:
    better = findings.informedness.value >= 0
    tail = findings.at_least if better else findings.either_way
    if tail is None:
        return _interval_sentence(findings)
    said = _frequency(tail)
    if findings.is_conclusive:
        also = ""
        if findings.interval_includes_0:
            also = " (though the interval, made in another way, just holds 0)"
        return f"Guessing would {'do this' if better else 'be this far off'} {said}{also}."
    few = "" if findings.interval_includes_0 else " by the exact test, though the interval leaves 0 out"
    if not better:
        return f"It cannot be told from guessing{few}."
    return f"But guessing would do this {said}: it cannot be told from guessing{few}."


def _interval_sentence(findings: DecisionFindings) -> str:
    """Judge by the interval: with weights or clusters there is no exact test."""
    estimate = findings.informedness
    if estimate.law is None:
        return f"Whether guessing would do the same cannot be said: {estimate.no_interval}."
    said = f"by the interval's own law, {format_p_value(estimate.p_value())}"
    if findings.is_conclusive:
        return f"Guessing is ruled out at this level ({said})."
    return f"It cannot be told from guessing ({said})."


def _frequency(tail: Tail) -> str:
    if tail.kind == "drawn" and tail.low == 0:
        return f"less than once in {format_rounded(1 / tail.high)} tries"
    said = describe_frequency(tail.p_value)
    return f"at most {said}" if tail.kind == "bound" and said.startswith("once") else said


def _sample_size_sentence(findings: DecisionFindings) -> str:
    more = findings.plan.more
    if findings.is_conclusive or findings.informedness.law is None:
        return ""
    if not math.isfinite(more):
        return "No edge was seen, so there is no size to plan for."
    if more <= 0:
        return "A few more cases like these should settle it."
    power = format_percent(findings.plan.power)
    kind = "more cases" if findings.table.is_counted else "more cases of equal weight"
    return (
        f"If the edge is real and of this size, {format_rounded(more)} {kind} would show it ({power} power)."
    )


def _bets_sentence(findings: DecisionFindings) -> str:
    money = findings.payoffs
    if money.overround or money.commission:
        gain = "gains" if money.unit_return >= 0 else "loses"
        said = format_percent(abs(money.unit_return), 1)
        return f"At this house's terms a unit bet on each prediction {gain} {said}."
    margin = money.break_even_margin
    if margin > 0.00005:
        said = format_percent(margin, 0 if margin >= 0.02 else 2)
        return f"A unit bet on each prediction breaks even against a house margin of {said}."
    if margin < -0.00005:
        return "A unit bet on each prediction loses even at fair odds."
    return "A unit bet on each prediction just breaks even at fair odds."


FEW = 5


def decision_warnings(findings: DecisionFindings) -> tuple[str, ...]:
    """Write the warnings, one sentence each."""
    table = findings.table
    said = []
    if table.dropped:
        said.append(f"{table.dropped:,} rows with a missing value were dropped.")
    suspicious = [str(label) for label in table.labels if looks_missing(label)]
    if suspicious:
        said.append(
            f"The label {', '.join(map(repr, suspicious))} looks like a missing value; it counts as a label."
        )
    unreal, share = findings.never_real
    if unreal:
        said.append(
            f"{format_percent(share, 1)} of the predictions are of labels that are never real "
            f"({_some([str(label) for label in unreal])}): they have no fair odds, informedness is over "
            "the other labels, and such bets only lose. If one of them means no decision, say so (--abstain)."
        )
    rare = [str(x) for x, r in zip(table.labels, table.real, strict=True) if 0 < r < FEW]
    if rare:
        said.append(
            f"Fewer than {FEW} real cases of {_some(rare)}: their intervals are wide and approximate."
        )
    if findings.superstitious:
        said.append(
            f"Superstitious labels, worse than guessing by a test corrected for their number: "
            f"{_some([str(x) for x in findings.superstitious])}. Dropping them after having looked is a "
            "selection; the gain will be smaller on new cases."
        )
    if not table.is_counted:
        said.append(_weights_warning(findings))
    if table.clusters is not None:
        number = table.clusters.number
        said.append(
            f"Rows of one cluster are taken as alike: intervals rest on {number:,} "
            f"{plural(number, 'cluster')}{', which is few.' if number < 20 else '.'}"
        )
    if len(table.labels) > len(findings.labels):
        said.append(
            f"Only the {len(findings.labels)} most frequent of {len(table.labels):,} labels are shown singly."
        )
    return tuple(said)


def _weights_warning(findings: DecisionFindings) -> str:
    table = findings.table
    if not table.counts_alike:
        size = f"{table.effective_size:,.0f}"
        return f"Rows are weighted: they tell as much as {size} equal ones, and exact tests are left out."
    if (table.cells == table.cells.round()).all():
        return "The weights are fractions by their type, so exact tests are left out; do they count cases?"
    return "The counts are not whole numbers: each unit is taken as one case, and exact tests are left out."


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
