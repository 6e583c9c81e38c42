"""Labels that look the same are named once, with the code points in which they differ."""

from __future__ import annotations

import unicodedata

import pytest

import edgeworth as ew
from edgeworth.core.labels import find_look_alikes

INVISIBLE = {
    "zero-width space": "\u200b",
    "zero-width non-joiner": "\u200c",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "combining grapheme joiner": "\u034f",
    "variation selector": "\ufe0f",
}


def _warnings(twin: str, label: str = "spam") -> list[str]:
    truth = [label, twin, "ham", "ham"] * 10
    report = ew.evaluate(truth=truth, prediction=truth)
    return [warning for warning in report.warnings if "look the same" in warning]


@pytest.mark.parametrize("sign", INVISIBLE.values(), ids=INVISIBLE)
@pytest.mark.parametrize("position", [0, 2, 4])
def test_invisible_characters(sign: str, position: int) -> None:
    twin = "spam"[:position] + sign + "spam"[position:]
    (warning,) = _warnings(twin)
    assert f'"spam" (as is; with U+{ord(sign):04X})' in warning
    assert sign not in warning


def test_blanks() -> None:
    assert '"junk mail" (with U+0020; with U+00A0)' in _warnings("junk\u00a0mail", "junk mail")[0]
    assert '"spam" (as is; with U+0020)' in _warnings("spam ")[0]


@pytest.mark.parametrize("word", ["café", "Åse", "한국"])
def test_composed_and_decomposed(word: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    (warning,) = _warnings(decomposed, composed)
    for sign in set(composed) ^ set(decomposed):
        assert f"U+{ord(sign):04X}" in warning


def test_different_words_are_left_alone() -> None:
    assert find_look_alikes(["spam", "Spam", "spam1", "ｓｐａｍ", 1, "1"]) == []
    # A joiner is a part of the word: there is no twin without it.
    assert find_look_alikes(["می\u200cخواهم", "👩\u200d💻", "spam"]) == []


def test_comparisons() -> None:
    truth = ["spam", "spam\u200b", "ham", "ham"] * 10
    systems = {"a": truth, "b": truth[::-1]}
    warnings = ew.compare(truth=truth, systems=systems).report.warnings
    results = [warning for warning in warnings if "look the same" in warning]
    assert len(results) == 1
    assert "with U+200B" in results[0]


def test_a_prediction_that_never_occurs_is_named_once() -> None:
    truth, prediction = ["spam", "ham"] * 20, ["spam ", "ham"] * 20
    warnings = ew.evaluate(truth=truth, prediction=prediction).warnings
    assert sum("'spam '" in warning or "look the same" in warning for warning in warnings) == 1


def test_many_groups_are_not_all_named() -> None:
    truth = [f"label {number}{sign}" for number in range(9) for sign in ("", "\u200b")] * 3
    (warning,) = [x for x in ew.evaluate(truth=truth, prediction=truth).warnings if "look the same" in x]
    assert "and 4 more" in warning
