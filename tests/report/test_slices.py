"""Slices: each says what its cases say alone, weakest first, with intervals and p-values for all at once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.core.measures import Combination
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import NewcombeLaw
from edgeworth.errors import InputError, OptionError
from edgeworth.report.report import Report

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 600)
SITE = RNG.choice(["north", "south", "tiny"], 600, p=[0.5, 0.47, 0.03])
SURE = np.where(SITE == "south", 0.55, 0.9)
DATA = pd.DataFrame(
    {
        "y": TRUTH,
        "site": SITE,
        "lang": RNG.choice(["en", "fr"], 600),
        "guess": np.where(RNG.random(600) < SURE, TRUTH, 1 - TRUTH),
        "other": np.where(RNG.random(600) < 0.6, TRUTH, 1 - TRUTH),
        "p": (0.25 + 0.3 * TRUTH * SURE + 0.3 * RNG.random(600)).round(3),
        "r": RNG.random(600).round(3),
        "q": np.arange(600) % 60,
        "right": (RNG.random(600) < SURE).astype(int),
        "points": RNG.normal(size=600).round(3),
    }
)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "labels": ("informedness", {"truth": "y", "prediction": "guess", "positive": 1}),
    "clusters": ("informedness", {"truth": "y", "prediction": "guess", "positive": 1, "cluster": "q"}),
    "scores": ("average_precision", {"truth": "y", "score": "p", "positive": 1}),
    "queries": ("average_precision", {"truth": "y", "score": "p", "positive": 1, "query": "q"}),
    "probabilities": ("brier[model]", {"truth": "y", "probabilities": "p", "positive": 1}),
    "right or wrong": ("accuracy", {"correct": "right"}),
    "grades": ("mean", {"grade": "points"}),
    "a measure": ("f", {"truth": "y", "prediction": "guess", "positive": 1, "measures": ["F1"]}),
}
SYSTEMS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "labels": (["guess", "other"], {"positive": 1}),
    "scores": (["p", "r"], {"kind": "scores", "positive": 1}),
    "queries": (["p", "r"], {"kind": "scores", "positive": 1, "query": "q"}),
    "probabilities": (["p", "r"], {"kind": "probabilities", "positive": 1}),
}


@cache
def evaluated(name: str) -> Report:
    return ew.evaluate(DATA, by="site", **KINDS[name][1])


@pytest.mark.parametrize("name", KINDS)
def test_a_slice_says_what_its_cases_say_alone(name: str) -> None:
    measure, options = KINDS[name]
    found = evaluated(name).numbers["slices"]
    assert found["measure"] == measure
    assert found["level_of_each"] == pytest.approx(1 - 0.05 / 3)
    assert {row["slice"] for row in found["slices"]} == {"north", "south", "tiny"}
    for row in found["slices"]:
        alone = ew.evaluate(DATA[DATA.site == row["slice"]], level=1 - 0.05 / 3, **options)
        known = next(x for x in alone.rows() if x["measure"] == measure)
        wanted = [known[x] for x in ("value", "low", "high", "p", "cases")]
        seen = [row[x] for x in ("value", "low", "high", "p_value", "cases")]
        if name in ("labels", "clusters", "right or wrong"):  # these have exact bounds instead of Wilson's
            assert seen[1] < seen[0] < seen[2]
            del seen[1:3], wanted[1:3]
        assert [np.nan if x is None else x for x in seen] == pytest.approx(wanted, nan_ok=True)


def test_shares_in_slices_have_exact_bounds() -> None:
    """Clopper and Pearson's; of informedness those of recall and of fallout, added."""

    def bounds(hits: Any) -> Any:
        return stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(1 - 0.05 / 3)

    for row in evaluated("right or wrong").numbers["slices"]["slices"]:
        exact = bounds(DATA.right[DATA.site == row["slice"]])
        assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))
    for row in evaluated("labels").numbers["slices"]["slices"]:
        part = DATA[DATA.site == row["slice"]]
        recall, fallout = (bounds(part.guess[part.y == label]) for label in (1, 0))
        ends = recall.low - fallout.high, recall.high - fallout.low
        assert (row["low"], row["high"]) == pytest.approx(ends)


@pytest.mark.parametrize(("recall", "fallout"), [(0.99, 0.01), (0.95, 0.05), (0.9, 0.02), (0.7, 0.3)])
@pytest.mark.parametrize("sizes", [(15, 15), (10, 40), (30, 30)])
def test_intervals_of_fifty_slices_hold_together(
    sizes: tuple[int, int], recall: float, fallout: float
) -> None:
    """Exact sums over all outcomes, of informedness and of one share alone."""
    level, law = 1 - 0.05 / 50, [stats.binom(*x) for x in zip(sizes, (recall, fallout), strict=True)]
    covered = alone = 0.0
    for hits in range(sizes[0] + 1):
        shares = [np.array([each], dtype=float) for each in (hits, sizes[0])]
        low, high = NewcombeLaw(Combination(0.0, np.ones(1), *shares)).outer_interval(level)
        alone += law[0].pmf(hits) * (low <= recall <= high)
        for alarms in range(sizes[1] + 1):
            counts = np.array([hits, alarms], dtype=float), np.array(sizes, dtype=float)
            two = NewcombeLaw(Combination(0.0, np.array([1.0, -1.0]), *counts))
            low, high = two.outer_interval(level)
            covered += law[0].pmf(hits) * law[1].pmf(alarms) * (low <= recall - fallout <= high)
    assert min(alone, covered) ** 50 >= 0.95


@pytest.mark.parametrize("name", KINDS)
def test_the_weakest_comes_first_and_p_values_are_those_of_holm(name: str) -> None:
    rows = evaluated(name).numbers["slices"]["slices"]
    values = [row["value"] for row in rows]
    assert values == sorted(values, reverse=name == "probabilities")
    p_values = [np.nan if row["p_value"] is None else row["p_value"] for row in rows]
    adjusted = [np.nan if row["adjusted_p_value"] is None else row["adjusted_p_value"] for row in rows]
    assert adjusted == pytest.approx(holm(p_values).tolist(), nan_ok=True)


def test_only_a_slice_that_is_shown_weaker_is_called_so() -> None:
    report = evaluated("labels")
    rows = {row["slice"]: row for row in report.numbers["slices"]["slices"]}
    assert [name for name, row in rows.items() if row["is_shown"]] == ["south"]
    text = next(section for section in report.sections if section.title == "By site").text
    assert "south" in text[0]
    assert "1 slice has fewer than 30 independent cases" in text[1]
    assert "By site" in report.to_html()
    assert "By site" in str(report)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_compared_in_each_slice_as_alone(name: str) -> None:
    systems, options = SYSTEMS[name]
    whole = ew.compare(DATA, truth="y", systems=systems, by="site", **options)
    found = whole.report.numbers["slices"]
    headline, level = found["measure"], found["level_of_each"]
    assert headline == whole.findings.headline
    defined = [row for row in found["slices"] if row["undefined"] is None]
    assert level == pytest.approx(1 - 0.05 / len(defined))
    for row in defined:
        alone = ew.compare(DATA[DATA.site == row["slice"]], truth="y", systems=systems, **options)
        known = alone[row["first"], row["second"]][headline]
        assert row["value"] == pytest.approx(known.difference)
        interval = [np.nan if row[end] is None else row[end] for end in ("low", "high")]
        assert interval == pytest.approx(list(known.interval(level)), nan_ok=True)
        assert row["p_value"] == pytest.approx(known.p_value(), nan_ok=True)
    frame = whole.to_frame()
    assert set(frame.slice.dropna()) == {row["slice"] for row in found["slices"]}


def test_a_difference_has_one_sign_wherever_it_is_told() -> None:
    """First less second, as given: in pairs, claims, slices, frames, CSV; with the level of each interval."""
    truth, better = DATA.y, {"guess": DATA.guess, "other": DATA.other}
    for names in (["guess", "other"], ["other", "guess"]):
        whole = ew.compare(DATA, truth="y", systems=names, by="site", positive=1, measures=["accuracy"])
        plain, frame = whole.to_dict(), whole.to_frame()

        def known(cases: Any, names: list[str] = names) -> float:
            first, second = ((better[name] == truth)[cases].mean() for name in names)
            return float(first - second)

        pair, claim = plain["comparison"]["pairs"][0], plain["claims"][0]["numbers"]
        everything = np.full(600, True)
        found = [(pair | pair["measures"]["accuracy"], everything), (claim, everything)]
        slices = plain["slices"]["slices"]
        found += [({**row, "difference": row["value"]}, DATA.site == row["slice"]) for row in slices]
        rows = frame.assign(difference=frame.value).to_dict("records")
        found += [(row, everything if pd.isna(row["by"]) else DATA.site == row["slice"]) for row in rows]
        assert len(found) == 2 + 3 + 4
        for row, cases in found:
            assert [row["first"], row["second"]] == names
            assert row["difference"] == pytest.approx(known(cases))
            assert row["low"] <= row["difference"] <= row["high"]
        assert claim["better"] == "guess"
        assert "baseline" not in frame.columns
        assert frame.level.tolist() == pytest.approx([0.95, *[1 - 0.05 / 3] * 3])
        line = dict(zip(*(each.split(",") for each in whole.to_csv().splitlines()[:2]), strict=True))
        assert [line["first"], line["second"]] == names
        assert float(line["difference"]) == pytest.approx(known(everything))
        # Tables for people show the better system first, and name the difference.
        grid = next(section for section in whole.report.sections if section.title == "By site").grids[0]
        assert grid.columns[2].name == "accuracy, guess − other"
        shown = {str(row[0]): row[2] for row in grid.rows}
        sign = 1 if names[0] == "guess" else -1
        assert shown == pytest.approx({row["slice"]: sign * row["value"] for row in slices})


def test_slices_of_three_systems_say_who_is_better_than_whom() -> None:
    data = DATA.assign(third=np.where(RNG.random(600) < 0.95, DATA.y, 1 - DATA.y))
    options: dict[str, Any] = {"positive": 1, "measures": ["accuracy"], "by": "lang"}
    report = ew.compare(data, truth="y", systems=["other", "third", "guess"], **options).report
    text = " ".join(next(section for section in report.sections if section.title == "By lang").text)
    shown = [row for row in report.numbers["slices"]["slices"] if row["is_shown"]]
    assert shown
    for row in shown:
        worse = row["second"] if row["better"] == row["first"] else row["first"]
        assert f"{row['better']} is better than {worse} in " in text


def test_grades_are_compared_in_slices() -> None:
    data = DATA.assign(wrong=1 - DATA.right)
    found = ew.compare(data, truth=None, systems=["right", "wrong"], kind="correct", by="lang").report
    assert {row["slice"] for row in found.numbers["slices"]["slices"]} == {"en", "fr"}


@pytest.mark.parametrize("seed", range(3))
def test_slices_of_partial_credit_are_compared_by_the_mean_of_all(tmp_path: Path, seed: int) -> None:
    """A slice that happens to hold only 0s and 1s is compared by the mean too, in frames and joins."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"id": np.arange(200), "topic": rng.integers(0, 8, 200).astype(str)})
    for name in ("a", "b"):
        data[name] = rng.integers(0, 2, 200).astype(float)
    data.loc[data.topic == "0", "a"] = 0.5
    whole = ew.compare(data, truth=None, systems=["a", "b"], kind="grades", by="topic")
    for name in ("a", "b"):
        columns = data[["id", "topic", name]].rename(columns={name: "points"})
        columns.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    joined = ew.compare(files, truth=None, systems="points", kind="grades", join="id", by="topic")
    means = data.groupby("topic")[["a", "b"]].mean()
    for comparison in (whole, joined):
        found = comparison.report.numbers["slices"]
        assert found["measure"] == comparison.findings.headline == "mean"
        assert len(found["slices"]) == 8
        for row in found["slices"]:
            known = means.loc[row["slice"]]
            assert row["value"] == pytest.approx(known[row["first"]] - known[row["second"]])


def test_frames_files_and_arrays_have_the_same_slices(tmp_path: Path) -> None:
    DATA.to_csv(tmp_path / "data.csv", index=False)
    arrays: dict[str, Any] = {"truth": DATA.y, "prediction": DATA.guess.tolist(), "positive": 1}
    found = [
        evaluated("labels"),
        ew.evaluate(pl.from_pandas(DATA), by=["site"], **KINDS["labels"][1]),
        ew.evaluate(str(tmp_path / "data.csv"), by="site", **KINDS["labels"][1]),
        ew.evaluate(by={"site": DATA.site.to_numpy()}, **arrays),
    ]
    assert all(each.numbers["slices"] == found[0].numbers["slices"] for each in found[1:])


def test_several_columns_are_one_family() -> None:
    found = ew.evaluate(DATA, by=["site", "lang"], **KINDS["labels"][1]).numbers["slices"]
    assert found["level_of_each"] == pytest.approx(0.99)
    assert {(row["by"], row["slice"]) for row in found["slices"]} == {
        *(("site", name) for name in ("north", "south", "tiny")),
        *(("lang", name) for name in ("en", "fr")),
    }


def test_a_slice_without_a_value_says_why_and_rows_without_a_slice_are_one() -> None:
    data = DATA.assign(part=np.where(TRUTH == 1, "all real", None))
    report = ew.evaluate(data, by="part", **KINDS["labels"][1])
    found = report.numbers["slices"]["slices"]
    said = next(section.text for section in report.sections if section.title == "By part")
    assert [text.partition(": ")[::2] for text in said] == [
        ("2 slices have no informedness", "only one class occurs.")
    ]
    assert {row["slice"]: row["cases"] for row in found} == {
        "all real": float(TRUTH.sum()),
        "(no value)": float(600 - TRUTH.sum()),
    }
    assert all("class occurs" in row["undefined"] for row in found)


def test_fifty_slices_are_shown_and_the_others_counted() -> None:
    report = ew.evaluate(DATA, by="q", correct="right")
    section = next(section for section in report.sections if section.title == "By q")
    assert len(section.grids[0].rows) == 50
    assert "50 of 60" in section.grids[0].note
    assert len(report.numbers["slices"]["slices"]) == 60


def test_slices_of_joined_tables_are_rows_of_a_column_that_a_table_has(tmp_path: Path) -> None:
    data = DATA.assign(id=np.arange(600))
    data[["id", "y", "site", "guess"]].to_csv(tmp_path / "a.csv", index=False)
    data[["id", "y", "other"]].rename(columns={"other": "guess"}).to_csv(tmp_path / "b.csv", index=False)
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    joined = ew.compare(files, truth="y", systems="guess", join="id", by="site", positive="1")
    wide = ew.compare(DATA, truth="y", systems=["guess", "other"], by="site", positive=1)
    values = [[row["value"] for row in x.report.numbers["slices"]["slices"]] for x in (joined, wide)]
    assert values[0] == pytest.approx(values[1])


def test_what_cannot_be_sliced_is_refused() -> None:
    with pytest.raises(InputError, match="no column 'sit'; did you mean 'site'"):
        ew.evaluate(DATA, by="sit", **KINDS["labels"][1])
    with pytest.raises(OptionError, match="has 1,001 values"):
        ew.evaluate(correct=[1] * 1001, by=list(range(1001)))
    with pytest.raises(OptionError, match="by has no meaning with a tally"):
        ew.evaluate(ew.ContingencyTable.from_labels(DATA.y, DATA.guess), by="site")


def test_the_schema_knows_slices_and_a_frame_has_their_rows() -> None:
    schema = json.loads(
        (Path(__file__).parents[2] / "docs" / "report.schema.json").read_text(encoding="utf-8")
    )
    check = jsonschema.Draft202012Validator(schema)
    compared = ew.compare(DATA, truth="y", systems=["p", "r"], by="site", **SYSTEMS["scores"][1])
    for report in (evaluated("labels"), compared.report):
        check.validate(json.loads(report.to_json()))
    frame = evaluated("labels").to_frame()
    part = frame[frame.by == "site"]
    assert list(part.measure) == ["informedness"] * 3
    assert set(part.system) == {"guess"}
    assert part.p_adjusted.notna().all()


def test_joined_grades_in_slices_that_one_table_knows() -> None:
    """Only the first table has the topic, in another order: each slice is the comparison of its items."""
    rng = np.random.default_rng(4)
    items = pd.DataFrame(
        {"id": np.arange(60), "ok": rng.integers(2, size=60), "topic": rng.choice(["a", "b"], 60)}
    )
    other = pd.DataFrame({"id": np.arange(60)[::-1], "ok": rng.integers(2, size=60)})
    options = {"join": "id", "kind": "correct"}
    found = ew.compare({"one": items, "two": other}, truth=None, systems="ok", by="topic", **options)
    slices = {row["slice"]: row for row in found.report.numbers["slices"]["slices"]}
    assert set(slices) == {"a", "b"}
    for topic, row in slices.items():
        part = items[items.topic == topic]
        alone = ew.compare(
            {"one": part, "two": other[other.id.isin(part.id)]}, truth=None, systems="ok", **options
        )
        assert row["cases"] == len(part)
        assert row["value"] == pytest.approx(alone["one", "two"]["accuracy"].difference, abs=1e-12)


def test_accuracy_of_a_slice_is_judged_by_the_hypergeometric_law() -> None:
    for wrong in range(1, 9):
        right = [1] * 280 + [0] * 20 + [1] * (100 - wrong) + [0] * wrong
        found = ew.evaluate(correct=right, by=["rest"] * 300 + ["slice"] * 100).numbers["slices"]
        shown = {row["slice"]: row["is_shown"] for row in found["slices"]}
        for name, size, failed in (("rest", 300, 20), ("slice", 100, wrong)):
            law = stats.hypergeom(400, 380 - wrong, size)
            assert shown[name] == (law.cdf(size - failed) <= 0.0125)


def test_nothing_is_said_of_small_slices_or_in_sample() -> None:
    data = {"correct": [1] * 180 + [0] * 10 + [1] * 10, "by": ["big"] * 180 + ["small"] * 20}
    assert not any(row["is_shown"] for row in ew.evaluate(**data).numbers["slices"]["slices"])
    data = {"correct": [1] * 180 + [0] * 40, "by": ["big"] * 180 + ["small"] * 40}
    assert any(row["is_shown"] for row in ew.evaluate(**data).numbers["slices"]["slices"])
    fitted = ew.evaluate(**data, predictions_made="in-sample")
    assert not any(row["is_shown"] for row in fitted.numbers["slices"]["slices"])
    assert not any(section.text for section in fitted.sections)


def test_rows_of_a_cluster_are_told_beside_the_independent_cases() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(20), 6)
    truth = rng.integers(0, 2, 120)
    systems = {
        name: np.where(rng.random(120) < share, truth, 1 - truth) for name, share in (("a", 0.9), ("b", 0.6))
    }
    report = ew.compare(truth=truth, systems=systems, cluster=cluster, by={"half": cluster < 10}).report
    [grid] = report.sections[1].grids
    assert [column.name for column in grid.columns][1:3] == ["rows", "independent"]
    assert {row[1:3] for row in grid.rows} == {(60, 10)}
