"""The tour runs as a notebook, and is shown as HTML and as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbconvert
import nbformat
import pytest
from nbclient import NotebookClient

TOUR = Path(__file__).parents[2] / "docs/tour.ipynb"
TEMPLATES = Path(nbconvert.__file__).parents[4] / "share/jupyter"
"""Where nbconvert's installer put them, whichever environment runs it."""
RESULTS = {
    "text/html": {"text/plain", "text/html", "text/markdown"},
    "image/svg+xml": {"text/plain", "image/svg+xml", "application/vnd.vegalite.v6+json"},
}
"""What a notebook gets of each result, by what it shows."""


def test_the_tour_is_kept_without_outputs() -> None:
    tour: Any = nbformat.read(TOUR, as_version=4)
    assert not [cell for cell in tour.cells if cell.get("outputs")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tour_runs_and_shows_its_results_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(TEMPLATES))
    tour: Any = nbformat.read(TOUR, as_version=4)
    client = NotebookClient(
        tour, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [output for cell in tour.cells for output in cell.get("outputs", ())]
    assert all(output.output_type == "execute_result" for output in outputs)
    shown = [kind for output in outputs for kind in RESULTS if set(output.data) == RESULTS[kind]]
    plain = [output for output in outputs if set(output.data) == {"text/plain"}]
    assert len(shown) == len(outputs) - 1
    assert [output.data["text/plain"].startswith("<Charts: ") for output in plain] == [True]

    page, _ = nbconvert.HTMLExporter().from_notebook_node(tour)
    assert page.count("jp-RenderedSVG") >= shown.count("image/svg+xml") == 2
    assert page.count('<div class="edgeworth-view">') == 4
    assert page.count("<figcaption>") == 3
    text, resources = nbconvert.MarkdownExporter().from_notebook_node(tour)
    pictures = [name for name in resources["outputs"] if name.endswith(".svg")]
    assert len(pictures) == 2
    for name in pictures:
        assert f"]({name})" in text
