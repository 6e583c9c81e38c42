"""Effective sample sizes: the number of independent cases that are worth weighted or clustered ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.clusters import cluster_variance_of_ratios, effective_units_caveat
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import normal_quantile, student_quantile
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.resampling import MAX_CLUSTER_SUMS, MIN_VARIANCE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Marginals, Resolved, label_view, marginals
from edgeworth.errors import OptionError


def combination_of(tally: ContingencyTable, resolved: Resolved) -> Combination | None:
    """Return the measure as a combination of independent proportions, or None if it is not one."""
    combination = _find_combination(resolved, marginals(tally.cells))
    if combination is None or not len(combination.trials) or not (combination.trials > 0).all():
        return None
    return combination


def combine(resolved: Resolved, margins: Marginals) -> Combination:
    """Write a measure that is a combination of independent proportions as one."""
    combination = _find_combination(resolved, margins)
    if combination is None:
        raise OptionError(f"{resolved.spelling} is not a fixed combination of independent proportions here")
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


def reduce_trials(tally: ContingencyTable, resolved: Resolved, combination: Combination) -> Combination:
    """Replace the trials by the effective number of independent trials.

    With weights, that number is (Σw)²/Σw². With clusters, it is the number with the variance that CR2 finds,
    between that of clusters whose cases are all the same and that of independent cases.
    """
    if tally.is_plain:
        return combination
    if tally.clusters is not None and tally.clusters.number < 2:
        raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
    success_cells, trial_cells = cells_of_proportions(tally, resolved)
    squares = (tally.cells if tally.squared is None else tally.squared).ravel()
    most_trials = combination.trials**2 / (trial_cells @ squares)
    shares = combination.successes / combination.trials
    if tally.clusters is None:
        caveat = weights_caveat(tally)
        return replace(combination, successes=shares * most_trials, trials=most_trials, caveat=caveat)
    from scipy import sparse

    cluster, cell, weight = tally.clusters.cells(tally.labels)
    shape = (tally.clusters.number, tally.cells.size)
    by_cluster = sparse.csr_array((weight.astype(np.float64), (cluster, cell)), shape=shape)
    trials, successes = (np.asarray(by_cluster @ part.T) for part in (trial_cells, success_cells))
    residuals = successes - shares * trials
    spreads = [cluster_variance_of_ratios(residuals[:, j], trials[:, j]) for j in range(len(shares))]
    fewest_trials, variances = (
        np.array([getattr(proportion, name) for proportion in spreads]) for name in ("effective", "variance")
    )
    has_variance = (variances > MIN_VARIANCE) & (shares > 0) & (shares < 1)
    effective_trials = np.where(
        has_variance, shares * (1 - shares) / np.where(has_variance, variances, 1), fewest_trials
    )
    effective_trials = np.clip(effective_trials, fewest_trials, np.maximum(most_trials, fewest_trials))
    scaled_residuals = residuals / np.sqrt(np.maximum(1 - trials / combination.trials, MIN_VARIANCE))
    cross_products = scaled_residuals.T @ scaled_residuals
    norms = np.sqrt(np.maximum(np.diagonal(cross_products), 1e-300))
    middle = (shares * effective_trials + 1) / (effective_trials + 2)
    overall = cluster_variance_of_ratios(residuals, trials, combination.coefficients, middle * (1 - middle))
    return replace(
        combination,
        successes=shares * effective_trials,
        trials=effective_trials,
        fewest=fewest_trials,
        freedoms=np.array([proportion.freedom for proportion in spreads]),
        correlation=np.where(np.eye(len(norms), dtype=bool), 1.0, cross_products / np.outer(norms, norms)),
        freedom=math.inf if np.allclose(fewest_trials, most_trials) else overall.freedom,
        caveat=overall.caveat or size_caveat(tally, tally.clusters),
    )


def weights_caveat(tally: ContingencyTable) -> str | None:
    """Return a caveat if sampling weights leave few effective cases, or None."""
    return effective_units_caveat(tally.effective_size, "cases") if tally.has_unequal_weights else None


def size_caveat(tally: ContingencyTable, clusters: Clusters) -> str | None:
    """Return a caveat if there are few effective clusters of all cases, or None."""
    cluster, _, weight = clusters.cells(tally.labels)
    sizes = np.bincount(cluster, weights=weight)
    return effective_units_caveat(float(sizes.sum() ** 2 / (sizes**2).sum()), "clusters")


def smallest_margin(tally: ContingencyTable) -> float:
    """Find the fewest cases or predictions of a class that has some, in effective cases with weights.

    The result is 0 if a class that occurs is never predicted.
    """
    squares = tally.cells if tally.squared is None else tally.squared
    if ((tally.cells.sum(axis=0) > 0) & (tally.cells[:-1].sum(axis=1) == 0)).any():
        return 0.0
    margins = [
        (cells.sum(axis=axis), cell_squares.sum(axis=axis))
        for cells, cell_squares, axis in ((tally.cells, squares, 0), (tally.cells[:-1], squares[:-1], 1))
    ]
    sizes = np.concatenate([total[total > 0] ** 2 / square[total > 0] for total, square in margins])
    return float(sizes.min()) if len(sizes) else 0.0


def cells_of_proportions(tally: ContingencyTable, resolved: Resolved) -> tuple[Floats, Floats]:
    """Find which cells of the table are successes and which are trials of each proportion."""
    view, size = marginals(tally.cells), len(tally.labels)
    combination = combine(resolved, view)
    occupied = {"predicted": view.predicted > 0, "real": view.real > 0, "abstained": view.abstained > 0}
    occupied["hits"] = occupied["predicted"] & occupied["real"]
    slopes = {name: np.zeros((size, 2, len(combination.trials))) for name in occupied}
    for name, slope in slopes.items():
        for label in np.flatnonzero(occupied[name]):
            moved = getattr(view, name) + (np.arange(size) == label)
            moved_combination = combine(resolved, replace(view, **{name: moved}))
            slope[label] = [
                moved_combination.successes - combination.successes,
                moved_combination.trials - combination.trials,
            ]
    cells = np.empty((size + 1, size, 2, len(combination.trials)))
    cells[:-1] = slopes["predicted"][:, None] + slopes["real"][None]
    cells[np.arange(size), np.arange(size)] += slopes["hits"]
    cells[-1] = slopes["abstained"]
    hits, trials = np.rint(cells).reshape(-1, 2, len(combination.trials)).transpose(1, 2, 0)
    return hits, trials


def effective_cases(tally: ContingencyTable) -> Floats:
    """Compute the effective number of independent cases of each class.

    With weights, that number is (Σw)²/Σw². With clusters, it is the number with the variances that CR2 finds,
    between that of clusters whose cases are alike and that of independent cases.
    """
    real = tally.cells.sum(axis=0).astype(np.float64)
    squares = real if tally.squared is None else tally.squared.sum(axis=0)
    most_cases: Floats = real**2 / np.where(squares > 0, squares, 1)
    if tally.clusters is None:
        return most_cases
    cluster, cell, weight = tally.clusters.cells(tally.labels)
    width = len(real)
    shape = (tally.clusters.number, width)
    if shape[0] * width > MAX_CLUSTER_SUMS:  # too many to keep apart: as if all cases of a cluster were alike
        cluster_sizes = np.bincount(cluster, weights=weight)
        return np.asarray(
            most_cases * min(1.0, cluster_sizes.sum() ** 2 / (cluster_sizes**2).sum() / most_cases.sum())
        )
    cases = np.zeros(shape)
    np.add.at(cases, (cluster, cell % width), weight)
    divisor = np.where(real > 0, real, 1)
    leverage = 1 / np.maximum(1 - cases / divisor, MIN_VARIANCE)
    cluster_cases, shares = cases[cluster, cell % width], (tally.cells / divisor).ravel()
    squared, crossed = (
        np.bincount(cell, weights=weight * part * leverage[cluster, cell % width], minlength=tally.cells.size)
        for part in (weight, cluster_cases)
    )
    variances = (
        squared - 2 * shares * crossed + shares**2 * np.tile((cases**2 * leverage).sum(axis=0), width + 1)
    )
    variances = np.maximum(variances, 0).reshape(tally.cells.shape).sum(axis=0) / divisor**2
    multinomial_variance = (shares * (1 - shares)).reshape(tally.cells.shape).sum(axis=0)
    spreads = [cluster_variance_of_ratios(cases[:, k], np.maximum(cases[:, k], 1e-100)) for k in range(width)]
    quantile_ratios = [
        normal_quantile(0.95) / student_quantile(0.95, max(spread_of_class.freedom, 1.0))
        for spread_of_class in spreads
    ]
    has_variance = (variances > MIN_VARIANCE) & (multinomial_variance > 0)
    fewest_cases = np.array([spread_of_class.effective for spread_of_class in spreads])
    effective = np.where(
        has_variance,
        multinomial_variance / np.where(has_variance, variances, 1) * np.square(quantile_ratios),
        fewest_cases,
    )
    return np.where(real > 0, np.clip(effective, fewest_cases, np.maximum(most_cases, fewest_cases)), 0.0)
