"""``edgeworth check``: may this be released?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from edgeworth.cli.options import (
    GROUPS,
    Hyphen,
    NamedFiles,
    OneProbability,
    OptionValue,
    input_files,
    named_files,
    split_names,
    with_options,
)
from edgeworth.cli.output import STANDARD_STREAM, file_option, refuse_inputs
from edgeworth.common.choices import UndecidedAs
from edgeworth.common.progress import track_progress
from edgeworth.core.options import CheckOptions
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.gates.decision import Decision


@Parameter(name="*", group=GROUPS["Output"])
@dataclass(frozen=True)
class GateOutput:
    """Files that a gate writes."""

    json: Annotated[str | None, file_option("Also write the decision as JSON; with -, print only that.")] = (
        None
    )
    junit: Annotated[
        str | None, file_option("Also write JUnit XML, with undecided as skipped; with -, print only that.")
    ] = None
    markdown: Annotated[
        str | None,
        file_option("Also write Markdown, such as for a workflow's step summary; with -, print only that."),
    ] = None

    @property
    def targets(self) -> dict[str, str]:
        """The files to write, by their options."""
        given = {"json": self.json, "junit": self.junit, "markdown": self.markdown}
        return {name: target for name, target in given.items() if target is not None}

    def check(self, files: tuple[str, ...], options: dict[str, OptionValue]) -> None:
        """Refuse folders that do not exist, and files that the gate reads."""
        streams = [name for name, target in self.targets.items() if target == STANDARD_STREAM]
        if len(streams) > 1:
            raise OptionError(
                f"only one output can go to standard output; saw --{' - and --'.join(streams)} -"
            )
        names = [target for target in self.targets.values() if target != STANDARD_STREAM]
        for name in names:
            if not name or not Path(name).absolute().parent.is_dir() or Path(name).is_dir():
                raise OptionError(
                    f"{name!r} cannot be written: its folder does not exist, or it is a folder itself"
                )
        refuse_inputs(names, input_files(files, options))

    def write(self, decision: Decision) -> None:
        """Write the files, and the sentences unless standard output is taken."""
        writers: dict[str, Callable[[str | None], str]] = {
            "json": decision.to_json,
            "junit": decision.to_junit,
            "markdown": decision.to_markdown,
        }
        text = f"{decision}\n"
        for name, target in self.targets.items():
            if target == STANDARD_STREAM:
                text = writers[name](None)
            else:
                writers[name](target)
        sys.stdout.write(text)
        if os.environ.get("GITHUB_ACTIONS") == "true" and STANDARD_STREAM not in self.targets.values():
            sys.stdout.write("".join(f"{line}\n" for line in decision.annotations()))


NO_OUTPUT = GateOutput()


@with_options(OneProbability, CheckOptions)
def check(
    *files: NamedFiles,
    require: Annotated[
        tuple[str, ...],
        Parameter(
            help='A requirement, such as "recall[fraud] >= 0.9"; may be given again.',
            metavar="TEXT",
            negative="",
        ),
    ] = (),
    requirements: Annotated[
        str | None, Parameter(help="A TOML file of requirements, kept in the repository.", metavar="FILE")
    ] = None,
    baseline: Annotated[
        str | None,
        Hyphen,
        Parameter(
            help="What the candidate is compared with: a file, a column or a system.",
            metavar="FILE|COLUMN|NAME",
        ),
    ] = None,
    must_pass: Annotated[
        str | None,
        Parameter(
            help="Ids of items that must be right, or a column that marks them.", metavar="ID,…|COLUMN"
        ),
    ] = None,
    task_weights: Annotated[
        str | None,
        Parameter(
            help="Pool tasks by weight: mmlu=0.7,gsm8k=0.3, equal or items. By default, each must pass.",
            metavar="WEIGHTS",
        ),
    ] = None,
    allow_missing: Annotated[
        bool,
        Parameter(
            help="Do not fail if the candidate lacks items, tasks or slices that the baseline has.",
            negative="",
        ),
    ] = False,
    undecided: Annotated[
        UndecidedAs | None, Parameter(help="Count undecided as pass or fail; otherwise the exit code is 3.")
    ] = None,
    anytime: Annotated[
        bool,
        Parameter(
            help="Keep the decision valid if you check repeatedly as new items arrive, such as every night.",
            negative="",
        ),
    ] = False,
    output: GateOutput = NO_OUTPUT,
    **options: OptionValue,
) -> None:
    """Check a candidate against requirements. Exit codes: 0 pass, 1 fail, 3 undecided, 2 bad input."""
    from edgeworth.gate import check as run

    by_name, files = split_names(files)
    data = named_files(files, "check") if by_name is None else by_name
    read = (*files, *(name for name in (baseline, requirements) if name is not None))
    output.check(read, options)
    with track_progress("working"):
        decision = run(
            data,
            require=require,
            requirements=requirements,
            baseline=baseline,
            must_pass=must_pass,
            task_weights=task_weights,
            allow_missing=allow_missing,
            undecided=undecided,
            anytime=anytime,
            **options,
        )
    output.write(decision)
    sys.stdout.flush()
    sys.exit(decision.exit_code)
