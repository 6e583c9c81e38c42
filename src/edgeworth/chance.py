"""What chance alone would do: laws of measures when there is no information."""

from __future__ import annotations

from edgeworth.core.random_seeds import Rng
from edgeworth.decisions.guessing import GuessingLaw, guessing_law
from edgeworth.decisions.overall import informedness_hit_values
from edgeworth.decisions.table import ContingencyTable
from edgeworth.rankings.chance.hits import hit_rank, hits, joint_hit_ranks
from edgeworth.rankings.chance.law import average_precision

__all__ = ["average_precision", "guessing_law", "hit_rank", "hits", "informedness", "joint_hit_ranks"]


def informedness(table: ContingencyTable, *, rng: Rng = 0, draws: int | None = None) -> GuessingLaw:
    """Compute the distribution of informedness when labels are guessed with the same margins.

    Parameters
    ----------
    table : ContingencyTable
        The table whose margins are kept.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers if tables are drawn.
    draws : int, optional
        The number of tables to draw if an exact result is out of reach.

    Returns
    -------
    GuessingLaw
        ``mean`` and ``variance`` are exact. ``tail(x)`` is P(B ≥ x), exact if possible, and ``two_sided(x)``
        is ``P(|B| ≥ |x|)``.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[3, 0, 0], [0, 1, 2], [2, 1, 3]], rows="real")
    >>> law = informedness(table)
    >>> law.tables, law.tail(31 / 72).exact
    (63, Fraction(1, 24))
    """
    return guessing_law(table, informedness_hit_values, rng=rng, draws=draws)
