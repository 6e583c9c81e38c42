"""One form and one order for labels, and what is read from text."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from edgeworth import ContingencyTable
from edgeworth.core.labels import (
    canonical_label,
    canonical_order,
    find_label,
    looks_missing,
    merge_labels,
    parse_labels,
)
from edgeworth.errors import InputError


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (np.int8(3), "3"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.float64(2.0), "2"),
        (2.5, "2.5"),
        (-0.0, "0"),
        (1e22, "10000000000000000000000"),
        (float("inf"), "inf"),
        (np.bool_(True), "True"),
        (True, "True"),
        (b"spam", "'spam'"),
        (b"\xff", r"'\\xff'"),
        (np.str_("spam"), "'spam'"),
        ("1", "'1'"),
        (("a", 1), "('a', 1)"),
    ],
)
def test_one_form_a_value(given: Any, written: str) -> None:
    assert repr(canonical_label(given)) == written


def test_the_order_does_not_depend_on_the_order_of_arrival() -> None:
    labels = ["b", 10, 9, "a", 2.5, ("t", 1), -3]
    orders = {canonical_order(arrival) for arrival in itertools.permutations(labels)}
    assert orders == {(-3, 2.5, 9, 10, "a", "b", ("t", 1))}


def test_numbers_are_ordered_by_size_and_text_as_text() -> None:
    assert canonical_order([10, 9, 2.5]) == (2.5, 9, 10)
    assert canonical_order(["10", "9"]) == ("10", "9")
    assert canonical_order([2**64, 2**64 + 1, 2.0**64, 0.5]) == (0.5, 2**64, 2**64 + 1)


@pytest.mark.parametrize("arrival", [[True, 1, 5], [1, True, 5], [5, True, 1], [5, 1, True]])
def test_true_becomes_one_as_soon_as_a_number_is_there(arrival: list[Any]) -> None:
    assert list(map(repr, canonical_order(arrival))) == ["1", "5"]


def test_booleans_among_themselves_and_text_stay_booleans() -> None:
    assert list(map(repr, canonical_order([True, "a", False]))) == ["False", "True", "'a'"]


def test_union_keeps_a_common_order_and_otherwise_sorts() -> None:
    assert merge_labels(("b", "a"), ("b", "a")) == ("b", "a")
    assert merge_labels(("b", "a"), ("a", "b")) == ("a", "b")
    assert merge_labels((), ("b", "a")) == ("b", "a")
    assert merge_labels(("b", "a"), ()) == ("b", "a")
    assert merge_labels(("b", "a"), ("c",)) == ("a", "b", "c")
    assert list(map(repr, merge_labels((True,), (1,)))) == ["1"]


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "0"], "[1, 0]"),
        (["1.0", "0.0"], "[1, 0]"),
        (["-1", "2.50"], "[-1, 2.5]"),
        (["-0", "1"], "[0, 1]"),
        (["9007199254740993", "1"], "[9007199254740993, 1]"),
        (["9007199254740993.0", "1"], "[9007199254740993, 1]"),
        (["007", "1"], "['007', '1']"),
        (["1", "x"], "['1', 'x']"),
        (["1e5", "1"], "['1e5', '1']"),
        (["nan", "1"], "['nan', '1']"),
        (["inf", "1"], "['inf', '1']"),
        (["1,5", "1"], "['1,5', '1']"),
        (["true", "FALSE"], "[True, False]"),
        (["true", "maybe"], "['true', 'maybe']"),
        (["True", "1"], "['True', '1']"),
        (["", "1"], "['', '1']"),
        (["１", "2"], "['１', '2']"),
        ([], "[]"),
    ],
)
def test_numbers_and_booleans_are_recognised_only_when_all_labels_are(texts: list[str], labels: str) -> None:
    assert repr(parse_labels(texts)) == labels


def test_a_label_is_found_as_itself_before_as_it_is_written() -> None:
    assert find_label("1", ("1", 1)) == 0
    assert find_label(1, ("1", 1)) == 1
    assert find_label("2", (1, 2)) == 1
    assert find_label(2.0, (1, 2)) == 1
    assert find_label(b"a", ("a",)) == 0


def test_an_unknown_label_names_the_near_misses() -> None:
    with pytest.raises(InputError, match=r"no label 'spma'; the labels are ham, spam$"):
        find_label("spma", ("ham", "spam"))
    with pytest.raises(InputError, match="the first labels are 0, 1, 2, 3, 4, 5, 6, 7, …"):
        find_label("zebra", tuple(range(20)))


def test_text_that_looks_missing() -> None:
    assert all(looks_missing(text) for text in ("NA", "n/a", "NaN", "null", " none ", ""))
    assert not any(looks_missing(label) for label in ("Namibia", "no", 0, False))


def test_a_table_has_canonical_labels_whatever_comes_first() -> None:
    truth = ["b", 10, 9, "a", 2.5]
    for arrival in itertools.permutations(truth):
        assert ContingencyTable.from_labels(arrival, arrival).labels == (2.5, 9, 10, "a", "b")
