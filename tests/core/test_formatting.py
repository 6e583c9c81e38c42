"""Numbers as people read them: one rule, and nothing that reads as what it is not."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edgeworth.core.formatting import (
    MINUS,
    digits_shown,
    format_apart,
    format_belief,
    format_bound,
    format_count,
    format_interval,
    format_money,
    format_number,
    format_p_value,
    format_percent,
    format_probability,
    format_rounded,
    format_together,
    format_wealth,
)
from edgeworth.errors import OptionError
from edgeworth.report.report import Grid, make_columns
from edgeworth.report.wording import format_cell, format_rows

PLAIN = re.compile(r"[0-9]{1,3}(,[0-9]{3})*|[0-9,]*\.[0-9]+|[0-9](\.[0-9])?e-?[1-9][0-9]*")


def read_back(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", ""))


@given(st.floats(min_value=-1e300, max_value=1e300))
def test_a_number_reads_back_to_two_digits_and_never_as_nothing(value: float) -> None:
    text = format_number(value)
    if abs(value) < 1e-12:
        assert text == "0"
        return
    assert PLAIN.fullmatch(text.removeprefix(MINUS))
    assert not text.removeprefix(MINUS).startswith(".")
    assert math.isclose(read_back(text), value, rel_tol=0.0501)
    if 1e-4 <= abs(value) < 1:
        assert abs(read_back(text) - value) <= 0.00050001
    if abs(value) >= 1:
        assert math.isclose(read_back(text), value, rel_tol=0.00501 if abs(value) < 1e9 else 0.0501)


@given(st.floats(min_value=0, max_value=1))
def test_a_probability_is_0_or_1_only_where_it_is(value: float) -> None:
    text = format_probability(value)
    assert (text == "0") == (value == 0)
    assert (text == "1") == (value == 1)
    assert not re.fullmatch(r"0?\.0+|1\.0+", text)
    if text[0] in "<>":
        bound = float(text[2:])
        assert value < bound if text[0] == "<" else value > bound


near_0_or_1 = st.builds(
    lambda at, exponent, size: at + size * 10.0**exponent,
    st.sampled_from([0.0, 1.0]),
    st.integers(min_value=-11, max_value=-1),
    st.floats(min_value=-9.0, max_value=9.0).filter(lambda size: abs(size) >= 1),
)


@given(near_0_or_1, st.sampled_from([0.0, 0.5, 1.0]))
def test_what_is_close_to_0_or_1_is_not_written_as_that(value: float, other: float) -> None:
    percent = read_back(format_percent(value, 1).removesuffix("%")) / 100
    together = [read_back(text) for text in format_together(value, min(value, other), max(value, other))]
    assert not {read_back(format_number(value)), percent, together[0]} & {0.0, 1.0}
    assert (together[1] == 0, together[1] == 1) == (min(value, other) == 0, min(value, other) == 1)
    assert (together[2] == 0, together[2] == 1) == (max(value, other) == 0, max(value, other) == 1)
    assert math.isclose(percent, value, abs_tol=0.00050001)


def test_other_whole_numbers_keep_their_decimals() -> None:
    assert format_together(2.0, 1.9, 3.0) == ["2.00", "1.90", "3.00"]
    assert format_together(2.0, 1.9996, 3.0) == ["2.0000", "1.9996", "3.0000"]


triples = st.builds(
    lambda middle, below, above, scale: tuple(scale * x for x in (middle, middle - below, middle + above)),
    st.floats(min_value=-1, max_value=1),
    st.floats(min_value=1e-4, max_value=2),
    st.floats(min_value=1e-4, max_value=2),
    st.sampled_from([1.0, 0.1, 1e-2, 1e-3, 30.0]),
)


@given(triples)
@example((0.0019, 0.00188, 0.00192))
@example((0.005, -0.05, 0.06))
@example((0.0054, 0.0051, 0.03))
@example((0.00123, 0.00122999, 0.0012301))
def test_a_value_and_its_bounds_are_told_apart_and_stay_in_order(numbers: tuple[float, float, float]) -> None:
    """Different numbers read differently; a difference keeps two digits that matter."""
    for texts in (format_together(*numbers), format_apart(*numbers)):
        value, low, high = map(read_back, texts)
        assert low <= value <= high
        assert low < high
        assert value not in (low, high)
        if abs(numbers[0]) >= 1e-12:
            assert math.isclose(value, numbers[0], rel_tol=0.0501)
    table = Grid("", make_columns("value", "interval/interval"), ((numbers[0], numbers[1:]),))
    [[cell, interval]] = format_rows(table)
    ends = interval.split(" to ")
    assert len({cell, *ends}) == 3
    assert read_back(ends[0]) < read_back(cell) < read_back(ends[1])


@given(st.sampled_from([0.1, 0.05, 0.01, 0.001]), st.floats(min_value=-0.04, max_value=0.04))
@example(0.05, -0.008)
@example(0.05, 4e-6)
def test_a_p_value_is_on_the_side_of_a_level_on_which_it_reads(level: float, away: float) -> None:
    p_value = level * (1 + away)
    for text in (format_probability(p_value), format_p_value(p_value).removeprefix("p = ")):
        if abs(p_value - level) > 1e-11:
            assert (read_back(text) < level) == (p_value < level)
            assert read_back(text) != level
    assert format_probability(level) == format_number(level)


@given(st.floats(min_value=math.log(1e6), max_value=700.0))
def test_sums_beyond_a_million_are_not_spelled_out(log_wealth: float) -> None:
    assert format_money(log_wealth) == "over $1 million"
    assert format_wealth(log_wealth) == "over 1 million"


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_wealth_reads_back(value: float) -> None:
    text = format_wealth(math.log(value))
    assert "+" not in text
    if text == "over 1 million":
        assert value > 1e6 * (1 - 1e-9)
    elif text == "under 1e-6":
        assert value < 1e-6 * (1 + 1e-9)
    else:
        assert math.isclose(read_back(text), value, rel_tol=0.0501)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.514, "0.514"),
        (0.0995, "0.100"),
        (0.012, "0.012"),
        (0.00995, "0.010"),
        (0.0097, "0.0097"),
        (0.0001, "0.00010"),
        (0.00009999, "1e-4"),
        (4.93e-5, "4.9e-5"),
        (5e-17, "0"),
        (-0.0, "0"),
        (1.0, "1.00"),
        (0.995, "0.995"),
        (0.996, "0.996"),
        (0.9992, "0.9992"),
        (0.99996, "0.99996"),
        (1.0004, "1.0004"),
        (99.9996, "100"),
        (123456.7, "123,457"),
        (9.9e8, "990,000,000"),
        (1e9, "1e9"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_the_rule(value: float, message: str) -> None:
    assert format_number(value) == message


def test_p_values_and_bounds() -> None:
    assert [format_p_value(p) for p in (0.0122, 1e-40, 0.9999, 1.0, 0.0)] == [
        "p = 0.012",
        "p < 1e-6",
        "p > 0.999",
        "p = 1",
        "p < 1e-6",
    ]
    assert [format_bound(p) for p in (0.0098, 1e-300, 0.9999)] == ["0.0098", "1e-12", "1"]
    assert [format_belief(p) for p in (0.0, 1.0, 0.5)] == ["< 0.001", "> 0.999", "0.500"]


def test_intervals_with_an_open_end() -> None:
    assert format_interval(1.277, None) == "1.28 or more"
    assert format_interval(None, -0.5) == "−0.500 or less"
    assert format_interval(0.0, 1.0) == "0 to 1.00"
    assert format_cell((None, None), "interval") == "–"


def test_measures_are_words_and_other_text_stays() -> None:
    assert format_cell("balanced_accuracy", "measure") == "balanced accuracy"
    assert format_cell("recall[a_b]", "measure") == "recall[a_b]"
    assert format_cell("not a measure!", "measure") == "not a measure!"
    assert format_cell("balanced_accuracy", "text") == "balanced_accuracy"


def test_more_digits_are_shown_where_they_are_asked_for() -> None:
    with digits_shown(6):
        assert [format_number(x) for x in (1 / 3, 1 / 300, 12.3456789, 1234567.8)] == [
            "0.333333",
            "0.0033333",
            "12.3457",
            "1,234,568",
        ]
    assert format_number(1 / 3) == "0.333"
    with pytest.raises(OptionError, match="saw 1"), digits_shown(1):
        pass


@given(st.integers(min_value=-(2**53), max_value=2**53))
@example(100)
@example(-480)
@example(2**53)
def test_an_integer_is_written_as_the_float_of_its_value(number: int) -> None:
    for write in (format_number, format_count, format_rounded, format_percent, format_wealth, format_money):
        if write is format_rounded and number < 0:
            continue
        assert write(number) == write(float(number)) == write(np.int64(number))
