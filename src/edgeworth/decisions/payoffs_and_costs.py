"""What decisions earn: at fair odds, at a house's odds (the bookmaker's table), or at your own costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.odds import check_commission, check_margin, house_odds
from edgeworth.common.arrays import Floats, Values, difference, plain_values, ratio
from edgeworth.common.choices import Rows
from edgeworth.common.json_types import JsonObject
from edgeworth.core.measures import Measure, Parameter, measure_family
from edgeworth.decisions.information import cell_total
from edgeworth.decisions.matrices import has_actual_rows
from edgeworth.decisions.overall import recalls_combination
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import CASES, SOMETHING_WON, Marginals, marginals
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label

MAX_LABELS_WITH_CELLS_IN_JSON = 50
"""With more labels, the dollars of every cell are left out of the JSON."""

MAX_POOL = 1e12
"""The largest pool in dollars: sums of larger amounts lose their cents."""

HOUSE_SOURCE = "unit stakes at Powers' fair odds less the house's share"


# -- measures of unit bets ---------------------------------------------------------------------------------


def break_even_margin(view: Marginals) -> Values:
    """Compute the overround at which a unit bet on each prediction neither wins nor loses."""
    recall_sum = np.where(view.real.real > 0, ratio(view.hits, view.real), 0).sum(axis=-1)
    return np.where(view.total.real > 0, recall_sum - 1, np.nan)


def break_even_commission(view: Marginals) -> Values:
    """Compute the commission on net winnings that takes all of them at fair odds."""
    by_label = view.by_label()
    wrong = difference(view.total, view.hits.sum(axis=-1), view.total)
    # Σ recall − accuracy, times N.
    winnings = np.where(view.real.real > 0, ratio(view.hits * by_label.not_real, view.real), 0).sum(axis=-1)
    return 1 - ratio(wrong, winnings)


def unit_return(view: Marginals, overround: float, commission: float) -> Values:
    """Compute the mean profit of a unit bet on each prediction at odds ``1/(r_l (1 + overround))``.

    A house whose overround is so large that a winning bet returns less than its stake takes no commission.
    """
    total = view.total[..., None]
    priced = view.real.real > 0
    net = np.where(priced, ratio(total, view.real), 0) / (1 + overround) - 1
    winnings = np.where(net.real > 0, net * (1 - commission), net)
    hits = np.where(priced, view.hits, 0)
    won = ratio((hits * winnings).sum(axis=-1), view.total)
    return won - ratio(view.total - view.hits.sum(axis=-1), view.total)


_house = measure_family(
    scope="overall",
    low=-1.0,
    high=np.inf,
    chance="0 (when every guess is of a real class)",
    direction="higher",
    source=HOUSE_SOURCE,
    needs=(CASES,),
)

HOUSE_MEASURES = (
    _house(
        "break_even_margin",
        "Σ_l recall_l − 1",
        break_even_margin,
        title="break-even margin",
        combination=lambda view: recalls_combination(view.hits, view.real, -1.0, 1.0),
        combination_strata="classes",
        synonyms="v*, over-round, vigorish, house percentage",
    ),
    _house(
        "break_even_commission",
        "1 − (1 − accuracy)/(Σ_l recall_l − accuracy)",
        break_even_commission,
        title="break-even commission",
        low=-np.inf,
        high=1.0,
        needs=(CASES, SOMETHING_WON),
    ),
    _house(
        "unit_return",
        "Σ_l j_ll (O_l − 1)(1 − commission) − (1 − accuracy), O_l = 1/(r_l (1 + overround))",
        unit_return,
        chance="1/(1 + overround) − 1 without commission, lower with it",
        options={"overround": Parameter(0.0, -0.999999), "commission": Parameter(0.0, 0.0, 1.0)},
    ),
)


# -- the bookmaker's table ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Payoffs:
    """The payoff of every cell (rows predicted, columns real), in dollars.

    The same bets are counted in two ways. ``cells`` is normalised as in Powers' Figure 1, so that perfect
    play earns the pool on each label. ``track`` is the money that changes hands in a pool of bets.

    Attributes
    ----------
    labels : tuple
        The labels.
    pool : float
        The dollars in the pool of each bet.
    overround : float
        The house's margin.
    commission : float
        The house's share of net winnings.
    odds : array, (K,)
        The decimal odds on each label; nan for a label that was never or always real.
    predicted_share : array, (K,)
        The share of predictions with each label.
    cells : array, (K, K)
        ``pool · j · w`` with the joint share j, and w = +1/r for a hit and −1/(1−r) for a miss.
    track : array, (K, K)
        A right bet wins ``pool · (1−r)`` and a wrong one loses ``pool · r``, times the cases.
    unit_return : float
        The mean profit of a unit bet on each prediction.
    break_even_margin : float
        The overround at which the bets neither win nor lose.
    break_even_commission : float
        The commission at which the bets neither win nor lose.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> paid = ew.payoffs(table, pool=10)
    >>> paid.rows.round(2).tolist(), paid.columns.round(2).tolist(), paid.weighted.round(2).tolist()
    ([2.0, 2.0], [6.0, -2.0], [1.39, 0.61])
    >>> [round(value, 2) for value in (paid.total, paid.won, paid.lost, paid.net)]
    [2.0, 448.0, 298.67, 149.33]
    >>> sorted(paid.to_dict())[:3]
    ['break_even_commission', 'break_even_margin', 'cells']
    """

    labels: tuple[Label, ...]
    pool: float
    overround: float
    commission: float
    odds: Floats
    predicted_share: Floats
    cells: Floats
    track: Floats
    unit_return: float
    break_even_margin: float
    break_even_commission: float

    @property
    def rows(self) -> Floats:
        """The profit of each label: the pool times the label's informedness."""
        return np.asarray(self.cells.sum(axis=1))

    @property
    def columns(self) -> Floats:
        """The dollars of each real class, over the labels that have odds."""
        return np.array([self._sum(column) for column in self.cells.T])

    @property
    def weighted(self) -> Floats:
        """The profit of each label times how often it is predicted."""
        return self.predicted_share * self.rows

    @property
    def total(self) -> float:
        """The pool times the informedness of the decided cases, minus what the house takes."""
        return self._sum(self.weighted)

    @property
    def won(self) -> float:
        """The dollars that right bets win."""
        return self._sum(np.where(self.track > 0, self.track, 0))

    @property
    def lost(self) -> float:
        """The dollars that wrong bets lose."""
        return self._sum(np.where(self.track < 0, -self.track, 0))

    @property
    def net(self) -> float:
        """The dollars won minus the dollars lost."""
        return self.won - self.lost

    def _sum(self, values: Floats) -> float:
        """Sum over the labels that have odds; nan when none of them was predicted."""
        bet = ~np.isnan(self.odds) & (self.predicted_share > 0)
        return float(np.nansum(values)) if bet.any() else float("nan")

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON.

        Returns
        -------
        dict
            The payoffs, with None for what is undefined. The cells of many labels are left out.
        """
        cells = ("cells", "track") if len(self.labels) <= MAX_LABELS_WITH_CELLS_IN_JSON else ()
        numbers = ("unit_return", "break_even_margin", "break_even_commission", "total", "won", "lost", "net")
        arrays = ("odds", "predicted_share", "rows", "columns", "weighted", *cells)
        labels = [str(label) for label in self.labels]
        terms = {"labels": labels, "pool": self.pool, "margin": self.overround, "commission": self.commission}
        written: JsonObject = plain_values(
            terms | {name: getattr(self, name) for name in (*numbers, *arrays)}
        )
        return written


def payoffs(
    table: ContingencyTable, *, pool: float = 10.0, overround: float = 0.0, commission: float = 0.0
) -> Payoffs:
    """Make the bookmaker's table: each prediction is a bet on its label at odds set by the real shares.

    Parameters
    ----------
    table : ContingencyTable
        The decisions; abstentions place no bet.
    pool : float
        The dollars in the pool of each bet.
    overround : float
        The house's margin: 0.05 divides all odds by 1.05.
    commission : float
        The house's share of net winnings.

    Returns
    -------
    Payoffs
        Dollars by prediction and real class, and the margin and commission at which the bets break even.

    Notes
    -----
    The odds on label l are ``1/(r_l (1 + overround))`` with r_l its share of the real classes. At fair odds
    the total is the pool times informedness. Source: Powers 2003, Recall & Precision versus The Bookmaker.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    >>> round(payoffs(table).won, 6), round(payoffs(table).lost, 6)
    (210.0, 210.0)
    """
    check_margin(overround)
    check_commission(commission)
    if not (isinstance(pool, (int, float)) and 0 < pool <= MAX_POOL):
        raise OptionError(f"the pool must be above 0 and at most {MAX_POOL:g}; saw {pool!r}")
    total = float(table.total)
    if total == 0:
        raise InputError("there are no cases to bet on")
    counts, view = table.counts.astype(np.float64), marginals(table.cells)
    # 1 − r, of which a float r near 1 has lost the digits.
    real, predicted, others = (x / total for x in (view.real, view.predicted, view.by_label().not_real))
    odds = house_odds(real, overround)
    # Staking pool · r on a label at these odds wins pool · r · (odds − 1).
    win = np.where(np.isnan(odds), np.nan, pool * (others - overround / (1 + overround)))
    win = np.where(win > 0, win * (1 - commission), win)
    lose = np.where(np.isnan(odds), np.nan, -pool * real)
    value = np.where(np.eye(len(real), dtype=bool), win[:, None], lose[:, None])
    spread = np.where(np.isnan(odds), np.nan, real * others)[:, None]
    return Payoffs(
        labels=table.labels,
        pool=pool,
        overround=overround,
        commission=commission,
        odds=odds,
        predicted_share=predicted,
        cells=counts / total * value / spread,
        track=counts * value,
        unit_return=float(unit_return(view, overround, commission)),
        break_even_margin=float(break_even_margin(view)),
        break_even_commission=float(break_even_commission(view)),
    )


# -- your own costs ----------------------------------------------------------------------------------------


cost_measure = measure_family(scope="cells", source="your own costs", needs=(CASES,))


@dataclass(frozen=True)
class Costs:
    """The costs of a table at the user's own cost of each cell; rows predicted, columns real."""

    labels: tuple[Label, ...]
    matrix: Floats
    cells: Floats
    per_case: float
    at_guessing: float
    best_constant: Label
    at_best_constant: float

    @property
    def total(self) -> float:
        """The cost of all cases."""
        return float(self.cells.sum())


def costs(table: ContingencyTable, matrix: ArrayLike, *, rows: Rows) -> Costs:
    """Apply your own costs of each pair of prediction and real class.

    Parameters
    ----------
    table : ContingencyTable
        The decisions; abstentions cost nothing.
    matrix : array-like, (K, K)
        The cost of each pair.
    rows : {"predicted", "actual"}
        What the rows of the matrix are.

    Returns
    -------
    Costs
        The mean per case beside two yardsticks: guessing with the same shares, and always predicting the one
        label that suits these costs best.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted", labels=["ill", "well"])
    >>> costs(table, [[0, 1], [10, 0]], rows="predicted").total
    208.0
    """
    cost_matrix = check_cost_matrix(table, matrix, rows)
    total = float(table.total)
    if total == 0:
        raise InputError("there are no cases to cost")
    counts = table.counts.astype(np.float64)
    real, predicted = counts.sum(axis=0) / total, counts.sum(axis=1) / total
    constant = cost_matrix @ real
    best = int(np.argmin(constant))
    return Costs(
        labels=table.labels,
        matrix=cost_matrix,
        cells=counts * cost_matrix,
        per_case=float(_expected_cost(cost_matrix).compute(counts)),
        at_guessing=float(predicted @ cost_matrix @ real),
        best_constant=table.labels[best],
        at_best_constant=float(constant[best]),
    )


def expected_cost(table: ContingencyTable, matrix: ArrayLike, *, rows: Rows) -> Measure:
    """Make the mean cost per case a measure, for ``ew.measure`` and ``ew.estimate``.

    Parameters
    ----------
    table : ContingencyTable
        A table with the labels that the costs are for.
    matrix : array-like, (K, K)
        The cost of each pair of prediction and real class.
    rows : {"predicted", "actual"}
        What the rows of the matrix are.

    Returns
    -------
    Measure

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted", labels=["ill", "well"])
    >>> from edgeworth import measure
    >>> measure(table, expected_cost(table, [[0, 1], [10, 0]], rows="predicted"))
    2.08
    """
    return _expected_cost(check_cost_matrix(table, matrix, rows))


def _expected_cost(costs: Floats) -> Measure:
    def compute(counts: Values) -> Values:
        if counts.shape[-2:] != costs.shape:
            raise OptionError(f"these costs are for {len(costs)} labels; the table has {counts.shape[-1]}")
        return ratio((counts * costs).sum(axis=(-2, -1)), cell_total(counts))

    return cost_measure(
        "expected_cost",
        "Σ_lk j_lk cost_lk",
        compute,
        low=float(costs.min()),
        high=float(costs.max()),
        chance="Σ_lk p_l r_k cost_lk",
        direction="neither",
        gradient=lambda counts: costs / cell_total(counts),
    )


def check_cost_matrix(table: ContingencyTable, matrix: object, rows: Rows) -> Floats:
    """Check a matrix of costs and put predictions in its rows."""
    is_transposed = has_actual_rows(rows)
    try:
        costs = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.array(np.nan)
    size = len(table.labels)
    if costs.shape != (size, size) or not np.isfinite(costs).all():
        raise InputError(f"costs for {size} labels must be a {size} by {size} matrix of finite numbers")
    return costs.T if is_transposed else costs
