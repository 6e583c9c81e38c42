"""Rankings of more rows than are kept: two passes give what one in memory gives, whatever the batches."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import Ranking
from edgeworth.errors import InputError
from edgeworth.rankings.reading import tally_ranking
from edgeworth.sources.batches import Batch
from edgeworth.sources.columns import as_column, encode
from edgeworth.sources.opening import open_source

ROLES = {"truth": "y", "score": "s"}


@dataclass
class InPieces:
    """Rows in memory that arrive in batches, cut at some places."""

    columns: dict[str, Any]
    cuts: Sequence[int] = ()
    is_text: bool = False
    name: str = "pieces"
    passes: list[list[str]] = field(default_factory=list)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        self.passes.append(list(columns))
        length = len(next(iter(self.columns.values())))
        ends = sorted({0, length, *(cut for cut in self.cuts if 0 < cut < length)})
        for start, stop in pairwise(ends):
            part = {name: as_column(self.columns[name][start:stop], name) for name in columns}
            yield Batch(part, start + 1)


class Elsewhere(InPieces):
    """As an engine that holds the rows: functions and tallies are sent to them as bytes, and tallies back."""

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], Any], empty: Any) -> Any:
        total, rows = empty, 0
        for batch in self.batches(columns):
            rows += len(batch)
            there, nothing = pickle.loads(pickle.dumps((prepare, empty)))
            sent = pickle.dumps(nothing + there(batch))
            assert len(sent) < 100_000
            total = total + pickle.loads(sent)
        return total, rows


SCORES = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 0.5, 0.7, 2.0, math.inf])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3)), min_size=1, max_size=30)
CUTS = st.lists(st.integers(1, 29), max_size=4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [InPieces, Elsewhere])
@pytest.mark.parametrize("weights", [None, "counts", "sampling"])
@given(rows=ROWS, cuts=CUTS, most=st.integers(1, 12))
def test_two_passes_are_one(
    kind: type[InPieces], weights: str | None, rows: list[tuple[bool, float, int]], cuts: list[int], most: int
) -> None:
    rows = [*rows, (True, 0.5, 1), (False, 0.6, 2)]
    truth, scores, numbers = (np.array(column) for column in zip(*rows, strict=True))
    columns, roles, heavy = {"y": truth, "s": scores}, dict(ROLES), None
    if weights is not None:
        heavy = numbers if weights == "counts" else numbers / 4
        columns["w"], roles["weight"] = heavy, "w"
    expected = Ranking.from_scores(truth, scores, weights=heavy)
    if len(rows) > most:
        expected = expected.collapse()
    assert tally_ranking(kind(columns, cuts), roles, most=most) == expected
    assert tally_ranking(kind(columns, cuts), roles) == Ranking.from_scores(truth, scores, weights=heavy)


def example(rows: int = 400, share: float = 0.1) -> dict[str, Any]:
    generator = np.random.default_rng(3)
    truth = (generator.random(rows) < share).astype(np.int64)
    return {"y": truth, "s": np.round(generator.normal(size=rows) + truth, 2)}


def test_the_passes_it_takes() -> None:
    columns = example()
    few, many, frequent = (InPieces(columns, [100, 200]) for _ in range(3))
    assert not tally_ranking(few, ROLES, most=400).is_collapsed
    assert few.passes == [["y", "s"]]
    assert tally_ranking(many, ROLES, most=399).is_collapsed
    assert many.passes == [["y", "s"]] * 2
    # Targets too many for the first pass are read once more.
    ranking = tally_ranking(frequent, ROLES, most=20)
    assert frequent.passes == [["y", "s"]] * 3
    assert ranking == Ranking.from_scores(columns["y"], columns["s"]).collapse()


def test_bins_need_one_pass_whatever_the_number_of_rows() -> None:
    columns = example()
    source = InPieces(columns, [50])
    edges = [-1.0, 0.0, 1.0]
    assert tally_ranking(source, ROLES, bins=edges, most=10) == Ranking.from_scores(
        columns["y"], columns["s"], bins=edges
    )
    assert len(source.passes) == 1


def test_rows_without_class_or_score_are_dropped_in_both_passes() -> None:
    truth: list[Any] = [1, 0, None, 0, 1, 0, 0, 1, 0, 0]
    scores: list[Any] = [0.9, 0.1, 0.5, None, 0.4, 0.3, 0.2, None, 0.8, 0.7]
    source = InPieces({"y": truth, "s": scores}, [3, 6])
    ranking = tally_ranking(source, ROLES, missing="drop", most=3)
    assert ranking == Ranking.from_scores(truth, scores, missing="drop").collapse()
    assert (ranking.dropped, ranking.is_collapsed) == (3, True)
    with pytest.raises(InputError, match=r"truth is missing .* in row 3 \(1 such row\)"):
        tally_ranking(source, ROLES, most=3)


def test_labels_of_text_become_numbers_when_all_are_known() -> None:
    truth = ["0", "1", "1.0", "0", "0", "1", "0", "0.0"]
    scores = ["0.1", "0.9", "0.3", "0.2", "0.4", "0.8", "0.7", "0.65"]
    numbers = [float(text) for text in truth]
    columns = {name: encode(as_column(texts, name), name) for name, texts in (("y", truth), ("s", scores))}
    source = InPieces(columns, [2, 5], is_text=True)
    result = tally_ranking(source, ROLES, most=2)
    assert result == Ranking.from_scores(numbers, [float(text) for text in scores]).collapse()
    assert result.labels == (0, 1)


def test_several_classes_are_background_together() -> None:
    truth = np.array(["cat", "dog", "owl", "cat", "dog", "dog", "owl", "cat"], dtype=object)
    scores = np.array([0.9, 0.2, 0.3, 0.5, 0.7, 0.6, 0.8, 0.1])
    source = InPieces({"y": truth, "s": scores}, [4])
    result = tally_ranking(source, ROLES, positive="cat", most=3)
    assert result == Ranking.from_scores(truth, scores, positive="cat").collapse()
    assert result.rest == "other"
    with pytest.raises(InputError, match="name the target"):
        tally_ranking(source, ROLES, most=3)


def test_one_class_alone() -> None:
    scores = np.arange(8.0)
    for label in (0, 1):
        truth = np.full(8, label)
        source = InPieces({"y": truth, "s": scores}, [4])
        assert tally_ranking(source, ROLES, most=3) == Ranking.from_scores(truth, scores).collapse()


def test_nothing_but_weights_of_0() -> None:
    columns = {"y": np.array([0, 1] * 4), "s": np.arange(8.0), "w": np.zeros(8)}
    with pytest.raises(InputError, match="every weight is 0"):
        tally_ranking(InPieces(columns, [4]), ROLES | {"weight": "w"}, most=3)


class Growing(InPieces):
    """Gets another row whenever it was read."""

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        yield from super().batches(columns)
        self.columns = {name: np.append(column, column[-1]) for name, column in self.columns.items()}


def test_a_source_that_changes_is_refused() -> None:
    with pytest.raises(InputError, match="changed while it was read"):
        tally_ranking(Growing(example()), ROLES, most=100)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_large_file_has_the_report_of_its_columns(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = example(1000)
    path = tmp_path / f"rows{ending}"
    frame = pl.DataFrame(columns)
    frame.write_csv(path) if ending == ".csv" else frame.write_parquet(path, row_group_size=400)
    named = pl.DataFrame({"y": columns["y"], "s": columns["s"]})
    whole = ew.evaluate(named, truth="y", score="s", gain=2.0, cost=0.5).to_dict()
    # As if the file were large.
    monkeypatch.setitem(tally_ranking.__kwdefaults__ or {}, "most", 300)
    assert tally_ranking(open_source(str(path)), ROLES).is_collapsed
    report = ew.evaluate(str(path), truth="y", score="s", gain=2.0, cost=0.5).to_dict()
    differing = {key for key in whole | report if json.dumps(whole.get(key)) != json.dumps(report.get(key))}
    assert differing <= {"about", "provenance", "source"}, differing


def test_rows_of_a_text_file_without_truth_or_score_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("y,s\n1,0.5\n0,\n0,0.2\n,0.3\n1,0.1\n")
    result = tally_ranking(open_source(str(path)), ROLES, missing="drop")
    assert (result.dropped, result.total, result.target_total) == (2, 3, 2)
