"""Labels: from contingency tables to informedness, its uncertainty and its worth."""

from edgeworth.decisions.findings import superstitious_labels
from edgeworth.decisions.matching import Matching, match
from edgeworth.decisions.payoffs_and_costs import Payoffs, costs, expected_cost, payoffs
from edgeworth.decisions.simulation import informed_mixture, lowest_informedness, simulate_labels
from edgeworth.decisions.table import ContingencyTable

__all__ = [
    "ContingencyTable",
    "Matching",
    "Payoffs",
    "costs",
    "expected_cost",
    "informed_mixture",
    "lowest_informedness",
    "match",
    "payoffs",
    "simulate_labels",
    "superstitious_labels",
]
