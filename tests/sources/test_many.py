"""Several files as one: which are meant, in what order, and what is said when they do not fit together."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.errors import InputError
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import file_digest
from tallying_files import tallied

pytestmark = pytest.mark.usefixtures("counted_or_read")

Columns = dict[str, list[Any]]


def write_csv(path: Path, columns: Columns) -> None:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_text("".join(",".join("" if x is None else str(x) for x in row) + "\n" for row in rows))


def write_lines(path: Path, columns: Columns) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_arrow(path: Path, columns: Columns) -> None:
    table = pa.table(columns)
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[Path, Columns], None]] = {
    ".csv": write_csv,
    ".parquet": lambda path, columns: pq.write_table(pa.table(columns), path),
    ".arrow": write_arrow,
    ".jsonl": write_lines,
}
every_kind = pytest.mark.parametrize("ending", WRITERS)

SHARDS: list[Columns] = [
    {"y": ["a", "b"], "guess": ["a", "a"]},
    {"y": ["b", "b", "c"], "guess": ["b", "b", "a"]},
    {"y": ["a"], "guess": ["c"]},
]
COUNTS = [[1, 1, 1], [0, 2, 0], [1, 0, 0]]


def shards(folder: Path, ending: str, names: tuple[str, ...] = ("p1", "p2", "p10")) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}{ending}" for name in names]
    for path, columns in zip(paths, SHARDS, strict=True):
        WRITERS[ending](path, columns)
    return paths


def order(data: Any) -> str:
    """The truths in the order in which they are read."""
    results = []
    row = 1
    for batch in open_source(data).batches(["y", "guess"]):
        assert batch.first_row == row
        row += len(batch)
        column: Any = batch.columns["y"]
        results += [column.labels[code] for code in column.codes.tolist()]
    return "".join(map(str, results))


@every_kind
def test_a_pattern_a_folder_and_a_list_are_the_whole(tmp_path: Path, ending: str) -> None:
    paths = shards(tmp_path / "shards", ending)
    whole = tmp_path / f"whole{ending}"
    WRITERS[ending](whole, {name: [x for part in SHARDS for x in part[name]] for name in ("y", "guess")})
    expected = tallied(whole, truth="y", prediction="guess")
    assert expected["counts"] == COUNTS
    folder = tmp_path / "shards"
    for data in (folder, str(folder), folder / f"*{ending}", str(tmp_path / "**" / f"p*{ending}"), paths):
        assert tallied(data, truth="y", prediction="guess") == expected
        assert order(data) == "abbbca"


@every_kind
def test_a_list_keeps_its_order(tmp_path: Path, ending: str) -> None:
    paths = shards(tmp_path, ending)
    assert order([str(path) for path in paths[::-1]]) == "abbcab"
    assert order((paths[2], tmp_path / f"p[12]{ending}")) == "aabbbc"


def test_a_file_may_look_like_a_pattern(tmp_path: Path) -> None:
    write_csv(tmp_path / "p[1].csv", SHARDS[0])
    write_csv(tmp_path / "p1.csv", SHARDS[1])
    assert order(tmp_path / "p[1].csv") == "ab"


def test_rows_are_known_where_files_say(tmp_path: Path) -> None:
    assert getattr(open_source(shards(tmp_path, ".parquet")), "rows", None) == 6
    assert getattr(open_source(shards(tmp_path, ".csv")), "rows", None) is None


def test_text_of_several_dialects(tmp_path: Path) -> None:
    """Numbers are recognised once all files are read, as in one file."""
    (tmp_path / "1.csv").write_text("y,guess\n1,1\n0,0\n")
    (tmp_path / "2.tsv.gz").write_bytes(gzip.compress(b"guess\ty\textra\n1.0\t0\tx\n"))
    assert tallied(tmp_path, truth="y", prediction="guess")["labels"] == [0, 1]
    (tmp_path / "3.csv").write_text("y,guess\nspam,1\n")
    assert tallied(tmp_path, truth="y", prediction="guess")["labels"] == ["0", "1", "1.0", "spam"]


def test_a_folder_as_hugging_face_has_it(tmp_path: Path) -> None:
    shards(tmp_path / "data", ".parquet", ("train-00000-of-00002", "train-00001-of-00002", "train-00002"))
    (tmp_path / "README.md").write_text("# A dataset")
    (tmp_path / "dataset_info.json").write_text("{}")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.parquet").write_bytes(b"no parquet")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "half.parquet").write_bytes(b"PAR1")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "old.csv").write_text("y,guess\na,a\n")
    assert tallied(tmp_path, truth="y", prediction="guess")["counts"] == COUNTS


def test_a_folder_of_one_file(tmp_path: Path) -> None:
    write_csv(tmp_path / "one.csv", SHARDS[0])
    assert order(tmp_path) == "ab"


@every_kind
def test_folders_that_say_something_of_their_rows(tmp_path: Path, ending: str) -> None:
    for number, key in enumerate(
        ["day=2/site=a%20b", "day=10/site=__HIVE_DEFAULT_PARTITION__", "day=1/site=x"]
    ):
        folder = tmp_path / key
        folder.mkdir(parents=True)
        WRITERS[ending](folder / f"part{ending}", SHARDS[number])
    source = open_source(tmp_path)
    assert getattr(source, "names", ()) == ("y", "guess", "day", "site")
    results: dict[str, list[Any]] = {"day": [], "site": []}
    for batch in source.batches(["day", "site"]):
        for name, values in results.items():
            column: Any = batch.columns[name]
            values += (
                [column.labels[code] if code >= 0 else None for code in column.codes]
                if hasattr(column, "codes")
                else column.tolist()
            )
    # Sorted by name, 1 before 2 before 10. Text files have nothing but text.
    days = [1, 2, 2, 10, 10, 10]
    assert results["day"] == (list(map(str, days)) if ending == ".csv" else days)
    assert results["site"] == ["x", "a b", "a b", None, None, None]
    clustered = tallied(tmp_path, truth="y", prediction="guess", cluster="day")
    assert clustered["table"]["counts"] == COUNTS


def test_a_files_own_column_comes_before_its_folders(tmp_path: Path) -> None:
    folder = tmp_path / "y=z"
    folder.mkdir()
    write_csv(folder / "1.csv", SHARDS[0])
    assert order(tmp_path) == "ab"


# -- what does not fit together ---------------------------------------------------------------------------


@every_kind
def test_errors_name_the_file_and_the_row_in_it(tmp_path: Path, ending: str) -> None:
    paths = shards(tmp_path, ending)
    WRITERS[ending](paths[1], {"y": ["b", "a", None], "guess": ["b", "a", "a"]})
    with pytest.raises(InputError) as caught:
        tallied(tmp_path, truth="y", prediction="guess")
    assert f"truth is missing in row 3 of {paths[1]} (1 such row)" in str(caught.value)


def test_a_score_that_is_no_number_names_its_file(tmp_path: Path) -> None:
    write_csv(tmp_path / "1.csv", {"y": [1, 0], "s": [0.5, 0.25]})
    write_csv(tmp_path / "2.csv", {"y": [1, 0], "s": [0.5, "high"]})
    with pytest.raises(InputError, match=r"saw the text 'high' in row 2 of .*2\.csv"):
        tallied(tmp_path, truth="y", score="s")


@pytest.mark.parametrize("kind", [None, "counts", "sampling"])
@pytest.mark.parametrize("form", [{"prediction": "p"}, {"score": "p"}, {"prediction": {"A": "p", "B": "t"}}])
def test_a_weight_that_is_no_number_names_its_file(tmp_path: Path, form: Any, kind: Any) -> None:
    (tmp_path / "1.csv").write_text("t,p,w\n1,1,1\n0,1,1\n0,0,1\n")
    (tmp_path / "2.csv").write_text("t,p,w\n1,1,1\n0,1,heavy\n")
    with pytest.raises(InputError, match=r"saw the text 'heavy' in row 2 of .*2\.csv"):
        ew.tally(tmp_path, truth="t", weight="w", weight_kind=kind, **form)


def test_a_broken_row_names_its_file(tmp_path: Path) -> None:
    paths = shards(tmp_path, ".csv")
    paths[1].write_text("y,guess\na,a\nb,b\na\n")
    with pytest.raises(InputError, match=r"p2\.csv cannot be read as delimited text: row 3: Expected 2 col"):
        tallied(tmp_path, truth="y", prediction="guess")
    write_lines(tmp_path / "1.jsonl", SHARDS[0])
    (tmp_path / "2.jsonl").write_text('{"y": 1, "guess": 0}\n\n{"y": 1,\n')
    with pytest.raises(InputError, match=r"2\.jsonl: row 2 is not JSON"):
        tallied(tmp_path / "*.jsonl", truth="y", prediction="guess")


@every_kind
def test_a_column_that_one_file_does_not_have(tmp_path: Path, ending: str) -> None:
    paths = shards(tmp_path, ending)
    WRITERS[ending](paths[2], {"y": ["a"], "gues": ["a"]})
    with pytest.raises(InputError) as caught:
        tallied(tmp_path, truth="y", prediction="guess")
    assert f"{paths[2]} has no column 'guess'; did you mean 'gues'?" in str(caught.value)
    if ending != ".jsonl":
        assert f"{paths[0]} has one" in str(caught.value)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl"])
def test_types_that_differ_between_files(tmp_path: Path, ending: str) -> None:
    WRITERS[ending](tmp_path / f"1{ending}", {"y": [1, 0], "guess": [1, 0]})
    WRITERS[ending](tmp_path / f"2{ending}", {"y": [1, 0], "guess": ["1", "0"]})
    with pytest.raises(InputError) as caught:
        tallied(tmp_path, truth="y", prediction="guess")
    assert f"{tmp_path / f'2{ending}'} has text" in str(caught.value)
    assert f"in 'guess', but {tmp_path / f'1{ending}'} has numbers" in str(caught.value)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl"])
def test_types_that_belong_together(tmp_path: Path, ending: str) -> None:
    WRITERS[ending](tmp_path / f"1{ending}", {"y": [1, 0], "guess": [1, 0]})
    WRITERS[ending](tmp_path / f"2{ending}", {"y": [1.0, 0.5], "guess": [1, 0]})
    WRITERS[ending](tmp_path / f"3{ending}", {"y": [None, None], "guess": [1, 0]})
    tally = tallied(tmp_path, truth="y", prediction="guess", options={"missing": "drop"})
    assert tally["labels"] == [0, 0.5, 1]
    assert tally["dropped"] == 2


def test_files_of_several_kinds(tmp_path: Path) -> None:
    shards(tmp_path, ".parquet")
    write_csv(tmp_path / "more.csv", SHARDS[0])
    with pytest.raises(InputError) as caught:
        open_source(tmp_path)
    assert f"{tmp_path / 'more.csv'} is delimited text and {tmp_path / 'p1.parquet'} is Parquet" in str(
        caught.value
    )
    assert order(tmp_path / "*.parquet") == "abbbca"


def test_a_folder_without_data(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without data"):
        open_source(tmp_path)
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(InputError, match="is a folder without data"):
        open_source(str(tmp_path))
    for name in ("b.json", ".a.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=r"/\.a\.json, .*/b\.json$"):
        open_source(tmp_path)


@pytest.mark.parametrize(("mark", "table"), [("_delta_log", "Delta"), (".hoodie", "Hudi")])
def test_a_table_whose_files_may_hold_rows_of_the_past(tmp_path: Path, mark: str, table: str) -> None:
    shards(tmp_path, ".parquet")
    (tmp_path / mark).mkdir()
    with pytest.raises(InputError, match=f"is a {table} table"):
        open_source(tmp_path)


def test_what_matches_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file matches .*\*\.parquet"):
        open_source(tmp_path / "*.parquet")
    with pytest.raises(InputError, match="list of paths is empty"):
        open_source([])
    with pytest.raises(InputError, match=r"no\.csv does not exist"):
        open_source([tmp_path / "no.csv"])


def test_a_file_named_twice(tmp_path: Path) -> None:
    paths = shards(tmp_path, ".csv")
    with pytest.raises(InputError, match=r"p1\.csv is named twice"):
        open_source([paths[0], tmp_path / "*.csv"])


@every_kind
def test_files_without_rows_are_nothing_among_others(tmp_path: Path, ending: str) -> None:
    paths = shards(tmp_path / "some", ending)
    if ending == ".jsonl":
        paths[0].write_text("\n")
        with pytest.raises(InputError, match="is empty"):
            tallied(tmp_path / "some", truth="y", prediction="guess")
        return
    WRITERS[ending](paths[0], {"y": [], "guess": []})
    assert tallied(tmp_path / "some", truth="y", prediction="guess")["counts"] == [
        [0, 0, 1],
        [0, 2, 0],
        [1, 0, 0],
    ]
    for path in paths[1:]:
        path.unlink()
    with pytest.raises(InputError, match="none of 1 files has rows"):
        tallied(tmp_path / "some", truth="y", prediction="guess")


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, who may read anything."""
    shards(tmp_path, ".csv")

    def refuse(_: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        open_source(tmp_path)


# -- fingerprints -----------------------------------------------------------------------------------------


def test_one_fingerprint_of_several_files(tmp_path: Path) -> None:
    import hashlib

    paths = shards(tmp_path / "here", ".csv")
    results = [f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" for path in paths]
    whole = hashlib.sha256("".join(f"{digest}\n" for digest in results).encode()).hexdigest()
    assert file_digest(tmp_path / "here") == f"sha256:{whole}"
    assert file_digest(str(tmp_path / "here" / "*.csv")) == file_digest(paths) == f"sha256:{whole}"
    assert file_digest(paths[:1]) == results[0]
    assert file_digest(paths[::-1]) != file_digest(paths)
    assert file_digest(tmp_path / "nowhere") is None


def test_no_fingerprint_of_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from edgeworth.sources import paths as digests

    paths = shards(tmp_path, ".csv")
    monkeypatch.setattr(digests, "MAX_DIGEST_BYTES", 20)
    assert file_digest(paths[0]) is not None
    assert file_digest(paths) is None
