"""What was asked: options filled in and checked, and the Python functions that take them."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from edgeworth.core.kinds import Kind, find_predictions
from edgeworth.core.options import (
    COMPARED,
    RUN_LOGS,
    SEVERAL,
    CompareOptions,
    EvaluateOptions,
    Option,
    Options,
    PredictionColumns,
    TallyOptions,
    options_of,
)
from edgeworth.errors import OptionError

Function = TypeVar("Function", bound=Callable[..., Any])


def takes(group: type) -> Callable[[Function], Function]:
    """Give a function that takes ``**options`` the signature and the documentation of a group of options."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        names = {each.name for each in own}
        options = {name: pair for name, pair in options_of(group).items() if name not in names}

        @functools.wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in options and name not in names:
                    said = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    raise TypeError(f"{said}{_nearest(name, [*names, *options])}")
            if len(arguments) > len(own) or any(each.name in given for each in own[: len(arguments)]):
                others = "data=…" if "data" in options else "truth=…, prediction=…"
                said = f"{function.__name__}() takes {' and '.join(each.name for each in own)} by place"
                raise TypeError(f"{said}, everything else by name: {others}")
            return function(*arguments, **given)

        parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kind)
            for name, (kind, option) in options.items()
        ]
        call.__signature__ = signature.replace(parameters=[*own, *parameters])  # type: ignore[attr-defined]  # read by inspect
        call.__doc__ = _with_parameters(function.__doc__ or "", options)
        return call  # type: ignore[return-value]  # the same function, called with checked names

    return decorate


def _nearest(name: str, known: list[str]) -> str:
    """Name the parameter that may be meant: ``prediction`` of evaluate are the ``systems`` of compare."""
    is_system = "systems" in known and name in {*options_of(PredictionColumns), "probability"}
    near = ["systems"] if is_system else difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _with_parameters(text: str, options: Mapping[str, tuple[Any, Option]]) -> str:
    """Put the options below what a docstring says of the function's own parameters."""
    lines = [f"    {name} : optional\n        {option.help}" for name, (_, option) in options.items()]
    head, mark, tail = text.partition("\n\n    Returns\n")
    return f"{head}\n" + "\n".join(lines) + f"{mark}{tail}"


# -- what was asked --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """The options of one call, defaults filled in: ``asked.missing``. ``predictions`` is set once checked."""

    given: Mapping[str, Any]
    predictions: str = ""
    compared: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, group: type, given: Mapping[str, Any]) -> Asked:
        """Fill in what was left out, and refuse a word that an option does not know."""
        options = options_of(group)
        for name, value in given.items():
            words = _words(options[name][0])
            if words and value is not None and value not in words:
                raise OptionError(f"{name} is one of {', '.join(words)}; saw {value!r}")
        defaults = {name: option.default for name, (_, option) in options.items()}
        return cls(defaults | dict(given), compared=group is CompareOptions)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["given"][name]
        except KeyError:
            raise AttributeError(name) from None

    def get(self, name: str, default: Any = None) -> Any:
        """Look an option up that this call may not have."""
        return self.given.get(name, default)

    @property
    def options(self) -> Options:
        """Every option: those of this call, and the defaults of all others."""
        defaults = {name: option.default for name, (_, option) in options_of(Options).items()}
        return cast(Options, {**defaults, **self.given})

    def having(self, **values: Any) -> Asked:
        """Make the same with other values of some options."""
        return replace(self, given={**self.given, **values})

    def with_folds(self, *, are_ranked: bool) -> Asked:
        """Rank within folds, each a list as a query is (of several systems: a part); others are slices."""
        if self.get("fold") is None:
            return self
        asked = self.having(predictions_made=self.predictions_made or "cross-validated")
        other = "by" if not are_ranked else "cluster" if self.compared else "query"
        if other not in self.given:
            raise OptionError("fold has no meaning with a tally: evaluate and compare tell how each fold did")
        if self.get(other) is not None:
            raise OptionError(f"fold and {other} are both given: give one of them")
        is_named = are_ranked or isinstance(self.fold, str)
        return asked.having(**{other: self.fold if is_named else {"fold": self.fold}})

    def checked(self, predictions: str) -> Asked:
        """Refuse options that mean nothing with these predictions: who gives them believes in them."""
        for name, value in self.given.items():
            _, option = DEFINED[name]
            kinds = COMPARED.get(name, option.kinds) if self.compared else option.kinds
            if kinds == (RUN_LOGS,) and is_given(value, option):
                raise OptionError(f"{flag_name(name)} is for run logs, and no run log is given")
            if predictions not in kinds and is_given(value, option):
                what = NAMES.get(predictions, predictions)
                raise OptionError(f"{flag_name(name)} has no meaning with {what}")
        return replace(self, predictions=predictions)

    def refuse_all_but(self, known: Collection[str]) -> None:
        """Refuse options that say how to count, for a tally is counted already."""
        for name, value in self.given.items():
            if name not in known and is_given(value, DEFINED[name][1]):
                raise OptionError(f"{flag_name(name)} has no meaning with a tally, which is counted already")

    @property
    def tally_kind(self) -> Kind[Any]:
        """The kind of tally that such predictions are counted in."""
        return find_predictions(self.predictions)


def _words(kind: Any) -> tuple[str, ...]:
    """List the words that an option takes, where it takes nothing else."""
    kinds = [kind] if get_origin(kind) is Literal else [x for x in get_args(kind) if x is not type(None)]
    are_words = all(get_origin(each) is Literal for each in kinds)
    return tuple(word for each in kinds for word in get_args(each)) if are_words else ()


NAMES = {SEVERAL: "labels of several systems"}
"""What predictions are called in sentences, where that is not their own name."""

DEFINED: dict[str, tuple[Any, Option]] = {
    **options_of(CompareOptions),
    **options_of(EvaluateOptions),
    **options_of(TallyOptions),
}
"""Every option by name."""


def flag_name(name: str) -> str:
    """Name an option for a sentence, with its spelling on the command where that differs.

    >>> flag_name("predictions_made"), flag_name("measures"), flag_name("time")
    ('predictions_made (--predictions-made)', 'measures (--measure)', 'time')
    """
    given = DEFINED[name][1].flag
    flag = name.replace("_", "-") if given is None else given
    return f"{name} (--{flag})" if flag and flag != name else name


def is_given(value: Any, option: Option) -> bool:
    """Tell whether an option was given, and not just its default."""
    is_default = isinstance(value, (str, int, float)) and value == option.default
    return value is not None and value is not False and not is_default
