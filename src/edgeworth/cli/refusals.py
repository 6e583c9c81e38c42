"""What is wrong with the words of a command, in a sentence that says what was needed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnusedCliTokensError

if TYPE_CHECKING:
    from cyclopts import App, Argument

NUMBERS = {int: "INT", float: "FLOAT"}


def refused(error: CycloptsError, commands: Iterable[str]) -> str:
    """The sentence; ``commands`` are all that there are."""
    if type(error) is MissingArgumentError and error.argument is not None:
        return _missing(error, error.argument)
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        return _unused(error, error.unused_tokens)
    if isinstance(error, UnknownCommandError) and error.unused_tokens:
        word = error.unused_tokens[0]
        return f"there is no command {word!r}{_near(word, commands)}; there are {', '.join(commands)}"
    return str(error)


def usage(app: App, command: str) -> str:
    """How a command is called: what it needs, and its arguments as its help names them."""
    arguments = app[command].assemble_argument_collection()
    needed = [_option(each) for each in arguments if each.required and not _is_place(each)]
    places = [_place(each) for each in arguments if _is_place(each)]
    return " ".join([app.name[0], command, *needed, "[OPTIONS]", *places])


def _missing(error: MissingArgumentError, argument: Argument) -> str:
    command = " ".join(error.command_chain or ())
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
    near = _nearest(argument.name, words, cutoff=0.75)
    return f"{command} needs {_option(argument)}{also}{why}" + (f"; saw {near[0]!r}" if near else "")


def _unused(error: UnusedCliTokensError, words: list[str]) -> str:
    command = " ".join(error.command_chain or ())
    saw = ", ".join(map(repr, words))
    taken = [] if error.target is None else _positional(error.target)
    if not taken:
        return f"{command} takes nothing but options; saw {saw}"
    number = "one thing" if len(taken) == 1 else f"{len(taken)} things"
    named = ", ".join(name.upper() for name in taken)
    return f"{command} takes {number}, {named}; saw also {saw} (what holds blanks stands in quotes)"


def _positional(function: Any) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [name for name, each in inspect.signature(function).parameters.items() if each.kind in kinds]


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
    """What stands after an option: its metavar, its choices, or what kind of thing it is."""
    if argument.parameter.metavar is not None:
        return argument.parameter.metavar
    choices = argument.get_choices()
    return "|".join(choices) if choices else NUMBERS.get(argument.hint, "VALUE")


def _near(word: str, known: Iterable[str]) -> str:
    near = _nearest(word, list(known))
    return f" (did you mean {near[0]!r}?)" if near else ""


def _nearest(word: str, known: list[str], cutoff: float = 0.6) -> list[str]:
    import difflib

    return difflib.get_close_matches(word, known, n=1, cutoff=cutoff)
