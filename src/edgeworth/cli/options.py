"""The command's options, made from the definitions in ``edgeworth.core.options``, and how words are read."""

from __future__ import annotations

import contextlib
import csv
import functools
import inspect
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, get_args

from cyclopts import Group, Parameter, Token

from edgeworth.common.choices import BookmakerName, OddsForm, RankingMethod
from edgeworth.core.options import PANELS, EvaluateOptions, Option, PredictionColumns, options_of
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.formats import list_words

if TYPE_CHECKING:
    from edgeworth.bet import Bookmaker

OptionValue: TypeAlias = Any  # type: ignore[explicit-any]  # cyclopts passes values by name
"""The value of an option as cyclopts read it; the Python functions check it."""
ReadableType: TypeAlias = Any  # type: ignore[explicit-any]  # a type as a value
"""A type that cyclopts reads words into."""

Command: TypeAlias = Callable[..., None]  # type: ignore[explicit-any]  # each has its own parameters
"""A function that runs a command."""

GROUPS = {name: Group.create_ordered(name) for name in PANELS}

# A label, and the name of standard output, may begin with a hyphen.
Hyphen = Parameter(allow_leading_hyphen=True)
FILES_HELP = f"""Files of predictions with named columns: {list_words()}; folders, quoted patterns, or - for \
standard input."""
Files = Annotated[str, Hyphen, Parameter(help=FILES_HELP)]
NamedFiles = Annotated[
    str,
    Hyphen,
    Parameter(help=f"{FILES_HELP} NAME=FILE names the system of a run log, or of a file to compare."),
]


class OneProbability(TypedDict, total=False):
    """The command's word for probabilities of one class."""

    probability: Annotated[
        object, Option("The column of the positive class's probabilities.", "Probabilities")
    ]


class DrunkInterval(TypedDict, total=False):
    """How a bookmaker is described on the command line."""

    drunk_interval: Annotated[
        str | None,
        Option(
            "With --bookmaker drunken: the lowest and the highest price, 0,1 by default; from 1 on, odds.",
            "Bets",
            metavar="LOW,HIGH",
        ),
    ]
    bookmakers: Annotated[
        int, Option("With --bookmaker drunken: the number of bookmakers to show.", "Bets", default=1)
    ]


def whole(_type: object, tokens: Sequence[Token]) -> int:
    """Read a whole number as written; 1.5 is none."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"a whole number is needed; saw {tokens[0].value!r}") from None


Whole = Parameter(converter=whole)

READ: dict[object, tuple[ReadableType, Parameter]] = {
    object: (str, Parameter(metavar="COLUMN")),
    "columns": (str, Parameter(metavar="COLUMN,…")),
    "label": (str, Parameter(metavar="LABEL", allow_leading_hyphen=True)),
    "label,…": (str, Parameter(metavar="LABEL", allow_leading_hyphen=True)),
    "labels": (str, Parameter(metavar="LABEL,…", allow_leading_hyphen=True)),
    "bookmaker": (BookmakerName, Parameter()),
    "method": (RankingMethod, Parameter()),
    "range": (str, Parameter(allow_leading_hyphen=True)),
    "text": (str, Parameter(allow_leading_hyphen=True)),
    "texts": (tuple[str, ...], Parameter(negative="")),
    "whole": (int, Whole),
    int: (int, Whole),
    float: (float, Parameter()),
    bool: (bool, Parameter(negative="")),
    str: (str, Parameter()),
}
"""What cyclopts parses, by the ``read`` or the type of an option; options of other types are choices."""

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def with_options(
    *groups: type | str, several: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options to a command, which is called with what was typed, read, as keywords.

    They are those of groups, and single ones of evaluate by their names; ``several`` are options that may be
    given more than once, with their help.
    """
    several, single = several or {}, options_of(EvaluateOptions)
    found_in = ({x: single[x]} if isinstance(x, str) else options_of(x) for x in groups)
    options = {name: pair for group_options in found_in for name, pair in group_options.items()}
    options = {n: pair for n, pair in options.items() if pair[1].flag != "" and n not in several}
    own_parameters = [_of_systems(name, text) for name, text in several.items()]
    own_parameters += [_parameter(name, *pair) for name, pair in options.items()]

    def decorate(function: Command) -> Command:
        signature = inspect.signature(function, eval_str=True)
        mine = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]

        @functools.wraps(function)
        def command(*arguments: OptionValue, **typed: OptionValue) -> None:
            function(*arguments, **_read(typed, options))

        files = [parameter for parameter in mine if parameter.kind is not KEYWORD]
        parameters = [
            *files,
            *own_parameters,
            *(parameter for parameter in mine if parameter.kind is KEYWORD),
        ]
        command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by cyclopts
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return decorate


def _parameter(name: str, kind: ReadableType, option: Option) -> inspect.Parameter:
    """Describe an option to cyclopts: its type, how it is read, its help and its panel."""
    default = () if option.read == "texts" else option.default
    plain = next((argument for argument in get_args(kind) if argument in READ), kind)
    typed, how = READ.get(option.read or plain, (kind, Parameter()))
    flag = option.flag or name.replace("_", "-")
    what: dict[str, OptionValue] = {"help": option.help, "group": GROUPS[option.panel], "name": f"--{flag}"}
    if option.metavar is not None:
        what["metavar"] = option.metavar
    return _keyword(name, default, typed | None if default is None else typed, how, Parameter(**what))


def _of_systems(name: str, text: str) -> inspect.Parameter:
    panel = {**options_of(PredictionColumns), **options_of(OneProbability)}[name][1].panel
    metavar = "NAME=COLUMN,…" if name == "probabilities" else "COLUMN"
    what = Parameter(help=text, metavar=metavar, negative="", group=GROUPS[panel])
    return _keyword(name, (), tuple[str, ...], what)


def _keyword(name: str, default: object, kind: ReadableType, *what: Parameter) -> inspect.Parameter:
    return inspect.Parameter(name, KEYWORD, default=default, annotation=Annotated[kind, *what])


def _read(
    typed: dict[str, OptionValue], options: Mapping[str, tuple[object, Option]]
) -> dict[str, OptionValue]:
    """Turn what was typed into the options of the Python functions."""
    for name, (_, option) in options.items():
        if option.read in ("columns", "labels") and name in typed:
            typed[name] = split(typed[name])
        elif option.read == "label,…" and len(several := split(typed.get(name)) or ()) > 1:
            typed[name] = several
        elif option.read == "range" and typed.get(name) is not None:
            typed[name] = tuple(numbers(typed[name], option.flag or name))
        elif option.read == "texts":
            typed[name] = typed.get(name) or None
    if "probability" in options and typed.get("probability") is not None:
        if typed.get("probabilities") is not None:
            raise OptionError(
                "give either --probability (the positive class) or --probabilities (every class)"
            )
        typed["probabilities"] = typed.pop("probability")
    interval, number = typed.pop("drunk_interval", None), typed.pop("bookmakers", 1)
    if interval is not None or number != 1 or typed.get("bookmaker") is not None:
        typed["bookmaker"] = _bookmaker(typed.get("bookmaker"), typed.get("rng", 0), interval, number)
    return typed


def split(labels: str | None) -> list[str] | None:
    """Split labels at commas; a label with a comma is written in double quotes."""
    if labels is None:
        return None
    try:
        return [label.strip() for label in next(csv.reader([labels], skipinitialspace=True))]
    except csv.Error:
        # A line feed or a carriage return outside quotes, or a text that is far too long.
        raise OptionError(
            "a list cannot be read: separate names by commas, and write a name with a comma or a line break "
            f"in double quotes; saw {labels!r}"
        ) from None


def numbers(text: str, name: str) -> list[float]:
    """Read numbers separated by commas or blanks."""
    values = []
    for part in text.replace(",", " ").split():
        try:
            values.append(float(part))
        except ValueError:
            raise InputError(f"{name} must be numbers separated by commas; saw {part!r}") from None
    return values


def decimal_numbers(text: str, name: str, form: OddsForm, *, infinite: bool = False) -> list[float]:
    """Read odds as decimal odds; infinite ones, where nothing can be laid, stay."""
    from edgeworth.bet.odds import decimal_odds

    written: OddsForm
    decimals = []
    for number, part in enumerate(text.replace(",", " ").split(), start=1):
        if infinite and part.lower() in ("inf", "infinity", "∞"):
            decimals.append(math.inf)
            continue
        # 7:3 and 7/3 can only be meant one way.
        written = "fractional" if form == "decimal" and (":" in part or "/" in part) else form
        try:
            decimals.append(float(decimal_odds(part, form=written)))
        except InputError as error:
            other = "" if form != "decimal" else "; use --odds-form if the odds are written in another form"
            raise InputError(f"{name} of outcome {number}: {error}{other}") from None
    return decimals


def _bookmaker(name: BookmakerName | None, seed: int, interval: str | None, number: int) -> Bookmaker:
    """Make bookmakers by name, with prices from the interval."""
    if name is None:
        option = "bookmakers" if interval is None else "drunk-interval"
        raise OptionError(f"{option} needs --bookmaker drunken")
    from edgeworth.bet import BOOKMAKERS

    ends = [0.0, 1.0] if interval is None else numbers(interval, "drunk-interval")
    if len(ends) != 2:
        raise OptionError(f"drunk-interval is the lowest and the highest price: 0.15,0.85; saw {interval!r}")
    return BOOKMAKERS[name](ends[0], ends[1], rng=seed, bookmakers=number)


def named_files(files: tuple[str, ...], command: str) -> str | list[str]:
    """Take the files of a command: one by itself, several as a list."""
    from edgeworth.cli.app import unknown_option

    if not files:
        raise OptionError("name a file to read, or - for standard input")
    for name in files:
        # Standard input has a hyphen for a name, so a word that begins with one may arrive here.
        if name.startswith("-") and name != "-":
            raise OptionError(unknown_option(name.partition("=")[0], command))
    return files[0] if len(files) == 1 else list(files)


def split_names(files: tuple[str, ...]) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """Split ``NAME=FILE`` into systems by name, or None if no file is named, and the files themselves.

    A file that exists is meant as it is written. Files without a name are called after the file.
    """
    from edgeworth.sources.joining import name_systems

    pairs = [_split_name(word) for word in files]
    paths = tuple(path for _, path in pairs)
    if not any(name for name, _ in pairs):
        return None, files
    systems: dict[str, str] = {}
    for (given, path), usual in zip(pairs, name_systems(paths), strict=True):
        name = given or usual
        if name in systems:
            raise OptionError(f"two systems are called {name!r}: give each a name of its own")
        systems[name] = path
    return systems, paths


def _split_name(word: str) -> tuple[str, str]:
    """Split a word into a name and a file; a pattern or a path that holds a = has no name."""
    name, sign, path = word.partition("=")
    is_path = not sign or not path or not name or any(mark in name for mark in "/\\*?[:") or name[0] == "-"
    return ("", word) if is_path or os.path.lexists(word) else (name, path)


FILE_OPTIONS = ("truth_file", "costs", "qrels")
"""Options that may name a file to read."""


def input_files(files: Sequence[str], options: Mapping[str, object]) -> list[str]:
    """List every file that a command reads: none of them may be written over.

    Folders and patterns are listed by the files in them, and run logs with the files beside them.
    """
    from edgeworth.sources.paths import expand_paths
    from edgeworth.sources.runs.reading import log_files

    values = (options.get(name) for name in FILE_OPTIONS)
    named = [*files, *(value for value in values if isinstance(value, str))]
    paths = list(named)
    for name in named:
        # NAME=path names a system. A file that cannot be found is reported when it is opened.
        for path in filter(None, (name, name.partition("=")[2])):
            for list_files in (expand_paths, log_files):
                with contextlib.suppress(InputError, OSError, ValueError):
                    paths += map(str, list_files(path))
    return paths
