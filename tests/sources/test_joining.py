"""Tables joined by an id say what one wide table says, in whatever order their rows stand."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.joining import name_systems, number_cases

TRUTH = ["cat", "dog", "cat", "cow"] * 6
FIRST = ["cat", "dog", "dog", "cow", "cat", "cat", "cow", "cow"] * 3
SECOND = ["cat", "cat", "cow", "cow", "dog", "dog", "cat", "cow"] * 3
SAID = {"a": FIRST, "b": SECOND}
SITES = [number // 5 for number in range(24)]
IDS = [f"q{number}" for number in range(24)]


def table(prediction: list[Any], **columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"id": IDS, "y": TRUTH, "p": prediction} | columns)


def write(folder: Path, **tables: pd.DataFrame) -> list[str]:
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return [str(folder / f"{name}.csv") for name in tables]


def numbers(comparison: ew.Comparison) -> Any:
    """What was found, but not where it came from, nor in what words."""
    difference = comparison["a", "b"]
    wanted = list(difference)
    return {
        name: (difference[name].difference, difference[name].interval(), difference[name].p_value())
        for name in wanted
    }


def compare(truth: Any = None, systems: Any = None, *, data: Any = None, **options: Any) -> ew.Comparison:
    """Few measures are compared, since the tests are about what is compared."""
    if options.get("kind", "labels") == "labels":
        options["measures"] = ["informedness", "accuracy"]
    return ew.compare(data, truth=truth, systems=systems, **options)


WIDE = compare(TRUTH, {"a": FIRST, "b": SECOND})


@settings(max_examples=8)
@given(st.randoms(use_true_random=False))
def test_any_order_of_rows_is_the_wide_table(order: random.Random) -> None:
    tables = [table(FIRST), table(SECOND)]
    shuffled = [item.iloc[order.sample(range(24), 24)] for item in tables]
    joined = compare("y", "p", data=dict(zip("ab", shuffled, strict=True)), join="id")
    assert numbers(joined) == numbers(WIDE)
    long = pd.concat([member.assign(model=name) for name, member in zip("ab", shuffled, strict=True)])
    long = long.iloc[order.sample(range(48), 48)]
    split = compare("y", "p", data=long, system="model", id="id")
    assert numbers(split) == numbers(compare(TRUTH, {x: {"a": FIRST, "b": SECOND}[x] for x in split.names}))


@pytest.mark.parametrize("kind", ["scores", "probabilities"])
def test_numbers_are_joined(tmp_path: Path, kind: str) -> None:
    truth = [int(label == "cat") for label in TRUTH]
    scores = np.random.default_rng(1).random((2, 24)).round(3)
    files = write(
        tmp_path,
        a=table(scores[0].tolist(), y=truth),
        b=table(scores[1].tolist(), y=truth).iloc[::-1],
    )
    joined = compare("y", "p", data=files, join="id", kind=kind)
    assert numbers(joined) == numbers(compare(truth, {"a": scores[0], "b": scores[1]}, kind=kind))


def test_probabilities_of_each_class() -> None:
    drawn = np.random.default_rng(2).dirichlet([2, 2, 2], size=(2, 24)).round(6)
    drawn[:, :, 2] = 1 - drawn[:, :, 0] - drawn[:, :, 1]
    classes = ["p_cat", "p_dog", "p_cow"]
    first, second = (
        pd.DataFrame({"id": IDS, "y": TRUTH}).assign(**dict(zip(classes, x.T, strict=True))) for x in drawn
    )
    joined = ew.compare({"a": first, "b": second.iloc[::-1]}, truth="y", systems=classes, join="id")
    frames = {"a": pd.DataFrame(drawn[0], columns=classes), "b": pd.DataFrame(drawn[1], columns=classes)}
    wide = compare(TRUTH, frames, kind="probabilities")
    assert numbers(joined) == numbers(wide)


def test_truth_comes_from_its_file_alone(tmp_path: Path) -> None:
    """A submission calls its predictions as the solution calls the truth."""
    solution = pd.DataFrame({"id": IDS, "label": TRUTH, "site": SITES})
    files = write(
        tmp_path,
        a=pd.DataFrame({"id": IDS, "label": FIRST}),
        b=pd.DataFrame({"id": IDS, "label": SECOND}),
        gold=solution.iloc[::-1],
    )
    joined = compare("label", "label", data=files[:2], join="id", truth_file=files[2])
    assert numbers(joined) == numbers(WIDE)
    clustered = compare("label", "label", data=files[:2], join="id", truth_file=files[2], cluster="site")
    wide = compare(TRUTH[::-1], {"a": FIRST[::-1], "b": SECOND[::-1]}, cluster=SITES[::-1])
    assert numbers(clustered) == numbers(wide)


def test_columns_of_other_names_and_types(tmp_path: Path) -> None:
    """Numbers of a dataframe are what a file writes: 7 is 7.0 and "7"."""
    truth = [int(label == "cat") for label in TRUTH]
    first, second = ([int(label == "cat") for label in x] for x in (FIRST, SECOND))
    write(tmp_path, a=pd.DataFrame({"id": range(24), "y": truth, "p": first}))
    other = pd.DataFrame({"id": np.arange(24.0), "y": np.array(truth, dtype=float), "guess": second})
    data = {"a": tmp_path / "a.csv", "b": other}
    joined = compare("y", {"a": "p", "b": "guess"}, data=data, join="id")
    assert numbers(joined) == numbers(compare(truth, {"a": first, "b": second}))


def test_several_columns_are_one_id() -> None:
    days = ["mon", "tue"] * 12
    first = table(FIRST, id=[x // 2 for x in range(24)], day=days)
    second = table(SECOND, id=[x // 2 for x in range(24)], day=days).iloc[::-1]
    joined = compare("y", "p", data={"a": first, "b": second}, join=["id", "day"])
    assert numbers(joined) == numbers(WIDE)


def test_slices_of_joined_tables() -> None:
    data = {"a": table(FIRST, site=SITES), "b": table(SECOND).iloc[::-1]}
    joined = compare("y", "p", data=data, join="id", by="site")
    frame = table(FIRST, site=SITES).assign(a=FIRST, b=SECOND)
    wide = compare("y", ["a", "b"], data=frame, by="site")
    assert numbers(joined) == numbers(wide)
    assert joined.report.numbers["slices"] == wide.report.numbers["slices"]


# -- what does not match ------------------------------------------------------------------------------------


def test_unmatched_ids_are_left_out_and_named() -> None:
    data = {"a": table(FIRST).iloc[:20], "b": table(SECOND).iloc[2:]}
    joined = compare("y", "p", data=data, join="id")
    assert numbers(joined) == numbers(compare(TRUTH[2:20], {"a": FIRST[2:20], "b": SECOND[2:20]}))
    assert len(joined.notices) == 1
    for text in ("18 cases", "2 in a (id 'q0'; id 'q1')", "4 in b (id 'q20'; id 'q21'; id 'q22'; …)"):
        assert text in joined.notices[0]
    with pytest.raises(InputError, match=r"2 in a .*'q0'; id 'q1'"):
        compare("y", "p", data=data, join="id", unmatched="error")
    with pytest.raises(InputError, match="no id is in all of a, b"):
        compare("y", "p", data={"a": table(FIRST).iloc[:9], "b": table(SECOND).iloc[9:]}, join="id")


def test_what_cannot_be_joined(tmp_path: Path) -> None:
    a, b, twice, gap, other = write(
        tmp_path,
        a=table(FIRST),
        b=table(SECOND),
        twice=pd.concat([table(SECOND), table(SECOND).iloc[[7, 9, 9]]]),
        gap=table(SECOND, id=["", *IDS[1:]]),
        other=table(SECOND, y=[*TRUTH[:5], "hen", *TRUTH[6:]]),
    )

    def join(*files: str, **options: Any) -> ew.Comparison:
        return compare("y", "p", data=list(files), **{"join": "id", **options})

    for files, words in [
        ((a, twice), r"twice has id 'q7' more than once \(1 more"),
        ((a, gap), r"gap.csv: id is missing in row 1"),
        ((a, other), r"id 'q5' has y 'dog' in a and 'hen' in other"),
        ((a, a), r"a.csv is named twice"),
        ((a,), r"two or more tables side by side; saw 1"),
    ]:
        with pytest.raises(ew.EdgeworthError, match=words):
            join(*files)
    with pytest.raises(InputError, match="no column 'key'"):
        join(a, b, join="key")
    with pytest.raises(InputError, match="b has no p for id 'q3'"):
        compare("y", "p", data={"a": table(FIRST), "b": table([*SECOND[:3], None, *SECOND[4:]])}, join="id")
    with pytest.raises(OptionError, match=r"--join COLUMN.*--concatenate"):
        compare("y", ["p", "p2"], data=[a, b])
    with pytest.raises(OptionError, match=r"--join COLUMN"):
        compare("y", ["p", "p2"], data={"a": a, "b": b})
    with pytest.raises(OptionError, match=r"truth_file \(--truth-file\) needs join"):
        compare("y", ["p", "p2"], data=a, truth_file=b)
    with pytest.raises(OptionError, match="--id COLUMN"):
        compare("y", "p", data=a, system="y")


def test_spellings_of_one_truth_agree(tmp_path: Path) -> None:
    """A column with gaps comes out of pandas as 1.0 and 0.0."""
    truth = [int(label == "cat") for label in TRUTH]
    gappy = table(FIRST, y=[None, *map(float, truth[1:])], p=truth)
    files = write(tmp_path, a=gappy, b=table(truth, y=truth))
    assert compare("y", "p", data=files, join="id")["a", "b"]["accuracy"].difference == 0


def test_names_of_systems() -> None:
    assert name_systems(["x/2026.run-1.csv", "x/2026.run-2.jsonl.gz"]) == ["2026.run-1", "2026.run-2"]
    assert name_systems(["a/*.csv", "b/*.csv"]) == ["a", "b"]
    assert name_systems(["x/a/p.csv", "y/a/p.csv"]) == ["x/a/p.csv", "y/a/p.csv"]


# -- numbers of ids -----------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.lists(st.lists(st.text("ab\0é€", max_size=20), min_size=1), min_size=1))
def test_equal_ids_have_one_number(batches: list[list[str]]) -> None:
    cases = number_cases(pa.chunked_array(batches, pa.string()))
    texts = [text for batch in batches for text in batch]
    assert len(set(zip(cases.tolist(), texts, strict=True))) == len(set(texts)) == len(set(cases.tolist()))
    assert number_cases(texts).tolist() == cases.tolist()


# -- the command --------------------------------------------------------------------------------------------


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=table(FIRST), b=table(SECOND, guess=SECOND), gold=table(FIRST))
    words = ["compare", "a.csv", "b.csv", "--truth", "y"]
    message = refused(call(tmp_path, capsys, *words, "--prediction", "p", "--prediction", "guess"))
    assert "--join COLUMN" in message
    assert "--concatenate" in message
    done = call(tmp_path, capsys, *words, "--prediction", "p", "--join", "id", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert '"difference"' in done.stdout
    own = ["--join", "id", "--prediction", "p", "--prediction", "guess", "--truth-file", "gold.csv"]
    done = call(tmp_path, capsys, *words, *own)
    assert done.returncode == 0, done.stderr
    assert "a" in flat(done.stdout)
    three = call(tmp_path, capsys, *words, *["--prediction", "p"] * 3, "--join", "id")
    assert "once for each of 2 files" in refused(three)


# -- grades -------------------------------------------------------------------------------------------------


def test_grades_are_joined_and_repeats_belong_to_an_item(tmp_path: Path) -> None:
    first = pd.DataFrame(
        {"id": [*IDS, *IDS[:5]], "ok": [x == y for x, y in zip(FIRST, TRUTH, strict=True)] + [1] * 5}
    )
    second = pd.DataFrame({"id": IDS[2:], "ok": [x == y for x, y in zip(SECOND, TRUTH, strict=True)][2:]})
    first["ok"], second["ok"] = first["ok"].astype(int), second["ok"].astype(int)
    grades = {
        name: ew.Grades.from_grades(frame["ok"], ids=frame["id"])
        for name, frame in {"a": first, "b": second}.items()
    }
    expected = numbers(ew.compare(grades))
    files = write(tmp_path, a=first, b=second.iloc[::-1])
    joined = ew.compare(files, truth=None, systems="ok", join="id", kind="correct")
    assert numbers(joined) == expected
    assert "2 in a (id 'q0'; id 'q1')" in joined.notices[0]
    long = pd.concat([first.assign(model="a"), second.assign(model="b")])
    assert (
        numbers(ew.compare(long, truth=None, systems="ok", system="model", id="id", kind="grades"))
        == expected
    )
    with pytest.raises(InputError, match="2 in a"):
        ew.compare(files, truth=None, systems="ok", join="id", kind="correct", unmatched="error")


@pytest.mark.parametrize(("kind", "wrong"), [("correct", "perhaps"), ("grades", "lots")])
def test_a_wrong_grade_is_named_by_its_file_and_the_row_there(tmp_path: Path, kind: str, wrong: str) -> None:
    good = pd.DataFrame({"id": IDS, "g": ["1", "0"] * 12})
    bad = good.assign(g=["0", "1", wrong, *["1"] * 21])
    paths = write(tmp_path, a=good, b=bad)
    with pytest.raises(InputError, match=r"g of \S*b\.csv.*row 3") as caught:
        compare(None, "g", data=paths, join="id", kind=kind)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize(
    ("pages", "other_pages", "wanted_message"),
    [
        (["x", "y", "z"], ["x", "y"], "id 'q1' is in two clusters, 'x' and 'z'"),
        (["x", "y", "x"], ["x", "z"], "id 'q2' is in two clusters, 'y' and 'z'"),
    ],
    ids=["repeats in one table", "two tables"],
)
def test_a_joined_item_in_two_clusters_is_named_by_its_id(
    pages: list[str], other_pages: list[str], wanted_message: str
) -> None:
    one = pd.DataFrame({"id": ["q1", "q2", "q1"], "right": [1, 0, 1], "page": pages})
    other = pd.DataFrame({"id": ["q1", "q2"], "right": [1, 0], "page": other_pages})
    with pytest.raises(InputError, match=wanted_message):
        ew.compare(
            {"one": one, "other": other},
            truth=None,
            systems="right",
            join="id",
            kind="correct",
            cluster="page",
        )


def test_grades_and_labels_say_alike_where_they_come_from(tmp_path: Path) -> None:
    rights = {
        name: [int(x == y) for x, y in zip(result, TRUTH, strict=True)] for name, result in SAID.items()
    }
    paths = write(tmp_path, **{name: table(SAID[name], c=rights[name]) for name in SAID})
    labels = ew.compare(paths, truth="y", systems="p", join="id").provenance
    grades = ew.compare(paths, truth=None, systems="c", join="id", kind="correct").provenance
    assert labels.keys() - grades.keys() == {"truth"}
    assert labels["digest"] == grades["digest"] is not None
