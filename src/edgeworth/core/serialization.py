"""Tallies as plain values: every class declares its fields, and files are checked field by field."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.core.formatting import html_table, shorten
from edgeworth.core.kinds import every_kind, find_kind
from edgeworth.core.tallies import Tally
from edgeworth.errors import EdgeworthError, InputError, OptionError
from edgeworth.sources.columns import Label

LoadedArray: TypeAlias = NDArray[Any]  # type: ignore[explicit-any]  # a field decides its dtype

NEEDED: JsonValue = object()
"""The default of a field that every file must have."""


# -- fields ----------------------------------------------------------------------------------------------


class BadValueError(ValueError):
    """A value that a field cannot hold: the field's own, or one inside it."""


@dataclass(frozen=True)
class Field:
    """How a value is written, and how it is checked when it is read.

    ``load`` raises a ValueError, TypeError or OverflowError where the value is not ``what`` is needed, or a
    ``BadValueError`` of the one inside it that is wrong.
    """

    what: str
    load: Callable[[JsonValue], JsonValue]
    dump: Callable[[JsonValue], JsonValue] = lambda value: value
    attribute: str = ""
    """Where the value is found, with dots between; by default the attribute of the field's name."""
    default: JsonValue = NEEDED
    is_brief: bool = False
    """Whether the field is left out if its value is None or no part at all."""

    def of(self, attribute: str) -> Field:
        """Read and write another attribute."""
        return replace(self, attribute=attribute)

    def otherwise(self, default: JsonValue) -> Field:
        """Allow a file to leave the field out."""
        return replace(self, default=default)


def dump_fields(fields: Mapping[str, Field], value: JsonValue) -> JsonObject:
    """Write the declared fields of a value as plain values."""
    values = {name: attrgetter(field.attribute or name)(value) for name, field in fields.items()}
    return {
        name: fields[name].dump(member)
        for name, member in values.items()
        if not (fields[name].is_brief and (member is None or (isinstance(member, tuple) and not member)))
    }


def load_fields(
    fields: Mapping[str, Field], payload: JsonValue, where: str, *, is_closed: bool = False
) -> JsonObject:
    """Check the declared fields, and give them by their attributes; ``is_closed`` refuses any other name."""
    if not isinstance(payload, dict):
        raise InputError(f"{where} must be an object; saw {short_repr(payload)}")
    values = {}
    for name, field in fields.items():
        if name not in payload and field.default is NEEDED:
            raise InputError(f"{where} must have {name!r}: {field.what}")
        value = _load(field, payload[name], name, where) if name in payload else field.default
        values[field.attribute or name] = value
    for name in payload:
        if is_closed and name not in fields:
            raise InputError(f"{where} cannot have {name!r}, which is not one of its fields")
    return values


def _load(field: Field, value: JsonValue, name: str, where: str) -> JsonValue:
    try:
        return _load_value(field, value)
    except BadValueError as error:
        (bad,) = error.args
        seen = f"{short_repr(bad)} {'as' if bad is value else 'in'} {name!r}"
    raise InputError(f"{where} cannot have {seen}, only {field.what}")


def _load_value(field: Field, value: JsonValue) -> JsonValue:
    try:
        return field.load(value)
    except (EdgeworthError, BadValueError):
        raise
    except (TypeError, ValueError, OverflowError):
        raise BadValueError(value) from None


def short_repr(value: JsonValue) -> str:
    """Write a value for a sentence, cut if it is long."""
    return shorten(repr(value), 60)


# -- values that have fields -----------------------------------------------------------------------------


class Serializable:
    """A value that can be written as its declared fields.

    A tally is a small frozen one that adds. Its laws are held by one property test over every tally:

    * ``empty + a == a == a + empty``
    * ``(a + b) + c == a + (b + c)``
    * the tally of the whole equals the sum of the tallies of its parts, in whatever way it was cut

    exactly for integers, to 1e-12 for floats. A tally whose rows have no order also adds the same both ways
    round.
    """

    name_in_files: ClassVar[str] = ""
    """What a file calls a tally of this class; nothing for the parts of tallies."""
    FIELDS: ClassVar[Mapping[str, Field]] = {}
    rule: ClassVar[str] = "all of them are of the same cases"
    """What must hold between the fields, for a sentence."""
    is_closed: ClassVar[bool] = False
    """Whether names that are not declared are refused."""

    @property
    def file_kind(self) -> str:
        """Name the kind of this tally as files do."""
        return self.name_in_files

    def facts(self) -> JsonObject:
        """Describe in a few lines what was counted."""
        return {}

    def _repr_html_(self) -> str | None:
        """Show the facts in a notebook; every label in them is text."""
        facts = self.facts()
        return html_table(type(self).__name__, [], list(facts.items())) if facts else None

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return ({"kind": self.name_in_files} if self.name_in_files else {}) | dump_fields(self.FIELDS, self)

    @classmethod
    def from_dict(cls, payload: JsonObject) -> Self:
        """Make the value that ``to_dict`` described, and check it."""
        where = cls._where()
        name = cls.name_in_files
        if name and isinstance(payload, dict) and payload.get("kind") != name:
            raise InputError(f"{where} cannot have {short_repr(payload.get('kind'))} as 'kind'")
        return cls.from_fields(load_fields(cls.FIELDS, payload, where, is_closed=cls.is_closed))

    @classmethod
    def from_fields(cls, values: JsonObject) -> Self:
        """Make the value of fields that were checked one by one; they must fit together too."""
        try:
            value = cls._of_fields(values)
            fits = value._fits_together()
        except OptionError as error:
            raise InputError(str(error)) from None
        except EdgeworthError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            fits = False
        if not fits:
            raise InputError(f"the parts of {cls._where()} do not fit together: {cls.rule}")
        return value

    def __eq__(self, other: object) -> bool:
        """Return whether a file would hold the same of both."""
        return self.to_dict() == other.to_dict() if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    @classmethod
    def _where(cls) -> str:
        return f"the {cls.name_in_files or re.sub('(?<!^)(?=[A-Z])', ' ', cls.__name__).lower()}"

    @classmethod
    def _of_fields(cls, values: JsonObject) -> Self:
        return cls(**values)

    def _fits_together(self) -> bool:
        """Check what the constructor does not."""
        return True


def tally_from_dict(payload: JsonObject) -> Tally:
    """Make the tally of any kind that ``to_dict`` described, and check it."""
    kind = find_kind(payload.get("kind"))
    if kind is None:
        known = ", ".join(
            name for known_kind in every_kind() for name in (known_kind.name, *known_kind.other_names)
        )
        raise InputError(f"the kind of a tally is one of {known}; saw {short_repr(payload.get('kind'))}")
    tally: Tally = kind.from_dict(payload)
    return tally


# -- single values ---------------------------------------------------------------------------------------


def value_field(what: str, check: Callable[[JsonValue], bool]) -> Field:
    """Make a field that is written as it is, and read if the check holds."""

    def load(value: JsonValue) -> JsonValue:
        if not check(value):
            raise ValueError
        return value

    return Field(what, load)


def _is_whole(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def one_of(*values: str) -> Field:
    """Make a field of one of a few words."""
    return value_field(
        f"one of {', '.join(values)}", lambda value: isinstance(value, str) and value in values
    )


def text_like(pattern: str) -> Field:
    """Make a field of text that has this form."""
    form = re.compile(pattern)
    return value_field(
        f"text like {pattern}", lambda value: isinstance(value, str) and form.fullmatch(value) is not None
    )


TEXT = value_field("text", lambda value: isinstance(value, str))
FLAG = value_field("true or false", lambda value: isinstance(value, bool))
WHOLE = value_field("a whole number", _is_whole)
COUNT = value_field("a whole number of at least 0", lambda value: _is_whole(value) and value >= 0)
NUMBER = value_field("a finite number", _is_number)
AMOUNT = value_field("a finite number of at least 0", lambda value: _is_number(value) and value >= 0)
FLOAT = replace(AMOUNT, load=lambda value: float(AMOUNT.load(value)))


def plain_label(label: Label) -> JsonValue:
    """Keep text, booleans and finite numbers, for JSON has them; write anything else as its repr."""
    is_plain = isinstance(label, (str, int)) or (isinstance(label, float) and math.isfinite(label))
    return label if is_plain else repr(label)


LABEL = replace(
    value_field("a label: text, a number or a boolean", lambda value: isinstance(value, (str, int, float))),
    dump=plain_label,
)


# -- several values --------------------------------------------------------------------------------------


def optional(field: Field, default: JsonValue = None) -> Field:
    """Allow null too; by default a file may leave the field out."""
    return replace(
        field,
        what=f"{field.what}, or null",
        load=lambda value: None if value is None else field.load(value),
        dump=lambda value: None if value is None else field.dump(value),
        default=default,
    )


def list_of(field: Field, *, least: int = 0) -> Field:
    """Make a field of a list with at least this many values."""

    def load(values: JsonValue) -> list[JsonValue]:
        if not isinstance(values, list) or len(values) < least:
            raise ValueError
        return [_load_value(field, value) for value in values]

    return Field(f"a list ({field.what})", load, lambda values: [field.dump(value) for value in values])


def tuple_of(field: Field) -> Field:
    """Make a field of a tuple, written as a list."""
    values = list_of(field)
    return replace(values, load=lambda given: tuple(values.load(given)))


def object_of(kind: type[Serializable]) -> Field:
    """Make a field of a value that has fields of its own."""
    return Field(f"an object ({', '.join(kind.FIELDS)})", kind.from_dict, lambda value: value.to_dict())


LABELS = tuple_of(LABEL)


def _load_pair(values: JsonValue) -> tuple[Label | None, ...]:
    labels: tuple[Label | None, ...] = tuple_of(optional(LABEL)).load(values)
    if len(labels) != 2 or labels[0] == labels[1] is not None:
        raise ValueError
    return labels


PAIR = replace(
    tuple_of(optional(LABEL)),
    what="two different labels, of the background and of the targets",
    load=_load_pair,
)


# -- arrays ----------------------------------------------------------------------------------------------


def _array(values: JsonValue, kinds: str, least: float) -> LoadedArray:
    if not isinstance(values, list):
        raise TypeError
    if any(isinstance(value, bool) for value in values):
        raise ValueError  # numpy would take it for 0 or 1
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)  # nothing counted is counted in whole cases
    if array.dtype.kind not in kinds:
        raise ValueError
    wrong = ~(np.isfinite(array) & (array >= least))
    if wrong.any():
        raise BadValueError(array[wrong][0].item())
    return array


def _plain_floats(array: NDArray[np.float64]) -> JsonValue:
    """Write infinite numbers and nan as text, because JSON has neither."""
    if np.isfinite(array).all():
        return array.tolist()
    shown = array.astype(object)
    shown[~np.isfinite(array)] = array[~np.isfinite(array)].astype(str)
    return shown.tolist()


def _parse_floats(values: JsonValue) -> JsonValue:
    if isinstance(values, list):
        return [_parse_floats(value) for value in values]
    if not (_is_whole(values) or isinstance(values, float)) and values not in ("inf", "-inf", "nan"):
        raise BadValueError(values)
    return float(values)


def _floats(values: JsonValue, *, may_be_nan: bool = False) -> NDArray[np.float64]:
    if not isinstance(values, list):
        raise TypeError
    array = np.array(_parse_floats(values), dtype=np.float64)
    if not may_be_nan and np.isnan(array).any():
        raise BadValueError(math.nan)
    return array


NUMBERS = Field(
    "numbers of at least 0 in rows of equal length", lambda values: _array(values, "if", 0), np.ndarray.tolist
)
"""int64 where all are whole, else float64."""
AMOUNTS = replace(NUMBERS, load=lambda values: _array(values, "if", 0).astype(np.float64))
COUNTS = Field("whole numbers of at least 0", lambda values: _array(values, "i", 0), np.ndarray.tolist)
INTEGERS = Field("whole numbers", lambda values: _array(values, "i", -math.inf), np.ndarray.tolist)
FLOATS = Field("numbers in rows of equal length, infinite ones as text", _floats, _plain_floats)
FLOATS_OR_NAN = replace(FLOATS, load=lambda values: _floats(values, may_be_nan=True))


def reshape_array(array: LoadedArray, *shape: int) -> LoadedArray:
    """Check the shape of an array; an empty one is reshaped, because empty lists do not state their width."""
    if array.shape != shape and array.size:
        raise InputError(f"numbers of a tally have shape {array.shape}, not {shape}")
    return array.reshape(shape)
