"""The command itself: what it is called, and how it ends."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from cyclopts import App, CycloptsError

from edgeworth import __version__
from edgeworth.cli.bars import shown_progress
from edgeworth.errors import EdgeworthError

BAD_INPUT = 2

app = App(
    name="edgeworth",
    version=__version__,
    help="Are these predictions informed, or lucky? How sure is that, and what is the edge worth?",
    suppress_keyboard_interrupt=False,
)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. Exit code 0: done; 2: bad input, with a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a sign shows a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        with shown_progress():
            app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except (EdgeworthError, CycloptsError) as error:
        sys.stderr.write(f"edgeworth: {error}\n")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader (head, less) has gone, which is no error; nothing more may be written to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(130)
    sys.exit(0)
