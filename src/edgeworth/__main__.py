"""``python -m edgeworth`` is the command, and so is the script of that name."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

TERMINATED = 128 + signal.SIGTERM


def main() -> NoReturn:
    """Load the command and run it; Ctrl-C and a request to end are heard while it loads too."""
    is_terminated = False

    def terminate(*_: object) -> None:
        nonlocal is_terminated
        is_terminated = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        from edgeworth.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(TERMINATED if is_terminated else 130)
    except SystemExit as end:
        sys.exit(TERMINATED if is_terminated else end.code)


if __name__ == "__main__":
    main()
