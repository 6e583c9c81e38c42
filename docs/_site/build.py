"""Build the site: copy the written pages, add the generated ones, and call Sphinx."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from chart_pages import write_chart_pages
from command_pages import write_command_pages
from coverage_charts import write_coverage_page, write_measured_parts
from explanation_figures import draw_explanation_figures
from measure_pages import write_measure_pages
from python_pages import write_python_pages
from site_pages import (
    draw_paper_figures,
    write_benchmark_page,
    write_interactive_pages,
    write_site_pages,
)
from sphinx.cmd.build import main as call_sphinx

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
NOT_PAGES = {"_build", "_site", "_static"}


def stage_pages(source: Path) -> None:
    """Fill a folder with the pages that people wrote and those that are made from the code."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=lambda _, names: NOT_PAGES & {*names})
    for write in (write_measure_pages, write_command_pages, write_python_pages, write_chart_pages):
        write(source)
    write_site_pages(source, ROOT)
    write_benchmark_page(source, ROOT)
    draw_paper_figures(source)
    draw_explanation_figures(source)
    write_coverage_page(source)
    write_measured_parts(source)


def build_site(folder: Path) -> int:
    """Build the site in a folder, and return 0 unless there was a warning or an error."""
    source = folder / "source"
    stage_pages(source)
    options = ["-q", "-W", "--keep-going", "-E", "-j", "2", "-c", str(DOCS), "-d", str(folder / "doctrees")]
    write_interactive_pages(folder / "html")
    return call_sphinx(["-b", "html", *options, str(source), str(folder / "html")])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "_build"
    code = build_site(target)
    if code == 0:
        print(f"{target / 'html' / 'index.html'}")
    sys.exit(code)
