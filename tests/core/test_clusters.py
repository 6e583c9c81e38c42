"""The clustered variance against its definition by matrices, and against laws it must obey."""

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power

from edgeworth.core.clusters import cluster_variance_of_ratios


def by_matrices(cluster, part, values, coefficients, variances):
    """CR2 and Satterthwaite's degrees of freedom by Bell & McCaffrey's formulas, on single cases."""
    design = (part[:, None] == np.unique(part)).astype(float)
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residual = values - hat @ values
    maker = np.eye(len(values)) - hat
    total, columns = 0.0, []
    for g in np.unique(cluster):
        inside = cluster == g
        adjust = fractional_matrix_power(np.eye(inside.sum()) - hat[np.ix_(inside, inside)], -0.5).real
        row = coefficients @ bread @ design[inside].T @ adjust
        total += float(row @ residual[inside]) ** 2
        columns.append(row @ maker[inside])
    stack = np.array(columns)
    gram = stack @ np.diag(variances[part]) @ stack.T
    return total, np.trace(gram) ** 2 / np.trace(gram @ gram)


@pytest.mark.parametrize("seed", range(4))
def test_ratios_agree_with_the_matrices_of_bell_and_mccaffrey(seed):
    rng = np.random.default_rng(seed)
    cluster, part = rng.integers(0, 9, 60) ** 2 // 8, rng.integers(0, 3, 60)
    values = rng.random(60) + 0.3 * rng.normal(size=9)[cluster]
    coefficients, variances = np.array([1.0, -0.5, 2.0]), np.array([0.2, 1.0, 0.7])
    expected = by_matrices(cluster, part, values, coefficients, variances)
    means = np.array([values[part == p].mean() for p in range(3)])
    number = cluster.max() + 1
    weights = np.zeros((number, 3))
    residuals = np.zeros((number, 3))
    np.add.at(weights, (cluster, part), 1)
    np.add.at(residuals, (cluster, part), values - means[part])
    kept = weights.sum(axis=1) > 0
    result = cluster_variance_of_ratios(residuals[kept], weights[kept], coefficients, variances)
    assert (result.variance, result.freedom) == pytest.approx(expected, rel=1e-9)


def test_clusters_of_one_case_give_the_variance_of_a_mean():
    values = np.array([0.0, 1.0, 4.0, 2.0, 2.5])
    result = cluster_variance_of_ratios(values - values.mean(), np.ones(5))
    assert result.variance == pytest.approx(values.var(ddof=1) / 5)
    assert result.freedom == pytest.approx(4)
    assert result.effective == pytest.approx(5)


def test_a_giant_among_forty_leaves_few_degrees_of_freedom():
    sizes = np.append(np.full(39, 3.0), 100.0)
    result = cluster_variance_of_ratios(np.zeros(40), sizes)
    assert 4 < result.freedom < 5
    assert result.effective == pytest.approx(217**2 / (39 * 9 + 10_000))


def test_a_ratio_in_one_cluster_alone_is_not_reliable():
    result = cluster_variance_of_ratios(np.zeros((2, 2)), np.array([[3.0, 4.0], [2.0, 0.0]]))
    assert result.freedom == 0
    assert np.isnan(result.variance)
