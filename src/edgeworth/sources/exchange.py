"""Values that workers send back, as JSON and plain buffers.

What a server returns is data: nothing in it is run, as a pickle would be. A value is made of numbers, text,
dates, arrays, collections, and frozen values of Edgeworth's own classes, which are filled and not called.
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
from typing import Any

import numpy as np

from edgeworth import errors
from edgeworth.errors import EdgeworthError, InputError

PACKAGE = "edgeworth."

_WRITTEN: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    complex: ("complex", lambda x: [x.real, x.imag], lambda x: complex(*x)),
    Fraction: ("fraction", str, Fraction),
    Decimal: ("decimal", str, Decimal),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: ("timedelta", lambda x: [x.days, x.seconds, x.microseconds], lambda x: timedelta(*x)),
    range: ("range", lambda x: [x.start, x.stop, x.step], lambda x: range(*x)),
}
"""Values that are written as text or numbers: their name, how they are written, and how they are read."""
_READ = {name: read for name, _, read in _WRITTEN.values()}

UNREADABLE = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a text that describes no value raises; anything else is a fault of ours."""

_COLLECTIONS: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


def pack(value: Any) -> tuple[str, list[bytes]]:
    """Write a value as JSON and the buffers of its arrays.

    >>> unpack(*pack({"a": (1, np.arange(2))}))
    {'a': (1, array([0, 1]))}
    """
    buffers: list[bytes] = []
    return json.dumps(_dump(value, buffers)), buffers


def unpack(text: str, buffers: Sequence[bytes]) -> Any:
    """Make the value that was packed, or raise an error if the text describes none."""
    try:
        return _load(json.loads(text), buffers)
    except EdgeworthError:
        raise
    except UNREADABLE as error:
        raise InputError(f"an answer of the workers cannot be read: {type(error).__name__}") from None


def _dump(value: Any, buffers: list[bytes]) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    kind = type(value)
    if kind in _WRITTEN:
        name, write, _ = _WRITTEN[kind]
        return {"is": name, "of": write(value)}
    if kind.__name__ in _COLLECTIONS and kind is _COLLECTIONS[kind.__name__]:
        return {"is": kind.__name__, "of": [_dump(each, buffers) for each in value]}
    if kind in (dict, Counter):
        return {
            "is": "counter" if kind is Counter else "dict",
            "of": [[_dump(x, buffers), _dump(y, buffers)] for x, y in value.items()],
        }
    if kind is bytes:
        buffers.append(value)
        return {"is": "bytes", "at": len(buffers) - 1}
    if isinstance(value, (np.ndarray, np.generic)):
        return _dump_array(value, buffers)
    if isinstance(value, EdgeworthError):
        return {"is": "error", "of": [kind.__name__, str(value)]}
    if kind.__module__.startswith(PACKAGE):
        return _dump_object(value, buffers)
    raise TypeError(f"a value of type {kind.__module__}.{kind.__qualname__} cannot be sent")


def _dump_array(value: Any, buffers: list[bytes]) -> Any:
    array = np.ascontiguousarray(value)
    shape = list(np.shape(value))
    if array.dtype.hasobject:
        of = [_dump(each, buffers) for each in array.ravel().tolist()]
        return {"is": "objects", "shape": shape, "of": of}
    buffers.append(array.tobytes())
    dtype = array.dtype.descr if array.dtype.names else array.dtype.str
    name = "array" if isinstance(value, np.ndarray) else "scalar"
    return {"is": name, "dtype": dtype, "shape": shape, "at": len(buffers) - 1}


def _dump_object(value: Any, buffers: list[bytes]) -> Any:
    kind = type(value)
    if isinstance(value, tuple):
        fields = dict(zip(kind._fields, value, strict=True))  # a named tuple
    else:
        state = value.__getstate__()
        parts = state if isinstance(state, tuple) else (state,)
        fields = {name: each for part in parts if part for name, each in part.items()}
        fields = {name: each for name, each in fields.items() if not _is_cached(kind, name)}
    named = {name: _dump(each, buffers) for name, each in fields.items()}
    return {"is": "object", "class": f"{kind.__module__}:{kind.__qualname__}", "of": named}


def _is_cached(kind: type, name: str) -> bool:
    """Return whether a field is only kept so that it need not be computed again."""
    return isinstance(getattr(kind, name, None), cached_property)


def _load(found: Any, buffers: Sequence[bytes]) -> Any:
    if not isinstance(found, dict):
        if isinstance(found, list):
            raise TypeError("a list is written as an object")
        return found
    name = found["is"]
    if name in _READ:
        return _READ[name](found["of"])
    if name in _COLLECTIONS:
        return _COLLECTIONS[name](_load(each, buffers) for each in found["of"])
    if name == "dict":
        return {_load(key, buffers): _load(value, buffers) for key, value in found["of"]}
    if name == "counter":
        return Counter({_load(key, buffers): _load(value, buffers) for key, value in found["of"]})
    if name == "bytes":
        return bytes(buffers[found["at"]])
    if name in ("array", "scalar", "objects"):
        return _load_array(found, buffers)
    if name == "error":
        return _load_error(*found["of"])
    if name == "object":
        return _load_object(found["class"], {x: _load(y, buffers) for x, y in found["of"].items()})
    raise ValueError(name)


def _load_array(found: dict[str, Any], buffers: Sequence[bytes]) -> Any:
    shape = tuple(map(int, found["shape"]))
    if found["is"] == "objects":
        values = np.empty(len(found["of"]), dtype=object)
        values[:] = [_load(each, buffers) for each in found["of"]]
        return values.reshape(shape)
    given = found["dtype"]
    dtype = np.dtype(given if isinstance(given, str) else [_field(each) for each in given])
    if dtype.hasobject:
        raise TypeError("an array of objects is no buffer")
    array = np.frombuffer(bytes(buffers[found["at"]]), dtype=dtype).reshape(shape).copy()
    return array if found["is"] == "array" else array[()]


def _field(described: Sequence[Any]) -> tuple[Any, ...]:
    """Make the description of a field of a structured array a tuple again."""
    name, kind, *shape = described
    kind = kind if isinstance(kind, str) else [_field(each) for each in kind]
    return (name, kind, *map(tuple, shape))


def _load_error(kind: str, sentence: str) -> EdgeworthError:
    """Make the error again; one that takes more than a sentence becomes the root of them all."""
    simple = {each.__name__: each for each in (errors.InputError, errors.OptionError, errors.MergeError)}
    return simple.get(kind, EdgeworthError)(str(sentence))


def _load_object(where: str, fields: dict[str, Any]) -> Any:
    module, _, names = where.partition(":")
    if not module.startswith(PACKAGE):
        raise ValueError(where)
    kind: Any = import_module(module)
    for name in names.split("."):
        kind = getattr(kind, name)
    if not isinstance(kind, type) or not kind.__module__.startswith(PACKAGE):
        raise ValueError(where)
    if issubclass(kind, tuple):
        return tuple.__new__(kind, [fields[name] for name in kind._fields])  # type: ignore[attr-defined]  # named
    if not is_dataclass(kind):
        raise ValueError(where)
    value = object.__new__(kind)
    for name, each in fields.items():
        object.__setattr__(value, name, each)
    return value
