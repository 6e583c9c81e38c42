"""Phrases that had to be read twice do not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PHRASES = (
    "does as well as one who",
    "would do this once in",
    "both directions paid for",
    "rules out that",
    "had the predictions been made",
    "said too often",
    "each in its way",
    "what it would take",
    "the one to go by",
    "may not cover as it says",
    "guessed where plain",
    "a stretch marked",
    "the line 1/α",
    "rival less model",
    "decisions beside probabilities",
    "shows no information",
    "points more often",
)
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "src").rglob("*.py")]


@pytest.mark.parametrize("phrase", PHRASES)
def test_plain_words_stay(phrase: str) -> None:
    found = [page for page in PAGES if phrase in page.read_text(encoding="utf-8").lower()]
    assert [page for page in found if "papers" not in str(page.relative_to(ROOT))] == []
