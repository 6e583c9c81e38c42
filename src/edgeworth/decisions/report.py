"""The report on decisions: sections and tables made from the findings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject, Terms
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_count, format_level, format_number, format_percent, shorten
from edgeworth.core.kinds import ReportInput
from edgeworth.core.labels import MAX_LABELS_SHOWN
from edgeworth.core.options import Options
from edgeworth.decisions.findings import MEASURES_OF_BETS, DecisionFindings, examine_decisions
from edgeworth.decisions.margins import equal_margins
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.verdict import (
    decision_warnings,
    decisions_citation,
    decisions_verdict,
    describe_labels_below_0,
)
from edgeworth.errors import OptionError
from edgeworth.report.estimates import estimates_grid, test_result_to_dict
from edgeworth.report.report import About, Cell, Charts, Column, Grid, Report, Section, make_columns
from edgeworth.report.wording import describe_p_value, format_cell, interval_cell, p_value_cell

if TYPE_CHECKING:
    from edgeworth.report.charts.chart import Chart

MAX_CONFUSIONS_SHOWN = 15
"""The most errors that are listed when the whole table is too wide."""

MAX_LABELS_WITH_COUNTS = 10
"""With more labels, the most frequent confusions are listed instead of the whole table."""

MAX_LABELS_WITH_ALL_BETS = 3
"""With more labels, bets are summed up as right and wrong instead of one column per class."""

MAX_ODDS_DENOMINATOR = 1000
"""Fractional counts have odds in whole numbers that add up to at most this, or odds to 1."""

ODDS_TOLERANCE = 1e-9
"""Odds in whole numbers differ from the real share by at most this."""


def report_table(tallied: ReportInput[ContingencyTable], options: Options, about: About) -> Report:
    """Examine a table and report on it."""
    table, matching = tallied.final, None
    if options["match"] is not None:
        from edgeworth.decisions.match_report import match_table, with_matching

        if options["abstentions"] == "drop":
            raise OptionError("--match needs --abstentions count: clusters without a class are abstentions")
        table, matching = match_table(table, options["match"], seed=options["seed"])
    house = {
        "pool": 10.0 if options["pool"] is None else options["pool"],
        "overround": options["overround"] or 0.0,
        "commission": options["commission"] or 0.0,
    }
    # Odds of the user's own are priced by themselves: their commission is not one on fair odds too.
    at_odds = options["odds"] is not None
    findings = examine_decisions(
        table,
        level=options["level"],
        seed=options["seed"],
        abstentions=options["abstentions"] or "count",
        bets=bool(options["bets"]) or options["pool"] is not None,
        **house | ({"commission": 0.0} if at_odds else {}),
    )
    name = tallied.terms.get("columns", {}).get("prediction")
    name = name if isinstance(name, str) and name != "prediction" else ""
    cost_input = options["costs"]
    inputs = {"cases": table.cells.sum().item(), "costs": cost_input, "match": options["match"]}
    charged = {"commission": options["commission"]} if at_odds else {}
    shown = house if findings.shows_bets else charged
    report = compose_decisions(findings, about(**shown, **inputs), name)
    if matching is not None:
        report = with_matching(report, tallied.final, matching)
    if cost_input is not None:
        from edgeworth.decisions.cost_report import with_costs

        report = with_costs(report, findings.table, cost_input, level=options["level"], seed=options["seed"])
    return replace(report, warnings=(*_slips(tallied.terms, tallied.final), *report.warnings))


def _slips(terms: Terms, table: ContingencyTable) -> tuple[str, ...]:
    """Warn of options that are probably mistakes."""
    slips = []
    columns, abstain = terms.get("columns", {}), terms.get("abstain")
    if columns and columns["truth"] == columns["prediction"]:
        slips.append(f"Truth and prediction are the same column, {columns['truth']!r}. Name the right one.")
    if abstain is not None and not table.abstained.any():
        slips.append(f"No prediction is {abstain!r}, so --abstain has no effect. Check the spelling.")
    return tuple(slips)


def compose_decisions(findings: DecisionFindings, provenance: JsonObject, name: str = "") -> Report:
    """Arrange the findings on the predictions of this name as a report."""
    return Report(
        verdict=decisions_verdict(findings, name),
        citation=decisions_citation(findings),
        lead="contingency" if len(findings.table.labels) <= MAX_LABELS_SHOWN else "edges",
        next_steps=_next_steps(findings),
        sections=(
            _overall_section(findings),
            _label_section(findings),
            _table_section(findings),
            *((_bookmaker_section(findings),) if findings.shows_bets else ()),
        ),
        warnings=decision_warnings(findings),
        provenance=provenance,
        numbers=_numbers(findings),
        charts=Charts(lambda: _draw(findings)),
    )


def _draw(findings: DecisionFindings) -> list[Chart]:
    from edgeworth.decisions.charts import decision_charts

    return decision_charts(findings)


def _overall_section(findings: DecisionFindings) -> Section:
    # The break-even margin is in the section on bets, and without abstentions every case is covered.
    left_out = {*MEASURES_OF_BETS, *(() if findings.table.abstained.any() else ("coverage",))}
    estimates = (estimate for estimate in _estimates(findings) if estimate.measure not in left_out)
    overall = estimates_grid(estimates, findings.level, title="Overall")
    grids = [replace(overall, note=_describe_most_common(findings.table))]
    tests = {"one-sided (as good or better)": findings.at_least, "two-sided": findings.either_way}
    rows = tuple(
        (event, p_value_cell(test), test.method) for event, test in tests.items() if test is not None
    )
    if rows:
        columns = make_columns("test/text", "p/probability", "method/text")
        grids.append(Grid("Test against guessing with the same margins", columns, rows))
    return Section("How informed", (), tuple(grids), is_main=True)


def _describe_most_common(table: ContingencyTable) -> str:
    """Describe the accuracy of always predicting the most common class; clusters have no common one."""
    if table.matching is not None or not table.actual.sum():
        return ""
    # Cases without a decision count: an accuracy takes them for wrong.
    common = shorten(str(table.labels[int(table.actual.argmax())]), 40)
    share = format_number(float(table.actual.max() / table.actual.sum()))
    return f"always predicting {common} has an accuracy of {share}"


def _estimates(findings: DecisionFindings) -> list[Estimate]:
    """List the estimates of the whole table, and those of decided cases if some are undecided."""
    every = (*findings.overall, findings.decided, findings.zero_weight)
    return [estimate for estimate in every if estimate is not None]


def _label_section(findings: DecisionFindings) -> Section:
    level = format_level(findings.level)
    table = findings.table
    counts = {"actual": table.actual, "predicted": table.predicted}
    if table.abstained.any():
        counts = {"actual": table.actual, "no decision": table.abstained, "predicted": table.predicted}
    heads = ("class/text", *(f"{name}/count" for name in counts), "recall", "precision", "F", "informedness")
    by_guessing = (Column(f"{name} by guessing", "number", is_extra=True) for name in ("recall", "precision"))
    columns = (*make_columns(*heads, f"{level} CI/interval"), *by_guessing)
    index_of = {label: index for index, label in enumerate(table.labels)}
    rows = []
    for label, estimates in list(findings.labels.items())[:MAX_LABELS_SHOWN]:
        values = (finite_or_none(estimate.value) for estimate in estimates[:4])
        mark = " *" if label in findings.superstitious else ""
        numbers = (margin[index_of[label]].item() for margin in counts.values())
        interval = interval_cell(estimates[3].interval(findings.level))
        chances = (finite_or_none(estimate.chance) for estimate in estimates[:2])
        rows.append((f"{label}{mark}", *numbers, *values, interval, *chances))
    note = (
        "Informedness of a class: recall − fallout, with its interval. By guessing, recall is the class's "
        "share of predictions and precision its share of cases"
    )
    if table.abstained.any():
        note += (
            ". A case without a decision counts as missed in recall and F. Precision and informedness "
            "exclude it"
        )
    margins = equal_margins(table)
    if margins is not None:
        test = f"{describe_p_value(margins)} ({margins.method})"
        note += f". Test that classes are predicted as often as they occur: {test}"
    if findings.superstitious:
        note += ". * significantly worse than guessing"
    grid = Grid("", columns, tuple(rows), note + _note_on_cut(len(table.labels)))
    return Section(
        "Class by class", describe_labels_below_0(findings), (grid,), ("edges", "bias"), is_main=True
    )


def _table_section(findings: DecisionFindings) -> Section:
    table = findings.table
    if len(table.labels) > MAX_LABELS_WITH_COUNTS:
        heads = make_columns("predicted/text", "actual/text", "cases/count")
        note = f"The JSON has all {len(table.labels)} × {len(table.labels)} counts"
        grid = Grid("", heads, _errors(table, MAX_CONFUSIONS_SHOWN), note)
        return Section("Most frequent confusions", (), (grid,), ("contingency",))
    names = [str(label) for label in table.labels]
    columns = (Column("predicted ↓  actual →"), *(Column(name, "count") for name in (*names, "all")))
    grid = Grid("", columns, tuple(table.rows_with_totals(names)))
    return Section("Contingency table", (), (grid,), ("contingency",))


def _errors(table: ContingencyTable, limit: int) -> tuple[tuple[str, str, float], ...]:
    """List the most frequent errors: predicted class, actual class, cases."""
    errors = table.counts - np.diag(table.counts.diagonal())
    largest = np.argsort(-errors, axis=None, kind="stable")[:limit]
    cells = zip(*np.unravel_index(largest, errors.shape), strict=True)
    labels = [str(label) for label in table.labels]
    return tuple((labels[p], labels[a], errors[p, a].item()) for p, a in cells if errors[p, a])


def _next_steps(findings: DecisionFindings) -> tuple[str, ...]:
    """Name the errors to look at first, and the class that is recognised least."""
    table = findings.table
    actual = dict(zip(map(str, table.labels), table.actual.tolist(), strict=True))
    sentences = [
        f"{format_count(number)} of {format_count(actual[real])} cases of {shorten(real, 30)} were predicted "
        f"{shorten(predicted, 30)}."
        for predicted, real, number in _errors(table, 2)
    ]
    weakest = [claim.text for claim in decisions_verdict(findings).claims if claim.about == "weakest class"]
    return (*sentences, *weakest)


def _bookmaker_section(findings: DecisionFindings) -> Section:
    payoffs = findings.payoffs
    text = (
        f"Each prediction is a bet with ${payoffs.pool:g} in the pool. Amounts are scaled so that perfect "
        "predictions earn the pool on every label.",
    )
    house = Grid("The house", (Column("what"), Column("value")), _house_rows(findings))
    return Section("The bookmaker's table", text, (_bets(findings), house), ("bookmaker",), is_folded=True)


def _bets(findings: DecisionFindings) -> Grid:
    """Tabulate the dollars of each bet, by real class for few labels, right and wrong for more."""
    payoffs = findings.payoffs
    cells = payoffs.cells.tolist()
    shows_all = len(payoffs.labels) <= MAX_LABELS_WITH_ALL_BETS
    outcomes = [f"{label} comes in" for label in payoffs.labels] if shows_all else ["right", "wrong"]
    dollars = (f"{outcome}/dollars" for outcome in (*outcomes, "won"))
    heads = ("bet on/text", "odds", "against/text", *dollars, "share of bets/percent", "weighted/dollars")
    rows: list[tuple[Cell, ...]] = []
    for index, label in enumerate(payoffs.labels[:MAX_LABELS_SHOWN]):
        profit = payoffs.rows[index].item()
        payouts = cells[index] if shows_all else [cells[index][index], profit - cells[index][index]]
        totals_of_row = (profit, payoffs.predicted_share[index].item(), payoffs.weighted[index].item())
        against = _odds_against(findings.table, index)
        odds = finite_or_none(payoffs.odds[index].item())
        rows.append((str(label), odds, against, *map(finite_or_none, (*payouts, *totals_of_row))))
    totals = map(finite_or_none, payoffs.columns.tolist()) if shows_all else (None, None)
    rows.append(("all", None, None, *totals, None, None, finite_or_none(payoffs.total)))
    note = _note_on_cut(len(payoffs.labels)).removeprefix(". ")
    return Grid("", make_columns(*heads), tuple(rows), note)


def _odds_against(table: ContingencyTable, index: int) -> str:
    """Write the fair odds against a class as bookmakers do, cases without it to cases of it: 7:3."""
    total, real = table.total, table.real[index].item()
    if not 0 < real < total:
        return ""
    if isinstance(total, int):
        share = Fraction(real, total)
    else:
        # Sums of fractional counts are a little off: 58.1 + 11.9 cases of 100 are 7 of 10.
        share = Fraction(real / total).limit_denominator(MAX_ODDS_DENOMINATOR)
        if abs(float(share) - real / total) > ODDS_TOLERANCE:
            return f"{(total - real) / real:.4g}:1"
    return f"{share.denominator - share.numerator}:{share.numerator}"


def _house_rows(findings: DecisionFindings) -> tuple[tuple[Cell, ...], ...]:
    payoffs = findings.payoffs
    charged = payoffs.overround or payoffs.commission
    house = (
        f"margin {format_percent(payoffs.overround, 1)}, commission {format_percent(payoffs.commission, 1)}"
    )
    terms = f" ({house})" if charged else " at fair odds"
    shares = {
        "break-even house margin": payoffs.break_even_margin,
        "break-even commission": payoffs.break_even_commission,
        f"return of a unit bet{terms}": payoffs.unit_return,
    }
    dollars = {"won at the track": payoffs.won, "lost at the track": payoffs.lost}
    return tuple(
        (name, format_cell(finite_or_none(value), "percent" if name in shares else "dollars"))
        for name, value in (shares | dollars).items()
    )


def _numbers(findings: DecisionFindings) -> JsonObject:
    level = findings.level
    table, plan = findings.table, findings.plan
    return {
        "kind": "decisions",
        "level": level,
        "is_conclusive": findings.is_conclusive,
        "estimates": {estimate.measure: estimate.to_dict(level) for estimate in _estimates(findings)},
        "labels": {
            str(label): {estimate.measure: estimate.to_dict(level) for estimate in estimates}
            for label, estimates in findings.labels.items()
        },
        "guessing": {
            name: test_result_to_dict(getattr(findings, name)) for name in ("at_least", "either_way")
        },
        "equal_margins": test_result_to_dict(equal_margins(table)),
        "payoffs": findings.payoffs.to_dict(),
        "superstitious": [str(label) for label in findings.superstitious],
        "worse_than_guessing": {
            str(label): finite_or_none(p) for label, p in findings.worse_than_guessing.items()
        },
        "plan": {name: finite_or_none(getattr(plan, name)) for name in ("cases", "needed", "more", "power")},
        "clusters": None if table.clusters is None else table.clusters.number,
        "tally": replace(table, clusters=None).to_dict(),
    }


def _note_on_cut(labels: int) -> str:
    cut = f". The first {MAX_LABELS_SHOWN} of {labels} labels; the JSON has all"
    return cut if labels > MAX_LABELS_SHOWN else ""
