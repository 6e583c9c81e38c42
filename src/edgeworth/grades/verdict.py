"""The verdict on grades: how good, better than guessing or not, and what varies."""

from __future__ import annotations

import math

from edgeworth import __version__
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    format_count,
    format_level,
    format_number,
    format_p_value,
    format_percent,
    format_rounded,
    plural,
)
from edgeworth.grades.findings import GradeFindings
from edgeworth.report.verdict import Claim, Strength, Verdict, numbers_of
from edgeworth.report.wording import describe_estimate, describe_measure, describe_odds, describe_test


def grades_verdict(findings: GradeFindings, name: str = "") -> Verdict:
    """Write the verdict on grades of this name."""
    return Verdict([_level(findings, name), _guessing(findings), _sample_size(findings), _repeats(findings)])


def describe_share(estimate: Estimate, level: float) -> str:
    """Write a share with its interval: 71.2% (95% CI 66.0% to 75.8%)."""
    if estimate.law is None:
        return f"{format_percent(estimate.value, 1)} (no interval: {estimate.no_interval})"
    low, high = (format_percent(bound, 1) for bound in estimate.interval(level))
    return f"{format_percent(estimate.value, 1)} ({format_level(level)} CI {low} to {high})"


def _level(findings: GradeFindings, name: str) -> Claim:
    estimate, level, grades = findings.mean, findings.level, findings.grades
    strength: Strength = "estimated"
    if grades.is_binary:
        share, _, interval = describe_share(estimate, level).partition(" ")
        text = (
            f"{name} answers {share} right {interval}" if name else f"{share} of answers are right {interval}"
        )
        if findings.guess_rate is not None:
            strength = "shown" if findings.is_conclusive else "not shown"
            better = "better" if estimate.value > findings.guess_rate else "worse"
            how = f"{better} than" if findings.is_conclusive else "no significant difference from"
            text += f": {how} guessing ({format_percent(findings.guess_rate, 1)})"
    else:
        high = grades.bounds[1]
        of = (
            f", of {format_number(high)} at most"
            if math.isfinite(high) and not grades.lower_is_better
            else ""
        )
        lower = "; lower is better" if grades.lower_is_better else ""
        text = f"{name or 'Grades'}: mean {describe_estimate(estimate, level)}{of}{lower}"
    return Claim(estimate.measure, f"{text}.", strength, numbers_of(estimate, level), str(estimate.method))


def _guessing(findings: GradeFindings) -> Claim | None:
    estimate, tail = findings.mean, findings.tail
    if findings.guess_rate is None or estimate.law is None:
        return None
    if tail is None:
        text = f"Test against the guess rate: {format_p_value(estimate.p_value())}."
        numbers, method = {"p_value": estimate.p_value()}, str(estimate.method)
    else:
        how = "well" if estimate.value >= findings.guess_rate else "badly"
        text = f"Chance of doing this {how} by guessing: {describe_odds(tail)} ({describe_test(tail)})."
        numbers, method = {"p_value": tail.p_value}, tail.method
    if findings.corrected is not None and findings.is_conclusive and estimate.value > findings.guess_rate:
        known = describe_share(findings.corrected, findings.level)
        text += f" Corrected for guessing, it knows {known} of the answers."
    return Claim("chance", text, "shown" if findings.is_conclusive else "not shown", numbers, method)


def _sample_size(findings: GradeFindings) -> Claim | None:
    plan = findings.plan
    if plan is None or findings.is_conclusive or not 0 < plan.more < math.inf:
        return None
    text = (
        f"About {format_rounded(plan.more)} more {plural(plan.more, 'item')} would decide if the true rate "
        f"is the one seen ({format_percent(plan.power)} power)."
    )
    return Claim("sample size", text, "advised", {"more_items": plan.more, "power": plan.power})


def _repeats(findings: GradeFindings) -> Claim | None:
    split = findings.split
    if split is None:
        return None
    share = format_percent(split.from_repeats)
    more = "more repeats or more items" if split.from_repeats > 0.5 else "more items, rather than repeats,"
    text = f"Repeats add {share} of the variance of item means: {more} make the mean surer."
    return Claim("repeats", text, "advised", {"from_repeats": split.from_repeats})


def grades_citation(findings: GradeFindings) -> str:
    """Write the sentence for a paper or a model card."""
    estimate, grades = findings.mean, findings.grades
    said = [f"{describe_measure(estimate.measure)} {describe_estimate(estimate, findings.level)}"]
    said += [str(estimate.method)] if estimate.law is not None else []
    number = f"n = {format_count(grades.number)} {plural(grades.number, 'item')}"
    said.append(number + (f", {format_count(grades.rows_counted)} grades" if grades.has_repeats else ""))
    return f"{'; '.join(said)}; Edgeworth {__version__}."


def grades_warnings(findings: GradeFindings) -> tuple[str, ...]:
    """Write the warnings, one sentence each."""
    grades, estimate = findings.grades, findings.mean
    said = []
    if grades.unscored:
        are = plural(grades.unscored, "answer has no grade and is", "answers have no grade and are")
        said.append(f"{grades.unscored:,} {are} left out.")
    if estimate.doubt is not None:
        said.append(
            f"{estimate.doubt.capitalize()}: coverage may be below {format_percent(findings.level)}, and "
            "nothing is concluded. Collect more clusters of like size."
        )
    if grades.cluster_names is not None:
        number, freedom = len(grades.cluster_names), getattr(estimate.law, "freedom", math.inf)
        known = f" ({freedom:.1f} degrees of freedom)" if math.isfinite(freedom) else ""
        said.append(f"The interval rests on {number:,} {plural(number, 'cluster')}{known}.")
    return tuple(said)
