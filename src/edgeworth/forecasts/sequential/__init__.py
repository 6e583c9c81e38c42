"""Inference one may look at any time: e-processes and confidence sequences for forecasts and bets.

``evidence`` what a process of wealth proves; ``brier_sequence`` better on average, bounded scores (from
``gamma_mixture``); ``asymptotic`` the same for unbounded scores. The processes themselves, of full stakes, of
all stakes at once and of bets on the score, are paths of ``Wealth``.
"""

from edgeworth.forecasts.sequential.bernstein import (
    BernsteinSequence,
    block_empirical_bernstein,
    empirical_bernstein,
)
from edgeworth.forecasts.sequential.evidence import Direction, Evidence, better_of
from edgeworth.forecasts.sequential.gamma_mixture import GammaMixture, tuned_rho
from edgeworth.forecasts.sequential.sequences import (
    BURN_IN,
    TUNED_FOR,
    AsymptoticSequence,
    BlockSums,
    ConfidenceSequence,
    SequencePoint,
    asymptotic_sequence,
    block_asymptotic_sequence,
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
    "block_asymptotic_sequence",
    "block_empirical_bernstein",
    "empirical_bernstein",
    "tuned_rho",
]
