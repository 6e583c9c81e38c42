"""Every kind of tally as plain values, by the name of its kind, and back."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from edgeworth.errors import InputError, OptionError

KINDS = {
    "calibration": "calibration.Calibration",
    "clustered_table": "decisions.ContingencyTable",
    "contingency_table": "decisions.ContingencyTable",
    "forecast_scores": "forecast_scores.ForecastScores",
    "forecasts": "forecast_evidence.ForecastEvidence",
    "labelled_scores": "labelled_scores.LabelledScores",
    "paired": "paired.Paired",
    "paired_scores": "paired_scores.PairedScores",
    "ranked_lists": "lists.RankedLists",
    "ranking": "rankings.Ranking",
    "wealth": "wealth.Wealth",
}
"""Module and class of each kind: what is counted needs its own kind alone, and the others stay unloaded."""


def kind_of(tally: Any) -> str:
    """The name of a tally's kind.

    >>> from edgeworth.tallies import ContingencyTable
    >>> kind_of(ContingencyTable.empty())
    'contingency_table'
    """
    home = f"{type(tally).__module__}.{type(tally).__qualname__}"
    for kind, place in KINDS.items():
        if home == f"{__package__}.{place}":
            # A table is of the one kind or the other by whether it has clusters.
            return "contingency_table" if getattr(tally, "clusters", False) is None else kind
    raise OptionError(f"a tally is a table, a ranking, lists, wealth, …; saw {type(tally).__name__}")


def tally_to_dict(tally: Any) -> dict[str, Any]:
    """Plain values for JSON, the name of the kind among them."""
    if kind_of(tally) == "labelled_scores":
        from edgeworth.tallies.labelled_serial import labelled_to_dict

        return labelled_to_dict(tally)
    payload: dict[str, Any] = tally.to_dict()
    return payload


def tally_from_dict(payload: dict[str, Any]) -> Any:
    """The tally that ``tally_to_dict`` described, checked."""
    kind = payload.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a tally is of a kind that is known ({', '.join(KINDS)}); saw {kind!r}")
    if kind == "labelled_scores":
        from edgeworth.tallies.labelled_serial import labelled_from_dict

        return labelled_from_dict(payload)
    module, name = KINDS[kind].split(".")
    return getattr(import_module(f"{__package__}.{module}"), name).from_dict(payload)
