"""Weights: whole numbers count cases and the report says so; with sampling weights nothing is exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 120)
GOOD, BAD = (np.where(RNG.random(120) < share, TRUTH, 1 - TRUTH) for share in (0.9, 0.6))
COUNTS = RNG.integers(1, 4, 120)
FORMS = {
    "labels": {"a": GOOD, "b": BAD},
    "scores": {name: item + RNG.random(120) for name, item in (("a", GOOD), ("b", BAD))},
}


def notices(
    kind: str, tmp_path: Path, weight: Any, *, is_file: bool, **options: Any
) -> list[tuple[str, ...]]:
    """The warnings of a comparison and of an evaluation, of arrays or of a file."""
    systems: Any = FORMS[kind]
    columns: dict[str, Any] = {"truth": TRUTH, "weight": weight}
    if is_file:
        rows = np.column_stack([TRUTH, *systems.values(), weight])
        text = "\n".join(",".join(f"{x:.12g}" for x in row) for row in rows.tolist())
        path = tmp_path / "rows.csv"
        path.write_text(f"truth,a,b,weight\n{text}\n")
        columns, systems = {"truth": "truth", "weight": "weight"}, {"a": "a", "b": "b"}
        options["data"] = str(path)
    form = {"labels": "prediction", "scores": "score"}[kind]
    compared = ew.compare(
        truth=columns["truth"], systems=systems, kind=kind, weight=columns["weight"], **options
    )
    judged = ew.evaluate(options.pop("data", None), **columns, **{form: systems["a"]}, **options)
    return [compared.report.warnings, judged.warnings]


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize("kind", FORMS)
def test_whole_weights_are_said_to_count_cases(kind: str, is_file: bool, tmp_path: Path) -> None:
    wanted = f"120 rows count as {COUNTS.sum()} cases"
    for notice in notices(kind, tmp_path, COUNTS, is_file=is_file):
        assert sum(wanted in member for member in notice) == 1
    for weight, options in ((COUNTS, {"weight_kind": "counts"}), (np.ones(120, int), {}), (COUNTS / 2, {})):
        for notice in notices(kind, tmp_path, weight, is_file=is_file, **options):
            assert not any("are taken as" in entry for entry in notice)


def test_counted_scores_of_a_file_are_those_of_repeated_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = zip(TRUTH, *FORMS["scores"].values(), COUNTS, strict=True)
    path.write_text("truth,a,b,weight\n" + "".join(f"{t},{a},{b},{w}\n" for t, a, b, w in rows))
    systems = {"a": "a", "b": "b"}
    counted = ew.compare(str(path), truth="truth", systems=systems, kind="scores", weight="weight")
    repeated = {name: np.repeat(member, COUNTS) for name, member in FORMS["scores"].items()}
    expected = ew.compare(truth=np.repeat(TRUTH, COUNTS), systems=repeated, kind="scores")["a", "b"][
        "roc_auc"
    ]
    assert counted["a", "b"]["roc_auc"].interval() == pytest.approx(expected.interval())


def test_sampling_weights_make_no_test_exact_and_rows_are_counted() -> None:
    compared = ew.compare(truth=TRUTH, systems=FORMS["labels"], weight=RNG.uniform(0.5, 2, 120).round(3))
    accuracy = compared["a", "b"]["accuracy"]
    assert {tail.kind for tail in accuracy.tests.values()} <= {"approximation", "drawn"}
    assert "exact" not in compared.verdict
    [rows] = compared.findings.disagreements
    assert (rows["disagreements"], rows["cases"]) == ((GOOD != BAD).sum(), 120)
    assert any("tests are approximate" in warning for warning in compared.report.warnings)
