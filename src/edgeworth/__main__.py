"""``python -m edgeworth`` is the command, and so is the script of that name.

The command is imported where an interrupt is heard: loading it is most of a short run.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress
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
        _leave(130)
    except SystemExit as end:
        if isinstance(end.code, int):
            _leave(end.code)
        raise


def _leave(code: int) -> NoReturn:
    """End at once: to take the interpreter down object by object takes a tenth of a short run.

    What others want done at the end is done, and everything that was written is out.
    """
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    if _is_watched() or not all(thread.daemon for thread in others):
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader has gone, or the stream is closed
            stream.flush()
    os._exit(code)


def _is_watched() -> bool:
    """Whether a debugger, a profiler or a measurement of coverage has something to write at the end."""
    monitoring = getattr(sys, "monitoring", None)
    tools = () if monitoring is None else map(monitoring.get_tool, range(6))
    return any((sys.gettrace(), sys.getprofile(), *tools))


if __name__ == "__main__":
    main()
