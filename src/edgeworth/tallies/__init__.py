"""Sufficient statistics: small, frozen, and added up with +. No measures here."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.tallies.calibration import Calibration
    from edgeworth.tallies.decisions import ContingencyTable
    from edgeworth.tallies.forecast_scores import ForecastScores
    from edgeworth.tallies.lists import RankedLists
    from edgeworth.tallies.mixtures import informed_mixture, simulate_labels
    from edgeworth.tallies.paired import Discordance, Paired
    from edgeworth.tallies.paired_scores import PairedScores
    from edgeworth.tallies.protocol import Tally
    from edgeworth.tallies.rankings import Ranking
    from edgeworth.tallies.wealth import Wealth
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "calibration": ("Calibration",),
            "decisions": ("ContingencyTable",),
            "forecast_scores": ("ForecastScores",),
            "lists": ("RankedLists",),
            "mixtures": ("informed_mixture", "simulate_labels"),
            "paired": ("Discordance", "Paired"),
            "paired_scores": ("PairedScores",),
            "protocol": ("Tally",),
            "rankings": ("Ranking",),
            "wealth": ("Wealth",),
        },
    )

__all__ = [
    "Calibration",
    "ContingencyTable",
    "Discordance",
    "ForecastScores",
    "Paired",
    "PairedScores",
    "RankedLists",
    "Ranking",
    "Tally",
    "Wealth",
    "informed_mixture",
    "simulate_labels",
]
