"""``edgeworth demo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from edgeworth.progress import told


def demo(
    *, folder: Annotated[Path, Parameter(help="Where to write the files.", metavar="FOLDER")] = Path()
) -> None:
    """Report on the sample data that come with Edgeworth: edgeworth-demo.html and edgeworth-demo.json."""
    from edgeworth.demonstration import demo_report
    from edgeworth.sample import SAMPLE_STORY

    page, numbers = folder / "edgeworth-demo.html", folder / "edgeworth-demo.json"
    with told("working"):
        report = demo_report()
        report.to_json(numbers)
        report.to_html(page, title="Edgeworth demo: 189 births")
    sys.stdout.write(f"{SAMPLE_STORY}\n\n")
    for verdict in report.verdict.splitlines():
        sys.stdout.write(f"{verdict}\n\n")
    sys.stdout.write(
        f"The report, with tables and charts, is in {page}\nThe numbers behind it are in {numbers}\n"
    )
