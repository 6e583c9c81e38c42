"""Races on an exchange: every outcome can be backed at one price and laid at another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.validation import BOOK_TOLERANCE, BookError, as_floats, as_races, describe_first
from edgeworth.common.arrays import Floats, row_sums
from edgeworth.errors import InputError

PRICE_SUM_TOLERANCE = 1e-14
"""Sums of prices this near the target count as equal to it: rounding, and stakes that are not unique."""


def clipped_prices(
    probabilities: ArrayLike, odds: ArrayLike, lay: ArrayLike, *, normalise: bool = False
) -> Floats:
    """Compute the prices at which the best bettor deals: ``q = clip(p/λ, 1/L, 1/B)`` with ``Σ q = 1``.

    Parameters
    ----------
    probabilities : array_like, (K,) or (n, K)
        The bettor's probabilities.
    odds : array_like
        The odds B to back at.
    lay : array_like
        The odds L to lay at. Infinity means that the outcome cannot be laid.
    normalise : bool
        Whether to divide each row of probabilities by its sum.

    Returns
    -------
    array
        The prices. The wealth after outcome k is ``p_k/q_k``, and the cash kept is λ. If an outcome of
        probability 0 leaves its price open, the rest up to 1 is shared.

    Raises
    ------
    BookError
        Unless ``Σ 1/L ≤ 1 ≤ Σ 1/B``. Otherwise there is an arbitrage.

    Examples
    --------
    >>> clipped_prices([0.5, 0.36, 0.14], [1.9, 3.2, 4.6], [2.1, 3.6, 5.4]).round(6).tolist()
    [0.502315, 0.3125, 0.185185]
    """
    races = as_races(probabilities, odds, lay, normalise=normalise)
    assert races.lay is not None
    refuse_arbitrage(races.odds, races.lay)
    low, high = 1 / races.lay, 1 / races.odds
    level, target = cash_levels(races.probabilities, low, high)
    return races.shaped(_prices(races.probabilities, low, high, target, level))


def arbitrage(odds: ArrayLike, *, lay: ArrayLike | None = None) -> str | list[str]:
    """Find the sure profit in a book.

    Parameters
    ----------
    odds : array_like, (K,) or (n, K)
        The odds B to back at.
    lay : array_like, optional
        The odds L to lay at.

    Returns
    -------
    str or list of str
        "none"; "back every outcome" if ``Σ 1/B < 1``; "lay every outcome" if ``Σ 1/L > 1``; or "back and lay"
        if one outcome can be backed above its own lay odds. (n, K) odds give a list.

    Examples
    --------
    >>> arbitrage([[2.1, 2.1], [1.9, 1.9]]), arbitrage([1.9, 1.9], lay=[1.95, 1.95])
    (['back every outcome', 'none'], 'lay every outcome')
    """
    book = as_floats(odds, "odds")
    if book.ndim not in (1, 2) or not book.shape[-1]:
        raise InputError(f"a book is K odds, or n rows of them; saw the shape {book.shape}")
    races = as_races(np.full(book.shape[-1], 1 / book.shape[-1]), book, lay)
    names = np.full(len(races.odds), "none", dtype=object)
    names[(1 / races.odds).sum(axis=1) < 1 - BOOK_TOLERANCE] = "back every outcome"
    if races.lay is not None:
        names[_lay_all(races.lay)] = "lay every outcome"
        names[(races.odds > races.lay).any(axis=1)] = "back and lay"
    return str(names[0]) if races.single else [str(name) for name in names]


def refuse_arbitrage(back: Floats, lay: Floats) -> None:
    """Raise an error that names a row with a sure profit without limit, and what the caller may choose."""
    refuse_crossed(back, lay)
    for action, sums, bad in (
        ("backing", row_sums(1 / back), row_sums(1 / back) < 1 - BOOK_TOLERANCE),
        ("laying", row_sums(1 / lay), _lay_all(lay)),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            row_text = f" in row {row + 1:,}" if len(back) > 1 else ""
            raise BookError(
                f"{action} every outcome is an arbitrage{row_text}: the implied prices add up to "
                f"{sums[row]:.9g}, so the best stakes have no limit; check the odds, or pass "
                "unbalanced='normalise' (prices scaled to 1) or unbalanced='cap' (stakes and liabilities "
                "within the wealth)"
            )


def refuse_crossed(back: Floats, lay: Floats) -> None:
    """Raise an error if one outcome can be backed at higher odds than it is laid at."""
    crossed = back > lay
    if crossed.any():
        raise BookError(
            f"back odds above lay odds are an arbitrage: {describe_first(back, crossed)} is backed, "
            f"{describe_first(lay, crossed)} laid"
        )


def _lay_all(lay: Floats) -> NDArray[np.bool_]:
    """Mark rows where laying every outcome is a sure profit, or costs nothing if one cannot be laid."""
    sums = row_sums(1 / lay)
    spared = np.isinf(lay).any(axis=1)
    return np.asarray((sums > 1 + BOOK_TOLERANCE) | (spared & (sums > 1 - BOOK_TOLERANCE)))


def balance_odds(back: Floats, lay: Floats) -> tuple[Floats, Floats]:
    """Scale both sides of a book so that its arbitrage just disappears: ``Σ 1/L = 1`` or ``Σ 1/B = 1``."""
    refuse_crossed(back, lay)
    backing, laying = row_sums(1 / back), row_sums(1 / lay)
    scale = np.where(backing < 1, backing, np.where(laying > 1, laying, 1.0))[:, None]
    return back * scale, lay * scale


ALL_ROWS = slice(None)


def cash_levels(p: Floats, low: Floats, high: Floats, nearest: ArrayLike = 1.0) -> tuple[Floats, Floats]:
    """λ of each row with ``Σ clip(p/λ, low, high)`` as near to 1 as it can be, and that sum.

    It is exact, by halving among the breakpoints. Where a whole interval of λ will do (stakes are then not
    unique) it is the one nearest to ``nearest``; 0 where even the highest prices of what can happen do not
    reach the sum.
    """
    target = np.clip(1.0, row_sums(low), row_sums(high))
    ends = np.broadcast_to([0.0, np.inf], (len(p), 2))
    reaches_low = np.divide(p, low, out=np.where(p > 0, np.inf, 0.0), where=low > 0)
    points = np.concatenate([p / high, reaches_low, ends], axis=1)
    points.sort(axis=1)

    def sums(tried: Floats, rows: slice[None, None, None] | NDArray[np.intp] = ALL_ROWS) -> Floats:
        return row_sums(_clip(p[rows], low[rows], high[rows], tried))

    above = _count(points, lambda tried: sums(tried) > target + PRICE_SUM_TOLERANCE)
    rows = np.arange(len(p))
    left, right = points[rows, np.maximum(above - 1, 0)], points[rows, above]
    # Between two neighbouring breakpoints the sum is fixed + free/λ.
    at_high = (p / high >= right[:, None]) & (p > 0)
    at_low = (reaches_low <= left[:, None]) | (p == 0)
    fixed = row_sums(np.where(at_low, low, np.where(at_high, high, 0.0)))
    free = row_sums(np.where(at_low | at_high, 0.0, p))
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(above == 0, 0.0, np.clip(free / (target - fixed), left, right))
    # Where the sum is still the target at the next breakpoint, all λ as far as it stays so will do.
    flat = np.flatnonzero(sums(right) >= target - PRICE_SUM_TOLERANCE)
    reached = _count(points[flat], lambda tried: sums(tried, flat) >= target[flat] - PRICE_SUM_TOLERANCE)
    last = np.maximum(right[flat], points[flat, reached - 1])
    level[flat] = np.clip(np.broadcast_to(nearest, target.shape)[flat], right[flat], last)
    return level, target


def _clip(p: Floats, low: Floats, high: Floats, level: Floats) -> Floats:
    """Return ``clip(p/λ, low, high)``: the low price if p = 0, and otherwise the high price at λ = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        prices = p / level[:, None]
    return np.minimum(np.fmax(prices, low, out=prices), high, out=prices)


def _count(points: Floats, holds: Callable[[Floats], NDArray[np.bool_]]) -> NDArray[np.intp]:
    """Count the sorted points of each row for which a condition holds; it must hold for the first ones."""
    rows = np.arange(len(points))
    low = np.zeros(len(points), dtype=np.intp)
    high = np.full(len(points), points.shape[1], dtype=np.intp)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, points.shape[1] - 1)
        yes = holds(points[rows, middle]) & (low < high)
        low, high = np.where(yes, middle + 1, low), np.where(yes | (low >= high), high, middle)
    return low


def _prices(p: Floats, low: Floats, high: Floats, target: Floats, level: Floats) -> Floats:
    prices = _clip(p, low, high, level)
    short = np.where(level == 0, target - prices.sum(axis=1), 0.0)[:, None]
    slack = np.where(p == 0, high - low, 0.0)
    room = slack.sum(axis=1, keepdims=True)
    return np.asarray(prices + slack * np.divide(short, room, out=np.zeros_like(short), where=room > 0))


def deal(p: Floats, back: Floats, lay: Floats, level: Floats) -> tuple[Floats, Floats]:
    """Compute stakes and wealth after each outcome from the cash λ: back above it, lay below it."""
    cash = level[:, None]
    backed, laid = p > cash / back, p < cash / lay
    stakes = np.where(backed, p - cash / back, np.where(laid, p - cash / lay, 0.0))
    with np.errstate(invalid="ignore"):
        factors = np.where(backed, p * back, np.where(laid, p * lay, cash))
    return stakes, factors


MAX_GROWTH_SHORTFALL = 1e-9
"""How far growth may fall short of the best, in nats; ``kelly_together`` refuses what may fall shorter."""

MAX_NEWTON_STEPS = 200
"""Without a limit, rounding could keep the search going."""

NOT_HELD = 1e-9
"""Smaller amounts of an outcome that is not worth its price are rounding and become 0."""

RACES_AT_ONCE = 1000
"""Races whose holdings are looked for together; each has matrices of its own."""


def cap_stakes(p: Floats, back: Floats, lay: Floats) -> tuple[Floats, Floats]:
    """Find the best stakes whose backs and liabilities, ``Σ f⁺ + Σ f⁻(L − 1)``, add up to at most the wealth.

    Where backing everything is an arbitrage they are ``f = p``, and where the stakes of an exchange are
    covered they are these. Else wealth is divided over cash, backs and the liabilities of lays: a unit of the
    liability of k returns ``L/(L − 1)`` unless k happens.
    """
    refuse_crossed(back, lay)
    stakes, factors = p.copy(), p * back
    backing, laying = row_sums(1 / back), row_sums(1 / lay)
    netted = (backing >= 1 - BOOK_TOLERANCE) & (laying <= 1)
    level, _ = cash_levels(p[netted], 1 / lay[netted], 1 / back[netted], nearest=0.0)
    stakes[netted], factors[netted] = deal(p[netted], back[netted], lay[netted], level)
    is_covered = (backing < 1 - BOOK_TOLERANCE) | (netted & (tied_up(stakes, lay) <= 1 + 1e-12))
    short = np.flatnonzero(~is_covered)
    size = p.shape[1]
    for rows in np.split(short, range(RACES_AT_ONCE, len(short), RACES_AT_ONCE)):
        liable = lay[rows] - 1
        laid = np.divide(lay[rows], liable, out=np.zeros(liable.shape), where=np.isfinite(liable))
        bets = [np.eye(size) * back[rows, None], (1 - np.eye(size)) * laid[:, None]]
        returns = np.concatenate([np.ones((len(rows), size, 1)), *bets], axis=2)
        held = best_holdings(p[rows], returns)
        stakes[rows] = held[:, 1 : size + 1] - held[:, size + 1 :] / liable
        factors[rows] = _wealth(returns, held)
    return stakes, factors


def tied_up(stakes: Floats, lay: Floats) -> Floats:
    """Sum the cost of backs and the liability of lays, each bet by itself."""
    with np.errstate(invalid="ignore"):
        liability = np.where(stakes < 0, -stakes * (lay - 1), 0.0)
    return np.asarray((np.maximum(stakes, 0.0) + liability).sum(axis=1))


def _wealth(returns: Floats, held: Floats) -> Floats:
    """Return the wealth after each outcome."""
    return np.asarray((returns @ held[..., None])[..., 0])


def returns_in_wealth(chances: Floats, returns: Floats, held: Floats) -> Floats:
    """``E[X_i/W]``: the return of each holding in units of wealth; its mean over what is held is 1."""
    wealth = _wealth(returns, held)
    with np.errstate(divide="ignore", invalid="ignore"):  # who can be ruined has no finite answer
        weights = np.divide(chances, wealth, out=np.zeros(wealth.shape), where=chances > 0)
        return np.asarray((weights[..., None, :] @ returns)[..., 0, :])


def best_holdings(chances: Floats, returns: Floats) -> Floats:
    """Divide wealth so that ``E log W`` is largest, when m holdings have ``returns`` (…, K, m) in K outcomes.

    The best holdings w and what they return too little, ``z = 1 − E[X/W]``, are at least 0, and one of each
    pair is 0; w then adds up to 1. Newton's steps, relative to w and z, follow ``w z = μ`` while μ falls to 0
    (Wright 1997, Primal-Dual Interior-Point Methods).
    """
    number = returns.shape[-1]
    held = np.full((*returns.shape[:-2], number), 1 / number)
    lack = np.ones(held.shape)
    for _ in range(MAX_NEWTON_STEPS):
        shares = returns * held[..., None, :] / _wealth(returns, held)[..., None]
        slope = (chances[..., None, :] @ shares)[..., 0, :]
        product = held * lack
        off = (
            np.maximum(product.sum(axis=-1), (slope / held).max(axis=-1) - 1) > MAX_GROWTH_SHORTFALL / 10_000
        )
        if not off.any():
            break
        barrier = product.mean(axis=-1, keepdims=True) / 10
        bent = shares.swapaxes(-1, -2) @ (shares * chances[..., None]) + product[..., None] * np.eye(number)
        step = np.linalg.solve(bent, (slope - held + barrier)[..., None])[..., 0]
        lack = _move(lack, barrier / product - 1 - step, off)
        held = _move(held, step, off)
    held /= held.sum(axis=-1, keepdims=True)
    # What Newton's steps alone keep above 0 is not held.
    without = np.where((held < NOT_HELD) & (returns_in_wealth(chances, returns, held) < 1), 0.0, held)
    without /= without.sum(axis=-1, keepdims=True)
    is_best = (
        returns_in_wealth(chances, returns, without).max(axis=-1, keepdims=True) <= 1 + MAX_GROWTH_SHORTFALL
    )
    return np.where(is_best, without, held)


def _move(values: Floats, change: Floats, rows: NDArray[np.bool_]) -> Floats:
    """Change some rows relative to their values, as far as these stay above 0."""
    length = 0.99 / np.maximum(0.99, -change.min(axis=-1))
    return np.asarray(values * (1 + (rows * length)[..., None] * change))
