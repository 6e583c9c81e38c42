"""Values that are computed when they are first looked at: of many pairs most are never looked at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

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
        """The keys whose values somebody has asked for."""
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

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def as_dictionaries(value: Any) -> Any:
    """Make mappings within mappings plain dictionaries, and so compute all that they hold."""
    if isinstance(value, Mapping):
        return {name: as_dictionaries(each) for name, each in value.items()}
    return value
