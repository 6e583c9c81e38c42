"""The report on probabilities: findings in; sections, tables and numbers for JSON out. Computes none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import (
    cut_middle,
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
from edgeworth.forecasts.charts import forecast_charts
from edgeworth.forecasts.curves import Paths, returns, sequence_path
from edgeworth.forecasts.estimates import INFINITE_SCORE, AverageDifference
from edgeworth.forecasts.findings import DECIDING, Bets, Criterion, ForecastFindings, examine_forecasts
from edgeworth.forecasts.policy import MAX_LABELS_IN_CONFUSION_TABLE, MAX_RELIABILITY_STEPS_SHOWN
from edgeworth.forecasts.reliability import ReliabilityBands, roc_area
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.forecasts.sequential import Evidence
from edgeworth.forecasts.tally import AGAINST, CELLS, MODEL, ForecastTally
from edgeworth.forecasts.verdict import (
    describe_calibration,
    describe_drunken,
    describe_goal,
    describe_luck,
    describe_orders,
    forecasts_citation,
    forecasts_verdict,
    forecasts_warnings,
)
from edgeworth.rankings.threshold_report import threshold_section, with_threshold
from edgeworth.rankings.thresholds import Goal, find_threshold
from edgeworth.report.estimates import test_result_to_dict
from edgeworth.report.report import About, Cell, Column, Grid, Report, Section, make_columns
from edgeworth.report.wording import format_option

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
    display_names = {system: findings.name(system) for system in (model, rival)}
    columns = (Column("on these cases"), *map(Column, display_names.values()), Column("better"))
    rows = tuple(
        (
            NAMES[criterion.name],
            *_criterion_cells(criterion),
            display_names.get(criterion.better or "", "alike"),
        )
        for criterion in findings.sides
    )
    note = (
        "top-1 error: how often the likeliest label was wrong; likelihood ratio: to the other; wealth: of 1 "
        "bet against the other, at full stakes and fair prices the likelihood ratio"
    )
    if any(table.counts.dtype.kind == "f" for table in findings.tables.values()):
        note += "; where m labels are equally likely, each counts as 1/m of a case"
    grids = [Grid("", columns, rows, note)]
    if len(findings.scores.labels) <= MAX_LABELS_IN_CONFUSION_TABLE:
        grids += [_confusion(findings.name(system), table) for system, table in findings.tables.items()]
    return Section("Top-1 decisions", (agreement(findings),), tuple(grids))


def agreement(findings: ForecastFindings) -> str:
    """Whether top-1 error, log score and wealth prefer the same forecaster, in a sentence."""
    chosen = {criterion.name: criterion.better for criterion in findings.sides if criterion.name in DECIDING}
    is_binary = len(findings.scores.labels) == 2
    sees = "on which side of ½ a probability lies" if is_binary else "which label is the likeliest"
    blind = f"Top-1 error sees only {sees}"
    if len(set(chosen.values())) == 1:
        winner = chosen["error"]
        conclusion = "find both alike"
        if winner is not None:
            conclusion = f"agree on these cases: {findings.name(winner)} is better"
        return f"Top-1 error, log score and wealth {conclusion}. {blind}; the other two see all of it."
    parts = [
        f"{'the ' if name == 'log' else ''}{NAMES[name]} "
        f"{'finds both alike' if better is None else f'prefers {findings.name(better)}'}"
        for name, better in chosen.items()
    ]
    return f"They disagree on these cases: {', '.join(parts[:-1])} and {parts[-1]}. {blind}."


def _criterion_cells(criterion: Criterion) -> tuple[str, ...]:
    values = tuple(criterion.values.values())
    if criterion.name == "log_likelihood":
        apart = values[0] - values[1]
        # Where both are infinite neither is likelier than the other.
        values = (math.nan, math.nan) if math.isnan(apart) else (apart, -apart)
    return tuple("–" if math.isnan(value) else _one(criterion.name, value) for value in values)


def _one(name: str, value: float) -> str:
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


BETS = {
    "full_stakes": "full stakes",
    "mixture": "all stake fractions",
    "reverse": "the other way round",
    "brier_rounds": "bets on the Brier score",
    "log_rounds": "bets on the log score",
}
CHARTS = {
    "What the bets prove": ("wealth", "returns", "orders", "bookmakers", "final_wealth", "stakes"),
    "Who scores better on average": ("probabilities", "sequence"),
    "Reliability": ("reliability",),
}
"""The charts of each section."""

NOT_BEFORE = {
    "cross-validated": ("What follows holds only roughly: the predictions are cross-validated.",),
}
TAKEN_AS_BEFORE = (
    "Assumed: the predictions were made before the outcomes. If not: --predictions-made cross-validated (or "
    "in-sample)."
)


def with_areas_within(report: Report, folds: Sequence[ForecastTally]) -> Report:
    """Say the ROC area of each class within folds, its mean over those that have one."""
    areas = {}
    for label in folds[0].reliability:
        known = [x for x in (roc_area(fold.reliability[label]) for fold in folds) if math.isfinite(x)]
        areas[str(label)] = math.fsum(known) / len(known) if known else math.nan
    listed = ", ".join(f"{name} {format_number(area)}" for name, area in areas.items())
    first, own, *rest = report.sections
    own = replace(own, text=(*own.text, f"ROC area, mean over folds of that within each: {listed}."))
    numbers = {**report.numbers, "roc_area": plain_values(areas)}
    return replace(report, sections=(first, own, *rest), numbers=numbers)


def report_forecasts(tallied: ReportInput[ForecastTally], options: Options, about: About) -> Report:
    """Examine bets and scores of forecasts and report on them."""
    tally, terms = tallied.final, tallied.terms
    made = terms.get("predictions_made")
    is_labelled = tally.label_source in ("labels", "names")
    known = {
        "against": tally.against,
        "cases": tally.cases,
        "labels": [*map(plain_label, tally.labels)] if is_labelled else None,
        "positive": terms.get("positive"),
        "normalise": terms.get("normalise", False),
        "clip": terms.get("clip"),
        "ordered": terms.get("ordered", False),
        "predictions_made": made or "before",
        "fraction": terms.get("fraction", 1.0),
        "ordinal": terms.get("ordinal", False),
        "orders": options["orders"],
        "goal": options["goal"],
    }
    columns = terms.get("columns", {})
    given = [columns.get(role) for role in ("probabilities", "against")]
    # Several columns are listed with commas: their names are too long for a sentence.
    is_one = (isinstance(name, str) and name != "probabilities" and "," not in name for name in given)
    named = zip((MODEL, AGAINST), given, is_one, strict=True)
    names = {system: name for system, name, one in named if one}
    if columns.get("odds") is not None and columns["odds"] == given[0]:
        names[MODEL] = "the market"
    examined = examine_forecasts(tally, level=options["level"], seed=options["seed"], orders=known["orders"])
    findings = replace(examined, names=names, goal=known["goal"])
    if options["fold"] is not None:  # the models of different folds are not ranked together
        findings = replace(findings, areas=dict.fromkeys(findings.areas, math.nan))
    sections = [make(findings) for make in (_scores, _average, _parts, _reliability)]
    # Who brings odds or asks for a bookmaker reads of the bets first.
    bets_first = findings.bets.wealth.against not in (RIVAL, CLASS_SHARES)
    is_asked = any((options["bets"], options["orders"], options["goal"]))
    sections.insert(0 if bets_first else len(sections), replace(_proof(findings), is_main=is_asked))
    if findings.sides:
        sections.append(sides_section(findings))
    if findings.cumulative_games:
        sections.append(_cumulative_games(findings))
    goal, ranking = Goal.of(options), tally.ranking(terms.get("positive"))
    choice, no_threshold = find_threshold(ranking, goal, seed=options["seed"])
    sections += threshold_section(ranking, choice, options["level"])
    charts = forecast_charts(findings)
    unsaid = () if made is not None else (TAKEN_AS_BEFORE,)
    return Report(
        verdict=with_threshold(forecasts_verdict(findings), ranking, choice, options["level"]),
        citation=forecasts_citation(findings),
        lead="reliability" if "reliability" in charts else "",
        sections=tuple(
            replace(section, charts=tuple(name for name in CHARTS.get(section.title, ()) if name in charts))
            for section in sections
        ),
        warnings=(*unsaid, *tally.warnings, *forecasts_warnings(findings), *no_threshold),
        provenance=about(**known | {"against": columns.get("against", tally.against)}, **vars(goal)),
        numbers=forecasts_numbers(findings) | {"best_cut": choice and choice.to_dict(options["level"])},
        charts=charts,
    )


def _proof(findings: ForecastFindings) -> Section:
    heads = "bet/text", "e-value/text", "p at most/probability", "the hypothesis it is against/text"
    wealth = findings.bets.wealth
    names = dict(BETS)
    if wealth.fraction < 1 and wealth.book != "constant":
        names["full_stakes"] = f"{format_option(wealth.fraction)} of Kelly's stakes"
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            names[name],
            format_wealth(evidence.log_e_value),
            evidence.p_value,
            findings.with_names(evidence.null),
        )
        for name, evidence in evidence_of(findings.bets).items()
    )
    note = "an e-value of 20 or more has probability at most 1/20 if the hypothesis is true"
    if len(rows) > 1:
        note += "; choose one bet beforehand: the smallest p of several is not a p-value"
    text = [*NOT_BEFORE.get(wealth.predictions_made, ()), *_luck_lines(findings)]
    text += (*describe_goal(findings), *_flat_lines(findings))
    if findings.orders is not None:
        text.append(describe_orders(findings.orders))
    paragraphs = tuple(map(findings.with_names, text))
    return Section("What the bets prove", paragraphs, (Grid("", make_columns(*heads), rows, note),))


def _luck_lines(findings: ForecastFindings) -> tuple[str, ...]:
    luck, book = findings.bets.luck, findings.bets.wealth.book
    if book == "constant":
        return (
            "The class shares were counted on these very cases: no constant shares would price them better, "
            "so the final wealth at full stakes is evidence; its maximum on the way, or part of the stakes, "
            "is not.",
        )
    if findings.is_drunken:
        return describe_drunken(findings)
    if luck is None:
        return ()
    sentence = describe_luck(luck, book)
    if book != "fair":
        sentence += (
            " That is one case of many that the hypothesis allows: for all of them only the bound in the "
            "table holds."
        )
    # Of games too many to be kept, the sums of their moments tell.
    how = "" if findings.bets.wealth.games is not None else f" By sums of moments: {luck.method}."
    return (f"{sentence}{how}",)


def _goal_numbers(findings: ForecastFindings) -> JsonObject | None:
    if findings.goal is None:
        return None
    cases_needed = dict(zip(("cases", "low", "high"), findings.cases_to(findings.goal), strict=True))
    return {"wealth": findings.goal, **cases_needed, "median_log_wealth": findings.expected_median}


def _flat_lines(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe what unit stakes earn at real odds."""
    flat = findings.flat
    if flat is None or not flat.bets:
        return ()
    low, high = flat.interval(findings.level)
    interval = f"{format_percent(low, 1)} to {format_percent(high, 1)}"
    return (
        "Flat stakes, one unit on the outcome of highest expected return where that is above 1: "
        f"{flat.bets:,} {plural(flat.bets, 'bet')}, profit {format_number(flat.profit)} units, return "
        f"{format_percent(flat.rate, 1)} of the stakes ({format_level(findings.level)} CI {interval}).",
    )


def _scores(findings: ForecastFindings) -> Section:
    scores = findings.scores
    # Of two classes the ranked probability score is the Brier score.
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
        "skill: 1 − score/score of constant class shares, higher is better; the shares are those of these "
        "cases, which nobody knew beforehand, so it is a little lower than against known ones"
    )
    if "ranked" in shown:
        note = f"ranked probability takes the classes in the order of their columns; {note}"
    price_descriptions = {
        "backing": "the prices divided by their sum",
        "exchange": "the prices at which the model bets",
    }
    wealth = findings.bets.wealth
    if wealth.book in price_descriptions:
        which = (
            "its odds before commission"
            if "commission" in wealth.against
            else price_descriptions[wealth.book]
        )
        note += f"; {wealth.against}: {which}"
    return Section("Scores", (), (Grid("", columns, rows, note),), is_main=True)


MAX_HEADING_LENGTH = 24
"""Signs of a name in the head of a table."""


def _less_model(findings: ForecastFindings) -> str:
    """Name the difference of scores that is above 0 if the model scores better."""
    model, rival = (
        cut_middle(findings.name(system), MAX_HEADING_LENGTH) for system in findings.scores.systems
    )
    return f"{rival} − {model}"


def _average(findings: ForecastFindings) -> Section:
    level = format_level(findings.level)
    columns = make_columns("score/text", f"{_less_model(findings)}/number", f"{level}/interval", "holds/text")
    differences = {"Brier score": findings.bets.brier, "log score": findings.bets.log}
    finite = {name: difference for name, difference in differences.items() if difference is not None}
    unknown: tuple[Cell, ...] = (None, (None, None), INFINITE_SCORE)
    rows = tuple(
        (name, *(unknown if x is None else (finite_or_none(x.mean), *_bounds(x))))
        for name, x in differences.items()
    )
    note = f"above 0 {findings.name(MODEL)} scores better; " + "; ".join(
        f"{name}: {x.method}" for name, x in finite.items()
    )
    return Section("Who scores better on average", (), (Grid("", columns, rows, note),), is_main=True)


def _bounds(difference: AverageDifference) -> tuple[Cell, Cell]:
    if math.isnan(difference.low):
        if difference.sequence is None:
            return (None, None), "too few cases"
        reason = difference.sequence.undefined
        return (None, None), f"nothing is said: {reason}" if reason else difference.holds
    whole = " (all that is possible)" if difference.says_nothing else ""
    return (difference.low, difference.high), f"{difference.holds}{whole}"


def _parts(findings: ForecastFindings) -> Section:
    columns = make_columns("class/text", "score/text", "mean", *PARTS[1:], "ROC area")
    rows = tuple(
        (
            str(label),
            RULES[score].words,
            *(finite_or_none(getattr(p, name)) for name in PARTS),
            finite_or_none(findings.areas[label]),
        )
        for score, by_label in findings.parts.items()
        for label, p in by_label.items()
    )
    note = "score = miscalibration − discrimination + uncertainty, by isotonic regression (CORP)"
    return Section("Why the model's score is what it is", (), (Grid("", columns, rows, note),))


def _reliability(findings: ForecastFindings) -> Section:
    bands_by_label = findings.furthest
    band_head = f"{format_level(findings.level)} if calibrated/interval"
    columns = make_columns("class/text", "forecasts/interval", "mean", "calibrated", band_head, "cases/count")
    most = max(3, MAX_RELIABILITY_STEPS_SHOWN // len(bands_by_label))
    rows: list[tuple[Cell, ...]] = []
    for label, bands in bands_by_label.items():
        levels = sorted(bands.levels, key=lambda level: -level.cases)[:most]
        for level in sorted(levels, key=lambda level: level.first):
            ends, band = (level.first, level.last), (level.low, level.high)
            rows.append((str(label), ends, level.mean, level.recalibrated, band, level.cases))
    text = tuple(
        f"{label}: {describe_calibration(bands, findings)}, {bands.draws:,} draws."
        for label, bands in bands_by_label.items()
    )
    every = [level for bands in bands_by_label.values() for level in bands.levels]
    outside = sum(not level.is_inside for level in every)
    note = (
        "a row is a step: forecasts that isotonic regression makes one probability, and the band at their "
        f"mean; {outside} of {len(every):,} {plural(len(every), 'step')} outside the band"
    )
    if len(rows) < len(every):
        note += f"; shown are the {len(rows)} of most cases, JSON has all"
    if len(bands_by_label) < len(findings.reliability):
        note += f"; the {len(bands_by_label)} of {len(findings.reliability)} classes that stray furthest"
    return Section("Reliability", text, (Grid("", columns, tuple(rows), note),))


def _cumulative_games(findings: ForecastFindings) -> Section:
    heads = ("game/text", "wealth/text", "p at most/probability", f"Brier, {_less_model(findings)}/number")
    columns = make_columns(*heads, f"{format_level(findings.level)}/interval")
    rows = tuple(
        (
            f"at most {label}",
            format_wealth(bets.wealth.log_wealth),
            bets.against_rival.p_value,
            finite_or_none(bets.brier.mean),
            (finite_or_none(bets.brier.low), finite_or_none(bets.brier.high)),
        )
        for label, bets in findings.cumulative_games.items()
    )
    holds = next(iter(findings.cumulative_games.values())).brier.holds
    note = (
        "each game by itself; the Brier scores of the games add up to the ranked probability score; "
        f"intervals hold {holds}"
    )
    return Section("Ordered classes: cumulative games", (), (Grid("", columns, rows, note),))


# -- numbers for JSON and for charts ----------------------------------------------------------------------


PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
WAY = ("log_maximum", "log_minimum", "drawdown")


def evidence_of(bets: Bets) -> dict[str, Evidence]:
    """Return the evidence of every bet that proves something, by name."""
    evidences = (bets.against_rival, bets.mixture, bets.against_model, bets.brier_rounds, bets.log_rounds)
    return {name: evidence for name, evidence in zip(BETS, evidences, strict=True) if evidence is not None}


def forecasts_numbers(findings: ForecastFindings) -> JsonObject:
    """Return all numbers of the report for JSON."""
    bets, scores = findings.bets, findings.scores
    numbers = {
        "kind": "probabilities",
        "level": findings.level,
        "wealth": _wealth_numbers(findings),
        "evidence": {name: _evidence_numbers(numbers) for name, numbers in evidence_of(bets).items()},
        "flat_stakes": _flat_numbers(findings),
        "goal": _goal_numbers(findings),
        "luck": test_result_to_dict(bets.luck),
        "luck_undefined_reason": bets.luck_undefined_reason,
        "drunken": _drunken_numbers(findings),
        "sequences": {"brier": _average_numbers(bets.brier), "log": _average_numbers(bets.log)},
        "scores": scores.to_dict(),
        "means": {x: {name: scores.mean(name, x) for name in scores.names} for x in scores.systems},
        "skill": findings.skills,
        "decomposition": {
            score: {str(label): _fields(p, *PARTS) for label, p in by_label.items()}
            for score, by_label in findings.parts.items()
        },
        "roc_area": {str(label): area for label, area in findings.areas.items()},
        "reliability": {str(label): _bands_numbers(each) for label, each in findings.reliability.items()},
        "side_by_side": {each.name: _fields(each, "values", "better") for each in findings.sides},
        "cumulative_games": {
            str(label): {
                "log_wealth": each.wealth.log_wealth,
                "evidence": _evidence_numbers(each.against_rival),
                "brier": _average_numbers(each.brier),
            }
            for label, each in findings.cumulative_games.items()
        },
        "tables": {system: table.to_dict() for system, table in findings.tables.items()},
        "chart_data": _chart_data(findings),
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
        # Rows without an order have no way.
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


def _evidence_numbers(evidence: Evidence) -> JsonObject:
    return _fields(evidence, "log_e_value", "e_value", "log_maximum", "p_value", "ordered", "null")


def _drunken_numbers(findings: ForecastFindings) -> JsonObject | None:
    if not findings.is_drunken:
        return None
    names = ("expected_log_wealth", "shares_log_wealth")
    numbers = _fields(findings, *names) if findings.bets.wealth.fraction == 1 else dict.fromkeys(names)
    return numbers | {"bookmakers": findings.crowd and _paths_numbers(findings.crowd)}


def _paths_numbers(paths: Paths) -> JsonObject:
    """Return quantiles of many paths: after so many cases, and of their extremes."""
    spread = {name: paths.spread(name).tolist() for name in ("log_wealth", *WAY)}
    quantiles = {name: dict(zip(("low", "median", "high"), row, strict=True)) for name, row in spread.items()}
    return {"number": len(paths.log_wealth), "cases": paths.cases, **quantiles}


def _average_numbers(difference: AverageDifference | None) -> JsonObject:
    names = ("mean", "low", "high", "holds", "method")
    if difference is None:
        return {**dict.fromkeys((*names, "path")), "undefined": INFINITE_SCORE}
    rows = () if difference.sequence is None else sequence_path(difference.sequence)
    path = dict(zip(("cases", *names[:3]), rows, strict=False)) or None
    return {**_fields(difference, *names), "path": path, "undefined": None}


def _bands_numbers(bands: ReliabilityBands) -> JsonObject:
    return {
        **_fields(bands, "forecast", "cases", "recalibrated", "low", "high"),
        "levels": [asdict(level) for level in bands.levels],
        **_fields(bands, "miscalibration", "p_value", "draws"),
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
            "edges": [cell / CELLS for cell in range(CELLS + 1)],
            **_fields(pairs, "counts", "hits"),
        }
    return data


def _flat_numbers(findings: ForecastFindings) -> JsonObject | None:
    if findings.flat is None:
        return None
    low, high = findings.flat.interval(findings.level)
    return {**_fields(findings.flat, "bets", "profit", "rate"), "low": low, "high": high}
