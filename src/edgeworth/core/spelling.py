"""One spelling of a measure in Python, command, JSON and report: ``name[label]@depth(option=value)``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from edgeworth.errors import OptionError

_SPELLING = re.compile(
    r"""\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    (?:\[(?P<label>"(?:[^"\\]|\\.)*"|[^\[\]"]*)\])?
    (?:@(?P<depth>[0-9]+))?
    (?:\((?P<options>[^()]*)\))?\s*""",
    re.VERBOSE,
)
_PLAIN_LABEL = re.compile(r'[^\[\]"\s]+(?: [^\[\]"\s]+)*')


@dataclass(frozen=True)
class Spelling:
    """A measure as written. It prints as it parses.

    >>> str(Spelling.parse("f[spam]( alpha = 0.30 )"))
    'f[spam](alpha=0.3)'
    """

    name: str
    label: str | None = None
    depth: int | None = None
    options: Mapping[str, float | str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Spelling:
        """Read a spelling, or say what it looks like."""
        match = _SPELLING.fullmatch(text)
        if match is None:
            raise OptionError(
                f"{text!r} is not a measure; write name, name[label], name@depth or name(option=value), "
                "and put a label with brackets in double quotes"
            )
        label = match["label"]
        if label is not None:
            label = _unquoted(label, text) if label.startswith('"') else label.strip()
        depth = None if match["depth"] is None else int(match["depth"])
        return cls(match["name"].lower(), label, depth, _options(match["options"], text))

    def __str__(self) -> str:
        label = "" if self.label is None else f"[{quote_label(self.label)}]"
        depth = "" if self.depth is None else f"@{self.depth}"
        said = ", ".join(f"{name}={_written(value)}" for name, value in sorted(self.options.items()))
        return f"{self.name}{label}{depth}{f'({said})' if said else ''}"


def quote_label(label: str) -> str:
    """Write a label for a spelling: in double quotes where it would not be understood without."""
    return label if _PLAIN_LABEL.fullmatch(label) else json.dumps(label, ensure_ascii=False)


def _unquoted(label: str, whole: str) -> str:
    try:
        return str(json.loads(label))
    except ValueError:
        raise OptionError(
            f"the quoted label in {whole!r} is not a JSON string: write a backslash twice"
        ) from None


def _written(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value!r}".removesuffix(".0")


def _options(text: str | None, whole: str) -> dict[str, float | str]:
    options: dict[str, float | str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise OptionError(f"{part.strip()!r} in {whole!r} is not an option; write name=value")
        if name in options:
            raise OptionError(f"{name} stands twice in {whole!r}")
        try:
            options[name] = float(value)
        except ValueError:
            options[name] = value
    return options
