"""Tallies as plain values, and back with their shape checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import Label
from edgeworth.tallies.joint import JointCounts


def labels_to_json(labels: Sequence[Label]) -> list[Any]:
    """Text, numbers and booleans as they are; anything else as its repr."""
    return [label if _is_plain(label) else repr(label) for label in labels]


def _is_plain(label: Label) -> bool:
    """Text, booleans and finite numbers: what JSON has."""
    return isinstance(label, (str, int)) or (isinstance(label, float) and np.isfinite(label))


def labels_from_json(labels: Sequence[Any]) -> tuple[Label, ...]:
    """Labels of a tally file."""
    for label in labels:
        if not isinstance(label, (str, int, float, bool)):
            raise InputError(f"a label in a tally is text, a number or a boolean; saw {label!r}")
    return tuple(labels)


def numbers_from_json(values: Sequence[Any], name: str) -> NDArray[Any]:
    """An array of finite numbers of at least 0: int64 when all are whole numbers, else float64."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "if" and array.size:
            raise ValueError
    except ValueError:
        raise InputError(f"{name} of a tally must be numbers in rows of equal length") from None
    if array.size == 0:
        return array.astype(np.int64)  # nothing counted is counted in whole cases
    if not np.all(np.isfinite(array) & (array >= 0)):
        raise InputError(f"{name} of a tally must be finite and at least 0")
    return array


def count_from_json(payload: dict[str, Any], name: str) -> int:
    """A whole number of at least 0."""
    number = payload_field(payload, name, int)
    if number < 0:
        raise InputError(f"{name!r} of a tally is at least 0; saw {number}")
    return int(number)


def payload_field(payload: dict[str, Any], name: str, kind: type) -> Any:
    """A field of the right type, or a sentence about it."""
    if name not in payload or not isinstance(payload[name], kind):
        raise InputError(f"a tally needs {name!r} as {kind.__name__}; saw {payload.get(name)!r}")
    return payload[name]


def joint_to_dict(joint: JointCounts) -> dict[str, Any]:
    """Plain values for JSON."""
    return {
        "labels": [labels_to_json(labels) for labels in joint.labels],
        "keys": joint.keys.tolist(),
        "rows": joint.rows.tolist(),
        "weight": joint.weight.tolist(),
        "square": None if joint.square is None else joint.square.tolist(),
    }


def joint_from_dict(payload: dict[str, Any], domains: tuple[int, ...]) -> JointCounts:
    """The joint counts that ``joint_to_dict`` described."""
    labels = tuple(labels_from_json(part) for part in payload_field(payload, "labels", list))
    keys, rows, weight = (
        numbers_from_json(payload_field(payload, name, list), name) for name in ("keys", "rows", "weight")
    )
    keys = keys if len(keys) else keys.reshape(0, len(domains))
    squares = payload.get("square")
    square = None if squares is None else numbers_from_json(squares, "square").astype(np.float64)
    fits = (
        len(labels) == max(domains) + 1
        and all(len(set(part)) == len(part) for part in labels)
        and keys.shape == (len(rows), len(domains))
        and keys.dtype.kind == rows.dtype.kind == "i"
        and weight.shape == rows.shape
        and (square is None or square.shape == rows.shape)
        and (not len(rows) or (square is not None) == (weight.dtype.kind == "f"))
    )
    if not fits or np.any(keys > [len(labels[domain]) for domain in domains]):
        raise InputError("the parts of a tally do not fit together")
    return JointCounts(domains, labels, keys.astype(np.intp), rows, weight, square)
