"""The verdict on decisions, in plain sentences."""

from __future__ import annotations

import math

from edgeworth import __version__
from edgeworth.core.formatting import (
    format_cases,
    format_count,
    format_number,
    format_p_value,
    format_percent,
    in_clusters,
    plural,
    shorten,
)
from edgeworth.core.labels import describe_look_alikes, find_look_alikes, looks_missing
from edgeworth.core.sampling_distributions import alpha_of
from edgeworth.decisions.findings import DecisionFindings, weakest_class
from edgeworth.decisions.policy import (
    MAX_CASES_PER_INTEGER_OF_REGRESSION,
    MIN_CLASS_CASES_WITHOUT_WARNING,
    MIN_CLUSTERS_WITHOUT_WARNING,
    MIN_INTEGERS_OF_REGRESSION,
)
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
    p_value_cell,
)
from edgeworth.sources.columns import Label

MAX_NAMES_LISTED = 5
"""The most names that a sentence lists."""


def decisions_verdict(findings: DecisionFindings, name: str = "") -> Verdict:
    """Write the verdict: informedness with its interval, chance, the next step, and bets if requested."""
    if findings.informedness.undefined is not None:
        text = f"{name or 'This'} cannot be judged: {findings.informedness.undefined}. "
        if (findings.table.real > 0).sum() > 1:
            real = [str(x) for x, n in zip(findings.table.labels, findings.table.real, strict=True) if n > 0]
            text += (
                f"The truth has {_list_some(real)}. Scores and probabilities need --score or --probability "
                "(score=, probabilities=), and clusters need --match one (ew.match)."
            )
        else:
            text += "At least two classes must occur."
        return Verdict([Claim("informedness", text, "undefined")])
    writers = (_chance, _sample_size, _weakest_class, _bets)
    return Verdict([_informedness(findings, name), *(write(findings) for write in writers)])


def _informedness(findings: DecisionFindings, name: str) -> Claim:
    estimate, level, decided = findings.informedness, findings.level, findings.decided
    strength: Strength = "shown" if findings.is_conclusive else "not shown"
    numbers = estimate_numbers(estimate, level)
    share = format_percent(findings.coverage.value)
    text = f"{_conclusion(findings, name)} {describe_estimate(estimate, level)} {_sample(findings.table)}"
    text += f"{_reading(findings)}."
    if findings.is_constant:
        cases = format_cases(findings.table.cells.sum().item()) if findings.table.counts_alike else "cases"
        text = f"{name or 'The predictor'} gives the same answer in all {cases}, so its informedness is 0."
    if decided is not None and decided.undefined is None:
        decided_text = describe_estimate(decided, level)
        text += f" It answers {share} of cases; on those, informedness is {decided_text}."
    if findings.is_of_decided:
        text += f" These are the answered cases, {share} of all."
    return Claim("informedness", text, strength, numbers, str(estimate.method))


def _conclusion(findings: DecisionFindings, name: str) -> str:
    """Write what is shown against guessing, to be read before the value."""
    estimate = findings.informedness
    if not findings.is_conclusive:
        if estimate.law is None:
            return f"Informedness of {name}:" if name else "Informedness"
        return f"No clear difference {f'between {name} and' if name else 'from'} guessing: informedness"
    if estimate.value == 1:
        return f"Every prediction{f' of {name}' if name else ''} is right: informedness"
    if estimate.value > 0:
        return (
            f"{name} beats guessing: informedness" if name else "The predictions beat guessing: informedness"
        )
    return f"{name or 'The predictor'} does worse than guessing: informedness"


def _sample(table: ContingencyTable) -> str:
    """Write the number of cases, or the effective sample size with sampling weights, and of clusters."""
    clusters = in_clusters(None if table.clusters is None else table.clusters.number)
    if not table.counts_alike:
        return f"with an effective sample size of {table.effective_size:,.0f}{clusters}"
    cases = float(table.cells.sum())
    return f"on {format_count(cases)} {plural(cases, 'case')}{clusters}"


def _reading(findings: DecisionFindings) -> str:
    """Describe what the value means, as far as the data show it."""
    value = findings.informedness.value
    if findings.informedness.law is not None and not findings.is_conclusive:
        if findings.association is None:
            return ""
        chi_square, test = findings.association
        return (
            ". Yet predictions and outcomes are related "
            f"(χ² = {format_count(round(chi_square))}, {describe_p_value(test)}): some labels are "
            "systematically confused"
        )
    share = format_percent(abs(value), 0 if abs(value) >= 0.02 else 1)
    if value == 1:
        return ""
    if value >= 0:
        return f", as good as knowing the answer in {share} of cases and guessing the rest"
    if ((findings.table.real > 0) | (findings.table.predicted > 0)).sum() == 2:
        return f", as if it knew the answer in {share} of cases and gave the opposite"
    return ""


def _chance(findings: DecisionFindings) -> Claim:
    estimate, better = findings.informedness, findings.informedness.value >= 0
    strength: Strength = "shown" if findings.is_conclusive else "not shown"
    test = findings.at_least if better else findings.either_way
    if test is None:
        if estimate.law is None:
            reason = f"No test against guessing: {estimate.no_interval}."
            return Claim("chance", reason, "undefined")
        text = f"Test against guessing (from the interval): {format_p_value(estimate.p_value())}."
        return Claim("chance", text, strength, {"p_value": estimate.p_value()}, str(estimate.method))
    event = "doing this well" if better else "being this far off"
    if findings.is_constant:
        text = f"It cannot be better than guessing ({describe_test(test)})."
        return Claim("chance", text, strength, {"p_value": p_value_cell(test)}, test.method)
    is_shown, two_sided = findings.is_significant, findings.either_way
    caveat = "" if is_shown or findings.interval_includes_0 else "; the interval is approximate"
    text = f"Chance of {event} by guessing: {describe_odds(test)} ({describe_test(test)}{caveat})."
    # Readers take a p-value of exactly 0.05 for significant too, so the two-sided one is printed.
    if not is_shown and two_sided is not None and test.p_value <= alpha_of(findings.level):
        test, text = two_sided, f"Test against guessing: two-sided {describe_test(two_sided)}{caveat}."
    if is_shown != findings.is_conclusive:
        reason = (
            "The interval includes 0"
            if findings.interval_includes_0
            else "The clusters are too few or too unequal"
        )
        text += f" {reason}, so the evidence is not conclusive."
    return Claim("chance", text, strength, {"p_value": p_value_cell(test)}, test.method)


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
    text = describe_plan(findings.plan, units, "informedness")
    return Claim("sample size", text, "advised", {"more_cases": more, "power": power})


def _weakest_class(findings: DecisionFindings) -> Claim | None:
    """Name the class that is recognised least, if its recall is shown to be below that of the others."""
    if not findings.is_conclusive or findings.informedness.value < 0:
        return None
    if findings.table.matching is not None:  # a class has a recall of 0 if no cluster was left for it
        return None
    weakest = weakest_class(findings)
    if weakest is None:
        return None
    test = "compared by intervals" if weakest.p_value is None else format_p_value(weakest.p_value)
    text = (
        f"Weakest class: {shorten(str(weakest.label), 40)}, with recall {format_number(weakest.recall)} "
        f"against {format_number(weakest.others)} in the other classes ({test}, adjusted for "
        f"{weakest.classes} classes; {format_count(weakest.cases)} cases)."
    )
    numbers = {"recall": weakest.recall, "recall_of_others": weakest.others}
    if weakest.p_value is not None:
        numbers["p_value"] = weakest.p_value
    return Claim("weakest class", text, "advised", numbers, "recall")


def _bets(findings: DecisionFindings) -> Claim | None:
    payoffs = findings.payoffs
    if not findings.shows_bets:
        return None
    numbers = {"unit_return": payoffs.unit_return, "break_even_margin": payoffs.break_even_margin}
    if payoffs.overround or payoffs.commission:
        verb = "gains" if payoffs.unit_return >= 0 else "loses"
        share = format_percent(abs(payoffs.unit_return), 1)
        text = f"At fair odds less the house's share, a unit bet on each prediction {verb} {share}."
        return Claim("bets", text, "estimated", numbers)
    gain, margin = payoffs.unit_return, payoffs.break_even_margin
    share, bet = (
        format_percent(abs(gain), 0 if abs(gain) >= 0.02 else 2),
        "a bet on each prediction, at odds that are fair for the share of its class,",
    )
    if abs(gain) < 0.00005:
        text = f"On these cases, {bet} just breaks even."
    elif gain < 0:
        text = f"On these cases, {bet} loses {share} of its stake on average."
    else:
        text = f"On these cases, {bet} gains {share} of its stake on average"
        text += f"; a house margin of {share} takes all of it." if margin < 1 else "."
    return Claim("bets", text, "estimated", numbers)


def decisions_citation(findings: DecisionFindings) -> str:
    """Write the sentence for a paper or a model card."""
    estimate, table = findings.informedness, findings.table
    if estimate.undefined is not None:
        return ""
    classes = int((table.actual > 0).sum())
    parts = [f"informedness {describe_estimate(estimate, findings.level)}", str(estimate.method)]
    if findings.either_way is not None:
        test = findings.either_way
        against = f"against guessing with the same margins ({test.method})"
        parts.append(f"two-sided {describe_p_value(test)} {against}")
    parts.append(f"n = {_sizes(findings)}, {classes} classes")
    return f"{'; '.join(parts)}; Edgeworth {__version__}."


def _sizes(findings: DecisionFindings) -> str:
    """Write the number of cases that the value is over, and how many of them were decided."""
    table = findings.table
    clusters = in_clusters(None if table.clusters is None else table.clusters.number)
    decided = format_count(float(table.total)) + clusters
    if table.abstained.any():
        return f"{format_count(float(table.cells.sum()))} cases, {decided} of them with a decision"
    if findings.is_of_decided:
        return f"{decided} cases with a decision, {format_percent(findings.coverage.value)} of all"
    return decided


def looks_like_regression(table: ContingencyTable) -> bool:
    """Return whether truth and predictions are integers that hardly repeat and rarely agree."""
    kinds, predicted_kinds = int((table.real > 0).sum()), int((table.predicted > 0).sum())
    cases = float(table.counts.sum())
    return (
        kinds >= MIN_INTEGERS_OF_REGRESSION
        and cases < MAX_CASES_PER_INTEGER_OF_REGRESSION * min(kinds, predicted_kinds)
        and float(table.counts.diagonal().sum()) < cases / 2
        and all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in table.labels)
    )


def decision_warnings(findings: DecisionFindings) -> tuple[str, ...]:
    """Write the warnings, one sentence each."""
    table = findings.table
    warnings = []
    if table.dropped:
        rows = plural(table.dropped, "row", "rows")
        warnings.append(f"{table.dropped:,} {rows} with a missing value dropped.")
    if (table.predicted > 0).sum() == 1 and table.cells.sum() >= MIN_CASES_TO_SUSPECT:
        (only,) = (label for label, number in zip(table.labels, table.predicted, strict=True) if number > 0)
        warnings.append(describe_constant("The prediction", shorten(str(only), 40)))
    suspicious = ", ".join(repr(str(label)) for label in table.labels if looks_missing(label))
    if suspicious:
        warnings.append(
            f"{suspicious} looks like a missing value but counts as a label. If it is one, use --missing."
        )
    never_real, share = findings.never_real
    named_already: set[Label] = set()
    if never_real:
        real_spellings = {_fold(label): label for label in table.labels if label not in never_real}
        lookalikes = {x: real_spellings[_fold(x)] for x in never_real if _fold(x) in real_spellings}
        pairs = [f"{label!r} and {other!r}" for label, other in lookalikes.items()]
        named_already |= lookalikes.keys()
        advice = (
            "They count as wrong. If one of them means no decision, pass it to --abstain; if it is a "
            "spelling of another label, correct it."
        )
        if pairs:
            advice = (
                f"{_list_some(pairs)} differ only in case or spaces. Spell them alike and evaluate again."
            )
        absent = f"labels absent from the truth ({_list_some([str(label) for label in never_real])})"
        predictions = "All" if share == 1 else f"{format_percent(share, 1)} of"
        warnings.append(f"{predictions} predictions are {absent}. {advice}")
    if looks_like_regression(table):
        kinds = int((table.real > 0).sum())
        warnings.append(
            f"The truth has {kinds:,} different integers, which hardly repeat and are rarely predicted "
            "exactly. This looks like a regression, an amount or an identifier, not classes. For a "
            "regression use grade=, with a grade for each case that you make from its error."
        )
    if groups := find_look_alikes(label for label in table.labels if label not in named_already):
        warnings.append(describe_look_alikes(groups))
    cases = zip(table.labels, table.real.tolist(), strict=True)
    rare = [
        f"{label} ({format_count(float(number))})"
        for label, number in cases
        if 0 < number < MIN_CLASS_CASES_WITHOUT_WARNING
    ]
    if rare:
        cases_of = "cases with a decision" if table.abstained.any() else "cases"
        warnings.append(
            f"Some classes have fewer than {MIN_CLASS_CASES_WITHOUT_WARNING} {cases_of}, so their intervals "
            f"are wide and approximate: {_list_some(rare)}."
        )
    if table.matching is not None:
        warnings.append(
            "Clusters were matched to classes for the highest informedness, so its value and interval are "
            "optimistic. The test is fair: it matches guesses in the same way."
        )
    superstitious = findings.superstitious
    if len(superstitious) == len(table.labels):
        warnings.append(
            "Every label does worse than guessing. Check that the labels or columns are not exchanged."
        )
    elif superstitious:
        named = [f"{label} ({_edge_and_p(findings, label)})" for label in superstitious]
        tested = len(findings.worse_than_guessing)
        warnings.append(
            f"Predictions of {_list_some(named)} do worse than guessing (one-sided tests, Holm's correction "
            f"for {tested} labels). Dropping them will help less on new data than on these."
        )
    if not table.is_counted:
        warnings.append(weights_warning(findings.table))
    if findings.informedness.no_claim is not None:
        warnings.append(
            f"{findings.informedness.no_claim.capitalize()}: intervals may be too narrow, so nothing is "
            "concluded. Collect more clusters of similar size."
        )
    elif table.clusters is not None:
        number = table.clusters.number
        sentence = f"Intervals allow for {number:,} {plural(number, 'cluster')}"
        is_few = number < MIN_CLUSTERS_WITHOUT_WARNING
        few = "; so few make them approximate. Collect more clusters"
        warnings.append(f"{sentence}{few}." if is_few else f"Note: {sentence[0].lower()}{sentence[1:]}.")
    shown, labels = len(findings.labels), len(table.labels)
    if labels > shown:
        warnings.append(f"Note: only the {shown} most frequent of {labels:,} labels are shown one by one.")
    return tuple(warnings)


def _fold(label: Label) -> str:
    """Write a label without spaces around it, in lower case."""
    return str(label).strip().casefold()


def weights_warning(table: ContingencyTable) -> str:
    """Describe what weights, or counts that are not whole, do to tests."""
    if not table.counts_alike:
        return f"Effective sample size {table.effective_size:,.0f} (weighted); tests are approximate."
    if (table.cells == table.cells.round()).all():
        return "The weights are not integers, so tests are approximate. If they count cases, pass integers."
    return "The counts are not whole numbers. Each unit counts as one case, and tests are approximate."


def describe_labels_below_0(findings: DecisionFindings) -> tuple[str, ...]:
    """Explain labels with negative informedness, if none is significantly worse than guessing."""
    edges = {
        label: estimates[3].value for label, estimates in findings.labels.items() if len(findings.labels) > 2
    }
    tested = {label for label, p in findings.worse_than_guessing.items() if not math.isnan(p)}
    below = [label for label, value in edges.items() if value < 0 and label in tested]
    if findings.superstitious or not below:
        return ()
    least = min(findings.worse_than_guessing[label] for label in below)
    verb = plural(len(below), "has", "have")
    number = f"{len(below)} of {len(edges)} labels {verb} informedness below 0"
    return (
        f"{number}, but none does significantly worse than guessing (smallest {format_p_value(least)}, "
        "one-sided, Holm's correction).",
    )


def _edge_and_p(findings: DecisionFindings, label: Label) -> str:
    """Write the edge of a label and the p-value of its test."""
    p_value = format_p_value(findings.worse_than_guessing[label])
    if label not in findings.labels:
        return p_value
    return f"informedness {format_number(findings.labels[label][3].value)}, {p_value}"


def _list_some(names: list[str]) -> str:
    """List at most five names, and count the rest."""
    rest = len(names) - MAX_NAMES_LISTED
    return ", ".join(names[:MAX_NAMES_LISTED]) + (f" and {rest} more" if rest > 0 else "")
