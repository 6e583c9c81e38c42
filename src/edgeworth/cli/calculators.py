"""``edgeworth chance``, ``kelly``, ``mixture`` and ``measures``: questions that need no data."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.options import Hyphen, OptionValue, Whole, decimal_numbers, numbers, with_options
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.common.choices import OddsForm, Unbalanced
from edgeworth.common.progress import track_progress
from edgeworth.core.formatting import displayable
from edgeworth.core.options import ChanceOptions, HouseOptions, StatisticsOptions
from edgeworth.errors import OptionError


@with_options(ChanceOptions)
def chance(
    *,
    items: Annotated[int, Whole, Parameter(help="How many items there are.")],
    targets: Annotated[int, Whole, Parameter(help="How many of them are targets.")],
    output: Output = NO_OUTPUT,
    **options: OptionValue,
) -> None:
    """Compute what random selection achieves: the distribution of average precision or of hits."""
    from edgeworth.calculators import chance_report

    with track_progress("working"):
        report = chance_report(items, targets, **options)
    show(report, output)


def kelly(
    *,
    probabilities: Annotated[
        str,
        Parameter(
            help="The probability of each outcome, separated by commas; one for a game.", metavar="NUMBER,…"
        ),
    ],
    odds: Annotated[
        str,
        Hyphen,
        Parameter(
            help="The odds on each outcome, separated by commas; one for a game, to back or lay at.",
            metavar="NUMBER,…",
        ),
    ],
    lay: Annotated[
        str | None,
        Hyphen,
        Parameter(
            help="The odds at which each outcome can be laid; inf if it cannot. By default, outcomes are "
            "only backed.",
            metavar="NUMBER,…",
        ),
    ] = None,
    odds_form: Annotated[
        OddsForm, Parameter(help="How odds are written: 3.5, 5/2, +250 or the probability they imply.")
    ] = "decimal",
    fraction: Annotated[float, Parameter(help="The fraction of the full stakes.")] = 1.0,
    normalise: Annotated[bool, Parameter(help="Divide the probabilities by their sum.", negative="")] = False,
    unbalanced: Annotated[
        Unbalanced,
        Parameter(
            help="With lay odds that are an arbitrage: refuse, scale the prices until it is gone, or keep "
            "stakes and liabilities within the wealth."
        ),
    ] = "refuse",
    output: Output = NO_OUTPUT,
) -> None:
    """Compute Kelly's stakes for one race or one game: the share of wealth to bet on each outcome."""
    from edgeworth.calculators import kelly_report

    report = kelly_report(
        numbers(probabilities, "probabilities"),
        decimal_numbers(odds, "odds", odds_form),
        lay=None if lay is None else decimal_numbers(lay, "lay odds", odds_form, infinite=True),
        fraction=fraction,
        normalise=normalise,
        unbalanced=unbalanced,
    )
    show(report, output)


@with_options("labels", "costs", HouseOptions, StatisticsOptions)
def mixture(
    *,
    real: Annotated[str, Parameter(help="The share of each actual class.", metavar="SHARE,…")],
    predicted: Annotated[
        str, Parameter(help="The share of each class among the guesses.", metavar="SHARE,…")
    ],
    informed: Annotated[
        float,
        Parameter(
            help="The fraction of cases whose answer is known; with two classes, below 0 for the opposite."
        ),
    ],
    cases: Annotated[float, Parameter(help="The number of cases.")] = 100,
    output: Output = NO_OUTPUT,
    **options: OptionValue,
) -> None:
    """Report on a predictor that knows the answer part of the time and guesses otherwise (Powers 2003)."""
    from edgeworth.decisions.simulation import informed_mixture
    from edgeworth.evaluation import evaluate

    output.check((), options)
    shares = numbers(real, "real"), numbers(predicted, "predicted")
    labels = options.pop("labels", None) or (["+", "-"] if len(shares[0]) == 2 else None)
    show(evaluate(informed_mixture(*shares, informed, cases=cases, labels=labels), **options), output)


def measures(
    *words: Annotated[
        str,
        Parameter(
            help="Words to search for in measures, methods, commands and options.", metavar="[WORDS...]"
        ),
    ],
) -> None:
    """List the measures with spelling, formula, range, chance level and source, or search them by words."""
    from edgeworth.cli.measure_search import find_elsewhere, print_places
    from edgeworth.core.registry import catalogue
    from edgeworth.report.terminal import print_measures

    entries = catalogue(words=" ".join(words))
    places = find_elsewhere(" ".join(words)) if words else []
    if not entries and not places:
        raise OptionError(f"no measure, method, command or option matches {' '.join(words)!r}")
    print_measures(entries)
    print_places(places)


def demo(
    *,
    folder: Annotated[Path, Parameter(help="Where to write the files.", metavar="FOLDER")] = Path(),
    data: Annotated[
        bool, Parameter(help="Write the sample files themselves, and no report.", negative="")
    ] = False,
) -> None:
    """Report on the sample data that come with Edgeworth: edgeworth-demo.html and edgeworth-demo.json."""
    from edgeworth.calculators import demo_report, write_samples
    from edgeworth.report.formats import make_folder
    from edgeworth.sample import SAMPLE_FILES, SAMPLE_STORY

    make_folder(folder)
    if data:
        written = write_samples(folder)
        for path in written:
            sys.stdout.write(f"{displayable(str(path))}: {SAMPLE_FILES[path.name]}\n")
        births = shlex.quote(str(written[0]))
        command = f"edgeworth evaluate {births} --truth low --positive 1 --prediction larger_model"
        sys.stdout.write(f"\nTry: {command}\n")
        return
    page, numbers = folder / "edgeworth-demo.html", folder / "edgeworth-demo.json"
    with track_progress("working"):
        report = demo_report()
        report.to_json(numbers)
        report.to_html(page, title="Edgeworth demo: 189 births")
    sys.stdout.write(f"{SAMPLE_STORY}\n\n")
    for verdict in report.verdict.splitlines():
        sys.stdout.write(f"{verdict}\n\n")
    places = {"The report, with tables and charts, is": page, "The numbers behind it are": numbers}
    for what, path in places.items():
        sys.stdout.write(f"{what} in {displayable(str(path))}\n")
