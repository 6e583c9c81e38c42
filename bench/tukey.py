"""Randomised Tukey HSD and all pairs of twenty systems on a thousand queries: seconds, and memory."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from timing import line, peak_bytes, seconds

from edgeworth.comparisons.paired_values.differences import compare_queries, value_difference
from edgeworth.comparisons.paired_values.permutation import permutation_test, sign_flip_tail
from edgeworth.comparisons.paired_values.tukey import randomised_tukey
from edgeworth.rankings.lists import RankedLists

QUERIES, SYSTEMS, DRAWS = 1000, 20, 10_000


def all_pairs(values: np.ndarray) -> None:
    """Every test of every pair."""
    for first, second in combinations(range(values.shape[1]), 2):
        value_difference(
            values[:, first], values[:, second], measure="ndcg", permute=partial(sign_flip_tail, draws=9_999)
        )


def ranked_lists() -> dict[str, RankedLists]:
    """Systems of growing skill, twenty documents a query."""
    rng = np.random.default_rng(1)
    truth = (rng.random(QUERIES * 20) < 0.2).astype(int)
    groups = np.repeat(np.arange(QUERIES), 20)
    return {
        f"system {i}": RankedLists.from_scores(
            truth, truth * (0.5 + 0.03 * i) + rng.normal(size=len(truth)), groups=groups
        )
        for i in range(SYSTEMS)
    }


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    values = rng.random((QUERIES, SYSTEMS))
    grid = np.round(10 * values) / 10

    def whole(table: np.ndarray) -> None:
        randomised_tukey(table, draws=DRAWS)
        all_pairs(table)

    line(
        "Tukey, 20 systems × 1000 queries × 10⁴ draws, limit 5 s",
        seconds(lambda: randomised_tukey(values, draws=DRAWS), 2), 5.0, 1, "s",
    )  # fmt: skip
    line("the same and all tests of 190 pairs, limit 5 s", seconds(lambda: whole(values), 2), 5.0, 1, "s")
    line("the same for precision@10, exact, limit 5 s", seconds(lambda: whole(grid), 2), 5.0, 1, "s")
    lists = ranked_lists()
    line(
        "all of compare_queries, usual measures and Tukey, limit 5 s",
        seconds(lambda: compare_queries(lists, adjust="tukey", draws=DRAWS), 2), 5.0, 1, "s",
    )  # fmt: skip
    line(
        "exact permutation of 40 queries, limit 1 s",
        seconds(lambda: permutation_test(values[:40, 0] - 0.5)),
        1.0,
        1,
    )
    print(f"memory of Tukey: {peak_bytes(lambda: randomised_tukey(values, draws=1000)) / 1e6:.1f} MB")
