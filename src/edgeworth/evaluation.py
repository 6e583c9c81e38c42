"""The front door: from data to a report, in two steps: a tally, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from platform import python_version
from typing import TYPE_CHECKING, Any

from edgeworth.core.plain import labels_to_json
from edgeworth.core.policies import Missing, PredictionsMade
from edgeworth.errors import OptionError
from edgeworth.rankings.scores.sorted_scores import Bins
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import WeightKind
from edgeworth.tallied import Part, Tallied, dropped_rows, said_kind
from edgeworth.tallying import CountingTerms, Kind, Opened, refuse, whole_tally

if TYPE_CHECKING:
    from edgeworth.bet.bookmakers import Bookmaker
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.forecasts.tally import ForecastTally
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.ranking import Ranking
    from edgeworth.report.report import Report

# What is found out and said about one kind of prediction is imported when there is such a one: with all of it
# a command would take a third longer to start.

TOLD_PARTS = 20
"""So many sources of a merged tally are told in a report."""

TAKEN_AS_BEFORE = (
    "The predictions are taken as made before the outcomes: predictions_made (--predictions-made) says if "
    "they were not."
)


def evaluate(
    data: Any = None,
    *,
    truth: Any = None,
    prediction: Any = None,
    score: Any = None,
    probabilities: Any = None,
    against: Any = None,
    odds: Any = None,
    bookmaker: Bookmaker | None = None,
    time: Any = None,
    ordered: bool = False,
    predictions_made: PredictionsMade | None = None,
    stake: float | None = None,
    normalise: bool = False,
    ordinal: bool = False,
    group: Any = None,
    id: Any = None,  # the word of the command and of the column
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
    level: float = 0.95,
    seed: int = 0,
    pool: float | None = None,
    margin: float | None = None,
    commission: float | None = None,
    depth: int | None = None,
    gain: float | None = None,
    cost: float | None = None,
    cells: Bins = None,
    relevant_from: int | None = None,
    engine: str | None = None,
    master: str | None = None,
    with_digest: bool = True,
) -> Report:
    """Evaluate labels, a ranking (``score``) or ``probabilities``: informed or lucky, how sure, worth what?

    ``data`` is the path of a file (several, a pattern, a folder) or a dataframe, and then the other words are
    names of its columns, guessed where they leave no doubt; without it they are the columns themselves.
    ``engine="spark"`` has Spark read the files, on ``master``; ``with_digest=False`` leaves out the SHA-256
    of files, for which they are read once more. With labels, ``group`` names clusters of rows
    that are not independent (patients, documents), and pool, margin and commission are the house's. With
    scores, ``group`` makes one list of each query (``id`` names its documents), ``depth`` is how far one
    looks, ``gain`` and ``cost`` are what a hit brings and a look costs, and ``cells`` bounds the memory.

    Probabilities, (n,) of the positive class or (n, K), bet ``stake`` of Kelly's stakes ``against`` a rival's
    probabilities, at decimal ``odds`` or with a ``bookmaker``; left out, against the class shares of these
    cases. ``time`` or ``ordered`` says in what order cases became known, ``predictions_made`` whether the
    predictions were made "before" the outcomes, "cross-validated" or "in-sample"; ``normalise`` divides rows
    by their sums, ``ordinal`` takes the classes in the order of their columns.

    >>> report = evaluate(truth=[1, 0, 1, 0, 1, 0] * 10, prediction=[1, 0, 1, 1, 1, 0] * 10)
    >>> print(report.verdict.split(" (")[0])
    Does as well as one who knows the answer 67% of the time and guesses otherwise
    """
    counting = CountingTerms(
        truth=truth,
        prediction=prediction,
        score=score,
        probabilities=probabilities,
        against=against,
        odds=odds,
        bookmaker=bookmaker,
        time=time,
        ordered=ordered,
        predictions_made=predictions_made,
        stake=stake,
        normalise=normalise,
        ordinal=ordinal,
        group=group,
        id=id,
        weight=weight,
        weight_kind=weight_kind,
        labels=labels,
        positive=positive,
        abstain=abstain,
        missing=missing,
        cells=cells,
        relevant_from=relevant_from,
    )
    asked = Asked(level, seed, pool, margin, commission, depth, gain, cost)
    opened = Opened.of(data, counting, engine, master, with_digest=with_digest)
    asked.check(opened.counting.kind)
    return report_of(whole_tally(opened), asked)


@dataclass(frozen=True)
class Asked:
    """What a report is to say, which needs nothing but the tally: asked again, no data are read again."""

    level: float = 0.95
    seed: int = 0
    pool: float | None = None
    margin: float | None = None
    commission: float | None = None
    depth: int | None = None
    gain: float | None = None
    cost: float | None = None

    def check(self, kind: Kind) -> None:
        """Refuse what has no meaning with this kind of prediction."""
        house, looks = ("pool", "margin", "commission"), ("depth", "gain", "cost")
        when, names = {
            "labels": ("with a prediction", looks),
            "several": ("with several predictors", house + looks),
            "scores": ("with a score", house),
            "lists": ("with groups", house + looks),
            "probabilities": ("with probabilities", house + looks),
        }[kind]
        refuse(when, **{name: getattr(self, name) for name in names})

    @property
    def house(self) -> dict[str, float]:
        """What the house takes."""
        pool = 10.0 if self.pool is None else self.pool
        return {"pool": pool, "margin": self.margin or 0.0, "commission": self.commission or 0.0}


def report_of(tallied: Tallied, asked: Asked) -> Report:
    """The second half of an evaluation: from a tally, counted in one piece or merged, to a report."""
    tally = tallied.settled
    found = _REPORTS.get(tally.file_kind)
    if found is None:
        raise OptionError(f"{tallied.name} holds {said_kind(tally)}, of which there is no report by itself")
    kind, reported = found
    asked.check(kind)
    report = reported(tallied, tally, asked)
    return replace(report, warnings=(*tallied.notices, *report.warnings))


def report_labels(tallied: Tallied, tally: ContingencyTable, asked: Asked) -> Report:
    from edgeworth.decisions.findings import examine_decisions
    from edgeworth.decisions.report import decisions_report

    house = {"overround" if name == "margin" else name: value for name, value in asked.house.items()}
    findings = examine_decisions(tally, level=asked.level, seed=asked.seed, **house)
    sizes = {"cases": tally.cells.sum().item()}
    report = decisions_report(findings, about_tally(tallied, asked, **asked.house, **sizes))
    return replace(report, warnings=(*_slips(tallied.terms, tally), *report.warnings))


def report_ranking(tallied: Tallied, ranking: Ranking, asked: Asked) -> Report:
    from edgeworth.rankings.findings import examine_ranking
    from edgeworth.rankings.report import ranking_report

    looks = {"depth": asked.depth, "gain": asked.gain, "cost": asked.cost}
    sizes = {"items": ranking.total, "targets": ranking.target_total}
    findings = examine_ranking(ranking, level=asked.level, seed=asked.seed, **looks)  # type: ignore[arg-type]  # a dict of each
    return ranking_report(findings, about_tally(tallied, asked, **looks, **sizes))


def report_lists(tallied: Tallied, lists: RankedLists, asked: Asked) -> Report:
    from edgeworth.rankings.list_findings import examine_lists
    from edgeworth.rankings.list_report import lists_report

    sizes = {"lists": lists.number, "items": len(lists.scores)}
    findings = examine_lists(lists, level=asked.level, seed=asked.seed)
    return lists_report(findings, about_tally(tallied, asked, **sizes))


def report_forecasts(tallied: Tallied, tally: ForecastTally, asked: Asked) -> Report:
    from edgeworth.forecasts.findings import examine_forecasts
    from edgeworth.forecasts.report import forecasts_report

    terms = tallied.terms
    made = terms.get("predictions_made")
    is_labelled = tally.label_source in ("labels", "names")
    known = {
        "against": tally.against,
        "cases": tally.cases,
        "labels": labels_to_json(tally.labels) if is_labelled else None,
        "positive": terms.get("positive"),
        "normalise": terms.get("normalise", False),
        "ordered": terms.get("ordered", False),
        "predictions_made": made or "before",
        "stake": terms.get("stake", 1.0),
        "ordinal": terms.get("ordinal", False),
    }
    findings = examine_forecasts(tally, level=asked.level, seed=asked.seed)
    report = forecasts_report(findings, about_tally(tallied, asked, **known))
    unsaid = () if made is not None else (TAKEN_AS_BEFORE,)
    return replace(report, warnings=(*unsaid, *tally.warnings, *report.warnings))


_REPORTS: dict[str, tuple[Kind, Callable[[Tallied, Any, Asked], Report]]] = {
    "contingency_table": ("labels", report_labels),
    "clustered_table": ("labels", report_labels),
    "ranking": ("scores", report_ranking),
    "ranked_lists": ("lists", report_lists),
    "forecasts": ("probabilities", report_forecasts),
}
"""What is said of each kind of tally, and of which predictions it is."""


def evaluate_table(
    table: ContingencyTable,
    *,
    level: float = 0.95,
    seed: int = 0,
    pool: float = 10.0,
    margin: float = 0.0,
    commission: float = 0.0,
) -> Report:
    """The report on a table that is already counted."""
    from edgeworth.decisions.findings import examine_decisions
    from edgeworth.decisions.report import decisions_report

    findings = examine_decisions(
        table, level=level, seed=seed, pool=pool, overround=margin, commission=commission
    )
    known = {"cases": table.cells.sum().item(), "dropped": table.dropped}
    return decisions_report(findings, about_run(source="a table", seed=seed, **known))


def about_run(**known: Any) -> dict[str, Any]:
    """Where a report came from: what is needed to make it again."""
    from edgeworth import __version__

    said = {
        name: value if isinstance(value, (str, int, float, list)) else repr(value)
        for name, value in known.items()
        if value is not None
    }
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    return {"edgeworth": __version__, "versions": f"Python {python_version()}, {libraries}", **said}


def about_tally(tallied: Tallied, asked: Asked, **known: Any) -> dict[str, Any]:
    """Where a report on a tally came from: what was asked then and now, and the sources."""
    terms, origin = dict(tallied.terms), tallied.origin
    columns = terms.pop("columns", {})
    if terms.get("labels") is not None:
        terms["labels"] = labels_to_json(terms["labels"])
    first = origin.parts[0] if origin.parts else Part("a tally")
    is_one = origin.number <= 1
    sources: dict[str, Any] = {
        "source": first.source if is_one else f"{origin.number:,} sources, merged",
        "digest": first.digest if is_one else origin.digest,
        "rows": origin.rows,
    }
    if not is_one:
        more = origin.number - TOLD_PARTS
        sources["parts"] = [part_said(part) for part in origin.parts[:TOLD_PARTS]]
        sources["parts"] += [f"… and {more:,} more"] if more > 0 else []
    rest = {"level": asked.level, "seed": asked.seed} | terms | known
    # Missing values among probabilities are errors, so that nothing is ever dropped there.
    dropped = None if tallied.tally.file_kind == "forecasts" else dropped_rows(tallied.tally)
    return about_run(**(sources | columns | rest), dropped=dropped)


def part_said(part: Part) -> str:
    """One source of several, for a reader.

    >>> part_said(Part("monday.csv", None, 1200, 3))
    'monday.csv: 1,200 rows, 3 dropped'
    """
    rows = "" if part.rows is None else f": {part.rows:,} row{'s' if part.rows != 1 else ''}"
    return f"{part.source}{rows}{f', {part.dropped:,} dropped' if part.dropped else ''}"


def _slips(terms: Mapping[str, Any], tally: ContingencyTable) -> tuple[str, ...]:
    """What was asked for and can hardly have been meant."""
    said = []
    columns, abstain = terms.get("columns", {}), terms.get("abstain")
    if columns and columns["truth"] == columns["prediction"]:
        said.append(f"Truth and prediction are the same column, {columns['truth']!r}.")
    if abstain is not None and not tally.abstained.any():
        said.append(f"No prediction is {abstain!r}, which was to mean no decision.")
    return tuple(said)
