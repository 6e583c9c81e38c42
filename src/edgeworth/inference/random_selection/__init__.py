"""What chance alone does to a ranking: hits at a cut, ranks of hits, average precision.

Targets fall on ranks at random, every set of ranks as likely as any other (Su & Zhang).
"""

from edgeworth.inference.random_selection.hits import (
    HitRankLaw,
    HitsLaw,
    JointHitRankLaw,
    NormalApproximation,
    hit_rank,
    hits,
    joint_hit_ranks,
)
from edgeworth.inference.random_selection.law import AveragePrecisionLaw, average_precision

__all__ = [
    "AveragePrecisionLaw",
    "HitRankLaw",
    "HitsLaw",
    "JointHitRankLaw",
    "NormalApproximation",
    "average_precision",
    "hit_rank",
    "hits",
    "joint_hit_ranks",
]
