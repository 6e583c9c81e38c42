"""What a notebook shows is seen in a sandboxed frame without scripts, as in VS Code."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew

pytestmark = pytest.mark.browser


def test_verdict_tables_and_pictures_need_no_script(tmp_path: Path, visit: Any) -> None:
    rng = np.random.default_rng(1)
    truth = (rng.random(200) < 0.3).astype(int)
    report = ew.evaluate(truth=truth, score=rng.normal(size=200) + 1.2 * truth)
    shown = report._repr_html_() + report.charts["roc"]._repr_mimebundle_()["image/svg+xml"]
    path = tmp_path / "frame.html"
    frame = f'<iframe sandbox width="980" height="2000" srcdoc="{escape(shown)}"></iframe>'
    path.write_text(f"<!doctype html><meta charset=utf-8>{frame}", encoding="utf-8")
    opened = visit(path, script=False)
    inside = opened.page.frame_locator("iframe")
    assert "average precision" in inside.locator(".verdict").inner_text()
    assert inside.locator("table").count() >= 2
    pictures = inside.locator("svg:not(svg svg)")
    assert pictures.count() == 2
    for index in range(2):
        box = pictures.nth(index).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 200
    assert not opened.complaints
    assert [url for url in opened.requests if not url.startswith(("file:", "about:", "data:"))] == []
