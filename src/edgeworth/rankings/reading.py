"""Scores, batch by batch, into a ranking.

While rows are few every score is kept, in one pass. Of more rows than that, a first pass keeps the scores of
the targets and a second one counts the rest between them: exact, with memory by the number of targets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.common.choices import WeightKind
from edgeworth.common.json_types import Terms
from edgeworth.core.cluster_codes import drop_unused_clusters
from edgeworth.core.labels import canonical_order, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, count_source
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.kind import LISTS, SCORES_BY_CLASS
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.ranking import Ranking, name_of_rest
from edgeworth.rankings.scores.background import GapCounts
from edgeworth.rankings.scores.by_class import (
    MAX_ROWS_WITH_EVERY_SCORE,
    CappedScoresByClass,
    ClassRows,
    MissingScore,
    ScoresByClass,
    rows_of_classes,
    target_of,
)
from edgeworth.rankings.scores.sorted_scores import Bins, as_bins, check_unit_range
from edgeworth.sources.batches import Batch, FoldingSource, Reducer, Source
from edgeworth.sources.column_roles import find_source, nothing_left_error
from edgeworth.sources.columns import Coded, Label
from edgeworth.sources.numbers import as_scores, as_weights


@dataclass(frozen=True)
class RowPolicy:
    """What the weights of rows mean, and what becomes of rows without a class or a score."""

    weight_kind: WeightKind | None
    missing: MissingScore


def tally_ranking(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    positive: Label | None = None,
    bins: Bins = None,
    missing: MissingScore = "error",
    most: int = MAX_ROWS_WITH_EVERY_SCORE,
) -> Ranking:
    """Fold a source into a ranking: a collapsed one when it has more than ``most`` rows.

    Rows are those with a class and a score.
    """
    policy = RowPolicy(weight_kind, missing)
    if bins is not None or "cluster" in columns:  # clusters need the score of every row
        reducer = scores_reducer(columns, weight_kind=weight_kind, bins=bins, missing=missing)
        by_class = reducer.fold(source)
        return _from_scores_by_class(source, columns, by_class, positive)

    def seen_with(most_rows: int) -> CappedScoresByClass:
        prepare = partial(_capped_scores, columns=columns, policy=policy, most=most_rows)
        return Reducer([*columns.values()], prepare, CappedScoresByClass(most_rows)).fold(source)

    # Rows that are elsewhere stay there until it is known that they are few.
    capped = seen_with(0 if isinstance(source, FoldingSource) else most)
    if not capped.is_whole and capped.total <= most:
        capped = seen_with(most)
    if capped.is_whole:
        return _from_scores_by_class(source, columns, capped.by_class(), positive)
    return _count_between_targets(source, columns, policy, positive, capped)


def _from_scores_by_class(
    source: Source, columns: dict[str, str], by_class: ScoresByClass, positive: Label | None
) -> Ranking:
    if not any(len(run.scores) for run in by_class.scores.values()):
        raise nothing_left_error(source.name, by_class.dropped, columns)
    return finalise_scores(by_class, {"positive": positive}, is_text=source.is_text)


def _names(labels: Collection[Label], *, is_text: bool) -> dict[Label, Label]:
    """Name the classes once all are known, because classes read as text may be numbers."""
    written = list(labels)
    return dict(zip(written, parse_labels(written) if is_text else written, strict=True))


def _count_between_targets(
    source: Source,
    columns: dict[str, str],
    policy: RowPolicy,
    positive: Label | None,
    capped: CappedScoresByClass,
) -> Ranking:
    """Read the rows a second time if they were too many to keep."""
    names = _names(capped.rows, is_text=source.is_text)
    labels = canonical_order(names.values())
    target = target_of(labels, positive)
    spellings = frozenset(written for written, name in names.items() if name == target)
    target_rows = sum(capped.rows[written] for written in spellings)
    rows, dropped = capped.total, capped.dropped
    names_read = list(columns.values())
    if not all(written in capped.kept for written in spellings):
        prepare = partial(_capped_scores, columns=columns, policy=policy, most=rows, spellings=spellings)
        capped = Reducer(names_read, prepare, CappedScoresByClass(rows)).fold(source)
    targets = capped.sorted_scores(spellings)
    del capped  # the scores it holds are needed no more
    edges = np.unique(targets.scores)
    counting = partial(_count_background, columns=columns, policy=policy, spellings=spellings, edges=edges)
    gaps = Reducer(names_read, counting, GapCounts(edges)).fold(source)
    if gaps.rows != rows - target_rows:
        raise InputError(f"{source.name} changed while it was read: read it again")
    background = gaps.scores
    if not len(targets.scores) and not len(background.scores):
        raise nothing_left_error(source.name, dropped, columns)
    negatives = [label for label in labels if label != target]
    return Ranking(targets, background, labels=(name_of_rest(negatives, target), target), dropped=dropped)


# -- one batch ---------------------------------------------------------------------------------------------


def _scores_of(batch: Batch, columns: dict[str, str]) -> Floats:
    return as_scores(batch.columns[columns["score"]], columns["score"], batch.first_row)


def _weights_of(batch: Batch, columns: dict[str, str]) -> Numbers | None:
    if "weight" not in columns:
        return None
    return as_weights(batch.columns[columns["weight"]], columns["weight"], batch.first_row)


def _classes_of(batch: Batch, columns: dict[str, str], policy: RowPolicy) -> tuple[list[ClassRows], int]:
    """Split a batch by class, and count the rows that were dropped."""
    return rows_of_classes(
        batch.columns[columns["truth"]],
        _scores_of(batch, columns),
        weights=_weights_of(batch, columns),
        weight_kind=policy.weight_kind,
        missing=policy.missing,
        first_row=batch.first_row,
    )


def _capped_scores(
    batch: Batch,
    columns: dict[str, str],
    policy: RowPolicy,
    most: int,
    spellings: Collection[Label] | None = None,
) -> CappedScoresByClass:
    """Return the scores of all classes, or of the classes with given spellings."""
    classes, dropped = _classes_of(batch, columns, policy)
    target_classes = (rows for rows in classes if spellings is None or rows[0] in spellings)
    return CappedScoresByClass.of_classes(target_classes, dropped, most)


def _scores_by_class(
    batch: Batch, columns: dict[str, str], policy: RowPolicy, bins: Floats | None, is_unit: bool
) -> ScoresByClass:
    scores = _scores_of(batch, columns)
    if is_unit:
        check_unit_range(scores)
    return ScoresByClass.from_columns(
        batch.columns[columns["truth"]],
        scores,
        weights=_weights_of(batch, columns),
        weight_kind=policy.weight_kind,
        bins=bins,
        missing=policy.missing,
        first_row=batch.first_row,
        clusters=batch.columns[columns["cluster"]] if "cluster" in columns else None,
    )


def _count_background(
    batch: Batch, columns: dict[str, str], policy: RowPolicy, spellings: Collection[Label], edges: Floats
) -> GapCounts:
    classes, _ = _classes_of(batch, columns, policy)
    parts = (GapCounts.of(edges, *rows[1:]) for rows in classes if rows[0] not in spellings)
    return sum(parts, GapCounts(edges))


def scores_reducer(
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    bins: Bins = None,
    missing: MissingScore = "error",
    is_text: bool = False,  # noqa: ARG001  # one signature for all kinds
) -> Reducer[ScoresByClass]:
    """Make the reducer that turns a batch into sorted scores of each class."""
    prepare = partial(
        _scores_by_class,
        columns=columns,
        policy=RowPolicy(weight_kind, missing),
        bins=as_bins(bins),
        is_unit=isinstance(bins, (int, np.integer)),
    )
    return Reducer(tuple(columns.values()), prepare, ScoresByClass())


def missing_scores(options: Options) -> MissingScore:
    """Return what a missing score means. It is never a decision to abstain."""
    missing = options["missing"]
    if missing == "abstain":
        raise OptionError('with scores, --missing (missing=) must be "error" or "drop"')
    return missing


def check_scores(options: Options) -> None:
    """Refuse a policy for missing values that scores do not have."""
    missing_scores(options)


def count_scores(
    source: Source | None, options: Options, *, is_final: bool
) -> Counted[Ranking | ScoresByClass]:
    """Fold scores into sorted scores of each class; when final, into a ranking that keeps the targets."""
    roles = select_options(options, ("truth", "score", "weight", "cluster"))
    if not is_final:
        reducer = partial(scores_reducer, bins=options["bins"], missing=missing_scores(options))
        return count_source(
            source, roles, SCORES_BY_CLASS.roles, options["weight_kind"], reducer, is_final=False
        )
    opened, columns = find_source(source, SCORES_BY_CLASS.roles, **roles)
    ranking = tally_ranking(
        opened,
        columns,
        weight_kind=options["weight_kind"],
        positive=options["positive"],
        bins=options["bins"],
        missing=missing_scores(options),
    )
    return Counted(ranking, opened.name, columns)


def finalise_scores(by_class: ScoresByClass, terms: Terms, *, is_text: bool) -> Ranking:
    """Make a ranking, now that all labels are known: those of text may be numbers, and one is the target."""
    by_class = by_class.rename(_names(by_class.scores, is_text=is_text))
    if is_text and by_class.clusters is not None:
        by_class = replace(by_class, clusters=by_class.clusters.rename(clusters=parse_labels))
    return Ranking.from_scores_by_class(by_class, positive=terms.get("positive"))


def check_queries(options: Options) -> None:
    """Refuse a policy for missing values that ranked lists do not have, and clusters of queries."""
    check_scores(options)
    if options["cluster"] is not None and options["fold"] is None:
        raise OptionError("cluster is not supported with queries")
    if options["missing"] != "error":
        lists = "queries" if options["fold"] is None else "folds of scores"
        raise OptionError(
            f"--missing {options['missing']} is not supported with {lists}: leave out such rows beforehand"
        )


def count_queries(source: Source | None, options: Options, *, is_final: bool) -> Counted[RankedLists]:
    """Fold scores into one ranked list per query."""
    roles = select_options(options, ("truth", "score", "query", "id", "cluster"))
    grade = 1 if options["relevant_from"] is None else options["relevant_from"]
    reducer = partial(lists_reducer, positive=options["positive"], relevant_from=grade)
    return count_source(source, roles, LISTS.roles, None, reducer, is_final=is_final)


def finalise_lists(lists: RankedLists, terms: Terms, *, is_text: bool) -> RankedLists:
    """Make queries of text numbers where every one of them is written so, now that all are known."""
    lists.check_positive(terms.get("positive"))
    if is_text and lists.clusters is not None:
        clusters = Coded(lists.clusters.codes, tuple(parse_labels(lists.clusters.labels)))
        lists = replace(lists, clusters=drop_unused_clusters(clusters))
    queries = tuple(parse_labels(lists.queries)) if is_text else lists.queries
    if queries == lists.queries or len(set(queries)) < len(queries):
        return lists
    return replace(lists, queries=queries).select(queries)


def lists_reducer(
    columns: dict[str, str],
    *,
    positive: Label | None = None,
    relevant_from: int = 1,
    is_text: bool = False,  # noqa: ARG001  # one signature for all kinds
    weight_kind: WeightKind | None = None,  # noqa: ARG001  # lists have no weights
) -> Reducer[RankedLists]:
    """Make the reducer that turns a batch into ranked lists; a batch may have no target."""
    prepare = partial(_lists, columns=columns, positive=positive, relevant_from=relevant_from)
    return Reducer(tuple(columns.values()), prepare, RankedLists.empty())


def _lists(batch: Batch, columns: dict[str, str], positive: Label | None, relevant_from: int) -> RankedLists:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    return RankedLists.from_columns(
        roles["truth"],
        roles["score"],
        roles["query"],
        roles.get("id"),
        positive=positive,
        relevant_from=relevant_from,
        first_row=batch.first_row,
        clusters=roles.get("cluster"),
    )
