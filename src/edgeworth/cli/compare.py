"""``edgeworth compare``: which one is better?"""

from __future__ import annotations

from edgeworth.cli.options import NamedFiles, OptionValue, named_files, split, split_names, with_options
from edgeworth.cli.output import ComparisonOutput, show
from edgeworth.common.choices import PREDICTIONS_OF_OPTION, Predictions
from edgeworth.common.progress import track_progress
from edgeworth.core.options import CompareOptions
from edgeworth.errors import OptionError

SYSTEMS = {
    "prediction": "A column of predicted labels; once for each system.",
    "score": "A column of scores, highest first; once for each system.",
    "correct": "A column of right or wrong, such as 1/0 or C/I; once for each system.",
    "grade": "A column of grades; once for each system.",
    "probability": "A column of the positive class's probabilities; once for each system.",
    "probabilities": "NAME=p_a,p_b,p_c: the columns of a system, one per class; once for each system.",
}
NO_OUTPUT = ComparisonOutput()


@with_options("truth", CompareOptions, several=SYSTEMS)
def compare(*files: NamedFiles, output: ComparisonOutput = NO_OUTPUT, **options: OptionValue) -> None:
    """Compare two or more systems on the same cases: which is better, how sure is that?"""
    from edgeworth.comparison import compare as run
    from edgeworth.sources.joining import name_systems

    by_name, files = split_names(files)
    data = named_files(files, "compare") if by_name is None else by_name
    output.check(files, options)
    columns_by_flag = {f"--{name}": options.pop(name, ()) for name in SYSTEMS}
    is_joined = options.get("join") is not None or options.get("system") is not None
    kind, systems = _systems(columns_by_flag, list(by_name or name_systems(files)) if is_joined else None)
    truth = options.pop("truth", None)
    with track_progress("working"):
        comparison = run(
            data, truth=truth, systems=systems, kind=kind, with_digest=output.has_output_file, **options
        )
    show(comparison.report, output, csv=comparison.to_csv, latex=comparison.to_latex)


def _systems(
    given: dict[str, tuple[str, ...]], joined: list[str] | None
) -> tuple[Predictions | None, object]:
    """Find the kind of prediction, and the columns by system or in the files of all ``joined`` systems."""
    given_options = [name for name, columns in given.items() if columns]
    if not given_options:
        return None, None  # run logs name their systems themselves
    if len(given_options) > 1:
        raise OptionError(f"all systems must be of one kind; saw {' and '.join(given_options)}")
    kind = PREDICTIONS_OF_OPTION[given_options[0].removeprefix("--")]
    columns, are_wide = given[given_options[0]], given_options == ["--probabilities"]
    if joined is not None and len(columns) == 1 and "=" not in columns[0]:
        return kind, split(columns[0]) if are_wide else columns[0]
    if joined is not None and not are_wide:
        if len(columns) != len(joined):
            files = f"{len(joined)} files; saw {len(columns)}"
            raise OptionError(f"give {given_options[0]} once, or once for each of {files}")
        return kind, dict(zip(joined, columns, strict=True))
    if not are_wide:
        return kind, list(columns)
    wide: dict[str, list[str] | None] = {}
    for text in columns:
        name, sign, classes = text.partition("=")
        if not sign:
            raise OptionError(f"name the system of these columns, NAME=p_a,p_b; saw {text!r}")
        if name in wide:
            raise OptionError(f"two systems are called {name!r}: give each a name of its own")
        wide[name] = split(classes)
    return "probabilities", wide
