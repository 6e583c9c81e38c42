"""The options of one call: filled in, checked against the predictions, and shown in signatures."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Literal, ParamSpec, Self, TypeVar, Union, Unpack, cast, get_args, get_origin

from edgeworth.core.kinds import AnyKind, Kind, find_predictions
from edgeworth.core.options import (
    COMPARED,
    EVERY,
    GRADES,
    RUN_LOGS,
    SEVERAL,
    EvaluateOptions,
    Option,
    Options,
    PredictionColumns,
    Verb,
    options_of,
    select_options,
)
from edgeworth.core.random_seeds import make_seed
from edgeworth.errors import OptionError

P = ParamSpec("P")
Result = TypeVar("Result")


def with_signature_of(group: type) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Add the signature and the documentation of a group of options to a function of ``**options``."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        own = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        positional = [parameter.name for parameter in own if parameter.kind is not parameter.KEYWORD_ONLY]
        names = {parameter.name for parameter in own}
        options = {name: pair for name, pair in options_of(group).items() if name not in names}

        @functools.wraps(function)
        def call(*arguments: P.args, **given: P.kwargs) -> Result:
            for name in given:
                if name not in options and name not in names:
                    message = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    raise TypeError(f"{message}{_nearest(name, [*names, *options])}")
            if len(arguments) > len(positional) or any(
                name in given for name in positional[: len(arguments)]
            ):
                taken = " and ".join(positional)
                others = "systems={…}" if "systems" in names else "prediction=…"
                message = f"{function.__name__}() takes {taken} by position"
                raise TypeError(f"{message}, everything else by name: truth=…, {others}")
            return function(*arguments, **given)

        parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kind)
            for name, (kind, option) in options.items()
        ]
        call.__signature__ = signature.replace(parameters=[*own, *parameters])  # type: ignore[attr-defined]  # read by inspect
        call.__doc__ = _with_parameters(function.__doc__ or "", options)
        return call

    return decorate


NAMES_ELSEWHERE = {
    **dict.fromkeys(("target", "targets", "label", "actual", "y_true"), "truth"),
    **dict.fromkeys(("predicted", "y_pred"), "prediction"),
    **dict.fromkeys(("proba", "prob", "y_prob"), "probability"),
    **dict.fromkeys(("y_score", "scores"), "score"),
    **dict.fromkeys(("group", "groups"), "cluster"),
    "sample_weight": "weight",
}
"""What other tools call an option."""


def _nearest(name: str, known: list[str]) -> str:
    """Suggest the parameter that may be meant: ``systems`` of compare for ``prediction`` of evaluate."""
    is_system = "systems" in known and name in {*options_of(PredictionColumns), "probability"}
    elsewhere = NAMES_ELSEWHERE.get(name, "")
    elsewhere = "probabilities" if elsewhere == "probability" else elsewhere
    near = [elsewhere] if elsewhere in known else difflib.get_close_matches(name, known, n=1)
    near = ["systems"] if is_system else near
    return f"; did you mean {near[0]!r}?" if near else ""


def _with_parameters(text: str, options: Mapping[str, tuple[object, Option]]) -> str:
    """Add the options to a docstring, below the function's own parameters."""
    lines = [
        f"    {name} : {_describe_type(kind, option)}\n        {option.in_python or option.help}"
        for name, (kind, option) in options.items()
    ]
    head, mark, tail = text.partition("\n\n    Returns\n")
    return f"{head}\n" + "\n".join(lines) + f"{mark}{tail}"


TYPES = {
    "Hashable": "label",
    "Sequence[Hashable]": "sequence of labels",
    "Sequence[str]": "sequence of str",
    "tuple[float, float]": "pair of float",
    "Kind[Any]": "Kind",
    "IntegerGenerator": "Generator",
}
"""Types in the words of numpydoc; other types have their own name."""


def _describe_type(kind: object, option: Option) -> str:
    """Write the type of an option and its default as numpydoc does.

    >>> _describe_type(Literal["drop", "error"], Option("", "Input", default="drop"))
    "{'drop', 'error'}, default 'drop'"
    >>> _describe_type(int | None, Option("", "Input"))
    'int, optional'
    """
    ending = "optional" if option.default is None else f"default {option.default!r}"
    if kind is object:
        is_column = option.read in (None, "columns") and option.flag != ""
        return f"column name or array, {ending}" if is_column else ending
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    names = []
    for member in members:
        if get_origin(member) is Literal:
            names.append("{" + ", ".join(map(repr, get_args(member))) + "}")
        elif member is not NoneType:
            name = re.sub(r"\b\w+\.", "", str(member) if get_args(member) else member.__name__)
            names.append(TYPES.get(name, name))
    return f"{' or '.join(names)}, {ending}"


# -- the options of one call -----------------------------------------------------------------------------


def fill_in(verb: Verb, group: type, given: Mapping[str, object]) -> Options:
    """Fill in the default of each option that was left out; refuse a word that an option does not know."""
    options = options_of(group)
    for name, value in given.items():
        words = _words(options[name][0])
        if words and value is not None and not isinstance(value, Kind) and value not in words:
            raise OptionError(f"{name} is one of {', '.join(words)}; saw {value!r}")
    defaults = {name: option.default for name, (_, option) in DEFINED.items()}
    filled = cast(Options, {**defaults, **given, "verb": verb, "predictions": ""})
    seed = make_seed(filled["rng"])
    return change(filled, rng=seed, seed=seed)


def change(options: Options, **changes: Unpack[Options]) -> Options:
    """Return the options with other values for some of them."""
    return {**options, **changes}


def set_columns(options: Options, columns: Mapping[str, object]) -> Options:
    """Return the options with other columns, or arrays, for some roles."""
    return cast(Options, {**options, **columns})


def given_options(options: Options) -> dict[str, object]:
    """Return the options that differ from their defaults."""
    every = cast(Mapping[str, object], options)
    return {name: every[name] for name, (_, option) in DEFINED.items() if is_given(every[name], option)}


def with_folds(options: Options, *, are_ranked: bool) -> Options:
    """Rank scores within folds, and report other predictions by fold.

    A fold of scores is one ranked list, as a query is. For other predictions folds are slices.
    """
    fold = options["fold"]
    if fold is None:
        return options
    if options["verb"] == "tally":
        raise OptionError("fold is not supported with a tally: evaluate and compare report each fold")
    options = change(options, predictions_made=options["predictions_made"] or "cross-validated")
    if are_ranked and options["verb"] == "compare":
        return options
    role = "query" if are_ranked else "by"
    if select_options(options, [role])[role] is not None:
        raise OptionError(f"fold and {role} are both given: give one of them")
    is_named = are_ranked or isinstance(fold, str)
    return set_columns(options, {role: fold if is_named else {"fold": fold}})


INSTEAD = {
    "costs": ("cost_miss", "cost_false_alarm"),
    "cost_miss": ("costs",),
    "cost_false_alarm": ("costs",),
}
"""Options that do the same for other predictions."""


class UnsupportedOptionError(OptionError):
    """An option that cannot be used with the data, or with other options of the call."""

    on_command = ""
    """The message with options as they are typed on the command line."""

    @classmethod
    def of(cls, name: str, reason: str, instead: Sequence[str] = ()) -> Self:
        """Name the option, why it is refused, and what to use instead."""
        messages = []
        for write in (flag_name, typed_name):
            use = f": use {' and '.join(map(write, instead))}" if instead else ""
            messages.append(f"{write(name)} {reason}{use}")
        error = cls(messages[0])
        error.on_command = messages[1]
        return error


def check_options(options: Options, predictions: str) -> Options:
    """Refuse options that mean nothing with these predictions, and note what the predictions are."""
    are_compared, own = options["verb"] == "compare", own_kind(options)
    for name in given_options(options):
        kinds = _kinds(name, options)
        if kinds == (RUN_LOGS,):
            raise UnsupportedOptionError.of(name, "is for run logs, and no run log is given")
        is_own = own is not None and (kinds == EVERY or name in (*own.roles, *own.options))
        if predictions not in kinds and not is_own:
            title = NAMES.get(predictions, predictions) if own is None else own.title
            if options["fold"] is not None and not are_compared and find_predictions(predictions).ranks_folds:
                title = "folds of scores"
            hint = ": give the column as cluster" if name == "id" and are_compared else ""
            instead = [other for other in INSTEAD.get(name, ()) if predictions in _kinds(other, options)]
            raise UnsupportedOptionError.of(name, f"is not supported with {title}{hint}", instead)
    return change(options, predictions=predictions)


def _kinds(name: str, options: Options) -> tuple[str, ...]:
    """List the kinds of predictions that an option of the call is for."""
    kinds = DEFINED[name][1].kinds
    return COMPARED.get(name, kinds) if options["verb"] == "compare" else kinds


def refuse_all_but(options: Options, known: Collection[str]) -> None:
    """Refuse options that act on rows, because a tally is counted already."""
    for name in given_options(options):
        if name not in known:
            reason = "is not supported with a tally, because its rows are already counted"
            raise UnsupportedOptionError.of(name, reason)


def own_kind(options: Options) -> AnyKind | None:
    """Return the kind that the caller passed, or None if the predictions decide it."""
    kind = options["kind"]
    return kind if isinstance(kind, Kind) else None


def requested_kind(options: Options) -> AnyKind | None:
    """Return the kind that the caller passed or named, or None if the predictions decide it."""
    kind = options["kind"]
    return find_by_word(kind) if isinstance(kind, str) else kind


def find_by_word(word: str) -> AnyKind:
    """Find the kind of predictions that a user named: right or wrong answers are grades."""
    return find_predictions(GRADES if word == "correct" else word)


def tally_kind(options: Options) -> AnyKind:
    """Return the kind of tally that the predictions are read into."""
    own = own_kind(options)
    return find_predictions(options["predictions"]) if own is None else own


def _words(kind: object) -> tuple[str, ...]:
    """List the words that an option takes, if it takes no other text."""
    types = [kind] if get_origin(kind) is Literal else [x for x in get_args(kind) if x is not type(None)]
    literals = [x for x in types if get_origin(x) is not Kind]
    are_words = all(get_origin(x) is Literal for x in literals)
    return tuple(word for literal in literals for word in get_args(literal)) if are_words else ()


NAMES = {SEVERAL: "labels of several systems"}
"""What predictions are called in sentences, if that is not their own name."""

DEFINED: Mapping[str, tuple[object, Option]] = {**options_of(Options), **options_of(EvaluateOptions)}
"""Every option by name."""


def flag_name(name: str) -> str:
    """Name an option for a sentence, with its spelling on the command if that differs.

    >>> flag_name("predictions_made"), flag_name("measures"), flag_name("time")
    ('predictions_made (--predictions-made)', 'measures (--measure)', 'time')
    """
    typed = typed_name(name)
    return name if typed in (name, f"--{name}") else f"{name} ({typed})"


def typed_name(name: str) -> str:
    """Write an option as it is typed on the command line.

    >>> typed_name("predictions_made"), typed_name("measures")
    ('--predictions-made', '--measure')
    """
    own_flag = DEFINED[name][1].flag
    flag = name.replace("_", "-") if own_flag is None else own_flag
    return f"--{flag}" if flag else name


def is_given(value: object, option: Option) -> bool:
    """Return whether an option was given, and not just its default."""
    is_default = isinstance(value, (str, int, float)) and value == option.default
    return value is not None and value is not False and not is_default
