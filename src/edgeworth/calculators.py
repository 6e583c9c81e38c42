"""Reports that need no table of predictions: chance, Kelly stakes, the demo and TREC runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from edgeworth import bet, chance
from edgeworth.common.choices import Unbalanced
from edgeworth.comparison import compare
from edgeworth.core.options import ChanceOptions, EvaluateOptions, TrecOptions
from edgeworth.errors import InputError, OptionError
from edgeworth.evaluation import evaluate
from edgeworth.forecasts.kelly_report import stakes_report
from edgeworth.pipeline.call_options import fill_in, with_signature_of
from edgeworth.pipeline.search_runs import SearchReport, evaluate_runs
from edgeworth.rankings.chance.law import AveragePrecisionLaw
from edgeworth.rankings.chance.typed_value import TypedValue
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.report import with_every_rank
from edgeworth.rankings.selection_report import RandomSelection, RequestedPrecision, selection_report
from edgeworth.report.formats import write_file
from edgeworth.report.report import Report, gather_reports, make_provenance
from edgeworth.report.wording import format_option
from edgeworth.sample import SAMPLE_FILES, SAMPLE_NAME, sample_file


@with_signature_of(ChanceOptions)
def chance_report(items: int, targets: int, **given: Unpack[ChanceOptions]) -> Report:
    """Report the average precision and the hits within a depth of random selection."""
    options = fill_in("chance", ChanceOptions, given)
    hits, depth, over = options["hits"], options["depth"], options["over"]
    if hits is not None and depth is None:
        raise OptionError("--hits needs --depth: hits are counted within a depth")
    if hits is not None and hits < 0:
        raise OptionError(f"hits must be at least 0; saw {hits}")
    if over == "reachable" and depth is None:
        raise OptionError("--over reachable needs --depth: only targets within a depth are reachable")
    if options["rank"] is not None and options["nth_hit"] is None:
        raise OptionError("--rank needs --nth-hit, such as --nth-hit 2 for the second hit")
    law = chance.average_precision(items, targets, depth=depth, over=over)
    selection = RandomSelection(
        law,
        _requested_precision(law, options["average_precision"], options["seed"]),
        None if depth is None else chance.hits(items, targets, min(depth, items)),
        hits,
        None if options["nth_hit"] is None else chance.hit_rank(items, targets, options["nth_hit"]),
        options["rank"],
    )
    about = {"items": items, "targets": targets, "depth": depth, "over": over, "seed": options["seed"]}
    return selection_report(selection, make_provenance(**about))


def _requested_precision(
    law: AveragePrecisionLaw, value: float | Fraction | str | None, seed: int
) -> RequestedPrecision | None:
    """Return the p-value of an average precision: text is a rounded number, a float is exact."""
    if value is None:
        return None
    if isinstance(value, str):
        typed = TypedValue.read(value)
        attained = law.smallest_from(typed.least) if typed.half_unit else None
        tail = law.tail(typed.least, rng=seed)
        return RequestedPrecision(float(typed.value), typed.text, tail, typed.explain(attained), attained)
    if not 0 <= value <= 1:
        raise OptionError(f"average precision must be between 0 and 1; saw {value}")
    return RequestedPrecision(float(value), format_option(value), law.tail(value, rng=seed))


def hits_report(text: str, **options: Unpack[EvaluateOptions]) -> Report:
    """Report on hits in rank order, written as 0 and 1 from the top of the list: 11010000."""
    written = re.sub(r"[\s,;]", "", text)
    if not written or set(written) - {"0", "1"}:
        raise InputError(f"a ranking must be 0 and 1 in rank order, such as 11010000; saw {text!r}")
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
            raise OptionError(
                "--normalise and --unbalanced need a race: pass one probability and one price per outcome"
            )
        p, book, lays = probabilities[0], odds[0], None if lay is None else lay[0]
    stakes = bet.kelly(p, book, lay=lays, fraction=fraction, normalise=normalise, unbalanced=unbalanced)
    wealth = bet.wealth_after(book, stakes, lay=lays)
    growth = bet.growth(p, book, stakes, lay=lays, normalise=normalise)
    whole = sum(probabilities) if normalise else 1.0
    shares = [p / whole for p in probabilities]
    listed = np.atleast_1d(stakes).tolist()
    return stakes_report(shares, odds, listed, wealth.tolist(), float(growth), about, lay)


def demo_report() -> Report:
    """Combine four reports on the sample of births that comes with Edgeworth."""
    systems = {"larger model": "larger_model", "smaller model": "smaller_model"}
    with sample_file() as path:
        data = str(path)
        reports = {
            "Labels": evaluate(data, truth="low", positive="1", prediction="larger_model"),
            "Scores": evaluate(data, truth="low", positive="1", score="larger_probability"),
            "Probabilities": evaluate(
                data,
                truth="low",
                positive="1",
                probabilities="larger_probability",
                against="smaller_probability",
                predictions_made="cross-validated",
            ),
            "Comparison": compare(data, truth="low", positive="1", systems=systems, kind="labels").report,
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
            raise OptionError(f"{path} exists with other content: choose another --folder")
    for name, path in paths.items():
        write_file(path, texts[name])
    return list(paths.values())


def _sample_bytes(name: str) -> bytes:
    with sample_file(name) as path:
        return path.read_bytes()


@with_signature_of(TrecOptions)
def evaluate_trec(
    qrels: str | Path,
    runs: Sequence[str | Path] | Mapping[str, str | Path],
    **given: Unpack[TrecOptions],
) -> SearchReport:
    r"""Evaluate search runs against judgements, in TREC's formats and with trec_eval's tie rule.

    Several runs are also compared pair by pair, on the queries that all have. As in trec_eval, judged queries
    that a run does not have are left out of means (``absent``), and queries without a relevant document count
    as 0 (``no_targets``).

    Parameters
    ----------
    qrels : str or Path
        The file of judgements.
    runs : sequence of str or Path, or mapping
        The files of results. A mapping names the runs.

    Returns
    -------
    SearchReport
        A report that also writes the table of runs and measures for a paper (``to_latex``, ``to_csv``).

    Examples
    --------
    >>> import edgeworth as ew
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     qrels, run = Path(folder, "qrels"), Path(folder, "run")
    ...     size = qrels.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 0\nq2 0 d2 1\n")
    ...     size = run.write_text("q1 Q0 d2 1 0.9 r\nq1 Q0 d1 2 0.4 r\nq2 Q0 d2 1 0.8 r\nq2 Q0 d1 2 0.2 r\n")
    ...     report = ew.rankings.evaluate_trec(qrels, {"mine": run})
    >>> sorted(report.numbers)[:3]
    ['counts', 'is_conclusive', 'judged_shares']
    """
    return evaluate_runs(qrels, runs, fill_in("trec", TrecOptions, given))
