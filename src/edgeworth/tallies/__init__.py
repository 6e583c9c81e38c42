"""Sufficient statistics: small, frozen, and added up with +. No measures here."""

from edgeworth.tallies.calibration import Calibration
from edgeworth.tallies.clustered import ClusteredTable
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.forecast_scores import ForecastScores
from edgeworth.tallies.lists import RankedLists
from edgeworth.tallies.mixtures import informed_mixture, simulate_labels
from edgeworth.tallies.paired import Discordance, Paired
from edgeworth.tallies.paired_scores import PairedScores
from edgeworth.tallies.protocol import Tally
from edgeworth.tallies.rankings import Ranking
from edgeworth.tallies.wealth import Wealth

__all__ = [
    "Calibration",
    "ClusteredTable",
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
