"""What to stake now on games that are open at the same time, from a bankroll."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.bet.joint_kelly import Rounds, expected_growth, joint_stakes
from edgeworth.bet.odds import check_commission
from edgeworth.bet.validation import check_fraction, check_odds, check_shares
from edgeworth.common.arrays import PROBABILITY_SUM_TOLERANCE, Floats
from edgeworth.core.formatting import format_dollars, format_number, format_percent, plural
from edgeworth.core.labels import list_labels
from edgeworth.core.row_reading import read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.report.report import Grid, Report, Section, make_columns, make_provenance
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.sources.batches import known_columns
from edgeworth.sources.opening import open_source

MAX_USUAL_EXPECTED_RETURN = 2.0
"""A bet that returns more than this per unit on average has wrong odds or a wrong probability, as a rule."""


@dataclass(frozen=True, eq=False)
class StakePlan:
    """Stakes on the outcomes of games, in money."""

    games: tuple[str, ...]
    outcomes: tuple[str, ...]
    probabilities: Floats
    odds: Floats
    stakes: Floats
    bankroll: float
    growth: float
    """The expected growth of the bankroll's logarithm, in nats."""
    largest_loss: float
    """What is lost if every game ends in the outcome that returns least."""

    @property
    def total(self) -> float:
        """The sum of all stakes."""
        return float(self.stakes.sum())

    @property
    def expected_profit(self) -> float:
        """The mean profit, if the probabilities are right."""
        return float(self.stakes @ (self.probabilities * self.odds - 1))


def plan_stakes(
    games: tuple[str, ...],
    outcomes: tuple[str, ...],
    probabilities: Floats,
    odds: Floats,
    *,
    bankroll: float,
    fraction: float = 1.0,
    commission: float = 0.0,
) -> StakePlan:
    """Divide a bankroll over all bets at once: a fraction of Kelly's joint stakes on independent games.

    >>> plan = plan_stakes(
    ...     ("a", "b"), ("win", "win"), np.array([0.6, 0.6]), np.array([2.0, 2.0]), bankroll=260.0
    ... )
    >>> plan.stakes.round(4).tolist(), round(plan.largest_loss, 4)
    ([50.0, 50.0], 100.0)
    """
    check_fraction(fraction)
    check_commission(commission)
    if not 0 < bankroll < math.inf:
        raise OptionError(f"the bankroll is a sum of money above 0; saw {bankroll!r}")
    net = 1 + (odds - 1) * (1 - commission)
    names = list(dict.fromkeys(games))
    rows = [[row for row, game in enumerate(games) if game == name] for name in names]
    most = max(map(len, rows))
    # The last outcome is all outcomes that are not listed.
    chances, returns = np.zeros((len(names), most + 1)), np.zeros((len(names), most + 1, most))
    for number, (name, own) in enumerate(zip(names, rows, strict=True)):
        listed = [outcomes[row] for row in own]
        if len(set(listed)) < len(listed):
            raise InputError(f"{name}: an outcome is listed twice ({list_labels(listed)})")
        total = float(probabilities[own].sum())
        if total > 1 + PROBABILITY_SUM_TOLERANCE:
            raise InputError(f"{name}: the probabilities add up to {total:.6g}, more than 1")
        chances[number, : len(own)] = probabilities[own]
        chances[number, most] = max(0.0, 1 - total) if total < 1 - PROBABILITY_SUM_TOLERANCE else 0.0
        chances[number] /= chances[number].sum()
        returns[number, range(len(own)), range(len(own))] = net[own]
    shares = fraction * joint_stakes(chances, returns, np.zeros(len(names), dtype=np.intp))[0]
    growth = float(expected_growth(Rounds(chances[None], returns[None]), shares[None])[0])
    returned = (returns @ shares[..., None])[..., 0]
    # A listed outcome can happen even with probability 0, and the only listed one can fail to happen.
    can_happen = chances > 0
    for number, own in enumerate(rows):
        can_happen[number, : len(own)] = True
        can_happen[number, most] |= len(own) == 1
    least = np.where(can_happen, returned, np.inf).min(axis=1)
    stakes = np.zeros(len(games))
    for number, own in enumerate(rows):
        stakes[own] = bankroll * shares[number, : len(own)]
    loss = bankroll * float(shares.sum() - least.sum())
    return StakePlan(games, outcomes, probabilities, net, stakes, bankroll, growth, loss)


def report_stakes(
    data: object,
    *,
    bankroll: float,
    fraction: float = 1.0,
    commission: float = 0.0,
    game: str = "game",
    outcome: str = "outcome",
    probability: str = "probability",
    odds: str = "odds",
) -> Report:
    """Report what to stake on a file of fixtures: game, outcome, probability and odds in each row."""
    source = open_source(data)
    names = known_columns(source) or ()
    missing = [name for name in (game, outcome, probability, odds) if names and name not in names]
    if missing:
        raise InputError(
            f"{source.name} has no {plural(len(missing), 'column')} {list_labels(missing)}. A file of "
            "fixtures has one row per outcome, with the columns game, outcome, probability and odds; pass "
            "--game, --outcome, --probability or --odds if they have other names. Its columns are "
            f"{list_labels(names)}"
        )
    read = read_whole(source, [game, outcome], [probability, odds])
    if not len(read.numbers[odds]):
        raise InputError(f"{read.name} has no rows")
    games, outcomes = (
        tuple(str(coded.labels[code]) for code in coded.codes.tolist())
        for coded in (read.labels[game], read.labels[outcome])
    )
    if not 0 < fraction <= 1:
        raise OptionError(
            f"the fraction of the Kelly stakes must be above 0, and at most 1; saw {fraction!r}"
        )
    shares, prices = (read.numbers[name][:, None] for name in (probability, odds))
    for name, values in ((probability, shares), (odds, prices)):
        if np.isnan(values).any():
            row = int(np.argmax(np.isnan(values))) + 1
            raise InputError(f"{name} is missing in row {row:,}: fill it in, or leave out the row")
    check_shares(shares, "probabilities", outcomes=[probability])
    check_odds(prices, outcomes=[odds])
    plan = plan_stakes(
        games,
        outcomes,
        shares[:, 0],
        prices[:, 0],
        bankroll=bankroll,
        fraction=fraction,
        commission=commission,
    )
    known = {
        "source": read.name,
        "bankroll": bankroll,
        "fraction": fraction,
        "commission": commission or None,
    }
    return _compose(plan, make_provenance(**known))


def _warn_of_returns(plan: StakePlan) -> tuple[str, ...]:
    """Warn of an outcome whose expected return is too good to be true."""
    expected = plan.probabilities * plan.odds
    row = int(np.argmax(expected))
    if expected[row] <= MAX_USUAL_EXPECTED_RETURN:
        return ()
    return (
        f"{plan.outcomes[row]} in {plan.games[row]} has probability {plan.probabilities[row]:.4g} at net "
        f"odds of {plan.odds[row]:.6g}: each unit staked returns {format_number(float(expected[row]))} on "
        "average. Check the probability, and that the odds are decimal.",
    )


def _describe_loss(plan: StakePlan) -> str:
    if plan.largest_loss <= 0:
        return "no result loses money, which odds rarely allow: check them"
    return f"the largest possible loss is {format_dollars(plan.largest_loss)}"


def _describe_hedges(plan: StakePlan) -> tuple[str, ...]:
    """Explain the stakes on outcomes that have no value by themselves."""
    hedges = np.flatnonzero((plan.stakes > 0) & (plan.probabilities * plan.odds <= 1)).tolist()
    if not hedges:
        return ()
    if len(hedges) > 1:
        text = (
            f"{len(hedges):,} of the bets are hedges: by themselves they have no value (probability × net "
            "odds at most 1), but they pay when the other bets on their game lose."
        )
        return (text,)
    outcome, game = plan.outcomes[hedges[0]], plan.games[hedges[0]]
    probability, odds = float(plan.probabilities[hedges[0]]), float(plan.odds[hedges[0]])
    product = f"{probability:.4g} × {odds:.4g}"
    text = (
        f"The bet on {outcome} in {game} is a hedge: by itself it has no value ({product} = "
        f"{format_number(probability * odds)}, not above 1), but it pays when the other bets on the game "
        "lose."
    )
    return (text,)


def _compose(plan: StakePlan, provenance: dict[str, object]) -> Report:
    placed = np.flatnonzero(plan.stakes > 0)
    games, with_bets = len(set(plan.games)), len({plan.games[row] for row in placed.tolist()})
    number = f"{games:,}" if with_bets == games else f"{with_bets:,} of {games:,}"
    staked = dict.fromkeys(plan.games, 0.0)
    for row in placed.tolist():
        staked[plan.games[row]] += float(plan.stakes[row])
    rows = tuple(
        (
            plan.games[row],
            plan.outcomes[row],
            float(plan.probabilities[row]),
            float(plan.odds[row]),
            float(plan.stakes[row]),
            float(plan.stakes[row] * plan.odds[row] - staked[plan.games[row]]),
        )
        for row in placed[np.argsort(-plan.stakes[placed], kind="stable")].tolist()
    )
    heads = ("game/text", "outcome/text", "probability/percent", "net odds", "stake/dollars")
    if rows:
        text = (
            f"Stake {format_dollars(plan.total)} of {format_dollars(plan.bankroll)} on {len(rows):,} "
            f"{plural(len(rows), 'bet')} in {number} {plural(games, 'game')}. The bankroll is expected to "
            f"grow by {format_percent(math.expm1(plan.growth), 2)}; {_describe_loss(plan)}."
        )
    else:
        text = f"Stake nothing: no outcome of {games:,} {plural(games, 'game')} is worth its price."
    numbers = {
        "kind": "stakes",
        "bankroll": plan.bankroll,
        "total": plan.total,
        "expected_log_growth": plan.growth,
        "expected_profit": plan.expected_profit,
        "largest_loss": plan.largest_loss,
        "bets": [
            {"game": x, "outcome": y, "probability": p, "net_odds": o, "stake": s}
            for x, y, p, o, s in zip(
                plan.games,
                plan.outcomes,
                plan.probabilities.tolist(),
                plan.odds.tolist(),
                plan.stakes.tolist(),
                strict=True,
            )
        ],
    }
    note = (
        "game's profit: of all bets on the game, if this outcome happens; the games are taken as "
        "independent; outcomes without a stake are left out, and JSON has all"
    )
    columns = make_columns(*heads, "game's profit/dollars")
    section = Section(
        "Stakes", _describe_hedges(plan), (Grid("", columns, rows, note),) if rows else (), is_main=True
    )
    claim = Claim("stakes", text, "advised", {"total": plan.total, "growth": plan.growth})
    return Report(Verdict([claim]), (section,), _warn_of_returns(plan), provenance, numbers)
