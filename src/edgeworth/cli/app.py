"""The command itself: what it is called, and how it ends."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn

from cyclopts import App, CycloptsError, Parameter

from edgeworth import __version__
from edgeworth.cli.bars import shown_progress
from edgeworth.cli.refusals import refused, usage
from edgeworth.errors import EdgeworthError

BAD_INPUT = 2
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A disk or a quota that is full, a file that may not grow."""
HELP = frozenset({"--help", "-h"})


def shown_default(value: Any) -> str | None:
    """What an option is if it is left out, for its help; that nothing is said then needs no words."""
    return None if value is None or value is False or value == () else str(value)


app = App(
    name="edgeworth",
    version=__version__,
    help="Are these predictions informed, or lucky? How sure is that, and what is the edge worth?",
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(show_default=shown_default),
)


COMMANDS = {
    "comparing": ("compare",),
    "demo": ("demo",),
    "evaluating": ("evaluate", "table", "trec"),
    "questions": ("chance", "kelly", "measures"),
    "tallying": ("tally", "merge", "report"),
}
"""The commands, by the file that says their words; it is loaded when one of them is called, or for help."""

for _file, _names in COMMANDS.items():
    for _name in _names:
        app.command(f"edgeworth.cli.{_file}:{_name}", name=_name)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. Exit code 0: done; 2: bad input, with a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a sign shows a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        _prepare_help(sys.argv[1:] if arguments is None else arguments)
        with shown_progress():
            app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        sys.stderr.write(f"edgeworth: {refused(error, _commands())}\n")
        sys.exit(BAD_INPUT)
    except EdgeworthError as error:
        sys.stderr.write(f"edgeworth: {error}\n")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader (head, less) has gone, which is no error.
        _discard_output()
        sys.exit(0)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        if error.filename is None:
            _discard_output()
        what = "standard output" if error.filename is None else error.filename
        sys.stderr.write(f"edgeworth: {what} cannot be written: {error.strerror}\n")
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(130)
    sys.exit(0)


def _discard_output() -> None:
    """Send what standard output still holds to nowhere: Python would try to write it again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _commands() -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _prepare_help(words: list[str]) -> None:
    """The help of a command says FILES where cyclopts would say ARGS; that of all says what each is for."""
    is_help, command = not HELP.isdisjoint(words), next(iter(words), None)
    if not words or (is_help and command not in _commands()):
        for name in _commands():
            _ = app[name]  # looking it up loads it, and with it what it is for
    elif is_help:
        app[words[0]].usage = usage(app, words[0])
