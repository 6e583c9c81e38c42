"""A predictor that is informed part of the time and guesses otherwise (Powers' model 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.sources.columns import Label


def informed_mixture(
    real: ArrayLike,
    guess: ArrayLike,
    informed: float,
    *,
    cases: float = 1.0,
    labels: Sequence[Label] | None = None,
) -> ContingencyTable:
    """Make the expected table of a predictor that knows some of the answers and guesses the others.

    Parameters
    ----------
    real, guess : array-like
        The shares of the real classes and of the guesses.
    informed : float
        The fraction g of the time that the answer is known; with two classes below 0 for its opposite.
    cases : float
        The number of cases.
    labels : sequence, optional
        The labels; 0, 1, … if left out.

    Returns
    -------
    ContingencyTable

    Notes
    -----
    The shares are ``(1-|g|)·outer(guess, real) + |g|·D`` with D the right answers, or for negative g the
    wrong ones. Informedness recovers g, as long as every guess is of a class that is real. Source: Powers
    2003, Recall & Precision versus The Bookmaker.

    Examples
    --------
    >>> informed_mixture([0.7, 0.3], [0.8, 0.2], 0.15, cases=100).counts.round(1).tolist()
    [[58.1, 20.4], [11.9, 9.6]]
    """
    real_shares, guess_shares = _both_shares(real, guess)
    _check_informed(informed, len(real_shares))
    known = np.diag(real_shares) if informed >= 0 else np.diag(real_shares)[::-1]
    if not 0 < cases < np.inf:
        raise OptionError(f"the number of cases must be above 0; saw {cases!r}")
    table = cases * ((1 - abs(informed)) * np.outer(guess_shares, real_shares) + abs(informed) * known)
    # The last digit of a product must not make weights of whole cases.
    table = np.where(np.isclose(table, np.round(table), rtol=1e-12, atol=0), np.round(table), table)
    return ContingencyTable.from_matrix(table, rows="predicted", labels=labels)


def lowest_informedness(real: ArrayLike, predicted: ArrayLike) -> float:
    """Compute the lowest informedness that predictions with these shares can have.

    Parameters
    ----------
    real : array_like, (K,)
        The share of each class.
    predicted : array_like, (K,)
        The share of each predicted label.

    Returns
    -------
    float
        The lowest value. It is −1 only for two classes.

    Notes
    -----
    Informedness grows with every right answer, so it is lowest if as few as possible are right. That is none,
    unless a label is predicted and real in more than all cases together.

    Examples
    --------
    >>> lowest_informedness([0.25, 0.75], [0.75, 0.25]), lowest_informedness([0.5, 0.25, 0.25], [0.5, 0.5, 0])
    (-1.0, -0.8333333333333333)
    """
    r, p = _both_shares(real, predicted)
    right = np.maximum(p + r - 1, 0)
    priced = (r > 0) & (r < 1)
    r, p, right = r[priced], p[priced], right[priced]
    return float((p * (right / r - (p - right) / (1 - r))).sum())


def simulate_labels(
    real: ArrayLike, guess: ArrayLike, informed: float | ArrayLike, cases: int, *, rng: Rng
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw truth and predictions, as labels 0, 1, …, of a predictor that knows part of the answers.

    Parameters
    ----------
    real, guess : array-like
        The shares of the real classes and of the guesses.
    informed : float or array-like
        The fraction of the time that the answer is known: one for all cases, or one for each class.
    cases : int
        The number of cases.
    rng : int, numpy Generator or None
        The seed, or the source, of the draws.

    Returns
    -------
    truth, prediction : arrays of int

    Examples
    --------
    >>> truth, prediction = simulate_labels([0.5, 0.5], [0.5, 0.5], 1.0, 100, rng=1)
    >>> bool((truth == prediction).all())
    True
    """
    generator = np.random.default_rng(make_seed(rng))
    real_shares, guess_shares = _both_shares(real, guess)
    informed_rates = np.asarray(informed, dtype=np.float64)
    if informed_rates.shape not in ((), real_shares.shape):
        raise OptionError(
            f"pass one informed rate, or one per class ({len(real_shares)}); saw {informed_rates.shape}"
        )
    rates = np.broadcast_to(informed_rates, real_shares.shape)
    for rate in rates:
        _check_informed(float(rate), len(real_shares))
    truth = generator.choice(len(real_shares), size=cases, p=real_shares)
    guesses = generator.choice(len(guess_shares), size=cases, p=guess_shares)
    knows = generator.random(cases) < np.abs(rates)[truth]
    answer = np.where(rates[truth] >= 0, truth, 1 - truth)
    return truth, np.where(knows, answer, guesses)


def _both_shares(real: ArrayLike, guess: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    real_shares, guess_shares = _shares(real, "real"), _shares(guess, "guess")
    if len(real_shares) != len(guess_shares):
        raise OptionError(f"{len(real_shares)} real shares and {len(guess_shares)} guess shares do not fit")
    return real_shares, guess_shares


def _shares(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        shares = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} shares must be numbers; saw {values!r}") from None
    if shares.ndim != 1 or np.any(shares < 0) or not abs(shares.sum() - 1) <= 1e-9:
        raise OptionError(f"{name} shares must be at least 0 and sum to 1; saw {shares.tolist()}")
    return shares


def _check_informed(informed: float, classes: int) -> None:
    if not isinstance(informed, (int, float)) or not -1 <= informed <= 1 or (informed < 0 and classes != 2):
        raise OptionError(
            f"the informed fraction must be between 0 and 1 (from -1 for two classes); saw {informed:g}"
        )
