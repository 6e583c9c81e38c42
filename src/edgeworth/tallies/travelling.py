"""Every kind of tally as plain values, by the name of its kind, and back."""

from __future__ import annotations

from typing import Any

from edgeworth.errors import InputError, OptionError
from edgeworth.tallies.calibration import Calibration
from edgeworth.tallies.clustered import ClusteredTable
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.forecast_evidence import ForecastEvidence
from edgeworth.tallies.forecast_scores import ForecastScores
from edgeworth.tallies.labelled_scores import LabelledScores
from edgeworth.tallies.labelled_serial import labelled_from_dict, labelled_to_dict
from edgeworth.tallies.lists import RankedLists
from edgeworth.tallies.paired import Paired
from edgeworth.tallies.paired_scores import PairedScores
from edgeworth.tallies.rankings import Ranking
from edgeworth.tallies.wealth import Wealth

KINDS: dict[str, type] = {
    "calibration": Calibration,
    "clustered_table": ClusteredTable,
    "contingency_table": ContingencyTable,
    "forecast_scores": ForecastScores,
    "forecasts": ForecastEvidence,
    "labelled_scores": LabelledScores,
    "paired": Paired,
    "paired_scores": PairedScores,
    "ranked_lists": RankedLists,
    "ranking": Ranking,
    "wealth": Wealth,
}


def kind_of(tally: Any) -> str:
    """The name of a tally's kind.

    >>> kind_of(ContingencyTable.empty())
    'contingency_table'
    """
    for name, kind in KINDS.items():
        if type(tally) is kind:
            return name
    raise OptionError(f"a tally is a table, a ranking, lists, wealth, …; saw {type(tally).__name__}")


def tally_to_dict(tally: Any) -> dict[str, Any]:
    """Plain values for JSON, the name of the kind among them."""
    kind_of(tally)
    payload: dict[str, Any] = (
        labelled_to_dict(tally) if isinstance(tally, LabelledScores) else tally.to_dict()
    )
    return payload


def tally_from_dict(payload: dict[str, Any]) -> Any:
    """The tally that ``tally_to_dict`` described, checked."""
    kind = payload.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a tally is of a kind that is known ({', '.join(KINDS)}); saw {kind!r}")
    if kind == "labelled_scores":
        return labelled_from_dict(payload)
    return KINDS[kind].from_dict(payload)  # type: ignore[attr-defined]  # every other one has it
