"""Roles guessed from names: only where there is no doubt, and said aloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.errors import EdgeworthError
from edgeworth.sources.column_roles import guess_roles

SURE: list[tuple[list[str], dict[str, Any], str]] = [
    (
        ["y_true", "y_pred"],
        {"truth": "y_true", "prediction": "y_pred"},
        "'y_true' as truth and 'y_pred' as pre",
    ),
    (["id", "Label", "PREDICTION"], {"truth": "Label", "prediction": "PREDICTION"}, "Took 'Label' as truth"),
    (["target", "score", "weight"], {"truth": "target", "score": "score"}, "'score' as score"),
    (
        ["label", "prob_cat", "prob_dog"],
        {"truth": "label", "probabilities": ["prob_cat", "prob_dog"]},
        "'prob_cat' and 'prob_dog' as probabilities",
    ),
    (["truth", "y_prob"], {"truth": "truth", "probabilities": "y_prob"}, "'y_prob' as probabilities"),
    (
        ["y_true", "prob_a", "Prob_b", "prob_c"],
        {"truth": "y_true", "probabilities": ["prob_a", "Prob_b", "prob_c"]},
        "'prob_a', 'Prob_b' and 'prob_c' as",
    ),
]


@pytest.mark.parametrize(("names", "roles", "message"), SURE, ids=str)
def test_names_without_doubt(names: list[str], roles: dict[str, Any], message: str) -> None:
    guessed = guess_roles(names, {})
    assert guessed.roles == roles
    assert len(guessed.notices) == 1
    assert guessed.notices[0].startswith("Took ")
    assert message in guessed.notices[0]
    assert guess_roles(names[::-1], {}).roles.keys() == roles.keys()


DOUBTFUL: list[tuple[list[str], dict[str, Any], str]] = [
    (["label", "target", "y_pred"], {"prediction": "y_pred"}, "'label' and 'target' could both be the truth"),
    (["y_true", "label", "gold"], {}, "'y_true', 'label' and 'gold' could all be the truth"),
    (["y_true", "Y_TRUE"], {}, "'y_true' and 'Y_TRUE' could both be the truth"),
    (
        ["y_true", "y_pred", "score"],
        {"truth": "y_true"},
        "'y_pred' or 'score' could be evaluated: pass --prediction y_pred or --score score.",
    ),
    (
        ["y_true", "y_prob", "prob"],
        {"truth": "y_true"},
        "could both be the probabilities: pass --probability y_prob or --probability prob.",
    ),
    (["y_true", "prob_0"], {"truth": "y_true"}, "'prob_0' could be the probabilities of any class"),
]


@pytest.mark.parametrize(("names", "roles", "message"), DOUBTFUL, ids=str)
def test_names_with_doubt_are_named_and_not_taken(
    names: list[str], roles: dict[str, Any], message: str
) -> None:
    guessed = guess_roles(names, {})
    assert guessed.roles == roles
    assert message in guessed.ambiguities[-1]


def test_what_is_given_is_not_guessed() -> None:
    names = ["y_true", "y_pred", "score", "label"]
    assert guess_roles(names, {"truth": "label", "score": "score"}).roles == {}
    assert guess_roles(names, {"truth": "label", "score": "score"}).notices == ()
    # A column that plays a role already plays no other.
    assert guess_roles(names, {"prediction": "label"}).roles == {"truth": "y_true"}
    assert guess_roles(names, {"prediction": "y_pred", "cluster": "label"}).roles == {"truth": "y_true"}
    assert guess_roles(["label", "prob_a", "prob_b"], {"probabilities": ["prob_a", "prob_b"]}).roles == {
        "truth": "label"
    }


@pytest.mark.parametrize(
    "names", [[], ["a", "b"], ["ytrue", "my_label", "labels", "scored", "probable"]], ids=str
)
def test_names_that_say_nothing(names: list[str]) -> None:
    guessed = guess_roles(names, {"truth": None})
    assert guessed.roles == {}
    assert guessed.notices == guessed.ambiguities == ()


FRAME = pd.DataFrame({"y": [0, 1] * 9, "p": [0, 1, 1] * 6, "q": [1, 0, 0] * 6})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: ew.evaluate(FRAME["y"], FRAME["p"]), "truth=.*prediction="),
        (lambda: ew.evaluate([0, 1]), "truth=.*prediction="),
        (lambda: ew.tally(FRAME, "y", "p"), "truth=.*prediction="),
        (lambda: ew.compare(FRAME, "y", ["p", "q"]), "truth=.*systems="),
        (lambda: ew.compare(truth=FRAME, systems=["p", "q"]), "data"),
    ],
)
def test_what_is_given_without_its_name_is_told_it(ask: Callable[[], object], message: str) -> None:
    with pytest.raises((TypeError, EdgeworthError), match=message):
        ask()
