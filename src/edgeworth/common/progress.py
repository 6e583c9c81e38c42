"""Progress of long operations. The library reports how far it is; a listener may show it.

The command listens and shows it on standard error (``cli/progress_bars.py``); a notebook or a program may
listen too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Advance: TypeAlias = Callable[[float], None]
Listener: TypeAlias = Callable[[str, float | None], AbstractContextManager[Advance]]


@contextmanager
def _ignore_progress(_what: str, _total: float | None) -> Iterator[Advance]:
    yield lambda _: None


_listener: ContextVar[Listener] = ContextVar("edgeworth_progress", default=_ignore_progress)


def track_progress(what: str, total: float | None = None) -> AbstractContextManager[Advance]:
    """Report an operation: call the entered function with the amount done; ``total`` is None if unknown.

    >>> with track_progress("draws", 10) as done:
    ...     done(5)
    """
    return _listener.get()(what, total)


def track_rounds(total: int, size: int, what: str) -> Iterator[int]:
    """Yield the start of each round of ``size``, and report each round when it ends.

    >>> list(track_rounds(5, 2, "draws"))
    [0, 2, 4]
    """
    with track_progress(what, total) as done:
        for start in range(0, total, size):
            yield start
            done(min(size, total - start))


def has_listener() -> bool:
    """Return whether a listener is set."""
    return _listener.get() is not _ignore_progress


@contextmanager
def listen_to_progress(listener: Listener) -> Iterator[None]:
    """Send the progress of every operation inside to a listener.

    >>> heard = []
    >>> @contextmanager
    ... def note(what, total):
    ...     yield lambda number: heard.append((what, number, total))
    >>> with listen_to_progress(note), track_progress("rows", 3) as done:
    ...     done(3)
    >>> heard
    [('rows', 3, 3)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
