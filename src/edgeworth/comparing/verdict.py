"""The verdict of a comparison: who is better, how surely, and what it would take to know."""

from __future__ import annotations

import math

from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import ComparisonFindings
from edgeworth.core.formatting import (
    MINUS,
    format_count,
    format_level,
    format_number,
    format_p_value,
    format_percent,
    format_rounded,
    format_wealth,
    interval_decimals,
    plural,
    shorten,
)
from edgeworth.core.measures import Spelling
from edgeworth.report.wording import describe_measure, describe_p_value

_MORE = {"informedness": "informed", "accuracy": "right"}
_MORE_OF_LABEL = {"recall": "finds {label}", "precision": "right when it says {label}"}
"""Measures whose difference is a number of cases in a hundred."""

_TESTS = {
    "mcnemar": "McNemar",
    "mcnemar mid-p": "McNemar mid-p",
    "wald": "Wald",
    "t": "paired t",
    "delong": "DeLong",
    "wilcoxon": "Wilcoxon",
    "influence": "jackknife t",
    "diebold-mariano": "Diebold–Mariano",
}


def name_of_test(name: str) -> str:
    """Name a test as people call it."""
    return _TESTS.get(name, name.replace("_", " "))


def in_points(measure: str) -> str | None:
    """Find the verb for a difference in percentage points ("finds spam"); None if it is no such thing.

    >>> in_points("informedness"), in_points("recall[spam]"), in_points("precision@5")
    ('informed', 'finds spam', None)
    """
    spelling = Spelling.parse(measure)
    if spelling.depth is not None or spelling.options:
        return None
    if spelling.label is None:
        return _MORE.get(spelling.name)
    words = _MORE_OF_LABEL.get(spelling.name)
    return None if words is None else words.format(label=shorten(str(spelling.label), 30))


def format_money(log_wealth: float) -> str:
    """Write what $1 has become; a power of ten when that is long.

    >>> format_money(math.log(12.345)), format_money(100.0)
    ('$12.35', '$2.7e43')
    """
    return f"${format_wealth(log_wealth) if log_wealth > math.log(1e9) else f'{math.exp(log_wealth):,.2f}'}"


MOST_DECIMALS = 6


def comparison_verdict(findings: ComparisonFindings) -> str:
    """Write the verdict: of two systems who is better; of more who leads and who cannot be told from it."""
    parts = [_switched(findings)]
    if len(findings.names) == 2:
        parts += [_of_two(findings), _disagreement(findings), _race(findings)]
    else:
        parts += [_of_many(findings), _first_two(findings)]
    return " ".join(filter(None, parts))


def _switched(findings: ComparisonFindings) -> str:
    """Explain why the measure asked for first is not the one to go by."""
    first = findings.measures[0]
    if first == findings.headline:
        return ""
    why = _reason(findings, first)
    now = describe_measure(findings.headline)
    return f"By {describe_measure(first)} not all can be compared{why and f' ({why})'}, so this is by {now}."


def _reason(findings: ComparisonFindings, measure: str) -> str:
    return next(
        (each[measure].undefined or "" for each in findings.pairs.values() if each[measure].undefined), ""
    )


def _of_two(findings: ComparisonFindings) -> str:
    first, second = findings.names
    difference = findings.pairs[first, second][findings.headline]
    said = describe_measure(findings.headline)
    if difference.undefined is not None:
        return f"{first} and {second} cannot be compared by {said}: {difference.undefined}."
    if difference.difference == 0:
        silent = findings.disagreements and not findings.disagreements[0]["disagreements"]
        same = "they say the same on every case" if silent else f"{said} is the same for both"
        return f"{first} and {second} cannot be told apart: {same}."
    if findings.direction == "neither":
        higher = difference if difference.difference > 0 else difference.mirror()
        how = "differ" if findings.is_conclusive(first, second) else "cannot be told apart"
        return (
            f"{first} and {second} {how} in {said}: {format_number(higher.difference)} higher for "
            f"{higher.first} ({_interval(higher, findings)}; {_test(higher)}). Neither way is better."
        )
    better = difference if difference.better == first else difference.mirror()
    how_much = f"{_how_much(better)} ({_interval(better, findings)}; {_test(better)})"
    if findings.is_conclusive(first, second):
        return f"{better.first} is better: {how_much}."
    return (
        f"{first} and {second} cannot be told apart by {said}: {better.first} is ahead, {how_much}. "
        f"{_what_it_takes(findings, (first, second))}"
    ).rstrip()


def _of_many(findings: ComparisonFindings) -> str:
    valued, headline = findings.valued, findings.headline
    number, said = len(findings.names), describe_measure(headline)
    if len(valued) < 2:
        return (
            f"The {number} systems cannot be compared by {said}: {_reason(findings, headline) or 'no value'}."
        )
    without = [name for name in findings.names if name not in valued]
    verb = plural(len(without), "has", "have")
    left_out = f" {_listed(without)} {verb} no value to compare." if without else ""
    best = valued[0]
    value = format_number(findings.values[best][headline])
    if findings.direction == "neither":
        return f"{best} has the most of {number} systems: {said} {value}. Neither way is better.{left_out}"
    same = [name for name in valued[1:] if not findings.is_conclusive(best, name)]
    beaten = [name for name in valued[1:] if findings.is_conclusive(best, name)]
    leads = f"{best} leads {number} systems with {said} {value}"
    if not same:
        return f"{leads} and is better than all others, all pairs considered.{left_out}"
    if not beaten:
        return f"{leads}, but cannot be told apart from any of the others, all pairs considered.{left_out}"
    return (
        f"{leads}: better than {_listed(beaten)}, but not to be told apart from {_listed(same)}, all pairs "
        f"considered.{left_out}"
    )


def _first_two(findings: ComparisonFindings) -> str:
    if len(findings.valued) < 2 or findings.direction == "neither":
        return ""
    first, second = findings.valued[:2]
    difference = findings.difference(first, second)[findings.headline]
    if math.isnan(difference.difference) or not difference.difference:
        return ""
    said = f"{first} against {second}: {_how_much(difference)} ({_interval(difference, findings)})."
    if findings.is_conclusive(first, second):
        return said
    return f"{said} {_what_it_takes(findings, findings.as_given(first, second))}".rstrip()


def _how_much(better: Difference) -> str:
    """What the better one does more, or less, of."""
    size, does = abs(better.difference), in_points(better.measure)
    if does is not None:
        points = f"{size * 100:.{_decimals(better)}f}"
        return f"{does} {points} {plural(float(points), 'point')} more often"
    word = "higher" if better.difference > 0 else "lower"
    return f"{describe_measure(better.measure)} {format_number(size)} {word}"


def _decimals(better: Difference) -> int:
    """Decimals of points: as the interval is wide, and more until the difference is not one of 0."""
    least = interval_decimals(*better.interval())
    size = abs(better.difference) * 100
    return next((digits for digits in range(least, MOST_DECIMALS) if round(size, digits)), MOST_DECIMALS)


def _interval(better: Difference, findings: ComparisonFindings) -> str:
    low, high = better.interval(findings.level)
    if math.isnan(low):
        return "no interval"
    if in_points(better.measure) is not None:
        # "z" makes −0.0 what it is.
        ends = [f"{100 * bound:z.{_decimals(better)}f}".replace("-", MINUS) for bound in (low, high)]
    else:
        turn = sorted((low, high) if better.difference > 0 else (-low, -high))
        ends = [format_number(bound) for bound in turn]
    return f"{format_level(findings.level)} interval {ends[0]} to {ends[1]}"


def _test(better: Difference) -> str:
    if not better.tests:
        p_value = better.p_value()
        return "no test" if math.isnan(p_value) else format_p_value(p_value)
    name, tail = next(iter(better.tests.items()))
    exact = "exact " if tail.kind == "exact" and name in ("randomisation", "permutation") else ""
    return f"{exact}{name_of_test(name)} {describe_p_value(tail)}"


def _what_it_takes(findings: ComparisonFindings, pair: tuple[str, str]) -> str:
    plan = findings.plans[pair]
    if not math.isfinite(plan.more) or plan.more <= 0:
        return ""
    units = plural(plan.more, findings.unit, {"query": "queries"}.get(findings.unit))
    pairs = "" if len(findings.names) == 2 else ", all pairs considered"
    return (
        f"If the difference is real and of this size, about {format_rounded(plan.more)} more {units} "
        "would show it "
        f"({format_percent(plan.power)} power{pairs})."
    )


def _disagreement(findings: ComparisonFindings) -> str:
    if not findings.disagreements or not findings.disagreements[0]["disagreements"]:
        return ""
    number = findings.disagreements[0]["disagreements"]
    cases = f"{format_count(findings.cases)} {plural(findings.cases, 'case')}"
    return f"They disagree on {format_count(number)} of {cases}."


def _race(findings: ComparisonFindings) -> str:
    """Say what one would have won by betting against the other."""
    if findings.race is None:
        return ""
    first, second = findings.race.standings
    wealth = findings.race.against(first, second)
    if not wealth > 0:
        return ""
    if math.isinf(wealth):
        return f"Betting against {first} would have ruined {second}, who ruled out what happened."
    said = f"Betting against {second}, {first} would have turned $1 into {format_money(wealth)}"
    evidence = findings.race.stronger(first, second)
    made = findings.duels[0].wealth.predictions_made if findings.duels else "before"
    if evidence is None or made == "in-sample" or findings.no_evidence is not None:
        return f"{said}."
    hedge = "" if made == "before" else "had the predictions been made before the outcomes, "
    return (
        f"{said} ({hedge}evidence against {second}'s probabilities: e = "
        f"{format_wealth(evidence.log_e_value)}, both directions paid for)."
    )


def _listed(names: list[str]) -> str:
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
