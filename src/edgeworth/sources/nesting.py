"""How deep objects and lists may be nested: Python's own limit would end a report, not refuse a file."""

from __future__ import annotations

from pathlib import Path

from edgeworth.errors import InputError

MAX_NESTING_LEVELS = 64
"""Levels of objects and lists inside each other; logs and tables have fewer than ten."""


def check_nesting(value: object, location: str | Path) -> None:
    """Raise an error if objects and lists are nested more than ``MAX_NESTING_LEVELS`` levels deep."""
    level = 0
    values: list[object] = [value]
    while containers := [value for value in values if isinstance(value, (dict, list)) and value]:
        level += 1
        if level > MAX_NESTING_LEVELS:
            raise InputError(
                f"{location}: objects and lists are nested more than {MAX_NESTING_LEVELS} levels deep"
            )
        values = []
        for container in containers:
            values += container.values() if isinstance(container, dict) else container
