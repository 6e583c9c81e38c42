"""What can be done while an engine counts: loading what comes after, which takes as long as 10⁸ rows do."""

from __future__ import annotations

import os
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

_works: ContextVar[tuple[Work, ...]] = ContextVar("edgeworth_works", default=())


@contextmanager
def meanwhile(*works: Work) -> Iterator[None]:
    """Have this done if an engine is waited for inside. Whoever needs it does it again: then it is quick.

    >>> done = []
    >>> with meanwhile(lambda: done.append(1)), waiting():
    ...     pass
    >>> done
    [1]
    """
    token = _works.set((*_works.get(), *works))
    try:
        yield
    finally:
        _works.reset(token)


@contextmanager
def waiting() -> Iterator[None]:
    """Wait for an engine inside, while a thread does what there is to do; its end is waited for, too.

    What goes wrong there goes wrong again where it is needed. After an error here nothing is waited for.
    """
    works, ended = _works.get(), threading.Event()
    if not works:
        yield
        return

    def do() -> None:
        with _interpreter.handed_over_quickly():
            for work in works:
                if ended.is_set():
                    return
                with suppress(Exception):
                    work()

    worker = threading.Thread(target=do, name="edgeworth-meanwhile", daemon=True)
    worker.start()
    try:
        yield
    except BaseException:
        ended.set()
        raise
    worker.join()


class _Interpreter:
    """The one setting of the process that says how soon threads give way, lowered as long as anyone wants."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.wanted = 0
        self.usual = self.lowered = sys.getswitchinterval()

    @contextmanager
    def handed_over_quickly(self) -> Iterator[None]:
        with self.lock:
            if not self.wanted:
                self.usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self.usual, HAND_OVER))
                self.lowered = sys.getswitchinterval()
            self.wanted += 1
        try:
            yield
        finally:
            with self.lock:
                self.wanted -= 1
                if not self.wanted:
                    self.restore()

    def restore(self) -> None:
        """Back to what it was, unless somebody else has set it since."""
        if sys.getswitchinterval() == self.lowered:
            sys.setswitchinterval(self.usual)

    def renew(self) -> None:
        """In a forked process: the threads that wanted it are not there."""
        if self.wanted:
            self.restore()
        self.lock, self.wanted = threading.Lock(), 0


_interpreter = _Interpreter()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_interpreter.renew)
