"""The numbers behind a report on probabilities, as plain values for JSON and for charts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from edgeworth.arrays import finite_or_none
from edgeworth.decisions.report import tail_to_dict
from edgeworth.forecasts.curves import (
    STAKE_ODDS,
    STAKE_PROBABILITIES,
    FinalLaw,
    returns,
    sequence_path,
    stake_surface,
)
from edgeworth.forecasts.estimates import INFINITE_SCORE, AverageDifference
from edgeworth.forecasts.findings import Bets, ForecastFindings
from edgeworth.forecasts.reliability import ReliabilityBands
from edgeworth.forecasts.sequential import Evidence
from edgeworth.forecasts.tally import CELLS

WAY = ("log_maximum", "log_minimum", "drawdown")
EVIDENCE = ("full_stakes", "mixture", "reverse", "brier_rounds", "log_rounds")


def evidence_of(bets: Bets) -> dict[str, Evidence]:
    """Every bet that proves something, by name."""
    found = (bets.against_rival, bets.mixture, bets.against_model, bets.brier_rounds, bets.log_rounds)
    return {name: evidence for name, evidence in zip(EVIDENCE, found, strict=True) if evidence is not None}


def forecasts_numbers(findings: ForecastFindings) -> dict[str, Any]:
    """Everything but the sentences and the tables."""
    bets, scores = findings.bets, findings.scores
    return {
        "kind": "probabilities",
        "level": findings.level,
        "wealth": _wealth(findings),
        "evidence": {name: _evidence(found) for name, found in evidence_of(bets).items()},
        "luck": tail_to_dict(bets.luck),
        "no_luck": bets.no_luck,
        "drunken": _drunken(findings),
        "sequences": {"brier": _average(bets.brier), "log": _average(bets.log)},
        "scores": scores.to_dict(),
        "means": {
            system: {name: finite_or_none(scores.mean(name, system)) for name in scores.names}
            for system in scores.systems
        },
        "skill": {
            system: {name: finite_or_none(value) for name, value in each.items()}
            for system, each in findings.skills.items()
        },
        "decomposition": {
            score: {
                str(label): _fields(p, "score", "miscalibration", "discrimination", "uncertainty")
                for label, p in by_label.items()
            }
            for score, by_label in findings.parts.items()
        },
        "roc_area": {str(label): finite_or_none(area) for label, area in findings.areas.items()},
        "reliability": {str(label): _reliability(each) for label, each in findings.reliability.items()},
        "side_by_side": {
            each.name: {
                "values": {system: finite_or_none(value) for system, value in each.values.items()},
                "better": each.better,
            }
            for each in findings.sides
        },
        "ladder": {
            str(label): {
                "log_wealth": finite_or_none(each.wealth.log_wealth),
                "evidence": _evidence(each.against_rival),
                "brier": _average(each.brier),
            }
            for label, each in findings.cumulative_games.items()
        },
        "tables": {system: table.to_dict() for system, table in findings.tables.items()},
        "chart_data": _chart_data(findings),
    }


def _fields(found: Any, *names: str) -> dict[str, Any]:
    """Attributes by name: arrays as lists, and numbers that are not finite as None."""
    return {name: _plain(getattr(found, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return finite_or_none(value) if isinstance(value, float) else value


def _finite(values: Iterable[float]) -> list[float | None]:
    return [finite_or_none(float(value)) for value in values]


def _wealth(findings: ForecastFindings) -> dict[str, Any]:
    bets, wealth = findings.bets, findings.bets.wealth
    path = findings.path
    bands = {"": 0, "_low": 1, "_high": 2}
    return {
        **_fields(wealth, "log_wealth", "wealth"),
        "ruined": wealth.log_wealth == -math.inf,
        "cases": wealth.cases,
        "growth": finite_or_none(bets.growth),
        # Rows without an order have no way.
        **dict.fromkeys(WAY),
        **(_fields(wealth, *WAY) if wealth.ordered else {}),
        "log_threshold": -math.log(1 - findings.level),
        "against": wealth.against,
        "stake": wealth.fraction,
        **_fields(wealth, "ordered", "predictions_made"),
        "path": {
            "cases": path.cases.tolist(),
            "log_wealth": _finite(path.log_wealth),
            **{f"expected{end}": _finite(path.expected[row]) for end, row in bands.items()},
            "expected_deviation": _finite(path.deviation),
            **{f"priced{end}": _finite(path.priced[row]) for end, row in bands.items()},
        },
    }


def _evidence(found: Evidence) -> dict[str, Any]:
    return _fields(found, "log_e_value", "e_value", "log_maximum", "p_value", "ordered", "null")


def _drunken(findings: ForecastFindings) -> dict[str, Any] | None:
    if not findings.is_drunken:
        return None
    full = findings.bets.wealth.fraction == 1
    expected = findings.expected_log_wealth if full else None
    return {
        "expected_log_wealth": _plain(expected),
        "shares_log_wealth": finite_or_none(findings.shares_log_wealth) if full else None,
    }


def _average(found: AverageDifference | None) -> dict[str, Any]:
    if found is None:
        names = ("mean", "low", "high", "holds", "method", "path")
        return {**dict.fromkeys(names), "undefined": INFINITE_SCORE}
    path = None
    if found.sequence is not None:
        cases, *rows = sequence_path(found.sequence)
        named = zip(("mean", "low", "high"), map(_finite, rows), strict=True)
        path = {"cases": cases.tolist(), **dict(named)}
    return {
        **_fields(found, "mean", "low", "high", "holds", "method"),
        "path": path,
        "undefined": None,
    }


def _reliability(bands: ReliabilityBands) -> dict[str, Any]:
    return {
        **_fields(bands, "forecast", "cases", "recalibrated", "low", "high"),
        "levels": [asdict(level) for level in bands.levels],
        **_fields(bands, "miscalibration", "p_value", "draws"),
        "grouped": bands.is_grouped,
    }


def _chart_data(findings: ForecastFindings) -> dict[str, Any]:
    wealth, pairs = findings.bets.wealth, findings.pairs
    cases, logs = returns(findings.way)
    law = findings.final_law
    return {
        "returns": {"cases": cases.tolist(), "log_return": _finite(logs)},
        "final_wealth": None if law is None else _law(law, wealth.log_wealth),
        "stakes": _stakes() if len(wealth.labels) == 2 else None,
        "probability_pairs": None
        if pairs is None
        else {
            "label": str(pairs.labels[1]),
            "systems": list(findings.scores.systems),
            "edges": [cell / CELLS for cell in range(CELLS + 1)],
            "counts": pairs.counts.tolist(),
            "hits": pairs.hits.tolist(),
        },
    }


def _law(law: FinalLaw, observed: float) -> dict[str, Any]:
    return {
        "log_wealth": law.log_wealth.tolist(),
        **{
            name: {"cumulative": _finite(values), "density": _finite(law.density(values))}
            for name, values in (("prices", law.prices), ("model", law.model))
        },
        "observed": finite_or_none(observed),
        "method": law.method,
    }


def _stakes() -> dict[str, Any]:
    """Backing only, what would be laid is not bet."""
    both = stake_surface().tolist()
    return {
        "probabilities": STAKE_PROBABILITIES.tolist(),
        "odds": STAKE_ODDS.tolist(),
        "back_and_lay": both,
        "back_only": [[max(0.0, stake) for stake in row] for row in both],
    }
