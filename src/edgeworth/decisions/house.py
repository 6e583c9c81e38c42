"""What a house may charge before the edge is gone: one unit staked on every prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.arrays import Values, difference, ratio
from edgeworth.core.definition import Combination, Measure, Option
from edgeworth.decisions.requirements import CASES, SOMETHING_WON
from edgeworth.decisions.views import Marginals

HOUSE = "unit stakes at Powers' fair odds less the house's share; see docs/decisions.md"


def recall_sum(view: Marginals) -> Values:
    """Σ_l recall_l: what one unit a case returns at fair odds ``1/r_l``."""
    return np.where(view.real.real > 0, ratio(view.hits, view.real), 0).sum(axis=-1)


def break_even_margin(view: Marginals) -> Values:
    """The over-round at which a unit bet on each prediction neither wins nor loses."""
    return np.where(view.total.real > 0, recall_sum(view) - 1, np.nan)


def break_even_commission(view: Marginals) -> Values:
    """The commission on net winnings at fair odds at which they are all gone."""
    by_label = view.by_label()
    wrong = difference(view.total, view.hits.sum(axis=-1), view.total)
    # Σ recall − accuracy, times N.
    winnings = np.where(view.real.real > 0, ratio(view.hits * by_label.not_real, view.real), 0).sum(axis=-1)
    return 1 - ratio(wrong, winnings)


def unit_return(view: Marginals, margin: float, commission: float) -> Values:
    """Mean profit of a unit bet on each prediction at odds ``1/(r_l (1 + margin))``, after commission.

    A house with so large a margin that a winning bet returns less than its stake takes no commission on it.
    """
    total = view.total[..., None]
    priced = view.real.real > 0
    net = np.where(priced, ratio(total, view.real), 0) / (1 + margin) - 1
    winnings = np.where(net.real > 0, net * (1 - commission), net)
    hits = np.where(priced, view.hits, 0)
    won = ratio((hits * winnings).sum(axis=-1), view.total)
    return won - ratio(view.total - view.hits.sum(axis=-1), view.total)


def _margin_combination(view: Marginals) -> Combination:
    real = view.real > 0
    return Combination(
        -1.0,
        np.ones(int(real.sum())),
        view.hits[real].astype(np.float64),
        view.real[real].astype(np.float64),
    )


def _house(name: str, formula: str, compute: Any, **more: Any) -> Measure:
    return Measure(
        name=name,
        scope="overall",
        formula=formula,
        low=more.pop("low", -1.0),
        high=more.pop("high", np.inf),
        chance=more.pop("chance", "0 (when every guess is of a real class)"),
        direction="higher",
        source=HOUSE,
        compute=compute,
        needs=more.pop("needs", (CASES,)),
        **more,
    )


HOUSE_MEASURES = (
    _house(
        "break_even_margin",
        "Σ_l recall_l − 1",
        break_even_margin,
        combination=_margin_combination,
        synonyms=("v*", "over-round", "vigorish"),
    ),
    _house(
        "break_even_commission",
        "1 − (1 − accuracy)/(Σ_l recall_l − accuracy)",
        break_even_commission,
        low=-np.inf,
        high=1.0,
        needs=(CASES, SOMETHING_WON),
    ),
    _house(
        "unit_return",
        "Σ_l j_ll (O_l − 1)(1 − commission) − (1 − accuracy), O_l = 1/(r_l (1 + margin))",
        unit_return,
        chance="1/(1 + margin) − 1 without commission, lower with it",
        options={"margin": Option(0.0, -0.999999), "commission": Option(0.0, 0.0, 1.0)},
    ),
)
