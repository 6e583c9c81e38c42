"""Paths of wealth as plain values, and back with their shape checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.tallies.serial import payload_field
from edgeworth.tallies.wealth_blocks import Blocks


def blocks_to_dict(blocks: Blocks) -> dict[str, Any]:
    """Plain values for JSON, which has no infinity."""
    return {name: _plain(getattr(blocks, name).tolist()) for name in blocks.__dataclass_fields__}


def blocks_from_dict(payload: dict[str, Any]) -> Blocks:
    """The blocks that ``blocks_to_dict`` described."""
    if not isinstance(payload, dict):
        raise InputError("the blocks of a tally are an object")
    arrays = {name: floats_from_json(payload, name) for name in Blocks.__dataclass_fields__}
    number = len(arrays["starts"])
    empty = Blocks.empty()
    for name, array in arrays.items():
        shape = (number, *getattr(empty, name).shape[1:])
        if array.shape != shape and not (number == 0 and array.size == 0):
            raise InputError(f"{name} of a path has shape {array.shape}; {shape} is needed")
        arrays[name] = array.reshape(shape)
    if any(np.isnan(array).any() for name, array in arrays.items() if name != "sums"):
        raise InputError("a path of a tally holds numbers")
    starts, ends = (arrays[name].astype(np.int64) for name in ("starts", "ends"))
    if np.any(ends <= starts) or np.any(starts[1:] < ends[:-1]) or np.any(starts < 0):
        raise InputError("the positions of a path ascend and do not overlap")
    return Blocks(starts, ends, **{k: v for k, v in arrays.items() if k not in ("starts", "ends")})


def floats_from_json(payload: dict[str, Any], name: str) -> NDArray[np.float64]:
    """An array of numbers; infinite ones, and sums of opposite infinities, as text."""
    try:
        array = np.array(_parsed(payload_field(payload, name, list)), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} of a tally must be numbers in rows of equal length") from None
    return array


def _plain(values: Any) -> Any:
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return values if np.isfinite(values) else str(values)


def _parsed(values: Any) -> Any:
    if isinstance(values, list):
        return [_parsed(value) for value in values]
    if isinstance(values, bool) or not (isinstance(values, (int, float)) or values in ("inf", "-inf", "nan")):
        raise ValueError(values)
    return float(values)


def plain_table(values: NDArray[np.float64]) -> list[Any]:
    """A table as nested lists, infinite numbers as text."""
    result: list[Any] = _plain(values.tolist())
    return result
