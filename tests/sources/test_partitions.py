"""Parts of partitions, added in order wherever they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from edgeworth import __version__
from edgeworth.errors import EdgeworthError, InputError, MissingExtraError, OptionError
from edgeworth.sources import arrow as pieces_module
from edgeworth.sources.arrow import combine_record_batches
from edgeworth.sources.batches import Batch
from edgeworth.sources.partitions import FoldTask, PartitionTally, add_partitions, fold_partition


@dataclass(frozen=True)
class Rows:
    """The rows themselves, so that their order shows."""

    rows: tuple[int, ...] = ()
    needs_positions = False

    def __add__(self, other: Rows) -> Rows:
        return Rows(self.rows + other.rows)


def rows_of(batch: Batch) -> Rows:
    values = np.asarray(batch.columns["y"])
    if (values < 0).any():
        raise InputError(f"row {batch.first_row + int(np.argmax(values < 0))} is negative")
    return Rows(tuple(values.tolist()))


PARTITIONS: dict[int, list[list[int]]] = {0: [[1, 2], [3]], 1: [], 2: [[4, 5]], 3: [[6], [7, 8]]}


def part(number: int, before: int = 0, changed: dict[int, list[list[int]]] | None = None) -> PartitionTally:
    lists = (changed or PARTITIONS)[number]
    firsts = np.cumsum([1, *map(len, lists)])
    batches = [
        Batch({"y": np.array(ranked_list)}, int(first))
        for ranked_list, first in zip(lists, firsts, strict=False)
    ]
    task = FoldTask(rows_of, Rows(), __version__)
    return fold_partition(batches, task, partition=number, rows_before=before)


def never(partition: int, before: int) -> PartitionTally:
    raise AssertionError(f"partition {partition} after {before} rows is folded again")


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]], ids=str)
def test_parts_are_added_in_the_order_of_their_partitions(order: list[int]) -> None:
    total, rows = add_partitions([part(number) for number in order], Rows(), "frame", never)
    assert rows == 8
    assert total.rows == (1, 2, 3, 4, 5, 6, 7, 8)


def test_an_error_names_the_row_in_the_whole() -> None:
    wrong = PARTITIONS | {2: [[4], [-5]], 3: [[-6]]}
    asked = []

    def again(partition: int, before: int) -> PartitionTally:
        asked.append((partition, before))
        return part(partition, before, wrong)

    with pytest.raises(InputError, match=r"^row 5 is negative$"):
        add_partitions([part(number, changed=wrong) for number in wrong], Rows(), "frame", again)
    assert asked == [(2, 3)]


def test_an_error_in_the_first_partition_is_not_sought_again() -> None:
    wrong = PARTITIONS | {0: [[1], [-2]]}
    with pytest.raises(InputError, match=r"^row 2 is negative$"):
        add_partitions([part(number, changed=wrong) for number in wrong], Rows(), "frame", never)


def test_an_error_that_does_not_come_again_is_raised_as_it_was() -> None:
    wrong = PARTITIONS | {2: [[-4]]}
    parts = [part(number, changed=wrong) for number in wrong]
    with pytest.raises(InputError, match=r"^row 1 is negative$"):
        add_partitions(parts, Rows(), "frame", lambda partition, before: part(partition, before))


def test_positions_that_were_counted_are_where_rows_stand() -> None:
    positions = {0: 0, 2: 3, 3: 5}
    wrong = PARTITIONS | {3: [[6], [-7]]}
    parts = [part(number, positions.get(number, 0), wrong) for number in wrong]
    with pytest.raises(InputError, match=r"^row 7 is negative$"):
        add_partitions(parts, Rows(), "frame", never, positions)


def test_partitions_that_changed_between_two_passes() -> None:
    positions = {0: 0, 2: 2, 3: 5}
    parts = [part(number, positions.get(number, 0)) for number in PARTITIONS]
    with pytest.raises(InputError, match="partition 2 held other rows when it was read a second time"):
        add_partitions(parts, Rows(), "frame", never, positions)


def test_nothing_at_all() -> None:
    with pytest.raises(InputError, match=r"^frame: there are no rows$"):
        add_partitions([part(1)], Rows(), "frame", never)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda: InputError("x"), InputError),
        (lambda: OptionError("x"), OptionError),
        (lambda: MissingExtraError("reading", "files"), EdgeworthError),
    ],
    ids=["input", "option", "extra"],
)
def test_errors_that_travel_keep_their_kind(made: Callable[[], EdgeworthError], kind: type) -> None:
    def wrong(_: Batch) -> Rows:
        raise made()

    result = fold_partition([Batch({"y": np.array([1])})], FoldTask(wrong, Rows(), __version__), partition=0)
    assert type(result.error) is kind
    assert str(result.error) == str(made())


def test_parts_of_another_version_are_refused() -> None:
    result = fold_partition([Batch({"y": np.array([1])})], FoldTask(rows_of, Rows(), "0.0.1"), partition=3)
    assert (result.partition, result.rows, result.value) == (3, 0, None)
    assert isinstance(result.error, InputError)
    assert str(result.error).startswith(f"edgeworth is 0.0.1 on the driver and {__version__} on the workers")


def test_a_tally_says_whether_it_needs_positions() -> None:
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.forecasts.tally import ForecastTally

    assert ForecastTally.empty().needs_positions
    assert not hasattr(ContingencyTable.empty(), "needs_positions")


def test_small_pieces_become_larger_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces_module, "COMBINED_ROWS", 4)
    small = [
        pa.record_batch({"y": pa.array(list(range(rows)), pa.int64())}) for rows in (1, 0, 2, 3, 1, 9, 1)
    ]
    joined = list(combine_record_batches(small))
    assert [piece.num_rows for piece in joined] == [6, 10, 1]
    assert pa.Table.from_batches(joined) == pa.Table.from_batches(small).combine_chunks()


def test_pieces_with_dictionaries_of_their_own_are_joined() -> None:
    small = [pa.record_batch({"y": pa.array([label]).dictionary_encode()}) for label in "abca"]
    assert [piece["y"].to_pylist() for piece in combine_record_batches(small)] == [["a", "b", "c", "a"]]
