"""``python -m edgeworth`` is the command, and so is the script of that name."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Load the command and run it; an interrupt is heard while it loads too."""
    try:
        from edgeworth.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
