"""The verdict on decisions, in sentences a manager understands."""

from __future__ import annotations

import math

from edgeworth import __version__
from edgeworth.core.formatting import (
    format_count,
    format_number,
    format_p_value,
    format_percent,
    plural,
    shorten,
)
from edgeworth.core.labels import looks_missing
from edgeworth.decisions.findings import DecisionFindings, weakest_class
from edgeworth.decisions.table import ContingencyTable
from edgeworth.report.verdict import Claim, Strength, Verdict, estimate_numbers
from edgeworth.report.wording import (
    MIN_CASES_TO_SUSPECT,
    describe_constant,
    describe_estimate,
    describe_odds,
    describe_p_value,
    describe_plan,
    describe_test,
)
from edgeworth.sources.columns import Label


def decisions_verdict(findings: DecisionFindings, name: str = "") -> Verdict:
    """Write the verdict: informedness with its interval, chance, and the next step; bets where asked for."""
    if findings.informedness.undefined is not None:
        why = f"{name or 'This'} cannot be judged: {findings.informedness.undefined}. "
        if (findings.table.real > 0).sum() > 1:
            why += "Are these the right columns? If they are clusters, match them (--match one, ew.match)."
        else:
            why += "At least two classes must occur."
        return Verdict([Claim("informedness", why, "undefined")])
    writers = (_chance, _sample_size, _weakest_class, _bets)
    return Verdict([_informedness(findings, name), *(write(findings) for write in writers)])


def _informedness(findings: DecisionFindings, name: str) -> Claim:
    estimate, level, decided = findings.informedness, findings.level, findings.decided
    who = f"{name} informedness" if name else "Informedness"
    said = f"{who} {describe_estimate(estimate, level)}{_reading(findings)}."
    share = format_percent(findings.coverage.value)
    if decided is not None and decided.undefined is None:
        there = describe_estimate(decided, level)
        said += f" It answers {share} of cases; on those, informedness is {there}."
    if findings.is_of_decided:
        said += f" Only answered cases are judged, {share} of all."
    strength: Strength = "shown" if findings.is_conclusive else "not shown"
    return Claim("informedness", said, strength, estimate_numbers(estimate, level), str(estimate.method))


def _reading(findings: DecisionFindings) -> str:
    """Say what the value means, as far as it is shown."""
    value = findings.informedness.value
    if findings.informedness.law is not None and not findings.is_conclusive:
        if findings.association is None:
            return ": no significant difference from guessing"
        square, tail = findings.association
        return (
            ": no significant difference from guessing on average, though predictions and outcomes are "
            f"related (χ² = {format_count(round(square))}, {describe_p_value(tail)}): some labels are "
            "systematically confused"
        )
    share = format_percent(abs(value), 0 if abs(value) >= 0.02 else 1)
    if value == 1:
        return ": every case is right"
    if value >= 0:
        return f": as good as knowing the answer {share} of the time and guessing the rest"
    if ((findings.table.real > 0) | (findings.table.predicted > 0)).sum() == 2:
        return f": worse than guessing, as if it knew the answer {share} of the time and gave the opposite"
    return ": worse than guessing"


def _chance(findings: DecisionFindings) -> Claim:
    estimate, better = findings.informedness, findings.informedness.value >= 0
    strength: Strength = "shown" if findings.is_conclusive else "not shown"
    tail = findings.at_least if better else findings.either_way
    if tail is None:
        if estimate.law is None:
            why = f"Nothing can be said about chance: {estimate.no_interval}."
            return Claim("chance", why, "undefined")
        said = f"Test of the interval against guessing: {format_p_value(estimate.p_value())}."
        return Claim("chance", said, strength, {"p_value": estimate.p_value()}, str(estimate.method))
    how = "doing this well" if better else "being this far off"
    is_significant, both = findings.is_significant, findings.either_way
    rough = "" if is_significant or findings.interval_includes_0 else "; the interval is approximate"
    said = f"Chance of {how} by guessing: {describe_odds(tail)} ({describe_test(tail)}{rough})."
    if not is_significant and both is not None and tail.p_value <= 1 - findings.level:
        tail, said = both, f"Test against guessing: two-sided {describe_test(both)}{rough}."
    if is_significant != findings.is_conclusive:
        why = (
            "The interval includes 0"
            if findings.interval_includes_0
            else "Clusters are too few or too unequal"
        )
        said += f" {why}, so the evidence is not conclusive."
    return Claim("chance", said, strength, {"p_value": tail.p_value}, tail.method)


def _sample_size(findings: DecisionFindings) -> Claim | None:
    more = findings.plan.more
    if (
        findings.table.matching is not None
        or findings.is_conclusive
        or findings.informedness.law is None
        or not 0 < more < math.inf
    ):
        return None
    units, power = "cases" if findings.table.is_counted else "cases of equal weight", findings.plan.power
    said = describe_plan(findings.plan, units, "informedness")
    return Claim("sample size", said, "advised", {"more_cases": more, "power": power})


def _weakest_class(findings: DecisionFindings) -> Claim | None:
    """Name the class that is recognised least, if its recall is shown to be below that of the others."""
    if not findings.is_conclusive or findings.informedness.value < 0:
        return None
    found = weakest_class(findings)
    if found is None:
        return None
    test = "intervals apart" if found.p_value is None else format_p_value(found.p_value)
    text = (
        f"Weakest class: {shorten(str(found.label), 40)} (recall {format_number(found.recall)}, "
        f"{format_number(found.others)} in the other classes; {test}, adjusted for {found.classes} classes; "
        f"{format_count(found.cases)} cases)."
    )
    numbers = {"recall": found.recall, "recall_of_others": found.others}
    if found.p_value is not None:
        numbers["p_value"] = found.p_value
    return Claim("weakest class", text, "advised", numbers, "recall")


def _bets(findings: DecisionFindings) -> Claim | None:
    money = findings.payoffs
    if not (findings.shows_bets or money.overround or money.commission):
        return None
    numbers = {"unit_return": money.unit_return, "break_even_margin": money.break_even_margin}
    if money.overround or money.commission:
        gain = "gains" if money.unit_return >= 0 else "loses"
        share = format_percent(abs(money.unit_return), 1)
        said = f"At this house's terms a unit bet on each prediction {gain} {share}."
        return Claim("bets", said, "estimated", numbers)
    margin = money.break_even_margin
    if margin > 1:
        said = "A unit bet on each prediction gains at any house margin up to 100%."
    elif margin > 0.00005:
        share = format_percent(margin, 0 if margin >= 0.02 else 2)
        said = f"A unit bet on each prediction breaks even against a house margin of {share}."
    else:
        how = "loses even" if margin < -0.00005 else "just breaks even"
        said = f"A unit bet on each prediction {how} at fair odds."
    return Claim("bets", said, "estimated", numbers)


def decisions_citation(findings: DecisionFindings) -> str:
    """Write the sentence for a paper or a model card."""
    estimate, table = findings.informedness, findings.table
    if estimate.undefined is not None:
        return ""
    classes = int((table.actual > 0).sum())
    said = [f"informedness {describe_estimate(estimate, findings.level)}", str(estimate.method)]
    if findings.either_way is not None:
        tail = findings.either_way
        against = f"against guessing with the same margins ({tail.method})"
        said.append(f"two-sided {describe_p_value(tail)} {against}")
    said.append(f"n = {_sizes(findings)}, {classes} classes")
    return f"{'; '.join(said)}; Edgeworth {__version__}."


def _sizes(findings: DecisionFindings) -> str:
    """Write the number of cases that the value is over, and how many of them were decided."""
    table = findings.table
    decided = format_count(float(table.total))
    if table.abstained.any():
        return f"{format_count(float(table.cells.sum()))} cases, {decided} of them with a decision"
    if findings.is_of_decided:
        return f"{decided} cases with a decision, {format_percent(findings.coverage.value)} of all"
    return decided


FEW = 10


def decision_warnings(findings: DecisionFindings) -> tuple[str, ...]:
    """Write the warnings, one sentence each."""
    table = findings.table
    said = []
    if table.dropped:
        said.append(f"{table.dropped:,} rows with a missing value were dropped.")
    if (table.predicted > 0).sum() == 1 and table.cells.sum() >= MIN_CASES_TO_SUSPECT:
        (only,) = (label for label, number in zip(table.labels, table.predicted, strict=True) if number > 0)
        said.append(describe_constant("The prediction", shorten(str(only), 40)))
    suspicious = ", ".join(repr(str(label)) for label in table.labels if looks_missing(label))
    if suspicious:
        said.append(f"The label {suspicious} looks like a missing value; it counts as a label.")
    unreal, share = findings.never_real
    if unreal:
        plain = {str(x).strip().casefold(): x for x in table.labels if x not in unreal}
        alike = {x: plain.get(str(x).strip().casefold()) for x in unreal}
        pairs = [f"{x!r} and {other!r}" for x, other in alike.items() if other is not None]
        advice = (
            "they have no fair odds, informedness is over the other labels, and such bets only lose. If one "
            "of them means no decision, say so (--abstain)."
        )
        if pairs:
            advice = f"{_some(pairs)} differ only in case or spaces. Write them alike and evaluate again."
        never = f"labels that never occur ({_some([str(label) for label in unreal])})"
        said.append(f"{format_percent(share, 1)} of the predictions are {never}: {advice}")
    cases = zip(table.labels, table.real.tolist(), strict=True)
    rare = [f"{label} ({format_count(float(number))})" for label, number in cases if 0 < number < FEW]
    if rare:
        cases_of = "cases with a decision" if table.abstained.any() else "cases"
        said.append(
            f"Fewer than {FEW} {cases_of} of a class make intervals wide and approximate: {_some(rare)}."
        )
    if table.matching is not None:
        said.append(
            "Labels were matched to classes so as to make informedness as large as possible, which flatters "
            "it: the test matches guesses in the same way, intervals do not."
        )
    bad = findings.superstitious
    if len(bad) == len(table.labels):
        said.append("Every label does worse than guessing: are labels exchanged, or columns?")
    elif bad:
        named = [f"{label} ({_edge_and_p(findings, label)})" for label in bad]
        tested = len(findings.worse_than_guessing)
        said.append(
            f"Predictions of {_some(named)} do worse than guessing: superstitious labels (one-sided tests, "
            f"Holm's correction for {tested} labels). They were found on these cases: leaving them out gains "
            "less on new ones."
        )
    if not table.is_counted:
        said.append(weights_warning(findings.table))
    if findings.informedness.caveat is not None:
        said.append(
            f"{findings.informedness.caveat.capitalize()}: coverage may be below "
            f"{format_percent(findings.level)}, and nothing is concluded. Collect more clusters of like size."
        )
    if table.clusters is not None:
        number = table.clusters.number
        rest = f"{number:,} {plural(number, 'cluster')}{', which is few' if number < 20 else ''}"
        said.append(f"Rows of one cluster may be alike, which intervals allow for: they rest on {rest}.")
    shown, labels = len(findings.labels), len(table.labels)
    if labels > shown:
        said.append(f"Only the {shown} most frequent of {labels:,} labels are shown singly.")
    return tuple(said)


def weights_warning(table: ContingencyTable) -> str:
    """Say what weights, or counts that are not whole, do to tests."""
    if not table.counts_alike:
        size = f"{table.effective_size:,.0f}"
        return f"By their weights the rows tell as much as {size} equal ones; no test is exact."
    if (table.cells == table.cells.round()).all():
        return "The weights are fractions by their type, so exact tests are left out; do they count cases?"
    return "The counts are not whole numbers: each unit is taken as one case, and exact tests are left out."


def describe_labels_below_0(findings: DecisionFindings) -> tuple[str, ...]:
    """Say that labels with a negative edge may be luck, if no label is shown to be worse than guessing."""
    edges = {label: ests[3].value for label, ests in findings.labels.items() if len(findings.labels) > 2}
    tested = {label for label, p in findings.worse_than_guessing.items() if not math.isnan(p)}
    below = [label for label, value in edges.items() if value < 0 and label in tested]
    if findings.superstitious or not below:
        return ()
    least = min(findings.worse_than_guessing[label] for label in below)
    number = f"{len(below)} of {len(edges)} labels {'has' if len(below) == 1 else 'have'} an edge below 0"
    return (
        f"{number}, but none does significantly worse than guessing: no label is superstitious (smallest "
        f"{format_p_value(least)}, one-sided with Holm's correction).",
    )


def _edge_and_p(findings: DecisionFindings, label: Label) -> str:
    """Write the edge of a label and the p-value of its test."""
    p_value = format_p_value(findings.worse_than_guessing[label])
    if label not in findings.labels:
        return p_value
    return f"edge {format_number(findings.labels[label][3].value)}, {p_value}"


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
