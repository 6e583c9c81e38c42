"""Tally to number: pure functions and their metadata. No input, no output, no randomness."""

from edgeworth.measures.computing import Resolved, at_guessing, measure, resolve, table_of
from edgeworth.measures.definition import Combination, Measure
from edgeworth.measures.dollars import Costs, Payoffs, costs, expected_cost, payoffs
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
    "costs",
    "expected_cost",
    "measure",
    "payoffs",
    "quoted",
    "resolve",
    "search",
    "table_of",
]
