"""Figures can be read on their squares and texts on the page: contrast by WCAG 2.2, at least 4.5 to 1."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.report.charts.chart import PALETTE

ENOUGH, ENOUGH_FOR_SHAPES = 4.5, 3.0


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, #rgb or rgb(r, g, b)."""
    if colour.startswith("rgb"):
        parts = [int(part) for part in re.findall(r"\d+", colour)]
    else:
        digits = colour.removeprefix("#")
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        parts = [int(digits[index : index + 2], 16) for index in (0, 2, 4)]
    linear = [
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_as_published() -> None:
    """Values of the WCAG's own examples."""
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777777", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)


def spread_report() -> ew.Report:
    """Eight labels whose recalls go from 0 to 1, so that squares have every colour."""
    labels = list("abcdefgh")
    counts = np.zeros((8, 8), dtype=int)
    for index in range(8):
        right = round(100 * index / 7)
        counts[index, index] = right
        counts[(index + 1) % 8, index] = 100 - right
    return ew.evaluate(
        truth=[label for label in labels for _ in range(100)], prediction=_said(labels, counts), bets=True
    )


def _said(labels: list[str], counts: np.ndarray) -> list[str]:
    return [labels[row] for column in range(8) for row in range(8) for _ in range(counts[row, column])]


@pytest.mark.parametrize("name", ["contingency", "bookmaker"])
def test_figures_are_read_on_every_square(name: str) -> None:
    svg = spread_report().charts[name].svg()
    squares = re.findall(r'<path aria-label="[^"]*"[^>]* fill="(rgb\([^"]*\)|#[0-9a-f]+)"', svg)
    figures = re.findall(r'<text aria-label="[^"]*"[^>]* fill="(rgb\([^"]*\)|#[0-9a-f]+)"', svg)
    assert len(squares) == len(figures) == 64
    assert len(set(squares)) >= 8
    assert min(contrast(square, figure) for square, figure in zip(squares, figures, strict=True)) >= ENOUGH


def test_where_there_is_no_share_there_is_no_square() -> None:
    """A label that is never real has no shares; its figure is written on the page itself."""
    svg = ew.evaluate(truth=["a", "b"] * 20, prediction=["a", "b", "c", "b"] * 10).charts["contingency"].svg()
    squares = re.findall(r'<path aria-label="actual: c;[^"]*"[^>]* fill="([^"]+)"', svg)
    figures = re.findall(r'<text aria-label="actual: c;[^"]*"[^>]* fill="([^"]+)"', svg)
    assert squares == []
    assert figures == ["currentColor"] * 3


@pytest.mark.parametrize("scheme", [0, 1])
def test_texts_and_lines_are_seen_on_light_and_on_dark(scheme: int) -> None:
    css = (files("edgeworth.report.html") / "page.css").read_text(encoding="utf-8")
    blocks = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", part)) for part in css.split(":root")[1:3]]
    colours = blocks[scheme]
    for text, ground in (
        ("ink", "paper"),
        ("soft", "paper"),
        ("mark", "paper"),
        ("ink", "tint"),
        ("soft", "tint"),
        ("warn", "warn-tint"),
    ):
        assert contrast(colours[text], colours[ground]) >= ENOUGH, (text, ground)
    for colour in PALETTE:
        assert contrast(colour, colours["paper"]) >= ENOUGH_FOR_SHAPES, colour
