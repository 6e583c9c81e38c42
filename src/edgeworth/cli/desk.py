"""``edgeworth desk``: the bookmaker's desk as one page that works without a network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.options import Hyphen
from edgeworth.cli.output import NO_OUTPUT
from edgeworth.core.formatting import displayable


def desk(
    *,
    output: Annotated[
        str,
        Hyphen,
        Parameter(name=["--output", "-o"], metavar="FILE", help="The page to write; - is standard output."),
    ] = "edgeworth-desk.html",
    open_page: Annotated[
        bool, Parameter(name="--open", negative="--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Write an interactive page for tables, rankings, bets and wealth. It needs no server and no network."""
    from edgeworth.desk.build import build
    from edgeworth.report.formats import write_file

    NO_OUTPUT.check(output=output)
    page = build()
    if output == "-":
        sys.stdout.buffer.write(page.encode())
        return
    path = Path(output)
    write_file(path, page)
    sys.stdout.write(f"The desk is in {displayable(output)}\n")
    if open_page and not open_in_browser(path):
        sys.stdout.write("No browser was found. Open the file in one.\n")


def open_in_browser(path: Path) -> bool:
    """Open a file in the browser, and report whether there is one."""
    import webbrowser

    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys():
        # A browser in the terminal would take the terminal over.
        return False
    try:
        return webbrowser.open(path.absolute().as_uri())
    except (webbrowser.Error, OSError):
        return False
