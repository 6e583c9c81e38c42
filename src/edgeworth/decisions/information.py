"""Measures that need every cell: information, agreement of pairs, association."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.arrays import Values, difference, entropy_bits, ratio
from edgeworth.core.measures import POWERS, Measure, Requirement

SHANNON = "Shannon 1948; Cover & Thomas 1991"
RAND = "Rand 1971, Objective criteria for the evaluation of clustering methods"
HUBERT = "Hubert & Arabie 1985, Comparing partitions"
PEARSON = "Pearson 1900; Cramér 1946"


def _total(counts: Values) -> Values:
    return np.asarray(counts.sum(axis=(-2, -1)))


def _margins(counts: Values) -> tuple[Values, Values]:
    return counts.sum(axis=-1), counts.sum(axis=-2)


def _shares(counts: Values) -> Values:
    return ratio(counts, _total(counts)[..., None, None])


def _joint_entropy(counts: Values) -> Values:
    shares = _shares(counts)
    flat = shares.reshape(*shares.shape[:-2], shares.shape[-2] * shares.shape[-1])
    return np.where(_total(counts) > 0, entropy_bits(flat), np.nan)


def _entropy_of(margin: Values) -> Values:
    total = np.asarray(margin.sum(axis=-1))
    return np.where(total > 0, entropy_bits(ratio(margin, total[..., None])), np.nan)


def conditional_entropy(counts: Values) -> Values:
    """Compute H(R|P), the bits still needed to know the class once the prediction is known."""
    joint = _joint_entropy(counts)
    return difference(joint, _entropy_of(_margins(counts)[0]), joint)


def mutual_information(counts: Values) -> Values:
    """Compute H(R) − H(R|P), the bits that a prediction tells."""
    predicted, real = _margins(counts)
    apart = _entropy_of(predicted) + _entropy_of(real)
    return difference(apart, _joint_entropy(counts), apart)


def _information_share(counts: Values) -> Values:
    # As with Cramér's V, rounding must not exceed the largest value.
    return np.minimum(ratio(mutual_information(counts), _entropy_of(_margins(counts)[1])), 1.0)


def _surprise(shares: Values) -> Values:
    """Compute −log₂ of a share, 0 for a share of 0 (whose weight is 0 too)."""
    return -np.log2(np.where(shares > 0, shares, 1))


def _entropy_slopes(counts: Values) -> tuple[Values, Values, Values]:
    """Compute N d/dc of the joint, predicted and real entropies, up to the constant that centring removes."""
    predicted, real = _margins(counts)
    total = _total(counts)
    joint = np.where(counts > 0, _surprise(ratio(counts, total)), 0)
    rows = np.broadcast_to(_surprise(ratio(predicted, total))[:, None], counts.shape)
    columns = np.broadcast_to(_surprise(ratio(real, total))[None, :], counts.shape)
    return joint, rows, columns


def _conditional_entropy_gradient(counts: Values) -> Values:
    joint, rows, _ = _entropy_slopes(counts)
    return (joint - rows) / _total(counts)


def _mutual_information_gradient(counts: Values) -> Values:
    joint, rows, columns = _entropy_slopes(counts)
    return (rows + columns - joint) / _total(counts)


def _information_share_gradient(counts: Values) -> Values:
    joint, rows, columns = _entropy_slopes(counts)
    entropy = _entropy_of(_margins(counts)[1])
    share = _information_share(counts)
    return (rows + columns - joint - share * columns) / (_total(counts) * entropy)


def _pairs(counts: Values) -> Values:
    return counts * (counts - 1) / 2


def rand_index(counts: Values) -> Values:
    """Compute the share of pairs of cases that are together in truth and prediction, or apart in both."""
    predicted, real = (_pairs(margin).sum(axis=-1) for margin in _margins(counts))
    together = _pairs(counts).sum(axis=(-2, -1))
    return ratio(
        _pairs(_total(counts)) - predicted - real + 2 * together,
        _pairs(_total(counts)),
    )


def _expected_rand_index(counts: Values) -> Values:
    """Compute the mean over guesses: Σ C(c, 2) has mean Σ C(P, 2) Σ C(R, 2) / C(N, 2)."""
    predicted, real = (_pairs(margin).sum(axis=-1) for margin in _margins(counts))
    every = _pairs(_total(counts))
    return ratio(every - predicted - real + 2 * ratio(predicted * real, every), every)


def _expected_chi_square(counts: Values) -> Values:
    """Compute (rows − 1)(columns − 1) N/(N − 1) over rows and columns that are not empty (Haldane 1940)."""
    rows, columns = ((margin > 0).sum(axis=-1) for margin in _margins(counts))
    return ratio((rows - 1) * (columns - 1) * _total(counts), _total(counts) - 1)


def _adjusted_rand_index(counts: Values) -> Values:
    predicted, real = (_pairs(margin).sum(axis=-1) for margin in _margins(counts))
    together = _pairs(counts).sum(axis=(-2, -1))
    expected = ratio(predicted * real, _pairs(_total(counts)))
    return ratio(together - expected, (predicted + real) / 2 - expected)


def chi_square(counts: Values) -> Values:
    """Compute Pearson's Σ (observed − expected)²/expected against independence."""
    predicted, real = _margins(counts)
    expected = ratio(predicted[..., :, None] * real[..., None, :], _total(counts)[..., None, None])
    summed = np.nansum(ratio((counts - expected) ** 2, expected), axis=(-2, -1))
    return np.where(_total(counts) > 0, summed, np.nan)


def g_square(counts: Values) -> Values:
    """Compute the likelihood ratio statistic against independence, 2 N ln 2 times the mutual information."""
    return 2 * _total(counts) * np.log(2) * mutual_information(counts)


def _cramers_v(counts: Values) -> Values:
    predicted, real = _margins(counts)
    smaller = np.minimum((predicted > 0).sum(axis=-1), (real > 0).sum(axis=-1))
    # 1 is the largest value there is; rounding must not exceed it.
    return np.sqrt(np.minimum(ratio(chi_square(counts), _total(counts) * (smaller - 1)), 1.0))


BIASED = "it is biased upwards near independence, and a bootstrap more so: its p-value says what it shows"


_CASES = Requirement(lambda counts: _total(counts) > 0, "there are no cases with a decision")
_TWO_CASES = Requirement(lambda counts: _total(counts) > 1, "there are fewer than two cases to pair")
_TWO_REAL = Requirement(lambda counts: (counts.sum(axis=-2) > 0).sum(axis=-1) > 1, "only one class is real")
_TWO_PREDICTED = Requirement(
    lambda counts: (counts.sum(axis=-1) > 0).sum(axis=-1) > 1, "only one label was ever predicted"
)


def _not_trivial(counts: Values) -> Values:
    predicted, real = _margins(counts)
    total = _total(counts)
    both_single = ((predicted > 0).sum(axis=-1) == 1) & ((real > 0).sum(axis=-1) == 1)
    both_apart = (predicted <= 1).all(axis=-1) & (real <= 1).all(axis=-1)
    return (total > 1) & ~both_single & ~both_apart


_NOT_TRIVIAL = Requirement(
    _not_trivial, "truth and prediction are both one single group, or both all singles"
)


def _cells(name: str, formula: str, compute: Any, chance: str, source: str, **more: Any) -> Measure:
    defaults: dict[str, Any] = {"low": 0.0, "high": np.inf, "direction": "higher", "needs": (_CASES,)}
    return Measure(
        name=name,
        scope="cells",
        formula=formula,
        compute=compute,
        chance=chance,
        source=source,
        **(defaults | more),
    )


CELL_MEASURES = (
    _cells(
        "conditional_entropy",
        "−Σ_lk j_lk log₂(j_lk / p_l) bits",
        conditional_entropy,
        "H(R)",
        POWERS,
        direction="lower",
        synonyms=("h(r|p)", "equivocation"),
        gradient=_conditional_entropy_gradient,
    ),
    _cells(
        "mutual_information",
        "Σ_lk j_lk log₂(j_lk / (p_l r_k)) bits",
        mutual_information,
        "0 (about (K − 1)²/(2 N ln 2) in a sample)",
        SHANNON,
        synonyms=("transmitted information",),
        gradient=_mutual_information_gradient,
    ),
    _cells(
        "information_share",
        "mutual information / H(R)",
        _information_share,
        "0 (in a sample biased upwards)",
        "Theil 1970",
        high=1.0,
        synonyms=("uncertainty coefficient", "theil's u", "homogeneity"),
        needs=(_CASES, _TWO_REAL),
        gradient=_information_share_gradient,
    ),
    _cells(
        "real_entropy",
        "−Σ_k r_k log₂ r_k bits",
        lambda counts: _entropy_of(_margins(counts)[1]),
        "itself",
        SHANNON,
        direction="neither",
        gradient=lambda counts: _entropy_slopes(counts)[2] / _total(counts),
    ),
    _cells(
        "rand_index",
        "pairs of cases on which truth and prediction agree / pairs",
        rand_index,
        "1 − (A + B − 2AB/T)/T with A, B pairs together in prediction, in reality, T all pairs",
        RAND,
        high=1.0,
        counts_pairs=True,
        needs=(_TWO_CASES,),
        expected=_expected_rand_index,
        title="Rand index",
    ),
    _cells(
        "adjusted_rand_index",
        "(agreement of pairs − expected) / (most possible − expected)",
        _adjusted_rand_index,
        "0",
        HUBERT,
        low=-0.5,
        high=1.0,
        counts_pairs=True,
        needs=(_NOT_TRIVIAL,),
        title="adjusted Rand index",
    ),
    _cells(
        "chi_square",
        "Σ_lk (c_lk − P_l R_k/N)² / (P_l R_k/N)",
        chi_square,
        "about (K − 1)²",
        PEARSON,
        expected=_expected_chi_square,
        no_interval=BIASED,
        title="χ²",
    ),
    _cells(
        "g_square",
        "2 Σ_lk c_lk ln(c_lk N / (P_l R_k))",
        g_square,
        "about (K − 1)²",
        "Wilks 1938",
        expected=_expected_chi_square,
        no_interval=BIASED,
        title="G²",
    ),
    _cells(
        "cramers_v",
        "√(chi² / (N (min(rows, columns) − 1)))",
        _cramers_v,
        "near 0, biased upwards",
        PEARSON,
        high=1.0,
        no_interval=BIASED,
        needs=(_CASES, _TWO_REAL, _TWO_PREDICTED),
        title="Cramér's V",
    ),
)
