"""The page of commands has every option, with the words of its help."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

from cyclopts import Parameter

from edgeworth.cli.compare import compare
from edgeworth.cli.evaluate import evaluate

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def option_rows() -> dict[str, list[str]]:
    """A row for each option of evaluate and compare, by the panel of the help."""
    found: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for command in (evaluate, compare):
        for each in inspect.signature(command, eval_str=True).parameters.values():
            said = [x for x in get_args(each.annotation) if isinstance(x, Parameter)]
            if each.kind is not each.KEYWORD_ONLY or not said:
                continue
            group = next((group for x in said for group in x.group or ()), None)
            panel = "Output" if group is None else str(getattr(group, "name", group))
            flag = next((x.name[0] for x in said if x.name), f"--{each.name.replace('_', '-')}")
            text = next(x.help for x in said if x.help)
            own = found.setdefault(panel, {}).setdefault(flag, (text, []))
            own[1].append(command.__name__)
    return {
        panel: [
            f"| `{flag}` | {' '.join(commands)} | {' '.join(text.split()).replace('|', chr(92) + '|')} |"
            for flag, (text, commands) in flags.items()
        ]
        for panel, flags in found.items()
    }


def test_every_option_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8").split("\n")
    missing = [row for rows in option_rows().values() for row in rows if row not in page]
    assert not missing, "\n".join(missing)


def test_no_option_on_the_page_is_gone() -> None:
    known = {row for rows in option_rows().values() for row in rows}
    page = PAGE.read_text(encoding="utf-8").split("\n")
    assert not [row for row in page if row.startswith("| `--") and row not in known]
