"""The reports on one ranking, on many lists and on runs. They arrange numbers and compute none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import isfinite

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.core.formatting import format_count, format_level, format_number, plural
from edgeworth.core.kinds import ReportInput
from edgeworth.core.measures import Spelling
from edgeworth.core.options import Options, select_options
from edgeworth.errors import OptionError
from edgeworth.rankings.chance.hits import hits as hits_law
from edgeworth.rankings.charts import list_charts, ranking_charts, run_charts
from edgeworth.rankings.estimates import class_split, is_turned_round
from edgeworth.rankings.findings import AtDepth, ListFindings, RankingFindings, examine_lists, examine_ranking
from edgeworth.rankings.intervals.bands import HitCurve
from edgeworth.rankings.intervals.methods import Survival
from edgeworth.rankings.list_tie_groups import tied_lists
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.policy import MIN_LISTS_FOR_COVERAGE, MIN_LISTS_FOR_INTERVAL
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.threshold_report import depth_section, threshold_section, with_cuts, with_threshold
from edgeworth.rankings.thresholds import Goal
from edgeworth.rankings.verdict import lists_verdict, ranking_verdict, rankings_citation
from edgeworth.report.estimates import estimate_row, estimates_grid, test_result_to_dict
from edgeworth.report.report import About, Cell, Grid, Report, Section, make_columns
from edgeworth.report.wording import (
    MIN_CASES_TO_SUSPECT,
    describe_constant,
    describe_measure,
    format_option,
    p_value_cell,
)


def report_ranking(tallied: ReportInput[Ranking], options: Options, about: About) -> Report:
    """Examine a ranking and report on it."""
    ranking = tallied.final
    goal, level, prevalence = Goal.of(options), options["level"], options["prevalence"]
    if options["method"] not in (None, "influence", "survival"):
        raise OptionError(f"method is one of influence, survival; saw {options['method']!r}")
    findings = examine_ranking(
        ranking,
        level=level,
        seed=options["seed"],
        goal=goal,
        method=Survival() if options["method"] == "survival" else None,
        depth=options["depth"],
        gain=options["gain"],
        cost=options["cost"],
    )
    name = tallied.terms.get("columns", {}).get("score")
    name = name if isinstance(name, str) and name != "score" else ""
    option_values = select_options(options, ("depth", "gain", "cost", "prevalence", "method"))
    option_values |= {**vars(goal), "items": ranking.total, "targets": ranking.target_total}
    return with_cuts(compose_ranking(findings, about(**option_values), name), ranking, prevalence, level)


def compose_ranking(findings: RankingFindings, provenance: Mapping[str, object], name: str = "") -> Report:
    """Arrange what was found about the scores of this name."""
    ranking, charts = findings.ranking, ranking_charts(findings)
    sections = (
        (_quality(findings), ("roc", "chance")),
        (_top_items(findings), ("hits", "survival", "precision_recall")),
        *((section, ("cost",)) for section in threshold_section(ranking, findings.best, findings.level)),
        (_worth(findings), ("value",)),
    )
    return Report(
        verdict=with_threshold(ranking_verdict(findings, name), ranking, findings.best, findings.level),
        citation=rankings_citation(findings),
        lead="hits",
        sections=tuple(
            replace(section, charts=tuple(name for name in names if name in charts))
            for section, names in sections
            if section is not None
        ),
        warnings=ranking_warnings(findings),
        provenance=provenance,
        numbers=_numbers(findings),
        charts=charts,
    )


def ranking_warnings(findings: RankingFindings) -> tuple[str, ...]:
    """Write the warnings, one sentence each."""
    ranking, warnings = findings.ranking, []
    if ranking.dropped:
        rows = plural(ranking.dropped, "row", "rows")
        warnings.append(f"{ranking.dropped:,} {rows} with a missing value dropped.")
    if ranking.clusters is not None:
        clusters = ranking.clusters.number
        warnings.append(f"Note: intervals allow for {clusters:,} {plural(clusters, 'cluster')}.")
    depth = findings.asked_depth
    if depth is not None and depth > ranking.ranked_total:
        items = f"{format_count(float(ranking.ranked_total))} {plural(ranking.ranked_total, 'item')}"
        warnings.append(f"The list has only {items}, so depth {depth:,} is the whole list.")
    caveats: dict[str, list[str]] = {}
    for estimate in (findings.average_precision, findings.roc_auc):
        if estimate.caveat is not None:
            caveats.setdefault(estimate.caveat, []).append(describe_measure(estimate.measure))
    warnings += [f"Interval for {' and '.join(names)}: {caveat}." for caveat, names in caveats.items()]
    area, background = findings.roc_auc.value, float(ranking.total - ranking.target_total)
    if ranking.is_counted and is_turned_round(area, float(ranking.target_total), background):
        target = "the target" if ranking.labels[1] is None else ranking.labels[1]
        warnings.append(f"ROC area {format_number(area)}: if lower scores mean {target}, negate the scores.")
    if isinstance(findings.average_precision.method, Survival):
        warnings.append(
            "The survival method treats the ranks of targets as fixed, so its intervals can be too narrow. "
            "Omit --method for intervals that hold in general."
        )
    sizes = ranking.tie_groups.size
    is_one_score = len(sizes) == 1 and sizes[0] == ranking.ranked_total >= MIN_CASES_TO_SUSPECT
    if is_one_score:
        warnings.append(describe_constant("The score", "the same"))
    elif findings.tie_bracket is not None:
        worst, best = (format_number(value) for value in findings.tie_bracket)
        text = (
            "Some targets are tied with other items. Average precision is the mean over random orders of ties"
        )
        if worst == best:
            text = f"Note: {text[0].lower()}{text[1:]}"
        else:
            text += f": {worst} in the worst order, {best} in the best"
        warnings.append(f"{text}.")
    if ranking.bins is not None:
        warnings.append(
            f"Note: scores are grouped into {len(ranking.bins):,} bins; scores in the same bin count as tied."
        )
    if ranking.unranked:
        number = format_count(float(ranking.unranked))
        warnings.append(f"{number} targets have no score; they are ranked below all other items.")
    warnings += findings.threshold_warnings
    split = class_split(ranking)
    if split is not None:
        warnings.append(split)
    if not ranking.is_counted:
        warnings.append("The rows are weighted, so there is no exact test against random order.")
    return tuple(warnings)


def _quality(findings: RankingFindings) -> Section:
    plain = ((name, finite_or_none(x), (None, None), None, "") for name, x in findings.plain.items())
    grid = estimates_grid((findings.average_precision, findings.roc_auc), findings.level, *plain)
    return Section(
        "Quality of the ranking", (), (grid, *chance_grids(findings, "random order")), is_main=True
    )


def chance_grids(findings: RankingFindings | ListFindings, subject: str) -> tuple[Grid, ...]:
    """Tabulate how often random order does as well, if that is known."""
    if findings.tail is None:
        return ()
    columns = make_columns(f"{subject} does/text", "probability/probability", "method/text")
    claim = f"{_direction(findings)}, by {describe_measure(findings.headline.measure)}"
    return (Grid("", columns, ((claim, p_value_cell(findings.tail), findings.tail.method),)),)


def against_chance_to_dict(findings: RankingFindings | ListFindings) -> dict[str, object]:
    """Write how often random order does as well, for JSON."""
    return {"direction": _direction(findings), "tail": test_result_to_dict(findings.tail)}


def _direction(findings: RankingFindings | ListFindings) -> str:
    return "as well" if findings.is_better else "as badly"


def _top_items(findings: RankingFindings) -> Section | None:
    if not findings.by_depth:
        return None
    measures = ("precision", f"{format_level(findings.level)} CI/interval", "recall", "lift")
    columns = make_columns("top/count", "targets/count", "expected/count", *measures, "P(chance)/probability")
    rows = tuple(_depth_row(row, findings.level) for row in findings.by_depth)
    note = (
        "Intervals treat the score at that depth as a fixed threshold. Expected: by random selection. "
        "Lift: precision divided by the share of targets. P(chance): the probability that random selection "
        "finds as many"
    )
    if any(row.at_least is None for row in findings.by_depth):
        # A tie that straddles a depth makes hits a mean over orders, which has no hypergeometric law.
        counted = findings.ranking.is_counted
        note += " (– if a tie crosses the depth)" if counted else " (– with sampling weights)"
    if findings.ranking.clusters is not None:
        note += (
            ". With clusters it is approximate, at the effective sample size: hits of one cluster can "
            "count as little as one hit"
        )
    return Section("Top of the list", (), (Grid("", columns, rows, note),), is_main=True)


def _depth_row(row: AtDepth, level: float) -> tuple[Cell, ...]:
    return (
        row.depth,
        int(row.hits) if float(row.hits).is_integer() else row.hits,
        row.by_chance,
        *estimate_row(row.precision, level)[1:3],
        finite_or_none(row.recall.value),
        finite_or_none(row.lift),
        None if row.at_least is None else p_value_cell(row.at_least),
    )


def _worth(findings: RankingFindings) -> Section | None:
    worth = findings.worth
    if worth is None:
        return None
    rows: tuple[tuple[Cell, ...], ...] = (
        (f"value of reviewing the first {findings.depth:,}", worth.at_depth),
        ("best depth of this list", format_count(worth.best_depth)),
        ("value at that depth (measured on the same data; optimistic)", worth.best_value),
    )
    gain, cost = format_option(worth.gain), format_option(worth.cost)
    title = f"Value at a gain of {gain} per target found and a cost of {cost} per item reviewed"
    return Section(title, (), (Grid("", make_columns("what/text", "value"), rows),))


def _numbers(findings: RankingFindings) -> dict[str, object]:
    level, ranking, best, ties = findings.level, findings.ranking, findings.best, findings.tie_bracket
    estimates = (findings.average_precision, findings.roc_auc)
    return {
        "kind": "ranking",
        "level": level,
        "is_conclusive": findings.is_conclusive,
        "items": ranking.total,
        "targets": ranking.target_total,
        "unranked": ranking.unranked,
        "estimates": {x.measure: x.to_dict(level) for x in estimates},
        "values": {name: finite_or_none(value) for name, value in findings.plain.items()},
        "random_selection": against_chance_to_dict(findings),
        "depths": [_depth_to_dict(row, level) for row in findings.by_depth],
        "best_cut": best and best.to_dict(level),
        "worth": findings.worth and vars(findings.worth),
        "ties": ties and {"worst": ties[0], "best": ties[1]},
        "curve": _curve_to_dict(findings.curve),
    }


def _depth_to_dict(row: AtDepth, level: float) -> dict[str, object]:
    tail = {"random_selection": test_result_to_dict(row.at_least)}
    estimates = {"precision": row.precision.to_dict(level), "recall": row.recall.to_dict(level)}
    fields = {name: value for name, value in vars(row).items() if name != "at_least"}
    return fields | estimates | {"lift": finite_or_none(row.lift)} | tail


def _curve_to_dict(curve: HitCurve | None) -> dict[str, object] | None:
    if curve is None or curve.bands is None:
        return None
    names = [f"{name}{end}" for name in ("recall", "precision") for end in ("", "_low", "_high")]
    columns = {name: getattr(curve.bands, name) for name in ("method", "depth", *names)}
    chance = {"random_hits_low": curve.chance_low, "random_hits_high": curve.chance_high}
    return dict(plain_values(columns | chance))


MAX_LISTS_SHOWN = 20
SHOWN_TREC = (
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "ndcg",
    "ndcg_cut_10",
    "P_5",
    "P_10",
    "P_20",
    "recall_100",
    "recall_1000",
    "success_1",
    "success_10",
)
COMPARED_TREC = ("map", "Rprec", "ndcg", "P_10", "recip_rank")
MAX_RUNS_SHOWN = 4
_OURS = {ours: theirs for theirs, ours in TREC_NAMES.items()}


def report_lists(tallied: ReportInput[RankedLists], options: Options, about: About) -> Report:
    """Examine ranked lists and report on them."""
    lists = tallied.final
    is_folded = options["fold"] is not None or lists.clusters is not None
    lists = lists.with_both_classes() if is_folded else lists
    unit = "fold" if is_folded else "query"
    findings = examine_lists(lists, level=options["level"], seed=options["seed"], unit=unit)
    report = compose_lists(findings, about(lists=lists.number, items=len(lists.scores)))
    return replace(report, warnings=(*report.warnings, _describe_folds(lists))) if is_folded else report


def _describe_folds(lists: RankedLists) -> str:
    """Write what values and intervals of folds rest on."""
    basis = (
        "use the variance between folds. If cases recur in other folds, as in repeated cross-validation, "
        "pass --id or --cluster, because otherwise intervals are too narrow"
    )
    if lists.clusters is not None:
        number = len(lists.clusters.labels)
        basis = f"allow for {number:,} {plural(number, 'cluster')}"
    return f"Note: scores are ranked within folds. Values are means over folds; intervals {basis}."


def compose_lists(findings: ListFindings, provenance: Mapping[str, object]) -> Report:
    """Make the report on lists from one source."""
    means = estimates_grid(findings.estimates.values(), findings.level, what="mean of")
    grids = (means, *chance_grids(findings, "random order"))
    return Report(
        verdict=lists_verdict(findings),
        citation=rankings_citation(findings),
        sections=(
            Section(f"Means over {plural(2, findings.unit)}", (), grids, is_main=True),
            *depth_section(findings),
            _unit_section(findings),
        ),
        warnings=(*list_warnings(findings), *tie_warnings({"": findings.lists})),
        provenance=provenance,
        numbers={"kind": "lists", "level": findings.level, **_list_numbers(findings)},
        charts=list_charts(findings),
        lead="queries",
    )


def trec_report(
    runs: Mapping[str, ListFindings], provenance: Mapping[str, object], *, are_chosen: bool = False
) -> Report:
    """Make the report on one or more runs against the same judgements.

    Measures that the user chose (``are_chosen``) are all shown; of all that trec_eval has, the usual ones.
    """
    sections: list[Section] = [] if len(runs) == 1 else [_side_by_side(runs, are_chosen)]
    warned, verdicts = dict[str, list[str]](), list[str]()
    for name, findings in runs.items():
        if len(runs) <= MAX_RUNS_SHOWN:
            sections.append(_trec_means(name, findings, are_chosen))
        if len(runs) == 1:
            sections.append(_unit_section(findings, name))
        for warning in list_warnings(findings):
            warned.setdefault(warning, []).append(name)
        verdicts.append(lists_verdict(findings, name if len(runs) > 1 else ""))
    first = next(iter(runs.values()))
    return Report(
        verdict="\n".join(verdicts),
        sections=tuple(sections),
        warnings=(
            *(f"{_name_runs(names, len(runs))}{warning}" for warning, names in warned.items()),
            *tie_warnings({name if len(runs) > 1 else "": each.lists for name, each in runs.items()}),
        ),
        provenance=provenance,
        numbers={
            "kind": "trec",
            "level": first.level,
            **(_list_numbers(first) if len(runs) == 1 else {}),
            "runs": {name: _list_numbers(run_findings) for name, run_findings in runs.items()},
        },
        charts=run_charts(runs),
        lead="queries" if len(runs) == 1 else "means",
    )


def _name_runs(names: Sequence[str], number: int) -> str:
    """Name the runs that a warning is about, of several."""
    if number == 1:
        return ""
    return "Each run: " if len(names) == number else f"{', '.join(names)}: "


def trec_name(spelling: str) -> str | None:
    """Return trec_eval's name for a measure with its tie rule, or None.

    >>> trec_name("precision@10(ties=trec)"), trec_name("precision@10")
    ('P_10', None)
    """
    written = Spelling.parse(spelling)
    if written.options.get("ties") != "trec":
        return None
    other_options = {name: value for name, value in written.options.items() if name != "ties"}
    return _OURS.get(str(Spelling(written.name, written.label, written.depth, other_options)))


def requested_name(spelling: str) -> str:
    """Return trec_eval's name for a measure of a run, or its spelling without the tie rule of all runs.

    >>> requested_name("precision@10(ties=trec)"), requested_name("judged@10(ties=trec)")
    ('P_10', 'judged@10')
    """
    written = Spelling.parse(spelling)
    options = {name: value for name, value in written.options.items() if (name, value) != ("ties", "trec")}
    name = str(Spelling(written.name, written.label, written.depth, options))
    return trec_name(spelling) or name


def tie_warnings(runs: Mapping[str, RankedLists]) -> list[str]:
    """Warn of runs with trec_eval's tie rule in which the names of tied documents decide a result."""
    texts = []
    for name, lists in runs.items():
        tied, decisive = tied_lists(lists) if lists.default_ties == "trec" else (0, 0)
        if decisive:
            run = f" of {name}" if name else ""
            texts.append(
                f"Scores{run} tie in {tied:,} of {lists.number:,} {plural(lists.number, 'query')}, and in "
                f"{decisive:,} of them the order of tied documents changes the result."
            )
    return [f"{' '.join(texts)} The higher id is ranked first, as in trec_eval."] if texts else []


def list_warnings(findings: ListFindings) -> tuple[str, ...]:
    """Write which queries are excluded from the means, and why."""
    lists, warnings = findings.lists, []
    rule = "excluded from the means"
    if lists.empty_is_zero:
        rule = "counted as 0, as in trec_eval; --no-targets drop excludes them"
    missing = "no relevant document" if findings.unit == "query" else "no target"
    exceptions = (
        (findings.without_targets, "", f"with {missing}", rule),
        (
            len(lists.absent),
            "judged ",
            "not in the run",
            "excluded from the means; --absent zero counts them as 0",
        ),
        (len(lists.unknown_queries), "", "of the run without judgements", "excluded"),
    )
    for number, adjective, which, consequence in exceptions:
        if number:
            unit = f"{adjective}{plural(number, findings.unit)}"
            warnings.append(f"{number:,} {unit} {which} {plural(number, 'is', 'are')} {consequence}.")
    if 1 < findings.counted < MIN_LISTS_FOR_COVERAGE and lists.clusters is None:
        too_few = findings.counted < MIN_LISTS_FOR_INTERVAL
        consequence = "too few for an interval of a mean" if too_few else "so intervals are approximate"
        warnings.append(f"Only {findings.counted} {plural(2, findings.unit)}, {consequence}.")
    return tuple(warnings)


def _side_by_side(runs: Mapping[str, ListFindings], are_chosen: bool) -> Section:
    """Tabulate one row per run and one column per measure."""
    every = next(iter(runs.values())).estimates
    names = [name for name in every if are_chosen or trec_name(name) in COMPARED_TREC]
    columns = make_columns("run/text", *(trec_name(name) or describe_measure(name) for name in names))
    rows = tuple(
        (run, *(finite_or_none(findings.estimates[name].value) for name in names))
        for run, findings in runs.items()
    )
    return Section("Means of the runs", (), (Grid("", columns, rows),), tuple(run_charts(runs)), is_main=True)


def _trec_means(name: str, findings: ListFindings, are_chosen: bool) -> Section:
    interval = f"{format_level(findings.level)} CI/interval"
    columns = make_columns("measure/measure", "trec_eval/text", "mean", interval)
    rows = tuple(
        (measure, trec_name(measure) or "", *estimate_row(estimate, findings.level)[1:3])
        for measure, estimate in findings.estimates.items()
        if are_chosen or trec_name(measure) in SHOWN_TREC
    )
    hidden = len(findings.estimates) - len(rows)
    note = f"{hidden} more {plural(hidden, 'measure is', 'measures are')} in the JSON" if hidden else ""
    return Section(f"Means of {name}", (), (Grid("", columns, rows, note),))


def _unit_section(findings: ListFindings, name: str = "") -> Section:
    """Tabulate the values of each query or fold."""
    shown = list(findings.estimates)[:4]
    columns = make_columns(f"{findings.unit}/text", *map(describe_measure, shown))
    rows = tuple(
        (str(query), *(finite_or_none(values[measure]) for measure in shown))
        for query, values in list(findings.queries.items())[:MAX_LISTS_SHOWN]
    )
    number = findings.lists.number
    note = f"The first {MAX_LISTS_SHOWN} of {number:,} {plural(2, findings.unit)}; the JSON has all" * (
        number > MAX_LISTS_SHOWN
    )
    title = f"{findings.unit.capitalize()} by {findings.unit}{f', {name}' if name else ''}"
    return Section(title, (), (Grid("", columns, rows, note),), tuple(list_charts(findings)))


def _list_numbers(findings: ListFindings) -> dict[str, object]:
    level, lists = findings.level, findings.lists
    return {
        "queries": {
            str(query): {name: value if isfinite(value) else None for name, value in values.items()}
            for query, values in findings.queries.items()
        },
        "means": {name: finite_or_none(x.value) for name, x in findings.estimates.items()},
        "measures": {
            name: {**x.to_dict(level), "trec_name": trec_name(name)} for name, x in findings.estimates.items()
        },
        "lists": {
            "counted": findings.counted,
            "without_targets": findings.without_targets,
            "absent": [str(query) for query in lists.absent],
            "unknown": [str(query) for query in lists.unknown_queries],
        },
        "is_conclusive": findings.is_conclusive if findings.lists.is_whole else None,
        "random_order": against_chance_to_dict(findings),
    }


SHOWN_RANKS = 50
"""Ranks of a list of hits that are shown one by one."""


def with_every_rank(report: Report, hits: Sequence[int]) -> Report:
    """Add h(t), r(t) and p(t) at each rank to a report on hits in rank order (Su & Zhang)."""
    items, targets = len(hits), sum(hits)
    rows = []
    for t, hit, hits_so_far in zip(range(1, items + 1), hits, accumulate(hits), strict=True):
        law = hits_law(items, targets, t)
        as_many = law.tail(hits_so_far).p_value
        rows.append((t, hit, hits_so_far, hits_so_far / targets, hits_so_far / t, law.mean, as_many))
    heads = ("rank t/count", "hit/count", "h(t)/count", "r(t)", "p(t)", "by chance", "P(chance)/probability")
    chance = "By chance: expected hits. P(chance): the probability that random selection finds as many"
    note = f"h: hits, r: recall, p: precision. {chance}"
    if items > SHOWN_RANKS:
        note += f". The first {SHOWN_RANKS} of {items:,} ranks; the JSON has all"
    grid = Grid("", make_columns(*heads), tuple(rows[:SHOWN_RANKS]), note)
    names = ("rank", "hit", "hits", "recall", "precision", "hits_by_chance", "probability_by_chance")
    numbers = [dict(zip(names, row, strict=True)) for row in rows]
    first, *rest = report.sections
    return replace(
        report,
        sections=(Section("Rank by rank", (), (grid,), is_main=True), first, *rest),
        numbers={**report.numbers, "rank_by_rank": numbers},
    )
