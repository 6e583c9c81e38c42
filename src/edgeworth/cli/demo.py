"""``edgeworth demo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.app import app
from edgeworth.cli.output import NO_OUTPUT, show


@app.command
def demo(*, folder: Annotated[Path, Parameter(help="Where to write the files.")] = Path()) -> None:
    """Evaluate the sample data that come with Edgeworth, and write edgeworth-demo.json."""
    from edgeworth.evaluation import evaluate as run
    from edgeworth.sample import SAMPLE_STORY, sample_file

    with sample_file() as path:
        report = run(path, truth="low", prediction="larger_model", positive="1")
    target = folder / "edgeworth-demo.json"
    report.to_json(target)
    sys.stdout.write(f"{SAMPLE_STORY}\n\n")
    show(report, NO_OUTPUT)
    sys.stdout.write(f"\nEverything above, and the numbers behind it, is in {target}\n")
