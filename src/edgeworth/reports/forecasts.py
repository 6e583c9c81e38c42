"""The report on probabilities: findings in, sections and tables out. Arranges numbers, computes none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from edgeworth.inference import Bets, ForecastFindings
from edgeworth.inference.sequential import ConfidenceSequence, Evidence
from edgeworth.measures.views import finite_or_none
from edgeworth.reports.decisions import tail_to_dict
from edgeworth.reports.report import Cell, Column, Grid, Report, Section
from edgeworth.reports.wording import MINUS, level_said, percent, probability_words

WARNINGS = {
    "cross-validated": (
        "The predictions are cross-validated: they were not made before the outcomes, so what the wealth "
        "proves holds only roughly; choosing variables outside the folds flatters the larger model."
    ),
    "in-sample": (
        "The predictions were made by a model that had seen these outcomes: the wealth proves nothing about "
        "new cases."
    ),
}
SCORE_NAMES = {
    "log": "log score",
    "brier": "Brier score",
    "ranked": "ranked probability",
    "spherical": "spherical",
}


def forecasts_report(findings: ForecastFindings, provenance: Mapping[str, Any]) -> Report:
    """Arrange what was found."""
    return Report(
        verdict=forecasts_verdict(findings),
        sections=_sections(findings),
        warnings=_warnings(findings),
        provenance=provenance,
        numbers=_numbers(findings),
    )


def _sections(findings: ForecastFindings) -> tuple[Section, ...]:
    made = [make(findings) for make in (_proof, _scores, _average, _parts, _decisions)]
    return (*made, _ladder(findings)) if findings.ladder else tuple(made)


def _ladder(findings: ForecastFindings) -> Section:
    columns = (
        Column("game"),
        Column("wealth"),
        Column("p at most", "probability"),
        Column("Brier, rival less model", "number"),
        Column(f"{level_said(findings.level)} at all times", "interval"),
    )
    rows = tuple(
        (f"at most {label}", money(bets.wealth.log_wealth), bets.against_rival.p_value, *_brier(bets))
        for label, bets in findings.ladder.items()
    )
    note = "each game by itself; the Brier scores of the games add up to the ranked probability score"
    return Section("Ordered classes: a ladder of games", (), (Grid("", columns, rows, note),))


def _brier(bets: Bets) -> tuple[float | None, tuple[float | None, float | None]]:
    last = bets.brier_sequence.last
    return finite_or_none(last.mean), (finite_or_none(last.low), finite_or_none(last.high))


def forecasts_verdict(findings: ForecastFindings) -> str:
    """What became of the stake, what that proves, and who scores better."""
    bets, wealth = findings.bets, findings.bets.wealth
    if wealth.log_wealth == -math.inf:
        return f"Ruined: the model gave probability 0 to something that happened, in {wealth.cases:,} cases."
    evidence = bets.against_rival
    grown = f"{percent(bets.rate, 2)} a case" if math.isfinite(bets.growth) else "without bound"
    first = f"A stake of 1 on the model against {wealth.against} became {money(wealth.log_wealth)} over "
    first += f"{wealth.cases:,} cases ({grown})."
    return f"{first} {_proved(evidence, findings)} {_better(findings)}"


def money(log_wealth: float) -> str:
    """Wealth from its logarithm, whatever its size."""
    if math.isinf(log_wealth):
        return "more than any number" if log_wealth > 0 else "0"
    if abs(log_wealth) < 13:
        value = math.exp(log_wealth)
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    power = math.floor(log_wealth / math.log(10))
    return f"{math.exp(log_wealth - power * math.log(10)):.2g}e{power:+d}"


def _proved(evidence: Evidence, findings: ForecastFindings) -> str:
    alpha, made = 1 - findings.level, findings.bets.wealth.predictions_made
    if made == "in-sample":
        return "The model had seen these outcomes, so that proves nothing."
    stronger = findings.bets.stronger
    twice = "" if findings.bets.against_model is None else ", both directions paid for"
    said = f"(p at most {stronger.p_value:.2g}{twice})"
    if stronger.p_value > alpha:
        own = f"(p at most {findings.bets.p_value:.2g}{twice})"
        return f"That does not rule out that {evidence.null} {own}."
    on_the_way = _on_the_way(stronger, evidence)
    if made == "cross-validated":
        before = f"{on_the_way}Had the predictions been made before the outcomes, that would rule out that"
        return f"{before} {stronger.null} {said}."
    return f"{on_the_way}That rules out that {stronger.null} {said}."


def _on_the_way(stronger: Evidence, evidence: Evidence) -> str:
    """The maximum, where it is what proves: the end alone would prove less."""
    if stronger.null != evidence.null or evidence.log_maximum is None:
        return ""
    if not evidence.log_maximum > evidence.log_e_value + 1e-9:
        return ""
    return f"On the way it reached {money(evidence.log_maximum)}. "


def _better(findings: ForecastFindings) -> str:
    point = findings.bets.brier_sequence.last
    better = point.mean >= 0
    low, high = (point.low, point.high) if better else (-point.high, -point.low)
    text = (
        f"The mean Brier score is {'better' if better else 'worse'} than that of "
        f"{findings.bets.wealth.against} by {abs(point.mean):.4f} ({level_said(findings.level)} confidence "
        f"sequence {low:.4f} to {high:.4f})"
    ).replace("-", MINUS)
    if low > 0:
        return f"{text}: the model scores {'better' if better else 'worse'}."
    return f"{text}: who scores better on average is open."


def _warnings(findings: ForecastFindings) -> tuple[str, ...]:
    wealth, said = findings.bets.wealth, []
    if wealth.predictions_made in WARNINGS:
        said.append(WARNINGS[wealth.predictions_made])
    if not wealth.ordered:
        said.append(
            "The rows are not said to be in time order (ordered=True, --ordered, --time): only the final "
            "wealth is used as evidence, not its maximum."
        )
    for place, system in enumerate(findings.scores.systems):
        zeros = int(findings.scores.zeros[place])
        if zeros:
            said.append(
                f"{system} gave probability 0 to what happened in {zeros:,} cases: its log score is infinite."
            )
    return tuple(said)


BETS = {
    "full_stakes": "full stakes",
    "mixture": "all stake fractions",
    "reverse": "the other way round",
    "brier_rounds": "bets on the Brier score",
    "log_rounds": "bets on the log score",
}


def _evidence_rows(findings: ForecastFindings) -> dict[str, Evidence]:
    bets = findings.bets
    found = (bets.against_rival, bets.mixture, bets.against_model, bets.brier_rounds, bets.log_rounds)
    return {name: evidence for name, evidence in zip(BETS, found, strict=True) if evidence is not None}


def _proof(findings: ForecastFindings) -> Section:
    columns = (
        Column("bet"),
        Column("e-value"),
        Column("p at most", "probability"),
        Column("the hypothesis it is against"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (BETS[name], money(found.log_e_value), found.p_value, found.null)
        for name, found in _evidence_rows(findings).items()
    )
    note = "an e-value of 20 has probability at most 1/20 if the hypothesis is true"
    luck, text = findings.bets.luck, ""
    if luck is not None:
        text = f"If the prices are right, luck gives this wealth with probability {probability_words(luck)}."
    return Section("What the bets prove", (text,) if text else (), (Grid("", columns, rows, note),))


def _scores(findings: ForecastFindings) -> Section:
    scores = findings.scores
    columns = (Column("score (lower is better)"), *(Column(system, "number") for system in scores.systems))
    rows = tuple(
        (SCORE_NAMES[name], *(finite_or_none(scores.mean(name, system)) for system in scores.systems))
        for name in scores.names
    )
    rows += tuple(
        (f"{SCORE_NAMES[name]}: skill", *(finite_or_none(findings.skills[x][name]) for x in scores.systems))
        for name in ("log", "brier")
    )
    note = (
        "ranked probability takes the classes in the order of their columns; "
        "skill: 1 − score/score of constant class shares, higher is better"
    )
    return Section("Scores", (), (Grid("", columns, rows, note),))


def _average(findings: ForecastFindings) -> Section:
    columns = (
        Column("mean difference, rival less model"),
        Column("value", "number"),
        Column(f"{level_said(findings.level)} at all times", "interval"),
        Column("method"),
    )
    found = [("Brier score", findings.bets.brier_sequence), ("log score", findings.bets.log_sequence)]
    rows = tuple(
        (
            name,
            finite_or_none(x.last.mean),
            (finite_or_none(x.last.low), finite_or_none(x.last.high)),
            x.method,
        )
        for name, x in found
        if x is not None
    )
    return Section("Who scores better on average", (), (Grid("", columns, rows),))


def _sequence_row(name: str, sequence: ConfidenceSequence) -> tuple[Cell, ...]:
    last = sequence.last
    bounds = (finite_or_none(last.low), finite_or_none(last.high))
    return name, finite_or_none(last.mean), bounds, sequence.method


def _parts(findings: ForecastFindings) -> Section:
    columns = (
        Column("class"),
        Column("score"),
        Column("mean", "number"),
        Column("miscalibration", "number"),
        Column("discrimination", "number"),
        Column("uncertainty", "number"),
    )
    rows = tuple(
        (
            str(label),
            SCORE_NAMES[score],
            *(finite_or_none(x) for x in (p.score, p.miscalibration, p.discrimination, p.uncertainty)),
        )
        for score, by_label in findings.parts.items()
        for label, p in by_label.items()
    )
    note = "score = miscalibration − discrimination + uncertainty, by isotonic regression (CORP)"
    return Section("Why the model's score is what it is", (), (Grid("", columns, rows, note),))


def _decisions(findings: ForecastFindings) -> Section:
    columns = (Column("labels of highest probability"), Column("right", "count"), Column("wrong", "count"))
    rows = tuple((system, right, wrong) for system, (right, wrong) in findings.right_and_wrong.items())
    note = "two forecasts may name the same labels and differ in wealth, and the other way round"
    return Section("As decisions", (), (Grid("", columns, rows, note),))


def _evidence(found: Evidence | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "log_e_value": finite_or_none(found.log_e_value),
        "e_value": finite_or_none(found.e_value),
        "log_maximum": None if found.log_maximum is None else finite_or_none(found.log_maximum),
        "p_value": found.p_value,
        "ordered": found.ordered,
        "null": found.null,
    }


def _sequence(found: ConfidenceSequence | None) -> dict[str, Any] | None:
    if found is None:
        return None
    last = found.last
    return {
        "method": found.method,
        "mean": finite_or_none(last.mean),
        "low": finite_or_none(last.low),
        "high": finite_or_none(last.high),
        "path": {
            "cases": found.cases.tolist(),
            "mean": [finite_or_none(x) for x in found.mean.tolist()],
            "low": [finite_or_none(x) for x in found.low.tolist()],
            "high": [finite_or_none(x) for x in found.high.tolist()],
        },
    }


def _numbers(findings: ForecastFindings) -> dict[str, Any]:
    bets, wealth = findings.bets, findings.bets.wealth
    mean, deviation = findings.expected_path
    return {
        "kind": "probabilities",
        "level": findings.level,
        "wealth": {
            "log_wealth": finite_or_none(wealth.log_wealth),
            "wealth": finite_or_none(wealth.wealth),
            "ruined": wealth.log_wealth == -math.inf,
            "cases": wealth.cases,
            "growth": finite_or_none(bets.growth),
            "log_maximum": finite_or_none(wealth.log_maximum),
            "log_minimum": finite_or_none(wealth.log_minimum),
            "drawdown": finite_or_none(wealth.drawdown),
            "against": wealth.against,
            "stake": wealth.stake,
            "ordered": wealth.ordered,
            "predictions_made": wealth.predictions_made,
            "path": {
                "cases": wealth.positions.tolist(),
                "log_wealth": [finite_or_none(x) for x in wealth.path.tolist()],
                "expected": [finite_or_none(x) for x in mean.tolist()],
                "expected_deviation": [finite_or_none(x) for x in deviation.tolist()],
            },
        },
        "evidence": {name: _evidence(found) for name, found in _evidence_rows(findings).items()},
        "luck": tail_to_dict(bets.luck),
        "sequences": {"brier": _sequence(bets.brier_sequence), "log": _sequence(bets.log_sequence)},
        "scores": findings.scores.to_dict(),
        "means": {
            system: {
                name: finite_or_none(findings.scores.mean(name, system)) for name in findings.scores.names
            }
            for system in findings.scores.systems
        },
        "decomposition": {
            score: {
                str(label): {
                    "score": finite_or_none(p.score),
                    "miscalibration": finite_or_none(p.miscalibration),
                    "discrimination": finite_or_none(p.discrimination),
                    "uncertainty": finite_or_none(p.uncertainty),
                }
                for label, p in by_label.items()
            }
            for score, by_label in findings.parts.items()
        },
        "skill": {
            system: {name: finite_or_none(value) for name, value in each.items()}
            for system, each in findings.skills.items()
        },
        "ladder": {
            str(label): {
                "log_wealth": finite_or_none(bets.wealth.log_wealth),
                "evidence": _evidence(bets.against_rival),
                "brier": _sequence(bets.brier_sequence),
            }
            for label, bets in findings.ladder.items()
        },
        "tables": {system: table.to_dict() for system, table in findings.tables.items()},
    }
