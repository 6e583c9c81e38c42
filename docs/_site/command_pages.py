"""One page per command, from its help."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from cyclopts import Argument
from markdown import block, contents, plain, table, with_code, write_page

from edgeworth.cli.app import COMMANDS, app

GROUP_OF_OPTIONS = "*"
"""The name of an argument that only holds other options."""
PANELS = [
    "Arguments",
    "Input",
    "Labels",
    "Scores",
    "Probabilities",
    "Bets",
    "Grades",
    "Run logs",
    "Statistics",
]
"""The order of the help; other panels follow."""
NUMBERS = {int: "INT", float: "FLOAT"}
"""What the help writes for a number."""
_CODE = re.compile(r'(--[a-z][a-z-]*|"[^"]+")')
"""Options and quoted values in the help of an option."""


def write_command_pages(source: Path) -> None:
    """Write the list of commands and a page for each."""
    names = [name for name in app if not name.startswith("-")]
    rows = []
    for name in names:
        summary = _summary(name)
        rows.append((f"[`edgeworth {name}`]({name}.md)", plain(summary)))
        write_page(source / "reference" / "commands" / f"{name}.md", *_page(name, summary))
    write_page(
        source / "reference" / "commands" / "index.md",
        "# Commands and options",
        "`edgeworth COMMAND --help` prints what these pages hold. All options of a command are on its page.",
        table(("command", "what it does"), rows),
        "## Exit codes and progress",
        "Exit code 0 means done, and 2 means bad input, with one sentence on standard error. "
        "`check` also uses 1 (fail) and 3 (undecided). [Security](../security.md) lists the others.",
        "A command that takes longer than ten seconds writes a line to standard error now and then, or shows "
        "a progress bar on a terminal. The environment variable `EDGEWORTH_PROGRESS=off` turns this off.",
        contents(names),
    )


def _summary(name: str) -> str:
    return (app[name].help or "").strip().split("\n\n")[0]


def _page(name: str, summary: str) -> list[str]:
    example = f"edgeworth {name} {COMMANDS[name][1]}".rstrip()
    parts = [f"# edgeworth {name}", plain(summary), block("text", example)]
    panels: dict[str, list[tuple[str, str]]] = {}
    for argument in app[name].assemble_argument_collection():
        if argument.names != (GROUP_OF_OPTIONS,):
            panels.setdefault(_panel(argument), []).append((_names(argument), _help(argument)))
    for panel in sorted(panels, key=lambda panel: PANELS.index(panel) if panel in PANELS else len(PANELS)):
        parts += [
            f"## {panel}",
            table(("argument" if panel == "Arguments" else "option", "meaning"), panels[panel]),
        ]
    return parts


def is_positional(argument: Argument) -> bool:
    """Tell whether an argument is given by its position and has no flag."""
    return argument.field_info.is_positional and not argument.field_info.is_keyword


def _panel(argument: Argument) -> str:
    if is_positional(argument):
        return "Arguments"
    groups = [str(getattr(group, "name", group)) for group in argument.parameter.group or ()]
    return next((name for name in groups if name != "Parameters"), "Options")


def _names(argument: Argument) -> str:
    if is_positional(argument):
        return f"`{argument.name.lstrip('-').upper()}`"
    names = " or ".join(f"`{name}`" for name in argument.names)
    words = "|".join(argument.get_choices() or ())
    kinds = (argument.hint, *get_args(argument.hint))
    number = next((word for kind, word in NUMBERS.items() if kind in kinds), "")
    value = "" if argument.hint is bool else argument.parameter.metavar or words or number
    return f"{names} `{value}`" if value else names


def _help(argument: Argument) -> str:
    text = with_code(_CODE.sub(r"``\1``", " ".join((argument.parameter.help or "").split())))
    default = argument.field_info.default
    is_plain = isinstance(default, (int, float, str, Path)) and default not in ("", False)
    shown = f" Default: `{default}`." if is_plain and not is_positional(argument) else ""
    return text + ("" if shown == " Default: `None`." else shown)
