"""One set of rows, however it arrives, is one tally."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from edgeworth import EdgeworthError, evaluate, tally
from edgeworth.errors import OptionError

KINDS: dict[str, list[Any]] = {
    "text": ["cat", "dog", "emu, wild"],
    "integers": [0, 1, 12],
    "negative": [-1, 1, 0],
    "fractions": [0.5, 1.5, 2.25],
    "booleans": [True, False],
    "large integers": [2**53, 2**53 + 1, 2**62],
}

OPTIONS: list[dict[str, Any]] = [{}, {"weight": "count"}, {"weight": "share"}, {"cluster": "patient"}]


def frame(labels: list[Any]) -> pd.DataFrame:
    rng, rows = np.random.default_rng(len(labels)), 12
    return pd.DataFrame(
        {
            "truth": [labels[index] for index in rng.integers(len(labels), size=rows)],
            "prediction": [labels[position] for position in rng.integers(len(labels), size=rows)],
            "count": rng.integers(1, 5, size=rows),
            "share": rng.integers(1, 9, size=rows) / 8,
            "patient": rng.integers(4, size=rows),
        }
    )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("labels", KINDS.values(), ids=KINDS)
def test_files_frames_and_arrays_agree(tmp_path: Path, labels: list[Any], options: dict[str, str]) -> None:
    data = frame(labels)
    path = tmp_path / "file.csv"
    data.to_csv(path, index=False)
    names = {"truth": "truth", "prediction": "prediction", **options}
    columns = {role: data[name] for role, name in names.items()}
    tallies = [
        tally(path, **names),
        tally(data, **names),
        tally(pl.from_pandas(data), **names),
        tally(pa.Table.from_pandas(data), **names),
        tally(**columns),
        tally(**{role: column.to_numpy() for role, column in columns.items()}),
        tally(**{role: column.tolist() for role, column in columns.items()}),
    ]
    # repr tells True from 1 and 1 from 1.0, which == does not.
    assert len({repr(item.final.to_dict()) for item in tallies}) == 1
    assert evaluate(path, **names).verdict == evaluate(**columns).verdict


def test_names_without_data_and_columns_with_data() -> None:
    with pytest.raises(OptionError, match="truth='y' names a column"):
        evaluate(truth="y", prediction=[1])
    with pytest.raises(OptionError, match="with data, prediction must be the name of a column; saw list"):
        evaluate(frame([0, 1]), truth="truth", prediction=[1])
    with pytest.raises(OptionError, match="truth is needed"):
        evaluate(truth=None, prediction=[1])


def test_weights_that_are_all_nothing_are_said_to_be() -> None:
    """No row was dropped, so that is not the reason."""
    with pytest.raises(EdgeworthError, match="weight"):
        evaluate(truth=[0, 1], prediction=[0, 1], weight=[0, 0])
