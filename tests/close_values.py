"""Tallies as plain values, beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def assert_close(one: Any, two: Any) -> None:
    """The same, floats to 1e-12."""
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for name in one:
            assert_close(one[name], two[name])
    elif isinstance(one, list):
        assert len(one) == len(two)
        numbers = _as_numbers(one)
        if numbers is not None:
            np.testing.assert_allclose(numbers, np.array(two, float), rtol=1e-12, atol=1e-12)
            return
        for mine, its in zip(one, two, strict=True):
            assert_close(mine, its)
    elif isinstance(one, float) and isinstance(two, float):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)
    else:
        assert one == two


def _as_numbers(values: list[Any]) -> NDArray[np.float64] | None:
    """Numbers in rows of equal length, infinite ones as text among them; None where they are not."""
    try:
        return np.array(values, float)
    except (TypeError, ValueError):
        return None
