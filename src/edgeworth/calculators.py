"""Reports that need no table of predictions: chance, Kelly stakes, the demo and TREC runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from edgeworth import bet, chance
from edgeworth.common.choices import Unbalanced
from edgeworth.comparison import compare
from edgeworth.comparisons.paired_values.differences import compare_queries
from edgeworth.comparisons.report import compose_comparison
from edgeworth.core.formatting import digits_shown, plural
from edgeworth.core.options import ChanceOptions, Options, TrecOptions
from edgeworth.errors import InputError, OptionError
from edgeworth.evaluation import evaluate
from edgeworth.forecasts.kelly_report import stakes_report
from edgeworth.pipeline.call_options import fill_in, with_options
from edgeworth.rankings.chance.law import AveragePrecisionLaw
from edgeworth.rankings.chance.typed import TypedValue
from edgeworth.rankings.findings import examine_lists
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.report import trec_report, with_every_rank
from edgeworth.rankings.selection_report import AskedPrecision, RandomSelection, selection_report
from edgeworth.rankings.trec.files import rank_conflicts, read_qrels, read_run
from edgeworth.report.formats import write_file
from edgeworth.report.frames import estimate_rows
from edgeworth.report.report import Report, gather_reports, join_reports, make_provenance
from edgeworth.report.wording import format_option
from edgeworth.sample import SAMPLE_FILES, SAMPLE_NAME, sample_file


@with_options(ChanceOptions)
def chance_report(items: int, targets: int, **given: Unpack[ChanceOptions]) -> Report:
    """Report the average precision and the hits within a depth of random selection."""
    options = fill_in("chance", ChanceOptions, given)
    hits, depth, over = options["hits"], options["depth"], options["over"]
    if hits is not None and depth is None:
        raise OptionError("hits are counted within a depth: say which")
    if hits is not None and hits < 0:
        raise OptionError(f"hits number at least 0; saw {hits}")
    if over == "reachable" and depth is None:
        raise OptionError("targets within reach need a depth: say which")
    if options["rank"] is not None and options["nth_hit"] is None:
        raise OptionError("a rank is that of a hit: add --nth-hit, such as --nth-hit 2 for the second one")
    law = chance.average_precision(items, targets, depth=depth, over=over)
    selection = RandomSelection(
        law,
        _asked_precision(law, options["average_precision"], options["seed"]),
        None if depth is None else chance.hits(items, targets, min(depth, items)),
        hits,
        None if options["nth_hit"] is None else chance.hit_rank(items, targets, options["nth_hit"]),
        options["rank"],
    )
    about = {"items": items, "targets": targets, "depth": depth, "over": over, "seed": options["seed"]}
    return selection_report(selection, make_provenance(**about))


def _asked_precision(
    law: AveragePrecisionLaw, value: float | Fraction | str | None, seed: int
) -> AskedPrecision | None:
    """Find the tail of a value: text is a rounded number, a float the nearest attainable value."""
    if value is None:
        return None
    if isinstance(value, str):
        typed = TypedValue.read(value)
        attained = law.smallest_from(typed.least) if typed.half_unit else None
        tail = law.tail(typed.least, seed=seed)
        return AskedPrecision(float(typed.value), typed.text, tail, typed.explain(attained), attained)
    if not 0 <= value <= 1:
        raise OptionError(f"average precision is a number between 0 and 1; saw {value}")
    return AskedPrecision(float(value), format_option(value), law.tail(value, seed=seed))


def hits_report(text: str, **options: Any) -> Report:
    """Report on hits in rank order, written as 0 and 1 from the top of the list: 11010000."""
    written = re.sub(r"[\s,;]", "", text)
    if not written or set(written) - {"0", "1"}:
        raise InputError(f"a ranking is written as 0 and 1 in rank order, such as 11010000; saw {text!r}")
    hits = [int(digit) for digit in written]
    if len(set(hits)) < 2:
        raise InputError("a ranking needs a target (1) and another item (0)")
    return with_every_rank(evaluate(Ranking.from_hits(hits), **options), hits)


def kelly_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    *,
    lay: Sequence[float] | None = None,
    fraction: float = 1.0,
    normalise: bool = False,
    unbalanced: Unbalanced = "refuse",
) -> Report:
    """Report Kelly's stakes for one race, and the wealth after each outcome.

    One probability and one price are a game with two outcomes, backed or laid.
    """
    # JSON has no infinity.
    laid = None if lay is None else [price if math.isfinite(price) else "inf" for price in lay]
    about = make_provenance(odds=list(odds), fraction=fraction, lay=laid)
    p: ArrayLike = probabilities
    book: ArrayLike = odds
    lays: ArrayLike | None = lay
    if len(probabilities) == len(odds) == 1 and (lay is None or len(lay) == 1):
        if normalise or unbalanced != "refuse":
            raise OptionError("a game has one probability and one price: nothing to normalise or balance")
        p, book, lays = probabilities[0], odds[0], None if lay is None else lay[0]
    stakes = bet.kelly(p, book, lay=lays, fraction=fraction, normalise=normalise, unbalanced=unbalanced)
    wealth = bet.wealth_after(book, stakes, lay=lays)
    growth = bet.growth(p, book, stakes, lay=lays, normalise=normalise)
    whole = sum(probabilities) if normalise else 1.0
    shares = [p / whole for p in probabilities]
    return stakes_report(shares, odds, np.atleast_1d(stakes).tolist(), wealth.tolist(), float(growth), about)


def demo_report() -> Report:
    """Combine four reports on the sample of births that comes with Edgeworth."""
    known: Any = {"truth": "low", "positive": "1"}
    rival: Any = {"against": "smaller_probability"}
    systems = {"larger model": "larger_model", "smaller model": "smaller_model"}
    with sample_file() as path:
        data = str(path)
        reports = {
            "Labels": evaluate(data, **known, prediction="larger_model"),
            "Scores": evaluate(data, **known, score="larger_probability"),
            "Probabilities": evaluate(
                data, **known, **rival, probabilities="larger_probability", predictions_made="cross-validated"
            ),
            "Comparison": compare(data, systems=systems, kind="labels", **known).report,
        }
    # The sample has its name, not that of the folder it was installed in.
    named = {"source": SAMPLE_NAME}
    return gather_reports({x: replace(y, provenance={**y.provenance, **named}) for x, y in reports.items()})


def write_samples(folder: Path) -> list[Path]:
    """Write the sample files into a folder, and raise an error instead of replacing other files."""
    texts = {name: _sample_bytes(name) for name in SAMPLE_FILES}
    paths = {name: folder / name for name in texts}
    for name, path in paths.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != texts[name]):
            raise OptionError(f"{path} exists and is another file: choose another --folder")
    for name, path in paths.items():
        write_file(path, texts[name])
    return list(paths.values())


def _sample_bytes(name: str) -> bytes:
    with sample_file(name) as path:
        return path.read_bytes()


@with_options(TrecOptions)
def evaluate_trec(
    qrels: str | Path,
    runs: Sequence[str | Path] | Mapping[str, str | Path],
    **given: Unpack[TrecOptions],
) -> Report:
    """Evaluate runs of a search engine against judgements, in TREC's formats and with trec_eval's tie rule.

    Queries that were judged but that a run does not have (``absent``), and queries without a relevant
    document (``no_targets``), are left out of means ("drop") or counted as 0 ("zero"). As in trec_eval,
    the former are left out and the latter count as 0, unless you choose otherwise. Several runs are also
    compared pair by pair, on the queries that all have (``queries``). A mapping names the runs.
    """
    options = fill_in("trec", TrecOptions, given)
    with digits_shown(options["digits"]):
        return replace(_trec_report(qrels, runs, options), digits=options["digits"])


def _trec_report(
    qrels: str | Path, runs: Sequence[str | Path] | Mapping[str, str | Path], options: Options
) -> Report:
    if not runs:
        raise OptionError("there is no run to evaluate")
    named = runs if isinstance(runs, Mapping) else {}
    names = {str(path): name for name, path in named.items()}
    paths = list(named.values()) if named else list(runs)
    if len({str(path) for path in paths}) < len(paths):
        raise OptionError("a run is given twice")
    measures, level, seed = tuple(options["measures"] or ()), options["level"], options["seed"]
    grade = 1 if options["relevant_from"] is None else options["relevant_from"]
    judged = read_qrels(Path(qrels))
    found, disagreeing = {}, {}
    for path in paths:
        run = read_run(Path(path))
        is_zero = options["no_targets"] == "zero"
        lists = RankedLists.from_qrels(judged, run, relevant_from=grade, empty_is_zero=is_zero)
        if not lists.number:
            one, other = run.query.labels[0], judged.query.labels[0]
            raise InputError(f"{path}: none of its queries ({one!r}, …) is judged in {qrels} ({other!r}, …)")
        if options["absent"] == "zero":
            lists = lists.with_absent()
        wanted = measures or tuple(TREC_NAMES.values())
        name = names.get(str(path), run.name)
        name = str(path) if name in found else name
        found[name] = examine_lists(lists, measures=wanted, ties="trec", level=level, seed=seed)
        conflicts = rank_conflicts(run)
        if conflicts:
            disagreeing[name] = conflicts, len(run.query.labels)
    about = {"qrels": str(qrels), "runs": ", ".join(found), "measures": ", ".join(measures) or None}
    rules = {"relevant_from": grade, "absent": options["absent"], "no_targets": options["no_targets"]}
    report = trec_report(
        found, make_provenance(**about, **rules, level=level, seed=seed), are_chosen=bool(measures)
    )
    warnings = [
        f"{name}: ranks and scores disagree in {number:,} of {every:,} {plural(every, 'query')}. The scores "
        "decide, as in trec_eval. If the ranks are right, write scores that fall with the rank."
        for name, (number, every) in disagreeing.items()
    ]
    report = replace(report, warnings=(*warnings, *report.warnings))
    frames: dict[str, Any] = {
        "rows": lambda: list(
            chain(*(estimate_rows(run, x.estimates.values(), x.level) for run, x in found.items()))
        ),
        "items": lambda: [
            {"system": run, "item": str(query), "measure": name, "value": value}
            for run, each in found.items()
            for query, name, value in each.counted_values()
        ],
    }
    if len(found) < 2:
        return replace(report, **frames)
    spellings = list(next(iter(found.values())).estimates)
    compared = compare_queries(
        {name: each.lists for name, each in found.items()},
        measures=spellings if measures else None,
        queries=options["queries"],
        adjust=options["adjust"] or "holm",
        level=level,
        seed=seed,
    )
    return replace(join_reports(compose_comparison(compared, report.provenance), report), **frames)
