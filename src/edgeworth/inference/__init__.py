"""Tally, measure and method to estimate: intervals, tests, chance laws, matching."""

from edgeworth.inference.estimates import Estimate, Interval, estimate
from edgeworth.inference.findings import DecisionFindings, examine_decisions, superstitious_labels
from edgeworth.inference.guessing import GuessingLaw
from edgeworth.inference.matching import Matching, match
from edgeworth.inference.methods import (
    Bootstrap,
    ClopperPearson,
    Delta,
    Dirichlet,
    Method,
    Newcombe,
    Wilson,
)
from edgeworth.inference.planning import Plan, cases_needed
from edgeworth.inference.tails import Tail

__all__ = [
    "Bootstrap",
    "ClopperPearson",
    "DecisionFindings",
    "Delta",
    "Dirichlet",
    "Estimate",
    "GuessingLaw",
    "Interval",
    "Matching",
    "Method",
    "Newcombe",
    "Plan",
    "Tail",
    "Wilson",
    "cases_needed",
    "estimate",
    "examine_decisions",
    "match",
    "superstitious_labels",
]
