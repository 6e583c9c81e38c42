"""The site builds without warnings, links lead somewhere, and no page loads anything from outside."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "link": "href",
    "object": "data",
    "use": "href",
}
"""What a browser fetches without a click."""


class Addresses(HTMLParser):
    """The addresses that a page loads, those it links to, and its own anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the addresses of a tag."""
        values = {name: value or "" for name, value in attrs}
        if LOADS.get(tag) in values:
            self.loaded.append(values[LOADS[tag]])
        if tag == "a" and "href" in values:
            self.linked.append(values["href"])
        self.anchors |= {values[name] for name in ("id", "name") if name in values}


@cache
def read_addresses(page: Path) -> Addresses:
    return Addresses(page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, ROOT / "docs" / "_site" / "build.py", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return folder / "html"


@pytest.mark.slow
def test_no_page_loads_anything_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 120
    for page in pages:
        for address in read_addresses(page).loaded:
            parts = urlsplit(address)
            is_here = not parts.scheme and not parts.netloc
            assert is_here or parts.scheme == "data", (page.name, address)
            if is_here and parts.path:
                assert (page.parent / unquote(parts.path)).exists(), (page.name, address)


@pytest.mark.slow
def test_style_sheets_and_scripts_name_no_address_to_load(site: Path) -> None:
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert "@import" not in text, path
        for piece in text.split("url(")[1:]:
            assert not piece.lstrip("\"'").startswith(("http", "//")), (path, piece[:60])


@pytest.mark.slow
def test_links_between_pages_lead_somewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        for address in read_addresses(page).linked:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            assert target.exists(), (page.name, address)
            if parts.fragment and target.suffix == ".html" and target.name not in ("desk.html",):
                assert unquote(parts.fragment) in read_addresses(target).anchors, (page.name, address)


@pytest.mark.slow
def test_formulas_are_mathml_and_search_works_offline(site: Path) -> None:
    assert "<math" in (site / "measures" / "informedness.html").read_text(encoding="utf-8")
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(")
    assert "informed" in index
    search = read_addresses(site / "search.html").loaded
    assert any("searchindex.js" in address for address in search)


@pytest.mark.slow
def test_the_desk_and_a_sample_report_are_part_of_the_site(site: Path) -> None:
    for page in ("desk/desk.html", "demo-report.html"):
        assert len((site / page).read_text(encoding="utf-8")) > 100_000


@pytest.mark.slow
def test_no_formula_is_made_of_words(site: Path) -> None:
    """Two dollar signs in a sentence would turn the words between them into a formula."""
    for page in site.rglob("*.html"):
        for formula in re.findall(r"<math.*?</math>", page.read_text(encoding="utf-8"), re.S):
            assert not re.search(r"(<mi>[A-Za-z]</mi>\s*){5}", formula), (page.name, formula)
