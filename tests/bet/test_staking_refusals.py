"""What kelly and its companions refuse, in sentences that say where."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edgeworth.bet import game_factors, growth, kelly, wealth_after
from edgeworth.errors import InputError, OptionError


@pytest.mark.parametrize("bad", [1.0, 0.5, -2.0, math.nan, math.inf])
def test_odds_that_are_none_are_named_with_their_place(bad: float) -> None:
    with pytest.raises(
        InputError, match=f"odds must be decimal odds, finite and above 1; saw {bad:.9g} in row 2, column 3"
    ):
        kelly([[0.2, 0.3, 0.5]] * 2, [[4, 4, 4], [4, 4, bad]])
    with pytest.raises(InputError, match=f"odds .* saw {bad:.9g}"):
        kelly(0.5, bad)


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.nan, math.inf])
def test_probabilities_that_are_none_are_named_with_their_place(bad: float) -> None:
    with pytest.raises(InputError, match=f"between 0 and 1; saw {bad:.9g} in row 2, column 1"):
        kelly([[0.5, 0.5], [bad, 0.5]], [2.5, 2.5])


def test_rows_must_add_up_to_one() -> None:
    with pytest.raises(InputError, match=r"row 2 adds up to 0\.9$"):
        kelly([[0.5, 0.5], [0.5, 0.4]], [2.5, 2.5])
    with pytest.raises(InputError, match="within 1e-06; normalise divides"):
        kelly([0.5, 0.4], [2.5, 2.5])
    np.testing.assert_allclose(
        kelly([5 / 9, 4 / 9], [2.5, 2.4]), kelly([0.5, 0.4], [2.5, 2.4], normalise=True)
    )
    with pytest.raises(InputError, match="something to normalise"):
        kelly([0.0, 0.0], [2.5, 2.5], normalise=True)
    kelly([0.333333, 0.333333, 0.333334], [3, 3, 3])


@pytest.mark.parametrize(
    ("p", "odds"),
    [([0.5, 0.5], [2, 3, 4]), ([0.5, 0.5], 2.0), (0.5, [2, 3]), ([[[0.5, 0.5]]], [2, 3]), ([], [])],
)
def test_shapes_that_do_not_fit_are_named(p: object, odds: object) -> None:
    with pytest.raises(InputError, match="saw the shapes"):
        kelly(p, odds)


def test_other_refusals() -> None:
    with pytest.raises(InputError, match="at least two outcomes"):
        kelly([1.0], [2.0])
    for text in (["half", "half"], "half", [[0.5], [0.2, 0.3]]):
        with pytest.raises(InputError, match="must be numbers"):
            kelly(text, [2, 2])
    for fraction in (-0.1, 1.5, math.nan, "half"):
        with pytest.raises(OptionError, match="fraction"):
            kelly(0.5, 2.0, fraction=fraction)
    with pytest.raises(InputError, match="True or False"):
        game_factors(0.5, 2.0, outcome=2)
    with pytest.raises(InputError, match="lose more than the wealth"):
        growth([0.5, 0.5], [1.5, 2], [0.1, 1.5])
    with pytest.raises(InputError, match="shape"):
        growth([0.5, 0.5], [2, 2, 3], [0.1, 0.1, 0.1])
    with pytest.raises(InputError, match="stakes must be finite"):
        wealth_after([2, 2], [math.nan, 0])
