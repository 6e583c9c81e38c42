"""The papers' words are found by ``edgeworth measures WORDS``."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgeworth as ew
from command_line import call, flat

WORDS = {
    "survival": "ew.methods.Survival()",
    "Kaplan–Meier": "ew.methods.Survival()",
    "Breiman–Ripley": "ew.Wealth",
    "wealth process": "ew.Wealth",
    "drunken bookmaker": "--bookmaker drunken",
    "unit stake": "unit_return",
    "arbitrage": "ew.bet.arbitrage",
    "Dutch book": "ew.bet.arbitrage",
    "LAGO": "edgeworth.sklearn.Lago",
    "hit function": "hits",
    "superstitious": "superstitious_labels",
    "MAP error": "error_rate",
    "martingale": "ew.Wealth.martingale",
    "Kelly": "edgeworth kelly",
    "prequential": "--ordered",
    "perplexity": "conditional_entropy",
    "AvPrecision": "accuracy",
    "IRecall": "inverse_recall[label]",
    "house percentage": "break_even_margin",
    "drunk-interval": "--drunk-interval",
    "Kalia": "edgeworth reproduce",
}


@pytest.mark.parametrize(("words", "found"), WORDS.items(), ids=WORDS.keys())
def test_the_papers_words(words: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, "measures", *words.split())
    assert done.returncode == 0
    assert found in flat(done.stdout)


def test_whole_words_come_first() -> None:
    assert [measure.name for measure in ew.catalogue(words="fpr")] == ["fallout"]
    recalls = [measure.name for measure in ew.catalogue(words="recall")]
    assert recalls[0] != "balanced_accuracy" or "macro recall" in ew.catalogue(words="recall")[0].synonyms
    assert {"recall", "inverse_recall"} <= set(recalls)
    assert [m.name for m in ew.catalogue(words="preci")]


def test_without_words_there_are_only_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = call(tmp_path, capsys, "measures").stdout
    assert "ew.methods" not in shown
    assert shown.startswith("informedness")
