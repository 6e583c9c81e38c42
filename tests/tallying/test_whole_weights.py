"""Weights in several files, and what becomes of them when they travel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.column_roles import find_source
from edgeworth.sources.opening import open_source
from tallying_files import tally_decisions, tally_scores

pytestmark = pytest.mark.usefixtures("short_files_are_counted")

WHOLE = pd.DataFrame({"y": [0, 1] * 10, "p": [0, 1, 1, 0] * 5, "s": np.arange(20.0), "w": np.arange(1, 21)})
FRACTIONS = WHOLE.assign(w=WHOLE["w"] / 2, s=WHOLE["s"] + 0.5)


@pytest.mark.parametrize("order", [1, -1])
def test_whole_numbers_in_one_file_and_fractions_in_the_next_are_all_sampling_weights(
    tmp_path: Path, order: int
) -> None:
    paths = [tmp_path / "whole.parquet", tmp_path / "fractions.parquet"]
    for path, frame in zip(paths, (WHOLE, FRACTIONS), strict=True):
        frame.to_parquet(path)
    columns = {"truth": "y", "prediction": "p", "weight": "w"}
    source, _ = find_source(open_source(paths[::order]), (), **columns)
    result = tally_decisions(source, columns)
    squares = np.zeros((3, 2))
    for frame in (WHOLE, FRACTIONS):
        np.add.at(squares, (frame["p"], frame["y"]), frame["w"].astype(float) ** 2)
    assert isinstance(result, ew.ContingencyTable)
    assert result.squared is not None
    assert result.squared == pytest.approx(squares)
    columns = {"truth": "y", "score": "s", "weight": "w"}
    ranking = tally_scores(find_source(open_source(paths[::order]), (), **columns)[0], columns)
    both = pd.concat([WHOLE, FRACTIONS])
    assert ranking == ew.Ranking.from_scores(both["y"], both["s"], weights=both["w"].astype(float))


@pytest.mark.parametrize("weights", [[2**53 + 1, 3], [2**53, 1]])
def test_counts_beyond_what_a_tally_file_holds_are_refused_not_rounded(weights: list[int]) -> None:
    counted = ew.tally(truth=[1, 1], prediction=[1, 1], weight=weights)
    with pytest.raises(InputError, match="beyond the whole numbers that a tally file holds exactly"):
        ew.evaluate(counted)


def test_counts_of_merged_rankings_stay_exact() -> None:
    half = ew.Ranking.from_scores([1, 0], [0.5, 0.2], weights=[1, 2**52 + 1])
    with pytest.raises(MergeError, match="add up to at most 2\\^53"):
        half + half


@pytest.mark.parametrize("labels", [(-128, 127), (-100, 100)])
def test_labels_of_narrow_types_do_not_wrap(tmp_path: Path, labels: tuple[int, int]) -> None:
    truth = np.array([labels[k] for k in (0, 1, 1, 0, 1, 0)], dtype=np.int8)
    frame = pd.DataFrame({"y": truth, "p": [0.2, 0.7, 0.6, 0.4, 0.9, 0.1], "q": [0.5] * 6})
    frame.to_parquet(tmp_path / "narrow.parquet")
    words = {"probabilities": "p", "against": "q", "positive": labels[1]}
    tally = ew.tally(tmp_path / "narrow.parquet", truth="y", **words).tally
    assert tally.labels == labels
    assert tally.wealth.wealth == pytest.approx(2**6 * 0.8 * 0.7 * 0.6 * 0.6 * 0.9 * 0.9)
