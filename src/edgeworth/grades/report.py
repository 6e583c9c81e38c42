"""The report on grades: the verdict, tables and a chart made from the findings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from edgeworth import __version__
from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    format_count,
    format_level,
    format_number,
    format_p_value,
    format_percent,
    format_rounded,
    in_clusters,
    plural,
)
from edgeworth.core.kinds import ReportInput
from edgeworth.core.options import Options
from edgeworth.core.sampling_distributions import alpha_of, degrees_of_freedom, is_significant
from edgeworth.grades.findings import GradeFindings, describe_answers, examine_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.policy import MAX_ITEMS_IN_JSON
from edgeworth.grades.slice_gaps import unit_extremes
from edgeworth.report.charts.chart import FIRST, WIDTH, Chart, Kit
from edgeworth.report.estimates import estimates_grid, test_result_to_dict
from edgeworth.report.report import About, Charts, Column, Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Strength, Verdict, estimate_numbers
from edgeworth.report.wording import (
    MIN_CASES_TO_SUSPECT,
    describe_constant,
    describe_estimate,
    describe_measure,
    describe_odds,
    describe_test,
    format_option,
    p_value_cell,
)

MIN_NOISE_FOR_REPEATS = 0.05
"""With a smaller share of the uncertainty between runs, more repeats are no help."""

MAX_BARS = 20
"""The most bars of the chart: more distinct means are put into bins."""
MAX_CHARACTERS_BELOW = 50
"""Characters of all grades that fit below the bars side by side."""


def report_grades(tallied: ReportInput[Grades], options: Options, about: About) -> Report:
    """Examine grades and report on them."""
    grades = tallied.final
    findings = examine_grades(grades, level=options["level"], guess_rate=options["guess_rate"])
    claims = grade_claims(findings, tallied.terms.get("columns", {}).get("grade") or "")
    grid = estimates_grid(findings.estimates, findings.level)
    number = len(set(grades.clusters or ()))
    text = (f"Intervals allow for {number:,} {plural(number, 'cluster')}.",) if number else ()
    sections = [Section("How good", text, (grid,), ("items",), is_main=True)]
    if findings.split is not None:
        sections.append(_split_section(findings))
    return Report(
        verdict=Verdict(claims),
        citation=_citation(findings),
        lead="items",
        sections=tuple(sections),
        warnings=_warnings(findings),
        provenance=about(items=grades.number, grades=grades.rows_counted, guess_rate=findings.guess_rate),
        numbers=_numbers(findings),
        charts=Charts(lambda: _charts(findings)),
    )


def grade_claims(
    findings: GradeFindings, name: str = "", *, system: str = "", unit: str = "item", repeats: str = "repeats"
) -> list[Claim]:
    """Write the verdict on grades in a column ``name``, or on the answers of a ``system``."""
    claims = (
        _how_good(findings, name, system, unit),
        _guessing(findings),
        _sample_size(findings, unit),
        _repeats(findings, unit, repeats),
    )
    return [claim for claim in claims if claim is not None]


def _describe_share(estimate: Estimate, level: float) -> tuple[str, str]:
    """Write a share, and its interval in brackets: 71.2%, (95% CI 66.0% to 75.8%)."""
    share = format_percent(estimate.value, 1)
    if estimate.law is None:
        return share, f"(no interval: {estimate.no_interval})"
    low, high = (format_percent(bound, 1) for bound in estimate.interval(level))
    return share, f"({format_level(level)} CI {low} to {high})"


def _how_good(findings: GradeFindings, name: str, system: str, unit: str) -> Claim:
    estimate, level, grades = findings.mean, findings.level, findings.grades
    strength: Strength = "estimated"
    if grades.is_binary:
        share, interval = _describe_share(estimate, level)
        answers = f"the answers of {system}" if system else "answers"
        start = ""
        if findings.guess_rate is not None:
            strength = "shown" if findings.is_conclusive else "not shown"
            guessing = f"guessing ({format_percent(findings.guess_rate, 1)})"
            start, answers = f"{_against_guessing(findings, system, guessing)}: ", "answers"
        text = f"{start}{share} of {answers} are right {interval[:-1]}; {describe_sample(grades, unit)})"
    else:
        subject = f"Mean {name or 'grade'}{f' of {system}:' if system else ''}"
        text = f"{subject} {describe_estimate(estimate, level)[:-1]}; {describe_sample(grades, unit)})"
        if all(map(math.isfinite, grades.bounds)):
            text += f" on a scale from {' to '.join(map(format_option, grades.bounds))}"
        text += "; lower is better" if grades.lower_is_better else ""
    return Claim(
        estimate.measure, f"{text}.", strength, estimate_numbers(estimate, level), str(estimate.method)
    )


def _against_guessing(findings: GradeFindings, system: str, guessing: str) -> str:
    """Write what is shown against guessing, to be read before the share."""
    if not findings.is_conclusive:
        return f"No clear difference {f'between {system} and' if system else 'from'} {guessing}"
    if findings.guess_rate is not None and findings.mean.value > findings.guess_rate:
        return f"{system} beats {guessing}" if system else f"The answers beat {guessing}"
    return f"{f'{system} does' if system else 'The answers do'} worse than {guessing}"


def _guessing(findings: GradeFindings) -> Claim | None:
    estimate, rate = findings.mean, findings.guess_rate
    if rate is None or estimate.law is None:
        return None
    tail = estimate.test_against_chance("greater" if estimate.value >= rate else "less")
    p_value, method = estimate.p_value(), str(estimate.method)
    text = f"Test against the guess rate: {format_p_value(p_value)}."
    if tail is not None:
        p_value, method = p_value_cell(tail), tail.method
        how = "well" if estimate.value >= rate else "badly"
        text = f"Chance of doing this {how} by guessing: {describe_odds(tail)} ({describe_test(tail)})."
        both = estimate.p_value()
        # Readers take a p-value of exactly 0.05 for significant too, so the two-sided one is printed.
        if tail.p_value <= alpha_of(findings.level) and not is_significant(both, findings.level):
            p_value, text = both, f"Test against guessing: two-sided {format_p_value(both)}."
    if findings.is_conclusive and estimate.value > rate:
        known, interval = _describe_share(findings.estimates[1], findings.level)
        text += f" Corrected for guessing: {known} {interval}."
    return Claim(
        "chance", text, "shown" if findings.is_conclusive else "not shown", {"p_value": p_value}, method
    )


def _sample_size(findings: GradeFindings, unit: str) -> Claim | None:
    if findings.guess_rate is None or findings.is_conclusive:
        return None
    plan = findings.mean.cases_needed(level=findings.level)
    if not 0 < plan.more < math.inf:
        return None
    now = f"{format_count(plan.cases)} now; {format_percent(plan.power)} power"
    needed = f"{format_rounded(plan.needed)} {plural(0, unit)}"
    text = f"Confirming a difference of this size needs about {needed} ({now})."
    return Claim("sample size", text, "advised", {"more_items": plan.more, "power": plan.power})


def _repeats(findings: GradeFindings, unit: str, repeats: str) -> Claim | None:
    if findings.split is None:
        return None
    share, units = findings.split.from_repeats, plural(0, unit)
    advice = f"More {repeats} can remove that part; the rest needs more {units}."
    if share < MIN_NOISE_FOR_REPEATS:
        advice = f"Add {units}, not {repeats}."
    text = f"Run-to-run noise is {format_percent(share)} of the uncertainty. {advice}"
    return Claim("repeats", text, "advised", {"from_repeats": share})


def describe_sample(grades: Grades, unit: str) -> str:
    """Write the number of items, of their clusters, and of answers if items were repeated."""
    clusters = in_clusters(len(set(grades.clusters)) if grades.clusters else None)
    text, answers = f"{grades.number:,} {plural(grades.number, unit)}", describe_answers([grades])
    if not answers:
        return f"{text}{clusters}"
    return f"{text}, {answers}{',' if clusters else ''}{clusters}"


def _split_section(findings: GradeFindings) -> Section:
    split = findings.split
    assert split is not None
    share = "share of the uncertainty/percent"
    rows = (
        ("between items", math.sqrt(split.between), 1 - split.from_repeats),
        ("between repeats of an item", math.sqrt(split.within), split.from_repeats),
    )
    grid = Grid("", make_columns("what/text", "standard deviation", share), rows)
    return Section("Items and repeats", (), (grid,), is_main=True)


def _citation(findings: GradeFindings) -> str:
    """Write the sentence for a paper or a model card."""
    estimate, facts = findings.mean, findings.grades.facts()
    value = f"{describe_measure(estimate.measure)} {describe_estimate(estimate, findings.level)}"
    method = "" if estimate.law is None else f"; {estimate.method}"
    counts = ", ".join(f"{format_count(number)} {noun}" for noun, number in facts.items())
    return f"{value}{method}; {counts}; Edgeworth {__version__}."


def _warnings(findings: GradeFindings) -> tuple[str, ...]:
    grades, estimate = findings.grades, findings.mean
    warnings = []
    if grades.unscored:
        words = plural(grades.unscored, "answer has no grade and is", "answers have no grade and are")
        warnings.append(f"{grades.unscored:,} {words} excluded.")
    means = grades.means
    is_one_grade = not grades.zero_one and bool((means == means[0]).all())
    if is_one_grade and grades.items.sum() >= MIN_CASES_TO_SUSPECT:
        warnings.append(describe_constant("The grade", format_number(float(means[0]))))
    if estimate.no_claim is not None:
        warnings.append(
            f"{estimate.no_claim.capitalize()}: coverage may be below {format_percent(findings.level)}, and "
            "no conclusion is drawn. Collect more clusters of similar size."
        )
    return tuple(warnings)


def _numbers(findings: GradeFindings) -> JsonObject:
    mean, split = findings.mean, findings.split
    return {
        "kind": "grades",
        "level": findings.level,
        "is_conclusive": findings.is_conclusive,
        "estimates": {estimate.measure: estimate.to_dict(findings.level) for estimate in findings.estimates},
        "guessing": findings.guess_rate
        and {
            "rate": findings.guess_rate,
            "at_least": test_result_to_dict(mean.test_against_chance("greater")),
            "either_way": test_result_to_dict(mean.test_against_chance("two-sided")),
            "p_value": finite_or_none(mean.p_value()),
        },
        "variance": None if split is None else vars(split),
        "freedom": finite_or_none(degrees_of_freedom(mean.law)),
        **findings.grades.facts(),
        "extremes": unit_extremes(findings.grades),
        "item_grades": _item_grades(findings.grades),
    }


def _item_grades(grades: Grades) -> dict[str, float] | None:
    """List the mean grade of each item by its id, so that ``diff`` can pair two reports."""
    if grades.ids is None or grades.number > MAX_ITEMS_IN_JSON:
        return None
    return dict(zip(map(str, grades.ids), grades.means.tolist(), strict=True))


def _charts(findings: GradeFindings) -> Iterable[Chart]:
    """Draw how many items have which mean grade."""
    grades = findings.grades
    values, value_index = np.unique(grades.means, return_inverse=True)
    texts = [f"{value:.3g}" for value in values]
    numbers = np.bincount(value_index, weights=grades.items).astype(int).tolist()
    if len(values) > MAX_BARS:
        counted, edges = np.histogram(grades.means, bins=MAX_BARS, weights=grades.items)
        texts = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges.tolist())]
        numbers = counted.astype(int).tolist()
    rows = tuple({"grade": text, "items": number} for text, number in zip(texts, numbers, strict=True))

    def draw(kit: Kit) -> object:
        alt = kit.alt
        axis = alt.Axis(labelAngle=0 if sum(map(len, texts)) <= MAX_CHARACTERS_BELOW else -45)
        across = alt.X("grade:N", sort=texts, title="mean grade of an item", axis=axis)
        bars = kit.base("items").mark_bar(color=FIRST).encode(x=across, y=alt.Y("items:Q", title="items"))
        return bars.encode(tooltip=kit.tooltip({"grade": "", "items": ",d"})).properties(width=WIDTH)

    largest = max(numbers)
    text = f"{largest:,} {plural(largest, 'item has', 'items have')} grade {texts[numbers.index(largest)]}."
    table = (Column("grade"), Column("items", "count"))
    yield Chart("items", "Items by grade", text, {"items": rows}, draw, table)
