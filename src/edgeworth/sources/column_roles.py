"""Find which column plays which role: by name, and only if a name is unambiguous."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.escaping import shell_word
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.numbers import as_weights
from edgeworth.sources.opening import ArraySource

NAMES_BY_ROLE: dict[str, tuple[str, ...]] = {
    "truth": ("y_true", "truth", "label", "target", "actual", "ground_truth", "gold"),
    "prediction": ("y_pred", "prediction", "predicted", "predicted_label", "pred", "yhat", "y_hat"),
    "score": ("score", "y_score"),
    "correct": ("correct", "is_correct"),
}
"""Usual column names for each role, in any case of letters."""

PROBABILITY_PREFIXES = ("prob_", "proba_")
"""Prefixes of columns with one class's probabilities; a single such column may be for any class."""

POSITIVE_CLASS_NAMES = ("y_prob", "y_proba", "prob", "proba", "probability")
"""Usual names of a column with the positive class's probabilities."""

FORMS = ("prediction", "score", "probabilities")
"""Roles of predictions that are evaluated against the truth; exactly one is chosen."""

MAX_OPTIONS_SUGGESTED = 8
"""Options that a message suggests: with more it would be shortened in the middle."""

GRADED = ("correct", "grade")
"""Roles of predictions that are graded already, so that they need no truth."""


@dataclass(frozen=True)
class RoleGuess:
    """Columns by role if their names are unambiguous, what was inferred, and what is ambiguous."""

    roles: Mapping[str, str | list[str]]
    notices: tuple[str, ...]
    ambiguities: tuple[str, ...]


def guess_roles(names: Sequence[str], passed: Mapping[str, object]) -> RoleGuess:
    """Infer the roles that were not passed: truth, and one of prediction, score or probabilities.

    A role is inferred only if one column fits it. If two columns fit a role, or the predictions could be
    evaluated in two ways, a message names them and the caller decides. ``passed`` holds what the caller
    passed for each role, None if nothing.

    >>> guess = guess_roles(["id", "Y_true", "y_pred"], {})
    >>> guess.roles
    {'truth': 'Y_true', 'prediction': 'y_pred'}
    >>> guess.notices
    ("Took 'Y_true' as truth and 'y_pred' as prediction.",)
    >>> guess_roles(["label", "target", "score"], {"score": "score"}).ambiguities
    ("'label' and 'target' could both be the truth: pass --truth.",)
    """
    known = {role for role, value in passed.items() if value is not None}
    used_names = {name for value in passed.values() for name in names_of(value)}
    free_names = [name for name in names if isinstance(name, str) and name not in used_names]
    roles: dict[str, str | list[str]] = {}
    ambiguities: list[str] = []
    if "truth" not in known:
        _decide("truth", _columns_for("truth", free_names), roles, ambiguities)
    if not known & set(FORMS):
        columns_by_form = {form: columns for form in FORMS if (columns := _columns_for(form, free_names))}
        correct_columns = _columns_for("correct", free_names)
        if not columns_by_form and correct_columns and "truth" not in known:
            roles = {}
            ambiguities = []
            _decide("correct", correct_columns, roles, ambiguities)
        elif len(columns_by_form) == 1:
            _decide_form(*columns_by_form.popitem(), roles, ambiguities)
        elif columns_by_form:
            quoted = [repr(name) for columns in columns_by_form.values() for name in columns]
            options = [
                option for form, columns in columns_by_form.items() for option in _options(form, columns)
            ]
            ambiguities.append(f"{_join(quoted, 'or')} could be evaluated: pass {_join(options, 'or')}.")
    inferred = [f"{_quote(names_of(columns))} as {role}" for role, columns in roles.items()]
    notices = (f"Took {' and '.join(inferred)}.",) if inferred else ()
    return RoleGuess(roles, notices, tuple(ambiguities))


def _decide_form(
    form: str, columns: list[str], roles: dict[str, str | list[str]], ambiguities: list[str]
) -> None:
    """Assign the columns if only one form fits; several columns may hold one class's probabilities each."""
    classes = [name for name in columns if name.lower().startswith(PROBABILITY_PREFIXES)]
    if len(classes) > 1:
        roles[form] = classes
    elif classes:
        ambiguities.append(f"{_quote(classes)} could be the probabilities of any class: name the class.")
    else:
        _decide(form, columns, roles, ambiguities)


def _decide(role: str, columns: list[str], roles: dict[str, str | list[str]], ambiguities: list[str]) -> None:
    """Assign the only column that fits a role, or describe the ambiguity."""
    if len(columns) == 1:
        roles[role] = columns[0]
    elif columns:
        both = "both" if len(columns) == 2 else "all"
        which = "--truth" if role == "truth" else _join(_options(role, columns), "or")
        ambiguities.append(f"{_quote(columns)} could {both} be the {role}: pass {which}.")


def _columns_for(role: str, names: Sequence[str]) -> list[str]:
    """Return the columns whose names fit a role."""
    if role != "probabilities":
        return [name for name in names if name.lower() in NAMES_BY_ROLE[role]]
    classes = [name for name in names if name.lower().startswith(PROBABILITY_PREFIXES)]
    # If there is one column per class, a column of the positive class repeats one of them.
    return classes or [name for name in names if name.lower() in POSITIVE_CLASS_NAMES]


def _options(form: str, columns: Sequence[str]) -> list[str]:
    """Return the options that evaluate the columns in this form.

    >>> _options("probabilities", ["prob_a", "prob_b"]), _options("score", ["my score"])
    (['--probabilities prob_a,prob_b'], ["--score 'my score'"])
    """
    if form == "probabilities" and len(columns) > 1 and columns[0].lower().startswith(PROBABILITY_PREFIXES):
        return [f"--probabilities {shell_word(','.join(columns), 'COLUMN,COLUMN,…')}"]
    option = "probability" if form == "probabilities" else form
    shown = columns[:MAX_OPTIONS_SUGGESTED]
    return list(dict.fromkeys(f"--{option} {shell_word(name, 'COLUMN')}" for name in shown))


def names_of(value: object) -> list[str]:
    """Return the column names in the value of a role: one name, a list of names, or none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return [name for name in value if isinstance(name, str)]
    return []


def _join(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _quote(names: Sequence[str]) -> str:
    return _join([repr(name) for name in names], "and")


def sum_weights(source: Source, column: str) -> tuple[bool, int, float]:
    """Return whether all weights are whole numbers, the number of rows and the sum, in one pass."""
    reducer = Reducer([column], partial(_sum_batch_weights, column=column), np.zeros(2))
    (fractional, total), rows = reducer.fold_rows(source)
    return not fractional, rows, float(total)


def _sum_batch_weights(batch: Batch, column: str) -> Floats:
    """Return 1 if some weight of a batch is not a whole number, else 0, and the sum of the weights."""
    weights = as_weights(batch.columns[column], column, batch.first_row)
    return np.array([weights.dtype.kind != "i", weights.sum()], dtype=np.float64)


def find_source(
    source: Source | None, needed: tuple[str, ...], **roles: object
) -> tuple[Source, dict[str, str]]:
    """Return the source, and the name of the column for each role.

    ``source`` is an open source, whose columns the roles name, or None if the roles hold arrays.
    """
    passed = {role: value for role, value in roles.items() if value is not None}
    for role in needed:
        if role not in passed:
            raise OptionError(f"{role} is needed: pass the name of a column, or the column itself")
    if source is None:
        for role, value in passed.items():
            if isinstance(value, str):
                raise OptionError(f"{role}={value!r} names a column, but there is no table: pass data=…")
        return ArraySource(passed), {role: role for role in passed}
    columns: dict[str, str] = {}
    for role, value in passed.items():
        if not isinstance(value, str):
            raise OptionError(f"with data, {role} must be the name of a column; saw {type(value).__name__}")
        columns[role] = value
    return source, columns


def nothing_left_error(name: str, dropped: int, columns: Collection[str]) -> InputError:
    """Return the error for data without rows to evaluate. ``columns`` are the roles that have a column.

    >>> str(nothing_left_error("a.csv", 0, {"truth", "score", "weight"}))
    'a.csv: every weight is 0'
    """
    if dropped:
        return InputError(f"{name}: no rows are left after {dropped:,} were dropped for missing values")
    return InputError(f"{name}: {'every weight is 0' if 'weight' in columns else 'there are no rows'}")
