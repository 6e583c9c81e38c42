"""Sufficient statistics: small, frozen, and added up with +. No measures here."""

from edgeworth.tallies.clustered import ClusteredTable
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.lists import RankedLists
from edgeworth.tallies.mixtures import informed_mixture, simulate_labels
from edgeworth.tallies.paired import Discordance, Paired
from edgeworth.tallies.protocol import Tally
from edgeworth.tallies.rankings import Ranking

__all__ = [
    "ClusteredTable",
    "ContingencyTable",
    "Discordance",
    "Paired",
    "RankedLists",
    "Ranking",
    "Tally",
    "informed_mixture",
    "simulate_labels",
]
