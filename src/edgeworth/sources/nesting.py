"""How deep objects and lists may be nested: Python's own limit would end a report, not refuse a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edgeworth.errors import InputError

DEEPEST = 64
"""Levels of objects and lists inside each other; logs and tables have fewer than ten."""


def check_nesting(value: Any, place: str | Path) -> None:
    """Refuse objects and lists inside each other beyond ``DEEPEST`` levels."""
    level, inner = 0, [value]
    while inner := [each for each in inner if isinstance(each, (dict, list)) and each]:
        level += 1
        if level > DEEPEST:
            raise InputError(f"{place}: objects and lists are nested more than {DEEPEST} levels deep")
        inner = [x for each in inner for x in (each.values() if isinstance(each, dict) else each)]
