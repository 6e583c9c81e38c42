"""The report of a comparison: findings in, sections and tables out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.choices import Adjust
from edgeworth.comparisons.chance import CLASS_SHARES
from edgeworth.comparisons.charts import comparison_charts
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, Disagreement
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.suspicious import suspicious_systems
from edgeworth.comparisons.verdict import (
    comparison_citation,
    comparison_verdict,
    describe_chance,
    name_of_test,
    primary_test,
)
from edgeworth.core.formatting import (
    cut_middle,
    format_count,
    format_level,
    format_number,
    format_percent,
    format_wealth,
    plural,
)
from edgeworth.core.options import Options
from edgeworth.core.registry import canonical_spelling, canonical_spellings
from edgeworth.report.frames import Row
from edgeworth.report.report import About, Cell, Column, Grid, Report, Section, make_columns
from edgeworth.report.wording import describe_measure, interval_cell, p_value_cell

if TYPE_CHECKING:
    from edgeworth.comparisons.forecasts.bets import WealthRow

SHOWN_MEASURES = 5
"""In the table of standings, which is as wide as they are many."""

SHOWN_OF_TWO = 8
"""Measures of two systems that are shown first, with their tests."""

MOST_OF_TWO = 60
"""Measures of two systems that a page shows; the rest is in the JSON."""

LONGEST_NAME = 24
"""Signs of a system's name where many stand in a table; the JSON has them all."""

SHOWN_PAIRS = 45
"""All pairs of ten systems; the rest is in the JSON."""

RANKED_PAIR, LESS = ("system", "other"), "system − other"
"""Heads of tables of pairs, in which the system of the higher rank comes first.

In data, CSV, JSON and frames, ``first`` and ``second`` are in the order in which the systems were given."""

ADJUSTED = {"holm": "Holm p", "benjamini-hochberg": "BH p", "tukey": "Tukey p", "none": "p"}


class FinalPaired(Protocol):
    """A record of joint counts whose labels are final."""

    @property
    def final(self) -> Paired: ...


def report_paired(tallied: FinalPaired, options: Options, about: About) -> Report:
    """Compare the systems of joint counts and report on them."""
    from edgeworth.comparisons.labels.differences import compare_labels

    paired, measures = tallied.final, canonical_spellings(options["measures"])
    adjust: Adjust = options["adjust"] or "holm"
    findings = compare_labels(
        paired, measures=measures, adjust=adjust, level=options["level"], seed=options["seed"]
    )
    findings = replace(findings, notes=(*suspicious_systems(paired), *findings.notes))
    known = {"kind": "labels", "systems": ", ".join(paired.names), "adjust": adjust}
    said = None if measures is None else ", ".join(measures)
    return compose_comparison(findings, about(**known, measures=said, cases=findings.cases))


def compose_comparison(findings: ComparisonFindings, provenance: Mapping[str, object]) -> Report:
    """Build the report of a comparison."""
    is_pair = len(findings.names) == 2
    first = _two(findings) if is_pair else [_standings(findings), _pairs(findings)]
    sections = [
        *first,
        _chance(findings),
        _tests(findings),
        _disagreements(findings),
        _race(findings),
        _planning(findings),
    ]
    doubts = dict.fromkeys(
        said for each in findings.headlines.values() for said in (each.no_winner, each.doubt)
    )
    return Report(
        verdict=comparison_verdict(findings),
        citation=comparison_citation(findings),
        lead="differences",
        sections=tuple(section for section in sections if section is not None),
        warnings=tuple(dict.fromkeys((*findings.notes, *(f"{x[0].upper()}{x[1:]}." for x in doubts if x)))),
        provenance=provenance,
        numbers={"kind": "comparison", "comparison": findings.numbers},
        charts=comparison_charts(findings),
    )


_columns = partial(make_columns, default="text")


def difference_rows(findings: ComparisonFindings) -> Iterator[Row]:
    """Make a row of every pair and measure; only the measure to go by is adjusted for the pairs."""
    for pair, differences in findings.pairs.items():
        for name, each in differences.items():
            low, high = each.interval(findings.level)
            row: dict[str, object] = {
                "first": pair[0],
                "second": pair[1],
                "measure": name,
                "value": each.difference,
                "low": low,
                "high": high,
                "level": findings.level,
                "p": each.p_value(),
                "cases": each.cases,
            }
            if name == findings.headline:
                row["p_adjusted"] = findings.adjusted[pair]
            yield row


def difference_grid(findings: ComparisonFindings) -> Grid:
    """Tabulate every pair and measure in a line: the table for a paper."""
    interval, adjusted = f"{format_level(findings.level)}/interval", f"{findings.adjust} p/probability"
    columns = (
        *_columns("measure/measure", "first", "second", "first value/number", "second value/number"),
        *_columns("difference/number", interval, "p/probability", "P(first better)/belief", "test"),
        *_columns("interval by", adjusted, "effect/number", f"{_units(findings)}/count"),
    )
    rows = tuple(
        (
            each.measure,
            each.first,
            each.second,
            *_line(each, findings),
            _why_not(each) or primary_test(each),
            each.interval_method,
            finite_or_none(findings.adjusted[pair]) if each.measure == findings.headline else None,
            None if each.effect is None else finite_or_none(each.effect.value),
            whole_or_none(each.cases),
        )
        for pair, differences in findings.pairs.items()
        for each in differences.values()
    )
    return Grid("", columns, rows)


def _line(each: Difference, findings: ComparisonFindings) -> tuple[Cell, ...]:
    """Values, difference, interval, p-value and probability."""
    return (
        *(finite_or_none(value) for value in each.values),
        finite_or_none(each.difference),
        interval_cell(each.interval(findings.level)),
        _p_cell(each),
        finite_or_none(each.probability_better),
    )


def _p_cell(each: Difference) -> float | None:
    """The p-value to go by; "at most" that where its test knows no more."""
    for tail in each.tests.values():
        return p_value_cell(tail) if each.undefined is None else None
    return finite_or_none(each.p_value())


def _why_not(each: Difference) -> str:
    return each.undefined or each.no_interval or ""


def _two(findings: ComparisonFindings) -> list[Section]:
    """Tabulate the measures of two systems; of many, those that tell most, and all of them below."""
    differences = _shown_of_two(findings)
    hidden = len(findings.measures) - len(differences)
    note = f"of single classes the clearest; {hidden} more are among all measures" if hidden else ""
    main = _grid_of_two(findings, differences, note)
    sections = [Section("Which is better", (), (main,), ("differences",), is_main=True)]
    if hidden:
        every = list(findings.difference(*findings.ranked).items())[:MOST_OF_TWO]
        grid = _grid_of_two(findings, dict(every), "p-values are not adjusted for the number of measures")
        sections.append(Section("All measures", (), (grid,), is_folded=True))
    return sections


def _grid_of_two(findings: ComparisonFindings, differences: Mapping[str, Difference], note: str) -> Grid:
    first, second = findings.ranked
    less, level = f"{_short(first)} − {_short(second)}", format_level(findings.level)
    columns = (
        *_columns("measure/measure", *(f"{head}/number" for head in (first, second, less))),
        *_columns(f"{level} CI/interval", "p/probability", f"P({first} better)/belief"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *_line(each, findings)) for name, each in differences.items()
    )
    if any(map(_why_not, differences.values())):
        columns = (*columns, Column("why not"))
        rows = tuple((*row, _why_not(each)) for row, each in zip(rows, differences.values(), strict=True))
    lower = [describe_measure(name) for name, each in differences.items() if not each.is_higher_better]
    methods = dict.fromkeys(x.probability_method for x in differences.values() if x.probability_method)
    said = (
        findings.direction != "neither" and f"the better one by {describe_measure(findings.headline)} first",
        lower and f"lower is better for {', '.join(lower)}",
        note,
        methods and f"P: {' / '.join(methods)}",
    )
    return Grid("", columns, rows, "; ".join(each for each in said if each))


def _shown_of_two(findings: ComparisonFindings) -> dict[str, Difference]:
    """Choose differences of two systems, the better one less the other: of all cases, then the clearest."""
    found = findings.difference(*findings.ranked)

    def place(name: str) -> tuple[bool, float]:
        each, is_labelled = found[name], canonical_spelling(name).label is not None
        size = abs(each.difference) / each.standard_error if each.standard_error > 0 else 0.0
        return is_labelled, -size if is_labelled else 0.0

    names = sorted(found, key=place) if len(found) > SHOWN_OF_TWO else found
    return {name: found[name] for name in list(names)[:SHOWN_OF_TWO]}


def _standings(findings: ComparisonFindings) -> Section:
    """Tabulate the systems, the best first, with the places that each may have."""
    shown, letters, ranks = findings.measures[:SHOWN_MEASURES], findings.letters, findings.ranks
    places = {name: f"{low} to {high}" if low < high else f"{low}" for name, (low, high) in ranks.items()}
    measures = (Column(describe_measure(measure), "number") for measure in shown)
    told = {head: each for head, each in (("rank", places), ("letters", letters)) if any(each.values())}
    columns = (Column("system"), *map(Column, told), *measures)
    rows = tuple(
        (
            _short(name),
            *(each.get(name, "–") for each in told.values()),
            *(finite_or_none(findings.values[name][measure]) for measure in shown),
        )
        for name in findings.ranked
    )
    notes = [f"best first by {describe_measure(findings.headline)}"]
    if ranks:
        sure = f"{format_level(findings.level)} CI of all ranks together"
        notes.append(
            f"rank: {sure if findings.adjust in ('holm', 'tukey') else 'not adjusted for all pairs'}"
        )
        notes.append(f"tied for first: {', '.join(map(_short, findings.tied_for_first))}")
    if "letters" in told:
        limit = f"{ADJUSTED[findings.adjust]} ≥ {format_number(1 - findings.level)}"
        notes.append(f"systems that share a letter do not differ significantly ({limit})")
    if hidden := len(findings.measures) - len(shown):
        notes.append(f"{hidden} more {plural(hidden, 'measure is', 'measures are')} in the JSON")
    note, charts = "; ".join(notes), ("leaderboard",) if ranks else ()
    return Section("Standings", (), (Grid("", columns, rows, note),), charts, is_main=True)


def _pairs(findings: ComparisonFindings) -> Section:
    adjusted_p = () if findings.adjust == "none" else (f"{ADJUSTED[findings.adjust]}/probability",)
    interval = f"{format_level(findings.level)} CI/interval"
    columns = _columns(
        *(*RANKED_PAIR, f"{LESS}/number", interval),
        *("p/probability", *adjusted_p, "P(better)/belief"),
    )
    rows = []
    pairs = findings.ranked_pairs
    for pair in pairs[:SHOWN_PAIRS]:
        _, _, *line, better = _line(findings.difference(*pair)[findings.headline], findings)
        adjusted = finite_or_none(findings.adjusted[findings.as_given(*pair)])
        rows.append((*map(_short, pair), *line, *(() if findings.adjust == "none" else (adjusted,)), better))
    note = "intervals are of single pairs; the adjusted p considers all of them"
    if len(pairs) > SHOWN_PAIRS:
        note += f"; the first {SHOWN_PAIRS} of {len(pairs):,} pairs, the rest is in the JSON"
    grid = Grid("", columns, tuple(rows), note)
    return Section(f"Pairs, by {describe_measure(findings.headline)}", (), (grid,), ("differences",))


def _chance(findings: ComparisonFindings) -> Section | None:
    """Tabulate each system against chance, by the primary measure."""
    known = [name for name in findings.ranked if name in findings.chance]
    if not any(math.isfinite(findings.chance[name].chance) for name in known):
        return None
    adjusted = () if findings.adjust == "none" else ("Holm p/probability",)
    columns = _columns(
        *("system", f"{describe_measure(findings.headline)}/number", "chance level/number"),
        *("p/probability", *adjusted, "method"),
    )
    rows = []
    for name in known[:SHOWN_PAIRS]:
        each = findings.chance[name]
        p_values = (each.p_value, findings.adjusted_chance[name])[: 1 + len(adjusted)]
        numbers = map(finite_or_none, (each.value, each.chance, *p_values))
        rows.append((_short(name), *numbers, each.undefined or each.method))
    null = findings.chance_null
    note = f"p: how often {null} alone does as well (one-sided)"
    if null == CLASS_SHARES:
        note = "p: of a score no better than that of the class shares of these cases (one-sided)"
    if len(known) > SHOWN_PAIRS:
        note += f"; the first {SHOWN_PAIRS} of {len(known):,} systems, the rest is in the JSON"
    text = describe_chance(findings)
    grid = Grid("", columns, tuple(rows), note)
    return Section(f"Each against {null}", (text,) if text else (), (grid,))


def _tests(findings: ComparisonFindings) -> Section | None:
    """Tabulate all tests of two systems where a measure has more than one."""
    if len(findings.names) > 2:
        return None
    differences = _shown_of_two(findings)
    rows = tuple(
        (name, name_of_test(test, tail), p_value_cell(tail), tail.method)
        for name, each in differences.items()
        if len(each.tests) > 1
        for test, tail in each.tests.items()
    )
    if not rows:
        return None
    columns = _columns("measure/measure", "test", "p/probability", "method")
    grids = [Grid("", columns, rows, "primary test listed first")]
    effects = [(name, each.effect) for name, each in differences.items() if each.effect is not None]
    if effects:
        columns = _columns("measure/measure", "effect", "size/number", "interval/interval")
        lines = tuple(
            (name, x.name, finite_or_none(x.value), interval_cell(x.interval(findings.level)))
            for name, x in effects
        )
        grids.append(Grid("Effect sizes", columns, lines))
    return Section("Tests", (), tuple(grids), is_folded=True)


def _disagreements(findings: ComparisonFindings) -> Section | None:
    """Tabulate who is right where, of labels: in lines for two systems, in columns for more."""
    if not findings.disagreements:
        return None
    disagreements = findings.ranked_disagreements[:SHOWN_PAIRS]
    if len(findings.names) == 2:
        only = disagreements[0]
        lines = (
            "both right",
            f"only {only['first']} right",
            f"only {only['second']} right",
            "both wrong, same answer",
            "both wrong, different answers",
        )
        counts = tuple(zip(lines, _discordance_counts(only), strict=True))
        grid = Grid("", (Column("what they did"), Column("cases", "count")), counts)
    else:
        heads = ("both right", "only system", "only other", "wrong alike", "wrong otherwise")
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (_short(pair["first"]), _short(pair["second"]), *_discordance_counts(pair))
            for pair in disagreements
        )
        columns = _columns(*RANKED_PAIR, *(f"{head}/count" for head in heads))
        grid = Grid("", columns, rows, "cases on which both are right, only one is, or none")
    return Section("Where they differ", (), (grid,), ("disagreements",))


def _discordance_counts(pair: Disagreement) -> tuple[float, ...]:
    """List the counts of cases by who is right, in the order of the table's columns."""
    return (
        pair["both_right"],
        pair["only_first_right"],
        pair["only_second_right"],
        pair["both_wrong_alike"],
        pair["both_wrong_differently"],
    )


def _planning(findings: ComparisonFindings) -> Section:
    units = _units(findings)
    columns = _columns(
        *RANKED_PAIR, f"{units} now/count", f"{units} needed/count", "minimum detectable/number"
    )
    rows = tuple(
        (*map(_short, pair), whole_or_none(plan.cases), _needed(plan.needed), finite_or_none(plan.detectable))
        for pair in findings.ranked_pairs[:SHOWN_PAIRS]
        for plan in (findings.plans[findings.as_given(*pair)],)
    )
    pairs = len(findings.plans)
    considered = "" if pairs == 1 else f", all {pairs} pairs considered"
    power = findings.plans[next(iter(findings.plans))].power
    note = (
        "needed: in all, to show the difference seen; minimum detectable: the smallest difference that those "
        f"at hand would show; {format_percent(power)} power at the {format_level(findings.level)} "
        f"level{considered}"
    )
    return Section("Sample size", (), (Grid("", columns, rows, note),))


def _needed(cases: float) -> str:
    if math.isnan(cases):
        return "–"
    return "no number would" if math.isinf(cases) else format_count(cases)


def _units(findings: ComparisonFindings) -> str:
    return plural(2, findings.unit)


def _short(name: str) -> str:
    # Systems that are called alike differ at their ends.
    return cut_middle(name, LONGEST_NAME)


def whole_or_none(number: float) -> float | None:
    """Make a number of cases an integer where it is whole, and None where it is none."""
    return int(number) if float(number).is_integer() else finite_or_none(number)


def _race(findings: ComparisonFindings) -> Section | None:
    """Tabulate what forecasters would have won by betting against each other, and what that proves."""
    if findings.race is None:
        return None
    columns = _columns(
        "bettor", "against", "log wealth/number", f"a {findings.unit}/number", "e-value", "p/probability"
    )
    rows = tuple(
        (
            row["bettor"],
            row["against"],
            row["log_wealth"],
            row["growth"],
            _evidence(row),
            None if row["evidence"] is None else row["evidence"]["p_value"],
        )
        for row in findings.race.rows()[: 2 * SHOWN_PAIRS]
    )
    grids = [Grid("", columns, rows, "e-values and p of each direction and pair by itself")]
    text = (
        "Each bets Kelly's stakes on every case at the other's fair prices. An e-value of the bettor speaks "
        'against "the other\'s probabilities are the true ones, given all that the bettor knew"; it does not '
        "say who is better on average."
    )
    if findings.no_evidence is not None:
        text = f"What wealth proves is left out: {findings.no_evidence}."
        grids = [Grid("", columns[:4], tuple(row[:4] for row in rows))]
    elif findings.duels and findings.duels[0].wealth.ordered:
        grids.append(_sequences(findings))
    return Section("Betting against each other", (text,), tuple(grids), ("race",))


def _evidence(row: WealthRow) -> str:
    evidence = row["evidence"]
    if evidence is None:
        return str(row["undefined"])
    if evidence["log_e_value"] is None:
        return "0 (ruined)" if row["ruined"] else "without bound"
    return format_wealth(evidence["log_e_value"])


def _sequences(findings: ComparisonFindings) -> Grid:
    """Tabulate the mean score differences of ordered cases with their confidence sequences."""
    rows = []
    duels = {(duel.first, duel.second): duel for duel in findings.duels}
    for pair in findings.ranked_pairs[:SHOWN_PAIRS]:
        duel = duels[findings.as_given(*pair)]
        sign = 1 if pair[0] == duel.first else -1
        for name, sequence in (("Brier", duel.brier_sequence), ("log", duel.log_sequence)):
            if sequence is not None and len(sequence.mean):
                mean, *ends = (sign * float(x[-1]) for x in (sequence.mean, sequence.low, sequence.high))
                low, high = (finite_or_none(end) for end in ends[::sign])
                rows.append((*pair, name, finite_or_none(mean), (low, high)))
    sequence_head = f"{format_level(findings.level)} confidence sequence/interval"
    columns = _columns(*RANKED_PAIR, "score", f"{LESS}, mean/number", sequence_head)
    note = (
        "lower scores are better; the rows are in time order, so you may look at these intervals as often as "
        "you like; the one for the log score is asymptotic"
    )
    return Grid("Mean score differences", columns, tuple(rows), note)
