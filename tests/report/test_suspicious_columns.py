"""Copies of a column, columns of one value and identifiers that repeat are named in reports and previews."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from command_line import call
from edgeworth.cli.preview_commands import suggest_clusters
from edgeworth.sources.columns import encode

Capture = pytest.CaptureFixture[str]
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 120)
LABELS = np.where(RNG.random(120) < 0.8, TRUTH, 1 - TRUTH)
SCORES = LABELS * 0.5 + RNG.random(120) / 2.5
SAME = "are identical in every case. Did you pass the same column or file twice?"
ONE_VALUE = "in every case, so it cannot distinguish cases. Is this the right column?"


def warnings_of(answer: Any) -> tuple[str, ...]:
    warnings: tuple[str, ...] = getattr(answer, "report", answer).warnings
    return warnings


COMPARED: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "labels": (LABELS, lambda systems: ew.compare(truth=TRUTH, systems=systems)),
    "labels in clusters": (
        LABELS,
        lambda systems: ew.compare(truth=TRUTH, systems=systems, cluster=np.arange(120) // 2),
    ),
    "scores": (SCORES, lambda systems: ew.compare(truth=TRUTH, systems=systems, kind="scores")),
    "queries": (
        SCORES,
        lambda s: ew.compare(truth=TRUTH, systems=s, kind="scores", query=np.arange(120) // 12),
    ),
    "probabilities": (SCORES, lambda systems: ew.compare(truth=TRUTH, systems=systems, kind="probabilities")),
    "grades": (SCORES, lambda systems: ew.compare(truth=None, systems=systems, kind="grades")),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_systems_that_are_identical_or_constant_are_named(kind: str) -> None:
    own, compare = COMPARED[kind]
    other = own[::-1].copy()
    assert not any(SAME in x or ONE_VALUE in x for x in warnings_of(compare({"a": own, "b": other})))
    copies = warnings_of(compare({"a": own, "b": other, "c": own.copy()}))
    assert [x for x in copies if SAME in x] == [f"a and c {SAME}"]
    constant = np.full(120, own[0])
    results = [x for x in warnings_of(compare({"a": own, "b": constant})) if ONE_VALUE in x]
    assert len(results) == 1
    assert results[0].startswith("b is ")


def test_systems_that_differ_in_one_case_are_two() -> None:
    almost = LABELS.copy()
    almost[7] = 1 - almost[7]
    assert not any(
        SAME in x for x in warnings_of(ew.compare(truth=TRUTH, systems={"a": LABELS, "b": almost}))
    )
    paired = ew.tally(truth=TRUTH, prediction={"a": LABELS, "b": LABELS})
    assert f"a and b {SAME}" in warnings_of(ew.evaluate(paired))


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"truth": TRUTH, "prediction": np.ones(120, dtype=int)}, "The prediction is 1 "),
        ({"truth": TRUTH, "score": np.full(120, 0.25)}, "The score is the same "),
        ({"truth": TRUTH, "probabilities": np.full(120, 0.25)}, "The probability is the same "),
        ({"truth": TRUTH, "probabilities": np.tile([0.25, 0.75], (120, 1))}, "The probability is the same "),
        ({"grade": np.full(120, 0.25)}, "The grade is 0.250 "),
    ],
)
def test_one_value_in_every_case_is_named(options: dict[str, Any], start: str) -> None:
    assert f"{start}{ONE_VALUE}" in warnings_of(ew.evaluate(**options))
    varied = {name: np.asarray(values).copy() for name, values in options.items()}
    form = next(name for name in varied if name != "truth")
    varied[form] = varied[form][::-1].copy()
    varied[form][0] = 1 - varied[form][0]
    assert not any(ONE_VALUE in x for x in warnings_of(ew.evaluate(**varied)))


def test_right_in_every_case_is_a_result() -> None:
    perfect = ew.compare(truth=TRUTH, systems={"a": TRUTH, "b": TRUTH.copy(), "c": LABELS})
    assert not any(SAME in x for x in warnings_of(perfect))
    answers = {"a": np.ones(40), "b": np.ones(40), "c": np.arange(40) % 3 > 0}
    assert not any(
        SAME in x or ONE_VALUE in x
        for x in warnings_of(ew.compare(truth=None, systems=answers, kind="correct"))
    )
    answers["d"] = answers["c"].copy()
    assert f"c and d {SAME}" in warnings_of(ew.compare(truth=None, systems=answers, kind="correct"))
    assert not any(ONE_VALUE in x for x in warnings_of(ew.evaluate(correct=[True] * 40)))
    few = ew.evaluate(truth=[0, 1, 0], prediction=[1, 1, 1])
    assert not any(ONE_VALUE in x for x in warnings_of(few))


def frame(**more: Any) -> pd.DataFrame:
    columns = {"case_id": np.arange(120) // 2, "truth": TRUTH, "a": LABELS, "b": 1 - LABELS}
    return pd.DataFrame(columns | more)


def repeats_of(answer: Any) -> list[str]:
    return [x for x in warnings_of(answer) if "more than once" in x]


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_identifiers_that_repeat_are_named(kind: str, tmp_path: Path) -> None:
    data: Any = frame()
    if kind != "frame":
        path = tmp_path / f"cases.{kind}"
        data.to_csv(path, index=False) if kind == "csv" else data.to_parquet(path)
        data = path
    text = "60 values occur more than once in the column 'case_id', but each row counts as a case."
    for result in (
        ew.evaluate(data, truth="truth", prediction="a"),
        ew.compare(data, truth="truth", systems=["a", "b"]),
        ew.evaluate(ew.tally(data, truth="truth", prediction="a")),
    ):
        (warning,) = repeats_of(result)
        assert warning.startswith(text)
        assert "--cluster case_id" in warning
    # What the warning advises ends it.
    assert not repeats_of(ew.evaluate(data, truth="truth", prediction="a", cluster="case_id"))
    assert not repeats_of(ew.evaluate(data, truth="truth", prediction="a", by="case_id"))


def test_identifiers_that_differ_are_not_named() -> None:
    assert not repeats_of(ew.evaluate(frame(case_id=np.arange(120)), truth="truth", prediction="a"))
    other = frame().rename(columns={"case_id": "patient"})
    assert not repeats_of(ew.evaluate(other, truth="truth", prediction="a"))


def test_a_preview_names_all_three(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "cases.csv"
    frame(copy=LABELS, model="m1", split=0).to_csv(path, index=False)
    text = call(tmp_path, capsys, "preview", str(path)).stdout
    assert "Check first:\n" in text
    assert "  'a' and 'copy' are identical.\n" in text
    assert "  'model' and 'split' have only one value.\n" in text
    assert "60 values occur more than once in the column 'case_id'" in text
    fine = tmp_path / "fine.csv"
    frame(case_id=np.arange(120)).to_csv(fine, index=False)
    assert "Check first" not in call(tmp_path, capsys, "preview", str(fine)).stdout


@pytest.mark.parametrize(
    ("name", "values", "hint"),
    [
        (
            "customer",
            np.arange(120) // 2,
            "customer repeats (2 rows each): if rows of one customer are alike",
        ),
        (
            "Patient_ID",
            [f"p{x % 50}" for x in range(120)],
            "Patient_ID repeats (about 2.4 rows each): if rows ",
        ),
        ("meta.session id", np.arange(120) // 4, "add --cluster 'meta.session id'"),
        ("customer", np.arange(120), None),
        ("customer", np.arange(120) // 1.15 // 1, None),
        ("customer", np.arange(120) % 10, None),
        ("customer", np.arange(120) // 2 + 0.5, None),
        ("colour", np.arange(120) // 2, None),
    ],
)
def test_a_preview_suggests_clusters_for_units_that_repeat(
    name: str, values: Any, hint: str | None, tmp_path: Path, capsys: Capture
) -> None:
    table = frame().drop(columns="case_id").assign(**{name: values})
    table.to_csv(tmp_path / "t.csv", index=False)
    text = call(tmp_path, capsys, "preview", "t.csv").stdout
    assert ("--cluster" in text) == (hint is not None)
    if hint is not None:
        assert hint in text.splitlines()[-1]
        assert text.splitlines()[-2] == ""


def test_a_preview_suggests_no_clusters_for_columns_in_use_and_search_runs() -> None:
    columns = {"customer": encode(np.arange(40) // 2, "customer")}
    assert suggest_clusters(columns, ["evaluate {} --truth y --prediction p"])
    assert not suggest_clusters(columns, ["evaluate {} --truth y --score customer"])
    assert not suggest_clusters(columns, ["evaluate {} --truth y --query q --score s"])
    assert not suggest_clusters(columns, ["ledger {}"])
