"""Questions without data: what chance does, and what to stake."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from edgeworth import bet, chance
from edgeworth.bet.staking import Unbalanced
from edgeworth.errors import OptionError
from edgeworth.evaluation import about_run
from edgeworth.forecasts.kelly_report import game_report, stakes_report
from edgeworth.rankings.selection import selection_report
from edgeworth.report.report import Report


def chance_report(
    items: int,
    targets: int,
    *,
    average_precision: float | None = None,
    hits: int | None = None,
    depth: int | None = None,
    over: Literal["targets", "reachable"] = "targets",
    seed: int = 0,
) -> Report:
    """What random selection does to average precision, and to hits within a depth."""
    if hits is not None and depth is None:
        raise OptionError("hits are counted within a depth: say which")
    if hits is not None and hits < 0:
        raise OptionError(f"hits number at least 0; saw {hits}")
    if average_precision is not None and not 0 <= average_precision <= 1:
        raise OptionError(f"average precision is a number between 0 and 1; saw {average_precision}")
    if over == "reachable" and depth is None:
        raise OptionError("targets within reach need a depth: say which")
    law = chance.average_precision(items, targets, depth=depth, over=over)
    tail = None if average_precision is None else law.tail(average_precision, seed=seed)
    hits_law = None if depth is None else chance.hits(items, targets, min(depth, items))
    hits_tail = None if hits is None or hits_law is None else hits_law.tail(hits)
    about = {"items": items, "targets": targets, "depth": depth, "over": over, "seed": seed}
    return selection_report(law, average_precision, tail, hits_law, hits, hits_tail, about_run(**about))


def kelly_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    *,
    lay: Sequence[float] | None = None,
    fraction: float = 1.0,
    normalise: bool = False,
    unbalanced: Unbalanced = "refuse",
) -> Report:
    """Kelly's stakes for one race, and what becomes of the wealth after each outcome.

    One probability and one price are a game that comes true or not, backed or laid.
    """
    # JSON has no infinity.
    laid = None if lay is None else [price if math.isfinite(price) else "inf" for price in lay]
    about = about_run(odds=list(odds), fraction=fraction, lay=laid)
    if len(probabilities) == len(odds) == 1 and (lay is None or len(lay) == 1):
        if normalise or unbalanced != "refuse":
            raise OptionError("a game has one probability and one price: nothing to normalise or balance")
        return _game_report(probabilities[0], odds[0], None if lay is None else lay[0], fraction, about)
    stakes = bet.kelly(
        probabilities, odds, lay=lay, fraction=fraction, normalise=normalise, unbalanced=unbalanced
    )
    wealth = bet.wealth_after(odds, stakes, lay=lay)
    growth = bet.growth(probabilities, odds, stakes, lay=lay, normalise=normalise)
    whole = sum(probabilities) if normalise else 1.0
    shares = [p / whole for p in probabilities]
    return stakes_report(shares, odds, stakes.tolist(), wealth.tolist(), float(growth), about)


def _game_report(
    probability: float, odds: float, lay: float | None, fraction: float, about: Mapping[str, Any]
) -> Report:
    stake = bet.kelly(probability, odds, lay=lay, fraction=fraction)
    wealth = bet.wealth_after(odds, stake, lay=lay)
    growth = bet.growth(probability, odds, stake, lay=lay)
    return game_report(probability, odds, float(stake), wealth.tolist(), float(growth), about)
