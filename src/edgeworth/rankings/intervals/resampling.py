"""Rankings drawn at random: bootstrap replicates that need no new sort, and orders of random selection.

Every replicate is one more list in the same tie groups, so a measure is taken of all of them in one call.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.common.progress import track_rounds
from edgeworth.core.sampling_distributions import BootstrapLaw, SamplingLaw
from edgeworth.decisions.estimates import Bootstrap, bootstrap_law
from edgeworth.decisions.resampling import defined_draws
from edgeworth.errors import OptionError
from edgeworth.rankings.chance.hits import random_ranks
from edgeworth.rankings.intervals.clusters import CaseRanks
from edgeworth.rankings.intervals.methods import ListValues, Places
from edgeworth.rankings.measure_lookup import ResolvedRanking, needs_whole_cases, tie_groups_of
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.clusters import ClusteredScores
from edgeworth.rankings.tie_groups import TieGroups

STEPS_AT_ONCE = 1 << 19
"""Steps held at once by each stream."""
RANDOM_STREAMS = 4
"""Streams of random numbers: the result is the same on any number of processors."""


def bootstrap_ranking(ranking: Ranking, resolved: ResolvedRanking, draws: int, seed: int) -> Floats:
    """Measure replicates with the same numbers of targets and background, drawn with replacement.

    Drawing does not change the order of the cases, so nothing is sorted again.
    """
    groups = ranking.tie_groups
    counts = Places.of(groups)
    # Background above each tie group and tied with it, by turns; last, that below them all.
    places = np.append(np.stack([counts.gap[:-1], counts.tied], axis=1), counts.gap[-1])

    def replicates(number: int, generator: np.random.Generator) -> Floats:
        size = max(1, STEPS_AT_ONCE // max(1, int(groups.targets[0])))
        values = [
            resolved.values(_replicates(groups, places, min(size, number - start), generator))
            for start in range(0, number, size)
        ]
        return np.concatenate(values) if values else np.zeros(0)

    generators = [np.random.default_rng(part) for part in np.random.SeedSequence(seed).spawn(RANDOM_STREAMS)]
    shares = [draws // RANDOM_STREAMS + (index < draws % RANDOM_STREAMS) for index in range(RANDOM_STREAMS)]
    with ThreadPoolExecutor(RANDOM_STREAMS) as pool:
        return np.concatenate(list(pool.map(replicates, shares, generators)))


def _replicates(groups: TieGroups, places: Floats, draws: int, generator: np.random.Generator) -> TieGroups:
    """Draw replicates, counted by tie group; groups without a target are left out."""
    hits, total = _resample_hits(groups, draws, generator), float(places.sum())
    drawn = np.zeros((draws, len(places)))
    # Of places that hold nothing, only the last is drawn for: it takes what is left.
    occupied = np.append(places[:-1] > 0, True)
    drawn[:, occupied] = generator.multinomial(int(total), places[occupied] / max(total, 1.0), size=draws)
    gap, tied = drawn[:, :-1:2], drawn[:, 1::2]
    items_above = np.cumsum(gap + tied + hits, axis=1) - tied - hits
    ranked = hits.sum(axis=1) + total
    return groups_of_counts(
        hits, hits + tied, items_above, float(groups.targets[0]), ranked, float(groups.items[0])
    )


def groups_of_counts(
    hits: Floats,
    size: Numbers,
    seen_above: Numbers,
    targets: Floats | float,
    ranked: Floats,
    items: Floats | float,
) -> TieGroups:
    """Make tie groups from counts: one list per row, one group per column; drop those without targets."""
    indices = np.flatnonzero(hits)

    def take(values: Numbers) -> Numbers:
        return np.broadcast_to(values, hits.shape).ravel()[indices]

    return TieGroups(
        list_of=indices // hits.shape[1],
        hits_above=take(np.cumsum(hits, axis=1) - hits),
        seen_above=take(seen_above),
        hits=take(hits),
        size=take(size),
        targets=np.broadcast_to(targets, len(hits)),
        ranked=ranked,
        items=np.broadcast_to(items, len(hits)),
    )


def tie_groups_of_places(counts: Floats, steps: int) -> TieGroups:
    """Find the tie groups of lists whose cases are counted by place (``CaseRanks``), one list per row."""
    places, total = Places.of_counts(counts, steps), counts.sum(axis=1)
    hits, size = places.hits, places.hits + places.tied
    return groups_of_counts(hits, size, places.seen_above, hits.sum(axis=1), total, total)


def bootstrap_clusters(
    ranking: Ranking, clusters: ClusteredScores, resolved: ResolvedRanking, draws: int, seed: int
) -> Floats:
    """Compute the measure of replicates made of whole clusters, drawn with replacement."""
    from scipy import sparse

    if clusters.number < 2:
        raise OptionError("all cases are in one cluster: there is nothing to resample")
    ranks = CaseRanks.among(ranking.target_scores, clusters.scores, clusters.is_target)
    shape = (clusters.number, ranks.places)
    weight = clusters.weight.astype(np.float64)
    by_cluster = sparse.csr_array((weight, (clusters.codes, ranks.place)), shape=shape)
    generator, even = np.random.default_rng(seed), np.full(clusters.number, 1 / clusters.number)
    together = max(1, 4 * STEPS_AT_ONCE // max(ranks.places, clusters.number))
    values = []
    for start in track_rounds(draws, together, "draws"):
        chosen = generator.multinomial(clusters.number, even, size=min(together, draws - start))
        values.append(resolved.values(tie_groups_of_places(np.asarray(chosen @ by_cluster), ranks.steps)))
    return np.concatenate(values)


def _resample_hits(groups: TieGroups, draws: int, generator: np.random.Generator) -> Floats:
    """Draw how often the targets of each tie group occur; unranked targets can be drawn too."""
    total, width = int(groups.targets[0]), len(groups.hits) + 1
    owners = np.repeat(np.arange(len(groups.hits)), groups.hits.astype(np.intp))
    slots = np.concatenate([owners, np.full(total - len(owners), width - 1)])
    chosen = generator.integers(0, total, size=(draws, total), dtype=np.uint32)
    fused = slots[chosen] + np.arange(draws)[:, None] * width
    counts = np.bincount(fused.ravel(), minlength=draws * width).reshape(draws, width)
    return counts[:, :-1].astype(np.float64)


def tied_orders(ranking: Ranking, draws: int, seed: int) -> Iterator[TieGroups]:
    """Yield lists with the targets at random places among the scores, ties included, many lists at a time."""
    generator = np.random.default_rng(seed)
    sizes = np.append(ranking.items_by_score[1][::-1], int(ranking.unranked)).astype(np.int64)
    items_above, targets = (np.cumsum(sizes) - sizes)[:-1].astype(np.float64), int(ranking.target_total)
    together = max(1, 2 * STEPS_AT_ONCE // len(sizes))
    for start in track_rounds(draws, together, "draws"):
        count = min(together, draws - start)
        drawn = generator.multivariate_hypergeometric(sizes, targets, size=count, method="marginals")
        # What falls to those never ranked is found nowhere.
        hits, ranked = drawn[:, :-1].astype(np.float64), np.full(count, float(ranking.ranked_total))
        yield groups_of_counts(hits, sizes[:-1], items_above, float(targets), ranked, float(ranking.total))


def random_orders(items: int, targets: int, draws: int, seed: int) -> Iterator[TieGroups]:
    """Strict orders of random selection, many lists at a time."""
    generator = np.random.default_rng(seed)
    size = max(1, 2 * STEPS_AT_ONCE // max(1, targets))
    for start in track_rounds(draws, size, "draws"):
        count = min(size, draws - start)
        ranks = random_ranks(items, targets, count, generator)
        ones, list_items = np.ones(ranks.shape), np.full(count, float(items))
        yield groups_of_counts(ones, ones, ranks - 1.0, float(targets), list_items, float(items))


def bootstrap_means(values: Floats, draws: int, seed: int) -> Floats:
    """Compute the means of values drawn with replacement."""
    generator = np.random.default_rng(seed)
    size = max(1, 4 * STEPS_AT_ONCE // len(values))
    parts = [
        values[generator.integers(0, len(values), size=(min(size, draws - start), len(values)))].mean(axis=1)
        for start in range(0, draws, size)
    ]
    return np.concatenate(parts)


@bootstrap_law.register
def _(ranking: Ranking, resolved: ResolvedRanking, bootstrap: Bootstrap) -> SamplingLaw:
    value = float(resolved.values(tie_groups_of(ranking, resolved))[0])
    if needs_whole_cases(ranking, resolved) is not None or not ranking.is_counted:
        raise OptionError("Bootstrap() needs whole cases; with sampling weights use Influence()")
    if ranking.clusters is None:
        draws = bootstrap_ranking(ranking, resolved, bootstrap.draws, bootstrap.seed)
    else:
        draws = bootstrap_clusters(ranking, ranking.clusters, resolved, bootstrap.draws, bootstrap.seed)
    return BootstrapLaw(value, *defined_draws(draws, resolved.spelling))


@bootstrap_law.register
def _(lists: ListValues, resolved: ResolvedRanking, bootstrap: Bootstrap) -> SamplingLaw:
    draws = bootstrap_means(lists.require_several(), bootstrap.draws, bootstrap.seed)
    return BootstrapLaw(float(lists.values.mean()), *defined_draws(draws, resolved.spelling))
