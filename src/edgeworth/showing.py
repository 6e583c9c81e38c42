"""The facts of each kind of tally, as a notebook shows them."""

from __future__ import annotations

from typing import Any

from edgeworth.comparing.paired import Paired
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.core.markup import html_table
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.tally import ForecastEvidence
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.ranking import Ranking

MOST_LABELS = 30
LONGEST = 60


def tally_html(tally: Any) -> str:
    """A contingency table as it is, anything else by its facts.

    >>> table = ContingencyTable.from_matrix([[5, 1], [2, 4]], rows="predicted", labels=["a", "<b>"])
    >>> "&lt;b&gt;" in tally_html(table), "<b>" in tally_html(table)
    (True, False)
    """
    if isinstance(tally, ContingencyTable) and tally.clusters is None and len(tally.labels) <= MOST_LABELS:
        return _counts(tally)
    return html_table(type(tally).__name__, [], list(facts(tally).items()))


def facts(tally: Any) -> dict[str, Any]:
    """What there is to say about a tally in a few lines."""
    if isinstance(tally, ContingencyTable):
        clusters = {} if tally.clusters is None else {"clusters": tally.clusters.number}
        return clusters | {
            "cases": _plain(tally.total),
            "labels": len(tally.labels),
            **_labels(tally.labels),
        }
    if isinstance(tally, Paired):
        return {
            "cases": _plain(tally.total),
            "predictors": ", ".join(tally.names),
            **_labels(tally.labels),
        }
    if isinstance(tally, Ranking):
        return {
            "items": _plain(tally.total),
            "targets": _plain(tally.target_total),
            "target": str(tally.target),
        }
    if isinstance(tally, RankedLists):
        return {"lists": tally.number, "items": len(tally.scores), "targets": int(tally.targets.sum())}
    if isinstance(tally, PairedScores):
        return {"cases": len(tally), "targets": int(tally.targets.sum()), "systems": ", ".join(tally.names)}
    if isinstance(tally, ForecastScores):
        means = {
            f"mean {score} of {system}": tally.mean(score, system)
            for system in tally.systems
            for score in tally.names
        }
        return {"cases": tally.cases, **means}
    if isinstance(tally, Calibration):
        return {"cases": tally.cases, **_labels(tally.labels)}
    if isinstance(tally, ForecastEvidence):
        return facts(tally.wealth) | _labels(tally.labels)
    assert isinstance(tally, Wealth), type(tally)
    return {
        "bets": tally.cases,
        "against": tally.against,
        "log wealth": tally.log_wealth,
        "highest": tally.log_maximum,
        "lowest": tally.log_minimum,
    }


def _counts(table: ContingencyTable) -> str:
    names = [_short(label) for label in table.labels]
    rows: list[list[Any]] = [
        [name, *row, total]
        for name, row, total in zip(names, table.counts.tolist(), table.predicted.tolist(), strict=True)
    ]
    rows.append(["all", *table.real.tolist(), _plain(table.total)])
    if table.abstained.any():
        rows.append(["no decision", *table.abstained.tolist(), table.abstained.sum().item()])
    return html_table("ContingencyTable", ["predicted ↓ real →", *names, "all"], rows)


def _labels(labels: tuple[Any, ...]) -> dict[str, str]:
    more = "" if len(labels) <= MOST_LABELS else f" and {len(labels) - MOST_LABELS} more"
    return {"classes": ", ".join(map(_short, labels[:MOST_LABELS])) + more}


def _short(label: Any) -> str:
    text = str(label)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _plain(number: Any) -> Any:
    return number.item() if hasattr(number, "item") else number
