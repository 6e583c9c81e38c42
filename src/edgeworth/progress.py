"""How far along a long operation is. The library tells; who listens decides whether anything is shown.

Without a listener telling costs nothing. The command listens on a terminal and draws a bar with the time
left (``cli/bars.py``); a notebook or a program may listen too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Advance: TypeAlias = Callable[[float], None]
Listener: TypeAlias = Callable[[str, float | None], AbstractContextManager[Advance]]

_listener: ContextVar[Listener | None] = ContextVar("edgeworth_progress", default=None)


@contextmanager
def told(what: str, total: float | None = None) -> Iterator[Advance]:
    """Tell of an operation: call what is yielded with how much more is done; ``total`` is None if unknown.

    >>> with told("draws", 10) as done:
    ...     done(5)
    """
    listener = _listener.get()
    if listener is None:
        yield _ignored
        return
    with listener(what, total) as advance:
        yield advance


def told_rounds(total: int, size: int, what: str) -> Iterator[int]:
    """Where each round of so many begins, telling of each as it ends.

    >>> list(told_rounds(5, 2, "draws"))
    [0, 2, 4]
    """
    with told(what, total) as done:
        for start in range(0, total, size):
            yield start
            done(min(size, total - start))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear of every operation inside.

    >>> heard = []
    >>> @contextmanager
    ... def note(what, total):
    ...     yield lambda number: heard.append((what, number, total))
    >>> with listening(note), told("rows", 3) as done:
    ...     done(3)
    >>> heard
    [('rows', 3, 3)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _ignored(_: float) -> None:
    """Nobody listens."""
