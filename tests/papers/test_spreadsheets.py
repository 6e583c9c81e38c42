"""The spreadsheets of examples/: their formulas in fractions beside the mixtures of Edgeworth."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path

import pytest

import edgeworth as ew

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Sheet:
    """Cells of a CSV file, and what their formulas come to."""

    def __init__(self, name: str) -> None:
        with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
            self.rows = list(csv.reader(file))

    def value(self, column: str, row: int) -> Fraction:
        text = self.rows[row - 1][ord(column) - ord("A")].replace("$", "")
        if not text.startswith("="):
            return Fraction(text)
        text = re.sub(r"SUM\(([A-Z])(\d+):([A-Z])(\d+)\)", r"total('\1', \2, '\3', \4)", text[1:])
        text = re.sub(r"(?<!')\b([A-Z])(\d+)\b", r"value('\1', \2)", text)
        found = eval(text, {"value": self.value, "total": self.total})
        return Fraction(found)

    def total(self, left: str, top: int, right: str, bottom: int) -> Fraction:
        columns = range(ord(left), ord(right) + 1)
        return sum((self.value(chr(x), y) for x in columns for y in range(top, bottom + 1)), Fraction(0))

    def line(self, name: str, width: int = 1) -> list[float]:
        row = next(number for number, cells in enumerate(self.rows, 1) if cells[:1] and cells[0] == name)
        return [float(self.value(chr(ord("B") + place), row)) for place in range(width)]


@pytest.mark.parametrize(("name", "words"), [("bookmaker.csv", "yes no"), ("bookmaker3.csv", "a b c")])
def test_formulas_come_to_what_edgeworth_says(name: str, words: str) -> None:
    sheet, labels = Sheet(name), words.split()
    size = len(labels)
    real, guess = sheet.line("real share", size), sheet.line("share among guesses", size)
    informed, cases = sheet.line("G%: share of answers that are known")[0], sheet.line("cases N")[0]
    table = ew.decisions.informed_mixture(real, guess, informed, cases=round(cases), labels=labels)
    assert sheet.line("Bookmaker: informedness")[0] == pytest.approx(informed)
    assert ew.measure(table, "informedness") == pytest.approx(informed)
    assert sheet.line("accuracy")[0] == pytest.approx(ew.measure(table, "accuracy"))
    for line, measure in {
        "recall": "recall",
        "precision": "precision",
        "G(l) = recall - fallout": "informedness",
    }.items():
        wanted = [ew.measure(table, f"{measure}[{label}]") for label in labels]
        assert sheet.line(line, size) == pytest.approx(wanted)
    for row, label in enumerate(labels):
        assert sheet.line(f"predicted {label}", size) == pytest.approx(table.counts[row].tolist())
    against = [(1 - share) / share for share in real]
    assert sheet.line("fair odds against", size) == pytest.approx(against)
