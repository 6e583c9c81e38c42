"""The bookmaker's table against a ledger: every case is one bet, settled by itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.errors import InputError, OptionError

Case = tuple[str, str]
LABELS = ("a", "b", "c")

# Two dozen cases, (predicted, real), in which every pair of labels occurs.
CASES: list[Case] = [
    *[("a", "a")] * 5,
    *[("a", "b")] * 2,
    *[("a", "c")] * 1,
    *[("b", "a")] * 1,
    *[("b", "b")] * 6,
    *[("b", "c")] * 2,
    *[("c", "a")] * 3,
    *[("c", "b")] * 1,
    *[("c", "c")] * 3,
]
HOUSES = [(0.0, 0.0), (0.05, 0.0), (0.0, 0.02), (0.1, 0.1), (-0.1, 0.0), (3.0, 0.5)]

many_cases = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30)


def table_of(cases: list[Case]) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_labels(
        [real for _, real in cases], [predicted for predicted, _ in cases], labels=list(LABELS)
    )


def net_of_a_unit(cases: list[Case], label: str, margin: float, commission: float) -> Fraction:
    """What a winning unit on a label brings besides itself; the house taxes gains, not losses."""
    share = Fraction(Counter(real for _, real in cases)[label], len(cases))
    net = 1 / (share * (1 + Fraction(margin))) - 1
    return net * (1 - Fraction(commission)) if net > 0 else net


def unit_ledger(cases: list[Case], margin: float, commission: float) -> Fraction:
    """The mean profit of one unit staked on every prediction."""
    won = (
        net_of_a_unit(cases, real, margin, commission) if predicted == real else -1
        for predicted, real in cases
    )
    return sum(won, Fraction(0)) / len(cases)


def track_ledger(cases: list[Case], pool: float, margin: float, commission: float) -> dict[Case, float]:
    """Dollars by (predicted, real) when pool times the label's share is staked on each prediction."""
    real = Counter(actual for _, actual in cases)
    ledger: dict[Case, float] = dict.fromkeys(((p, r) for p in LABELS for r in LABELS), 0.0)
    for predicted, actual in cases:
        stake = pool * real[predicted] / len(cases)
        gain = float(net_of_a_unit(cases, predicted, margin, commission)) if predicted == actual else -1.0
        ledger[predicted, actual] += stake * gain
    return ledger


@pytest.mark.parametrize(("margin", "commission"), HOUSES)
def test_unit_bets(margin: float, commission: float) -> None:
    played = ew.payoffs(table_of(CASES), overround=margin, commission=commission)
    expected = float(unit_ledger(CASES, margin, commission))
    assert played.unit_return == pytest.approx(expected, abs=1e-12)
    spelling = f"unit_return(overround={margin}, commission={commission})"
    assert ew.measure(table_of(CASES), spelling) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("margin", "commission"), HOUSES)
@pytest.mark.parametrize("pool", [1.0, 10.0, 100.0])
def test_dollars_at_the_track(pool: float, margin: float, commission: float) -> None:
    played = ew.payoffs(table_of(CASES), pool=pool, overround=margin, commission=commission)
    ledger = track_ledger(CASES, pool, margin, commission)
    np.testing.assert_allclose(played.track, [[ledger[p, r] for r in LABELS] for p in LABELS], atol=1e-9)
    won = sum(dollars for dollars in ledger.values() if dollars > 0)
    assert (played.won, played.net) == pytest.approx((won, sum(ledger.values())), abs=1e-9)
    assert played.lost == pytest.approx(won - sum(ledger.values()), abs=1e-9)


@given(many_cases)
def test_normalised_dollars(cases: list[Case]) -> None:
    """MATH A2, bet by bet: +1/r when the label comes in, −1/(1−r) when not, as a share of all cases."""
    real, predicted, n = Counter(r for _, r in cases), Counter(p for p, _ in cases), len(cases)
    played = ew.payoffs(table_of(cases), pool=10)
    total, priced = 0.0, False
    for row, label in enumerate(LABELS):
        if not 0 < real[label] < n:
            assert np.isnan(played.cells[row]).all()
            assert math.isnan(played.rows[row])
            continue
        share, priced = real[label] / n, priced or predicted[label] > 0
        bets = [1 / share if r == p else -1 / (1 - share) for p, r in cases if p == label]
        assert played.rows[row] == pytest.approx(10 * sum(bets) / n, abs=1e-9)
        total += predicted[label] / n * 10 * sum(bets) / n
    assert played.total == pytest.approx(total if priced else math.nan, abs=1e-9, nan_ok=True)
    assert played.total == pytest.approx(
        10 * ew.measure(table_of(cases), "informedness"), abs=1e-9, nan_ok=True
    )


@given(many_cases)
def test_the_edge_is_gone_at_the_break_even_margin(cases: list[Case]) -> None:
    margin = ew.payoffs(table_of(cases)).break_even_margin
    recall = {k: Fraction(cases.count((k, k)), sum(r == k for _, r in cases)) for k in {r for _, r in cases}}
    assert margin == pytest.approx(float(sum(recall.values())) - 1, abs=1e-12)
    assume(margin > -0.99)
    assert float(unit_ledger(cases, margin, 0.0)) == pytest.approx(0.0, abs=1e-9)


def test_the_edge_is_gone_at_the_break_even_commission() -> None:
    commission = ew.payoffs(table_of(CASES)).break_even_commission
    assert 0 < commission < 1
    assert float(unit_ledger(CASES, 0.0, commission)) == pytest.approx(0.0, abs=1e-12)
    # MATH A4: 1 − (1 − acc)/(Σ recall − acc), with recalls 5/9, 6/9, 3/6 and 14 of 24 right.
    by_hand = 1 - (1 - Fraction(14, 24)) / (
        Fraction(5, 9) + Fraction(6, 9) + Fraction(3, 6) - Fraction(14, 24)
    )
    assert commission == pytest.approx(float(by_hand), abs=1e-12)


# -- labels without odds ------------------------------------------------------------------------------------


def test_a_label_never_real_loses_its_stake_and_nothing_else() -> None:
    """Four bets on c, which never comes in: a unit each is lost, the other labels keep their dollars."""
    cases = [("a", "a")] * 5 + [("a", "b")] * 1 + [("b", "b")] * 4 + [("b", "a")] * 2 + [("c", "a")] * 4
    played = ew.payoffs(table_of(cases))
    assert np.isnan(played.odds).tolist() == [False, False, True]
    assert np.isnan(played.cells).tolist() == [[False] * 3, [False] * 3, [True] * 3]
    assert played.unit_return == pytest.approx(float(unit_ledger(cases, 0.0, 0.0)), abs=1e-12)
    a, b = 5 / 11 - 1 / 5, 4 / 5 - 2 / 11
    np.testing.assert_allclose(played.rows[:2], [10 * a, 10 * b], atol=1e-12)
    assert played.total == pytest.approx(10 * (6 * a + 6 * b) / 16, abs=1e-12)
    np.testing.assert_allclose(played.columns, np.nansum(played.cells, axis=0), atol=1e-12)


def test_a_single_real_class_has_no_odds_and_no_dollars() -> None:
    """Nothing can be bet, so nothing was won, lost or netted: undefined, not $0.00."""
    played = ew.payoffs(table_of([("a", "a")] * 3 + [("b", "a")] * 2))
    assert np.isnan(played.odds).all()
    dollars = {name: getattr(played, name) for name in ("total", "won", "lost", "net")}
    assert all(math.isnan(value) for value in dollars.values()), dollars
    assert np.isnan(played.columns).all()
    plain = json.loads(json.dumps(played.to_dict(), allow_nan=False))
    assert plain["total"] is None
    assert plain["odds"] == [None, None, None]


def test_plain_values_are_those_of_the_table() -> None:
    played = ew.payoffs(table_of(CASES), pool=5, overround=0.1, commission=0.2)
    plain = json.loads(json.dumps(played.to_dict(), allow_nan=False))
    assert plain["labels"] == list(LABELS)
    assert (plain["pool"], plain["margin"], plain["commission"]) == (5, 0.1, 0.2)
    assert plain["cells"] == played.cells.tolist()
    assert plain["total"] == played.total


# -- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", [0, -1, math.nan, math.inf])
def test_a_pool_is_an_amount(pool: float) -> None:
    with pytest.raises(OptionError, match="pool"):
        ew.payoffs(table_of(CASES), pool=pool)


@pytest.mark.parametrize("margin", [-1, -2, math.nan, math.inf])
def test_a_margin_leaves_a_price(margin: float) -> None:
    with pytest.raises(OptionError, match="margin"):
        ew.payoffs(table_of(CASES), overround=margin)
    with pytest.raises(OptionError, match="margin"):
        ew.payoffs(table_of(CASES), overround=margin)


@pytest.mark.parametrize("commission", [-0.01, 1.01, math.nan])
def test_a_commission_is_a_share(commission: float) -> None:
    with pytest.raises(OptionError, match="commission"):
        ew.payoffs(table_of(CASES), commission=commission)


def test_no_cases_no_bets() -> None:
    with pytest.raises(InputError, match="no cases"):
        ew.payoffs(ew.ContingencyTable.empty())
