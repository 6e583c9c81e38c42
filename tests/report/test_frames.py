"""Results as frames of the caller's library, and as JSON that a published schema describes."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.calculators import evaluate_trec
from edgeworth.errors import OptionError
from edgeworth.report.report import Report, gather_reports

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8")
)
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 120)
DATA = pd.DataFrame(
    {
        "y": TRUTH,
        "guess": np.where(RNG.random(120) < 0.7, TRUTH, 1 - TRUTH),
        "other": np.where(RNG.random(120) < 0.5, TRUTH, 1 - TRUTH),
        "p": (0.3 + 0.3 * TRUTH + 0.2 * RNG.random(120)).round(3),
        "r": RNG.random(120).round(3),
        "q": np.arange(120) % 8,
        "right": (RNG.random(120) < 0.6).astype(int),
        "wrong": (RNG.random(120) < 0.4).astype(int),
    }
)
REPORTS: dict[str, dict[str, Any]] = {
    "labels": {"truth": "y", "prediction": "guess", "positive": 1, "measures": ["F1"], "bets": True},
    "scores": {"truth": "y", "score": "p", "positive": 1, "depth": 10},
    "queries": {"truth": "y", "score": "p", "positive": 1, "query": "q"},
    "probabilities": {"truth": "y", "probabilities": "p", "positive": 1, "against": "r"},
    "grades": {"correct": "right", "id": "q", "guess_rate": 0.25},
}
COMPARISONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "labels": (["guess", "other"], {"positive": 1}),
    "scores": (["p", "r"], {"kind": "scores", "positive": 1}),
    "queries": (["p", "r"], {"kind": "scores", "positive": 1, "query": "q"}),
    "probabilities": (["p", "r"], {"kind": "probabilities", "positive": 1}),
}
FRAMES = {"pandas": DATA, "polars": pl.from_pandas(DATA), "pyarrow": pa.Table.from_pandas(DATA)}


def rows_of(frame: Any) -> list[dict[str, Any]]:
    if isinstance(frame, pd.DataFrame):
        frame = frame.astype(object).where(frame.notna(), None)
        return list(frame.to_dict("records"))
    return list(frame.to_pylist() if isinstance(frame, pa.Table) else frame.to_dicts())


@cache
def evaluated(name: str, library: str = "pandas") -> Report:
    return ew.evaluate(FRAMES[library], **REPORTS[name])


@cache
def compared(name: str, library: str = "pandas") -> ew.Comparison:
    systems, options = COMPARISONS[name]
    return ew.compare(FRAMES[library], truth="y", systems=systems, **options)


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_in_is_a_frame_of_the_same_library_out(library: str) -> None:
    report, comparison = evaluated("labels", library), compared("labels", library)
    for frame in (report.to_frame(), comparison.to_frame(), evaluated("labels").to_frame(library)):
        assert type(frame) is type(FRAMES[library])
    assert rows_of(report.to_frame()) == rows_of(evaluated("labels").to_frame())


def test_a_row_is_an_estimate() -> None:
    report = evaluated("labels")
    rows = {row["measure"]: row for row in rows_of(report.to_frame())}
    table = ew.ContingencyTable.from_labels(DATA.y, DATA.guess)
    assert next(iter(rows)) == "f"
    for name in ("informedness", "kappa", "recall[0]", "f[1]"):
        known, row = ew.estimate(table, name), rows[name]
        results = (row["value"], row["low"], row["high"], row["p"], row["cases"])
        assert results == pytest.approx((known.value, *known.interval(), known.p_value(), 120))
        assert (row["system"], row["by"], row["slice"]) == ("guess", None, None)


@pytest.mark.parametrize("name", REPORTS)
def test_every_kind_has_rows_with_values_in_their_intervals(name: str) -> None:
    rows = rows_of(evaluated(name).to_frame())
    assert len({row["measure"] for row in rows}) == len(rows) > 0
    for row in rows:
        assert row["low"] is None or row["low"] <= row["value"] <= row["high"]
        assert row["p"] is None or 0 <= row["p"] <= 1


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_comparison_has_a_row_a_pair_and_measure(name: str) -> None:
    comparison = compared(name)
    rows = {row["measure"]: row for row in rows_of(comparison.to_frame())}
    assert set(rows) == set(comparison.measures)
    for measure, row in rows.items():
        known = comparison[row["first"], row["second"]][measure]
        assert row["value"] == pytest.approx(known.difference)
        assert (row["p_adjusted"] is None) == (measure != comparison.findings.headline)


@pytest.mark.parametrize("against", [None, "r"])
def test_the_p_of_a_score_is_that_of_the_paired_test_in_the_verdict(against: str | None) -> None:
    """Against SciPy's paired t test, with the scores of each case by their definitions."""
    report = ew.evaluate(DATA, truth="y", probabilities="p", positive=1, against=against)
    rows = {row["measure"]: row for row in rows_of(report.to_frame())}
    real = TRUTH.astype(float)
    other = np.full(120, real.mean()) if against is None else DATA.r.to_numpy()

    def brier(chances: Any) -> Any:
        return (chances - real) ** 2

    def log(chances: Any) -> Any:
        return -np.log(np.where(real == 1, chances, 1 - chances))

    for name, score in (("brier", brier), ("log", log)):
        known = stats.ttest_rel(score(DATA.p.to_numpy()), score(other)).pvalue
        assert rows[name]["p"] == pytest.approx(known, rel=1e-6)
        low, high = (report.numbers["sequences"][name][end] for end in ("low", "high"))
        assert (known < 0.05) == (low > 0 or high < 0)


def test_scores_of_ordered_cases_have_no_p_beside_their_confidence_sequence() -> None:
    report = ew.evaluate(DATA, truth="y", probabilities="p", positive=1, against="r", ordered=True)
    rows = {row["measure"]: row for row in rows_of(report.to_frame())}
    assert rows["brier"]["p"] is None
    assert rows["accuracy"]["p"] is not None


def test_values_of_items() -> None:
    lists = rows_of(evaluated("queries").to_frame(items=True))
    item = ew.measure_each(ew.RankedLists.from_scores(DATA.y, DATA.p, groups=DATA.q), "average_precision")
    results = {row["item"]: row["value"] for row in lists if row["measure"] == "average_precision"}
    assert results == pytest.approx({str(query): value for query, value in item.items()})
    grades = rows_of(evaluated("grades").to_frame(items=True))
    means = DATA.groupby("q").right.mean()
    assert {row["item"]: row["value"] for row in grades if row["measure"] == "accuracy"} == pytest.approx(
        {str(query): value for query, value in means.items()}
    )
    with pytest.raises(OptionError, match="there is no value per item for labels"):
        evaluated("labels").to_frame(items=True)


def test_an_unknown_library_is_refused() -> None:
    with pytest.raises(OptionError, match="pandas, polars, pyarrow"):
        evaluated("labels").to_frame("excel")


def test_intervals_unpack_and_index() -> None:
    for result in (
        ew.estimate(ew.Ranking.from_hits([1, 0, 1, 0]), "roc_auc"),
        compared("labels")["guess", "other"]["accuracy"],
    ):
        low, high = result.interval()
        assert (low, high) == (result.interval()[0], result.interval()[-1])
        assert math.isfinite(low + high)


def runs(folder: Path) -> Report:
    (folder / "qrels").write_text("".join(f"{q} 0 d{i} {i % 3}\n" for q in range(5) for i in range(6)))
    for name, sign in (("one", 1), ("two", -1)):
        lines = (f"{q} Q0 d{i} 1 {sign * (i * q % 7)} {name}\n" for q in range(5) for i in range(8))
        (folder / name).write_text("".join(lines))
    return evaluate_trec(folder / "qrels", [folder / "one", folder / "two"], measures=["nDCG@3", "AP"])


def test_runs_are_systems(tmp_path: Path) -> None:
    report = runs(tmp_path)
    rows = rows_of(report.to_frame("polars"))
    assert [(Path(row["system"]).name, row["measure"].partition("(")[0]) for row in rows] == [
        *(("one", "ndcg@3"), ("one", "average_precision"), ("two", "ndcg@3"), ("two", "average_precision"))
    ]
    assert len(rows_of(report.to_frame("polars", items=True))) == 2 * 2 * 5


def test_the_schema_describes_the_json_of_every_kind(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    check = jsonschema.Draft202012Validator(SCHEMA)
    texts = [evaluated(name).to_json() for name in REPORTS]
    texts += [compared(name).to_json() for name in COMPARISONS]
    texts += [runs(tmp_path).to_json(), gather_reports({"a": evaluated("scores")}).to_json()]
    kinds = set()
    for text in texts:
        report = json.loads(text)
        kinds.add(report["kind"])
        check.validate(report)
    assert kinds == {
        "decisions",
        "ranking",
        "lists",
        "probabilities",
        "grades",
        "comparison",
        "trec",
        "several",
    }


def test_the_schema_refuses_what_is_no_report() -> None:
    report = json.loads(evaluated("labels").to_json())
    check = jsonschema.Draft202012Validator(SCHEMA)
    for damage in ({"schema": "edgeworth.report/2"}, {"estimates": {"x": {}}}, {"verdict": None}):
        assert not check.is_valid(report | damage)
    assert not check.is_valid({name: value for name, value in report.items() if name != "estimates"})
