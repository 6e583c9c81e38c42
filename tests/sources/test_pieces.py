"""A file larger than one piece gives what it gives whole: same tally, same rows in errors."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeworth.core import row_policies
from edgeworth.errors import InputError
from edgeworth.sources import text_files as delimited
from edgeworth.sources.opening import open_source
from tallying_files import tally_decisions

SIZES = [64, 65, 70, 100, 257, 1000]
HEADER = "truth,prediction,count,share,patient\n"


def lines(number: int) -> list[str]:
    rng = np.random.default_rng(number)
    labels = ["a", "b", "long label", '"quoted, with\nnewline"', "é"]
    rows = zip(
        rng.integers(len(labels), size=number),
        rng.integers(len(labels), size=number),
        rng.integers(0, 9, size=number),
        rng.integers(1, 16, size=number) / 8,
        rng.integers(20, size=number),
        strict=True,
    )
    return [
        f"{labels[real]},{labels[guess]},{count},{share},p{name}\n"
        for real, guess, count, share, name in rows
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    # The last row brings a label that no earlier piece has seen.
    return written(tmp_path, [*lines(200), "late,a,1,1.0,p3\n"])


def written(folder: Path, rows: list[str], header: str = HEADER) -> Path:
    path = folder / "file.csv"
    path.write_text(header + "".join(rows), encoding="utf-8")
    return path


def tally(path: Path, *, weight: str | None = None, cluster: str | None = None, **options: Any) -> Any:
    names = {"truth": "truth", "prediction": "prediction", "weight": weight, "cluster": cluster}
    columns = {role: name for role, name in names.items() if name is not None}
    return tally_decisions(open_source(path), columns, **options).to_dict()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"weight": "count"},
    {"weight": "share"},
    {"weight": "count", "weight_kind": "sampling"},
    {"cluster": "patient"},
    {"abstain": "long label"},
]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_size_of_pieces_does_not_matter(
    path: Path, options: dict[str, Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tally(path, **options)
    monkeypatch.setattr(delimited, "PIECE_BYTES", size)
    assert len(list(delimited.DelimitedSource(path).batches(["truth"]))) > 1
    # The weights are eighths, so even their sums are exact in any order.
    assert tally(path, **options) == whole


def test_compressed_files_come_in_pieces_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    whole = tally(path)
    monkeypatch.setattr(delimited, "PIECE_BYTES", 100)
    assert len(list(delimited.DelimitedSource(packed).batches(["truth"]))) > 1
    assert tally(packed) == whole


def test_rows_are_numbered_through_all_pieces(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "PIECE_BYTES", 100)
    batches = list(delimited.DelimitedSource(path).batches(["truth", "prediction"]))
    position = 1
    for batch in batches:
        assert batch.first_row == position
        position += len(batch)
    assert position == 202


def test_weights_are_of_one_kind_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole numbers in the first piece and a fraction in the last: all of them are sampling weights."""
    path = written(tmp_path, [*(["a,a,3,0,p\n", "b,b,2,0,p\n"] * 10), "a,b,1.5,0,p\n"])
    whole = tally(path, weight="count")
    assert whole["squared"] == [[90.0, 0.0], [2.25, 40.0], [0.0, 0.0]]
    monkeypatch.setattr(delimited, "PIECE_BYTES", 64)
    assert tally(path, weight="count") == whole


@pytest.mark.parametrize("size", [64, 1 << 20])
@pytest.mark.parametrize(
    ("row", "options", "message"),
    [
        ("a,,1,1,p\n", {}, "prediction is missing in row 41 "),
        ("a,a,-1,1,p\n", {"weight": "count"}, "row 41 has -1"),
        ("a,a,nan,1,p\n", {"weight": "count"}, "row 41 has nan"),
        ("a,a,,1,p\n", {"weight": "count"}, "row 41 has nan"),
        ("a,a,1,inf,p\n", {"weight": "share"}, "row 41 has inf"),
        ("a,a,1.5,1,p\n", {"weight": "count", "weight_kind": "counts"}, r"row 41 has 1\.5"),
        ("a,a,1,1,\n", {"cluster": "patient"}, "missing in row 41 "),
        ("a,a\n", {}, "Row #?42|row 41"),
    ],
    ids=["label", "negative", "nan", "empty weight", "infinite", "fraction", "cluster", "ragged"],
)
def test_an_error_names_the_row_of_the_file(
    tmp_path: Path,
    row: str,
    options: dict[str, Any],
    message: str,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = written(tmp_path, [*(["a,a,1,1,p\n", "b,b,1,1,p\n"] * 20), row, *(["b,b,1,1,p\n"] * 20)])
    monkeypatch.setattr(delimited, "PIECE_BYTES", size)
    with pytest.raises(InputError, match=message):
        tally(path, **options)


def test_too_many_labels_are_refused_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, [f"id{number},id{number},1,1,p\n" for number in range(100)])
    monkeypatch.setattr(row_policies, "MAX_LABELS_IN_TABLE", 50)
    with pytest.raises(InputError, match="different labels"):
        tally(path)
    monkeypatch.setattr(delimited, "PIECE_BYTES", 100)
    with pytest.raises(InputError, match="different labels"):
        tally(path)


def test_missing_values_are_counted_through_all_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first pieces hold nothing that can be used.
    path = written(tmp_path, [*([",a,1,1,p\n"] * 30), *(["a,a,1,1,p\n", "b,b,1,1,p\n", "b,,1,1,p\n"] * 10)])
    monkeypatch.setattr(delimited, "PIECE_BYTES", 64)
    record = tally(path, missing="drop")
    assert (record["dropped"], record["counts"]) == (40, [[10, 0], [0, 10]])


def test_a_row_longer_than_a_piece_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, ["a,a,1,1,p\n", f"a,a,1,1,{'p' * 500}\n"] * 3)
    monkeypatch.setattr(delimited, "PIECE_BYTES", 64)
    with pytest.raises(InputError, match="cannot be read") as caught:
        tally(path)
    assert "\n" not in str(caught.value)
