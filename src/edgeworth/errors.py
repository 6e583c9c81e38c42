"""Every error a user can cause: one root, a few children."""

from typing import Any

from edgeworth.common.escaping import visible


class EdgeworthError(ValueError):
    """The root of every error that input or options can cause.

    A message says what was seen, what was needed and what to do. Names in it can hold anything, and a
    traceback writes the message to a terminal, so characters that a terminal obeys are shown as pictures.
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class InputError(EdgeworthError):
    """Data that cannot be read, or do not fit together."""


class OptionError(EdgeworthError):
    """A measure's spelling, a method or an option that does not exist or does not apply."""


class MergeError(EdgeworthError):
    """Two tallies that do not belong together."""


def check_whole(value: object, what: str, least: int, kind: Any = int) -> None:
    """Refuse anything but a whole number of at least so much; NumPy's are of the kind ``Integral``."""
    if isinstance(value, bool) or not isinstance(value, kind) or value < least:
        raise OptionError(f"{what} is a whole number of at least {least}; saw {value!r}")


def check_seed(seed: object) -> None:
    """Refuse what no random generator takes."""
    check_whole(seed, "a seed", 0)


def check_draws(draws: object, seed: object) -> None:
    """Refuse a number of draws, or a seed, that cannot be."""
    check_whole(draws, "draws", 1)
    check_seed(seed)


class MissingExtraError(EdgeworthError):
    """A part of Edgeworth whose libraries are not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs libraries that are not installed: pip install 'edgeworth[{extra}]'"
        )
        self._given = purpose, extra

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the message is made of: a worker process sends its errors to another one."""
        return type(self), self._given
