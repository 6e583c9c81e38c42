"""The verdict of a comparison: who is better, how surely, and how many cases would decide."""

from __future__ import annotations

import math
from dataclasses import replace

from edgeworth import __version__
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.core.formatting import (
    format_count,
    format_level,
    format_money,
    format_number,
    format_p_value,
    format_probability,
    format_together,
    format_wealth,
    plural,
)
from edgeworth.core.test_results import TestResult
from edgeworth.report.verdict import Claim, Strength, Verdict
from edgeworth.report.wording import describe_measure, describe_p_value, describe_plan

_TESTS = {
    "studentised": "studentised randomisation",
    "mcnemar": "McNemar",
    "mcnemar mid-p": "McNemar mid-p",
    "wald": "Wald",
    "newcombe": "Newcombe",
    "t": "paired t",
    "delong": "DeLong",
    "wilcoxon": "Wilcoxon",
    "influence": "jackknife t",
    "diebold-mariano": "Diebold–Mariano",
}


SWAPS = "swaps"
"""A word in the method of a test whose law comes from swapping two systems."""


def name_of_test(name: str, tail: TestResult | None = None) -> str:
    """Name a test as people call it; one by influences that was calibrated by swaps is no t test.

    >>> name_of_test("influence"), name_of_test("influence", TestResult.approximate(0.01, 1.0, "999 swaps"))
    ('jackknife t', 'studentised randomisation')
    """
    if name == "influence" and tail is not None and SWAPS in tail.method:
        name = "studentised"
    return _TESTS.get(name, name.replace("_", " "))


def primary_test(difference: Difference) -> str:
    """Name the test that a difference goes by."""
    for name, tail in difference.tests.items():
        return name_of_test(name, tail)
    return "the interval's law"


def comparison_verdict(findings: ComparisonFindings) -> Verdict:
    """Write the verdict: of two systems which is better; of more which leads and which are tied with it."""
    judged = Claim("coverage", findings.judged) if findings.judged else None
    claims = [judged, _switched(findings)]
    if len(findings.names) == 2:
        claims += [_of_two(findings), _chance(findings), _sample_size(findings), _disagreement(findings)]
        claims.append(_race(findings))
    else:
        claims += [_of_many(findings), _first_two(findings), _chance(findings), _sample_size(findings)]
    return Verdict(claims)


def _switched(findings: ComparisonFindings) -> Claim | None:
    """Explain why the measure asked for first is not the primary one."""
    first = findings.measures[0]
    if first == findings.headline:
        return None
    why = _reason(findings, first)
    now = describe_measure(findings.headline)
    text = f"Compared by {now}: {describe_measure(first)} is not defined for all{why and f' ({why})'}."
    return Claim("measure", text, "undefined")


def _reason(findings: ComparisonFindings, measure: str) -> str:
    return next(
        (each[measure].undefined or "" for each in findings.pairs.values() if each[measure].undefined), ""
    )


def _of_two(findings: ComparisonFindings) -> Claim:
    first, second = findings.names
    difference = findings.pairs[first, second][findings.headline]
    measure, said = findings.headline, describe_measure(findings.headline)
    if difference.undefined is not None:
        text = f"{first} and {second} cannot be compared by {said}: {difference.undefined}."
        return Claim(measure, text, "undefined")
    if difference.difference == 0:
        silent = findings.disagreements and not findings.disagreements[0]["disagreements"]
        alike, how = f"have the same {said}", "difference 0"
        if silent or (findings.kind == "grades" and difference.discordant == (0, 0)):
            units = plural(findings.cases, findings.unit if findings.kind == "grades" else "case")
            alike = f"gave the same answers on all {format_count(findings.cases)} {units}"
            how = f"{said} difference 0"
        brackets = f"{how}, {_interval(difference, findings)}"
        if difference.no_interval is not None:
            brackets = f"no interval: {difference.no_interval}"
        numbers = _numbers(difference, findings)
        return Claim(measure, f"{first} and {second} {alike} ({brackets}).", "not shown", numbers)
    same = f"No significant difference between {first} and {second}"
    is_shown = findings.is_conclusive(first, second)
    if difference.no_winner is not None and _would_be_shown(difference, findings):
        same = f"No winner is named between {first} and {second}"
    strength: Strength = "shown" if is_shown else "not shown"
    is_ahead = difference.difference > 0
    if findings.direction != "neither":
        is_ahead = difference.better == difference.first
    ahead = difference if is_ahead else difference.mirror()
    numbers = _numbers(ahead, findings) | {"p_value": ahead.p_value()}
    brackets = f"({_interval(ahead, findings)}; {_test(ahead)})"
    if findings.direction == "neither":
        how = f"{first} and {second} differ" if is_shown else same
        size = f"{_sizes(ahead, findings)[0]} higher for {ahead.first}"
        text = f"{how} in {said}: {size} {brackets}. Neither direction is better."
    elif is_shown:
        text = f"{ahead.first} is better than {ahead.second}: {_how_much(ahead, findings)} {brackets}."
    else:
        lower = ", where lower is better" if findings.direction == "lower" else ""
        text = f"{same}: {_how_much(ahead, findings, f' of {ahead.first} is')} {brackets}{lower}."
        if ahead.no_winner is not None:
            text += f" {ahead.no_winner[0].upper()}{ahead.no_winner[1:]}."
        elif ahead.no_interval is not None:
            text += f" No winner is named without an interval: {ahead.no_interval}."
        elif ahead.disagrees(findings.level):
            text += f" {_disagrees(ahead, findings)}"
    return Claim(measure, text, strength, numbers, primary_test(ahead))


def _would_be_shown(difference: Difference, findings: ComparisonFindings) -> bool:
    """Tell whether test and interval show a difference of which no winner is named."""
    pair = findings.as_given(difference.first, difference.second)
    is_significant = findings.adjusted[pair] < round(1 - findings.level, 12)
    return is_significant and replace(difference, no_winner=None).is_shown(findings.level)


def _disagrees(difference: Difference, findings: ComparisonFindings) -> str:
    """Say why no winner is named where the interval excludes 0: so few units have no small p-value."""
    smallest = 2.0 ** (1 - difference.cases)
    if next(iter(difference.tests), "") in ("permutation", "randomisation") and smallest > 1 - findings.level:
        number = f"{format_count(difference.cases)} {plural(difference.cases, findings.unit)}"
        return f"{number} are too few for this test: its smallest p-value is {format_probability(smallest)}."
    return "Test and interval disagree, so no winner is named."


def _of_many(findings: ComparisonFindings) -> Claim:
    valued, headline = findings.valued, findings.headline
    number, said = len(findings.names), describe_measure(headline)
    if len(valued) < 2:
        why = _reason(findings, headline) or "no value"
        return Claim(headline, f"The {number} systems cannot be compared by {said}: {why}.", "undefined")
    without = [name for name in findings.names if name not in valued]
    verb = plural(len(without), "has", "have")
    left_out = f" {_listed(without)} {verb} no value to compare." if without else ""
    best = valued[0]
    value = findings.values[best][headline]
    end = "lowest" if findings.direction == "lower" else "highest"
    text = f"{best} has the {end} {said} of {number} systems, {format_number(value)}"
    against = {name: findings.difference(best, name)[headline] for name in valued[1:]}
    withheld = [name for name, each in against.items() if each.no_winner and _would_be_shown(each, findings)]
    beaten = [name for name in against if findings.is_conclusive(best, name)]
    same = [name for name in against if name not in beaten and name not in withheld]
    if findings.direction == "neither":
        text += ". Neither direction is better"
    elif withheld and not same and not beaten:
        pass
    elif withheld and not same:
        text += f" and is better than {_listed(beaten)}, adjusted for all pairs"
    elif not same:
        text += " and is better than all others, adjusted for all pairs"
    elif not beaten:
        text += ", with no significant difference from any other, adjusted for all pairs"
    else:
        equal = f"no significant difference from {_listed(same)}"
        text += f": better than {_listed(beaten)}, {equal}, adjusted for all pairs"
    if withheld and findings.direction != "neither":
        why = "; ".join(dict.fromkeys(against[name].no_winner or "" for name in withheld))
        others = f"any of {_listed(withheld)}" if len(withheld) > 1 else withheld[0]
        left_out += f" No winner is named between {best} and {others}: {why}."
    strength: Strength = "shown" if beaten and findings.direction != "neither" else "not shown"
    tied = len(same) + len(withheld)
    return Claim(headline, f"{text}.{left_out}", strength, {"best": best, "value": value, "tied": tied})


def _first_two(findings: ComparisonFindings) -> Claim | None:
    if len(findings.valued) < 2 or findings.direction == "neither":
        return None
    first, second = findings.valued[:2]
    difference = findings.difference(first, second)[findings.headline]
    if math.isnan(difference.difference) or not difference.difference:
        return None
    interval = f"{_interval(difference, findings)}, not adjusted"
    text = f"{first} against {second}, the next: {_how_much(difference, findings)} ({interval})."
    return Claim("first two", text, "estimated", _numbers(difference, findings))


def _numbers(each: Difference, findings: ComparisonFindings) -> dict[str, object]:
    """Give a difference as values, first less second, in the order in which the systems were given."""
    given = findings.headlines[findings.as_given(each.first, each.second)]
    low, high = given.interval(findings.level)
    names = {"first": given.first, "second": given.second, "better": given.better}
    return names | {"difference": given.difference, "low": low, "high": high, "level": findings.level}


def _how_much(better: Difference, findings: ComparisonFindings, whose: str = "") -> str:
    """Say by how much the better one is higher, or lower."""
    word = "higher" if better.difference > 0 else "lower"
    return f"{describe_measure(better.measure)}{whose} {_sizes(better, findings)[0]} {word}"


def _interval(better: Difference, findings: ComparisonFindings) -> str:
    if math.isnan(better.interval(findings.level).low):
        return "no interval"
    _, *ends = _sizes(better, findings)
    return f"{format_level(findings.level)} CI {ends[0]} to {ends[1]}"


def _sizes(better: Difference, findings: ComparisonFindings) -> list[str]:
    """Write the size of a difference and the ends of its interval, as seen from the size."""
    low, high = better.interval(findings.level)
    low, high = (low, high) if better.difference >= 0 else (-high, -low)
    return format_together(abs(better.difference), low, high)


def _test(better: Difference) -> str:
    if not better.tests:
        p_value = better.p_value()
        return "no test" if math.isnan(p_value) else format_p_value(p_value)
    name, tail = next(iter(better.tests.items()))
    exact = "exact " if tail.kind == "exact" and name in ("randomisation", "permutation") else ""
    return f"{exact}{name_of_test(name, tail)} {describe_p_value(tail)}"


def _sample_size(findings: ComparisonFindings) -> Claim | None:
    """Say how many more cases would decide between the two, or between the first two."""
    pair = findings.names if len(findings.names) == 2 else findings.valued[:2]
    if len(pair) < 2 or findings.direction == "neither":
        return None
    plan = findings.plans[findings.as_given(pair[0], pair[1])]
    if findings.is_conclusive(pair[0], pair[1]) or not math.isfinite(plan.more) or plan.more <= 0:
        return None
    difference = findings.difference(pair[0], pair[1])[findings.headline]
    if difference.no_winner is not None and _would_be_shown(difference, findings):
        return None
    text = describe_plan(plan, plural(plan.needed, findings.unit), "a difference")
    return Claim("sample size", text, "advised", {"more": plan.more, "power": plan.power})


def _chance(findings: ComparisonFindings) -> Claim | None:
    """Say which systems are not shown to be better than chance: a winner among them may know nothing."""
    names = _no_better_than_chance(findings)
    if not names:
        return None
    p_values = [findings.chance[name].p_value for name in names]
    numbers = {"null": findings.chance_null, "systems": names, "p_values": p_values}
    return Claim("chance", describe_chance(findings), "not shown", numbers)


def _no_better_than_chance(findings: ComparisonFindings) -> list[str]:
    tested = [name for name in findings.ranked if name in findings.chance]
    tested = [name for name in tested if not math.isnan(findings.chance[name].p_value)]
    return [name for name in tested if not findings.is_better_than_chance(name)]


def describe_chance(findings: ComparisonFindings) -> str:
    """Say which systems are shown to be better than chance, or which are not; nothing without a test."""
    null, names = findings.chance_null, _no_better_than_chance(findings)
    tested = [name for name, each in findings.chance.items() if not math.isnan(each.p_value)]
    if not tested:
        return ""
    p_values = [findings.chance[name].p_value for name in names]
    if len(tested) == 2:
        if not names:
            return f"Both systems are better than {null}."
        who = "Neither system is" if len(names) == 2 else f"{names[0]} is not"
        said = " and ".join(format_p_value(p_value) for p_value in p_values)
        return f"{who} shown to be better than {null} (one-sided {said})."
    if not names:
        return f"All {len(tested)} systems are better than {null}."
    return f"Not shown to be better than {null}: {_listed(names)}."


def _disagreement(findings: ComparisonFindings) -> Claim | None:
    if not findings.disagreements or not findings.disagreements[0]["disagreements"]:
        return None
    found = findings.disagreements[0]
    number, cases = found["disagreements"], found["cases"]
    unit = plural(cases, "case" if cases == findings.cases else "row")
    text = f"They disagree on {format_count(number)} of {format_count(cases)} {unit}."
    return Claim("disagreements", text, "estimated", {"disagreements": number, "cases": cases})


def _race(findings: ComparisonFindings) -> Claim | None:
    """Say what one would have won by betting against the other."""
    if findings.race is None:
        return None
    first, second = findings.race.standings
    wealth = findings.race.against(first, second)
    if not wealth > 0:
        return None
    if math.isinf(wealth):
        text = f"{second} gave probability 0 to what happened: betting against {first} would have ruined it."
        return Claim("bets", text, "shown")
    text = (
        f"Betting on {first} against {second}'s probabilities would have grown $1 to {format_money(wealth)}"
    )
    evidence = findings.race.stronger(first, second)
    made = findings.duels[0].wealth.predictions_made if findings.duels else "before"
    if evidence is None or made == "in-sample" or findings.no_evidence is not None:
        return Claim("bets", f"{text}.", "estimated", {"log_wealth": wealth})
    hedge = "" if made == "before" else " if these were out-of-sample predictions"
    e_value = f"The two-sided e-value is {format_wealth(evidence.log_e_value)}{hedge}"
    text += f'. {e_value}, against "{evidence.null}"; it does not say which is better on average.'
    numbers = {"log_wealth": wealth, "log_e_value": evidence.log_e_value, "null": evidence.null}
    return Claim("bets", text, "estimated", numbers)


def comparison_citation(findings: ComparisonFindings) -> str:
    """Write the sentence for a paper or a model card, on the best two systems, the better one first."""
    found = findings.difference(*findings.ranked[:2])[findings.headline]
    if found.undefined is not None:
        return ""
    size, *ends = format_together(found.difference, *found.interval(findings.level))
    said = f"{describe_measure(found.measure)} of {found.first} − {found.second}: {size}"
    interval = f"{format_level(findings.level)} CI {ends[0]} to {ends[1]}, {found.interval_method}"
    number = f"{format_count(found.cases)} {plural(found.cases, findings.unit)}"
    return f"{said} ({interval}); {_test(found)}; {number}; Edgeworth {__version__}."


def _listed(names: list[str]) -> str:
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
