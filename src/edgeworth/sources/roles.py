"""Which column plays which role, guessed from names only where there is no doubt."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NAMES: dict[str, tuple[str, ...]] = {
    "truth": ("y_true", "truth", "label", "target", "actual", "ground_truth", "gold"),
    "prediction": ("y_pred", "prediction", "predicted", "predicted_label", "pred", "yhat", "y_hat"),
    "score": ("score", "y_score"),
}
"""What columns of a role are called, in any case of letters."""

PROBABILITIES = ("prob_", "proba_")
"""How columns of the classes' probabilities begin; one alone may be of any class."""

POSITIVE = ("y_prob", "y_proba", "prob", "proba", "probability")
"""What the column of the positive class's probabilities is called."""

FORMS = ("prediction", "score", "probabilities")
"""Three ways to be evaluated, of which one is chosen."""


@dataclass(frozen=True)
class Guessed:
    """Columns by role where names left no doubt, and sentences about what was taken and what could not be."""

    roles: Mapping[str, str | list[str]]
    sentences: tuple[str, ...]


def guess_roles(names: Sequence[str], given: Mapping[str, Any]) -> Guessed:
    """Fill in the roles that nobody gave: truth, and one of prediction, score or probabilities.

    A role is guessed from one column only; two that could play it, or two ways to be evaluated, are named in
    a sentence and left to the caller. ``given`` holds what the caller said, None for what was left out.

    >>> guessed = guess_roles(["id", "Y_true", "y_pred"], {})
    >>> guessed.roles
    {'truth': 'Y_true', 'prediction': 'y_pred'}
    >>> guessed.sentences
    ("Took 'Y_true' as truth and 'y_pred' as prediction.",)
    >>> guess_roles(["label", "target", "score"], {"score": "score"}).sentences
    ("'label' and 'target' could both be the truth: say which.",)
    """
    known = {role for role, value in given.items() if value is not None}
    taken = {name for value in given.values() for name in _names(value)}
    free = [name for name in names if isinstance(name, str) and name not in taken]
    roles: dict[str, str | list[str]] = {}
    doubts: list[str] = []
    if "truth" not in known:
        _settle("truth", _called("truth", free), roles, doubts)
    if not known & set(FORMS):
        found = {form: columns for form in FORMS if (columns := _called(form, free))}
        if len(found) > 1:
            shown = [repr(name) for columns in found.values() for name in columns]
            options = [option for form, columns in found.items() for option in _options(form, columns)]
            doubts.append(f"{_either(shown)} could be evaluated: say {_either(options)}.")
        for form, columns in found.items() if len(found) == 1 else ():
            classes = [name for name in columns if name.lower().startswith(PROBABILITIES)]
            if len(classes) > 1:
                roles[form] = classes
            elif classes:
                doubts.append(f"{_listed(classes)} could be the probabilities of any class: say of which.")
            else:
                _settle(form, columns, roles, doubts)
    said = [f"{_listed(_names(columns))} as {role}" for role, columns in roles.items()]
    return Guessed(roles, tuple([f"Took {' and '.join(said)}."] if said else []) + tuple(doubts))


def _settle(role: str, columns: list[str], roles: dict[str, str | list[str]], doubts: list[str]) -> None:
    if len(columns) == 1:
        roles[role] = columns[0]
    elif columns:
        both = "both" if len(columns) == 2 else "all"
        which = "which" if role == "truth" else _either(_options(role, columns))
        doubts.append(f"{_listed(columns)} could {both} be the {role}: say {which}.")


def _called(role: str, names: Sequence[str]) -> list[str]:
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
        return [f"--probabilities {shlex.quote(','.join(columns))}"]
    option = "probability" if form == "probabilities" else form
    return [f"--{option} {shlex.quote(name)}" for name in columns]


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [name for name in value if isinstance(name, str)] if isinstance(value, (list, tuple)) else []


def _listed(names: Sequence[str]) -> str:
    shown = [repr(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
