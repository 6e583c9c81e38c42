"""Compare the numbers that a paper prints with Edgeworth's, and report on all numbers of a paper.

A TOML file per paper holds the printed numbers: its sections in order, with one line per number,
``what | printed | right | reason``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Literal, TypeAlias

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import MINUS, UNDEFINED
from edgeworth.report.charts.chart import Chart
from edgeworth.report.report import Charts, Column, Grid, Report, Section, make_columns

State: TypeAlias = Literal["agrees", "differs", "not rebuilt", "not printed", "drifted"]
WORDS: dict[State, str] = {
    "agrees": "agree",
    "differs": "differ for a known reason",
    "not rebuilt": "cannot be rebuilt from what is printed",
    "drifted": "HAVE CHANGED for no known reason",
}
Ours: TypeAlias = Mapping[str, Mapping[str, float | tuple[float, float]]]
"""Our numbers by section and name, each alone or with its slack."""

RELATIVE_FLOAT_ERROR = 1e-9
"""The rounding error that floats may have for an exact number."""

_NUMBER = re.compile(r"(-?)\$?(\d+(?:\.(\d+))?)(%?)")


@dataclass(frozen=True)
class PrintedNumber:
    """A number that a paper prints, beside the number that Edgeworth computes.

    Attributes
    ----------
    where : str
        The place in the paper.
    what : str
        What the number is.
    printed : str
        The paper's own text. Its digits decide how closely the numbers must agree. Whole numbers and
        fractions (``2/3``, ``7:3``) are exact, ``> 0`` is a claim, and an empty text is a number that is only
        drawn.
    ours : float or None
        The number that Edgeworth computes.
    right : str
        The number that should be there, if the paper's is wrong.
    reason : str
        Why the numbers differ.
    slack : float
        How far the numbers may differ beyond rounding: four standard errors of a simulation, or the effect of
        rounded inputs.

    Examples
    --------
    >>> number = PrintedNumber("Table 1", "recall", "0.67", 2 / 3)
    >>> number.state, number.ours_as_printed, number.agreement
    ('agrees', '0.67', 'agrees')
    >>> number.to_dict()["printed"]
    '0.67'
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
        """Whether the numbers agree; "drifted" if ours is neither the paper's number nor the right one."""
        if self.ours is None:
            return "not rebuilt"
        if not self._is(self.right or self.printed, self.slack):
            return "drifted"
        if not self.printed:
            return "not printed"
        return "agrees" if self._is(self.printed, self.slack) else "differs"

    def _is(self, text: str, slack: float = 0.0) -> bool:
        """Return whether ours equals the text after rounding; a half may be rounded up or down."""
        if self.ours is None or not text:
            return False
        if text.startswith(">"):
            return self.ours > float(text[1:])
        value, half = read_number(text)
        return abs(self.ours - value) <= half + slack + RELATIVE_FLOAT_ERROR * max(1.0, abs(value))

    @property
    def ours_as_printed(self) -> str:
        """The number that Edgeworth computes, in the form and with the digits of the paper's."""
        if self.ours is None:
            return UNDEFINED
        form = self.printed or self.right
        match = _NUMBER.fullmatch(form)
        decimals, percent = (match[3], match[4]) if match is not None else (None, "")
        for text in (self.printed, self.right):
            number = _NUMBER.fullmatch(text)
            has_same_form = number is not None and (number[3], number[4]) == (decimals, percent)
            # A half may be rounded up or down: take the digits of the text that it agrees with.
            if text[:1] != ">" and self._is(text) and (text == form or "/" in text or has_same_form):
                return text.replace("-", MINUS)
        size = abs(self.ours) * (100 if percent else 1)
        digits = f"{size:.{len(decimals or '')}f}" if decimals or percent else f"{size:.4g}"
        minus = MINUS if self.ours < 0 and digits.strip("0.") else ""
        return f"{minus}{'$' if '$' in form else ''}{digits}{percent}"

    @property
    def agreement(self) -> str:
        """A statement that the numbers agree, or why they do not."""
        state = self.state
        if state == "agrees":
            return "agrees" if self._is(self.printed) else f"agrees within {self.slack:.2g}"
        return self.reason if state != "drifted" else "CHANGED"

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON.

        Returns
        -------
        dict
            The fields, and ``state``.
        """
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
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"not a printed number: {text!r}")
    minus, digits, decimals, percent = match.groups()
    scale = 100.0 if percent else 1.0
    half = 0.5 * 10.0 ** -len(decimals or "") / scale if decimals or percent else 0.0
    return (-1 if minus else 1) * float(digits) / scale, half


@dataclass(frozen=True)
class Paper:
    """The numbers that a paper prints, beside the numbers that Edgeworth computes.

    Attributes
    ----------
    name : str
        The name that ``ew.papers.reproduce`` takes.
    title : str
        The title of the paper.
    numbers : tuple of PrintedNumber
        The numbers in the paper's order.
    reasons : mapping
        What each reason for a difference means.
    notes : mapping
        Remarks by place.

    Examples
    --------
    >>> import edgeworth as ew
    >>> paper = ew.papers.read_paper("powers")
    >>> len(paper.numbers) > 50, paper.count("drifted")
    (True, 0)
    """

    name: str
    title: str
    numbers: tuple[PrintedNumber, ...]
    reasons: Mapping[str, str]
    notes: Mapping[str, str]

    @classmethod
    def read(cls, name: str, ours: Ours) -> Paper:
        """Read the facts of a paper, and put the computed numbers beside them.

        :meta private:
        """
        facts = tomllib.loads(files("edgeworth.papers").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        numbers, unused = [], {(where, what) for where, values in ours.items() for what in values}
        for section in facts["places"]:
            where = section["name"]
            for line in section["numbers"].strip().splitlines():
                what, printed, right, reason = (*map(str.strip, line.split("|")), "", "")[:4]
                unused.discard((where, what))
                computed = ours.get(where, {}).get(what)
                value, slack = computed if isinstance(computed, tuple) else (computed, 0.0)
                if value is None and not reason:
                    raise KeyError(f"{where}, {what}: neither computed nor with a reason")
                value = None if value is None else float(value)
                numbers.append(PrintedNumber(where, what, printed, value, right, reason, float(slack)))
        if unused:
            raise KeyError(f"computed, but not printed: {sorted(unused)}")
        notes = {section["name"]: section["note"] for section in facts["places"] if "note" in section}
        return cls(name, facts["title"], tuple(numbers), facts["reasons"], notes)

    def count(self, state: State) -> int:
        """Count the numbers in a state.

        Parameters
        ----------
        state : str
            "agrees", or another state of ``PrintedNumber.state``.

        Returns
        -------
        int
            The number of numbers.
        """
        return sum(number.state == state for number in self.numbers)

    def report(
        self,
        provenance: JsonObject,
        *,
        more: tuple[Section, ...] = (),
        numbers: JsonObject | None = None,
        figures: tuple[str, ...] = (),
        charts: Callable[[], Iterable[Chart]] = tuple,
    ) -> Report:
        """Report how many numbers agree, what differs and why, then everything in the paper's order.

        :meta private:
        """
        differing = [x for x in self.numbers if x.state in ("differs", "not rebuilt", "drifted")]
        used = {part for number in differing for part in number.reason.split("; ")}
        why = tuple(f"{short}: {reason}" for short, reason in self.reasons.items() if short in used)
        sections = [
            Section("Differences and their reasons", why, (_grid(differing, Column("section")),)),
            *more,
        ]
        for where in dict.fromkeys(number.where for number in self.numbers):
            note = (self.notes[where],) if where in self.notes else ()
            in_section = [number for number in self.numbers if number.where == where]
            sections.append(Section(where, note, (_grid(in_section),)))
        if figures:
            sections.append(Section("Figures", charts=figures))
        counts = {state.replace(" ", "_"): self.count(state) for state in (*WORDS, "not printed")}
        return Report(
            verdict=self._verdict(),
            sections=tuple(sections),
            warnings=tuple(
                f"{x.where}, {x.what}: changed for no known reason" for x in differing if x.state == "drifted"
            ),
            provenance=provenance,
            numbers={
                "kind": "reproduction",
                "paper": self.name,
                "counts": counts,
                "printed_numbers": [number.to_dict() for number in self.numbers],
                **(numbers or {}),
            },
            charts=Charts(charts),
        )

    def _verdict(self) -> str:
        compared = len(self.numbers) - self.count("not printed")
        counts = [f"{self.count(state)} {words}" for state, words in WORDS.items() if self.count(state)]
        return f"{self.title}.\n{compared} comparisons with printed numbers: {', '.join(counts)}."


def _grid(numbers: Sequence[PrintedNumber], *places: Column) -> Grid:
    heads = (*places, *make_columns("number/text", "paper", "Edgeworth", "agreement/text"))
    rows = (
        (x.where, x.what, x.printed.replace("-", MINUS) or UNDEFINED, x.ours_as_printed, x.agreement)
        for x in numbers
    )
    return Grid("", heads, tuple(row[-len(heads) :] for row in rows))
