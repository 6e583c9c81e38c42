"""Phrases that had to be read twice do not come back."""

from __future__ import annotations

import re
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
    "who scores better on average",
    "score is what it is",
    "when it was said",
    "which is no order in time",
    "means anything in it",
    "tips that came true",
    "looked at between times",
    'have intervals"',
    "to ask of it",
    "a little lower than against known ones",
    "one who bets the class shares",
    "which not every system has",
    "for not all have the task",
    "wrong otherwise",
    "more than any number",
    "of the variance of item means is between",
    "the wealth race",
    "as far from 0, either way",
    "such bets only lose",
    "cases as tell as much",
    "rows of one cluster may be alike",
    "shown singly",
    "which flatters it",
    "nothing can be said about chance",
    "on the data that chose them",
    "list by list",
    "may cover too little",
    "how deep to look",
    "stands above other items",
)
DIALECT = (
    r"\bso many\b(?! \w+ that\b)",
    r"\bwhoever\b",
    r"(?<!flagging )(?<!flag )\bnobody\b",
    r"has no meaning",
    r"\bgone through\b",
    r"\bturned round\b",
    r"\b(is|are) said\b",
    r"\b(is|are) told\b",
    r"\b(one|a number|a row|a column|a nat) a (case|class|row|query|label|system|game|race)\b",
    r"\bnats a case\b",
    r"\bof arrays say\b",
    r"\bthe one who\b|\bone who\b",
    r"\bgo(es)? by the\b",
    r"\bspeaks? of\b",
)
"""Word order and words that readers had to read twice: "one per case", not "one a case"."""
BUILT = ROOT / "docs" / "_build"
DOCUMENTS = [path for path in (ROOT / "docs").rglob("*.md") if BUILT not in path.parents]
PAGES = [ROOT / "README.md", *DOCUMENTS, *(ROOT / "src").rglob("*.py")]


SCRIPTS = list((ROOT / "src").rglob("*.js"))
FILES = [
    *PAGES,
    *SCRIPTS,
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")),
]
LINES = [
    (path.relative_to(ROOT), number, line)
    for path in FILES
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
]


@pytest.mark.parametrize("pattern", DIALECT)
def test_sentences_are_in_plain_english(pattern: str) -> None:
    dialect = re.compile(pattern, re.IGNORECASE)
    assert [f"{path}:{number}: {line.strip()}" for path, number, line in LINES if dialect.search(line)] == []


@pytest.mark.parametrize("phrase", PHRASES)
def test_plain_words_stay(phrase: str) -> None:
    results = [page for page in PAGES if phrase in page.read_text(encoding="utf-8").lower()]
    assert [page for page in results if "papers" not in str(page.relative_to(ROOT))] == []
