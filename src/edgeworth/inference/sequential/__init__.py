"""Inference one may look at any time: e-processes and confidence sequences for forecasts and bets.

``evidence`` what wealth proves; ``paths`` and ``mixtures`` wealth in logarithms, one stake or all at once;
``henzi_ziegel`` never better in any round; ``brier_sequence`` better on average, bounded scores (from
``gamma_mixture``); ``asymptotic`` the same for unbounded scores.
"""

from edgeworth.bet.paths import running_sum
from edgeworth.inference.sequential.asymptotic import (
    BURN_IN,
    TUNED_FOR,
    AsymptoticSequence,
    asymptotic_sequence,
    block_asymptotic_sequence,
)
from edgeworth.inference.sequential.brier_sequence import (
    BernsteinSequence,
    block_empirical_bernstein,
    empirical_bernstein,
)
from edgeworth.inference.sequential.evidence import Direction, Evidence, better_of
from edgeworth.inference.sequential.gamma_mixture import GammaMixture, tuned_rho
from edgeworth.inference.sequential.henzi_ziegel import henzi_ziegel_evidence, score_log_factors
from edgeworth.inference.sequential.mixtures import (
    FRACTIONS,
    fraction_sums,
    log_average,
    mixture_block_path,
    mixture_evidence,
    mixture_path,
)
from edgeworth.inference.sequential.sequences import BlockSums, ConfidenceSequence, SequencePoint

__all__ = [
    "BURN_IN",
    "FRACTIONS",
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
    "fraction_sums",
    "henzi_ziegel_evidence",
    "log_average",
    "mixture_block_path",
    "mixture_evidence",
    "mixture_path",
    "running_sum",
    "score_log_factors",
    "tuned_rho",
]
