"""What can be done while an engine counts: loading what comes after, which takes as long as 10⁸ rows do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Any]

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
        for work in works:
            with suppress(Exception):
                work()

    return do
