"""Pages that are made elsewhere in the repository: the changelog, the desk and a sample report."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from markdown import plain, table, write_page

from edgeworth.calculators import demo_report
from edgeworth.desk.build import build
from edgeworth.papers import reproduce

FROM_ROOT = {
    "CHANGELOG.md": "reference/changelog.md",
    "SECURITY.md": "reference/security.md",
    "CONTRIBUTING.md": "reference/contributing.md",
}

PARTS_OF_BENCHMARKS = {"timing", "coverage_records"}
"""Modules that benchmarks import."""


def write_site_pages(source: Path, root: Path) -> None:
    """Copy pages of the repository, with their links, and write the interactive ones."""
    for name, target in FROM_ROOT.items():
        (source / target).parent.mkdir(parents=True, exist_ok=True)
        text = (root / name).read_text(encoding="utf-8")
        (source / target).write_text(_move_links(text, target, source), encoding="utf-8")


def write_benchmark_page(source: Path, root: Path) -> None:
    """Write the list of benchmarks, from their docstrings."""
    rows = []
    for path in sorted((root / "bench").glob("*.py")):
        summary = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
        if path.stem not in PARTS_OF_BENCHMARKS:
            rows.append((f"`script/bench {path.stem}`", plain(summary)))
    write_page(
        source / "reference" / "benchmarks.md",
        "# Benchmarks",
        "Claims about speed, memory, coverage and power are measured by scripts. In a checkout, "
        "`script/bench NAME` runs one of them and prints its table. Times depend on the "
        "machine, so compare ratios.",
        "- [What it costs](../past-one-machine/costs.md) has measured times and memory.\n"
        "- [Measured coverage of intervals](../methods/measured-coverage.md) has the coverage, with charts.\n"
        "- `script/coverage` measures coverage, error rates and power again, with the same seeds.",
        table(("command", "what it measures"), rows),
    )


def draw_paper_figures(source: Path) -> None:
    """Draw the figures of Kalia's paper for its page."""
    folder = source / "papers" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in reproduce("kalia").charts.items():
        chart.save(folder / f"{name}.svg")


def write_interactive_pages(html: Path) -> None:
    """Write the desk and the demo's report beside the built pages."""
    (html / "desk").mkdir(parents=True, exist_ok=True)
    (html / "desk" / "desk.html").write_text(build(), encoding="utf-8")
    demo_report().to_html(html / "demo-report.html", title="Edgeworth demo: 189 births")


def _move_links(text: str, target: str, source: Path) -> str:
    """Rewrite links that start at the root of the repository; what is not on the site loses its link."""
    up = "../" * target.count("/")
    pages = {name: up + page for name, page in FROM_ROOT.items()}

    def move(link: re.Match[str]) -> str:
        words, goal = link.groups()
        page = goal.removeprefix("docs/")
        if goal.startswith("docs/") and (source / page).exists():
            return f"[{words}]({up}{page})"
        return f"[{words}]({pages[goal]})" if goal in pages else words

    return re.sub(r"\[([^]]+)\]\(([\w./-]+)\)", move, text)
