"""Which files are meant: one is read once, whatever it is called, and addresses of this machine are paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import edgeworth as ew
from edgeworth.errors import InputError
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import expand_paths, local_path

ROWS = "y,p\n1,1\n0,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "c.csv").write_text(ROWS)
    return tmp_path


SPELLINGS: dict[str, Callable[[Path], list[str]]] = {
    "the same": lambda _: ["a/c.csv", "a/c.csv"],
    "by way of the parent": lambda _: ["a/c.csv", "a/../a/c.csv"],
    "relative and absolute": lambda folder: ["a/c.csv", str(folder / "a" / "c.csv")],
    "an address": lambda folder: ["a/c.csv", f"file://{folder}/a/c.csv"],
    "a folder and a file": lambda _: ["a", "a/c.csv"],
    "a pattern and a file": lambda _: ["a/*.csv", "a/c.csv"],
}


@pytest.mark.parametrize("spelt", SPELLINGS.values(), ids=SPELLINGS)
def test_a_file_is_read_once(spelt: Callable[[Path], list[str]], folder: Path) -> None:
    with pytest.raises(InputError, match=r"(is named twice|are one file): name each file once"):
        open_source(spelt(folder))


@pytest.mark.parametrize("data", [["a/c.csv", "a/latest.csv"], "a", "a/*.csv"], ids=str)
def test_a_link_is_the_file_that_it_leads_to(data: str | list[str], folder: Path) -> None:
    (folder / "a" / "latest.csv").symlink_to("c.csv")
    with pytest.raises(InputError, match=r"a/c\.csv and a/latest\.csv are one file"):
        expand_paths(data)


def test_files_of_one_content_are_two(folder: Path) -> None:
    (folder / "a" / "d.csv").write_text(ROWS)
    assert ew.tally("a", truth="y", prediction="p").origin.rows == 4


def test_many_names_are_not_compared_each_with_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(tmp_path / f"{index}.csv") for index in range(500)]
    for name in names:
        Path(name).touch()
    compared = []
    same = Path.samefile
    monkeypatch.setattr(Path, "samefile", lambda *both: compared.append(both) or same(*both))
    monkeypatch.setattr(Path, "__eq__", lambda *both: compared.append(both) or str(both[0]) == str(both[1]))
    assert len(expand_paths(names)) == 500
    assert len(compared) <= 5 * len(names)


def test_an_address_of_this_machine_is_a_path(folder: Path) -> None:
    odd = folder / "a" / "day 1 + 50%.csv"
    odd.write_text(ROWS)
    coded = str(odd).replace("%", "%25").replace(" ", "%20")
    for address in (f"file://{coded}", f"file://localhost{coded}", f"FILE://{coded}", odd.as_uri()):
        assert open_source(address).name == str(odd)
        assert ew.tally(address, truth="y", prediction="p").origin.parts[0].digest is not None
    assert open_source([odd.as_uri(), "a/c.csv"]).name == f"{odd}, a/c.csv"
    assert len(expand_paths((folder / "a").as_uri())) == 2
    assert local_path("a b.csv") == Path("a b.csv")
    with pytest.raises(
        InputError, match="is on another machine, nas: for a file on this machine write file:///"
    ):
        open_source("file://nas/data/a.csv")


def test_what_an_address_leads_to_is_not_written_over(folder: Path) -> None:
    from edgeworth.cli.options import input_files

    read = {os.path.realpath(name) for name in input_files([(folder / "a" / "c.csv").as_uri()], {})}
    assert os.path.realpath("a/c.csv") in read


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow"])
def test_a_folder_may_be_called_as_a_home_is_written(folder: Path, ending: str) -> None:
    home = folder / "~"
    home.mkdir()
    frame = pl.DataFrame({"y": [1, 0], "p": [1, 1]})
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    write.get(ending, frame.write_ipc)(home / f"c.{ending}")
    for data in (f"./~/c.{ending}", [f"./~/c.{ending}"], "./~"):
        assert ew.tally(data, truth="y", prediction="p").origin.rows == 2


def test_a_name_that_no_engine_can_read_is_refused_in_words(folder: Path) -> None:
    for ending in (b"csv", b"parquet"):
        path = folder / os.fsdecode(b"\xff." + ending)
        path.write_text(ROWS)
        with pytest.raises(InputError, match=r"xff.*is a file name that is not UTF-8: rename the file"):
            open_source(path)
