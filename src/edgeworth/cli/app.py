"""The command itself: its name, its exit codes, its help, and its errors for words that it does not know."""

from __future__ import annotations

import difflib
import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from cyclopts import (
    App,
    Argument,
    CycloptsError,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from edgeworth import __version__
from edgeworth.cli.progress_bars import shown_progress
from edgeworth.cli.streams import prepare_streams
from edgeworth.core.formatting import displayable
from edgeworth.errors import EdgeworthError

BAD_INPUT = 2
FAULT = 70
"""The code of sysexits.h for an error inside the program."""
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
"""A disk or a quota that is full, a file that may not grow, a stream that is closed or gone."""
HELP = frozenset({"--help", "-h"})


def shown_default(value: object) -> str | None:
    """Return the default shown in the help of an option; None shows nothing."""
    return None if value is None or value is False or value == () else str(value)


app = App(
    name="edgeworth",
    version=__version__,
    help="Evaluate predictions: are they better than chance, how sure is that, and which model is better?",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(show_default=shown_default),
)


COMMANDS = {
    "check": ("check", 'new.eval --baseline old.eval --require "accuracy no worse than baseline by 1pp"'),
    "compare": ("compare", "results.csv --truth label --prediction old --prediction new"),
    "evaluate": ("evaluate", "results.csv --truth label --prediction model --html report.html"),
    "diff": ("diff", "last-week.json today.json"),
    "table": ("evaluate", '"12 28; 18 42" --rows predicted'),
    "ranking": ("evaluate", "11010000"),
    "trec": ("evaluate", "qrels.txt run.txt --measure ndcg@10"),
    "noise": ("noise", 'run1.eval run2.eval --require "accuracy >= 0.8"'),
    "plan": ("plan", "--difference 2pp --accuracy 0.75 --agreement 0.85"),
    "reproduce": ("papers", "powers"),
    "preview": ("preview", "small.eval"),
    "chance": ("calculators", "--items 3000 --targets 245 --average-precision 0.10"),
    "kelly": ("calculators", "--probabilities 0.6 --odds 2"),
    "stakes": ("bets", "fixtures.csv --bankroll 1000 --fraction 0.25"),
    "ledger": ("bets", "bets.csv --period month"),
    "mixture": ("calculators", "--real .7,.3 --predicted .8,.2 --informed .15"),
    "measures": ("calculators", "youden"),
    "demo": ("calculators", ""),
    "desk": ("desk", "-o desk.html"),
    "tally": ("tally", "monday.csv --truth label --prediction model -o monday.json"),
    "merge": ("tally", "monday.json tuesday.json -o week.json"),
    "report": ("tally", "week.json --html week.html"),
}
"""The commands: the module that defines each, loaded when it is called or for help, and an example."""

for _name, (_file, _) in COMMANDS.items():
    app.command(f"edgeworth.cli.{_file}:{_name}", name=_name)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. Exit code 0: done; 2: bad input, with a sentence on standard error; 70: our fault."""
    _open_closed_streams()
    prepare_streams()
    if os.environ.get("COLUMNS") == "0":
        del os.environ["COLUMNS"]  # the width is unknown, which is not a width of nothing
    try:
        _prepare_help(sys.argv[1:] if arguments is None else arguments)
        with shown_progress(), warnings.catch_warnings():
            # What overflows is reported as undefined: NumPy's warnings would only repeat it.
            warnings.simplefilter("ignore", RuntimeWarning)
            app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        _fail(_usage_error(error))
    except EdgeworthError as error:
        from edgeworth.pipeline.call_options import UnsupportedOptionError

        _fail(error.on_command if isinstance(error, UnsupportedOptionError) else str(error))
    except MemoryError:
        _fail("there is not enough memory for this: read fewer columns or rows, or use a larger machine")
    except BrokenPipeError:
        # The reader (head, less) has gone, which is no error.
        _discard_output()
    except OSError as error:
        if error.errno not in CANNOT_WRITE:
            _fail(_fault(error), FAULT)
        if error.filename is None:
            _discard_output()
        _fail(f"{error.filename or 'standard output'} cannot be written: {error.strerror}")
    except KeyboardInterrupt as stop:
        _fail("interrupted", stop.args[0] if stop.args else 130)
    except Exception as error:  # any other error is reported, with another code than bad input
        _fail(_fault(error), FAULT)
    sys.exit(0)


def _open_closed_streams() -> None:
    """Open closed streams to nowhere, because the next file to be opened would take their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # Writing to standard output is to fail, and what goes to standard error is lost.
            nothing = os.open(os.devnull, os.O_RDWR if name == "stderr" else os.O_RDONLY)
            os.dup2(nothing, number)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def print_note(sentence: str) -> None:
    """Write a sentence to standard error, if anybody listens; names in it can hold anything."""
    try:
        sys.stderr.write(f"edgeworth: {displayable(sentence)}\n")
        sys.stderr.flush()
    except OSError:
        _discard_output(sys.stderr)


def _fail(sentence: str, code: int = BAD_INPUT) -> NoReturn:
    print_note(sentence)
    sys.exit(code)


def _fault(error: Exception) -> str:
    """Report an error that the input did not cause, and where it arose."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"this is a bug in Edgeworth, please report it: {type(error).__name__} in {where}: {error}"


def _discard_output(stream: TextIO | None = None) -> None:
    """Discard what a stream still holds, because Python would try to write it again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def _commands() -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _prepare_help(words: list[str]) -> None:
    """Write FILES instead of ARGS in the help of a command, and one line per command in the overview."""
    is_help, command = not HELP.isdisjoint(words), next(iter(words), None)
    if not words or (is_help and command not in _commands()):
        for name in _commands():
            _ = app[name]  # looking it up loads it, and with it what it is for
    elif is_help:
        arguments = app[words[0]].assemble_argument_collection()
        needed = [
            _option(argument) for argument in arguments if argument.required and not _is_place(argument)
        ]
        places = [_place(argument) for argument in arguments if _is_place(argument)]
        app[words[0]].help_epilogue = f"Example: edgeworth {words[0]} {COMMANDS[words[0]][1]}".rstrip()
        app[words[0]].usage = " ".join([app.name[0], words[0], *needed, "[OPTIONS]", *places])


def _usage_error(error: CycloptsError) -> str:
    """Write what a command needed instead of the words that it got."""
    command = " ".join(error.command_chain or ())
    if type(error) is MissingArgumentError and error.argument is not None:
        return _missing(error, error.argument, command)
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        saw = ", ".join(map(repr, error.unused_tokens))
        places = [
            _label(argument)
            for argument in app[command].assemble_argument_collection()
            if _is_place(argument)
        ]
        if not places:
            return f"{command} takes only options; saw {saw}"
        number = "one thing" if len(places) == 1 else f"{len(places)} things"
        quotes = "(put an argument with spaces in quotes)"
        return f"{command} takes {number}, {', '.join(places)}; saw also {saw} {quotes}"
    if isinstance(error, RepeatArgumentError):
        from edgeworth.cli.compare import SYSTEMS

        is_system = command == "evaluate" and (error.token.keyword or "").removeprefix("--") in SYSTEMS
        named = [x for x in app[command].assemble_argument_collection() if error.token.keyword in x.names]
        is_list = any("…" in (argument.parameter.metavar or "") for argument in named)
        so = f"pass it once{', with several columns separated by commas' if is_list else ''}"
        so = "evaluate judges one system; edgeworth compare compares two or more" if is_system else so
        return f"{error.token.keyword} is given twice: {so}"
    if isinstance(error, UnknownOptionError):
        return unknown_option(error.token.keyword or error.token.value, command)
    if isinstance(error, UnknownCommandError) and error.unused_tokens:
        word = error.unused_tokens[0]
        near = [f" (did you mean {name!r}?)" for name in difflib.get_close_matches(word, _commands(), n=1)]
        return f"there is no command {word!r}{''.join(near)}; there are {', '.join(_commands())}"
    return str(error)


def unknown_option(word: str, command: str) -> str:
    """Name the command that has an option, or the option of this command that is nearest."""
    from edgeworth.pipeline.call_options import NAMES_ELSEWHERE
    from edgeworth.report.wording import enumerate_names

    arguments = {name: app[name].assemble_argument_collection() for name in _commands()}
    known = {
        name: [x for argument in collection for x in argument.names] for name, collection in arguments.items()
    }
    listed = f"edgeworth {command} --help lists its options."
    meant = _meant_by(word, command, known[command])
    known_here = set(known[command])
    elsewhere = NAMES_ELSEWHERE.get(word.removeprefix("--").replace("-", "_"), "")
    other_words = [name for name in (word.removesuffix("s"), f"--{elsewhere}") if name in known_here]
    having = [name for name, options in known.items() if word in options]
    if having and not other_words:
        others = f"{enumerate_names(having)} {'has' if len(having) == 1 else 'have'} it."
        return f"{command} has no option {word}; {others} {meant or listed}"
    begun = other_words or sorted((option for option in known_here if option.startswith(word)), key=len)
    near = begun or difflib.get_close_matches(word, known[command], n=1, cutoff=0.7)
    return f"Unknown option: {word}. {meant or (f'Did you mean {near[0]}?' if near else listed)}"


OPTIONS_OF_RUNS = ("--run", "--runs", "--rerun", "--reruns", "--repeat", "--repeats")
"""What users call a column of runs, which needs no option."""


def _meant_by(word: str, command: str, known: Sequence[str]) -> str:
    """Advise what to do instead of an option that the command has no need of."""
    if (command, word) == ("noise", "--system"):
        return "noise is about the runs of one system: pass only its rows."
    if word in OPTIONS_OF_RUNS and "--id" in known:
        return "Rows with the same --id are runs of one item, so --id COLUMN is enough."
    return ""


def _missing(error: MissingArgumentError, argument: Argument, command: str) -> str:
    help_text = (argument.parameter.help or "").rstrip(".")
    why = f": {help_text[:1].lower()}{help_text[1:]}" if help_text else ""
    given = error.keyword or next((token.keyword for token in argument.tokens if token.keyword), None)
    if given is not None:
        seen = ", ".join(map(repr, error.tokens_so_far)) or "nothing"
        return f"{given} is followed by {_value(argument)}; saw {seen}{why}"
    if _is_place(argument):
        return f"{command} needs {_label(argument)}{why}"
    short = [name for name in argument.names if not name.startswith("--")]
    also = f" ({', '.join(short)})" if short else ""
    # A misspelt option may have been taken for a file, since - is one.
    words = [word for word in error.root_input_tokens or () if word.startswith("--")]
    near = [f"; saw {word!r}" for word in difflib.get_close_matches(argument.name, words, n=1, cutoff=0.75)]
    return f"{command} needs {_option(argument)}{also}{why}{''.join(near)}"


def _is_place(argument: Argument) -> bool:
    return argument.field_info.is_positional and not argument.field_info.is_keyword


def _label(argument: Argument) -> str:
    return argument.name.lstrip("-").upper()


def _place(argument: Argument) -> str:
    is_several = argument.field_info.kind is argument.field_info.VAR_POSITIONAL
    return argument.parameter.metavar or _label(argument) + ("..." if is_several else "")


def _option(argument: Argument) -> str:
    return f"{argument.name} {_value(argument)}"


def _value(argument: Argument) -> str:
    """Name what follows an option: its metavar, its choices, or its kind of number."""
    choices = "|".join(argument.get_choices() or ())
    return argument.parameter.metavar or choices or {int: "INT", float: "FLOAT"}.get(argument.hint, "VALUE")
