"""Tally to number: pure functions and their metadata. No input, no output, no randomness."""

from edgeworth.measures.computing import Resolved, at_guessing, measure, resolve, table_of
from edgeworth.measures.definition import Combination, Measure
from edgeworth.measures.dollars import Costs, Payoffs, cost_matrix, costs, payoffs
from edgeworth.measures.information import expected_cost_measure
from edgeworth.measures.registry import catalogue, search
from edgeworth.measures.spelling import Spelling, quoted

__all__ = [
    "Combination",
    "Costs",
    "Measure",
    "Payoffs",
    "Resolved",
    "Spelling",
    "at_guessing",
    "catalogue",
    "cost_matrix",
    "costs",
    "expected_cost_measure",
    "measure",
    "payoffs",
    "quoted",
    "resolve",
    "search",
    "table_of",
]
