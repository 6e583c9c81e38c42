"""Columns as blocks of codes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth import evaluate
from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Coded, as_column, encode, is_missing
from edgeworth.sources.numbers import as_probabilities, as_weights, check_weights

VALUES = st.one_of(st.integers(), st.text(max_size=2), st.booleans(), st.none(), st.floats(allow_nan=True))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint32", "uint64"])
@given(data=st.data())
def test_integers_are_numbered_in_order_whatever_their_range(kind: str, data: st.DataObject) -> None:
    limits = np.iinfo(kind)
    low = data.draw(st.sampled_from([limits.min, limits.max - 5, 3]))
    near = st.integers(low, low + 5)
    values = data.draw(st.lists(near | st.integers(limits.min, limits.max), min_size=1, max_size=20))
    coded = encode(np.array(values, dtype=kind), "truth")
    assert coded.labels == tuple(sorted(set(values)))
    assert coded.tolist() == values


@given(st.lists(VALUES, max_size=30))
def test_codes_lead_back_to_the_values(values: list[Any]) -> None:
    coded = encode(as_column(values, "truth"), "truth")
    assert len(coded) == len(values)
    assert len(set(coded.labels)) == len(coded.labels)
    for code, value in zip(coded.codes.tolist(), values, strict=True):
        gone = value is None or value != value
        assert (code == MISSING) == gone
        assert gone or coded.labels[code] == value


@given(st.lists(st.floats(), max_size=30))
def test_codes_of_float_arrays_lead_back_too(values: list[float]) -> None:
    coded = encode(np.array(values), "truth")
    for code, value in zip(coded.codes.tolist(), values, strict=True):
        assert (code == MISSING) == (value != value)
        assert code == MISSING or coded.labels[code] == value


def test_labels_of_arrays_are_plain_python() -> None:
    for column, kind in ((np.array([1, 2]), int), (np.array([1.5]), float), (np.array([True]), bool)):
        assert {type(label) for label in encode(column, "truth").labels} == {kind}


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        float("nan"),
        np.float32("nan"),
        np.datetime64("NaT"),
        pd.NA,
        pd.NaT,
        Decimal("NaN"),
        complex("nan"),
    ],
)
def test_what_is_missing(nothing: Any) -> None:
    assert is_missing(nothing)


@pytest.mark.parametrize("something", [0, "", False, "nan", "NA", (), 0.0, float("inf"), b"", np.str_("")])
def test_what_is_not_missing(something: Any) -> None:
    assert not is_missing(something)


def test_coded_columns_pass_through_and_slice() -> None:
    coded = Coded(np.array([0, 1, -1, 0]), ("a", "b"))
    assert as_column(coded, "truth") is coded
    assert encode(coded, "truth") is coded
    assert coded[1:3].codes.tolist() == [1, -1]
    assert coded[1:3].labels == ("a", "b")


def test_lists_of_mixed_kinds_are_not_turned_into_text() -> None:
    assert as_column([1, "1", 2.5, None, True], "truth").tolist() == [1, "1", 2.5, None, True]


@pytest.mark.parametrize(
    ("texts", "numbers", "kind"),
    [
        (["1", "20"], [1, 20], np.int64),
        (["+1", "20"], [1, 20], np.int64),
        ([" 1", "20 "], [1, 20], np.int64),
        (["9007199254740993", "1"], [9007199254740993, 1], np.int64),
        (["1.5", "2"], [1.5, 2.0], np.float64),
        (["1e3", "2"], [1000.0, 2.0], np.float64),
    ],
    ids=["whole", "signed", "padded", "beyond exact floats", "fractions", "exponent"],
)
def test_weights_read_from_text(texts: list[str], numbers: list[Any], kind: type) -> None:
    weights = as_weights(Coded(np.array([1, 0, 1]), tuple(texts)), "weight")
    assert weights.tolist() == [numbers[1], numbers[0], numbers[1]]
    assert weights.dtype == kind


def test_missing_and_negative_weights_in_text_keep_their_row() -> None:
    with pytest.raises(InputError, match="row 12 has nan"):
        check_weights(as_weights(Coded(np.array([0, -1]), ("5",))), first_row=11)
    with pytest.raises(InputError, match="row 12 has -3"):
        check_weights(as_weights(Coded(np.array([0, 1]), ("5", "-3"))), first_row=11)
    with pytest.raises(InputError, match="numbers"):
        as_weights(Coded(np.array([0]), ("many",)))


class Tensor:
    """What another library's array offers: DLPack, and nothing else."""

    def __init__(self, values: Any, device: int = 1) -> None:
        self._array = np.array(values)
        self._device = device
        self.shape = self._array.shape

    def __dlpack__(self, **options: Any) -> Any:
        if self._device != 1:
            raise BufferError("the values are on another device")
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device, 0


def test_tensors_come_by_dlpack() -> None:
    assert list(encode(as_column(Tensor([3, 1, 3]), "truth"), "truth").codes) == [1, 0, 1]
    report = evaluate(truth=Tensor([1, 0, 1, 0]), prediction=Tensor([1, 0, 0, 0]))
    assert report.to_dict()["tally"]["counts"] == [[2, 1], [0, 1]]


def test_a_tensor_of_probabilities_has_a_column_a_class() -> None:
    rows = [[0.25, 0.75], [0.5, 0.5], [0.125, 0.875]]
    assert as_probabilities(Tensor(rows)).tolist() == rows
    assert as_probabilities(Tensor([0.25, 0.5])).tolist() == [0.25, 0.5]


def test_a_tensor_on_a_graphics_card_is_refused_with_a_reason() -> None:
    with pytest.raises(InputError, match="truth cannot be read from Tensor by DLPack"):
        as_column(Tensor([1, 2], device=2), "truth")
