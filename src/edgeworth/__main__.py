"""``python -m edgeworth`` is the command, and so is the script of that name."""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn


def main() -> NoReturn:
    """Load the command and run it; an interrupt is heard while it loads too."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)
    try:
        from edgeworth.cli import main as run

        run()
    except KeyboardInterrupt as stop:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(stop.args[0] if stop.args else 130)


def _terminate(number: int, _: Any) -> NoReturn:
    """End as for Ctrl-C, with nothing left behind, and with the code that the signal has."""
    raise KeyboardInterrupt(128 + number)


if __name__ == "__main__":
    main()
