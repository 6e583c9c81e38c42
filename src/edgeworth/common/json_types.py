"""The types of values that are written to JSON or read from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Its values have no type until a field of a tally, or a schema, checks them."""

Terms: TypeAlias = Mapping[str, Any]
"""The options that a tally was counted with, as a tally file holds them."""
