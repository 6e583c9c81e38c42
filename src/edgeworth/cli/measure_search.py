"""What ``edgeworth measures WORDS`` finds besides measures: the papers' words, charts, methods,
commands and options."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import TypeAlias

from rich.padding import Padding
from rich.text import Text

from edgeworth import methods
from edgeworth.core.registry import match_words
from edgeworth.report.terminal import Terminal

Place: TypeAlias = tuple[str, str, str]
"""What something is called, what it is, and where it is found."""

ENDINGS = ("ations", "ation", "ing", "es", "ed", "e", "s")
MIN_STEM_LENGTH = 4


def find_elsewhere(words: str) -> list[Place]:
    """Find words of the papers, charts, methods, commands and options: whole words, if there are any.

    If nothing holds the words as they are, look for all of them in any order and with other endings.
    """
    rated = []
    for name, what, where in _places():
        first, *others = name.split(", ")
        shown = (first, *(text for text in others if match_words(words, text)))
        rated.append((match_words(words, first, *others, what), (", ".join(shown), what, where)))
    least = min(2, max(rate for rate, _ in rated)) or 1
    matches = [place for rate, place in sorted(rated, key=lambda pair: -pair[0]) if rate >= least]
    return matches or _find_each_word(words)


def _find_each_word(words: str) -> list[Place]:
    """Find the places in which some word begins with the stem of each word."""
    stems = [_stem(word) for word in re.findall(r"\w+", words.lower())]
    matches = []
    for name, what, where in _places():
        first, *others = name.split(", ")
        named = [text for text in others if _holds(stems, text)]
        if stems and (named or _holds(stems, f"{first} {what}")):
            matches.append((", ".join((first, *named)), what, where))
    return matches


def _holds(stems: list[str], text: str) -> bool:
    parts = re.findall(r"\w+", text.lower())
    return all(any(part.startswith(stem) for part in parts) for stem in stems)


def _stem(word: str) -> str:
    """Cut a usual ending of English words off, if enough is left.

    >>> [_stem(word) for word in ("permute", "permuting", "classes", "positions", "is")]
    ['permut', 'permut', 'class', 'position', 'is']
    """
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LENGTH:
            return word.removesuffix(ending)
    return word


def _places() -> Iterator[Place]:
    text = files("edgeworth.papers").joinpath("words.toml").read_text(encoding="utf-8")
    for line in tomllib.loads(text)["words"].strip().splitlines():
        name, what, where = map(str.strip, line.split("|"))
        yield name, what, where
    for method in methods.__all__:
        what = (getattr(methods, method).__doc__ or "").partition("\n")[0]
        yield f"ew.methods.{method}", what, f"ew.estimate(…, method=ew.methods.{method}())"
    from edgeworth.cli.app import app

    options: dict[tuple[str, str], list[str]] = {}
    for command in (name for name in app if not name.startswith("-")):
        summary = (app[command].help or "").partition("\n")[0]
        yield f"edgeworth {command}", summary, f"edgeworth {command} --help"
        for argument in app[command].assemble_argument_collection():
            option = argument.names[0] if argument.names else ""
            if option.startswith("--"):
                options.setdefault((option, argument.parameter.help or ""), []).append(command)
    for (option, text), commands in options.items():
        yield option, text, f"edgeworth {', '.join(commands)}"


def print_places(places: list[Place]) -> None:
    """Show what was found: its name, what it is, and where."""
    out = Terminal()
    for name, what, where in places:
        out.print(Text(name, style="bold") + Text(f"  {what}", style="not bold"))
        out.print(Padding(Text(where, style="dim"), (0, 0, 0, 4)))
