"""The language of requirements: what it reads, what it allows, and where it says an error is."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from edgeworth.errors import InputError, OptionError
from edgeworth.gates.requirements import (
    Region,
    RequirementError,
    parse_requirement,
    parse_requirements,
    read_requirements,
)


@pytest.mark.parametrize(
    ("text", "measure", "relation", "reference", "number"),
    [
        ("recall[fraud] >= 0.9", "recall[fraud]", ">=", "number", 0.9),
        ("recall[fraud]>=90%", "recall[fraud]", ">=", "number", 0.9),
        ("average_precision > chance", "average_precision", ">", "chance", math.nan),
        ("average precision > chance", "average_precision", ">", "chance", math.nan),
        ("accuracy no worse than baseline by 1pp", "accuracy", "no worse", "baseline", 0.01),
        ("accuracy No Worse Than Baseline By 1 pp", "accuracy", "no worse", "baseline", 0.01),
        ("brier within 0.005 of baseline", "brier", "within", "baseline", 0.005),
        ("log better than baseline", "log", "better", "baseline", math.nan),
        ("f[spam](alpha=0.3) > baseline by 2pp", "f[spam](alpha=0.3)", ">", "baseline", 0.02),
        ('recall["a ] >= b"] ≥ 0.5', 'recall["a ] >= b"]', ">=", "number", 0.5),
        ("precision@10 < .4", "precision@10", "<", "number", 0.4),
        ("mcc >= -0.2", "mcc", ">=", "number", -0.2),
        ("sensitivity[x] >= 0.2", "recall[x]", ">=", "number", 0.2),
        ("accuracy >= 90 %", "accuracy", ">=", "number", 0.9),
        ("mcc > −20 %", "mcc", ">", "number", -0.2),
        ("accuracy within 1 point of baseline", "accuracy", "within", "baseline", 0.01),
        ('recall[""] > 0.2', 'recall[""]', ">", "number", 0.2),
    ],
)
def test_what_it_reads(text: str, measure: str, relation: str, reference: str, number: float) -> None:
    rule = parse_requirement(text)
    assert (rule.measure, rule.relation, rule.reference) == (measure, relation, reference)
    assert rule.number == pytest.approx(number, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("recall[fraud >= 0.9", 7, r"'\[' is not closed"),
        ("acuracy >= 0.9", 1, "did you mean accuracy"),
        ("accuracy", 9, "a comparison is needed"),
        ("accuracy == 0.9", 10, "a comparison is needed"),
        ("accuracy >=", 12, "a number, chance or baseline is needed"),
        ("accuracy >= high", 13, "saw 'high'"),
        ("accuracy >= inf", 13, "saw 'inf'"),
        ("accuracy no worse than baseline", 32, "a margin is needed"),
        ("accuracy no better than baseline", 13, '"worse than baseline" is needed'),
        ("accuracy no worse than baseline by -1", 36, "a margin is a positive number"),
        ("accuracy within 1pp", 20, '"of baseline" is needed'),
        ("accuracy within of baseline", 17, "a margin is a positive number"),
        ("accuracy >= 0.9 please", 17, "saw 'please'"),
        (">= 0.9", 1, "a measure is needed first"),
        ("f[spam](alpha) >= 0.9", 1, "not an option"),
        ("recall[] >= 0.9", 1, r"'recall\[\]' names no label: write recall\[LABEL\]"),
        ("precision@0 >= 0.9", 1, "a depth is at least 1; saw 'precision@0'"),
        ("pass^0 >= 0.9", 1, "a depth is at least 1"),
        ("accuracy >= 90% %", 17, "the requirement is complete here; saw '%'"),
        ("accuracy no worse than baseline by one point", 36, "saw 'one point'"),
        ("accuracy within 1pp points of baseline", 17, "saw '1pp points'"),
        ("accuracy no worse than baseline by 0 pp", 36, "a margin is larger than 0; saw '0 pp'"),
        ("accuracy worse than baseline", 10, "saw 'worse'; write MEASURE >= NUMBER"),
        ("accuracy is above 0.9", 10, "saw 'is'; write MEASURE >= NUMBER"),
        ("average precision at least 0.9", 19, "saw 'at'"),
        ("acuracy is above 0.9", 1, "there is no measure 'acuracy'; did you mean accuracy"),
        ("avrage precision > 0.9", 1, "did you mean average_precision"),
        ("accuracy no worse than baseline by 1 banana", 38, "has the unit pp, % or none; saw 'banana'"),
        ("accuracy no worse than baseline by 150pp", 36, "a margin of 1.5: state a smaller one$"),
        ("accuracy within baseline by 1pp", 17, "saw 'baseline'; write MEASURE within AMOUNT of baseline"),
        ("accuracy >= 60pp", 13, "saw '60pp'; write 60%"),
    ],
)
def test_errors_have_a_position(text: str, position: int, words: str) -> None:
    with pytest.raises(RequirementError, match=words) as raised:
        parse_requirement(text)
    assert raised.value.position + 1 == position
    assert f"at character {position}:" in str(raised.value)


def test_what_is_allowed() -> None:
    inf = math.inf
    assert parse_requirement("accuracy >= 0.9").region("higher") == Region(0.9, inf)
    assert parse_requirement("brier <= 0.2").region("lower") == Region(-inf, 0.2)
    assert parse_requirement("informedness > chance").region("higher", 0.0) == Region(0.0, inf)
    no_worse = parse_requirement("accuracy no worse than baseline by 0.01")
    assert no_worse.region("higher") == Region(-0.01, inf)
    assert no_worse.region("lower") == Region(-inf, 0.01)
    assert parse_requirement("brier within 0.01 of baseline").region("lower") == Region(-0.01, 0.01)
    better = parse_requirement("accuracy better than baseline by 0.02")
    assert better.region("higher") == Region(0.02, inf)
    assert better.region("lower") == Region(-inf, -0.02)
    assert parse_requirement("brier < baseline by 0.02").region("lower") == Region(-inf, -0.02)
    with pytest.raises(RequirementError, match="neither direction"):
        no_worse.region("neither")


def test_a_file_of_requirements(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(
        'require = "accuracy >= 0.8"\n'
        "[[gate]]\n"
        'require = ["accuracy no worse than baseline by 1pp", "accuracy >= 0.5"]\n'
        'by = "topic"\nslices = ["law", "medicine"]\n'
        "[[gate]]\n"
        'require = "accuracy > baseline"\ntask = "mmlu"\nweights = {a = 1, b = 3}\n'
    )
    rules = read_requirements(path)
    assert [rule.text for rule in rules] == [
        "accuracy >= 0.8",
        "accuracy no worse than baseline by 1pp",
        "accuracy >= 0.5",
        "accuracy > baseline",
    ]
    assert rules[1].by == rules[2].by == ("topic",)
    assert rules[1].slices == ("law", "medicine")
    assert rules[3].task == "mmlu"
    assert rules[3].weights == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("require = ", "is not a TOML file"),
        ("[[gate]]\nby = 'topic'", "has no requirement"),
        ("requires = 'accuracy > 0'", "did you mean require"),
        ("require = 3", "a text or a list of texts"),
        ("require = 'accuracy >= 0.8'\nslices = ['a']", "names slices and no column"),
        ("require = 'accuracy >> 0.8'", 'gate.toml: the requirement "accuracy >> 0.8", at character 10'),
        ("[[gate]]\nrequire = 'accuracy >> 0.8'", "gate.toml, gate 1: the requirement"),
        ("by = 3\nrequire = 'accuracy > 0'", "by is a text or a list of texts; saw 3"),
        ("task = 3\nrequire = 'accuracy > 0'", "task is the name of a task; saw 3"),
        ("require = ['accuracy > 0', 3]", "require is a text or a list of texts"),
        ("require = 'accuracy > 0'\nrequire = 'mcc > 0'", "is not a TOML file"),
        ("[gate]\nrequire = 'accuracy > 0'", r"each written below a line \[\[gate\]\]"),
        ("require = 'accuracy > 0'\nweights = {a = -1}", "a number of at least 0"),
        ("gate = 3", "a list of tables"),
        ("require = 'accuracy > 0'\ntask = 'a'\nby = 'b'", "write one gate for each"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(content)
    with pytest.raises((InputError, OptionError), match=words) as raised:
        read_requirements(path)
    assert str(path) in str(raised.value)


def test_a_gate_needs_a_requirement(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="a gate needs a requirement"):
        parse_requirements(())
    with pytest.raises(InputError, match=r"none\.toml cannot be read"):
        parse_requirements((), tmp_path / "none.toml")
    empty = tmp_path / "empty.toml"
    empty.write_text("# nothing yet\n")
    with pytest.raises(InputError, match=r"empty\.toml has no requirement: write require ="):
        parse_requirements((), empty)


def test_the_same_requirement_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequirementError, match=r'"accuracy >= 0\.8" is the same requirement'):
        parse_requirements(["accuracy >= 0.8", "accuracy >= 80%"])
    path = tmp_path / "gate.toml"
    path.write_text("require = 'accuracy > baseline'\n[[gate]]\nrequire = 'accuracy > baseline'\n")
    with pytest.raises(RequirementError, match=r'gate\.toml, gate 1: the requirement "accuracy > baseline"'):
        parse_requirements((), path)
    path.write_text("require = 'accuracy > 0.2'\n[[gate]]\nrequire = 'accuracy > 0.2'\nby = 'topic'\n")
    assert len(parse_requirements("accuracy > 0.3", path)) == 3


@pytest.mark.parametrize("piece", ["a ", "<", "recall[", '"', "(", "0", "by "])
def test_texts_without_end_are_refused_at_once(piece: str) -> None:
    with pytest.raises(OptionError, match="at most 4,000 characters"):
        parse_requirement(piece * 1_000_000)
    # Twice the text takes at most about twice the work.
    short, long = (calls_of_refusal(piece * (size // len(piece))) for size in (2000, 4000))
    assert long < 2.2 * short + 1000


def calls_of_refusal(text: str) -> int:
    """Count the calls of functions, of Python and of C, that refusing a requirement takes."""
    events: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda *call: events.append(call[1]))
    try:
        with pytest.raises(OptionError):
            parse_requirement(text)
    finally:
        sys.setprofile(before)
    return sum(event in ("call", "c_call") for event in events)


def test_a_sentence_that_begins_with_no_measure_is_answered_with_the_forms() -> None:
    for text in ("it is better than baseline", "the candidate must be good"):
        with pytest.raises(RequirementError, match=r"there is no measure .*; write MEASURE >= NUMBER"):
            parse_requirement(text)
