"""Adjusted p-values against statsmodels and against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no stubs

from edgeworth.comparing.families import benjamini_hochberg, holm
from edgeworth.errors import InputError

probabilities = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 0.5]), min_size=1, max_size=12)


@pytest.mark.parametrize("number", [1, 2, 5, 30, 190])
def test_statsmodels_agrees(number: int) -> None:
    rng = np.random.default_rng(number)
    for power in (1, 3):
        # Some of them tied.
        values = np.round(rng.random(number) ** power, 2)
        assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], rel=1e-12)
        assert benjamini_hochberg(values) == pytest.approx(
            multipletests(values, method="fdr_bh")[1], rel=1e-12
        )


@given(probabilities, st.integers(0, 12))
def test_a_test_without_a_p_value_is_none_of_the_family(values: list[float], place: int) -> None:
    place = min(place, len(values))
    with_gap = [*values[:place], math.nan, *values[place:]]
    for adjust in (holm, benjamini_hochberg):
        found = adjust(with_gap)
        assert math.isnan(found[place])
        assert np.array_equal(np.delete(found, place), adjust(values))


@given(probabilities)
def test_adjusting_keeps_the_order_and_only_raises(values: list[float]) -> None:
    order = np.argsort(values)
    for adjust in (holm, benjamini_hochberg):
        found = adjust(values)
        assert (found >= np.array(values)).all()
        assert (found <= 1).all()
        assert (np.diff(found[order]) >= 0).all()
    assert (holm(values) >= benjamini_hochberg(values) * (1 - 1e-12)).all()


def test_one_test_stays_as_it_is_and_none_stays_none() -> None:
    for adjust in (holm, benjamini_hochberg):
        assert adjust([0.03]).tolist() == [0.03]
        assert adjust([]).tolist() == []
        assert math.isnan(adjust([math.nan])[0])


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1; saw 1\.5"):
        holm([0.1, 1.5])
    with pytest.raises(InputError, match="in one row; saw 2 dimensions"):
        benjamini_hochberg(np.ones((2, 2)))
