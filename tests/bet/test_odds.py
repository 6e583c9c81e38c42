"""Odds: fair to both sides, or with a house's margin."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.bet import decimal_odds, fair_odds, house_odds
from edgeworth.common.choices import OddsForm
from edgeworth.errors import InputError, OptionError

shares = st.floats(1e-9, 1 - 1e-9)


def test_the_horse_of_the_poster() -> None:
    """Powers' poster: 30 wins in 100 starts are odds of 7:3, so $3 return $10 in all."""
    assert fair_odds([0.3, 0.7]).tolist() == pytest.approx([10 / 3, 10 / 7], rel=1e-15)


@given(shares)
def test_fair_odds_are_worth_nothing_to_either_side(share: float) -> None:
    odds = float(fair_odds([share])[0])
    assert share * (odds - 1) - (1 - share) == pytest.approx(0.0, abs=1e-12)


@given(shares, st.floats(-0.9, 10))
def test_a_house_keeps_its_margin_of_every_unit(share: float, margin: float) -> None:
    """A unit returns share · odds = 1/(1 + v) on average, so the house keeps v/(1 + v)."""
    odds = float(house_odds([share], margin)[0])
    assert 1 - share * odds == pytest.approx(margin / (1 + margin), abs=1e-12)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.floats(-0.5, 1))
def test_the_over_round_of_a_book(sizes: list[int], margin: float) -> None:
    """What the odds imply adds up to one and the margin: that is what over-round means."""
    prices = house_odds([size / sum(sizes) for size in sizes], margin)
    assert float((1 / prices).sum()) == pytest.approx(1 + margin, rel=1e-12)


def test_no_margin_is_fair() -> None:
    np.testing.assert_array_equal(house_odds([0.2, 0.8]), fair_odds([0.2, 0.8]))


def test_nothing_to_win_or_nothing_to_lose_has_no_odds() -> None:
    assert np.isnan(fair_odds([0.0, 1.0])).all()
    assert np.isnan(house_odds([0.0, 1.0], 0.05)).all()


def test_the_shape_is_kept() -> None:
    assert fair_odds(0.25).shape == ()
    assert float(fair_odds(0.25)) == 4.0
    assert fair_odds([[0.25, 0.75], [0.5, 0.5]]).shape == (2, 2)
    assert fair_odds([]).shape == (0,)


def test_the_input_is_left_alone() -> None:
    given_shares = np.array([0.25, 0.75])
    fair_odds(given_shares)
    assert given_shares.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf, -math.inf])
def test_a_share_lies_between_0_and_1(bad: float) -> None:
    with pytest.raises(InputError, match=f"between 0 and 1; saw {bad}"):
        fair_odds([0.5, bad])
    with pytest.raises(InputError, match="between 0 and 1"):
        house_odds([bad], 0.1)


@pytest.mark.parametrize("shares", [["half"], "half", [[0.5], [0.2, 0.3]]])
def test_shares_are_numbers(shares: object) -> None:
    with pytest.raises(InputError, match="shares"):
        fair_odds(shares)


@pytest.mark.parametrize("margin", [-1, -1.5, math.nan, math.inf, -math.inf])
def test_a_margin_leaves_a_price(margin: float) -> None:
    with pytest.raises(OptionError, match="margin"):
        house_odds([0.5, 0.5], margin)


@pytest.mark.parametrize("form", ["decimal", "american", "fractional", "probability"])
@pytest.mark.parametrize(
    "odds",
    ["1e320", "1e999", "1e999999999", "1e-999999999", "1e99999999999999999999", Decimal("1e999999999")],
)
def test_odds_that_no_float_holds_are_refused_at_once(odds: object, form: OddsForm) -> None:
    """As fractions, powers of ten without limit take minutes and gigabytes."""
    with pytest.raises(InputError, match=r"saw|too large"):
        decimal_odds([odds], form=form)


@pytest.mark.parametrize(
    ("text", "price"),
    [("2.50", 2.5), (" 1.1 ", 1.1), ("1_000", 1000.0), ("1e2", 100.0), (Decimal("2.25"), 2.25)],
)
def test_decimal_odds_are_read_as_they_are_written(text: object, price: float) -> None:
    assert decimal_odds([text], form="decimal").tolist() == [price]
