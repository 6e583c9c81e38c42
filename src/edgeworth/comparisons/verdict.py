"""The verdict of a comparison: which system is better, the evidence for it, and the sample size needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from edgeworth import __version__
from edgeworth.comparisons.chance import CLASS_SHARES
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.margins import margin_claims
from edgeworth.comparisons.policy import MIN_UNITS_FOR_TOO_CLOSE, TIMES_AS_MANY_IS_TOO_CLOSE
from edgeworth.core.amounts import (
    format_difference,
    format_level_with_interval,
    format_levels,
    is_share,
)
from edgeworth.core.formatting import (
    MIN_P_VALUE_WRITTEN,
    cut_middle,
    format_bound,
    format_count,
    format_level,
    format_p_value,
    format_percent,
    format_probability,
    format_rounded,
    format_wealth,
    plural,
    spell_out,
)
from edgeworth.core.sampling_distributions import alpha_of, is_significant
from edgeworth.core.test_results import TestResult
from edgeworth.report.verdict import Claim, Strength, Verdict
from edgeworth.report.wording import describe_measure, describe_p_value

_TESTS = {
    "studentised": "studentised randomisation",
    "mcnemar": "McNemar",
    "mcnemar mid-p": "McNemar mid-p",
    "wald": "Wald",
    "newcombe": "Newcombe",
    "t": "paired t",
    "bounds": "square-and-add",
    "delong": "DeLong",
    "wilcoxon": "Wilcoxon",
    "influence": "jackknife t",
    "hoeffding": "Hoeffding",
    "diebold-mariano": "Diebold–Mariano",
    "sequence": "anytime",
}

ADJUSTMENTS = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg", "tukey": "Tukey"}
"""What a p-value adjusted for all pairs is called."""

NULL_IN_SENTENCES = {CLASS_SHARES: "a constant forecast of the class shares"}
"""What systems are tested against, if a sentence needs more words than a heading."""

MAX_NAME_LENGTH = 40
"""Characters of a name in a verdict on several systems; tables and JSON identify them all."""

SWAPS = "swaps"
"""A word in the method of a test that swaps the outputs of two systems."""


def name_of_test(name: str, tail: TestResult | None = None) -> str:
    """Name a test as people call it. The jackknife test has another name if swaps calibrated it.

    >>> name_of_test("influence"), name_of_test("influence", TestResult.approximate(0.01, 1.0, "999 swaps"))
    ('jackknife t', 'studentised randomisation')
    """
    if name == "influence" and tail is not None and SWAPS in tail.method:
        name = "studentised"
    return _TESTS.get(name, name.replace("_", " "))


def primary_test(difference: Difference) -> str:
    """Name the primary test of a difference."""
    for name, tail in difference.tests.items():
        return name_of_test(name, tail)
    return "test by the interval"


def comparison_verdict(findings: ComparisonFindings) -> Verdict:
    """Write the verdict: the better of two systems, or the best of several and those tied with it."""
    judged = Claim("coverage", findings.judged) if findings.judged else None
    if len(findings.names) == 2:
        claims = [_typical(findings), _claim_of_two(findings)]
    else:
        claims = [_claim_of_many(findings), _leader(findings), _typical(findings)]
    notes = [_chance(findings), _impossible(findings), _sample_size(findings)]
    return Verdict([judged, *claims, _changed_measure(findings), *margin_claims(findings), *notes])


def _changed_measure(findings: ComparisonFindings) -> Claim | None:
    """Explain why the first requested measure is not the primary one."""
    first = findings.measures[0]
    if first == findings.headline:
        return None
    reason = _reason(findings, first)
    primary = describe_measure(findings.headline)
    text = f"Compared by {primary}, because {describe_measure(first)} is not defined for every system"
    return Claim("measure", f"{text}{reason and f': {reason}'}.", "undefined")


def _reason(findings: ComparisonFindings, measure: str) -> str:
    """Find why a measure is undefined for some pair."""
    pairs = findings.pairs.values()
    return next((pair[measure].undefined or "" for pair in pairs if pair[measure].undefined), "")


def _claim_of_two(findings: ComparisonFindings) -> Claim:
    """Write which of two systems is better, or that the difference is not clear."""
    first, second = findings.names
    difference = findings.pairs[first, second][findings.headline]
    measure, words = findings.headline, describe_measure(findings.headline)
    if difference.undefined is not None:
        text = f"{first} and {second} cannot be compared by {words}: {difference.undefined}."
        return Claim(measure, text, "undefined")
    if difference.difference == 0:
        text = _describe_equal(difference, findings)
        return Claim(measure, text, "not shown", _numbers(difference, findings))
    is_shown = findings.is_conclusive(first, second)
    is_ahead = difference.difference > 0
    if findings.direction != "neither":
        is_ahead = difference.better == difference.first
    ahead = difference if is_ahead else difference.mirror()
    if ahead.typical is not None:
        text = _describe_mean(ahead, findings)
    elif findings.direction == "neither":
        claim = f"{ahead.first} and {ahead.second} differ" if is_shown else _no_difference(ahead, findings)
        text = f"{claim}: {_describe_difference(ahead, findings)}. Neither direction is better."
    elif is_shown:
        text = f"{ahead.first} beats {ahead.second}: {_describe_difference(ahead, findings)}."
    else:
        text = f"{_no_difference(ahead, findings)}: {_describe_difference(ahead, findings)}."
        text += as_sentence(_reason_for_no_winner(ahead, findings))
    if is_shown:
        text += as_sentence(new_caveat(ahead, findings))
    numbers = _numbers(ahead, findings) | {"p_value": ahead.p_value()}
    strength: Strength = "shown" if is_shown else "not shown"
    return Claim(measure, text, strength, numbers, primary_test(ahead))


def _no_difference(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write the claim about two systems when no winner is named."""
    if ahead.no_winner is not None and is_withheld(ahead, findings):
        return f"No winner is named between {ahead.first} and {ahead.second}"
    return f"No clear difference between {ahead.first} and {ahead.second}"


def _reason_for_no_winner(ahead: Difference, findings: ComparisonFindings) -> str | None:
    """Explain why no winner is named, or return None if the numbers already show it."""
    if ahead.no_winner is not None:
        return ahead.no_winner if is_withheld(ahead, findings) else None
    if ahead.no_interval is not None:
        return f"no winner is named without an interval: {ahead.no_interval}"
    if not ahead.disagrees(findings.level):
        return None
    # With few units even the clearest result has no small p-value.
    smallest = 2.0 ** (1 - ahead.cases)
    if next(iter(ahead.tests), "") in ("permutation", "randomisation") and not is_significant(
        smallest, findings.level
    ):
        number = f"{format_count(ahead.cases)} {plural(ahead.cases, findings.unit)}"
        return f"{number} are too few for this test: its smallest p-value is {format_probability(smallest)}"
    alpha = f"{alpha_of(findings.level):.3g}"
    if _excludes_0(ahead, findings.level):
        return f"the interval excludes 0 but p is above {alpha}, so no winner is named"
    return f"p is below {alpha} but the interval includes 0, so no winner is named"


def _describe_equal(difference: Difference, findings: ComparisonFindings) -> str:
    """Write that two systems have the same value, or gave the same answers."""
    first, second = findings.names
    words = describe_measure(findings.headline)
    [level] = format_levels(findings.headline, difference.values[0])
    claim = f"{first} and {second} have the same {words}, {level}"
    is_same = findings.disagreements and not findings.disagreements[0]["disagreements"]
    if is_same or (not findings.disagreements and difference.discordant == (0, 0)):
        claim = f"{first} and {second} gave the same answers: {words} {level}"
    brackets = f"{_interval(difference, findings)} for the difference"
    if difference.no_interval is not None:
        brackets = f"no interval: {difference.no_interval}"
    return f"{claim} ({brackets}; {describe_sample(difference, findings)})."


def _describe_mean(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write the difference of means that names no winner, because a rare large value may be missing."""
    is_clear = _excludes_0(ahead, findings.level)
    if not is_clear and ahead.typical is not None and ahead.typical[0] < ahead.typical[1]:
        ahead = ahead.mirror()  # the system that is usually better comes first, as in the sentence before
    interval = f"{_size(ahead, findings)}, {_interval(ahead, findings)}"
    if not is_clear:
        first, second = format_levels(ahead.measure, *ahead.values, gap=ahead.difference)
        levels = f"{first} for {ahead.first}, {second} for {ahead.second}"
        less = f"{ahead.first} − {ahead.second}"
        return f"The means show no clear difference: {levels} ({less}: {interval})."
    direction = "higher" if ahead.difference > 0 else "lower"
    claim = f"{ahead.first} has the {direction} mean, {_levels(ahead)} ({interval})."
    return f"{claim} The mean names no winner, because {ahead.no_winner}."


def _excludes_0(difference: Difference, level: float) -> bool:
    """Return whether the interval of a difference excludes 0."""
    low, high = difference.interval(level)
    return low > 0 or high < 0


def as_sentence(reason: str | None) -> str:
    """Write a reason as a sentence after a space; nothing without a reason."""
    return f" {reason[0].upper()}{reason[1:]}." if reason else ""


def new_caveat(difference: Difference, findings: ComparisonFindings) -> str | None:
    """Return the caveat of a difference, unless it holds for the whole comparison and is among its notes."""
    is_noted = as_sentence(difference.caveat).strip() in findings.notes
    return None if is_noted else difference.caveat


def _describe_difference(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write both levels, the difference, its interval and test, and the sample size."""
    words = "" if findings.has_obvious_measure else f"{describe_measure(ahead.measure)} "
    lower = "" if ahead.direction != "lower" else "; lower is better"
    brackets = f"{_interval(ahead, findings)}; {_test(ahead)}; {describe_sample(ahead, findings)}{lower}"
    return f"{words}{_levels(ahead)}, {_size(ahead, findings)} ({brackets})"


def describe_sample(difference: Difference, findings: ComparisonFindings) -> str:
    """Write the sample size with its unit: 400 questions, 2 answers each; 400 cases in 60 clusters."""
    cases, unit = difference.cases, findings.unit
    number = f"{format_count(cases)} {plural(cases, unit)}"
    clustered = findings.clustered or findings.cases
    answers = f", {findings.answers}" if findings.answers else ""
    if unit == "cluster" and clustered > cases:
        items = f"{format_count(clustered)} {plural(clustered, findings.clustered_unit)}"
        return f"{items}{answers}{',' if answers else ''} in {number}"
    return f"{number}{answers}" if float(cases).is_integer() else f"effective sample size {round(cases):,}"


def _typical(findings: ComparisonFindings) -> Claim | None:
    """Write on how many items the better of the first two did better, if only that may be claimed."""
    pair = findings.names if len(findings.names) == 2 else findings.valued[:2]
    if len(pair) < 2 or findings.headlines[findings.as_given(pair[0], pair[1])].typical is None:
        return None
    difference = findings.difference(pair[0], pair[1])[findings.headline]
    assert difference.typical is not None
    if difference.undefined is not None or difference.typical == (0, 0):
        return None
    ahead = difference if difference.typical[0] >= difference.typical[1] else difference.mirror()
    assert ahead.typical is not None
    wins, losses = ahead.typical
    counts = (
        f"on {format_count(wins)} of {format_count(difference.cases)} "
        f"{plural(difference.cases, findings.unit)} and worse on {format_count(losses)}"
    )
    p_value = findings.adjusted[findings.as_given(*pair)]
    is_shown = is_significant(p_value, findings.level) and not findings.is_in_sample
    adjusted = "" if len(findings.names) == 2 or findings.adjust == "none" else f"{findings.adjust.title()} "
    lower = "" if difference.direction != "lower" else "; lower is better"
    test = f"(sign test {adjusted}{format_p_value(p_value)}{lower})"
    text = f"{ahead.first} does better than {ahead.second} {counts} {test}."
    if not is_shown:
        neither = (
            f"No clear difference between {ahead.first} and {ahead.second} on the typical {findings.unit}"
        )
        text = f"{neither}: {ahead.first} does better {counts} {test}."
    numbers = {"better": ahead.first, "wins": wins, "losses": losses, "p_value": p_value}
    return Claim(f"typical {findings.unit}", text, "shown" if is_shown else "not shown", numbers, "sign")


def is_withheld(difference: Difference, findings: ComparisonFindings) -> bool:
    """Return whether a winner is withheld: test and interval show one, or no test is reported."""
    if difference.no_test is not None:
        return True
    pair = findings.as_given(difference.first, difference.second)
    is_open = not is_significant(findings.adjusted[pair], findings.level)
    return not is_open and replace(difference, no_winner=None).is_shown(findings.level)


def _claim_of_many(findings: ComparisonFindings) -> Claim:
    """Write which of several systems is best, or which are tied for first."""
    valued, headline = findings.valued, findings.headline
    number, words = len(findings.names), describe_measure(headline)
    if len(valued) < 2:
        reason = _reason(findings, headline) or "no value"
        text = f"The {number} {plural(number, findings.noun)} cannot be compared by {words}: {reason}."
        return Claim(headline, text, "undefined")
    best = valued[0]
    value = findings.values[best][headline]
    against = {name: findings.difference(best, name)[headline] for name in valued[1:]}
    withheld = [name for name, x in against.items() if x.no_winner and is_withheld(x, findings)]
    beaten = [name for name in against if findings.is_conclusive(best, name)]
    tied = findings.tied_for_first
    sample = describe_sample(against[valued[1]], findings)
    end = "lowest" if findings.direction == "lower" else "highest"
    [level] = format_levels(headline, value)
    lower = "; lower is better" if findings.direction == "lower" else ""
    text = (
        f"{best} has the {end} {words} of {number} {plural(number, findings.noun)}, {level} ({sample}{lower})"
    )
    if findings.direction == "neither":
        text += ". Neither direction is better"
    elif withheld or not findings.ranks:
        if beaten:
            p_value = max(findings.adjusted[findings.as_given(best, name)] for name in beaten)
            adjusted = "" if findings.adjust == "none" else f"{ADJUSTMENTS[findings.adjust]} "
            test, names = f"{adjusted}{format_p_value(p_value)}", _listed(_with_levels(beaten, findings))
            one = f"{names.removesuffix(')')}; {test})"
            text += f", and beats {one if len(beaten) == 1 else f'{names}, largest {test}'}"
    elif len(beaten) == len(against):
        others = "both" if len(against) == 2 else f"all {len(against)}"
        text = f"{best} beats {others} others: {_describe_lead(against[valued[1]], findings)}"
    elif len(tied) > 1:
        text = _describe_tie(tied, sample, findings)
        if beaten:
            text += f". {_short(best)} beats {_listed(_with_levels(beaten, findings))}"
    else:
        unclear = [name for name in against if name not in beaten]
        text += f", with no clear difference from {_listed(unclear)}"
    text += "."
    without = [name for name in findings.names if name not in valued]
    if without:
        text += f" {_listed(without)} {plural(len(without), 'has', 'have')} no value to compare."
    if withheld and findings.direction != "neither":
        reasons = "; ".join(dict.fromkeys(against[name].no_winner or "" for name in withheld))
        others = _listed(_with_levels(withheld, findings))
        others = f"any of {others}" if len(withheld) > 1 else others
        text += f" No winner is named between {best} and {others}: {reasons}."
    if findings.direction != "neither":
        known = {against[name].no_winner for name in withheld}
        caveats = dict.fromkeys(new_caveat(against[name], findings) for name in beaten)
        caveats = {caveat: None for caveat in caveats if caveat not in known}
        # The caveat about the closest system that is beaten is the one that matters most.
        text += as_sentence(next((caveat for caveat in caveats if caveat is not None), None))
    strength: Strength = "shown" if beaten and findings.direction != "neither" else "not shown"
    numbers = {"best": best, "value": value, "tied": len(against) - len(beaten)}
    return Claim(headline, text, strength, numbers)


def _describe_lead(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write the lead of the best system over the next."""
    return _describe_difference_of_many(ahead, findings, f" for {ahead.second} (second)")


def _describe_difference_of_many(ahead: Difference, findings: ComparisonFindings, second: str = "") -> str:
    """Write both levels and the difference, with the p-value adjusted for all pairs of systems."""
    p_value = findings.adjusted[findings.as_given(ahead.first, ahead.second)]
    adjusted = "" if findings.adjust == "none" else f"{ADJUSTMENTS[findings.adjust]} "
    lower = "" if ahead.direction != "lower" else "; lower is better"
    levels = f"{describe_measure(ahead.measure)} {_levels(ahead)}{second}"
    pairs = "" if findings.adjust == "none" else f" for {len(findings.pairs)} pairs"
    test = f"{adjusted}{format_p_value(p_value)}{pairs}"
    brackets = f"{_interval(ahead, findings)}; {test}; {describe_sample(ahead, findings)}{lower}"
    return f"{levels}, {_size(ahead, findings)} ({brackets})"


def _with_levels(names: Sequence[str], findings: ComparisonFindings) -> list[str]:
    """Write the level of each system after its name."""
    levels = format_levels(findings.headline, *(findings.values[name][findings.headline] for name in names))
    return [f"{_short(name)} ({level})" for name, level in zip(names, levels, strict=True)]


def _describe_tie(tied: tuple[str, ...], sample: str, findings: ComparisonFindings) -> str:
    """List the systems that are tied for first, with their levels; of two, write the difference."""
    words = "" if is_share(findings.headline) else f" by {describe_measure(findings.headline)}"
    names = _listed(_with_levels(tied, findings))
    noun = plural(2, findings.noun)
    if tied == findings.valued[:2]:
        first, second = tied
        ahead = findings.difference(first, second)[findings.headline]
        best = f"the best two of {len(findings.names)} {noun}"
        text = (
            f"No clear difference between {_short(first)} and {_short(second)}, {best}: "
            f"{_describe_difference_of_many(ahead, findings)}"
        )
        if ahead.is_shown(findings.level) and is_significant(ahead.p_value(), findings.level):
            text += f". Alone, this pair would differ clearly; among {len(findings.pairs)} pairs it does not"
        return text
    if len(tied) == len(findings.names):
        return f"All {spell_out(len(tied))} {noun} are statistically tied{words}: {names}, on {sample}"
    number = spell_out(len(tied)).capitalize()
    return f"{number} {noun} are statistically tied for first{words}: {names}, on {sample}"


def _leader(findings: ComparisonFindings) -> Claim | None:
    """Write the level of the best system, with an interval that allows for having picked it."""
    leader = findings.leader
    if leader is None or findings.is_in_sample:
        return None
    measure, [level] = findings.headline, format_levels(findings.headline, leader.value)
    words = describe_measure(measure)
    if math.isnan(leader.interval.low + leader.interval.high):
        text = (
            f"{_short(leader.system)} was picked as the best of {leader.systems}, so {level} is optimistic."
        )
    else:
        _, low, high = format_level_with_interval(measure, leader.value, leader.interval)
        interval = f"{format_level(leader.level)} CI {low} to {high}"
        picked = f"adjusted for picking the best of {leader.systems}"
        text = f"The {words} of {_short(leader.system)} is {level} ({interval}, {picked})."
    numbers = {"system": leader.system, "value": leader.value, "level": leader.level}
    return Claim(
        "leader", text, "estimated", numbers | {"low": leader.interval.low, "high": leader.interval.high}
    )


def _numbers(difference: Difference, findings: ComparisonFindings) -> dict[str, object]:
    """Give a difference as values, first less second, in the order in which the systems were given."""
    given = findings.headlines[findings.as_given(difference.first, difference.second)]
    low, high = given.interval(findings.level)
    names = {"first": given.first, "second": given.second, "better": given.better}
    return names | {"difference": given.difference, "low": low, "high": high, "level": findings.level}


def _levels(ahead: Difference) -> str:
    """Write the values of both systems: 74.5% vs 62.0%."""
    return " vs ".join(format_levels(ahead.measure, *ahead.values, gap=ahead.difference))


def _size(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write the difference with its sign."""
    return format_difference(ahead.measure, ahead.difference, ahead.interval(findings.level))[0]


def _interval(ahead: Difference, findings: ComparisonFindings) -> str:
    """Write the confidence interval of the difference."""
    interval = ahead.interval(findings.level)
    if math.isnan(interval.low):
        return "no interval"
    _, low, high = format_difference(ahead.measure, ahead.difference, interval)
    kind = "confidence sequence" if next(iter(ahead.tests), "") == "sequence" else "CI"
    return f"{format_level(findings.level)} {kind} {low} to {high}"


EXACT_TESTS = ("randomisation", "mcnemar")
"""Tests that a sentence calls exact if they are. A permutation of values is exact for interchangeable systems
only, which is more than equal means."""


def _test(difference: Difference) -> str:
    """Write the primary test and its p-value."""
    if not difference.tests:
        p_value = difference.p_value()
        return "no test" if math.isnan(p_value) else format_p_value(p_value)
    name, tail = next(iter(difference.tests.items()))
    exact = "exact " if tail.kind == "exact" and name in EXACT_TESTS else ""
    return f"{exact}{name_of_test(name, tail)} {describe_p_value(tail)}"


def _sample_size(findings: ComparisonFindings) -> Claim | None:
    """Write how many cases would confirm the gap between the two systems, or between the first two."""
    pair = findings.names if len(findings.names) == 2 else findings.valued[:2]
    # With a margin, the question is whether a system is no worse, which has a sample size of its own.
    if len(pair) < 2 or findings.direction == "neither" or findings.margin is not None:
        return None
    plan = findings.plans[findings.as_given(pair[0], pair[1])]
    if findings.is_conclusive(pair[0], pair[1]) or not math.isfinite(plan.more) or plan.more <= 0:
        return None
    difference = findings.difference(pair[0], pair[1])[findings.headline]
    if difference.no_winner is not None and is_withheld(difference, findings):
        return None
    needed = f"about {format_rounded(plan.needed)} {plural(plan.needed, findings.unit)}"
    gap = (
        "a gap this small"
        if len(findings.names) == 2
        else f"the gap between {_short(pair[0])} and {_short(pair[1])}"
    )
    is_too_close = plan.needed >= TIMES_AS_MANY_IS_TOO_CLOSE * plan.cases
    if difference.typical is not None:
        if _excludes_0(difference, findings.level):
            return None  # the reason why no winner is named says how many are needed
        text = f"Confirming a difference of this size in means needs {needed}."
    elif is_too_close and plan.cases >= MIN_UNITS_FOR_TOO_CLOSE:
        text = f"Too close to call: confirming {gap} needs {needed}."
    else:
        gap = gap.replace("this small", "of this size")
        now = f"{format_count(round(plan.cases))} now; {format_percent(plan.power)} power"
        text = f"Confirming {gap} needs {needed} ({now})."
    return Claim("sample size", text, "advised", {"more": plan.more, "power": plan.power})


def _chance(findings: ComparisonFindings) -> Claim | None:
    """Warn if the best system is not shown to be better than chance: the comparison then means little."""
    names = _no_better_than_chance(findings)
    if not names or findings.ranked[0] not in names:
        return None
    p_values = [findings.chance[name].p_value for name in names]
    numbers = {"null": findings.chance_null, "systems": names, "p_values": p_values}
    return Claim("chance", describe_chance(findings), "not shown", numbers)


def _no_better_than_chance(findings: ComparisonFindings) -> list[str]:
    tested = [name for name in findings.ranked if name in findings.chance]
    tested = [name for name in tested if not math.isnan(findings.chance[name].p_value)]
    return [name for name in tested if not findings.is_better_than_chance(name)]


def describe_chance(findings: ComparisonFindings) -> str:
    """Write which systems are not shown to be better than chance, or that all are; empty without a test."""
    null, names = findings.chance_null, _no_better_than_chance(findings)
    tested = [name for name, result in findings.chance.items() if not math.isnan(result.p_value)]
    if not tested:
        return ""
    null = NULL_IN_SENTENCES.get(null, null)
    if len(tested) == 2:
        if not names:
            return f"Both systems are better than {null}."
        subject = "Neither system is" if len(names) == 2 else f"{names[0]} is not"
        tests = " and ".join(format_p_value(min(1.0, 2 * findings.adjusted_chance[name])) for name in names)
        adjusted = "two-sided" if findings.adjust == "none" else "two-sided Holm"
        return f"{subject} shown to be better than {null} ({adjusted} {tests})."
    if not names and len(tested) == 1:
        return f"{tested[0]} is better than {null}; the other systems have no such test."
    if not names:
        return f"All {len(tested)} systems are better than {null}."
    return f"Not shown to be better than {null}: {_listed(names)}."


def _impossible(findings: ComparisonFindings) -> Claim | None:
    """Warn that a system gave probability 0 to an outcome that occurred."""
    # The reason for another primary measure is already that a log score is infinite.
    if findings.race is None or findings.measures[0] != findings.headline:
        return None
    first, second = findings.race.standings[:2]
    wealth = findings.race.against(first, second)
    if not (wealth > 0 and math.isinf(wealth)) or len(findings.names) > 2:
        return None
    text = f"{second} gave probability 0 to an outcome that occurred, so its log score is infinite."
    return Claim("bets", text, "shown")


def describe_evidence(findings: ComparisonFindings) -> str:
    """Write how strong the evidence is against the probabilities of the weaker of two systems."""
    if findings.race is None or len(findings.names) > 2:
        return ""
    first, second = findings.race.standings
    evidence = findings.race.stronger(first, second)
    made = findings.duels[0].wealth.predictions_made if findings.duels else "before"
    wealth = findings.race.against(first, second)
    is_silent = evidence is None or made == "in-sample" or findings.no_evidence is not None
    if is_silent or evidence is None or not 0 < wealth < math.inf:
        return ""
    hedge = "" if made == "before" else ", if these were out-of-sample predictions"
    # The p-value is 1 over an e-value, and an e-value of exactly 20 counts at 95% (Ville's inequality).
    is_shown = evidence.p_value <= alpha_of(findings.level)
    strength = "There is evidence" if is_shown else "There is not enough evidence"
    proof = "p < 1e-6" if evidence.p_value < MIN_P_VALUE_WRITTEN else f"p ≤ {format_bound(evidence.p_value)}"
    e_value = (
        f"e-value {format_wealth(evidence.log_e_value)}, " if evidence.p_value >= MIN_P_VALUE_WRITTEN else ""
    )
    return f"{strength} against the hypothesis that {evidence.null} ({e_value}{proof}, two-sided{hedge})."


def comparison_citation(findings: ComparisonFindings) -> str:
    """Write the sentence for a paper or a model card, on the best two systems, the better one first."""
    difference = findings.difference(*findings.ranked[:2])[findings.headline]
    if difference.undefined is not None:
        return ""
    size, low, high = format_difference(
        difference.measure, difference.difference, difference.interval(findings.level)
    )
    systems = f"{difference.first} − {difference.second}"
    interval = "no interval"
    if difference.law is not None:
        interval = f"{format_level(findings.level)} CI {low} to {high}, {difference.interval_method}"
    sample = describe_sample(difference, findings)
    claim = f"{describe_measure(difference.measure)} of {systems}: {size} ({interval})"
    return f"{claim}; {_test(difference)}; {sample}; Edgeworth {__version__}."


def _short(name: str) -> str:
    """Cut the middle out of a long name, where many are listed."""
    return cut_middle(name, MAX_NAME_LENGTH)


def _listed(names: list[str]) -> str:
    """Join names with commas and "and"; of more than six, name five."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
