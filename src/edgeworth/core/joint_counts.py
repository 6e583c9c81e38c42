"""Count how often combinations of labels occur together, for every tally of decisions.

Rows are taken in blocks. Each block is counted by itself on codes joined into one whole number per row
(``np.bincount`` where the combinations are few, ``np.unique`` where they are many), and only the small
result is translated to labels and added up. Missing values are counted as a label of their own, so what
to do about them is decided afterwards, on counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, AnyArray, Floats, Integers, Numbers
from edgeworth.common.json_types import JsonObject
from edgeworth.common.threads import row_blocks
from edgeworth.core.labels import canonical_label, canonical_order, label_positions
from edgeworth.core.serialization import AMOUNTS, COUNTS, LABELS, NUMBERS, optional, reshape_array, tuple_of
from edgeworth.errors import InputError
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import BLOCK_ROWS, Coded, Column, Label, encode
from edgeworth.sources.numbers import check_weights

MAX_DENSE_CELLS = 1 << 16
"""Up to this many combinations are counted in a full array, however few the rows."""

MAX_DENSE_CELLS_IF_MANY_ROWS = 1 << 20
"""Up to this many combinations are counted in a full array if there are as many rows."""

MAX_CODE = 1 << 62
"""A larger code does not fit into an integer."""


@dataclass(frozen=True, eq=False)
class JointCounts:
    """For each combination of labels that occurred: rows, weight and squared weight.

    ``keys[i, c]`` is 0 when column c is missing and otherwise 1 + the position of its label in
    ``labels[domains[c]]``. Columns of one domain share their labels.
    """

    domains: tuple[int, ...]
    labels: tuple[tuple[Label, ...], ...]
    keys: NDArray[np.intp]
    rows: Integers
    weight: Numbers
    square: Floats | None

    @classmethod
    def of_fields(cls, payload: JsonObject, domains: tuple[int, ...]) -> Self:
        """Remove the counts from the loaded fields of a tally, and check them."""
        parts = {
            field.removeprefix("joint."): payload.pop(field) for field in [*payload] if "joint." in field
        }
        parts["keys"] = reshape_array(parts["keys"], len(parts["rows"]), len(domains)).astype(np.intp)
        joint = cls(domains, **parts)
        sizes = [len(labels) for labels in joint.labels]
        shape, square = joint.rows.shape, joint.square
        fits = (
            len(sizes) == max(domains) + 1
            and len(shape) == 1
            and [len(set(labels)) for labels in joint.labels] == sizes
            and not np.any(joint.keys > [sizes[domain] for domain in domains])
            and joint.weight.shape == shape
            and (square is None or square.shape == shape)
            and (not len(joint.rows) or (square is not None) == (joint.weight.dtype.kind == "f"))
        )
        if not fits:
            raise InputError("the labels, keys, rows and weights of a tally do not fit together")
        return joint

    @classmethod
    def empty(cls, domains: tuple[int, ...]) -> Self:
        """Make the counts of no rows."""
        none = np.zeros(0, dtype=np.int64)
        labels: tuple[tuple[Label, ...], ...] = ((),) * (max(domains) + 1)
        return cls(domains, labels, np.zeros((0, len(domains)), dtype=np.intp), none, none, None)

    def __add__(self, other: Self) -> Self:
        """Add the rows of both."""
        gatherer = _Gatherer(self.domains)
        for joint in (self, other):
            labels = [joint.labels[domain] for domain in joint.domains]
            gatherer.add(labels, joint.keys, (joint.rows, joint.weight, joint.square))
        return type(self)(**vars(gatherer.result()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointCounts):
            return NotImplemented
        return (self.domains, self.labels) == (other.domains, other.labels) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("keys", "rows", "weight", "square")
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def select(self, keep: NDArray[np.bool_]) -> JointCounts:
        """Select some of the combinations, and the labels that occur in them."""
        square = None if self.square is None else self.square[keep]
        return replace(
            self, keys=self.keys[keep], rows=self.rows[keep], weight=self.weight[keep], square=square
        ).in_order()

    def in_order(self) -> JointCounts:
        """Put combinations in the order of their keys, each once, with only labels that occur."""
        return self + JointCounts.empty(self.domains)

    def add_equal(self) -> JointCounts:
        """Put combinations in the order of their keys, each once, with the labels as they are."""
        return _compact(self)

    def with_missing(self, wanted: Collection[Label], columns: Sequence[int]) -> JointCounts:
        """Replace labels that stand for a missing value in some columns by missing values."""
        keys = self.keys.copy()
        for column in columns:
            labels = self.labels[self.domains[column]]
            missing_keys = [labels.index(label) + 1 for label in wanted if label in labels]
            keys[np.isin(keys[:, column], missing_keys), column] = 0
        return replace(self, keys=keys).in_order()

    def labels_seen(self, column: int) -> set[Label]:
        """Find the labels that occur in one column."""
        labels = self.labels[self.domains[column]]
        return {labels[key - 1] for key in np.setdiff1d(self.keys[:, column], 0)}

    def as_counts(self) -> JointCounts:
        """Convert sums of whole weights to counts of cases."""
        return replace(self, weight=whole_counts(self.weight), square=None)


def whole_counts(sums: Numbers) -> Numbers:
    """Convert sums of whole weights to integers; they are floats until all shards are added."""
    # A sum that rounding has brought down to the limit may have been beyond it.
    if sums.size and sums.max() >= MAX_EXACT_INTEGER:
        raise InputError(
            f"weights of one kind of case add up to {sums.max():.3g}, beyond the whole numbers that a tally "
            'file holds exactly: pass weight_kind="counts" (--weight-kind counts)'
        )
    if np.any(sums % 1):
        raise InputError("weights are declared as whole numbers, but their sums are not whole")
    return sums.astype(np.int64)


JOINT_FIELDS = {
    "labels": tuple_of(LABELS).of("joint.labels"),
    "keys": COUNTS.of("joint.keys"),
    "rows": COUNTS.of("joint.rows"),
    "weight": NUMBERS.of("joint.weight"),
    "square": optional(AMOUNTS).of("joint.square"),
}
"""The fields of a tally that holds joint counts."""


def count_joint(
    columns: Sequence[Column],
    weights: Numbers | None = None,
    *,
    names: Sequence[str],
    domains: Sequence[int] | None = None,
    first_row: int = 1,
    repeats: Integers | None = None,
) -> JointCounts:
    """Count the combinations of labels in columns of equal length.

    ``weights`` of an integer type are frequencies and stay integers; floats keep Σw² beside Σw. ``repeats``
    gives the number of rows, of weight 1, that each row represents if an engine has counted them.
    """
    if repeats is not None:
        assert weights is None, "rows that weigh differently are not counted together"
        counted = count_joint(columns, repeats, names=names, domains=domains, first_row=first_row)
        return replace(counted, rows=counted.weight.astype(np.int64, copy=False))
    domain = tuple(domains) if domains is not None else (0,) * len(columns)
    given = dict(zip(names, columns, strict=True)) | ({} if weights is None else {"weights": weights})
    number = check_lengths(given)
    gatherer, dense = _Gatherer(domain), None
    numbered = [_number_integers(column) for column in columns]
    known = [column.labels for column in numbered if not isinstance(column, np.ndarray)]
    size = prod(len(labels) + 1 for labels in known)
    is_dense = len(known) == len(columns) and size <= max(
        MAX_DENSE_CELLS, min(MAX_DENSE_CELLS_IF_MANY_ROWS, number)
    )
    # A block has at least as many rows as there are sums to add it to.
    for rows in row_blocks(number, max(BLOCK_ROWS, size) if is_dense else BLOCK_ROWS) if number else ():
        weight = None if weights is None else weights[rows]
        if weight is not None:
            check_weights(weight, first_row + rows.start)
        coded = [encode(column[rows], name) for column, name in zip(numbered, names, strict=True)]
        if is_dense:
            sums = _sums(_join_codes(coded), weight, size)
            dense = sums if dense is None else _add_sums(dense, sums)
        else:
            gatherer.add([column.labels for column in coded], *_count_block(coded, weight))
    if dense is not None:
        gatherer.add(known, *_occupied(dense, known))
    return gatherer.result()


@dataclass(frozen=True)
class _Numbered:
    """Integers within a narrow range, which are numbered by subtraction: no sorting, no dictionary."""

    values: AnyArray
    low: int
    labels: tuple[Label, ...]

    def __getitem__(self, rows: slice) -> Coded:  # type: ignore[explicit-any]  # what a slice holds
        values = self.values[rows]
        if not self.low:
            return Coded(values.astype(np.intp, copy=False), self.labels)
        return Coded(np.subtract(values, self.low, dtype=np.intp), self.labels)


def _number_integers(column: Column) -> Column | _Numbered:
    if not isinstance(column, np.ndarray) or not column.size or not np.can_cast(column.dtype, np.intp):
        return column
    low, high = column.min().item(), column.max().item()
    if high - low >= MAX_DENSE_CELLS:
        return column
    values = column.view(np.uint8) if column.dtype.kind == "b" else column
    return _Numbered(values, int(low), tuple(map(type(low), range(low, high + 1))))


def _join_codes(columns: Sequence[Coded]) -> NDArray[np.intp]:
    """Make one number per row of its keys, which are 1 + codes (NumPy's own function allows 64 columns)."""
    codes = columns[0].codes + 1
    for column in columns[1:]:
        codes *= len(column.labels) + 1
        codes += column.codes
        codes += 1
    return codes


def _split_codes(codes: NDArray[np.intp], labels: Sequence[Sequence[Label]]) -> NDArray[np.intp]:
    """Compute the keys back from their number."""
    keys = np.empty((len(codes), len(labels)), dtype=np.intp)
    for column in reversed(range(len(labels))):
        codes, keys[:, column] = np.divmod(codes, len(labels[column]) + 1)
    return keys


def _count_block(columns: Sequence[Coded], weight: Numbers | None) -> tuple[NDArray[np.intp], _Sums]:
    """Find the keys that occur in a block, and sum their rows."""
    labels = [column.labels for column in columns]
    size = prod(len(names) + 1 for names in labels)
    if size <= MAX_DENSE_CELLS:
        return _occupied(_sums(_join_codes(columns), weight, size), labels)
    if size <= MAX_CODE:
        present, groups = np.unique(_join_codes(columns), return_inverse=True)
        return _split_codes(present, labels), _sums(groups, weight, len(present))
    # One integer cannot hold a combination of this many columns.
    rows = np.stack([column.codes + 1 for column in columns], axis=1)
    keys, groups = np.unique(rows, axis=0, return_inverse=True)
    return keys, _sums(groups.reshape(-1), weight, len(keys))


_Sums: TypeAlias = tuple[Integers, Numbers, Floats | None]


def _sums(groups: NDArray[np.intp], weight: Numbers | None, size: int) -> _Sums:
    """Sum rows, weight and squared weight of each group."""
    rows = np.bincount(groups, minlength=size).astype(np.int64, copy=False)
    if weight is None:
        return rows, rows, None
    if weight.dtype.kind == "f":
        total, square = (np.bincount(groups, weights=w, minlength=size) for w in (weight, weight * weight))
        return rows, total, square.astype(np.float64, copy=False)
    if int(weight.sum()) < MAX_EXACT_INTEGER:
        return rows, np.bincount(groups, weights=weight, minlength=size).astype(np.int64), None
    exact = np.zeros(size, dtype=np.int64)
    np.add.at(exact, groups, weight)
    return rows, exact, None


def _add_sums(left: _Sums, right: _Sums) -> _Sums:
    square = None if left[2] is None or right[2] is None else left[2] + right[2]
    return left[0] + right[0], left[1] + right[1], square


def _occupied(sums: _Sums, labels: Sequence[Sequence[Label]]) -> tuple[NDArray[np.intp], _Sums]:
    """Find the keys that occur, and their sums, in a full array of them."""
    rows, weight, square = sums
    present = np.flatnonzero(rows)
    kept = rows[present], weight[present], None if square is None else square[present]
    return _split_codes(present, labels), kept


class _Gatherer:
    """Adds up blocks, translating each block's labels to common ones."""

    def __init__(self, domains: tuple[int, ...]) -> None:
        self.domains = domains
        self.index: list[dict[Label, int]] = [{} for _ in range(max(domains) + 1)]
        self.has_numbers = [False] * len(self.index)
        self.parts: list[JointCounts] = []
        self.waiting = 0

    def add(self, labels: Sequence[Sequence[Label]], keys: NDArray[np.intp], sums: _Sums) -> None:
        """Add combinations, whose keys are of the labels of each column."""
        columns = []
        for domain, names, column in zip(self.domains, labels, keys.T, strict=True):
            index = self.index[domain]
            self.has_numbers[domain] |= any(
                isinstance(name, (int, float)) and not isinstance(name, bool) for name in names
            )
            translate = [0, *(index.setdefault(label, len(index)) + 1 for label in names)]
            columns.append(np.array(translate, dtype=np.intp)[column])
        self.parts.append(JointCounts(self.domains, (), np.stack(columns, axis=1), *sums))
        self.waiting += len(keys)
        if self.waiting > 4 * MAX_DENSE_CELLS:
            self.parts = [_compact(_joined(self.parts))]
            self.waiting = 0

    def result(self) -> JointCounts:
        """Return the counts of all blocks, with canonical labels and each combination once."""
        if not self.parts:
            return JointCounts.empty(self.domains)
        part = _joined(self.parts)
        labels = []
        columns = [part.keys[:, column] for column in range(len(self.domains))]
        for domain, index in enumerate(self.index):
            of_domain = [column for column, number in enumerate(self.domains) if number == domain]
            seen = np.setdiff1d([columns[column] for column in of_domain], 0)
            names = [
                int(name) if self.has_numbers[domain] and isinstance(name, bool) else name for name in index
            ]
            present = [names[code - 1] for code in seen]
            order = canonical_order(present)
            translate = np.zeros(len(names) + 1, dtype=np.intp)
            translate[seen] = label_positions(map(canonical_label, present), order) + 1
            for column in of_domain:
                columns[column] = translate[columns[column]]
            labels.append(order)
        return _compact(replace(part, labels=tuple(labels), keys=np.stack(columns, axis=1)))


def _joined(parts: list[JointCounts]) -> JointCounts:
    """Put combinations one after the other."""
    weighted = any(part.square is not None for part in parts)
    # A counted case weighs 1.
    squares = [part.weight.astype(np.float64) if part.square is None else part.square for part in parts]
    return replace(
        parts[0],
        keys=np.concatenate([part.keys for part in parts]),
        rows=np.concatenate([part.rows for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        square=np.concatenate(squares) if weighted else None,
    )


def _compact(joint: JointCounts) -> JointCounts:
    """Add up combinations, each once, in the order of its key."""
    order = np.lexsort(joint.keys.T[::-1])
    keys, square = joint.keys[order], joint.square
    is_new = np.any(keys[1:] != keys[:-1], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], is_new])[: len(keys)])
    return replace(
        joint,
        keys=keys[starts],
        rows=np.add.reduceat(joint.rows[order], starts),
        weight=np.add.reduceat(joint.weight[order], starts),
        square=None if square is None else np.add.reduceat(square[order], starts),
    )
