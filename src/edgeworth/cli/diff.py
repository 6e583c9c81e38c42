"""``edgeworth diff``: what changed since the last report?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.output import NO_OUTPUT, Output, show


def diff(
    old: Annotated[str, Parameter(help="The JSON of the earlier report, as --json wrote it.")],
    new: Annotated[str, Parameter(help="The JSON of the later report.")],
    /,
    *,
    output: Output = NO_OUTPUT,
) -> None:
    """List what changed between two reports, and whether it is more than noise."""
    from edgeworth.report.changes import diff_reports

    output.check((old, new), {})
    show(diff_reports(old, new), output)
