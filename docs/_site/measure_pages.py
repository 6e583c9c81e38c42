"""One page per measure, from its entry in the catalogue."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterable
from pathlib import Path

from markdown import cell, contents, plain, table, write_page

import edgeworth as ew

Measures = tuple[ew.Measure, ...]

KINDS = {
    "decisions": (
        "Labels",
        "For predictions that are labels, and for a ranking cut at a depth or a threshold.",
    ),
    "rankings": (
        "Scores",
        "For scores that rank items, and for search results. The items that you look for are the targets.",
    ),
    "probabilities": ("Probabilities", "For probabilities of classes, and for bets that use them."),
    "grades": ("Graded answers", "For answers that are right or wrong, and for points."),
}
FOR = {
    "overall": "labels, all classes together",
    "cells": "labels, all classes together",
    "label": "one label of several",
    "ranking": "scores",
    "scores": "probabilities",
    "calibration": "probabilities of one class",
    "wealth": "bets that use probabilities",
    "grades": "graded answers",
}
DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither higher nor lower is better",
}

LABELS = (
    "table = ew.ContingencyTable.from_matrix(\n"
    '...     [[56, 20], [12, 12]], rows="predicted", labels=["spam", "ham"]\n'
    "... )"
)
RANKING = "tally = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 1, 0, 0, 0] + [0] * 30 + [1] + [0] * 9)"
TRUTH = "truth = [1, 0, 0, 1, 1, 0, 1, 0] * 3"
FORECASTS = "forecasts = [0.8, 0.3, 0.6, 0.4, 0.7, 0.1, 0.5, 0.2] * 3"
SETUPS = {
    "overall": (LABELS.replace("table", "tally", 1),),
    "cells": (LABELS.replace("table", "tally", 1),),
    "label": (LABELS.replace("table", "tally", 1),),
    "ranking": (RANKING,),
    "scores": (TRUTH, FORECASTS, 'tally = ew.ForecastScores.from_probabilities(truth, {"model": forecasts})'),
    "calibration": (TRUTH, FORECASTS, "tally = ew.Calibration.from_probabilities(truth, forecasts)"),
    "wealth": (
        TRUTH,
        FORECASTS,
        "tally = ew.Wealth.from_probabilities(truth, forecasts, against=[0.5] * len(truth))",
    ),
    "grades": (
        "answers = [1] * 36 + [0] * 4 + [1] * 24 + [0] * 16",
        "tally = ew.Grades.from_grades(answers, ids=list(range(40)) * 2)",
    ),
}
LISTS = (
    "grades = [1, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 2]",
    "queries = [number // 5 for number in range(20)]",
    "scores, documents = [5, 4, 3, 2, 1] * 4, list(range(20))",
    "tally = ew.RankedLists.from_scores(grades, scores, groups=queries, ids=documents)",
)
IN_TIME_ORDER = (
    TRUTH,
    FORECASTS,
    "tally = ew.Wealth.from_probabilities(truth, forecasts, against=[0.5] * len(truth), ordered=True)",
)
SETUPS_BY_NAME = {
    "bpref": LISTS,
    "err": LISTS,
    "judged": LISTS,
    "mean": ("tally = ew.Grades.from_grades([4, 3, 5, 2, 3] * 20, grade_range=(0, 5))",),
    "log_maximum": IN_TIME_ORDER,
    "drawdown": IN_TIME_ORDER,
}
"""Measures that need other data than the rest of their scope."""
THREE_LABELS = (
    'tally = ew.ContingencyTable.from_matrix([[30, 9, 4], [6, 25, 7], [5, 8, 22]], rows="predicted")',
)
HOW = {
    "exact": "exact,",
    "bracket": "bracketed between two bounds,",
    "bound": "an upper bound,",
    "drawn": "a simulation,",
    "approximation": "approximate,",
}
EXACT = {
    "decisions": "exact for small tables, an upper bound or a simulation for large ones,",
    "rankings": "exact for short lists, an upper bound or a simulation for long ones,",
}
"""Tests that are exact for the small tallies of the examples, and not for all."""
NULLS = {
    "decisions": "against guessing with the same margins",
    "rankings": "against a random order",
    "probabilities": "against the class shares",
    "grades": "against the guess rate",
}
TARGETS = {"label": "[spam]", "calibration": "[1]", "scores": "[model]"}
GRADED_ANSWERS = "[graded answers](../methods/graded-answers.md)"
OWN_INTERVALS = {
    "mean": f"Wilson for the effective number of answers if the range is stated, otherwise Student's t: see "
    f"{GRADED_ANSWERS}",
    **dict.fromkeys(
        ("accuracy", "pass", "pass_all", "flip_rate"),
        f"Wilson; with repeats or clusters, Wilson for the effective number of answers: see {GRADED_ANSWERS}",
    ),
}
"""Intervals of grades, of which an example shows only one."""
EVALUATE = "none for the score by itself; evaluate compares it with the score of the class shares"
OWN_TESTS = {
    "wealth": "the value itself: if the other forecasts are right, a wealth of x or more has probability 1/x "
    "at most",
    "log_maximum": "the value itself: if the other forecasts are right, a maximum of ln x or more has "
    "probability 1/x at most",
    "brier": EVALUATE,
    "log": EVALUATE,
}
"""Tests that an estimate does not make."""


def write_measure_pages(source: Path) -> None:
    """Write the list of measures and a page for each."""
    folder = source / "measures"
    pages = group_measures(ew.catalogue())
    parts = [
        "# Measures",
        "Each page has the same parts: how to read the value, the range, the chance level, the interval and "
        "the test, the source, the formula, what to watch for, and an example. "
        "[Which number should I report?](../want/which-number-to-report.md) helps you choose.",
        "A measure is written `name[label]@depth(option=value)`, in Python and with `--measure`. Other "
        "common names work too: `F1[spam]`, `auc`, `P@5`, `nDCG@10`.",
    ]
    for kind, (title, text) in KINDS.items():
        rows = []
        for (_, name), measures in pages.items():
            if measures[0].kind == kind:
                names = f"[{plain(measures[0].words)}]({page_name(kind, name)}.md)"
                spellings = ", ".join(f"`{each.spelling}`" for each in measures)
                rows.append((names, spellings, _synonyms(measures)))
        parts += [f"## {title}", text, table(("measure", "spelled", "also called"), rows)]
    parts.append(contents(page_name(*key) for key in pages))
    write_page(folder / "index.md", *parts)
    for (kind, name), measures in pages.items():
        write_page(folder / f"{page_name(kind, name)}.md", *measure_page(measures))


def group_measures(measures: Iterable[ew.Measure]) -> dict[tuple[str, str], Measures]:
    """Put measures with one name on one page: informedness overall and for one label."""
    pages: dict[tuple[str, str], Measures] = {}
    for measure in measures:
        key = (measure.kind, measure.name)
        pages[key] = (*pages.get(key, ()), measure)
    return pages


def page_name(kind: str, name: str) -> str:
    """Name the page of a measure; accuracy is a measure of labels and of grades."""
    is_shared = kind == "grades" and name == "accuracy"
    return name.replace("_", "-") + ("-of-grades" if is_shared else "")


def measure_page(measures: Measures) -> list[str]:
    """Write the parts of a page."""
    first = measures[0]
    guidance = next((each.guidance for each in measures if each.guidance), None)
    title = plain(first.words)
    parts = [f"# {title[:1].upper()}{title[1:]}"]
    if guidance:
        parts += ["## How to read it", guidance.reads_as, "## Facts"]
    parts += [_facts(measures)]
    parts += ["## Definition"]
    if guidance and guidance.latex:
        parts.append(f"$$\n{guidance.latex}\n$$")
    for each in measures:
        lead = f"For {FOR[each.scope]}: " if len(measures) > 1 else ""
        parts.append(f"{lead}`{each.formula}`")
    parts += _options(measures)
    if guidance and guidance.use_when:
        parts += ["## When to use it", guidance.use_when]
    if guidance and guidance.avoid_when:
        parts += ["## What to watch for", "\n".join(f"- {text}" for text in guidance.avoid_when)]
    parts += _undefined(measures)
    parts += ["## Example", "```python\n" + example(measures) + "\n```"]
    return parts


def _facts(measures: Measures) -> str:
    first = measures[0]
    rows = [
        ("**Spelled**", ", ".join(f"`{each.spelling}`" for each in measures)),
        ("**For**", "; ".join(dict.fromkeys(FOR[each.scope] for each in measures))),
        (
            "**Range**",
            f"{_number(first.low)} to {first.limit or _number(first.high)}; {DIRECTIONS[first.direction]}",
        ),
        ("**Chance level**", "; ".join(dict.fromkeys(plain(each.chance) for each in measures))),
        ("**Interval**", _intervals(measures)),
        ("**Test**", _tests(measures)),
        (
            "**Source**",
            "; ".join(dict.fromkeys(plain(each.source) for each in measures if each.source)) or "–",
        ),
        ("**Also called**", _synonyms(measures) or "–"),
    ]
    return table(("", ""), rows)


def _number(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:g}".replace("-", "−")


def _synonyms(measures: Measures) -> str:
    return ", ".join(dict.fromkeys(plain(text) for each in measures for text in each.synonyms))


def _options(measures: Measures) -> list[str]:
    rows = []
    for name, option in {n: o for each in measures for n, o in each.options.items()}.items():
        if option.choices:
            values = ", ".join(f"`{word}`" for word in option.choices)
        else:
            low, high = _number(option.low), _number(option.high)
            values = f"a number from {low} to {high}"
        rows.append((f"`{name}`", values, f"`{option.default}`"))
    return [table(("option", "values", "default"), rows)] if rows else []


def _undefined(measures: Measures) -> list[str]:
    reasons = dict.fromkeys(need.otherwise for each in measures for need in each.needs)
    if not reasons:
        return []
    return [
        "## When it is undefined",
        "\n".join(f"- {plain(cell(reason.replace('{label}', 'this class')))}" for reason in reasons),
    ]


def spelling(measure: ew.Measure) -> str:
    """Spell a measure for the example's data."""
    depth = "@2" if measure.kind == "grades" and measure.depth == "required" else ""
    depth = "@5" if measure.kind == "rankings" and measure.depth == "required" else depth
    return f"{measure.name}{TARGETS.get(measure.scope, '')}{depth}"


def setup(measure: ew.Measure) -> tuple[str, ...]:
    """Return the lines that make the example's data."""
    return SETUPS_BY_NAME.get(measure.name, SETUPS[measure.scope])


def estimate(measure: ew.Measure, lines: tuple[str, ...] = ()) -> ew.Estimate:
    """Estimate a measure on the example's data."""
    names: dict[str, object] = {"ew": ew}
    exec("\n".join(lines or setup(measure)).replace("\n... ", "\n"), names)  # our own lines above
    return ew.estimate(names["tally"], spelling(measure))


def example(measures: Measures) -> str:
    """Write an example with the output of its lines."""
    lines = [">>> import edgeworth as ew", *(f">>> {line}" for line in setup(measures[0]))]
    for each in measures:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            print(estimate(each))
        lines += [f'>>> print(ew.estimate(tally, "{spelling(each)}"))', shown.getvalue().rstrip()]
    return "\n".join(lines)


def _intervals(measures: Measures) -> str:
    if measures[0].kind == "grades":
        return OWN_INTERVALS[measures[0].name]
    texts = []
    for each in measures:
        two = _interval(estimate(each))
        more = _interval(estimate(each, THREE_LABELS)) if each.scope in ("overall", "cells") else two
        text = two if two == more else f"{two} (two classes), {more} (more classes)"
        texts.append(f"{FOR[each.scope]}: {text}" if len(measures) > 1 else text)
    return plain("; ".join(dict.fromkeys(texts)))


def _interval(result: ew.Estimate) -> str:
    return f"none: {result.no_interval}" if result.law is None else str(result.method)


def _tests(measures: Measures) -> str:
    texts = []
    for each in measures:
        if each.name in OWN_TESTS:
            texts.append(OWN_TESTS[each.name])
            continue
        if each.calibration_test is not None:
            texts.append("whether the forecasts are calibrated")
            continue
        if each.kind == "grades" and each.is_share_of_right_answers and each.depth == "none":
            texts.append("against the rate passed as --guess-rate; exact without repeats and clusters")
            continue
        if each.direction == "neither":
            texts.append("none: it does not measure how good predictions are")
            continue
        result = estimate(each).test_against_chance("two-sided")
        if result is not None:
            how = EXACT.get(each.kind, HOW["exact"]) if result.kind == "exact" else HOW[result.kind]
            texts.append(f"{how} {NULLS[each.kind]}")
        elif math.isnan(estimate(each).p_value()):
            texts.append("none")
        else:
            texts.append("the chance level is compared with the interval's distribution")
    return plain("; ".join(dict.fromkeys(texts)))
