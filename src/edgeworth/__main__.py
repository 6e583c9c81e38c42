"""``python -m edgeworth`` is the command, and so is the script of that name."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # loading typing would take time in which an interrupt prints a traceback
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


class Stopped(KeyboardInterrupt):
    """A signal that stops the command, with the exit code that belongs to it.

    After ``python -m``, Python ends by SIGINT if a plain ``KeyboardInterrupt`` was raised inside ``exec``,
    which dataclasses use, although it was handled later.
    """


def main() -> NoReturn:
    """Load the command and run it; a signal that stops it prints one line and leaves nothing behind."""
    handled = [number for number in STOPS if signal.getsignal(number) in DEFAULTS]
    for number in handled:
        signal.signal(number, _leave)
    try:
        from edgeworth.cli import main as run

        for number in handled:
            signal.signal(number, _interrupt)
        run()
    except KeyboardInterrupt as stop:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(stop.args[0] if stop.args else 130)
    finally:
        # Everything is written: another signal may end the process at once, and without a traceback.
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    """Leave while modules are loaded, where an exception might be lost: there is nothing to clean up yet."""
    os.write(2, b"edgeworth: interrupted\n")
    os._exit(128 + number)


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    """End as for Ctrl-C, with nothing left behind, and with the code that the signal has."""
    raise Stopped(128 + number)


if __name__ == "__main__":
    main()
