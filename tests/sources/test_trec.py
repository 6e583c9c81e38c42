"""Reading qrels and runs: every spacing gives the same columns, and every error names its line."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edgeworth.errors import InputError
from edgeworth.rankings.trec import files, identifiers
from edgeworth.rankings.trec.files import Qrels, TrecRun, read_qrels, read_run
from edgeworth.rankings.trec.identifiers import as_identifiers, first_repeat, look_up

QRELS = b"301 0 FBIS3-10 1\n301 0 FBIS3-2 0\n007 0 FBIS3-10 -1\n7 0 a 3\n"
RUN = b"301 Q0 FBIS3-10 1 12.5 bm25\n301 Q0 FBIS3-2 2 -1e-3 bm25\n007 Q0 x 1 .5 bm25\n7 Q0 a 1 inf bm25\n"


def written(folder: Path, content: bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content)
    return path


def judged(qrels: Qrels) -> list[tuple[Any, ...]]:
    queries = [qrels.query.labels[code] for code in qrels.query.codes.tolist()]
    return list(zip(queries, qrels.document.tolist(), qrels.grade.tolist(), strict=True))


def retrieved(run: TrecRun) -> list[tuple[Any, ...]]:
    queries = [run.query.labels[code] for code in run.query.codes.tolist()]
    return list(zip(queries, run.document.tolist(), run.score.tolist(), strict=True))


JUDGED = [("301", b"FBIS3-10", 1), ("301", b"FBIS3-2", 0), ("007", b"FBIS3-10", -1), ("7", b"a", 3)]
RETRIEVED = [
    ("301", b"FBIS3-10", 12.5),
    ("301", b"FBIS3-2", -1e-3),
    ("007", b"x", 0.5),
    ("7", b"a", float("inf")),
]

SPACINGS = {
    "single spaces": lambda content: content,
    "tabs": lambda content: content.replace(b" ", b"\t"),
    "tabs and spaces": lambda content: content.replace(b" ", b"\t", 3),
    "several spaces": lambda content: content.replace(b" ", b"   ", 4),
    "spaces around": lambda content: b"  " + content.replace(b"\n", b" \t\n"),
    "carriage returns": lambda content: content.replace(b"\n", b"\r\n"),
    "byte order mark": lambda content: b"\xef\xbb\xbf" + content,
    "comments": lambda content: b"# a comment\n" + content.replace(b"\n7 ", b"\n# 1 2 3\n7 "),
    "empty lines": lambda content: b"\n\n" + content.replace(b"\n", b"\n\n") + b" \n",
    "form feeds": lambda content: content.replace(b" ", b"\f", 2).replace(b" ", b" \v", 2),
    "no last newline": lambda content: content.rstrip(b"\n"),
    "compressed": gzip.compress,
}


@pytest.mark.parametrize("spacing", SPACINGS.values(), ids=SPACINGS)
def test_every_spacing_reads_the_same(spacing: Any, tmp_path: Path) -> None:
    assert judged(read_qrels(written(tmp_path, spacing(QRELS)))) == JUDGED
    run = read_run(str(written(tmp_path, spacing(RUN))))
    assert retrieved(run) == RETRIEVED
    assert run.tag == "bm25"
    assert len(run.score) == 4


GAPS = st.text(" \t\f", min_size=1, max_size=3)
AROUND = st.text(" \t", max_size=2)
BETWEEN = st.sampled_from(["", "\n", " \n", "# q Q0 d 1 1 t\n", "\t#\n\n"])


@given(data=st.data(), rows=st.lists(st.sampled_from(["q", "#7", "r"]), min_size=1, max_size=5))
def test_any_mixture_of_spacing_reads_the_same(
    data: st.DataObject, rows: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content, expected = "", []
    for row, query in enumerate(rows):
        fields = [query, "Q0", f"d{row}", "#", f"{row}", "t"]
        around = data.draw(AROUND), data.draw(AROUND)
        text = around[0] + "".join(field + data.draw(GAPS) for field in fields).rstrip() + around[1]
        content += data.draw(BETWEEN) + text + "\n"
        if not query.startswith("#"):
            expected.append((query, f"d{row}".encode(), float(row)))
    path = written(tmp_path_factory.mktemp("trec"), content.encode())
    if expected:
        assert retrieved(read_run(path)) == expected
    else:
        with pytest.raises(InputError, match="is empty"):
            read_run(path)


@pytest.mark.parametrize("score", [b"+0.5", b"5e-1", b"00.5", b".5", b"0.50", b"5.E-1"])
def test_every_way_to_write_a_number(score: bytes, tmp_path: Path) -> None:
    assert read_run(written(tmp_path, b"q Q0 d 1 %s t\n" % score)).score.tolist() == [0.5]
    assert read_qrels(written(tmp_path, b"q 0 d +2\n")).grade.tolist() == [2]


def test_scores_beyond_every_float_rank_first_and_last(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, b"q Q0 a 1 1e999 t\nq Q0 b 2 -1e999 t\nq Q0 c 3 -Infinity t\n"))
    assert run.score.tolist() == [np.inf, -np.inf, -np.inf]


def test_text_is_taken_as_it_is_written(tmp_path: Path) -> None:
    content = 'NA Q0 "quoted 1 1 t\nnull Q0 Überschrift 1 2 t\n1.0 Q0 #7 1 3 tag"\n'.encode()
    run = read_run(written(tmp_path, content))
    assert retrieved(run) == [
        ("NA", b'"quoted', 1.0),
        ("null", "Überschrift".encode(), 2.0),
        ("1.0", b"#7", 3.0),
    ]
    assert run.tag == 'tag"'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q Q0 d 1 0.5\n", "line 1: 6 columns are needed .*; saw 5"),
        (b"q Q0 d 1 0.5 t\nq Q0  d 1 0.5\n", "line 2: 6 columns are needed .*; saw 5"),
        (b"q Q0 d 1 0.5 t\n q Q0 d 1 0.5\n", "line 2: 6 columns are needed .*; saw 5"),
        (b"q Q0 d 1 0.5 \nq Q0 e 1 0.5 \n", "line 1: 6 columns are needed .*; saw 5"),
        (
            b"q Q0 d 1 0.5 t\nq Q0 e 1 high t\n",
            "line 2: a score must be a number; saw 'high'",
        ),
        (b"q Q0 d 1 0.5 t\nq Q0 e 1 nan t\n", "line 2: a score must be a number; saw 'nan'"),
        (b"q Q0 d 1 1_000 t\n", "line 1: a score must be a number; saw '1_000'"),
        (b"q Q0 d 1 0x1p3 t\n", "line 1: a score must be a number"),
        (b"q Q0 d 1 1 t\nr Q0 d 1 1 t\n#\nq Q0 d 2 3 t\n", "lines 1 and 4: query 'q' has document 'd' twice"),
        (b"q Q0 d 1 0.5 t\rq Q0 e 1 0.5 t\r", "line 1: 6 columns are needed .*; saw 12"),
        (b"", "is empty"),
        (b"\n# nothing\n  \n", "is empty"),
        (b"q Q0 d\0 1 1 t\n", "binary file"),
        (b"q Q0 d 1 1 t\nq Q0 \xe9 1 1 t\n", "line 2: this is not UTF-8"),
        (b"\x1f\x8b\x08broken", "cannot be read"),
    ],
)
def test_a_run_that_is_wrong_is_refused_with_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"file.txt.*{message}"):
        read_run(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q Q0 d 1 0.5 t\n", "line 1: 4 columns are needed .*; saw 6: is this the run"),
        (b"q 0 d 1\nq 0 e\n", "line 2: 4 columns are needed .query iteration document grade.; saw 3"),
        (b"q 0 d 1.0\n", "line 1: a grade is a whole number; saw '1.0'"),
        (b"q 0 d 99999999999999999999\n", "line 1: a grade is a whole number"),
        (b"q 0 d 1\nq 1 d 1\n", "lines 1 and 2: query 'q' has document 'd' twice"),
    ],
)
def test_qrels_that_are_wrong_are_refused_with_their_line(
    content: bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"file.txt.*{message}"):
        read_qrels(written(tmp_path, content))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere does not exist"):
        read_run(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a folder"):
        read_qrels(tmp_path)


def test_more_than_one_piece_of_a_file(tmp_path: Path) -> None:
    rows = [(f"q{row % 7}", f"d{row}".encode(), row / 8) for row in range(60_000)]
    content = b"".join(b"%s Q0 %s 1 %r t\n" % (query.encode(), text, score) for query, text, score in rows)
    assert retrieved(read_run(written(tmp_path, content))) == rows


FIELDS = st.sampled_from(
    ["q", "Q0", "1", "0.5", "-3", "+2", "1e3", "nan", "NaN", "inf", "-Infinity", "1_0", "0x1", "NA", "",
     '"a b"', "é", "1.", ".5", "--1", "#", "9" * 18, "9" * 19, "1e999", "007", "true", "null"]
)  # fmt: skip
LINES = st.lists(st.lists(FIELDS, min_size=3, max_size=7).map(" ".join), min_size=1, max_size=4)


@example(lines=["q Q0 a 1 1 t", "q Q0 b 2 0.5 t"], value="score", sign=" ")
@example(lines=["q 0 a 1", "q 0 b 0"], value="grade", sign="\t")
@example(lines=["\ufeffq Q0 a 1 1 t", "q Q0 b 1 1 t"], value="score", sign=" ")
@given(lines=LINES, value=st.sampled_from(["score", "grade"]), sign=st.sampled_from([" ", "\t"]))
def test_lines_that_arrow_reads_are_the_same_line_by_line(lines: list[str], value: str, sign: str) -> None:
    content = "\n".join(lines).replace(" ", sign).encode()
    names = files.RUN_COLUMNS if value == "score" else files.QRELS_COLUMNS
    result = files._read_regular(content, names, value)
    if result is not None:
        query, document, values, tag, ranks = files._read_lines(Path("file"), content, names, value)
        assert (result[0].labels, result[0].codes.tolist()) == (query.labels, query.codes.tolist())
        assert (result[1].tolist(), result[2].tolist()) == (document.tolist(), values.tolist())
        assert result[3] == tag
        assert np.array_equal(result[4], ranks)


def test_files_are_read_without_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_arrow = read_run(written(tmp_path, RUN))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert retrieved(read_run(written(tmp_path, RUN))) == retrieved(with_arrow) == RETRIEVED


# -- identifiers ---------------------------------------------------------------------------------------

PAIRS = st.lists(st.tuples(st.integers(0, 2), st.text("ab", max_size=18)), max_size=20)


def columns(pairs: list[tuple[int, str]]) -> tuple[Any, Any]:
    return np.array([query for query, _ in pairs], dtype=np.intp), as_identifiers(
        [x.encode() for _, x in pairs]
    )


@given(pairs=PAIRS, others=PAIRS)
def test_pairs_are_found(pairs: list[tuple[int, str]], others: list[tuple[int, str]]) -> None:
    others = list(dict.fromkeys(others))
    first = next(((pairs.index(pair), row) for row, pair in enumerate(pairs) if pair in pairs[:row]), None)
    expected = [others.index(pair) if pair in others else -1 for pair in pairs]
    assert first_repeat(*columns(pairs)) == first
    assert look_up(*columns(pairs), *columns(others)).tolist() == expected


def test_an_absurd_identifier_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "MAX_IDENTIFIER_BYTES", 100)
    with pytest.raises(InputError, match="an identifier is 99 bytes long"):
        as_identifiers([b"x" * 99, b"y"])
