"""What workers send back is data: every tally comes back as it went, and nothing that is sent is run."""

from __future__ import annotations

import json
import pickle
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.errors import InputError, MergeError, MissingExtraError
from edgeworth.sources.partitions import PartitionTally
from edgeworth.sources.worker_values import pack, unpack
from laws.test_merge import KINDS, Kind

SOURCE = Path(ew.__file__).parent


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(data=st.data())
def test_every_tally_comes_back_as_it_went(kind: Kind, data: st.DataObject) -> None:
    tally = kind.count(data.draw(kind.rows))
    again = unpack(*pack(PartitionTally(3, 7, tally)))
    assert (again.partition, again.rows, again.error) == (3, 7, None)
    assert again.value == tally
    assert again.value + type(tally).empty() == tally


VALUES = [
    None,
    True,
    10**30,
    -0.0,
    float("inf"),
    "ü\ud800\x00",
    b"\x00\xff",
    (1, ("a", None)),
    [1.5, {"a": {1, 2}}],
    {1: "one", "1": 1, (1, 2): frozenset({3})},
    Fraction(1, 3),
    Decimal("1.10"),
    date(2026, 1, 2),
    datetime(2026, 1, 2, 3, 4, 5, 6),
    timedelta(days=-1, microseconds=3),
    range(2, 10, 3),
]
ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.arange(6, dtype=">u2")[::2],
    np.asfortranarray(np.ones((2, 3))),
    np.array([], dtype=np.float64),
    np.zeros((0, 4), dtype=bool),
    np.array(["a", "üü"]),
    np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"),
    np.array([1, "a", None, (1, 2)], dtype=object),
    np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8", (2,))]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values_come_back(value: Any) -> None:
    again = unpack(*pack(value))
    assert again == value
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize("array", ARRAYS, ids=repr)
def test_arrays_come_back(array: np.ndarray[Any, Any]) -> None:
    again = unpack(*pack(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert repr(again.tolist()) == repr(array.tolist())
    assert again.flags.writeable


@pytest.mark.parametrize("scalar", [np.int64(3), np.float32(0.5), np.bool_(True), np.str_("a")], ids=repr)
def test_scalars_of_numpy_come_back(scalar: Any) -> None:
    again = unpack(*pack(scalar))
    assert type(again) is type(scalar)
    assert again == scalar


@pytest.mark.parametrize("error", [InputError("row 3"), MergeError("b"), MissingExtraError("x", "spark")])
def test_errors_come_back_as_their_sentence(error: ew.EdgeworthError) -> None:
    again = unpack(*pack(PartitionTally(0, 0, None, error))).error
    assert str(again) == str(error)
    assert isinstance(again, type(error)) or type(again) is ew.EdgeworthError


class Owned:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def forged(**fields: Any) -> str:
    return json.dumps(fields)


FORGED = {
    "a function": forged(**{"is": "object", "class": "os:system", "of": {}}),
    "a function of ours": forged(
        **{"is": "object", "class": "edgeworth.report.formats:write_file", "of": {}}
    ),
    "what a module of ours imports": forged(
        **{"is": "object", "class": "edgeworth.report.formats:os._wrap_close", "of": {}}
    ),
    "a class that is no value": forged(**{"is": "object", "class": "edgeworth.cli.app:App", "of": {}}),
    "a module that does not exist": forged(**{"is": "object", "class": "edgeworth.nothing:X", "of": {}}),
    "an array of objects": forged(**{"is": "array", "dtype": "|O", "shape": [1], "at": 0}),
    "an array that is too short": forged(**{"is": "array", "dtype": "<f8", "shape": [9], "at": 0}),
    "a buffer that is not there": forged(**{"is": "bytes", "at": 7}),
    "an unknown kind": forged(**{"is": "pickle", "at": 0}),
    "no kind": "{}",
    "a bare list": "[]",
    "no JSON": "cos\nsystem\n(S'true'\ntR.",
    "very deep": '{"is": "list", "of": [' * 100_000,
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_answers_are_refused_and_nothing_runs(name: str, tmp_path: Path) -> None:
    bomb = pickle.dumps(Owned(tmp_path / "owned"))
    with pytest.raises(InputError, match="cannot be read"):
        unpack(FORGED[name], [bomb])
    assert not (tmp_path / "owned").exists()


def test_no_module_unpickles() -> None:
    for module in SOURCE.rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        assert "pickle.load" not in text, module
        assert "import pickle" not in text, module
