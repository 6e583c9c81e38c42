"""Pieces of Markdown that every generated page uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path


def write_page(path: Path, *parts: str) -> None:
    """Write a page of paragraphs, tables and blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(part.strip("\n") for part in parts if part) + "\n", encoding="utf-8")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in line) + " |" for line in lines)


def cell(text: str) -> str:
    """Write a text on one line, without what would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """Keep signs such as * and < from being read as Markdown."""
    return re.sub(r"([*_<\[\]`$])", r"\\\1", text)


def with_code(text: str) -> str:
    """Set what stands between two pairs of grave accents as code, and keep the other signs."""
    parts = text.split("``")
    return "".join(f"`{part}`" if index % 2 else plain(part) for index, part in enumerate(parts))


def block(language: str, text: str) -> str:
    """Write a block of code."""
    return f"```{language}\n{text.strip(chr(10))}\n```"


def contents(pages: Iterable[str], *, hidden: bool = True, depth: int = 1) -> str:
    """Write a table of contents, which puts pages into the menu."""
    options = [":hidden:"] if hidden else [f":maxdepth: {depth}"]
    return "\n".join(["```{toctree}", *options, "", *pages, "```"])
