"""Values that are computed on first use: most pairs of a comparison are never used."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class OnDemand(Mapping[Key, Value]):
    """A mapping with known keys whose values are computed on first use, and then kept.

    It is pickled as a plain dictionary, with every value computed.

    >>> squares = OnDemand([1, 2, 3], lambda number: number**2)
    >>> squares[2], len(squares), squares.computed
    (4, 3, (2,))
    """

    def __init__(self, keys: Iterable[Key], compute: Callable[[Key], Value]) -> None:
        self._keys = dict.fromkeys(keys)
        self._compute = compute
        self._values: dict[Key, Value] = {}

    @property
    def computed(self) -> tuple[Key, ...]:
        """Return the keys whose values have been computed."""
        return tuple(self._values)

    def __getitem__(self, key: Key) -> Value:
        if key not in self._values:
            if key not in self._keys:
                raise KeyError(key)
            self._values[key] = self._compute(key)
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[Key, Value]], tuple[dict[Key, Value]]]:
        return dict, (dict(self),)


def as_dictionaries(values: Mapping[str, object]) -> dict[str, object]:
    """Convert nested mappings to plain dictionaries, which computes every value."""
    return {
        name: as_dictionaries(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }
