"""What chance alone would do: laws of measures when there is no information."""

from __future__ import annotations

from edgeworth.decisions.guessing import GuessingLaw, guessing_law
from edgeworth.decisions.overall import informedness_hit_values
from edgeworth.decisions.table import ContingencyTable
from edgeworth.rankings.chance.hits import hit_rank, hits, joint_hit_ranks
from edgeworth.rankings.chance.law import average_precision

__all__ = ["average_precision", "guessing_law", "hit_rank", "hits", "informedness", "joint_hit_ranks"]


def informedness(table: ContingencyTable, *, seed: int = 0, draws: int | None = None) -> GuessingLaw:
    """The law of informedness when the labels are guessed with the same margins.

    ``.mean`` and ``.variance`` are exact; ``.tail(x)`` is P(B ≥ x), exact where it can be; ``.two_sided(x)``
    is P(|B| ≥ |x|). ``draws`` and ``seed`` are for the Monte Carlo that takes over where nothing exact is
    within reach.

    >>> table = ContingencyTable.from_matrix([[3, 0, 0], [0, 1, 2], [2, 1, 3]], rows="real")
    >>> law = informedness(table)
    >>> law.tables, law.tail(31 / 72).exact
    (63, Fraction(1, 24))
    """
    return guessing_law(table, informedness_hit_values, seed=seed, draws=draws)
