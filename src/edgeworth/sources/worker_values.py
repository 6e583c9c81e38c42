"""Write the values that workers send back as JSON and plain buffers, and read them.

A server's answer is data: reading it runs no code, as reading a pickle would. A value consists of numbers,
text, dates, arrays, collections, and frozen values of Edgeworth's own classes. Their fields are set without
calling their constructors.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib import import_module

import numpy as np

from edgeworth import errors
from edgeworth.common.arrays import AnyArray, AnyDtype
from edgeworth.errors import EdgeworthError, InputError

PACKAGE = "edgeworth."

UNREADABLE = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that a text raises if it describes no value; any other error is a bug in Edgeworth."""

_COLLECTIONS: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}

_SCALAR_TYPES = (complex, Fraction, Decimal, datetime, date, time, timedelta, range)
"""Types that are written as text or as a few numbers. A subclass is not one of them."""

_SCALAR_READERS: dict[str, Callable[[object], object]] = {
    "complex": lambda written: complex(*_numbers(written)),
    "fraction": lambda written: Fraction(_text(written)),
    "decimal": lambda written: Decimal(_text(written)),
    "datetime": lambda written: datetime.fromisoformat(_text(written)),
    "date": lambda written: date.fromisoformat(_text(written)),
    "time": lambda written: time.fromisoformat(_text(written)),
    "timedelta": lambda written: timedelta(*_integers(written)),
    "range": lambda written: range(*_integers(written)),
}


def pack(value: object) -> tuple[str, list[bytes]]:
    """Write a value as JSON and the buffers of its arrays.

    >>> unpack(*pack({"a": (1, np.arange(2))}))
    {'a': (1, array([0, 1]))}
    """
    buffers: list[bytes] = []
    return json.dumps(_dump(value, buffers)), buffers


def unpack(text: str, buffers: Sequence[bytes]) -> object:
    """Return the value that was packed, or raise an error if the text describes none."""
    try:
        return _load(json.loads(text), buffers)
    except EdgeworthError:
        raise
    except UNREADABLE as error:
        raise InputError(f"an answer from the workers cannot be read: {type(error).__name__}") from None


def _dump(value: object, buffers: list[bytes]) -> object:
    if value is None or type(value) in (bool, int, float, str):
        return value
    kind = type(value)
    if kind in _SCALAR_TYPES:
        return {"is": kind.__name__.lower(), "of": _dump_scalar(value)}
    if isinstance(value, (tuple, list, set, frozenset)) and kind in _COLLECTIONS.values():
        return {"is": kind.__name__, "of": [_dump(item, buffers) for item in value]}
    if isinstance(value, dict) and kind in (dict, Counter):
        pairs = [[_dump(key, buffers), _dump(item, buffers)] for key, item in value.items()]
        return {"is": kind.__name__.lower(), "of": pairs}
    if isinstance(value, bytes) and kind is bytes:
        buffers.append(value)
        return {"is": "bytes", "at": len(buffers) - 1}
    if isinstance(value, np.ndarray):
        return _dump_array(value, "array", buffers)
    if isinstance(value, np.generic):
        return _dump_array(np.asarray(value), "scalar", buffers)
    if isinstance(value, EdgeworthError):
        return {"is": "error", "of": [kind.__name__, str(value)]}
    if kind.__module__.startswith(PACKAGE):
        return _dump_object(value, buffers)
    raise TypeError(f"a value of type {kind.__module__}.{kind.__qualname__} cannot be sent")


def _dump_scalar(value: object) -> object:
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, timedelta):
        return [value.days, value.seconds, value.microseconds]
    if isinstance(value, range):
        return [value.start, value.stop, value.step]
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


def _dump_array(value: AnyArray, name: str, buffers: list[bytes]) -> object:
    array = np.ascontiguousarray(value)
    shape = list(value.shape)
    if array.dtype.hasobject:
        items = [_dump(item, buffers) for item in array.ravel().tolist()]
        return {"is": "objects", "shape": shape, "of": items}
    buffers.append(array.tobytes())
    dtype = array.dtype.descr if array.dtype.names else array.dtype.str
    return {"is": name, "dtype": dtype, "shape": shape, "at": len(buffers) - 1}


def _dump_object(value: object, buffers: list[bytes]) -> object:
    kind = type(value)
    if isinstance(value, tuple):
        fields = dict(zip(_field_names(kind), value, strict=True))
    else:
        state = value.__getstate__()
        parts = state if isinstance(state, tuple) else (state,)
        fields = {name: item for part in parts if isinstance(part, dict) for name, item in part.items()}
        fields = {name: item for name, item in fields.items() if not _is_cached(kind, name)}
    named = {name: _dump(item, buffers) for name, item in fields.items()}
    return {"is": "object", "class": f"{kind.__module__}:{kind.__qualname__}", "of": named}


def _field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a named tuple's fields."""
    names: tuple[str, ...] = getattr(kind, "_fields")  # noqa: B009  # mypy knows no such attribute
    return names


def _is_cached(kind: type, name: str) -> bool:
    """Return whether a field only caches a result."""
    return isinstance(getattr(kind, name, None), cached_property)


def _load(written: object, buffers: Sequence[bytes]) -> object:
    if isinstance(written, list):
        raise TypeError("a list is written as an object")
    if not isinstance(written, dict):
        return written
    node: dict[str, object] = written
    name = _text(node["is"])
    if name in _SCALAR_READERS:
        return _SCALAR_READERS[name](node["of"])
    if name in _COLLECTIONS:
        return _COLLECTIONS[name](_load(item, buffers) for item in _items(node["of"]))
    if name in ("dict", "counter"):
        pairs = dict(_load_pair(pair, buffers) for pair in _items(node["of"]))
        return pairs if name == "dict" else Counter(pairs)
    if name == "bytes":
        return bytes(buffers[_integer(node["at"])])
    if name in ("array", "scalar", "objects"):
        return _load_array(node, buffers)
    if name == "error":
        kind, message = _items(node["of"])
        return _load_error(_text(kind), _text(message))
    if name == "object":
        fields = node["of"]
        if not isinstance(fields, dict):
            raise TypeError("the fields of an object have names")
        named = {field: _load(item, buffers) for field, item in fields.items()}
        return _load_object(_text(node["class"]), named)
    raise ValueError(name)


def _load_pair(written: object, buffers: Sequence[bytes]) -> tuple[object, object]:
    key, value = _items(written)
    return _load(key, buffers), _load(value, buffers)


def _load_array(node: dict[str, object], buffers: Sequence[bytes]) -> object:
    shape = tuple(_integers(node["shape"]))
    if node["is"] == "objects":
        items = [_load(item, buffers) for item in _items(node["of"])]
        values = np.empty(len(items), dtype=object)
        values[:] = items
        return values.reshape(shape)
    dtype = _dtype(node["dtype"])
    if dtype.hasobject:
        raise TypeError("an array of objects is no buffer")
    array = np.frombuffer(bytes(buffers[_integer(node["at"])]), dtype=dtype).reshape(shape).copy()
    return array if node["is"] == "array" else array[()]


def _dtype(written: object) -> AnyDtype:
    """Read the type of an array: a name, or the fields of a structured type."""
    if isinstance(written, str):
        return np.dtype(written)
    return np.dtype([_dtype_field(field) for field in _items(written)])


def _dtype_field(
    written: object,
) -> tuple[str, AnyDtype] | tuple[str, AnyDtype, tuple[int, ...]]:
    name, kind, *shape = _items(written)
    if shape:
        return _text(name), _dtype(kind), tuple(_integers(shape[0]))
    return _text(name), _dtype(kind)


def _load_error(kind: str, message: str) -> EdgeworthError:
    """Return the error, or the base class's if its own class needs more than a message."""
    simple = {error.__name__: error for error in (errors.InputError, errors.OptionError, errors.MergeError)}
    return simple.get(kind, EdgeworthError)(message)


def _load_object(location: str, fields: dict[str, object]) -> object:
    """Set the fields of a named tuple or a dataclass of Edgeworth's, without calling its constructor."""
    module, _, names = location.partition(":")
    if not module.startswith(PACKAGE):
        raise ValueError(location)
    kind: object = import_module(module)
    for name in names.split("."):
        kind = getattr(kind, name)
    if not isinstance(kind, type) or not kind.__module__.startswith(PACKAGE):
        raise ValueError(location)
    if issubclass(kind, tuple):
        return tuple.__new__(kind, [fields[name] for name in _field_names(kind)])
    if not is_dataclass(kind):
        raise ValueError(location)
    value: object = object.__new__(kind)
    for name, item in fields.items():
        object.__setattr__(value, name, item)
    return value


# -- the types of JSON's values ----------------------------------------------------------------------------


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text is needed")
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("an integer is needed")
    return value


def _integers(value: object) -> list[int]:
    return [_integer(item) for item in _items(value)]


def _numbers(value: object) -> list[float]:
    return [float(item) for item in _items(value) if isinstance(item, (int, float))]
