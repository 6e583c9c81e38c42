"""The command's options, made from the definitions in ``edgeworth.options``."""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, get_args

from cyclopts import Parameter

from edgeworth.choices import BookmakerName
from edgeworth.cli.arguments import PANELS, Column, Hyphen, Label, Whole, named_bookmaker, split
from edgeworth.cli.output import Output
from edgeworth.errors import InputError, OptionError
from edgeworth.options import Option, flag_of, options_of
from edgeworth.sources.formats import list_words

Files = Annotated[
    str,
    Hyphen,
    Parameter(
        help=f"Files of predictions with named columns: {list_words()}; folders, quoted patterns, or - for "
        "standard input."
    ),
]
OWN: dict[str, tuple[Any, Option]] = {
    "engine": (
        Literal["auto", "spark"],
        Option("What reads the files: what suits them, or Spark.", "Input", default="auto"),
    ),
    "probability": (Any, Option("The column of the positive class's probabilities.", "Probabilities")),
    "bookmaker": (BookmakerName | None, Option("Bet against prices drawn at random.", "Bets")),
    "drunk_interval": (
        str,
        Option(
            "With --bookmaker drunken: the lowest and the highest price, 0,1 if left out.",
            "Bets",
            metavar="LOW,HIGH",
        ),
    ),
}
"""Options that only the command has, or reads in its own way."""

READ: dict[Any, tuple[Any, Parameter]] = {
    Any: (str, Column),
    "columns": (str, Parameter(metavar="COLUMN,…")),
    "label": (str, Label),
    "labels": (str, Parameter(metavar="LABEL,…", allow_leading_hyphen=True)),
    "texts": (tuple[str, ...], Parameter(negative="")),
    "whole": (int, Whole),
    int: (int, Whole),
    float: (float, Parameter()),
    bool: (bool, Parameter(negative="")),
    str: (str, Parameter()),
}
"""The type of what is typed, and how it is read, by what an option says or its type; the rest are choices."""

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def with_options(
    *groups: type, several: Mapping[str, str] | None = None, own: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these groups; it is called with what was typed, read, as keywords.

    ``several`` are options that may be given more than once, with their help; ``own`` adds those that only
    the command has.
    """
    several = several or {}
    options = {name: pair for group in groups for name, pair in options_of(group).items()}
    options = {name: pair for name, pair in options.items() if flag_of(name) and name not in several}
    found = [_parameter(name, *pair) for name, pair in options.items()]
    found += [_of_systems(name, text) for name, text in several.items()]
    found += [_parameter(name, *pair) for name, pair in OWN.items()] if own else []

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        mine = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]

        @functools.wraps(function)
        def command(*arguments: Any, **typed: Any) -> None:
            function(*arguments, **_read(typed, options))

        files = [each for each in mine if each.kind is not KEYWORD]
        parameters = [*files, *found, *(each for each in mine if each.kind is KEYWORD)]
        command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by cyclopts
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _parameter(name: str, kind: Any, option: Option) -> inspect.Parameter:
    """Describe an option to cyclopts: its type, how it is read, its help and its panel."""
    default = () if option.read == "texts" else option.default
    plain = next((each for each in get_args(kind) if each in READ), kind)
    typed, how = READ.get(option.read or plain, (kind, Parameter()))
    flag = option.flag or name.replace("_", "-")
    what: dict[str, Any] = {"help": option.help, "group": PANELS[option.panel], "name": f"--{flag}"}
    if option.metavar is not None:
        what["metavar"] = option.metavar
    return _keyword(name, default, typed | None if default is None else typed, how, Parameter(**what))


def _of_systems(name: str, text: str) -> inspect.Parameter:
    panel = {"prediction": "Labels", "score": "Scores"}.get(name, "Probabilities")
    metavar = "NAME=COLUMN,…" if name == "probabilities" else "COLUMN"
    what = Parameter(help=text, metavar=metavar, negative="", group=PANELS[panel])
    return _keyword(name, (), tuple[str, ...], what)


def _keyword(name: str, default: Any, kind: Any, *what: Parameter) -> inspect.Parameter:
    return inspect.Parameter(name, KEYWORD, default=default, annotation=Annotated[kind, *what])


def _read(typed: dict[str, Any], options: Mapping[str, tuple[Any, Option]]) -> dict[str, Any]:
    """Turn what was typed into the options of the Python functions."""
    for name, (_, option) in options.items():
        if option.read in ("columns", "labels") and name in typed:
            typed[name] = split(typed[name])
        elif option.read == "texts":
            typed[name] = typed.get(name) or None
    if typed.get("engine") == "auto":
        typed["engine"] = None
    if "probability" in options or isinstance(typed.get("probability"), tuple):
        return typed
    one = typed.pop("probability", None)
    if one is not None:
        if typed.get("probabilities") is not None:
            raise OptionError(
                "give either --probability, of the positive class, or --probabilities, of each class"
            )
        typed["probabilities"] = one
    interval = typed.pop("drunk_interval", None)
    if interval is not None or typed.get("bookmaker") is not None:
        typed["bookmaker"] = named_bookmaker(typed.get("bookmaker"), typed.get("seed", 0), interval)
    return typed


def named_files(files: tuple[str, ...], command: Callable[..., Any]) -> Any:
    """Take the files of a command: one by itself, several as a list."""
    if not files:
        raise OptionError("name a file to read, or - for standard input")
    for name in files:
        # Standard input has a hyphen for a name, so a word that begins with one may arrive here.
        if name.startswith("-") and name != "-":
            near = difflib.get_close_matches(name.partition("=")[0], _flags(command), n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise OptionError(f"Unknown option: {name}.{hint}")
    return files[0] if len(files) == 1 else list(files)


def read_files(files: tuple[str, ...]) -> list[str]:
    """List every file that will be read, those of folders and patterns by name: none is written over."""
    from edgeworth.sources.paths import expand_paths

    found = list(files)
    for name in files:
        # What cannot be found is told when it is opened.
        with contextlib.suppress(InputError):
            found += map(str, expand_paths(name))
    return found


def _flags(command: Callable[..., Any]) -> list[str]:
    taken = inspect.signature(command).parameters.values()
    names = [each.name for each in taken if not isinstance(each.default, Output)]
    names += [field.name for field in fields(Output)]
    return [f"--{name.replace('_', '-')}" for name in names]
