"""Decode JSON from untrusted files into typed records; errors name the file, the item and the field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec

from edgeworth.errors import InputError
from edgeworth.sources.nesting import check_nesting
from edgeworth.sources.paths import read_whole_file

Record = TypeVar("Record")

_SURROGATE = re.compile("[\ud800-\udfff]")
_PROBLEM = re.compile(r"Expected `(?P<needed>[^`]*)`, got `(?P<seen>[^`]*)`")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[([0-9]+|\.\.\.)\]")
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


class Document:
    """The bytes of one JSON value, to be decoded into records of the types that a reader needs.

    Fields that a type does not have are skipped and take no memory. ``NaN`` and ``Infinity`` are read as
    numbers, because Python's tools write them.
    """

    def __init__(self, content: bytes | bytearray, location: str | Path) -> None:
        self.location = str(location)
        self._content = bytes(content).removeprefix(b"\xef\xbb\xbf")
        self._tree: object = msgspec.UNSET

    def decode(self, kind: type[Record], item: str = "item") -> Record:
        """Decode the value as a record, or raise an error with the file, the item and the field.

        ``item`` is the word for an element of a list in the message.
        """
        if self._tree is msgspec.UNSET:
            try:
                return msgspec.json.decode(self._content, type=kind)
            except msgspec.ValidationError as error:
                if "out of range" not in str(error):
                    _refuse(error, self.location, item)
            except (ValueError, RecursionError):
                pass
            # Python's own reader also accepts NaN, numbers beyond floats and unpaired surrogates.
            self._tree = _parse_leniently(self._content, self.location)
        return convert(self._tree, kind, self.location, item)


def parse_json(content: bytes | bytearray, location: str | Path) -> object:
    """Parse JSON of any shape, with at most ``MAX_NESTING_LEVELS`` levels."""
    value = Document(content, location).decode(object)
    check_nesting(value, location)
    return value


def convert(value: object, kind: type[Record], location: str | Path, item: str = "item") -> Record:
    """Convert a parsed value to a record, or raise an error with the item and the field."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        _refuse(error, str(location), item)


def read_json(path: Path) -> Document:
    """Read a file of JSON."""
    return Document(read_whole_file(path), path)


def read_json_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the location and the bytes of each line of a file of JSON lines."""
    for number, line in enumerate(bytes(read_whole_file(path)).split(b"\n"), start=1):
        if line.strip():
            yield f"{path}, line {number:,}", line


def _parse_leniently(content: bytes, location: str) -> object:
    """Parse JSON with NaN and with unpaired surrogates, which are replaced by character references."""
    try:
        value: object = json.loads(content)
        if b"\\u" in content and _SURROGATE.search(text := json.dumps(value, ensure_ascii=False)):
            value = json.loads(text.encode("utf-8", "xmlcharrefreplace"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{location} is not JSON, or is incomplete: {error}") from None
    return value


def _refuse(error: msgspec.ValidationError, location: str, item: str) -> NoReturn:
    """Raise msgspec's error as a sentence.

    >>> class Log(msgspec.Struct):
    ...     tasks: list[str]
    >>> try:
    ...     convert({"tasks": ["one", 2]}, Log, "a.json", "task")
    ... except InputError as error:
    ...     print(error)
    a.json: task 2 must be text; saw a whole number
    """
    problem, _, path = str(error).partition(" - at `")
    steps: list[str] = []
    for name, index in _STEP.findall(path.rstrip("`")):
        if index.isdecimal():  # the item replaces the name of its list
            steps[-1:] = [f"{item} {int(index) + 1:,}"]
        else:
            steps.append(name)
    missing, wrong = _MISSING.fullmatch(problem), _PROBLEM.fullmatch(problem)
    if missing is not None:
        steps.append(missing["name"])
        problem_text = "is missing"
    elif wrong is not None:
        needed = " or ".join(_WORDS.get(name, name) for name in wrong["needed"].split(" | "))
        problem_text = f"must be {needed}; saw {_WORDS.get(wrong['seen'], wrong['seen'])}"
    else:
        problem_text = f"cannot be read: {problem}"
    is_inside = bool(steps) and not steps[-1]  # a value of an object whose keys are data
    *above, last = [step for step in steps if step] or [""]
    field = f"the field {last!r}" if last and " " not in last else last or "the value"
    raise InputError(
        f"{', '.join([location, *above])}: {'a value of ' if is_inside else ''}{field} {problem_text}"
    )
