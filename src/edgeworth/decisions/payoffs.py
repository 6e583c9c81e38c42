"""The bookmaker's table: what the decisions earn at fair odds, at a house's odds, or at your own costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import finite_or_none
from edgeworth.bet.odds import check_commission, check_margin, house_odds
from edgeworth.core.measures import Measure
from edgeworth.decisions.averages import break_even_commission, break_even_margin, unit_return
from edgeworth.decisions.information import expected_cost_measure
from edgeworth.decisions.table import ContingencyTable, Rows
from edgeworth.decisions.views import marginals
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label

Dollars = NDArray[np.float64]

CELLS_IN_JSON = 50
LARGEST_POOL = 1e12


@dataclass(frozen=True)
class Payoffs:
    """The payoff of every cell (rows predicted, columns real), in dollars.

    Two ways of counting the same bets. ``cells`` is normalised as in Powers' Figure 1, so that perfect play
    earns the pool on each label: ``pool · j · w`` with w = +1/r for a hit and −1/(1−r) for a miss. ``track``
    is what changes hands at the track: a right bet on a label wins ``pool · (1−r)``, a wrong one loses
    ``pool · r``, times the cases. A label without fair odds (never or always real) has nan.
    """

    labels: tuple[Label, ...]
    pool: float
    margin: float
    commission: float
    odds: Dollars
    predicted_share: Dollars
    cells: Dollars
    track: Dollars
    unit_return: float
    break_even_margin: float
    break_even_commission: float

    @property
    def rows(self) -> Dollars:
        """Each label's profit: the pool times its edge."""
        return np.asarray(self.cells.sum(axis=1))

    @property
    def columns(self) -> Dollars:
        """Dollars by real class, over the labels that have odds."""
        return np.array([self._summed(column) for column in self.cells.T])

    @property
    def weighted(self) -> Dollars:
        """Each label's profit times how often it is bet on."""
        return self.predicted_share * self.rows

    @property
    def total(self) -> float:
        """The pool times the informedness of the decided cases, less what the house takes."""
        return self._summed(self.weighted)

    @property
    def won(self) -> float:
        """Dollars won at the track."""
        return self._summed(np.where(self.track > 0, self.track, 0))

    @property
    def lost(self) -> float:
        """Dollars lost at the track."""
        return self._summed(np.where(self.track < 0, -self.track, 0))

    @property
    def net(self) -> float:
        """Won less lost."""
        return self.won - self.lost

    def _summed(self, values: Dollars) -> float:
        """Over the labels that have odds; nan when no prediction is of one."""
        bet = ~np.isnan(self.odds) & (self.predicted_share > 0)
        return float(np.nansum(values)) if bet.any() else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None. The cells of many labels are left out."""
        plain: dict[str, Any] = {"labels": [str(label) for label in self.labels]}
        for name in (
            "pool",
            "margin",
            "commission",
            "unit_return",
            "break_even_margin",
            "break_even_commission",
            "total",
            "won",
            "lost",
            "net",
        ):
            plain[name] = _plain(getattr(self, name))
        cells = ("cells", "track") if len(self.labels) <= CELLS_IN_JSON else ()
        for name in ("odds", "predicted_share", "rows", "columns", "weighted", *cells):
            plain[name] = _plain(getattr(self, name).tolist())
        return plain


def payoffs(
    table: ContingencyTable, *, pool: float = 10.0, margin: float = 0.0, commission: float = 0.0
) -> Payoffs:
    """The bookmaker's table: each prediction is a bet on its label at odds set by the real shares.

    ``margin`` is the house's over-round (0.05: five per cent), ``commission`` its share of net winnings.

    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    >>> round(payoffs(table).won, 6), round(payoffs(table).lost, 6)
    (210.0, 210.0)
    """
    check_margin(margin)
    check_commission(commission)
    if not (isinstance(pool, (int, float)) and 0 < pool <= LARGEST_POOL):
        raise OptionError(f"the pool is an amount above 0, at most {LARGEST_POOL:g}; saw {pool!r}")
    total = float(table.total)
    if total == 0:
        raise InputError("there are no cases to bet on")
    counts = table.counts.astype(np.float64)
    real, predicted = counts.sum(axis=0) / total, counts.sum(axis=1) / total
    odds = house_odds(real, margin)
    # Staking pool · r on a label at these odds wins pool · r · (odds − 1).
    win = pool * real * (odds - 1)
    win = np.where(win > 0, win * (1 - commission), win)
    lose = np.where(np.isnan(odds), np.nan, -pool * real)
    value = np.where(np.eye(len(real), dtype=bool), win[:, None], lose[:, None])
    spread = np.where(np.isnan(odds), np.nan, real * (1 - real))[:, None]
    view = marginals(table.cells)
    return Payoffs(
        labels=table.labels,
        pool=pool,
        margin=margin,
        commission=commission,
        odds=odds,
        predicted_share=predicted,
        cells=counts / total * value / spread,
        track=counts * value,
        unit_return=float(unit_return(view, margin, commission)),
        break_even_margin=float(break_even_margin(view)),
        break_even_commission=float(break_even_commission(view)),
    )


@dataclass(frozen=True)
class Costs:
    """A user's own cost (or gain) of each cell, applied to a table. Rows predicted, columns real."""

    labels: tuple[Label, ...]
    each: Dollars
    cells: Dollars
    per_case: float
    at_guessing: float
    best_constant: Label
    at_best_constant: float

    @property
    def total(self) -> float:
        """All cells together."""
        return float(self.cells.sum())


def costs(table: ContingencyTable, matrix: ArrayLike, *, rows: Rows, gains: bool = False) -> Costs:
    """Apply your own costs of each (prediction, reality) pair; ``gains=True`` when larger is better.

    Beside the mean per case stand two yardsticks: guessing with the same shares, and always giving the one
    label that suits these costs best.

    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted", labels=["ill", "well"])
    >>> costs(table, [[0, 1], [10, 0]], rows="predicted").total
    208.0
    """
    each = cost_matrix(table, matrix, rows=rows)
    total = float(table.total)
    if total == 0:
        raise InputError("there are no cases to cost")
    counts = table.counts.astype(np.float64)
    real, predicted = counts.sum(axis=0) / total, counts.sum(axis=1) / total
    constant = each @ real
    best = int(np.argmax(constant) if gains else np.argmin(constant))
    return Costs(
        labels=table.labels,
        each=each,
        cells=counts * each,
        per_case=float(expected_cost_measure(each).compute(counts)),
        at_guessing=float(predicted @ each @ real),
        best_constant=table.labels[best],
        at_best_constant=float(constant[best]),
    )


def expected_cost(table: ContingencyTable, matrix: ArrayLike, *, rows: Rows) -> Measure:
    """Your own costs as a measure, for ``ew.measure`` and ``ew.estimate``: the mean cost per case.

    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted", labels=["ill", "well"])
    >>> from edgeworth import measure
    >>> measure(table, expected_cost(table, [[0, 1], [10, 0]], rows="predicted"))
    2.08
    """
    return expected_cost_measure(cost_matrix(table, matrix, rows=rows))


def cost_matrix(table: ContingencyTable, matrix: ArrayLike, *, rows: Rows) -> Dollars:
    """A checked matrix of costs with predictions in rows."""
    if rows not in ("predicted", "real"):
        raise OptionError(f'rows must be "predicted" or "real"; saw {rows!r}')
    try:
        each = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        each = np.array(np.nan)
    size = len(table.labels)
    if each.shape != (size, size) or not np.isfinite(each).all():
        raise InputError(f"costs for {size} labels are a {size} by {size} matrix of finite numbers")
    return each if rows == "predicted" else each.T


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list) else finite_or_none(value)
