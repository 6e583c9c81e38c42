"""Run the blocks of a documentation page and compare, or rewrite, their outputs.

A ``console`` block holds commands after ``$`` and what they print. A ``python`` block holds doctests, or
plain code that must run. The blocks of a page run in order in one folder, with the sample files in it.

- A command without output lines must succeed; what it prints is not compared.
- A line ``...`` stands for any lines. A line ``?`` asks ``script/docs --update`` to fill in the output.
- ``$ echo $?`` prints the exit code of the command before it.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from page_files import PAGE_FILES

from edgeworth.calculators import write_samples
from edgeworth.cli import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
FENCE = re.compile(r"^(?P<fence>```+)(?P<language>console|python)\n(?P<body>.*?)^(?P=fence)$", re.M | re.S)
ELIDED = "..."
WANTED = "?"
MAX_WIDTH = 600
"""Longer lines are no output for a page, such as the text of an HTML report."""
SHELL_SIGNS = re.compile(r"[|<>;&`*?~(){}]|\$\(|\$\{")
PROGRESS = re.compile(r"(?m)^edgeworth: .* \([0-9,]+ s\)\n")


@dataclass
class Step:
    """A command or an example, the output in the page, and the output now."""

    source: str
    shown: list[str]
    printed: list[str]
    code: int = 0

    @property
    def problem(self) -> str | None:
        """Describe how the output differs from the page, or return None."""
        if not self.shown:
            return (
                None
                if self.code == 0
                else f"{self.source}\nfailed with code {self.code}:\n" + "\n".join(self.printed)
            )
        if matches(self.shown, self.printed):
            return None
        return difference(self.source, self.shown, self.printed)

    @property
    def updated(self) -> list[str]:
        """Return the lines that the page should show."""
        if not self.shown or matches(self.shown, self.printed):
            return self.shown
        return shorten(self.shown, self.printed)


@dataclass
class Page:
    """The blocks of a page after they ran."""

    path: Path
    text: str
    steps: list[Step] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def matches(shown: list[str], printed: list[str]) -> bool:
    """Compare output with what a page shows, where a line ``...`` stands for any lines.

    >>> matches(["a", "...", "d"], ["a", "b", "c", "d"]), matches(["a", "..."], ["b"])
    (True, False)
    """
    *pieces, piece = split_pieces(shown)
    if not pieces:
        return piece == printed
    first, *middle = pieces
    if printed[: len(first)] != first or printed[len(printed) - len(piece) :] != piece:
        return False
    start, end = len(first), len(printed) - len(piece)
    for lines in middle:
        places = (i for i in range(start, end - len(lines) + 1) if printed[i : i + len(lines)] == lines)
        at = next(places, None)
        if at is None:
            return False
        start = at + len(lines)
    return start <= end


def difference(source: str, shown: list[str], printed: list[str]) -> str:
    """Write the lines that differ below their command."""
    lines = difflib.unified_diff(shown, printed, "the page", "the output", lineterm="")
    return "\n".join([source, *(line[:MAX_WIDTH] for line in lines)])


def split_pieces(shown: list[str]) -> list[list[str]]:
    """Split what a page shows at the lines ``...``."""
    pieces = [list[str]()]
    for line in shown:
        if line == ELIDED:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def shorten(shown: list[str], printed: list[str]) -> list[str]:
    """Cut new output as the page cut the old.

    Before the first ``...`` it has as many panels, and lines below them, as before. Any other part begins
    with the same line as before. If the output has no such line, the old part stays, so that its page fails.
    """
    if ELIDED not in shown:
        return printed
    first, *middle, tail = split_pieces(shown)
    head = [x for x in first if x != WANTED]
    panels = [i for i, line in enumerate(printed, 1) if line.startswith("╰")]
    wanted = sum(line.startswith("╰") for line in head) or (1 if WANTED in shown else 0)
    below = next((i for i, line in enumerate(reversed(head)) if line.startswith("╰")), 0)
    end = panels[min(wanted, len(panels)) - 1] + below if wanted and panels else len(head)
    kept = [*printed[:end], ELIDED]
    for piece in [*middle, tail] if tail else middle:
        start = next((i for i in range(end, len(printed)) if printed[i : i + 1] == piece[:1]), None)
        if start is None:
            kept += [*piece, ELIDED]
        else:
            end = len(printed) if piece is tail else start + len(piece)
            kept += [*printed[start:end], ELIDED]
    return kept[:-1] if tail else kept


def page_folder(page: str, folder: Path) -> None:
    """Write the files that the blocks of a page need."""
    write_samples(folder)
    PAGE_FILES.get(page, lambda _: None)(folder)


def run_page(path: Path, folder: Path) -> Page:
    """Run the blocks of a page in a folder, and keep its text with the outputs of now."""
    text = path.read_text(encoding="utf-8")
    page = Page(path, text)
    names: dict[str, object] = {"__name__": "page"}
    parts, end = [], 0
    codes = [0]
    environment = {"COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with contextlib.chdir(folder), patch.dict(os.environ, environment):
        for block in FENCE.finditer(text):
            run = run_console if block["language"] == "console" else run_python
            steps, body = run(block["body"], names, codes, page)
            page.steps += steps
            parts += [text[end : block.start("body")], body]
            end = block.end("body")
    page.text = "".join([*parts, text[end:]])
    page.problems += [step.problem for step in page.steps if step.problem]
    return page


def run_console(body: str, names: dict[str, object], codes: list[int], page: Page) -> tuple[list[Step], str]:
    """Run the commands of a block."""
    del names
    steps, lines = [], []
    for source, shown in split_commands(body):
        if not source.startswith("$ "):
            page.problems.append(f"a console block begins with a command after $; saw {source!r}")
            continue
        command = "\n".join(line.removeprefix("> ") for line in source[2:].split("\n"))
        printed = [f"{codes[-1]}"] if command == "echo $?" else None
        if printed is None:
            code, output = run_command(command)
            codes.append(code)
            printed = [line.rstrip() for line in output.rstrip("\n").split("\n")]
        step = Step(source, shown, printed, codes[-1])
        steps.append(step)
        lines += [source, *step.updated]
    return steps, "".join(f"{line}\n" for line in lines)


def split_commands(body: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command, with its continued lines, and the output below it."""
    lines = body.rstrip("\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")] or [0]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        last = start
        while last + 1 < end and (lines[last].endswith("\\") or lines[last + 1].startswith("> ")):
            last += 1
        yield "\n".join(lines[start : last + 1]), lines[last + 1 : end]


def run_command(command: str) -> tuple[int, str]:
    """Run a command: ``edgeworth`` in this process, because a start takes longer than most commands."""
    joined = command.replace("\\\n", " ")
    outside_quotes = re.sub(r"'[^']*'|\"[^\"]*\"", "", joined)
    if joined.startswith("edgeworth ") and not SHELL_SIGNS.search(outside_quotes) and "\n" not in joined:
        return call_edgeworth(shlex.split(joined)[1:])
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, PROGRESS.sub("", done.stdout)


def call_edgeworth(words: list[str]) -> tuple[int, str]:
    """Call the command and return its exit code and what it wrote to both streams."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code = 0
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        try:
            main(words)
        except SystemExit as left:
            code = int(left.code or 0)
    stream.seek(0)
    return code, PROGRESS.sub("", stream.read())


class Recorder(doctest.DocTestRunner):
    """Keep what each example printed."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS)
        self.printed: dict[int, str] = {}
        self.failed: set[int] = set()

    def report_start(self, out: object, test: object, example: object) -> None:
        """Print nothing."""

    def report_success(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        """Keep the output."""
        del out, test
        self.printed[example.lineno] = got

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        """Keep the output that differs."""
        del out, test
        self.printed[example.lineno] = got
        self.failed.add(example.lineno)

    def report_unexpected_exception(
        self, out: object, test: object, example: doctest.Example, exc_info: tuple[object, object, object]
    ) -> None:
        """Keep the error as the output."""
        del out, test
        name = getattr(exc_info[0], "__name__", "")
        self.printed[example.lineno] = f"Traceback (most recent call last):\n    ...\n{name}: {exc_info[1]}\n"
        self.failed.add(example.lineno)


def run_python(body: str, names: dict[str, object], codes: list[int], page: Page) -> tuple[list[Step], str]:
    """Run doctests, or plain code; names stay for the next block."""
    del codes
    if ">>>" not in body:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(body, str(page.path), "exec"), names)  # our own page
        except Exception as error:
            page.problems.append(f"{body}\n{type(error).__name__}: {error}")
        return [], body
    test = doctest.DocTestParser().get_doctest(body, names, page.path.name, str(page.path), 0)
    test.globs = names
    recorder = Recorder()
    recorder.run(test, clear_globs=False, out=lambda _: None)
    lines, written = body.rstrip("\n").split("\n"), []
    for example in test.examples:
        start = example.lineno
        count = example.source.count("\n")
        output = start + count
        shown = example.want.count("\n")
        written += [(start, output, output + shown, recorder.printed.get(start, example.want))]
        if start in recorder.failed:
            lines_now = recorder.printed[start].split("\n")
            page.problems.append(difference(example.source, example.want.split("\n"), lines_now))
    result, end = [], 0
    for start, output, after, printed in written:
        result += lines[end:output]
        result += (
            printed.rstrip("\n").split("\n") if start in recorder.failed and printed else lines[output:after]
        )
        end = after
    return [], "".join(f"{line}\n" for line in [*result, *lines[end:]])


def written_pages() -> list[Path]:
    """List the pages that people write."""
    return sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)


def update_pages(paths: list[Path]) -> int:
    """Rewrite the outputs of pages, and return 1 if a block still fails."""
    failures = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            page_folder(path.relative_to(DOCS).as_posix(), Path(folder))
            page = run_page(path, Path(folder))
            if page.text != path.read_text(encoding="utf-8"):
                path.write_text(page.text, encoding="utf-8")
                print(f"updated {path.relative_to(DOCS.parent)}")
        with tempfile.TemporaryDirectory() as folder:
            page_folder(path.relative_to(DOCS).as_posix(), Path(folder))
            for problem in run_page(path, Path(folder)).problems:
                print(f"{path.relative_to(DOCS.parent)}: {problem}", file=sys.stderr)
                failures = 1
    return failures


if __name__ == "__main__":
    sys.exit(update_pages([Path(name).resolve() for name in sys.argv[1:]] or written_pages()))
