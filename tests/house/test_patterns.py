"""No regular expression of the package takes quadratic time, whatever text it is given."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import edgeworth

LENGTH = 60_000
"""A quadratic pattern takes minutes on so many characters, a linear one milliseconds."""
HANGS = 60
"""A child that is silent for so many seconds hangs: one pattern with all texts takes about a second."""
LENGTHS = {("edgeworth.sources.runs.lm_eval", "NAME"): 255}
"""Patterns of short text by nature: file systems allow 255 bytes in a file name."""
COMPILED_FROM_ARGUMENTS = {"edgeworth.core.serialization"}
"""A module that compiles what its callers pass: the patterns stand in calls of ``text_like``."""
FUNCTIONS = ("compile", "sub", "split", "search", "match", "fullmatch", "findall", "finditer", "text_like")

PIECES = [
    *(
        "0",
        "1.",
        "\\\n",
        "\\\0",
        '\\\0"',
        "\\\0'",
        ".1",
        "9,",
        "1e",
        "e1",
        "-",
        "+1",
        "$1",
        "%",
        "1 ",
        "row 1",
        "Row #1",
        "<",
        "<a",
        "&",
        "&a;",
    ),
    *("a", "A", "a.", ".a", "a/", "/", "\\", "\\'", '\\"', "'", '"', "'a", "[", "]", "a[", '["', "(", ")"),
    *(" ", "\n", "\r", " a", "a ", "_", "_1", "a_1", "é", "−", "\x1b", "\u202e", "{", "}", "*", "#", "@1"),
    *("a: ", "a. ", "Took '", "samples_a", "_2026-01-01T", ".json", "inf", "nan", "yyyy", "$", "~", "^", "|"),
]
STARTS = ["", "0", "1.", "<a", "'", '"', "a", "samples_", "row 1", "a[", "$1", "1e-"]
ENDS = ["", "x", "\0", '"', "]"]


class Use(NamedTuple):
    """One pattern, and the method that it is used with."""

    module: str
    name: str
    pattern: str | bytes
    flags: int
    method: str


def modules() -> Iterator[ModuleType]:
    for walk_package in pkgutil.walk_packages(edgeworth.__path__, "edgeworth."):
        if not walk_package.name.endswith("__main__"):
            yield importlib.import_module(walk_package.name)


def uses_of(module: ModuleType) -> Iterator[Use]:
    """List the patterns of a module: those that it names, and those inside its calls of ``re``."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    named = {name: item for name, item in vars(module).items() if isinstance(item, re.Pattern)}
    used = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    for name in named.keys() - used:  # matched through a variable
        yield Use(module.__name__, name, named[name].pattern, named[name].flags, "fullmatch")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in named:
            pattern = named[node.value.id]
            if node.attr in FUNCTIONS:
                yield Use(module.__name__, node.value.id, pattern.pattern, pattern.flags, node.attr)
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        is_own = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "re"
        if (is_own and called in FUNCTIONS[1:-1]) or (called == "text_like" and node.args):
            text = eval(compile(ast.Expression(node.args[0]), "", "eval"), vars(module))
            method = "fullmatch" if called == "text_like" else called
            yield Use(module.__name__, f"line {node.lineno}", text, 0, method)
        elif is_own and called == "compile" and module.__name__ not in COMPILED_FROM_ARGUMENTS:
            pattern = eval(compile(ast.Expression(node), "", "eval"), vars(module))
            assert pattern in named.values(), f"{module.__name__}, line {node.lineno}: name the pattern"


def evil_texts(length: int) -> Iterator[str]:
    for piece in PIECES:
        middle = piece * (length // len(piece))
        yield from (start + middle + "\0" for start in STARTS)
        yield from (middle + end for end in ENDS)


def try_all(path: str) -> None:
    """Run all uses, and print the number of each before it begins (in a child process)."""
    uses = [Use(*load) for load in json.loads(Path(path).read_text())]
    for index, use in enumerate(uses):
        print(index, flush=True)
        is_bytes = use.flags < 0
        pattern = re.compile(
            str(use.pattern).encode() if is_bytes else use.pattern, abs(use.flags) & ~re.UNICODE
        )
        for text in evil_texts(LENGTHS.get((use.module, use.name), LENGTH)):
            given: Any = text.encode() if is_bytes else text
            arguments: list[Any] = [b"" if is_bytes else ""] if use.method == "sub" else []
            result = getattr(pattern, use.method)(*arguments, given)
            if use.method == "finditer":
                list(result)


@pytest.mark.slow
def test_every_pattern_is_linear(tmp_path: Path) -> None:
    uses = list(dict.fromkeys(use for module in modules() for use in uses_of(module)))
    assert len(uses) > 30
    plain = [
        (use.module, use.name, use.pattern.decode(), -use.flags, use.method)
        if isinstance(use.pattern, bytes)
        else use
        for use in uses
    ]
    (tmp_path / "uses.json").write_text(json.dumps(plain))
    command = [sys.executable, __file__, str(tmp_path / "uses.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        use = uses[0]
        while select.select([child.stdout], [], [], HANGS)[0]:
            line = child.stdout.readline()
            if not line:
                break
            use = uses[int(line)]
        else:
            child.kill()
            pytest.fail(f"{use.module}, {use.name}: {use.pattern!r}.{use.method} does not end")
    assert child.returncode == 0


if __name__ == "__main__":
    try_all(sys.argv[1])
