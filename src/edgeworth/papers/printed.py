"""A number that a paper prints beside ours, and the report on all numbers of a paper.

What a paper prints is a file of facts beside this one: its places in order, in each a line for every number,
``what | printed | right | reason``. The code only computes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.formatting import MINUS, UNDEFINED
from edgeworth.report.charts.chart import Chart
from edgeworth.report.report import Charts, Column, Grid, Report, Section, make_columns

State: TypeAlias = Literal["agrees", "differs", "not rebuilt", "not printed", "drifted"]
WORDS: dict[State, str] = {
    "agrees": "agree",
    "differs": "differ for a known reason",
    "not rebuilt": "cannot be rebuilt from what is printed",
    "drifted": "HAVE DRIFTED, for no known reason",
}
Ours: TypeAlias = Mapping[str, Mapping[str, float | tuple[float, float]]]
"""By place and by what it is: our number, or our number and its slack."""

ROUNDING = 1e-9
"""What floats leave of a number that is exact."""

_NUMBER = re.compile(r"(-?)\$?(\d+(?:\.(\d+))?)(%?)")


@dataclass(frozen=True)
class PrintedNumber:
    """A number as the paper prints it, and what Edgeworth computes.

    ``printed`` is the paper's own text: its digits say how closely ours has to agree. Whole numbers and
    fractions (``2/3``, ``7:3``) are exact, ``> 0`` is a claim, and nothing is what it only draws. ``right``
    is the number that should stand there, if another; ``reason`` says why. ``slack`` is how far ours may be
    off besides: four standard errors of a simulation, or what rounded ingredients leave open.
    """

    where: str
    what: str
    printed: str
    ours: float | None
    right: str = ""
    reason: str = ""
    slack: float = 0.0

    @property
    def state(self) -> State:
        """Whether ours agrees; a number that is neither the paper's nor the right one has drifted."""
        if self.ours is None:
            return "not rebuilt"
        if not self._is(self.right or self.printed, self.slack):
            return "drifted"
        if not self.printed:
            return "not printed"
        return "agrees" if self._is(self.printed, self.slack) else "differs"

    def _is(self, text: str, slack: float = 0.0) -> bool:
        """Whether ours, rounded as the text is, is the text; a half may be rounded either way."""
        if self.ours is None or not text:
            return False
        if text.startswith(">"):
            return self.ours > float(text[1:])
        value, half = read_number(text)
        return abs(self.ours - value) <= half + slack + ROUNDING * max(1.0, abs(value))

    @property
    def ours_as_printed(self) -> str:
        """Our number with as many digits as the paper's, in its form."""
        if self.ours is None:
            return UNDEFINED
        form = self.printed or self.right
        found = _NUMBER.fullmatch(form)
        decimals, percent = (found[3], found[4]) if found is not None else (None, "")
        for text in (self.printed, self.right):
            number = _NUMBER.fullmatch(text)
            has_same_form = number is not None and (number[3], number[4]) == (decimals, percent)
            # A half may be rounded either way: take the digits of the text it agrees with.
            if text[:1] != ">" and self._is(text) and (text == form or "/" in text or has_same_form):
                return text.replace("-", MINUS)
        size = abs(self.ours) * (100 if percent else 1)
        digits = f"{size:.{len(decimals or '')}f}" if decimals or percent else f"{size:.4g}"
        minus = MINUS if self.ours < 0 and digits.strip("0.") else ""
        return f"{minus}{'$' if '$' in form else ''}{digits}{percent}"

    @property
    def agreement(self) -> str:
        """That it agrees, or why not."""
        state = self.state
        if state == "agrees":
            return "agrees" if self._is(self.printed) else f"agrees within {self.slack:.2g}"
        return self.reason if state != "drifted" else "DRIFTED"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        reason = None if self.state == "agrees" else self.reason
        texts = {"printed": self.printed or None, "right": self.right or None, "reason": reason}
        ours = None if self.ours is None else finite_or_none(self.ours)
        return asdict(self) | texts | {"ours": ours, "state": self.state}


def read_number(text: str) -> tuple[float, float]:
    """Read a printed number, and half a unit of its last digit.

    >>> read_number("-$8.30"), read_number("7:3"), read_number("54%"), read_number("210")
    ((-8.3, 0.005), (2.3333333333333335, 0.0), (0.54, 0.005), (210.0, 0.0))
    """
    over, sign, under = text.replace(":", "/").partition("/")
    if sign:
        return float(over) / float(under), 0.0
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"no number as a paper prints it: {text!r}")
    minus, digits, decimals, percent = found.groups()
    scale = 100.0 if percent else 1.0
    half = 0.5 * 10.0 ** -len(decimals or "") / scale if decimals or percent else 0.0
    return (-1 if minus else 1) * float(digits) / scale, half


@dataclass(frozen=True)
class Paper:
    """What a paper prints beside ours, and what the reasons for differences mean."""

    name: str
    title: str
    numbers: tuple[PrintedNumber, ...]
    reasons: Mapping[str, str]
    notes: Mapping[str, str]

    @classmethod
    def read(cls, name: str, ours: Ours) -> Paper:
        """Read a paper's facts, and put ours beside them: each has a place, and none is left over."""
        facts = tomllib.loads(files("edgeworth.papers").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        numbers, left = [], {(where, what) for where, values in ours.items() for what in values}
        for place in facts["places"]:
            where = place["name"]
            for line in place["numbers"].strip().splitlines():
                what, printed, right, reason = (*map(str.strip, line.split("|")), "", "")[:4]
                left.discard((where, what))
                found = ours.get(where, {}).get(what)
                value, slack = found if isinstance(found, tuple) else (found, 0.0)
                if value is None and not reason:
                    raise KeyError(f"{where}, {what}: neither computed nor with a reason")
                value = None if value is None else float(value)
                numbers.append(PrintedNumber(where, what, printed, value, right, reason, float(slack)))
        if left:
            raise KeyError(f"computed, but not printed: {sorted(left)}")
        notes = {place["name"]: place["note"] for place in facts["places"] if "note" in place}
        return cls(name, facts["title"], tuple(numbers), facts["reasons"], notes)

    def count(self, state: State) -> int:
        """How many numbers are in a state."""
        return sum(each.state == state for each in self.numbers)

    def report(
        self,
        provenance: Mapping[str, Any],
        *,
        more: tuple[Section, ...] = (),
        numbers: Mapping[str, Any] | None = None,
        figures: tuple[str, ...] = (),
        charts: Callable[[], Iterable[Chart]] = tuple,
    ) -> Report:
        """Say how many agree, what differs and why, then everything in the paper's order."""
        differing = [each for each in self.numbers if each.state in ("differs", "not rebuilt", "drifted")]
        used = {part for each in differing for part in each.reason.split("; ")}
        why = tuple(f"{short}: {said}" for short, said in self.reasons.items() if short in used)
        sections = [Section("What differs, and why", why, (_grid(differing, Column("where")),)), *more]
        for where in dict.fromkeys(each.where for each in self.numbers):
            note = (self.notes[where],) if where in self.notes else ()
            here = [each for each in self.numbers if each.where == where]
            sections.append(Section(where, note, (_grid(here),)))
        if figures:
            sections.append(Section("Figures", charts=figures))
        counts = {state.replace(" ", "_"): self.count(state) for state in (*WORDS, "not printed")}
        return Report(
            verdict=self._verdict(),
            sections=tuple(sections),
            warnings=tuple(f"{x.where}, {x.what}: drifted" for x in differing if x.state == "drifted"),
            provenance=provenance,
            numbers={
                "kind": "reproduction",
                "paper": self.name,
                "counts": counts,
                "printed_numbers": [each.to_dict() for each in self.numbers],
                **(numbers or {}),
            },
            charts=Charts(charts),
        )

    def _verdict(self) -> str:
        compared = len(self.numbers) - self.count("not printed")
        said = [f"{self.count(state)} {words}" for state, words in WORDS.items() if self.count(state)]
        return f"{self.title}.\n{compared} comparisons with printed numbers: {', '.join(said)}."


def _grid(numbers: Sequence[PrintedNumber], *places: Column) -> Grid:
    heads = (*places, *make_columns("number/text", "paper", "ours", "agreement/text"))
    found = (
        (x.where, x.what, x.printed.replace("-", MINUS) or UNDEFINED, x.ours_as_printed, x.agreement)
        for x in numbers
    )
    return Grid("", heads, tuple(row[-len(heads) :] for row in found))
