"""``python -m edgeworth`` is the command, and so is the script of that name.

The command is imported where an interrupt is heard: loading it is most of a short run.
"""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

FEW_LOOKS = 100_000
"""New objects between two looks for garbage: what a command loads stays, and looking through it again and
again (every 700 objects, as Python does by itself) took a twentieth of a short run."""


def main() -> NoReturn:
    """Load the command and run it."""
    gc.set_threshold(FEW_LOOKS)
    try:
        from edgeworth.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
