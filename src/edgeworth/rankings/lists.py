"""Ranked lists: for each query its items with scores and grades, and what was judged but never retrieved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers, freeze
from edgeworth.core.cluster_codes import CLUSTERS, drop_unused_clusters, encode_clusters, join_clusters
from edgeworth.core.labels import canonical_order, find_label, label_positions, merge_labels
from edgeworth.core.serialization import (
    COUNT,
    FLAG,
    FLOATS,
    INTEGERS,
    LABELS,
    TEXT,
    Field,
    Serializable,
    list_of,
    object_of,
    optional,
)
from edgeworth.errors import InputError, MergeError, check_whole
from edgeworth.rankings.kind import LISTS
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.rankings.trec.files import Qrels, TrecRun, read_qrels, read_run
from edgeworth.rankings.trec.identifiers import Identifiers, look_up, texts_of
from edgeworth.rankings.trec.judgements import (
    UNJUDGED,
    Judged,
    Places,
    are_starts,
    as_grades,
    as_ids,
    as_list_scores,
    check_ids,
    group_codes,
    group_rows,
    list_numbers,
)
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import MISSING, Coded, Column, Label, as_column, check_not_missing

_TEXTS = list_of(TEXT)


def both_classes(targets: Places, sizes: Places, *, least: int = 2) -> NDArray[np.bool_]:
    """Find the folds with targets and others, from the numbers of targets and of all cases.

    Two such folds are needed to see how folds differ, and one if the cases are what varies.
    """
    has_both = (targets > 0) & (targets < sizes)
    if has_both.sum() < least:
        raise InputError(
            f"{has_both.sum()} of {len(sizes):,} folds hold both targets and other items; at least {least} "
            f"{'is' if least == 1 else 'are'} needed. Leave-one-out folds cannot be ranked within"
        )
    return has_both


@dataclass(frozen=True, eq=False)
class RankedLists(Serializable):
    """Ranked lists: the items of each query, with their scores and grades.

    Attributes
    ----------
    queries : tuple
        The queries. The list of ``queries[i]`` is the slice ``starts[i]:starts[i + 1]`` of scores, grades and
        ids.
    starts : array of int
        Where each list starts.
    scores : array of float
        The score of each item.
    grades : array of int
        The grade of each item. A grade of at least ``relevant_from`` makes a target; −1 marks an item without
        a judgement.
    ids : array of str, optional
        The document of each item.
    judged : Judged, optional
        The judged documents of a search run, including those that were never retrieved. None if the items are
        all there are.
    relevant_from : int
        The smallest grade that makes a target.
    unknown_queries : tuple
        Queries of a run without judgements, which are left out.
    dropped : int
        The number of rows that were dropped for missing values.
    empty_is_zero : bool
        Whether a query without targets counts as 0 in a mean, as in trec_eval. Otherwise it is left out.

    Examples
    --------
    >>> lists = RankedLists.from_scores([1, 0, 2, 0], [0.3, 0.9, 0.5, 0.1], groups=["a", "a", "b", "b"])
    >>> lists.number, lists.sizes.tolist(), lists.targets.tolist(), lists.rejected.tolist()
    (2, [2, 2], [1, 1], [1, 1])
    >>> lists.is_target.tolist(), lists.is_whole, lists.absent
    ([True, False, True, False], True, ())
    """

    kind: ClassVar = LISTS
    name_in_files: ClassVar = LISTS.name
    FIELDS: ClassVar = {
        "queries": LABELS,
        "starts": INTEGERS,
        "scores": FLOATS,
        "grades": INTEGERS,
        "ids": optional(
            Field("a list of text", lambda ids: as_ids(as_column(_TEXTS.load(ids), "ids")), texts_of)
        ),
        "judged": optional(object_of(Judged)),
        "relevant_from": COUNT,
        "unknown_queries": LABELS,
        "dropped": COUNT,
        "empty_is_zero": FLAG,
        "clusters": replace(optional(CLUSTERS), is_brief=True, default=None),
    }

    queries: tuple[Label, ...]
    starts: Places
    scores: Floats
    grades: Integers
    ids: Identifiers | None = None
    judged: Judged | None = None
    relevant_from: int = 1
    unknown_queries: tuple[Label, ...] = ()
    """Queries of a run without judgements, which are left out."""
    dropped: int = 0
    empty_is_zero: bool = False
    """A query without targets counts as 0 in a mean, as in trec_eval; otherwise it is left out."""
    clusters: Coded | None = None
    """The cluster of each item."""

    def __post_init__(self) -> None:
        columns = (self.scores, self.grades, self.ids, self.clusters)
        sizes = {len(column) for column in columns if column is not None}
        if len(sizes) > 1 or not are_starts(self.starts, len(self.queries), len(self.scores)):
            raise InputError("the queries, starts and items of ranked lists do not fit together")
        if np.isnan(self.scores).any() or (self.grades.size and int(self.grades.min()) < UNJUDGED):
            raise InputError("ranked lists have numbers as scores, and grades of at least -1 (unjudged)")
        if self.judged is not None and not set(self.queries) <= set(self.judged.queries):
            raise InputError("ranked lists of a run hold judged queries only")
        freeze(self.starts, self.scores, self.grades, self.ids)
        freeze(None if self.clusters is None else self.clusters.codes)

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls) -> Self:
        """Make the lists of no query.

        :meta private:
        """
        nothing = np.zeros(0)
        return cls((), np.zeros(1, dtype=np.intp), nothing, nothing.astype(np.int64))

    @classmethod
    @aligned
    def from_scores(
        cls,
        truth: object,
        scores: object,
        *,
        groups: object,
        ids: object = None,
        positive: Label | None = None,
        relevant_from: int = 1,
        clusters: object = None,
    ) -> Self:
        """Rank the items of each query by their scores.

        Parameters
        ----------
        truth : array_like
            Booleans, 0 and 1, whole grades (0 is background), or labels with the ``positive`` one named.
        scores : array_like
            The score of each item; the higher ranks first.
        groups : array_like
            The query of each row. Rows of a query need not stand together.
        ids : array_like, optional
            The document of each row, by which trec_eval breaks ties.
        positive : label, optional
            The label that makes a target.
        relevant_from : int
            The smallest grade that makes a target.
        clusters : array_like, optional
            The cluster of each row, if groups are the folds of cross-validation and rows are not independent:
            several rows per patient, or repeated predictions for one row.

        Returns
        -------
        RankedLists
            One list per query.

        Examples
        --------
        >>> lists = RankedLists.from_scores([1, 0, 2], [0.3, 0.9, 0.5], groups=["a", "a", "b"])
        >>> lists.queries, lists.targets.tolist()
        (('a', 'b'), [1, 1])
        """
        lists = cls.from_columns(
            as_column(truth, "truth"),
            as_column(scores, "scores"),
            as_column(groups, "groups"),
            None if ids is None else as_column(ids, "ids"),
            positive=positive,
            relevant_from=relevant_from,
            clusters=None if clusters is None else as_column(clusters, "clusters"),
        )
        if lists.number == 0:
            raise InputError("there are no rows: truth and scores are empty")
        lists.check_positive(positive)
        return lists

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        scores: Column,
        groups: Column,
        ids: Column | None = None,
        *,
        positive: Label | None = None,
        relevant_from: int = 1,
        first_row: int = 1,
        clusters: Column | None = None,
    ) -> Self:
        """Rank one batch of columns, without the checks that need all rows.

        :meta private:
        """
        check_whole(relevant_from, "relevant_from", 1)
        lengths = {"truth": truth, "scores": scores, "groups": groups, "ids": ids, "clusters": clusters}
        check_lengths(lengths)
        grades, values = as_grades(truth, positive, first_row), as_list_scores(scores, first_row)
        grouped = group_rows(groups, first_row)
        item_ids = None if ids is None else as_ids(ids, first_row)[grouped.order]
        if item_ids is not None:
            check_ids(grouped.queries, grouped.starts, item_ids, are_folds=clusters is not None)
        cluster = None if clusters is None else encode_clusters(clusters)
        if cluster is not None:
            check_not_missing(cluster.codes == MISSING, "the cluster", first_row)
        return cls(
            grouped.queries,
            grouped.starts,
            values[grouped.order],
            grades[grouped.order],
            item_ids,
            relevant_from=relevant_from,
            clusters=None if cluster is None else cluster[grouped.order],
        )

    @classmethod
    def from_qrels(
        cls, qrels: Qrels, run: TrecRun, *, relevant_from: int = 1, empty_is_zero: bool = True
    ) -> Self:
        """Rank the documents of a run (``read_run``), judged by qrels (``read_qrels``).

        Documents without a judgement, or with a negative grade, are unjudged: background to every measure but
        bpref. Judged documents that the run does not have count as never retrieved. A query without
        judgements is left out (``unknown_queries``), and a query without a list is ``absent``. A query
        without a target counts as 0 in means, as in trec_eval, unless ``empty_is_zero`` is False.

        :meta private:
        """
        check_whole(relevant_from, "relevant_from", 1)
        queries = canonical_order(qrels.query.labels)
        judged_query = label_positions(qrels.query.labels, queries)[qrels.query.codes]
        query_index = {label: index for index, label in enumerate(queries)}
        query = np.array([query_index.get(label, -1) for label in run.query.labels], np.intp)[run.query.codes]
        documents, scores = run.document, run.score
        unknown = canonical_order(label for label in run.query.labels if label not in query_index)
        if unknown:
            is_known = query >= 0
            query, documents, scores = query[is_known], documents[is_known], scores[is_known]
        judgement_index = look_up(query, documents, judged_query, qrels.document)
        # The last entry is for documents without a judgement, and a negative grade means the same.
        grades = np.maximum(np.append(qrels.grade, UNJUDGED), UNJUDGED)[judgement_index]
        has_list = np.bincount(query, minlength=len(queries)) > 0
        code = (np.cumsum(has_list) - 1)[query]
        grouped = group_codes(code, tuple(queries[index] for index in np.flatnonzero(has_list).tolist()))
        return cls(
            grouped.queries,
            grouped.starts,
            scores[grouped.order].astype(np.float64),
            grades[grouped.order],
            documents[grouped.order],
            Judged.count(judged_query, qrels.grade, queries),
            relevant_from,
            unknown,
            empty_is_zero=empty_is_zero,
        )

    @classmethod
    def from_trec(
        cls, qrels: str | Path, run: str | Path, *, relevant_from: int = 1, empty_is_zero: bool = True
    ) -> Self:
        r"""Read a search run and its judgements from files in TREC's formats.

        Parameters
        ----------
        qrels : str or Path
            The file of judgements: query, iteration, document, grade.
        run : str or Path
            The file of results: query, Q0, document, rank, score, name.
        relevant_from : int
            The smallest grade that makes a target.
        empty_is_zero : bool
            Whether a query without a target counts as 0 in means, as in trec_eval. Otherwise it is left out.

        Returns
        -------
        RankedLists
            One list per judged query.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     qrels, run = Path(folder, "qrels"), Path(folder, "run")
        ...     lines = qrels.write_text("q1 0 d1 1\nq1 0 d2 0\n")
        ...     lines = run.write_text("q1 Q0 d2 1 0.9 mine\nq1 Q0 d1 2 0.4 mine\n")
        ...     lists = RankedLists.from_trec(qrels, run)
        >>> lists.targets.tolist()
        [1]
        """
        return cls.from_qrels(
            read_qrels(qrels), read_run(run), relevant_from=relevant_from, empty_is_zero=empty_is_zero
        )

    def check_positive(self, positive: Label | None) -> None:
        """Raise an error if no row has the positive label.

        :meta private:
        """
        if positive is not None and not self.grades.any():
            raise InputError(f"no row's truth is {positive!r}, the label that you passed as positive")

    # -- what they hold --------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The number of lists."""
        return len(self.queries)

    @property
    def is_whole(self) -> bool:
        """Whether the items are all there are; False for search runs, whose collection is unknown."""
        return self.judged is None

    @property
    def default_ties(self) -> str | None:
        """The tie rule of reports and comparisons: trec_eval's for runs, or None.

        :meta private:
        """
        return None if self.is_whole or self.ids is None else "trec"

    @property
    def absent(self) -> tuple[Label, ...]:
        """The queries that were judged, but have no list."""
        if self.judged is None:
            return ()
        present = set(self.queries)
        return tuple(query for query in self.judged.queries if query not in present)

    @cached_property
    def sizes(self) -> Places:
        """The number of items in each list."""
        return np.diff(self.starts)

    def items_of(self, lists: Places) -> tuple[Places, Places]:
        """Return the items of some lists, one list after the other, and where each list starts among them.

        :meta private:
        """
        sizes = self.sizes[lists]
        starts = np.append(0, np.cumsum(sizes)).astype(np.intp)
        return starts, np.arange(starts[-1]) + np.repeat(self.starts[lists] - starts[:-1], sizes)

    def count(self, is_counted: NDArray[np.bool_]) -> Places:
        """Count the items of each list that the mask marks.

        :meta private:
        """
        return np.diff(np.searchsorted(np.flatnonzero(is_counted), self.starts))

    @cached_property
    def is_target(self) -> NDArray[np.bool_]:
        """Whether each item is a target."""
        return np.asarray(self.grades >= self.relevant_from)

    @cached_property
    def lost(self) -> tuple[Places, Integers]:
        """The list and the grade of each target that was never retrieved.

        :meta private:
        """
        if self.judged is None:
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int64)
        missing = self.judged.select(self.queries).without(list_numbers(self.starts), self.grades)
        lost = np.where(missing.grades >= self.relevant_from, missing.numbers, 0)
        return np.repeat(missing.list_of, lost), np.repeat(missing.grades, lost)

    @cached_property
    def targets(self) -> Places:
        """The number of targets of each query, including those never retrieved."""
        return self.count(self.is_target) + np.bincount(self.lost[0], minlength=self.number)

    @property
    def rejected(self) -> Places:
        """The number of items of each query that were judged not to be targets, retrieved or not."""
        if self.judged is None:
            return self.sizes - self.targets - self.count(self.grades == UNJUDGED)
        judged = self.judged.select(self.queries)
        below = np.where(judged.grades < self.relevant_from, judged.numbers, 0)
        return np.bincount(judged.list_of, weights=below, minlength=self.number).astype(np.intp)

    # -- other lists from these ------------------------------------------------------------------------

    def select(self, queries: Iterable[Label]) -> Self:
        """Select the lists of some queries.

        Parameters
        ----------
        queries : iterable
            The queries to keep.

        Returns
        -------
        RankedLists
            Their lists, in canonical order.

        Examples
        --------
        >>> lists = RankedLists.from_scores([1, 0, 2, 0], [0.3, 0.9, 0.5, 0.1], groups=["a", "a", "b", "b"])
        >>> lists.select(["b"]).queries
        ('b',)
        """
        names = set(self.queries)
        chosen = canonical_order(
            query if query in names else self.queries[find_label(query, self.queries)] for query in queries
        )
        if chosen == self.queries and not self.absent:
            return self
        starts, rows = self.items_of(label_positions(chosen, self.queries))
        return replace(
            self,
            queries=chosen,
            starts=starts,
            scores=self.scores[rows],
            grades=self.grades[rows],
            ids=None if self.ids is None else self.ids[rows],
            judged=None if self.judged is None else self.judged.select(chosen),
            clusters=None if self.clusters is None else drop_unused_clusters(self.clusters[rows]),
        )

    def with_both_classes(self) -> Self:
        """Select the lists that have targets and other items; nothing can be ranked in the rest.

        :meta private:
        """
        least = 2 if self.clusters is None else 1
        return self.select(compress(self.queries, both_classes(self.targets, self.sizes, least=least)))

    def with_absent(self) -> Self:
        """Add an empty list for each absent query, so that it counts in means (``trec_eval -c``).

        Returns
        -------
        RankedLists
            All judged queries.

        Examples
        --------
        >>> lists = RankedLists.from_scores([1, 0], [0.3, 0.9], groups=["a", "a"])
        >>> lists.with_absent() == lists
        True
        """
        if self.judged is None or not self.absent:
            return self
        sizes = np.zeros(len(self.judged.queries), dtype=np.intp)
        sizes[label_positions(self.queries, self.judged.queries)] = self.sizes
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
        return replace(self, queries=self.judged.queries, starts=starts)

    def pooled(self) -> Ranking:
        """Put all items of all queries in one ranking. Scores must be comparable between lists.

        Returns
        -------
        Ranking
            The ranking.

        Examples
        --------
        >>> lists = RankedLists.from_scores([1, 0, 2, 0], [0.3, 0.9, 0.5, 0.1], groups=["a", "a", "b", "b"])
        >>> lists.pooled()
        <Ranking: 2 targets among 4 items>
        """
        return Ranking(
            SortedScores.of(self.scores[self.is_target]),
            SortedScores.of(self.scores[~self.is_target]),
            len(self.lost[0]),
            (0, 1),
        )

    def with_threshold(self, relevant_from: int) -> Self:
        """Change the smallest grade that makes a target.

        Parameters
        ----------
        relevant_from : int
            The new smallest grade.

        Returns
        -------
        RankedLists
            The same items.

        Examples
        --------
        >>> lists = RankedLists.from_scores([1, 0, 2, 0], [0.3, 0.9, 0.5, 0.1], groups=["a", "a", "b", "b"])
        >>> lists.with_threshold(2).targets.tolist()
        [0, 1]
        """
        return self if relevant_from == self.relevant_from else replace(self, relevant_from=relevant_from)

    def __add__(self, other: Self) -> Self:
        """Combine the queries; a query that is in both has the items of both, one after the other."""
        if not isinstance(other, RankedLists):
            return NotImplemented
        if self._is_empty or other._is_empty:
            return other if self._is_empty else self
        for own_rule, other_rule in zip(self._rules, other._rules, strict=True):
            if own_rule != other_rule:
                raise MergeError(
                    f"these ranked lists cannot be added: one has {own_rule}, the other {other_rule}"
                )
        queries = merge_labels(self.queries, other.queries)
        codes = np.concatenate(
            [label_positions(side.queries, queries)[list_numbers(side.starts)] for side in (self, other)]
        )
        grouped = group_codes(codes, queries)
        judged = None if self.judged is None or other.judged is None else self.judged + other.judged
        judged_queries = set() if judged is None else set(judged.queries)
        unknown = canonical_order(self.unknown_queries + other.unknown_queries)
        ids = None if self.ids is None or other.ids is None else np.concatenate((self.ids, other.ids))
        clusters = None
        if self.clusters is not None and other.clusters is not None:
            clusters = join_clusters(self.clusters, other.clusters)[grouped.order]
        merged = replace(
            self,
            queries=queries,
            starts=grouped.starts,
            scores=np.concatenate((self.scores, other.scores))[grouped.order],
            grades=np.concatenate((self.grades, other.grades))[grouped.order],
            ids=None if ids is None else ids[grouped.order],
            judged=judged,
            unknown_queries=tuple(query for query in unknown if query not in judged_queries),
            dropped=self.dropped + other.dropped,
            clusters=clusters,
        )
        common = set(self.queries) & set(other.queries)
        if common and ids is not None:
            overlap = replace(merged, judged=None).select(common)
            check_ids(
                overlap.queries, overlap.starts, np.asarray(overlap.ids), are_folds=clusters is not None
            )
        return merged

    # -- plain values ----------------------------------------------------------------------------------

    rule: ClassVar = "queries are all different and in canonical order, and a target has grade 1 at least"

    def _fits_together(self) -> bool:
        if self.ids is not None:
            check_ids(self.queries, self.starts, self.ids)
        _ = self.lost  # refuses lists that hold more than was judged
        if self.clusters is not None:
            used, names = np.unique(self.clusters.codes), self.clusters.labels
            if not np.array_equal(used, np.arange(len(names))) or len(set(names)) < len(names):
                return False
        return self.relevant_from >= 1 and canonical_order(self.queries) == self.queries

    def __repr__(self) -> str:
        lists = f"{self.number:,} list{'s' if self.number != 1 else ''}"
        return f"<RankedLists: {lists}, {len(self.scores):,} items, {int(self.targets.sum()):,} targets>"

    @property
    def _is_empty(self) -> bool:
        judged = () if self.judged is None else self.judged.queries
        return not (self.queries or judged or self.unknown_queries or self.dropped)

    @property
    def _rules(self) -> tuple[str, ...]:
        """Describe what lists must have in common to be added."""
        return (
            f"targets from grade {self.relevant_from}",
            "all items" if self.is_whole else "the items that a run retrieved",
            f"items {'without' if self.ids is None else 'with'} ids",
            f"items {'without' if self.clusters is None else 'with'} clusters",
            f"queries without targets {'counted as 0' if self.empty_is_zero else 'left out'}",
        )

    @property
    def has_cases(self) -> bool:
        """Whether there is any item.

        :meta private:
        """
        return self.number > 0

    def facts(self) -> dict[str, object]:
        """List what was counted.

        :meta private:
        """
        return {"lists": self.number, "items": len(self.scores), "targets": int(self.targets.sum())}
