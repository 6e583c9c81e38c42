"""Requirements of a release gate: a small language, the same on the command line, in Python and in a file.

``recall[fraud] >= 0.9`` · ``average_precision > chance`` · ``accuracy no worse than baseline by 1pp`` ·
``brier within 0.005 of baseline``
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from edgeworth.core.amounts import check_margin, describe_amount, measure_range, parse_margin
from edgeworth.core.kinds import AnyKind
from edgeworth.core.measures import Direction
from edgeworth.core.registry import canonical_spelling, catalogue
from edgeworth.errors import InputError, OptionError

Relation: TypeAlias = Literal[">=", ">", "<=", "<", "better", "no worse", "within"]
Reference: TypeAlias = Literal["number", "chance", "baseline"]

OPERATORS: Mapping[str, Relation] = {
    ">=": ">=",
    "=>": ">=",
    "≥": ">=",
    ">": ">",
    "<=": "<=",
    "=<": "<=",
    "≤": "<=",
    "<": "<",
}
FORMS = (
    "write MEASURE >= NUMBER, MEASURE > chance, MEASURE > baseline, MEASURE no worse than baseline by "
    "AMOUNT, or MEASURE within AMOUNT of baseline"
)
MAX_REQUIREMENT_LENGTH = 4000
"""Longer texts would take long to split into words, and reports would not show them whole."""
MAX_WORDS_OF_A_MEASURE = 12
"""More words are no measure, and every one of them would be compared with all names."""
UNITS = ("pp", "%", "point", "points")
TASK = "task"
"""The column of tasks: the field of run logs, or a column of a table."""
CANDIDATE, BASELINE = "candidate", "baseline"
"""The names of the two systems, if neither files nor columns name them."""
PAIRS = {"[": "]", "(": ")"}


class RequirementError(OptionError):
    """A requirement that cannot be read or checked, with the position in its text."""

    def __init__(
        self, message: str, text: str, position: int, source: str = "", unknown_measure: str = ""
    ) -> None:
        self.message, self.text, self.position, self.source = message, text, position, source
        self.unknown_measure = unknown_measure
        """What was written where a measure is needed, if there is no such measure."""
        where = f"{source}: " if source else ""
        super().__init__(f'{where}the requirement "{text}", at character {position + 1}: {message}')

    def __reduce__(self) -> tuple[type[OptionError], tuple[str]]:
        """Pickle the finished sentence."""
        return OptionError, (str(self),)

    def in_source(self, source: str) -> RequirementError:
        """Return the error with the file and the entry that the requirement comes from."""
        return RequirementError(self.message, self.text, self.position, source, self.unknown_measure)


class Region(NamedTuple):
    """The values that a requirement allows: of the measure, or of its difference from the baseline."""

    low: float
    high: float

    @property
    def ends_at_zero(self) -> bool:
        """Whether an end is 0: the requirement is then about who is better, which a test must confirm too.

        >>> Region(0.0, math.inf).ends_at_zero, Region(-0.02, math.inf).ends_at_zero
        (True, False)
        """
        return self.low == 0 or self.high == 0


@dataclass(frozen=True)
class Requirement:
    """One requirement: a measure, and what it has to be."""

    text: str
    measure: str
    relation: Relation
    reference: Reference
    number: float = math.nan
    """The bound of a level, or the margin of a difference."""
    by: tuple[str, ...] = ()
    """Columns whose values are slices, in each of which the requirement must hold."""
    slices: tuple[str, ...] = ()
    """Slices that must be there."""
    task: str | None = None
    """The task of run logs that it is about."""
    weights: Mapping[str, float] | None = None
    """Weights of tasks or slices, if they are pooled instead of checked one by one."""
    position: int = 0
    """Where the words after the measure begin."""
    source: str = ""
    """The file and the entry that it comes from; empty for the command line."""
    word: str = ""
    """The measure as it was written, which may be the name of a scorer of run logs."""

    def __str__(self) -> str:
        return self.text

    @property
    def needs_baseline(self) -> bool:
        """Whether it compares with a baseline."""
        return self.reference == "baseline"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are checked one by one."""
        return self.by if self.task is None else (TASK,)

    @property
    def margin(self) -> float:
        """The margin of a difference from the baseline; 0 without one."""
        return self.number if self.needs_baseline and not math.isnan(self.number) else 0.0

    def region(self, direction: Direction, chance: float = math.nan) -> Region:
        """Find the values that are allowed, of the measure or of its difference from the baseline."""
        if self.relation == "within":
            return Region(-self.margin, self.margin)
        if self.relation in ("no worse", "better"):
            if direction == "neither":
                self.refuse(
                    f"neither direction of {self.measure} is better: write within AMOUNT of baseline", 0
                )
            least = self.margin if self.relation == "better" else -self.margin
            return Region(least, math.inf) if direction == "higher" else Region(-math.inf, -least)
        bound = {"number": self.number, "chance": chance, "baseline": self.margin}[self.reference]
        if self.relation in (">=", ">"):
            return Region(bound, math.inf)
        return Region(-math.inf, -bound if self.needs_baseline else bound)

    def error(self, message: str, position: int | None = None) -> RequirementError:
        """Make an error that names the requirement and the position in it."""
        position = self.position if position is None else position
        return RequirementError(message, self.text, position, self.source)

    def refuse(self, message: str, position: int | None = None) -> NoReturn:
        """Raise an error that names the requirement and the position in it."""
        raise self.error(message, position)

    @property
    def range(self) -> Region:
        """The values that the measure can have, in any kind of predictions."""
        return Region(*measure_range(self.measure))

    @property
    def possible_quantities(self) -> Region:
        """The values that the measure, or its difference from the baseline, can have."""
        low, high = self.range
        return Region(low - high, high - low) if self.needs_baseline else self.range

    def describe_margin(self) -> str:
        """Write the margin, in points if the measure is a share of right answers."""
        return describe_amount(self.measure, self.margin)


class _Token(NamedTuple):
    word: str
    position: int


def _split(text: str) -> list[_Token]:
    """Split a requirement into words and operators; brackets and quotes hold words together."""
    tokens: list[_Token] = []
    closing: list[tuple[str, int]] = []
    word, start, is_quoted = "", 0, False
    for position, sign in enumerate(f"{text} "):
        is_operator = sign in "<>=≥≤" and not closing
        if not closing and (sign.isspace() or is_operator or (word and word[-1] in "<>=≥≤")):
            is_continued = is_operator and word and set(word) <= set("<>=≥≤")
            if word and not is_continued:
                tokens.append(_Token(word, start))
                word = ""
        if sign.isspace() and not closing:
            continue
        if not word:
            start = position
        word += sign
        if sign == '"' and closing and (len(word) < 2 or word[-2] != "\\"):
            is_quoted = not is_quoted
        elif not is_quoted and sign in PAIRS:
            closing.append((PAIRS[sign], position))
        elif not is_quoted and closing and sign == closing[-1][0]:
            closing.pop()
    if closing:
        opened = text[closing[-1][1]]
        raise RequirementError(f"{opened!r} is not closed", text, closing[-1][1])
    return tokens


class _Words:
    """The words of a requirement, taken one after the other."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.index = text, _split(text), 0

    @property
    def next(self) -> str:
        """The next word, or nothing at the end."""
        return self.tokens[self.index].word if self.index < len(self.tokens) else ""

    @property
    def position(self) -> int:
        """Where the next word begins."""
        return self.tokens[self.index].position if self.index < len(self.tokens) else len(self.text)

    def fail(self, needed: str, forms: str = "") -> NoReturn:
        """Raise an error that states what was needed here, what the text has, and the forms to write."""
        seen = f"saw {self.next!r}" if self.next else "the text ends here"
        hint = f"; {forms}" if forms else ""
        raise RequirementError(f"{needed}; {seen}{hint}", self.text, self.position)

    def take(self) -> str:
        """Take the next word."""
        word = self.next
        self.index += 1
        return word

    def expect(self, *words: str) -> None:
        """Take words that must come next."""
        for word in words:
            if self.next.lower() != word:
                self.fail(f'"{" ".join(words)}" is needed')
            self.index += 1

    def amount(self, measure: str) -> float:
        """Take a margin that the measure can exceed: 0.02, 1pp, 1 pp."""
        if not self.next:
            self.fail("a margin is needed, such as 0.02 or 1pp")
        position = self.position
        margin = self._take_amount()
        try:
            check_margin(measure, margin)
        except OptionError as error:
            if self.next and self.next.lower() != "of":
                self.fail("a margin has the unit pp, % or none")
            raise RequirementError(str(error), self.text, position) from None
        return margin

    def _take_amount(self) -> float:
        position, word = self.position, self.take()
        unit = self.take() if self.next.lower() in UNITS else ""
        try:
            return parse_margin(f"{word}%" if unit else word)
        except OptionError as error:
            written = f"{word} {unit}".strip()
            message = f"{str(error).partition(';')[0]}; saw {written!r}"
            if word.lower() == BASELINE:
                message += "; write MEASURE within AMOUNT of baseline"
            raise RequirementError(message, self.text, position) from None

    def number(self, measure: str) -> float:
        """Take a bound that the measure can reach: 0.9, −0.2, 90%, 90 %."""
        position, (low, high) = self.position, measure_range(measure)
        value = self._take_number()
        if not low <= value <= high:
            hint = f": write {value:g}% or {value / 100:g}" if 1 < value <= 100 else ""
            name = canonical_spelling(measure).name
            message = f"{name} lies between {low:g} and {high:g}{hint}"
            raise RequirementError(message, self.text, position)
        return value

    def _take_number(self) -> float:
        word = self.next.replace("−", "-")
        try:
            value = float(word.removesuffix("%"))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            points = re.fullmatch(r"([0-9.]+)pp", word)
            self.fail("a number, chance or baseline is needed", f"write {points[1]}%" if points else "")
        self.index += 1
        is_percent = word.endswith("%")
        if self.next == "%" and not is_percent:
            self.index += 1
            is_percent = True
        return value / 100 if is_percent else value


def parse_requirement(text: str, *kinds: AnyKind) -> Requirement:
    """Read one requirement.

    Parameters
    ----------
    text : str
        A measure as ``ew.measure`` reads it, then what it has to be.
    *kinds : Kind
        Kinds whose measures are looked up first, such as one of your own.

    Returns
    -------
    Requirement

    Examples
    --------
    >>> rule = parse_requirement("recall[fraud] >= 90%")
    >>> rule.measure, rule.relation, rule.number
    ('recall[fraud]', '>=', 0.9)
    >>> rule = parse_requirement("accuracy no worse than baseline by 1pp")
    >>> rule.relation, rule.margin
    ('no worse', 0.01)
    """
    if not isinstance(text, str) or not text.strip():
        raise OptionError(f"a requirement is a text: {FORMS}; saw {text!r}")
    if len(text) > MAX_REQUIREMENT_LENGTH:
        raise OptionError(
            f"a requirement has at most {MAX_REQUIREMENT_LENGTH:,} characters; saw {len(text):,}, "
            f"which begin with {text[:40]!r}"
        )
    words = _Words(text)
    measure, spelling = _take_measure(words, kinds)
    position, word = words.position, words.take().lower() if words.next else ""
    relation: Relation
    reference: Reference = "baseline"
    number = math.nan
    if word == "no":
        words.expect("worse", "than", "baseline")
        if words.next.lower() != "by":
            words.fail('a margin is needed: "no worse than baseline by 1pp"')
        words.expect("by")
        relation, number = "no worse", words.amount(measure)
    elif word == "within":
        relation, number = "within", words.amount(measure)
        words.expect("of", "baseline")
    elif word == "better":
        words.expect("than", "baseline")
        relation, number = "better", _optional_margin(words, measure)
    elif word in OPERATORS:
        relation = OPERATORS[word]
        if words.next.lower() == "chance":
            words.take()
            reference = "chance"
        elif words.next.lower() == "baseline":
            words.take()
            number = _optional_margin(words, measure)
        else:
            reference, number = "number", words.number(measure)
    else:
        words.index -= 1 if word else 0
        words.fail("a comparison is needed after the measure", FORMS)
    if words.next:
        words.fail("the requirement is complete here")
    return Requirement(text, measure, relation, reference, number, position=position, word=spelling)


def _optional_margin(words: _Words, measure: str) -> float:
    if words.next.lower() != "by":
        return math.nan
    words.expect("by")
    return words.amount(measure)


def _take_measure(words: _Words, kinds: Sequence[AnyKind]) -> tuple[str, str]:
    """Take the longest run of words that spells a measure, such as "average precision".

    It is returned as the catalogue writes it, and as it was written.
    """
    spellings: list[str] = []
    for token in words.tokens:
        if token.word[0] in "<>=≥≤" or token.word.lower() in ("no", "within", "better"):
            break
        spellings.append(f"{spellings[-1]}_{token.word}" if spellings else token.word)
    if not spellings:
        words.fail("a measure is needed first", FORMS)
    errors = []
    for number in range(min(len(spellings), MAX_WORDS_OF_A_MEASURE), 0, -1):
        try:
            measure = _find_measure(spellings[number - 1], kinds)
        except OptionError as error:
            errors.append(str(error))
        else:
            words.index = number
            return measure, spellings[number - 1]
    # With a comparison after it, all words are the measure; otherwise only the first one surely is.
    is_compared = len(spellings) < len(words.tokens)
    message = errors[0 if is_compared else -1]
    if not is_compared or len(spellings) > 1:
        message = f"{message.removesuffix('?')}; {FORMS}"
    written = spellings[-1 if is_compared else 0]
    raise RequirementError(message, words.text, words.position, unknown_measure=written)


def _find_measure(text: str, kinds: Sequence[AnyKind]) -> str:
    """Check that a measure parses and that a catalogue has it; write it as the catalogue does."""
    spelling = canonical_spelling(text, *kinds)
    measures = chain(catalogue(), *(kind.measures() for kind in kinds))
    names = sorted({measure.name for measure in measures})
    if spelling.name not in names:
        near = difflib.get_close_matches(spelling.name, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; edgeworth measures lists them"
        raise OptionError(f"there is no measure {spelling.name!r}{hint}")
    if spelling.depth == 0:
        raise OptionError(f"a depth is at least 1; saw {text!r}")
    if spelling.label == "" and '""' not in text:
        raise OptionError(f"{text!r} names no label: write {spelling.name}[LABEL]")
    return str(spelling)


# -- several requirements, and files of them -------------------------------------------------------------


def parse_requirements(
    require: str | Sequence[str], path: str | Path | None = None, *kinds: AnyKind
) -> tuple[Requirement, ...]:
    """Read requirements from texts and from a file; refuse to check nothing."""
    texts = [require] if isinstance(require, str) else list(require)
    rules = [parse_requirement(text, *kinds) for text in texts]
    rules += () if path is None else read_requirements(path, *kinds)
    if not rules:
        if path is not None:
            raise InputError(f'{path} has no requirement: write require = "accuracy >= 0.8"')
        raise OptionError(
            'a gate needs a requirement: --require "accuracy >= 0.8", or --requirements gate.toml'
        )
    _refuse_duplicates(rules)
    return tuple(rules)


def _refuse_duplicates(rules: Sequence[Requirement]) -> None:
    """Refuse a requirement that is there twice, because it would count twice."""
    seen: dict[tuple[object, ...], Requirement] = {}
    for rule in rules:
        weights = None if rule.weights is None else tuple(sorted(rule.weights.items()))
        bound = f"{rule.relation} {rule.reference} {rule.number}"
        key = (rule.measure, bound, frozenset(rule.by), rule.task, weights)
        if key in seen:
            rule.refuse(f'"{seen[key].text}" is the same requirement: remove one of them', 0)
        seen[key] = rule


KEYS = ("require", "by", "slices", "task", "weights")


def read_requirements(path: str | Path, *kinds: AnyKind) -> list[Requirement]:
    """Read a TOML file: top-level ``require`` texts, and ``[[gate]]`` tables with ``require`` and more."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from None
    tables = content.pop("gate", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path}: gate is a list of tables, each written below a line [[gate]]")
    entries = {f"{path}, gate {number}": table for number, table in enumerate(tables, start=1)}
    if content:
        entries = {str(path): content, **entries}
    rules: list[Requirement] = []
    for where, table in entries.items():
        _check_keys(table, where)
        texts = _texts(table.get("require"), "require", where)
        if not texts:
            raise InputError(f'{where} has no requirement: require = "accuracy >= 0.8"')
        for text in texts:
            try:
                rule = parse_requirement(text, *kinds)
            except RequirementError as error:
                raise error.in_source(where) from None
            except OptionError as error:
                raise OptionError(f"{where}: {error}") from None
            rules.append(
                replace(
                    rule,
                    source=where,
                    by=tuple(_texts(table.get("by"), "by", where)),
                    slices=tuple(_texts(table.get("slices"), "slices", where)),
                    task=_task(table.get("task"), where),
                    weights=check_weights(table.get("weights"), where),
                )
            )
    return rules


def _check_keys(table: Mapping[str, object], where: str) -> None:
    for key in table:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise InputError(f"{where}: there is no key {key!r}; {hint}the keys are {', '.join(KEYS)}")
    if "task" in table and "by" in table:
        raise InputError(f"{where} names a task and columns of slices (by): write one gate for each")
    if "slices" in table and "by" not in table:
        raise InputError(f'{where} names slices and no column: by = "topic"')


def _texts(value: object, key: str, where: str) -> list[str]:
    texts = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(texts, Iterable) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{where}: {key} is a text or a list of texts; saw {value!r}")
    return [str(text) for text in texts]


def _task(value: object, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where}: task is the name of a task; saw {value!r}")
    return value


def check_weights(value: object, where: str) -> dict[str, float] | None:
    """Check the weights of tasks or slices, which add up to 1 afterwards."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{where}: weights are numbers by name, {{mmlu = 0.5, gsm8k = 0.5}}; saw {value!r}")
    numbers = {}
    for name, weight in value.items():
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < math.inf:
            raise InputError(f"{where}: the weight of {name!r} is a number of at least 0; saw {weight!r}")
        numbers[str(name)] = float(weight)
    total = math.fsum(numbers.values())
    if not total > 0:
        raise InputError(f"{where}: the weights are all 0")
    return {name: weight / total for name, weight in numbers.items()}
