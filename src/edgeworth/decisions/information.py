"""Measures that need every cell: information, agreement of pairs, association."""

from __future__ import annotations

from functools import partial

import numpy as np

from edgeworth.common.arrays import Values, difference, ratio
from edgeworth.core.measures import POWERS, Requirement, measure_family
from edgeworth.decisions import guidance
from edgeworth.decisions.views import CASES, TWO_PREDICTED, TWO_REAL, Marginals

SHANNON = "Shannon 1948; Cover & Thomas 1991"
RAND = "Rand 1971, Objective criteria for the evaluation of clustering methods"
HUBERT = "Hubert & Arabie 1985, Comparing partitions"
PEARSON = "Pearson 1900; Cramér 1946"


def cell_total(counts: Values) -> Values:
    """Count the cases of a table or of each in a stack."""
    return np.asarray(counts.sum(axis=(-2, -1)))


def _margins(counts: Values) -> tuple[Values, Values]:
    return counts.sum(axis=-1), counts.sum(axis=-2)


def _entropy_of(counts: Values) -> Values:
    """Compute the entropy of counts along the last axis."""
    total = np.asarray(counts.sum(axis=-1))[..., None]
    shares = ratio(counts, total)
    # A share near 1 has lost the digits of what it lacks of 1, which the counts still have.
    large = 2 * counts > total
    rest = np.where(large, ratio(total - counts, total), 0)
    logs = np.where(large, np.log1p(-rest), np.log(_or_one(shares)))
    return np.where(total[..., 0] > 0, -(shares * logs).sum(axis=-1) / np.log(2), np.nan)


def _or_one(shares: Values) -> Values:
    """Replace a share of 0 by 1, whose logarithm is finite. Its weight is 0."""
    return np.where(shares > 0, shares, 1)


def _joint_entropy(counts: Values) -> Values:
    return _entropy_of(counts.reshape(*counts.shape[:-2], counts.shape[-2] * counts.shape[-1]))


def conditional_entropy(counts: Values) -> Values:
    """Compute H(R|P), the bits still needed to know the class once the prediction is known."""
    joint = _joint_entropy(counts)
    return difference(joint, _entropy_of(_margins(counts)[0]), joint)


def mutual_information(counts: Values) -> Values:
    """Compute H(R) − H(R|P), the bits of information in a prediction."""
    predicted, real = _margins(counts)
    apart = _entropy_of(predicted) + _entropy_of(real)
    return difference(apart, _joint_entropy(counts), apart)


def _information_share(counts: Values) -> Values:
    # As with Cramér's V, rounding must not exceed the largest value.
    return np.minimum(ratio(mutual_information(counts), _entropy_of(_margins(counts)[1])), 1.0)


def _surprise(shares: Values) -> Values:
    """Compute −log₂ of a share, and 0 for a share of 0, whose weight is 0."""
    return -np.log2(_or_one(shares))


def _entropies_gradient(counts: Values, joint: float, predicted: float, real: float) -> Values:
    """Differentiate a sum of the joint, predicted and real entropies with these coefficients.

    It holds up to the constant that centring removes.
    """
    total = cell_total(counts)
    cells, rows, columns = (_surprise(ratio(part, total)) for part in (counts, *_margins(counts)))
    return (joint * cells + predicted * rows[:, None] + real * columns[None, :]) / total


def _information_share_gradient(counts: Values) -> Values:
    share, entropy = _information_share(counts), _entropy_of(_margins(counts)[1])
    return _entropies_gradient(counts, -1, 1, 1 - share) / entropy


def _pairs(counts: Values) -> tuple[Values, Values, Values, Values]:
    """Count the pairs of cases: together in both, in prediction alone, in truth alone, apart in both.

    Each is a sum of products of counts, so that nothing is lost in differences of squares.
    """
    predicted, real = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    rest = cell_total(counts)[..., None, None] - predicted - real + counts
    others = (counts - 1, predicted - counts, real - counts, rest)
    both, in_prediction, in_truth, apart = ((counts * other).sum(axis=(-2, -1)) / 2 for other in others)
    return both, in_prediction, in_truth, apart


def rand_index(counts: Values) -> Values:
    """Compute the share of pairs of cases that are together in truth and prediction, or apart in both."""
    both, in_prediction, in_truth, apart = _pairs(counts)
    return ratio(both + apart, both + in_prediction + in_truth + apart)


def _expected_rand_index(counts: Values) -> Values:
    """Compute the mean Rand index over guesses with the same margins."""
    both, in_prediction, in_truth, apart = _pairs(counts)
    together = (both + in_prediction) * (both + in_truth) + (in_prediction + apart) * (in_truth + apart)
    return ratio(together, (both + in_prediction + in_truth + apart) ** 2)


def _expected_chi_square(counts: Values) -> Values:
    """Compute (rows − 1)(columns − 1) N/(N − 1) over rows and columns that are not empty (Haldane 1940)."""
    rows, columns = ((margin > 0).sum(axis=-1) for margin in _margins(counts))
    return ratio((rows - 1) * (columns - 1) * cell_total(counts), cell_total(counts) - 1)


def _adjusted_rand_index(counts: Values) -> Values:
    both, in_prediction, in_truth, apart = _pairs(counts)
    covariance = both * apart - in_prediction * in_truth
    most = (both + in_prediction) * (in_prediction + apart) + (both + in_truth) * (in_truth + apart)
    return ratio(2 * covariance, most)


def chi_square(counts: Values) -> Values:
    """Compute Pearson's Σ (observed − expected)²/expected against independence."""
    predicted, real = _margins(counts)
    expected = ratio(predicted[..., :, None] * real[..., None, :], cell_total(counts)[..., None, None])
    summed = np.nansum(ratio((counts - expected) ** 2, expected), axis=(-2, -1))
    return np.where(cell_total(counts) > 0, summed, np.nan)


def _cramers_v(counts: Values) -> Values:
    predicted, real = _margins(counts)
    smaller = np.minimum((predicted > 0).sum(axis=-1), (real > 0).sum(axis=-1))
    # 1 is the largest value there is; rounding must not exceed it.
    return np.sqrt(np.minimum(ratio(chi_square(counts), cell_total(counts) * (smaller - 1)), 1.0))


WHY_NO_INTERVAL = "it is biased upwards near independence, and a bootstrap more so; use its p-value"


TWO_CASES = Requirement(lambda view: view.total > 1, "there are fewer than two cases to pair")


def _not_trivial(view: Marginals) -> Values:
    predicted, real = view.predicted, view.real
    both_single = ((predicted > 0).sum(axis=-1) == 1) & ((real > 0).sum(axis=-1) == 1)
    both_apart = (predicted <= 1).all(axis=-1) & (real <= 1).all(axis=-1)
    return (view.total > 1) & ~both_single & ~both_apart


NOT_TRIVIAL = Requirement(
    _not_trivial, "truth and prediction are both one group, or both have only groups of one case"
)


_cells = measure_family(scope="cells", low=0.0, high=np.inf, direction="higher", needs=(CASES,))
_pairs_agree = partial(_cells, high=1.0, counts_pairs=True)
_association = partial(_cells, source=PEARSON, no_interval=WHY_NO_INTERVAL)

CELL_MEASURES = (
    _cells(
        "conditional_entropy",
        "−Σ_lk j_lk log₂(j_lk / p_l) bits",
        conditional_entropy,
        "H(R|P), equivocation, perplexity (2 to its power)",
        chance="H(R)",
        source=POWERS,
        direction="lower",
        gradient=partial(_entropies_gradient, joint=1, predicted=-1, real=0),
    ),
    _cells(
        "mutual_information",
        "Σ_lk j_lk log₂(j_lk / (p_l r_k)) bits",
        mutual_information,
        "transmitted information",
        chance="0 (about (K − 1)²/(2 N ln 2) in a sample)",
        source=SHANNON,
        gradient=partial(_entropies_gradient, joint=-1, predicted=1, real=1),
        guidance=guidance.MUTUAL_INFORMATION,
    ),
    _cells(
        "information_share",
        "mutual information / H(R)",
        _information_share,
        "uncertainty coefficient, Theil's U, homogeneity",
        chance="0 (in a sample biased upwards)",
        source="Theil 1970",
        high=1.0,
        needs=(CASES, TWO_REAL),
        gradient=_information_share_gradient,
    ),
    _cells(
        "real_entropy",
        "−Σ_k r_k log₂ r_k bits",
        lambda counts: _entropy_of(_margins(counts)[1]),
        chance="itself",
        source=SHANNON,
        direction="neither",
        gradient=partial(_entropies_gradient, joint=0, predicted=0, real=1),
    ),
    _pairs_agree(
        "rand_index",
        "pairs of cases on which truth and prediction agree / pairs",
        rand_index,
        chance="1 − (A + B − 2AB/T)/T with A, B pairs together in prediction, in reality, T all pairs",
        source=RAND,
        needs=(TWO_CASES,),
        expected=_expected_rand_index,
        title="Rand index",
    ),
    _pairs_agree(
        "adjusted_rand_index",
        "(agreement of pairs − expected) / (most possible − expected)",
        _adjusted_rand_index,
        chance="0",
        source=HUBERT,
        low=-0.5,
        needs=(NOT_TRIVIAL,),
        title="adjusted Rand index",
        guidance=guidance.ADJUSTED_RAND,
    ),
    _association(
        "chi_square",
        "Σ_lk (c_lk − P_l R_k/N)² / (P_l R_k/N)",
        chi_square,
        chance="about (K − 1)²",
        expected=_expected_chi_square,
        title="χ²",
    ),
    _association(
        "cramers_v",
        "√(chi² / (N (min(rows, columns) − 1)))",
        _cramers_v,
        chance="near 0, biased upwards",
        high=1.0,
        needs=(CASES, TWO_REAL, TWO_PREDICTED),
        title="Cramér's V",
    ),
)
