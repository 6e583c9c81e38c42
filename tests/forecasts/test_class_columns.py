"""Columns told by their names: whatever stands before or after the class, and what is in doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.forecasts.class_columns import labels_of_columns, refusal, without_column
from edgeworth.sources.columns import encode


@pytest.mark.parametrize(
    ("names", "labels", "expected"),
    [
        (["p_cat", "p_cow"], ["cat", "cow"], ["cat", "cow"]),
        (["q_cow", "q_cat"], ["cat", "cow"], ["cow", "cat"]),
        (["p_cat", "p_cow", "p_cod"], ["cow", "cat"], ["cat", "cow", "cod"]),
        (["cat", "cow"], ["cat", "cow"], ["cat", "cow"]),
        (["cat_p", "rat_p"], ["rat", "cat"], ["cat", "rat"]),
        (["p(bat)", "p(cat)"], ["cat", "bat"], ["bat", "cat"]),
        (["p_10", "p_11", "p_12"], [10, 11, 12], [10, 11, 12]),
        (["p_2", "p_0", "p_1"], [0, 1], [2, 0, 1]),
        (["p_true", "p_false"], [False, True], [True, False]),
        ([1, 0], [0, 1], [1, 0]),
        # Class 1 is the column p_1: what is left of a name is never nothing.
        (["p_1", "p_11"], [1], [1, 11]),
        (["x", "y"], ["cat", "cow"], None),
        (["p_a", "p_b", "p_c"], ["a", "b", "d"], None),
        (["p", "p"], ["p"], None),
        (["p_a", "p_b"], [], None),
    ],
)
def test_names(names: list[Any], labels: list[Any], expected: list[Any] | None) -> None:
    result = labels_of_columns(names, labels)
    assert result == expected
    assert expected is None or list(map(type, result or [])) == list(map(type, expected))


def test_names_that_can_be_read_in_two_ways_tell_nothing() -> None:
    """As they stand the first column is called aba; without the letter that both begin with, the second."""
    assert labels_of_columns(["aba", "aaba"], ["aba"]) is None
    assert labels_of_columns(["aba", "aaba"], ["aba", "aaba"]) == ["aba", "aaba"]


WORDS = st.text(alphabet="abc_1", max_size=3)


@given(
    labels=st.lists(st.text(alphabet="abc1", min_size=1, max_size=4), min_size=2, max_size=5, unique=True),
    before=WORDS,
    after=WORDS,
    random=st.randoms(use_true_random=False),
)
def test_any_letters_around_the_classes_and_any_order_of_columns(
    labels: list[str], before: str, after: str, random: Any
) -> None:
    classes = labels.copy()
    random.shuffle(classes)
    assert labels_of_columns([before + label + after for label in classes], labels) == classes


def test_the_class_without_a_column_is_named_with_its_row() -> None:
    names = ["p_a", "p_b", "p_c"]
    assert without_column(names, ["a", "b", "d"]) == ["d"]
    assert without_column(names, ["x", "y"]) == ["x", "y"]
    truth = encode(np.array(["a", "b", "d", "d"], dtype=object), "truth")
    text = str(refusal(names, truth, first_row=11))
    assert "3 columns, p_a, p_b, p_c, are not named after the classes 'a', 'b', 'd'" in text
    assert "truth is 'd' in row 13" in text
