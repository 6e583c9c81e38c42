"""A process in which the n-th step of writing files fails, or sends a signal to the process itself.

``python injected.py FAULT STEP WORDS...`` runs the command. FAULT is the name of an error or a signal; the
steps are every opening for writing, change of a mode, write that reaches the disk, and renaming.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edgeworth.__main__ import main


class Fault:
    """Counts steps, and does its worst before one of them."""

    def __init__(self, name: str, step: int) -> None:
        self.name, self.left = name, step

    def before(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                if self.name.startswith("SIG"):
                    os.kill(os.getpid(), getattr(signal, self.name))
                else:
                    number = getattr(errno, self.name)
                    raise OSError(number, os.strerror(number), "injected")
            return step(*arguments, **options)

        return call


def inject(fault: Fault) -> None:
    opening = Path.open

    def open_path(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if set(mode) & set("wxa"):
            return fault.before(opening)(path, mode, *rest, **options)
        return opening(path, mode, *rest, **options)

    places: dict[str, tuple[Any, Callable[..., Any]]] = {
        "open": (Path, open_path),
        "chmod": (Path, fault.before(Path.chmod)),
        "replace": (Path, fault.before(Path.replace)),
        "fsync": (os, fault.before(os.fsync)),
    }
    for name, (home, step) in places.items():
        setattr(home, name, step)


if __name__ == "__main__":
    name, step, *words = sys.argv[1:]
    inject(Fault(name, int(step)))
    sys.argv = ["edgeworth", *words]
    main()
