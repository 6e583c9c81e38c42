"""How often position bias is claimed of answers that have none, by simulation with its standard error."""

from __future__ import annotations

import numpy as np
import pytest

from edgeworth.decisions.position_bias import examine_position_bias

OPTIONS = list("ABCD")
SAMPLES = 2500


@pytest.mark.slow
def test_clusters_of_different_sizes_keep_the_level() -> None:
    """Each of 40 topics has preferences of its own, which cancel over topics; sign flips rejected 6.8%."""
    rng, rejected = np.random.default_rng(4), 0
    for _ in range(SAMPLES):
        sizes = rng.geometric(0.15, 40)
        topics = np.repeat(range(40), sizes)
        truth = rng.integers(0, 4, len(topics))
        preference = np.cumsum(rng.dirichlet(np.full(4, 0.2), 40), axis=1)[topics]
        guess = np.minimum((rng.random((len(topics), 1)) > preference).sum(axis=1), 3)
        chosen = np.where(rng.random(len(topics)) < 0.5, truth, guess)
        answers = ([OPTIONS[number] for number in column] for column in (truth, chosen))
        result = examine_position_bias(*answers, OPTIONS, clusters=topics.tolist())
        assert result is not None
        rejected += result.test.p_value <= 0.05
    assert abs(rejected / SAMPLES - 0.05) < 3 * np.sqrt(0.05 * 0.95 / SAMPLES)
