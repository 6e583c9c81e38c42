"""What changed between two reports: Newcombe's interval for proportions, slices, and what is gone or new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import (  # type: ignore[import-untyped]  # it has no stubs
    confint_proportions_2indep,
)

import edgeworth as ew
from command_line import call, refused
from edgeworth.errors import InputError
from edgeworth.report.changes import diff_reports
from gate_files import write_log


def write_report(path: Path, right: int, items: int, **options: Any) -> Path:
    grades = [1] * right + [0] * (items - right)
    ew.evaluate(correct=grades, **options).to_json(path)
    return path


def changes(old: Path, new: Path) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = diff_reports(old, new).to_dict()["changes"]
    return result


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_two_proportions_have_newcombes_interval(tmp_path: Path, level: float) -> None:
    old = write_report(tmp_path / "old.json", 140, 200)
    new = write_report(tmp_path / "new.json", 230, 300)
    [change] = changes(old, new)
    wanted = confint_proportions_2indep(230, 300, 140, 200, method="newcomb", compare="diff")
    assert (change["low"], change["high"]) == pytest.approx(wanted, abs=1e-9)
    assert change["difference"] == pytest.approx(230 / 300 - 0.7)
    assert not change["is_shown"]
    # An interval of another level is brought to 95% by its width, which is close to Newcombe's.
    wide = write_report(tmp_path / "wide.json", 230, 300, level=level)
    [change] = changes(old, wide)
    assert (change["low"], change["high"]) == pytest.approx(wanted, abs=0.004)


def test_a_clear_change_is_named_and_a_small_one_is_not(tmp_path: Path) -> None:
    old = write_report(tmp_path / "old.json", 300, 400)
    report = diff_reports(old, write_report(tmp_path / "new.json", 220, 400))
    assert report.to_dict()["changes"][0]["is_shown"]
    assert "1 of 1 value changed by more than noise: accuracy went from 75.0% to 55.0%" in report.verdict
    still = diff_reports(old, write_report(tmp_path / "still.json", 296, 400))
    assert "(1 value compared): accuracy went from 75.0% to 74.0%, −1.0 point" in still.verdict


def test_equal_reports_are_called_noise_in_at_least_95_percent(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    shown = 0
    for _ in range(60):
        pair = [write_report(tmp_path / f"{k}.json", int(rng.binomial(150, 0.7)), 150) for k in range(2)]
        shown += changes(*pair)[0]["is_shown"]
    assert shown <= 8  # P(more | 5%) < 0.005


def test_slices_and_what_is_gone_or_new(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    paths = []
    for name, topics in (("old", ["law", "art"]), ("new", ["law", "code"])):
        right, by = rng.integers(0, 2, 200), {"topic": rng.choice(topics, 200)}
        ew.evaluate(correct=right, by=by).to_json(tmp_path / f"{name}.json")
        paths.append(tmp_path / f"{name}.json")
    report = diff_reports(*paths)
    assert [row["part"] for row in report.to_dict()["changes"]] == ["", "topic law"]
    assert "Gone slice or requirement: topic art." in report.verdict
    assert "New slice or requirement: topic code." in report.verdict


def test_the_note_says_that_slices_are_not_paired(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = {"item": np.arange(200).astype(str), "topic": rng.choice(["law", "art"], 200)}
    for name in ("old", "new"):
        table = pd.DataFrame(frame | {"right": rng.integers(0, 2, 200)})
        ew.evaluate(table, correct="right", id="item", by="topic").to_json(tmp_path / f"{name}.json")
    report = diff_reports(tmp_path / "old.json", tmp_path / "new.json")
    assert [row["pairs"] for row in report.to_dict()["changes"]] == [200, None, None]
    text = " ".join(str(report).split())
    assert "values of all cases are paired on the 200 items" in text
    assert "values of slices are compared as two independent samples" in text
    assert "do not hold the same single cases" not in text


def test_the_same_data_are_not_called_noise(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("right\n" + "1\n0\n1\n1\n" * 20)
    for name, level in (("a", 0.9), ("b", 0.95)):
        ew.evaluate(table, correct="right", level=level).to_json(tmp_path / f"{name}.json")
    report = diff_reports(tmp_path / "a.json", tmp_path / "b.json")
    assert report.verdict.startswith("Both reports are on the same data.")
    assert not any(row["is_shown"] for row in report.to_dict()["changes"])


def test_systems_of_comparisons(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for name, systems in (("old", "abc"), ("new", "abd")):
        truth = rng.integers(0, 2, 200)
        given = {system: np.where(rng.random(200) < 0.8, truth, 1 - truth) for system in systems}
        ew.compare(truth=truth, systems=given).to_json(tmp_path / f"{name}.json")
    report = diff_reports(tmp_path / "old.json", tmp_path / "new.json")
    assert {row["system"] for row in report.to_dict()["changes"]} == {"a", "b"}
    assert "Gone system: c. New system: d." in report.verdict


def test_what_cannot_be_compared_says_why(tmp_path: Path) -> None:
    report = write_report(tmp_path / "report.json", 3, 4)
    other = tmp_path / "other.json"
    for text, reason in (
        ("{", "is not JSON"),
        ("[]", "not an Edgeworth report"),
        (json.dumps({"schema": "edgeworth.report/1", "kind": "lists"}), "different kinds"),
        (
            json.dumps({"schema": "edgeworth.report/1", "kind": "grades"}),
            "no measure with an interval in common",
        ),
    ):
        other.write_text(text)
        with pytest.raises(InputError, match=reason):
            diff_reports(report, other)
    with pytest.raises(InputError, match=r"nothing\.json does not exist"):
        diff_reports(report, tmp_path / "nothing.json")


def test_reports_on_the_same_queries_are_paired(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    truth, query = rng.integers(0, 2, 400), np.repeat(np.arange(40), 10)
    base = truth + rng.normal(0, 1, 400)
    for name, noise in (("old", 0.8), ("new", 0.3)):
        scores = base + np.random.default_rng(1).normal(0, noise, 400)
        ew.evaluate(truth=truth, score=scores, query=query).to_json(tmp_path / f"{name}.json")
    reports = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("old", "new")]
    results = {row["measure"]: row for row in changes(tmp_path / "old.json", tmp_path / "new.json")}
    for measure in ("average_precision", "ndcg@10", "reciprocal_rank"):
        old, new = ([values[measure] for values in report["queries"].values()] for report in reports)
        test = stats.ttest_rel(new, old)
        assert results[measure]["pairs"] == 40
        assert results[measure]["p_value"] == pytest.approx(test.pvalue)
        bounds = test.confidence_interval(0.95)
        assert (results[measure]["low"], results[measure]["high"]) == pytest.approx(tuple(bounds))


def test_reports_on_the_same_items_are_paired_by_id_and_others_are_not(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    ids = [f"q{number}" for number in range(120)]
    old = rng.integers(0, 2, 120)
    new = np.where(rng.random(120) < 0.15, 1, old)
    order = rng.permutation(120)
    ew.evaluate(correct=old, id=ids).to_json(tmp_path / "old.json")
    ew.evaluate(correct=new[order], id=[ids[index] for index in order]).to_json(tmp_path / "new.json")
    [change] = changes(tmp_path / "old.json", tmp_path / "new.json")
    gains = int((new > old).sum())
    assert change["p_value"] == pytest.approx(stats.binomtest(gains, gains).pvalue)
    bounds = stats.ttest_rel(new, old).confidence_interval(0.95)
    assert (change["low"], change["high"]) == pytest.approx(tuple(bounds))
    ew.evaluate(correct=new, id=[f"r{number}" for number in range(120)]).to_json(tmp_path / "other.json")
    report = diff_reports(tmp_path / "old.json", tmp_path / "other.json")
    assert report.to_dict()["changes"][0]["pairs"] is None
    note = str(report.sections[0].grids[0].note)
    assert "compared as two independent samples" in note
    assert "conservative as long as the systems tend to err on the same ones" in note
    assert "For the paired answer, run edgeworth compare" in note


@pytest.mark.parametrize("kind", ["prediction", "score", "probabilities"])
def test_other_kinds_are_independent_samples(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(13)
    for name in ("old", "new"):
        truth = rng.integers(0, 2, 300)
        score = truth + rng.normal(0, 1, 300)
        given = {"prediction": (score > 0.5) * 1, "score": score, "probabilities": 1 / (1 + np.exp(-score))}
        ew.evaluate(truth=truth, **{kind: given[kind]}).to_json(tmp_path / f"{name}.json")
    result = changes(tmp_path / "old.json", tmp_path / "new.json")
    assert result
    for row in result:
        assert row["pairs"] is None
        assert row["difference"] == pytest.approx(row["new"] - row["old"])
        assert row["low"] <= row["difference"] <= row["high"]


@pytest.mark.parametrize("kind", ["score", "probabilities"])
def test_values_at_a_threshold_chosen_from_the_data_are_no_changes(tmp_path: Path, kind: str) -> None:
    """Recall there was called changed in 10% to 14% of 120 pairs of equal systems: the threshold moved."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    for name in ("old", "new"):
        score = 1.2 * truth + rng.normal(0, 1, 300)
        given = {"score": score, "probabilities": 1 / (1 + np.exp(-1.2 * (score - 0.6)))}
        report = ew.evaluate(truth=truth, **{kind: given[kind]})
        assert report.to_dict()["best_cut"]
        report.to_json(tmp_path / f"{name}.json")
    result = changes(tmp_path / "old.json", tmp_path / "new.json")
    assert result
    assert not {"recall", "precision", "informedness"} & {row["measure"] for row in result}


def test_other_columns_of_one_file_are_other_data(tmp_path: Path) -> None:
    rng = np.random.default_rng(14)
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rng.integers(0, 2, (80, 2))))
    for column in "ab":
        ew.evaluate(table, correct=column).to_json(tmp_path / f"{column}.json")
    assert not diff_reports(tmp_path / "a.json", tmp_path / "b.json").to_dict()["is_same_data"]


def test_equal_clustered_reports_on_the_same_items_are_called_noise(tmp_path: Path) -> None:
    """Paired by items, 40% of 200 such samples were called changed: items of a cluster change together."""
    rng = np.random.default_rng(15)
    ids, clusters, shown = list(range(200)), np.repeat(np.arange(20), 10), 0
    for _ in range(60):
        for name in ("old", "new"):
            right = rng.random(200) < rng.beta(0.7, 0.3, 20)[clusters]
            report = ew.evaluate(correct=right.astype(int), id=ids, cluster=clusters)
            report.to_json(tmp_path / f"{name}.json")
        [change] = changes(tmp_path / "old.json", tmp_path / "new.json")
        assert change["pairs"] is None
        shown += change["is_shown"]
    assert shown <= 8  # P(more | 5%) < 0.005
    note = str(diff_reports(tmp_path / "old.json", tmp_path / "new.json").sections[0].grids[0].note)
    assert "allow for clusters" in note
    assert "single items are not paired" in note


def test_a_clear_change_of_clustered_reports_is_named_if_both_are_clustered(tmp_path: Path) -> None:
    rng = np.random.default_rng(16)
    ids, clusters = list(range(400)), np.repeat(np.arange(40), 10)
    for name, rate in (("old", 0.4), ("new", 0.8)):
        right = (rng.random(400) < rng.beta(5 * rate, 5 * (1 - rate), 40)[clusters]).astype(int)
        ew.evaluate(correct=right, id=ids, cluster=clusters).to_json(tmp_path / f"{name}.json")
        ew.evaluate(correct=right, id=ids).to_json(tmp_path / f"{name}-items.json")
    [change] = changes(tmp_path / "old.json", tmp_path / "new.json")
    assert change["is_shown"]
    half = diff_reports(tmp_path / "old.json", tmp_path / "new-items.json")
    assert not half.to_dict()["changes"][0]["is_shown"]
    assert "only one report allows for clusters (use --cluster in both)" in half.verdict


def write_seconds(path: Path, seconds: np.ndarray[Any, Any], **options: Any) -> Path:
    ew.evaluate(grade=seconds, lower_is_better=True, **options).to_json(path)
    return path


@pytest.mark.parametrize("is_paired", [True, False])
def test_equal_means_with_rare_time_outs_are_called_noise(tmp_path: Path, is_paired: bool) -> None:
    """The old system has 3% time-outs and the new one is slower by their mean: most samples lack them."""
    rng, items, shown = np.random.default_rng(17), 60, 0
    ids = {"id": list(range(items))} if is_paired else {}
    for _ in range(60):
        usual = rng.uniform(1, 2, items)
        old = np.where(rng.random(items) < 0.03, 61.5, usual)
        slower = usual + 1.8 + rng.normal(0, 0.1, items)
        pair = [write_seconds(tmp_path / "old.json", old, **ids)]
        pair.append(write_seconds(tmp_path / "new.json", slower, **ids))
        shown += changes(*pair)[0]["is_shown"]
    assert shown == 0
    without = write_seconds(tmp_path / "without.json", usual, **ids)
    verdict = diff_reports(without, tmp_path / "new.json").verdict
    assert "No change is more than noise" in verdict
    assert "a rare large value could reverse a change of the mean of 60 items" in verdict


@pytest.mark.parametrize("is_paired", [True, False])
def test_a_change_of_many_grades_is_named_unless_a_few_items_like_the_worst_reverse_it(
    tmp_path: Path, is_paired: bool
) -> None:
    rng, items = np.random.default_rng(18), 400
    ids = {"id": list(range(items))} if is_paired else {}
    usual = rng.uniform(1, 2, items)
    old = write_seconds(tmp_path / "old.json", usual, **ids)
    new = usual + rng.uniform(0.2, 0.4, items)
    assert changes(old, write_seconds(tmp_path / "new.json", new, **ids))[0]["is_shown"]
    # Five items that are faster by 30 seconds move a mean of 400 by 0.375.
    new[1:] += 0.05
    new[0] = usual[0] - 30
    [change] = changes(old, write_seconds(tmp_path / "worst.json", new, **ids))
    assert not change["is_shown"]


def test_a_known_range_bounds_what_unseen_items_can_do(tmp_path: Path) -> None:
    points = np.tile([1.0, 2.0, 3.0], 20)
    ids, scale = list(range(60)), (0, 5)
    paths = {}
    for name, gain in (("old", 0.0), ("small", 0.2), ("large", 0.3)):
        noise = np.tile([-0.01, 0.01], 30) if gain else 0.0
        paths[name] = tmp_path / f"{name}.json"
        ew.evaluate(grade=points + gain + noise, id=ids, grade_range=scale).to_json(paths[name])
    # Three items at the other end of the range move a mean of 60 by 3 * 5 / 60 = 0.25.
    [small], [large] = changes(paths["old"], paths["small"]), changes(paths["old"], paths["large"])
    assert not small["is_shown"]
    assert small["no_claim"] == "3 more items at the other end of the range would reverse this"
    assert large["is_shown"]
    assert large["no_claim"] is None


WRONG = (None, True, 0, 1e200, 10**400, "x", [], {"x": [1]}, float("nan"))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the path of every value, but only one element of a list."""
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    return [path, *(index for name, item in inner for index in places(item, (*path, name)))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["grades", "queries", "comparison", "gate"])
def test_a_field_of_another_type_is_read_or_refused(tmp_path: Path, kind: str) -> None:
    grades = [0.2, 0.5, 0.9, 1.0, 0.7, 0.1]
    answers = [1, 1, 0, 1, 0, 1, 1, 1]
    made: dict[str, Any] = {
        "grades": lambda: ew.evaluate(grade=grades, id=list(range(6)), by={"k": list("xyxyxy")}),
        "queries": lambda: ew.evaluate(
            truth=[1, 0, 0, 1, 0] * 3, score=[n % 7 for n in range(15)], query=[n // 5 for n in range(15)]
        ),
        "comparison": lambda: ew.compare(systems={"a": answers, "b": [*answers[1:], 0]}, kind="correct"),
        "gate": lambda: ew.check(truth=[0, 1] * 4, prediction=answers, require="accuracy >= 0.3"),
    }
    good = tmp_path / "good.json"
    good.write_text(made[kind]().to_json())
    whole = json.loads(good.read_text())
    for name in ("sections", "charts", "claims", "warnings", "provenance"):
        whole.pop(name, None)  # they are not read
    outcomes, sentences = set(), []
    for index in places(whole)[1:]:
        for wrong in WRONG:
            *above, last = index
            changed = json.loads(json.dumps(whole))
            target = changed
            for step in above:
                target = target[step]
            target[last] = wrong
            path = tmp_path / "changed.json"
            path.write_text(json.dumps(changed))
            try:
                str(diff_reports(path, good))
                outcomes.add("read")
            except InputError as error:
                sentences.append(str(error))
                outcomes.add("refused")
    assert all("changed.json" in sentence for sentence in sentences)
    assert outcomes == {"read", "refused"}


def test_a_change_of_the_last_system_of_a_folder_is_no_change_of_options(tmp_path: Path) -> None:
    """The digest of a leaderboard covers the logs of all systems."""
    right = [1] * 60 + [0] * 40
    for folder, last in (("old", right), ("new", right[::-1]), ("copy", right)):
        (tmp_path / folder).mkdir()
        for model, answers in (("a", right), ("b", last)):
            write_log(tmp_path / folder / f"{model}.json", answers, model=model)
        ew.evaluate(tmp_path / folder).to_json(tmp_path / f"{folder}.json")
    changed = diff_reports(tmp_path / "old.json", tmp_path / "new.json").to_dict()
    assert not changed["is_same_data"]
    assert "same data" not in str(changed["verdict"])
    assert diff_reports(tmp_path / "old.json", tmp_path / "copy.json").to_dict()["is_same_data"]
    provenance = json.loads((tmp_path / "old.json").read_text())["provenance"]
    assert [Path(name).name for name in provenance["source"].split(", ")] == ["a.json", "b.json"]


def test_a_report_in_place_of_data_is_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, prediction = [1, 0] * 20, [1, 0] * 18 + [0, 1] * 2
    ew.evaluate(truth=truth, prediction=prediction).to_json(tmp_path / "report.json")
    ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.5").to_json(tmp_path / "gate.json")
    for name in ("report.json", "gate.json"):
        for words in (["evaluate", name], ["preview", name], ["evaluate", name, "--correct", "verdict"]):
            expected = f"{name} is an Edgeworth report: edgeworth diff compares two of them"
            assert expected in refused(call(tmp_path, capsys, *words))
    # An object with another schema is a table.
    (tmp_path / "t.json").write_text('{"schema": "mine/1", "rows": [{"right": 1}, {"right": 0}]}')
    assert ew.evaluate(tmp_path / "t.json", correct="right").numbers["estimates"]["accuracy"]["value"] == 0.5
