"""Integers that all have one hash are counted in linear time as text, and refused as numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.core.labels import parse_labels
from edgeworth.errors import InputError
from edgeworth.sources.columns import MAX_LABELS_WITH_ONE_HASH, encode

MODULUS = 2**61 - 1
"""Python's hash of an integer is its remainder by this."""


class CountedInteger(int):
    """An integer that counts how often it is compared for equality."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedInteger.comparisons += 1
        return int(self) == other

    __hash__ = int.__hash__


@pytest.mark.parametrize("form", [int, Decimal, Fraction])
def test_a_flood_is_refused(form: Any) -> None:
    flood = np.array([form(number * MODULUS) for number in range(400)] * 2, dtype=object)
    with pytest.raises(InputError, match="truth holds more than 100 integers of more than 64 bits"):
        encode(flood, "truth")


def test_a_flood_is_refused_before_it_is_counted() -> None:
    flood = [CountedInteger(number * MODULUS) for number in range(1000)]
    CountedInteger.comparisons = 0
    dict.fromkeys(flood)
    assert CountedInteger.comparisons >= 1000 * 999 // 2
    CountedInteger.comparisons = 0
    with pytest.raises(InputError, match="same hash"):
        encode(np.array([0, *flood], dtype=object), "truth")
    assert CountedInteger.comparisons == 0


def test_in_a_file_they_are_text(tmp_path: Path) -> None:
    labels = [str(number * MODULUS) for number in range(400)]
    assert parse_labels(labels) == labels
    (tmp_path / "rows.csv").write_text("y,p\n" + "".join(f"{label},{label}\n" for label in labels))
    table = ew.tally(tmp_path / "rows.csv", truth="y", prediction="p").final
    assert set(table.labels) == set(labels)
    assert table.total == 400


def test_other_large_integers_are_numbers() -> None:
    few = [number * MODULUS for number in range(MAX_LABELS_WITH_ONE_HASH)]
    many = [2**70 + number for number in range(1000)]
    for numbers in (few, many):
        assert set(encode(np.array(numbers, dtype=object), "truth").labels) == set(numbers)
        assert parse_labels([str(number) for number in numbers]) == numbers
    assert encode(np.array([Decimal("NaN"), 1], dtype=object), "truth").labels == (1,)
