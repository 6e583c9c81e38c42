"""Where a report came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Provenance(Mapping[str, Any]):
    """What is needed to make a report again, by name.

    A function among it is asked when somebody reads its name: a terminal shows no versions of libraries, and
    to load one for its version takes longer than a report on labels.

    >>> Provenance({"source": "a.csv", "versions": lambda: "Python 3"})["versions"]
    'Python 3'
    """

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = dict(known)

    def __getitem__(self, name: str) -> Any:
        value = self._known[name]
        if callable(value):
            value = self._known[name] = value()
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return f"Provenance({dict(self)!r})"
