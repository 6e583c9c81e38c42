"""Commands that ``edgeworth preview`` suggests, from the names of columns and the values that they hold."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from edgeworth.common.escaping import is_visible
from edgeworth.core.labels import parse_labels, usual_positive
from edgeworth.sources.column_roles import NAMES_BY_ROLE
from edgeworth.sources.columns import Coded
from edgeworth.sources.numbers import NUMBER

MAX_CLASSES = 6
"""A column with more different values holds numbers or text, not classes."""
TRUTH_NAMES = ("y", "expected", "rel", "relevance")
"""Names of a column of truth that are good enough for a suggestion."""
QUERY_NAMES = ("query", "query_id", "qid")
NOT_PREDICTIONS = ("latency", "time", "duration", "seconds", "cost", "weight")
"""Parts of names of columns that predict nothing, although their values may lie between 0 and 1."""
UNKNOWN_CLASS = "CLASS"
"""Stands in a command for a positive class that the labels do not show."""
FIXTURE_NAMES = {"game", "outcome", "probability", "odds"}
"""The columns of games that are still to be played, which ``edgeworth stakes`` reads."""
FORMS = ("--truth COLUMN --prediction", "--truth COLUMN --score", "--truth COLUMN --probability", "--correct")


UNIT_NAMES = frozenset(
    (
        *("customer", "client", "user", "member", "account", "patient", "subject", "person", "participant"),
        *("respondent", "worker", "employee", "session", "visit", "conversation", "thread", "document"),
        *("doc", "passage", "article", "paper", "book", "page", "group", "cluster", "site", "centre"),
        *("center", "school", "classroom", "student", "pupil", "teacher", "hospital", "clinic", "doctor"),
        *("household", "family", "mother", "speaker", "author", "writer", "animal", "device", "machine"),
    )
)
"""Usual names, also with _id, of columns of units that may have several rows."""
MIN_ROWS_OF_UNIT, MAX_ROWS_OF_UNIT = 1.2, 50
"""The least and the largest mean number of rows per value of a column of units."""
MAX_VALUES_OF_SLICES = 10
"""A column with more different values holds units rather than slices."""
ID_ENDING = re.compile(r"[_\s-]?id$")


def suggest_clusters(columns: Mapping[str, Coded], commands: Sequence[str]) -> list[str]:
    """Suggest --cluster for each column of units that repeat, unless a command uses the column already.

    Commands for search runs, bets and queries have no such option, or group the rows already.
    """
    takes_clusters = any(command.startswith(("evaluate", "compare")) for command in commands)
    if not takes_clusters or any(" --query " in command for command in commands):
        return []
    used = {word for command in commands for word in shlex.split(command)}
    hints = []
    for name, column in columns.items():
        unit = ID_ENDING.sub("", name.rpartition(".")[2].lower())
        texts = [str(label) for label in column.labels]
        if unit not in UNIT_NAMES or name in used or not is_visible(name):
            continue
        if len(texts) <= MAX_VALUES_OF_SLICES:
            continue
        is_fraction = all(NUMBER.fullmatch(text) for text in texts) and any(float(x) % 1 for x in texts)
        rows = int((column.codes >= 0).sum()) / len(texts)
        if not is_fraction and MIN_ROWS_OF_UNIT <= rows <= MAX_ROWS_OF_UNIT:
            number = f"{rows:.0f}" if rows == round(rows) else f"about {rows:.1f}"
            hints.append(
                f"{name} repeats ({number} rows each): if rows of one {unit} are alike, add --cluster "
                f"{shlex.quote(name)}"
            )
    return hints


def suggest_commands(columns: Mapping[str, Coded]) -> list[str]:
    """Suggest commands for a table; ``{}`` stands for its files."""
    results = _results_of_bets(columns)
    if results & {"won", "win", "lost", "loss"}:
        return ["ledger {}"]
    if FIXTURE_NAMES.issubset(columns):
        return ["stakes {} --bankroll 1000"]
    if _is_search_run(columns):
        return ["trec QRELS {}"]
    values = ColumnValues.from_columns(columns)
    truths = _named(values.classes, *NAMES_BY_ROLE["truth"], *TRUTH_NAMES)
    correct = _find_correct(values, has_truth=bool(truths))
    commands = _commands(values, "--correct", correct)
    # 0 and 1 may be outcomes that probabilities predict, too.
    ledger = ["ledger {}"] if results and _named(columns, "won", "win") else []
    for truth in truths[:1] or ([] if correct else _possible_truths(values)):
        commands += _suggest_with_truth(values, truth, correct)
        if commands:
            break
    return [*ledger, *commands] or [f"evaluate {{}} {form} COLUMN" for form in FORMS]


def _results_of_bets(columns: Mapping[str, Coded]) -> set[str]:
    """Return the different results of bets, if there are odds and results such as won, void, 1 and 0."""
    from edgeworth.bet.ledger import PENDING, RESULTS
    from edgeworth.pipeline.bet_records import COLUMN_NAMES

    by_role = {role: _named(columns, *COLUMN_NAMES[role]) for role in ("result", "odds")}
    if not all(by_role.values()):
        return set()
    labels = columns[by_role["result"][0]].labels
    results = {str(label).strip().lower().replace("_", "-") for label in labels}
    return results if results <= {*RESULTS, *PENDING} else set()


def _is_search_run(columns: Mapping[str, Coded]) -> bool:
    """Return whether there are queries, documents, and their scores or ranks, but no truth."""
    from edgeworth.rankings.trec.files import CSV_NAMES

    names = {name.strip().lower() for name in columns}
    has_order = any(names.intersection(CSV_NAMES[role]) for role in ("score", "rank"))
    grades = set(CSV_NAMES["grade"]).difference(CSV_NAMES["score"])
    has_truth = names.intersection((*NAMES_BY_ROLE["truth"], *TRUTH_NAMES, *grades))
    has_lists = all(names.intersection(CSV_NAMES[role]) for role in ("query", "document"))
    return has_lists and has_order and not has_truth


@dataclass(frozen=True)
class ColumnValues:
    """What the columns of a table hold, as far as their different values show."""

    columns: Mapping[str, Coded]
    texts: Mapping[str, list[str]]
    """The different values of each column, as text."""
    classes: Mapping[str, set[str]]
    """The values of each column that has few of them."""
    numbers: Mapping[str, list[float]]
    """The values of each column of numbers."""

    @classmethod
    def from_columns(cls, columns: Mapping[str, Coded]) -> ColumnValues:
        """Collect the values of columns."""
        texts = {name: [str(label) for label in column.labels] for name, column in columns.items()}
        classes = {name: set(labels) for name, labels in texts.items() if 2 <= len(labels) <= MAX_CLASSES}
        numbers = {
            name: [float(text) for text in labels]
            for name, labels in texts.items()
            if labels and all(NUMBER.fullmatch(text) for text in labels)
        }
        return cls(columns, texts, classes, numbers)

    @property
    def continuous(self) -> list[str]:
        """List the columns of numbers that may be scores or probabilities."""
        return [
            name
            for name in self.numbers
            if len(self.texts[name]) > MAX_CLASSES
            and not any(part in name.lower() for part in NOT_PREDICTIONS)
        ]

    @property
    def shares(self) -> list[str]:
        """List the columns whose numbers lie between 0 and 1."""
        return [name for name, numbers in self.numbers.items() if min(numbers) >= 0 and max(numbers) <= 1]

    def has_gaps(self, name: str) -> bool:
        """Return whether values of a column are missing."""
        return name in self.columns and bool(self.columns[name].codes.min() < 0)


def _named(columns: Iterable[str], *names: str) -> list[str]:
    """Find the columns that have one of some names, by the last part after a dot."""
    return [column for column in columns if column.rpartition(".")[2].lower() in names]


def _possible_truths(values: ColumnValues) -> list[str]:
    """Order the columns of classes: first labels that other columns repeat, then those like yes and no."""
    repeats = Counter(map(frozenset, values.classes.values()))

    def is_unlikely(name: str) -> tuple[bool, bool]:
        has_positive = usual_positive(parse_labels(values.texts[name])) is not None
        return repeats[frozenset(values.classes[name])] == 1, not has_positive

    return sorted(values.classes, key=is_unlikely)


def _commands(
    values: ColumnValues, option: str, names: Sequence[str], given: str = "", positive: str = ""
) -> list[str]:
    """Write the command that evaluates the first column, and the one that compares all of them."""
    commands = []
    for number in sorted({1, len(names)}) if names else ():
        options = "".join([given, *(f" {option} {shlex.quote(name)}" for name in names[:number])])
        has_gaps = any(values.has_gaps(word) for word in shlex.split(options))
        if positive:
            options += f" --positive {shlex.quote(positive)}"
        if has_gaps and not option.startswith(("--prob", "--odds")):
            options += " --missing drop"
        commands.append(f"{'evaluate' if number == 1 else 'compare'} {{}}{options}")
    return commands


def _find_correct(values: ColumnValues, *, has_truth: bool) -> list[str]:
    """Find the columns of right or wrong answers: by name, or without a truth by their values too."""
    classes = values.classes
    correct = _named(classes, *NAMES_BY_ROLE["correct"])
    if has_truth:
        return correct
    correct = correct or [name for name in classes if classes[name] == {"True", "False"}]
    if correct:
        same_values = classes[correct[0]]
        correct += [name for name in classes if classes[name] == same_values and name not in correct]
    # A column that lies deeper is about a part of the answer.
    return [name for name in correct if "." not in name] or correct


def _suggest_with_truth(values: ColumnValues, truth: str, correct: Sequence[str]) -> list[str]:
    """Suggest commands for labels, probabilities and scores of one column of truth."""
    prefixes = _class_prefixes(values, truth)
    labels = parse_labels(values.texts[truth])
    positive = "" if usual_positive(labels) is not None else UNKNOWN_CLASS
    return [
        *_suggest_labels(values, truth, correct),
        *_suggest_probability(values, truth, prefixes, positive),
        *_suggest_scores(values, truth, positive),
        *_suggest_class_columns(values, truth, prefixes),
    ]


def _suggest_labels(values: ColumnValues, truth: str, correct: Sequence[str]) -> list[str]:
    """Suggest columns that hold the same labels as the truth, in some of its rows."""
    classes = values.classes
    has_truth = values.columns[truth].codes >= 0
    predictions = [
        name
        for name in classes
        if name not in (truth, *correct)
        and classes[name] == classes[truth]
        and (values.columns[name].codes[has_truth] >= 0).any()
    ]
    return _commands(values, "--prediction", predictions, _truth_option(truth))


def _suggest_probability(
    values: ColumnValues, truth: str, prefixes: Sequence[str], positive: str
) -> list[str]:
    """Suggest columns of the probability of one class; the end of a name may be that class."""
    classes = values.classes[truth]
    if len(classes) != 2:
        return []
    shares = set(values.shares)
    of_each_class = {f"{prefix}{label}" for prefix in prefixes for label in classes}
    by_class: dict[str, list[str]] = {}
    for name in values.continuous:
        if name in shares and name not in of_each_class:
            named = [label for label in classes if name.endswith(label) and not NUMBER.fullmatch(label)]
            by_class.setdefault(max(named, key=len, default=positive), []).append(name)
    return [
        command
        for label, names in by_class.items()
        for command in _commands(values, "--probability", names, _truth_option(truth), label)
    ]


def _suggest_scores(values: ColumnValues, truth: str, positive: str) -> list[str]:
    """Suggest columns of scores: by name, or if some values are negative."""
    query = "".join(f" --query {shlex.quote(name)}" for name in _named(values.columns, *QUERY_NAMES))
    if len(values.classes[truth]) != 2 and not query:
        return []
    scores = _named(values.numbers, *NAMES_BY_ROLE["score"])
    scores += [name for name in values.continuous if min(values.numbers[name]) < 0 and name not in scores]
    given = f"{_truth_option(truth)}{query}"
    return _commands(values, "--score", scores, given, "" if query else positive)


def _suggest_class_columns(values: ColumnValues, truth: str, prefixes: Sequence[str]) -> list[str]:
    """Suggest columns of probabilities and of odds, one per class; with bets also the column of dates."""
    from edgeworth.pipeline.bet_records import COLUMN_NAMES

    places = {name: place for place, name in enumerate(values.columns)}
    shares, odds = list[str](), list[str]()
    for prefix in prefixes:
        columns = sorted((f"{prefix}{label}" for label in values.texts[truth]), key=places.__getitem__)
        if all(min(values.numbers[name]) > 1 for name in columns):
            odds.append(",".join(columns))
        elif set(columns) <= set(values.shares):
            shares.append(",".join(columns))
    given = _truth_option(truth)
    if not odds:
        return _commands(values, "--probabilities", shares[:1], given)
    dates = _named(values.columns, *COLUMN_NAMES["time"])[:1]
    time = "".join(f" --time {shlex.quote(name)}" for name in dates)
    if shares:
        alone = _commands(values, "--probabilities", shares[:1], given)
        forecasts = f"{given} --probabilities {shlex.quote(shares[0])}"
    else:
        alone = _commands(values, "--odds", odds[:1], given)
        if len(odds) < 2:
            return alone
        # The odds of a second bookmaker are forecasts too.
        forecasts = f"{given} --probabilities {shlex.quote(odds[1])} --remove-overround power"
    return [*alone, *(f"{command}{time}" for command in _commands(values, "--odds", odds[:1], forecasts))]


def _class_prefixes(values: ColumnValues, truth: str) -> list[str]:
    """Find what names of columns begin with, if there is a column of numbers for each class."""
    classes = values.classes[truth]
    prefixes = Counter(
        name.removesuffix(label) for label in classes for name in values.numbers if name.endswith(label)
    )
    return [prefix for prefix, number in prefixes.items() if number == len(classes)]


def _truth_option(truth: str) -> str:
    return f" --truth {shlex.quote(truth)}"
