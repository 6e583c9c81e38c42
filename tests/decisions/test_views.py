"""Asking for a measure: which one is meant, on which label, with which options, and what if none is."""

from __future__ import annotations

import math
import re

import pytest

import edgeworth as ew
from edgeworth.errors import InputError, OptionError

SPAM = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["spam", "ham"])
PETS = ew.ContingencyTable.from_matrix(
    [[3, 1, 0], [2, 4, 1], [0, 0, 5]], rows="predicted", labels=["cat", "dog", "fish"]
)


def message(table: ew.ContingencyTable, spelling: str, kind: type[Exception] = OptionError) -> str:
    with pytest.raises(kind) as caught:
        ew.measure(table, spelling)
    return str(caught.value)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("informednes", "informedness"),
        ("precison", "precision"),
        ("acuracy", "accuracy"),
        ("balanced_acc", "balanced_accuracy"),
    ],
)
def test_an_unknown_name_gets_the_one_that_is_meant(typed: str, meant: str) -> None:
    text = message(SPAM, f"{typed}[spam]")
    assert typed.lower() in text
    assert f"did you mean {meant}" in text


def as_typed(synonym: str) -> str:
    """How someone types a name of several words."""
    return synonym.lower().replace("'", "").replace(" ", "_").replace("-", "_")


# Signs at the end (DeltaP', LR-) make a different name of it, and cannot be typed as one.
TYPED = re.compile(r"[a-z](?:[a-z0-9' -]*[a-z0-9])?")
SYNONYMS = sorted(
    {
        (as_typed(word), m.name)
        for m in ew.catalogue(kind="decisions")
        for word in m.synonyms
        if TYPED.fullmatch(word)
    }
)


@pytest.mark.parametrize(("typed", "meant"), SYNONYMS)
def test_every_synonym_is_its_measure_or_is_said_to_be_several(typed: str, meant: str) -> None:
    every = ew.catalogue(kind="decisions")
    if len({m.name for m in every for word in m.synonyms if as_typed(word) == typed}) > 1:
        text = message(SPAM, typed)
        assert meant in text.partition("did you mean ")[2].partition("?")[0].split(" or ")
        return
    scopes = [m.scope for m in every if m.name == meant]
    label = "[spam]" if "label" in scopes else ""
    assert ew.measure(SPAM, typed + label) == pytest.approx(ew.measure(SPAM, meant + label), nan_ok=True)


def test_nothing_like_it() -> None:
    text = message(SPAM, "xyzzyq")
    assert "xyzzyq" in text
    assert "did you mean" not in text


@pytest.mark.parametrize("spelling", ["accuracy@5", "recall[spam]@5"])
def test_a_depth_belongs_to_a_ranking(spelling: str) -> None:
    assert "ranking" in message(SPAM, spelling)


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("accuracy(alpha=1)", ["accuracy", "alpha", "none"]),
        ("f[spam](gamma=2)", ["gamma", "alpha"]),
        ("f[spam](alpha=1.5)", ["alpha", "0", "1", "1.5"]),
        ("f[spam](alpha=-0.1)", ["alpha", "-0.1"]),
        ("f[spam](alpha=nan)", ["alpha", "nan"]),
        ("f[spam](alpha=half)", ["alpha", "number", "half"]),
        ("informedness(abstentions=skip)", ["discount", "zero_weight", "drop", "skip"]),
        ("unit_return(overround=-1)", ["overround", "-1"]),
        ("unit_return(commission=1.01)", ["commission", "1.01"]),
    ],
)
def test_options_are_checked(spelling: str, words: list[str]) -> None:
    text = message(SPAM, spelling)
    for word in words:
        assert word in text


def test_an_unknown_label_shows_the_known_ones() -> None:
    text = message(PETS, "recall[dig]", InputError)
    assert "'dig'" in text
    assert "dog" in text


def test_a_label_on_a_measure_of_the_whole() -> None:
    assert "whole table" in message(PETS, "accuracy[cat]")


def test_no_label_and_no_positive_one() -> None:
    text = message(PETS, "recall")
    assert "recall[cat]" in text
    assert "recall[fish]" in text


def test_the_positive_label_goes_without_saying() -> None:
    assert ew.measure(SPAM.declare(positive="ham"), "recall") == pytest.approx(4 / 5)
    usual = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["no", "yes"])
    assert ew.measure(usual, "recall") == pytest.approx(4 / 5)


def test_a_declared_positive_label_zero_is_a_label() -> None:
    table = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", positive=0)
    assert ew.measure(table, "recall") == pytest.approx(3 / 5)


def test_the_same_name_of_a_label_and_of_the_whole() -> None:
    """G(cat) is recall less fallout: 3/5 - 1/11."""
    assert ew.measure(PETS, "informedness[cat]") == pytest.approx(3 / 5 - 1 / 11)
    assert ew.measure(PETS, "informedness") != pytest.approx(3 / 5 - 1 / 11)


def test_labels_that_are_numbers_or_truths_are_found_as_written() -> None:
    numbers = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=[10, 2.5])
    assert ew.measure(numbers, "recall[2.5]") == ew.measure(numbers, 'recall["2.5"]') == pytest.approx(4 / 5)
    truths = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=[False, True])
    assert ew.measure(truths, "recall[False]") == pytest.approx(3 / 5)


def test_not_a_tally() -> None:
    with pytest.raises(OptionError, match="list"):
        ew.measure([[3, 1], [2, 4]], "accuracy")


@pytest.mark.parametrize(
    "measure", [m for m in ew.catalogue(kind="decisions") if m.scope == "label"], ids=lambda m: m.name
)
def test_a_catalogued_measure_of_a_label_says_how_to_name_the_label(measure: ew.Measure) -> None:
    with pytest.raises(OptionError, match=rf"{measure.name}\["):
        ew.measure(PETS, measure)
    positive = SPAM.declare(positive="ham")
    assert ew.measure(positive, measure) == ew.measure(positive, f"{measure.name}[ham]")


@pytest.mark.parametrize(
    "measure", [m for m in ew.catalogue(kind="decisions") if m.scope != "label"], ids=lambda m: m.name
)
def test_a_catalogued_measure_of_the_whole_can_be_used_itself(measure: ew.Measure) -> None:
    assert ew.measure(PETS, measure) == ew.measure(PETS, measure.name)


def test_the_reason_names_the_label() -> None:
    table = ew.ContingencyTable.from_matrix([[3, 0], [2, 0]], rows="predicted", labels=["spam", "h{a}m"])
    result = ew.estimate(table, "recall[h{a}m]")
    assert math.isnan(result.value)
    assert result.undefined is not None
    assert "h{a}m" in result.undefined
