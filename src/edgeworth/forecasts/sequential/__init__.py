"""Inference that holds at any time: e-values and confidence sequences for forecasts and bets.

``Evidence`` says what a process of wealth proves. ``empirical_bernstein`` bounds the mean of bounded score
differences by a gamma-exponential mixture (``GammaMixture``), ``asymptotic_sequence`` that of unbounded ones.
Both take a difference for each case, or the sums of blocks of cases (``BlockSums``).
"""

from edgeworth.forecasts.sequential.evidence import Direction, Evidence, better_of
from edgeworth.forecasts.sequential.gamma_mixture import GammaMixture, tuned_rho
from edgeworth.forecasts.sequential.sequences import (
    BURN_IN,
    TUNED_FOR,
    AsymptoticSequence,
    BernsteinSequence,
    BlockSums,
    ConfidenceSequence,
    SequencePoint,
    asymptotic_sequence,
    empirical_bernstein,
)

__all__ = [
    "BURN_IN",
    "TUNED_FOR",
    "AsymptoticSequence",
    "BernsteinSequence",
    "BlockSums",
    "ConfidenceSequence",
    "Direction",
    "Evidence",
    "GammaMixture",
    "SequencePoint",
    "asymptotic_sequence",
    "better_of",
    "empirical_bernstein",
    "tuned_rho",
]
