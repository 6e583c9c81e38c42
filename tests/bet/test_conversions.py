"""Decimal, fractional, American odds and implied probability, read exactly."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.bet import decimal_odds
from edgeworth.errors import InputError, OptionError

TABLE = [  # decimal, fractional, American, implied probability: as bookmakers print them
    (3.5, "5/2", 250, Fraction(2, 7)),
    (2.0, "1/1", 100, Fraction(1, 2)),
    (1.5, "1/2", -200, Fraction(2, 3)),
    (2.5, "3/2", 150, Fraction(2, 5)),
    (2.625, "13/8", 162.5, Fraction(8, 21)),
    (1.8, "4/5", -125, Fraction(5, 9)),
    (21.0, "20/1", 2000, Fraction(1, 21)),
    (1.01, "1/100", -10000, Fraction(100, 101)),
]


@pytest.mark.parametrize(("decimal", "fraction", "american", "probability"), TABLE)
def test_the_four_ways_to_say_a_price(
    decimal: float, fraction: str, american: float, probability: Fraction
) -> None:
    for value, form in (
        (decimal, "decimal"),
        (fraction, "fractional"),
        (american, "american"),
        (probability, "probability"),
        (np.array(decimal), "decimal"),
        (np.array(american), "american"),
        (np.array(float(probability)), "probability"),
    ):
        assert float(decimal_odds(value, form=form)) == pytest.approx(decimal, rel=1e-14)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_fractions_are_read_exactly(net: Fraction) -> None:
    american = 100 * net if net >= 1 else -100 / net
    for value, form in (
        (net, "fractional"),
        (net + 1, "decimal"),
        (american, "american"),
        (1 / (1 + net), "probability"),
    ):
        assert float(decimal_odds(value, form=form)) == float(net + 1)


def test_what_is_written_is_what_is_meant() -> None:
    assert decimal_odds(["5/2", "evens", " 4/6 ", "2.5"], form="fractional").tolist() == [
        3.5,
        2.0,
        5 / 3,
        3.5,
    ]
    assert decimal_odds(["+150", "-200", "−200"], form="american").tolist() == [2.5, 1.5, 1.5]
    assert float(decimal_odds(Decimal("0.91"), form="fractional")) == 1.91
    assert float(decimal_odds(-100, form="american")) == float(decimal_odds(100, form="american")) == 2.0
    assert decimal_odds([[1, 2], [3, 4]], form="fractional").tolist() == [[2, 3], [4, 5]]
    assert decimal_odds(np.empty(0), form="decimal").shape == (0,)


@pytest.mark.parametrize(
    ("value", "form", "needed"),
    [
        (1.0, "decimal", "decimal odds are finite and above 1; saw 1.0"),
        (math.inf, "decimal", "decimal odds are finite and above 1; saw inf"),
        (math.nan, "decimal", "decimal odds are finite and above 1; saw nan"),
        ("5/0", "fractional", "fractional odds are above 0, like 5/2; saw '5/0'"),
        ("0/5", "fractional", "fractional odds are above 0, like 5/2; saw '0/5'"),
        ("5/2", "decimal", "decimal odds are finite and above 1; saw '5/2'"),
        ("five to two", "fractional", "saw 'five to two'"),
        (50, "american", "at least [+]100 or at most -100; saw 50"),
        (1.0, "probability", "an implied probability lies between 0 and 1; saw 1.0"),
        (0, "probability", "an implied probability lies between 0 and 1; saw 0"),
        (None, "decimal", "saw None"),
        (True, "american", "saw True"),
        ([2.0, 0.5], "decimal", "saw 0.5 in position 2"),
        (np.array([2.0, math.nan]), "decimal", "saw nan in position 2"),
        (np.array([[150, -99]]), "american", "saw -99 in row 1, column 2"),
        (np.array(math.inf), "fractional", "saw inf"),
    ],
)
def test_what_is_no_price_is_named(value: object, form: str, needed: str) -> None:
    with pytest.raises(InputError, match=needed):
        decimal_odds(value, form=form)


def test_the_forms_are_four() -> None:
    with pytest.raises(OptionError, match="decimal, fractional, american, probability; saw 'hongkong'"):
        decimal_odds(2.0, form="hongkong")
