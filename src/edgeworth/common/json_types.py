"""The types of values that are written to JSON or read from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""A value of a JSON file: it has no type until a field of a tally, or a schema, checks it."""

JsonObject: TypeAlias = dict[str, JsonValue]
"""A JSON object, read or to be written."""

Terms: TypeAlias = Mapping[str, JsonValue]
"""The options that a tally was counted with, as a tally file holds them."""
