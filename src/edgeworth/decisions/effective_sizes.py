"""How many independent cases tell as much as weighted or clustered ones, for each proportion of a measure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.clusters import cluster_variance_of_ratios
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import normal_quantile, student_quantile
from edgeworth.decisions.resampling import MAX_CLUSTER_SUMS, MIN_VARIANCE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Marginals, Resolved, label_view, marginals
from edgeworth.errors import OptionError


def combination_of(tally: ContingencyTable, resolved: Resolved) -> Combination | None:
    """Write the measure as a combination of independent proportions, if it is one and all have trials."""
    combination = _find_combination(resolved, marginals(tally.cells))
    if combination is None or not len(combination.trials) or not (combination.trials > 0).all():
        return None
    return combination


def combine(resolved: Resolved, margins: Marginals) -> Combination:
    """Write a measure that is a combination of independent proportions as one."""
    combination = _find_combination(resolved, margins)
    if combination is None:
        raise OptionError(f"{resolved.spelling} is no fixed combination of independent proportions here")
    return combination


def _find_combination(resolved: Resolved, margins: Marginals) -> Combination | None:
    """Write a measure as a combination of proportions, of which one proportion is the simplest."""
    view = margins if resolved.position is None else label_view(margins, resolved.position)
    if resolved.measure.combination is not None:
        return resolved.measure.combination(view, **resolved.arguments)
    if resolved.measure.proportion is None:
        return None
    successes, trials = (np.array([float(count)]) for count in resolved.measure.proportion(view))
    return Combination(0.0, np.ones(1), successes, trials)


def reduce_trials(tally: ContingencyTable, resolved: Resolved, found: Combination) -> Combination:
    """Take as many trials as tell as much as the weighted cases, or as the clusters.

    Weights leave (Σw)²/Σw² of them. Clusters leave as many as have the variance that CR2 finds, at most those
    of independent cases and at least those of clusters whose cases are all the same.
    """
    if tally.is_plain:
        return found
    if tally.clusters is not None and tally.clusters.number < 2:
        raise OptionError("all cases are in one cluster: nothing tells how much clusters vary")
    hits, tried = cells_of_proportions(tally, resolved)
    squares = (tally.cells if tally.squared is None else tally.squared).ravel()
    most = found.trials**2 / (tried @ squares)
    shares = found.successes / found.trials
    if tally.clusters is None:
        return replace(found, successes=shares * most, trials=most)
    from scipy import sparse

    cluster, cell, weight = tally.clusters.cells(tally.labels)
    shape = (tally.clusters.number, tally.cells.size)
    by_cluster = sparse.csr_array((weight.astype(np.float64), (cluster, cell)), shape=shape)
    trials, successes = (np.asarray(by_cluster @ part.T) for part in (tried, hits))
    residuals = successes - shares * trials
    each = [cluster_variance_of_ratios(residuals[:, j], trials[:, j]) for j in range(len(shares))]
    fewest, spread = (np.array([getattr(one, name) for one in each]) for name in ("effective", "variance"))
    known = (spread > MIN_VARIANCE) & (shares > 0) & (shares < 1)
    left = np.where(known, shares * (1 - shares) / np.where(known, spread, 1), fewest)
    left = np.clip(left, fewest, np.maximum(most, fewest))
    pulled = residuals / np.sqrt(np.maximum(1 - trials / found.trials, MIN_VARIANCE))
    together = pulled.T @ pulled
    size = np.sqrt(np.maximum(np.diagonal(together), 1e-300))
    middle = (shares * left + 1) / (left + 2)
    whole = cluster_variance_of_ratios(residuals, trials, found.coefficients, middle * (1 - middle))
    return replace(
        found,
        successes=shares * left,
        trials=left,
        fewest=fewest,
        freedoms=np.array([one.freedom for one in each]),
        correlation=np.where(np.eye(len(size), dtype=bool), 1.0, together / np.outer(size, size)),
        freedom=math.inf if np.allclose(fewest, most) else whole.freedom,
    )


def cells_of_proportions(tally: ContingencyTable, resolved: Resolved) -> tuple[Floats, Floats]:
    """Find which cells are successes and which are trials of each proportion: they are sums of cells."""
    view, size = marginals(tally.cells), len(tally.labels)
    found = combine(resolved, view)
    used = {"predicted": view.predicted > 0, "real": view.real > 0, "abstained": view.abstained > 0}
    used["hits"] = used["predicted"] & used["real"]
    slopes = {name: np.zeros((size, 2, len(found.trials))) for name in used}
    for name, each in slopes.items():
        for place in np.flatnonzero(used[name]):
            moved = getattr(view, name) + (np.arange(size) == place)
            more = combine(resolved, replace(view, **{name: moved}))
            each[place] = [more.successes - found.successes, more.trials - found.trials]
    cells = np.empty((size + 1, size, 2, len(found.trials)))
    cells[:-1] = slopes["predicted"][:, None] + slopes["real"][None]
    cells[np.arange(size), np.arange(size)] += slopes["hits"]
    cells[-1] = slopes["abstained"]
    hits, tried = np.rint(cells).reshape(-1, 2, len(found.trials)).transpose(1, 2, 0)
    return hits, tried


def effective_cases(tally: ContingencyTable) -> Floats:
    """Count as many independent cases of each class as tell as much as the weighted or clustered ones.

    Weights leave (Σw)²/Σw² of a class. Clusters leave as many as have the variances of its predictions that
    CR2 finds, at most those of independent cases and at least those of clusters whose cases are alike.
    """
    real = tally.cells.sum(axis=0).astype(np.float64)
    squares = real if tally.squared is None else tally.squared.sum(axis=0)
    most: Floats = real**2 / np.where(squares > 0, squares, 1)
    if tally.clusters is None:
        return most
    cluster, cell, weight = tally.clusters.cells(tally.labels)
    width = len(real)
    shape = (tally.clusters.number, width)
    if shape[0] * width > MAX_CLUSTER_SUMS:  # too many to keep apart: as if all cases of a cluster were alike
        every = np.bincount(cluster, weights=weight)
        return np.asarray(most * min(1.0, every.sum() ** 2 / (every**2).sum() / most.sum()))
    cases = np.zeros(shape)
    np.add.at(cases, (cluster, cell % width), weight)
    divisor = np.where(real > 0, real, 1)
    pull = 1 / np.maximum(1 - cases / divisor, MIN_VARIANCE)
    own, shares = cases[cluster, cell % width], (tally.cells / divisor).ravel()
    squared, crossed = (
        np.bincount(cell, weights=weight * part * pull[cluster, cell % width], minlength=tally.cells.size)
        for part in (weight, own)
    )
    spread = squared - 2 * shares * crossed + shares**2 * np.tile((cases**2 * pull).sum(axis=0), width + 1)
    spread = np.maximum(spread, 0).reshape(tally.cells.shape).sum(axis=0) / divisor**2
    alone = (shares * (1 - shares)).reshape(tally.cells.shape).sum(axis=0)
    each = [cluster_variance_of_ratios(cases[:, k], np.maximum(cases[:, k], 1e-100)) for k in range(width)]
    student = [normal_quantile(0.95) / student_quantile(0.95, max(one.freedom, 1.0)) for one in each]
    known = (spread > MIN_VARIANCE) & (alone > 0)
    fewest = np.array([one.effective for one in each])
    left = np.where(known, alone / np.where(known, spread, 1) * np.square(student), fewest)
    return np.where(real > 0, np.clip(left, fewest, np.maximum(most, fewest)), 0.0)
