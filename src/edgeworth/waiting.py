"""What can be done while an engine counts: loading what comes after, which takes as long as 10⁸ rows do."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Any]

HAND_OVER = 1e-4
"""Seconds after which another thread gets the interpreter. DuckDB asks for it after each piece of its work:
with Python's usual 5 ms, 10⁸ rows took a third longer while something was loaded."""

_one_at_a_time = threading.Lock()

_works: ContextVar[tuple[Work, ...]] = ContextVar("edgeworth_works", default=())


@contextmanager
def meanwhile(*works: Work) -> Iterator[None]:
    """Have this done if an engine is waited for inside. Whoever needs it does it again: then it is quick.

    >>> done = []
    >>> with meanwhile(lambda: done.append(1)):
    ...     waited_for()()
    >>> done
    [1]
    """
    token = _works.set((*_works.get(), *works))
    try:
        yield
    finally:
        _works.reset(token)


def waited_for() -> Work:
    """All of it, for a thread of its own. What goes wrong goes wrong again where it is needed."""
    works = _works.get()

    def do() -> None:
        if not works:
            return
        with _one_at_a_time:
            usual = sys.getswitchinterval()
            sys.setswitchinterval(min(usual, HAND_OVER))
            try:
                for work in works:
                    with suppress(Exception):
                        work()
            finally:
                sys.setswitchinterval(usual)

    return do
