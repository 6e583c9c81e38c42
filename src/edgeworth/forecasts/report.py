"""The report on probabilities: findings in; sections, tables and numbers for JSON out. Computes none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate, undefined_estimate
from edgeworth.core.formatting import (
    format_level,
    format_number,
    format_percent,
    format_wealth,
    plural,
)
from edgeworth.core.kinds import ReportInput
from edgeworth.core.options import Options
from edgeworth.core.serialization import plain_label
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import CLASS_SHARES, RIVAL
from edgeworth.forecasts.calibration_report import calibration_section, interval_cell, with_caveats
from edgeworth.forecasts.charts import forecast_charts
from edgeworth.forecasts.corp_reliability import ReliabilityBands, roc_area
from edgeworth.forecasts.curves import Paths, returns
from edgeworth.forecasts.difference_report import (
    DIFFERENCES,
    average_numbers,
    average_section,
    name_difference,
)
from edgeworth.forecasts.evidence_report import EVIDENCE, evidence_of, evidence_section, goal_numbers
from edgeworth.forecasts.findings import DECIDING, Bets, Criterion, ForecastFindings, examine_forecasts
from edgeworth.forecasts.ledger_report import (
    BANKROLL,
    check_bets,
    closing_line_text,
    flat_stakes_numbers,
    ledger_section,
    season_numbers,
)
from edgeworth.forecasts.pairs import CELLS_PER_SIDE
from edgeworth.forecasts.policy import MAX_LABELS_IN_CONFUSION_TABLE, MAX_RELIABILITY_STEPS_SHOWN
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.forecasts.sequential import Evidence
from edgeworth.forecasts.tally import AGAINST, MODEL, ForecastTally
from edgeworth.forecasts.verdict import (
    describe_calibration,
    forecasts_citation,
    forecasts_verdict,
    forecasts_warnings,
)
from edgeworth.rankings.threshold_report import threshold_section, with_threshold
from edgeworth.rankings.thresholds import Goal, find_threshold
from edgeworth.report.estimates import test_result_to_dict
from edgeworth.report.report import About, Cell, Column, Grid, Report, Section, make_columns

NAMES = {
    "error": "top-1 error",
    "log": "log score",
    "brier": "Brier score",
    "log_likelihood": "likelihood ratio",
    "log_wealth": "wealth",
}


def sides_section(findings: ForecastFindings) -> Section:
    """Make the section that compares the criteria by which one forecaster is better."""
    model, rival = findings.scores.systems
    display_names = {system: findings.short_name(system) for system in (model, rival)}
    columns = (Column("on these cases"), *map(Column, display_names.values()), Column("better"))
    rows = tuple(
        (
            NAMES[criterion.name],
            *_criterion_cells(criterion),
            display_names.get(criterion.better or "", "equal"),
        )
        for criterion in _criteria(findings)
    )
    note = "top-1 error: share of cases whose likeliest label was wrong"
    if not findings.is_weighted:
        note += "; likelihood ratio: relative to the other system"
    if "log_wealth" in (criterion.name for criterion in _criteria(findings)):
        note += "; wealth: final value of 1 bet against the other system"
    if any(table.counts.dtype.kind == "f" for table in findings.tables.values()) and not findings.is_weighted:
        note += "; if m labels are equally likely, each counts as 1/m of a case"
    grids = [Grid("", columns, rows, note)]
    if len(findings.scores.labels) <= MAX_LABELS_IN_CONFUSION_TABLE:
        grids += [_confusion(findings.short_name(system), table) for system, table in findings.tables.items()]
    return Section("Top-1 decisions", (agreement(findings),), tuple(grids))


def _criteria(findings: ForecastFindings) -> tuple[Criterion, ...]:
    """Leave out the wealth, which repeats the likelihood ratio, if the report is not about bets."""
    if findings.is_about_bets:
        return findings.sides
    return tuple(criterion for criterion in findings.sides if criterion.name != "log_wealth")


def agreement(findings: ForecastFindings) -> str:
    """Describe whether top-1 error, log score and wealth prefer the same forecaster."""
    chosen = {x.name: x.better for x in _criteria(findings) if x.name in DECIDING}
    is_binary = len(findings.scores.labels) == 2
    used = "on which side of ½ a probability lies" if is_binary else "which label is the likeliest"
    blind = f"Top-1 error uses only {used}"
    if len(set(chosen.values())) == 1 and "log_wealth" not in chosen:
        winner = chosen["error"]
        conclusion = "are equal for both"
        if winner is not None:
            conclusion = f"agree on these cases: {findings.name(winner)} is better"
        return f"Top-1 error and log score {conclusion}. {blind}; the log score uses the whole probability."
    if len(set(chosen.values())) == 1:
        winner = chosen["error"]
        conclusion = "are equal for both"
        if winner is not None:
            conclusion = f"agree on these cases: {findings.name(winner)} is better"
        others_text = "the other two use the whole probability"
        return f"Top-1 error, log score and wealth {conclusion}. {blind}; {others_text}."
    parts = [
        f"{'the ' if name == 'log' else ''}{NAMES[name]} "
        f"{'is equal for both' if better is None else f'prefers {findings.name(better)}'}"
        for name, better in chosen.items()
    ]
    return f"The criteria disagree on these cases: {', '.join(parts[:-1])} and {parts[-1]}. {blind}."


def _criterion_cells(criterion: Criterion) -> tuple[str, ...]:
    values = tuple(criterion.values.values())
    if criterion.name == "log_likelihood":
        difference = values[0] - values[1]
        # If both are infinite, neither is likelier than the other.
        values = (math.nan, math.nan) if math.isnan(difference) else (difference, -difference)
    return tuple("–" if math.isnan(value) else _format_criterion(criterion.name, value) for value in values)


def _format_criterion(name: str, value: float) -> str:
    if name == "error":
        return format_percent(value, 1)
    if name in ("log", "brier"):
        return format_number(value)
    return format_wealth(value)


def _confusion(name: str, table: ContingencyTable) -> Grid:
    """Make a table of shares of all cases: rows are outcomes, columns the likeliest labels."""
    counts, total = table.counts.T, float(table.counts.sum())
    names = [str(label) for label in table.labels]
    columns = make_columns("actual/text", *(f"predicted {label}/percent" for label in names), "all/percent")
    rows: list[tuple[Cell, ...]] = [
        (name, *(float(x) / total for x in row), float(row.sum()) / total)
        for name, row in zip(names, counts, strict=True)
    ]
    rows.append(("all", *(float(x) / total for x in counts.sum(axis=0)), 1.0))
    return Grid(f"Likeliest labels of {name}", columns, tuple(rows))


CHARTS = {
    BANKROLL: ("bankroll",),
    EVIDENCE: ("evidence", "wealth", "returns", "paths", "orders", "bookmakers", "final_wealth", "stakes"),
    DIFFERENCES: ("scatter", "probabilities", "sequence"),
    "Reliability": ("reliability",),
}
"""The charts of each section."""

TAKEN_AS_BEFORE = (
    "Assumed: the predictions were made before the outcomes. If not, pass "
    'predictions_made="cross-validated" or "in-sample" (--predictions-made).'
)


def with_areas_within(report: Report, folds: Sequence[ForecastTally]) -> Report:
    """Add the mean over folds of the ROC area within each fold, per class."""
    areas = {}
    for label in folds[0].reliability:
        areas_of_folds = [
            x for x in (roc_area(fold.reliability[label]) for fold in folds) if math.isfinite(x)
        ]
        areas[str(label)] = math.fsum(areas_of_folds) / len(areas_of_folds) if areas_of_folds else math.nan
    listed = ", ".join(f"{name} {format_number(area)}" for name, area in areas.items())
    first, own, *rest = report.sections
    own = replace(own, text=(*own.text, f"Mean ROC area within folds: {listed}."))
    numbers = {**report.numbers, "roc_area": plain_values(areas)}
    return replace(report, sections=(first, own, *rest), numbers=numbers)


def report_forecasts(tallied: ReportInput[ForecastTally], options: Options, about: About) -> Report:
    """Examine bets and scores of forecasts and report on them."""
    tally, terms = tallied.final, tallied.terms
    predictions_made = terms.get("predictions_made")
    is_labelled = tally.label_source in ("labels", "names")
    option_values = {
        "against": tally.against,
        "cases": tally.cases,
        "labels": [*map(plain_label, tally.labels)] if is_labelled else None,
        "positive": terms.get("positive"),
        "normalise": terms.get("normalise", False),
        "clip": terms.get("clip"),
        "ordered": terms.get("ordered", False),
        "predictions_made": predictions_made or "before",
        "fraction": terms.get("fraction", 1.0),
        "ordinal": terms.get("ordinal", False),
        "orders": options["orders"],
        "goal": options["goal"],
    }
    columns = terms.get("columns", {})
    column_names = [columns.get(role) for role in ("probabilities", "against")]
    # Several columns are listed with commas: their names are too long for a sentence.
    is_one = (isinstance(name, str) and name != "probabilities" and "," not in name for name in column_names)
    named = zip((MODEL, AGAINST), column_names, is_one, strict=True)
    names = {system: name for system, name, is_single in named if is_single}
    if columns.get("odds") is not None and columns["odds"] == column_names[0]:
        names[MODEL] = "the market"
    examined = examine_forecasts(
        tally, level=options["level"], seed=options["seed"], orders=option_values["orders"]
    )
    findings = replace(examined, names=names, goal=option_values["goal"]).with_ledger(
        check_bets(options, tally)
    )
    if options["fold"] is not None:  # the models of different folds are not ranked together
        areas = {label: _no_area(area) for label, area in findings.area_estimates.items()}
        findings = replace(findings, area_estimates=areas)
    sections = [
        make(findings) for make in (_scores, average_section, _parts, calibration_section, _reliability)
    ]
    # With odds or a bookmaker, the bets come first.
    bets_first = findings.bets.wealth.against not in (RIVAL, CLASS_SHARES)
    is_asked = any((options["bets"], options["orders"], options["goal"]))
    is_main = is_asked or findings.ledger is not None
    if not findings.is_weighted:
        evidence = replace(evidence_section(findings), is_main=is_main)
        sections.insert(0 if bets_first else len(sections), evidence)
    closing = None if findings.season is None else closing_line_text(findings.season, options["level"])
    if closing is not None:
        sections.insert(0, Section("Closing line", closing[0], is_main=True))
    if findings.ledger is not None:
        section = ledger_section(findings.ledger, period=options["period"], level=options["level"])
        sections.insert(0, section)
    if findings.sides:
        sections.append(sides_section(findings))
    if findings.cumulative_games:
        sections.append(_cumulative_games(findings))
    goal, ranking = Goal.of(options), tally.ranking(terms.get("positive"))
    choice, no_threshold = find_threshold(ranking, goal, seed=options["seed"])
    sections += threshold_section(ranking, choice, options["level"])
    charts = forecast_charts(findings, has_bets=bets_first or is_asked)
    notices: tuple[str, ...] = () if predictions_made is not None else (TAKEN_AS_BEFORE,)
    if tally.dropped:
        rows = plural(tally.dropped, "row")
        notices += (f"Note: {tally.dropped:,} incomplete {rows} dropped; {tally.cases:,} remain.",)
    return Report(
        verdict=with_threshold(forecasts_verdict(findings), ranking, choice, options["level"]),
        citation=forecasts_citation(findings),
        lead=next((name for name in ("bankroll", "reliability") if name in charts), ""),
        sections=tuple(
            replace(section, charts=tuple(name for name in CHARTS.get(section.title, ()) if name in charts))
            for section in sections
        ),
        warnings=(*notices, *tally.warnings, *forecasts_warnings(findings), *no_threshold),
        provenance=about(**option_values | {"against": columns.get("against", tally.against)}, **vars(goal)),
        numbers=forecasts_numbers(findings)
        | {
            "best_cut": choice and choice.to_dict(options["level"]),
            "ledger": season_numbers(findings, options["period"]),
            "closing_line": closing and plain_values(closing[1]),
        },
        charts=charts,
    )


def _no_area(area: Estimate) -> Estimate:
    """Leave a ROC area undefined that would rank the models of different folds together."""
    reason = "the models of different folds are not ranked together"
    return undefined_estimate(area.tally, area.measure, reason, area.size)


def _scores(findings: ForecastFindings) -> Section:
    scores = findings.scores
    # For two classes the ranked probability score is the Brier score.
    shown = [name for name in scores.names if name != "ranked" or len(scores.labels) > 2]
    systems = (Column(findings.heading(x), "number") for x in scores.systems)
    columns = (Column("score (lower is better)"), *systems)
    rows = tuple(
        (RULES[name].words, *(finite_or_none(scores.mean(name, system)) for system in scores.systems))
        for name in shown
    )
    rows += tuple(
        (f"{RULES[name].words}: skill", *(finite_or_none(findings.skills[x][name]) for x in scores.systems))
        for name in shown
    )
    note = (
        "skill: 1 − score / score of constant class shares, higher is better; the shares are counted on "
        "these cases, which makes skill slightly too low"
    )
    if "ranked" in shown:
        note = f"ranked probability score: classes in the order of their columns; {note}"
    price_descriptions = {
        "backing": "the prices with the overround removed",
        "exchange": "the prices at which the model bets",
    }
    wealth = findings.bets.wealth
    if wealth.book in price_descriptions:
        prices_text = (
            "its odds before commission"
            if "commission" in wealth.against
            else price_descriptions[wealth.book]
        )
        note += f"; {wealth.against}: {prices_text}"
    return Section("Scores", (), (Grid("", columns, rows, note),), is_main=True)


def _parts(findings: ForecastFindings) -> Section:
    heads = ("class/text", "score/text", "mean", *PARTS[1:], "ROC area")
    columns = make_columns(*heads, f"{format_level(findings.level)} interval/interval")
    rows: list[tuple[Cell, ...]] = [
        (
            str(label),
            RULES[score].words,
            *(finite_or_none(getattr(p, name)) for name in PARTS),
            finite_or_none(findings.areas[label]),
            interval_cell(findings.area_estimates[label], findings.level),
        )
        for score, by_label in findings.parts.items()
        for label, p in by_label.items()
    ]
    caveats = [
        findings.area_estimates[label].caveat or ""
        for by_label in findings.parts.values()
        for label in by_label
    ]
    columns, rows = with_caveats(columns, rows, [text and f"ROC area: {text}" for text in caveats])
    note = "score = miscalibration − discrimination + uncertainty, by isotonic regression (CORP)"
    return Section("Brier and log score decomposition", (), (Grid("", columns, tuple(rows), note),))


def _reliability(findings: ForecastFindings) -> Section:
    bands_by_label = findings.furthest
    band_head = f"{format_level(findings.level)} if calibrated/interval"
    columns = make_columns(
        "class/text",
        "forecasts/interval",
        "mean",
        "calibrated",
        band_head,
        ("weight/number" if findings.is_weighted else "cases/count"),
    )
    most = max(3, MAX_RELIABILITY_STEPS_SHOWN // len(bands_by_label))
    rows: list[tuple[Cell, ...]] = []
    for label, bands in bands_by_label.items():
        levels = sorted(bands.levels, key=lambda level: -level.cases)[:most]
        for level in sorted(levels, key=lambda level: level.first):
            ends, band = (level.first, level.last), (level.low, level.high)
            rows.append((str(label), ends, level.mean, level.recalibrated, band, level.cases))
    draws = {
        label: "" if findings.is_robust else f", {bands.draws:,} draws"
        for label, bands in bands_by_label.items()
    }
    text = tuple(
        f"{label}: {describe_calibration(label, findings)}{draws_text}."
        for label, draws_text in draws.items()
    )
    every = [level for bands in bands_by_label.values() for level in bands.levels]
    outside = sum(not level.is_inside for level in every)
    note = (
        "one row per step: forecasts that isotonic regression replaces by one probability, with the band at "
        f"their mean; {outside} of {len(every):,} {plural(len(every), 'step')} outside the band"
    )
    if len(rows) < len(every):
        note += f"; the {len(rows)} steps with most cases are shown, JSON has all"
    if len(bands_by_label) < len(findings.reliability):
        note += (
            f"; the {len(bands_by_label)} of {len(findings.reliability)} classes furthest from calibration"
        )
    return Section("Reliability", text, (Grid("", columns, tuple(rows), note),))


def _cumulative_games(findings: ForecastFindings) -> Section:
    heads = (
        "game/text",
        "wealth/text",
        "p at most/probability",
        f"Brier, {name_difference(findings)}/number",
    )
    columns = make_columns(*heads, f"{format_level(findings.level)} interval/interval")
    rows = tuple(
        (
            f"at most {label}",
            format_wealth(bets.wealth.log_wealth),
            bets.against_rival.p_value,
            finite_or_none(difference.mean),
            (finite_or_none(difference.low), finite_or_none(difference.high)),
        )
        for label, bets in findings.cumulative_games.items()
        for difference in [bets.brier.model_less_baseline]
    )
    holds = next(iter(findings.cumulative_games.values())).brier.holds
    note = (
        "one row per game; the Brier scores of the games add up to the ranked probability score; "
        f"intervals are valid {holds}"
    )
    return Section("Ordered classes: cumulative games", (), (Grid("", columns, rows, note),))


# -- numbers for JSON and for charts ----------------------------------------------------------------------


PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
WAY = ("log_maximum", "log_minimum", "drawdown")


def forecasts_numbers(findings: ForecastFindings) -> JsonObject:
    """Return all numbers of the report for JSON."""
    bets, scores = findings.bets, findings.scores
    numbers = {
        "kind": "probabilities",
        "level": findings.level,
        "wealth": None if findings.is_weighted else _wealth_numbers(findings),
        "evidence": {} if findings.is_weighted else evidence_numbers(bets),
        "effective_cases": findings.scores.effective_cases,
        "flat_stakes": flat_stakes_numbers(findings),
        "goal": goal_numbers(findings),
        "luck": test_result_to_dict(bets.luck),
        "luck_undefined_reason": bets.luck_undefined_reason,
        "drunken": _drunken_numbers(findings),
        "sequences": {"brier": average_numbers(bets.brier), "log": average_numbers(bets.log)},
        "scores": scores.to_dict(),
        "means": {x: {name: scores.mean(name, x) for name in scores.names} for x in scores.systems},
        "skill": findings.skills,
        "decomposition": {
            score: {str(label): _fields(p, *PARTS) for label, p in by_label.items()}
            for score, by_label in findings.parts.items()
        },
        "roc_area": {str(label): area for label, area in findings.areas.items()},
        "roc_area_interval": {
            str(label): area.interval(findings.level) for label, area in findings.area_estimates.items()
        },
        "calibration": {
            str(label): {name: value.to_dict(findings.level) for name, value in estimates.items()}
            for label, estimates in findings.calibration.items()
        },
        "reliability": {
            str(label): {
                **_bands_numbers(bands),
                "detectable_overconfidence": findings.detectable_overconfidence(label),
            }
            for label, bands in findings.reliability.items()
        },
        "side_by_side": {
            criterion.name: _fields(criterion, "values", "better") for criterion in findings.sides
        },
        "cumulative_games": {
            str(label): {
                "log_wealth": game.wealth.log_wealth,
                "evidence": _evidence_numbers(game.against_rival),
                "brier": average_numbers(game.brier),
            }
            for label, game in findings.cumulative_games.items()
        },
        "tables": {system: table.to_dict() for system, table in findings.tables.items()},
        "chart_data": None if findings.is_weighted else _chart_data(findings),
    }
    return {name: plain_values(value) for name, value in numbers.items()}


def _fields(value: object, *names: str) -> JsonObject:
    return {name: getattr(value, name) for name in names}


def _wealth_numbers(findings: ForecastFindings) -> JsonObject:
    wealth, path = findings.bets.wealth, findings.path
    bands = {"": 0, "_low": 1, "_high": 2}
    return {
        **_fields(wealth, "log_wealth", "wealth"),
        "ruined": wealth.log_wealth == -math.inf,
        "cases": wealth.cases,
        "growth": findings.bets.growth,
        # Rows without an order have no path.
        **(_fields(wealth, *WAY) if wealth.ordered else dict.fromkeys(WAY)),
        "log_threshold": -math.log(1 - findings.level),
        "against": wealth.against,
        "fraction": wealth.fraction,
        **_fields(wealth, "ordered", "predictions_made"),
        "orders": findings.orders and _paths_numbers(findings.orders),
        "path": {
            **_fields(path, "cases", "log_wealth", "martingale"),
            **{f"expected{end}": path.expected[row] for end, row in bands.items()},
            "expected_deviation": path.deviation,
            **{f"priced{end}": path.priced[row] for end, row in bands.items()},
        },
    }


def evidence_numbers(bets: Bets) -> JsonObject:
    """Return the evidence of every bet for JSON."""
    return {name: _evidence_numbers(evidence) for name, evidence in evidence_of(bets).items()}


def _evidence_numbers(evidence: Evidence) -> JsonObject:
    return _fields(evidence, "log_e_value", "e_value", "log_maximum", "p_value", "ordered", "null")


def _drunken_numbers(findings: ForecastFindings) -> JsonObject | None:
    if not findings.is_drunken:
        return None
    names = ("expected_log_wealth", "shares_log_wealth")
    numbers = _fields(findings, *names) if findings.bets.wealth.fraction == 1 else dict.fromkeys(names)
    return numbers | {"bookmakers": findings.crowd and _paths_numbers(findings.crowd)}


def _paths_numbers(paths: Paths) -> JsonObject:
    """Return quantiles of many paths at each number of cases, and of their extremes."""
    spread = {name: paths.spread(name).tolist() for name in ("log_wealth", *WAY)}
    quantiles = {name: dict(zip(("low", "median", "high"), row, strict=True)) for name, row in spread.items()}
    return {"number": len(paths.log_wealth), "cases": paths.cases, **quantiles}


def _bands_numbers(bands: ReliabilityBands) -> JsonObject:
    return {
        **_fields(bands, "forecast", "cases", "recalibrated", "low", "high"),
        "levels": [asdict(level) for level in bands.levels],
        **_fields(bands, "miscalibration", "p_value", "draws"),
        "combined_p_value": bands.test.p_value,
        "p_values": bands.test.p_values,
        "grouped": bands.is_grouped,
    }


def _chart_data(findings: ForecastFindings) -> JsonObject:
    law, pairs = findings.final_law, findings.pairs
    returned = dict(zip(("cases", "log_return"), returns(findings.way), strict=True))
    data: JsonObject = {"returns": returned, "final_wealth": None, "probability_pairs": None}
    if law is not None:
        observed = {"observed": findings.bets.wealth.log_wealth, "method": law.method}
        data["final_wealth"] = _fields(law, "log_wealth", "prices", "model") | observed
    if pairs is not None:
        data["probability_pairs"] = {
            "label": str(pairs.labels[1]),
            "systems": findings.scores.systems,
            "edges": [cell / CELLS_PER_SIDE for cell in range(CELLS_PER_SIDE + 1)],
            **_fields(pairs, "counts", "hits"),
        }
    return data
