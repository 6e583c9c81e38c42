"""Bets where cases come in groups (patients, matches, documents): one bet a group.

Rows of one group may be copies of each other, and the product of their factors counts one piece of luck many
times over. So a group's factor is the geometric mean of its rows' factors: its log factor is the mean of
theirs, copies count once, and log W(A, B) = −log W(B, A) still holds.

It is an e-value. Let E[f_i | outcomes of other groups before i] ≤ 1 for every row i: the other's probability
is true for the row, given what the bettor knew of other groups. By the inequality of the means
``Π_g geometric mean ≤ Π_g mean of f_i in g``, and the right side is the average, over all ways to choose one
row of each group, of the product of the chosen rows' factors. Those rows are of different groups, so each
such product has a mean of at most 1, whatever rows of one group have to do with each other. Where the rows of
each group stand together, the products after each group are a supermartingale, and the largest on the way
counts too; where groups are mixed up, only the end does.

The mean score of a group is bounded as a score is, so confidence sequences are of the average over groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.choices import PredictionsMade
from edgeworth.comparing.groups import encode_groups
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.path import MOST_BLOCKS, SUMS, Blocks
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import MISSING

SQUARES = {"brier_square": "brier", "log_square": "log"}
"""Sums of squares are of the groups' means."""


@dataclass(frozen=True, eq=False)
class CaseGroups:
    """The group of each case, groups numbered as they first appear."""

    codes: NDArray[np.intp]
    number: int

    @classmethod
    def of(cls, groups: Any, cases: int) -> CaseGroups:
        """Number the groups of all cases; none may be missing.

        >>> CaseGroups.of(["b", "a", "b"], 3).codes.tolist()
        [0, 1, 0]
        """
        codes = encode_groups(groups).codes
        if len(codes) != cases:
            raise InputError(f"groups has {len(codes):,} rows, the scores have {cases:,}")
        if (codes == MISSING).any():
            row = int((codes == MISSING).argmax()) + 1
            raise InputError(f"groups is missing in row {row:,}: drop such rows beforehand")
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.intp)
        order[np.argsort(first)] = np.arange(len(first))
        return cls(order[place], len(first))

    @property
    def is_together(self) -> bool:
        """Whether the rows of each group stand next to each other."""
        return bool((np.diff(self.codes) >= 0).all())

    def means(self, rows: Floats) -> Floats:
        """Average each group's rows, along the first axis; nan where +inf meets −inf."""
        order = np.argsort(self.codes, kind="stable")
        sizes = np.bincount(self.codes, minlength=self.number)
        with np.errstate(invalid="ignore"):
            totals = np.add.reduceat(rows[order], np.cumsum(sizes) - sizes, axis=0)
        return np.asarray(totals / sizes.reshape(-1, *[1] * (rows.ndim - 1)))


def wealth_of_groups(
    first: Forecasts,
    second: Forecasts,
    groups: CaseGroups,
    *,
    against: str = "the rival",
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
) -> Wealth:
    """Compute the first's wealth against the second where a group is one bet; ``cases`` counts groups.

    >>> truth, sure, even = [1, 1, 0], [0.8, 0.8, 0.4], [0.5, 0.5, 0.5]
    >>> p, q = (Forecasts.of(truth, each) for each in (sure, even))
    >>> wealth = wealth_of_groups(p, q, CaseGroups.of(["one", "one", "other"], 3))
    >>> wealth.cases, round(wealth.wealth, 6)
    (2, 1.92)
    """
    parts = [
        # So few rows are kept one by one.
        Wealth.from_forecasts(first[rows], second[rows], against=against, predictions_made=predictions_made)
        for rows in (slice(start, start + MOST_BLOCKS) for start in range(0, len(first), MOST_BLOCKS))
    ]
    rows = Blocks.end_to_end([part.blocks for part in parts])
    if rows.number != len(first):
        raise InputError(
            f"there are {len(first):,} rows and {rows.number:,} bets: each row is a bet by itself"
        )
    sums = groups.means(rows.sums)
    for name, score in SQUARES.items():
        sums[:, SUMS.index(name)] = sums[:, SUMS.index(score)] ** 2
    # Who is ruined in one row of a group has nothing, whatever another row would have paid.
    logs, fractions = (groups.means(each) for each in (rows.logs, rows.fractions))
    for each in (logs, fractions):
        each[np.isnan(each)] = -np.inf
    blocks = Blocks.of_cases(logs, fractions, sums, 0)
    return Wealth(
        first.labels,
        blocks.coarsen(),
        against,
        ordered=ordered and groups.is_together,
        predictions_made=predictions_made,
    )
