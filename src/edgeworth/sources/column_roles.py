"""Which column plays which role, guessed from names only where there is no doubt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.escaping import shell_word
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.numbers import as_weights
from edgeworth.sources.opening import ArraySource, open_source

NAMES: dict[str, tuple[str, ...]] = {
    "truth": ("y_true", "truth", "label", "target", "actual", "ground_truth", "gold"),
    "prediction": ("y_pred", "prediction", "predicted", "predicted_label", "pred", "yhat", "y_hat"),
    "score": ("score", "y_score"),
    "correct": ("correct", "is_correct"),
}
"""What columns of a role are called, in any case of letters."""

PROBABILITIES = ("prob_", "proba_")
"""How columns of the classes' probabilities begin; one alone may be of any class."""

POSITIVE = ("y_prob", "y_proba", "prob", "proba", "probability")
"""What the column of the positive class's probabilities is called."""

FORMS = ("prediction", "score", "probabilities")
"""Three ways to be evaluated against the truth, of which one is chosen."""

MOST_OPTIONS = 8
"""Options that a sentence suggests: more would make it so long that its middle is left out."""

GRADED = ("correct", "grade")
"""Ways to be evaluated that need no truth, for somebody has judged already."""


@dataclass(frozen=True)
class RoleGuess:
    """Columns by role where names left no doubt, and sentences about what was taken and what could not be."""

    roles: Mapping[str, str | list[str]]
    notices: tuple[str, ...]
    doubts: tuple[str, ...]


def guess_roles(names: Sequence[str], given: Mapping[str, Any]) -> RoleGuess:
    """Fill in the roles that nobody gave: truth, and one of prediction, score or probabilities.

    A role is guessed from one column only; two that could play it, or two ways to be evaluated, are named in
    a sentence and left to the caller. ``given`` holds what the caller said, None for what was left out.

    >>> guessed = guess_roles(["id", "Y_true", "y_pred"], {})
    >>> guessed.roles
    {'truth': 'Y_true', 'prediction': 'y_pred'}
    >>> guessed.notices
    ("Took 'Y_true' as truth and 'y_pred' as prediction.",)
    >>> guess_roles(["label", "target", "score"], {"score": "score"}).doubts
    ("'label' and 'target' could both be the truth: say which.",)
    """
    known = {role for role, value in given.items() if value is not None}
    taken = {name for value in given.values() for name in names_of(value)}
    free = [name for name in names if isinstance(name, str) and name not in taken]
    roles: dict[str, str | list[str]] = {}
    doubts: list[str] = []
    if "truth" not in known:
        _decide("truth", _columns_for("truth", free), roles, doubts)
    if not known & set(FORMS):
        found = {form: columns for form in FORMS if (columns := _columns_for(form, free))}
        judged = _columns_for("correct", free)
        if not found and judged and "truth" not in known:
            roles, doubts = {}, []
            _decide("correct", judged, roles, doubts)
        if len(found) > 1:
            shown = [repr(name) for columns in found.values() for name in columns]
            options = [option for form, columns in found.items() for option in _options(form, columns)]
            doubts.append(f"{_join(shown, 'or')} could be evaluated: say {_join(options, 'or')}.")
        for form, columns in found.items() if len(found) == 1 else ():
            classes = [name for name in columns if name.lower().startswith(PROBABILITIES)]
            if len(classes) > 1:
                roles[form] = classes
            elif classes:
                doubts.append(f"{_quote(classes)} could be the probabilities of any class: say of which.")
            else:
                _decide(form, columns, roles, doubts)
    said = [f"{_quote(names_of(columns))} as {role}" for role, columns in roles.items()]
    return RoleGuess(roles, (f"Took {' and '.join(said)}.",) if said else (), tuple(doubts))


def _decide(role: str, columns: list[str], roles: dict[str, str | list[str]], doubts: list[str]) -> None:
    if len(columns) == 1:
        roles[role] = columns[0]
    elif columns:
        both = "both" if len(columns) == 2 else "all"
        which = "which" if role == "truth" else _join(_options(role, columns), "or")
        doubts.append(f"{_quote(columns)} could {both} be the {role}: say {which}.")


def _columns_for(role: str, names: Sequence[str]) -> list[str]:
    """The columns whose names say that they could play a role."""
    if role != "probabilities":
        return [name for name in names if name.lower() in NAMES[role]]
    classes = [name for name in names if name.lower().startswith(PROBABILITIES)]
    # With a column a class the positive one's own column says the same once more.
    return classes or [name for name in names if name.lower() in POSITIVE]


def _options(form: str, columns: Sequence[str]) -> list[str]:
    """What to write to have columns evaluated in a way.

    >>> _options("probabilities", ["prob_a", "prob_b"]), _options("score", ["my score"])
    (['--probabilities prob_a,prob_b'], ["--score 'my score'"])
    """
    if form == "probabilities" and len(columns) > 1 and columns[0].lower().startswith(PROBABILITIES):
        return [f"--probabilities {shell_word(','.join(columns), 'COLUMN,COLUMN,…')}"]
    option = "probability" if form == "probabilities" else form
    return list(dict.fromkeys(f"--{option} {shell_word(name, 'COLUMN')}" for name in columns[:MOST_OPTIONS]))


def names_of(value: Any) -> list[str]:
    """List the names of columns in what plays a role."""
    texts = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
    return [text for text in texts if isinstance(text, str)]


def _join(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _quote(names: Sequence[str]) -> str:
    return _join([repr(name) for name in names], "and")


def sum_weights(source: Source, column: str) -> tuple[bool, int, float]:
    """Whether all weights are whole numbers, by type or as written, their number and sum: in one pass."""
    summed = Reducer([column], partial(_sum_weights, column=column), np.zeros(2))
    (fractional, total), rows = summed.fold_rows(source)
    return not fractional, rows, float(total)


def _sum_weights(batch: Batch, column: str) -> Floats:
    """1 for a batch in which some weight is not a whole number, and the sum of its weights."""
    weights = as_weights(batch.columns[column], column, batch.first_row)
    return np.array([weights.dtype.kind != "i", weights.sum()], dtype=np.float64)


def find_source(data: Any, needed: tuple[str, ...], **roles: Any) -> tuple[Source, dict[str, str]]:
    """The source, and the name of the column that plays each role."""
    given = {role: value for role, value in roles.items() if value is not None}
    for role in needed:
        if role not in given:
            raise OptionError(f"{role} is needed: the name of a column, or the column itself")
    if data is None:
        for role, value in given.items():
            if isinstance(value, str):
                raise OptionError(f"{role}={value!r} names a column, but no table is given (data=…)")
        return ArraySource(given), {role: role for role in given}
    for role, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"with data, {role} is the name of a column; saw {type(value).__name__}")
    return open_source(data), given


def nothing_left_error(name: str, dropped: int, columns: Collection[str]) -> InputError:
    """Why what could be read has nothing to say. ``columns`` are the roles that are played.

    >>> str(nothing_left_error("a.csv", 0, {"truth", "score", "weight"}))
    'a.csv: every weight is 0'
    """
    if dropped:
        return InputError(f"{name}: no rows are left after {dropped:,} were dropped for missing values")
    return InputError(f"{name}: {'every weight is 0' if 'weight' in columns else 'there are no rows'}")
