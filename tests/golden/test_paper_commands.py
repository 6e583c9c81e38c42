"""What the papers describe, asked of the command: mixtures, costs of errors, clusters, survival, cuts."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.rankings.threshold_report import shifted_precision

Capture = pytest.CaptureFixture[str]


def report_of(folder: Path, capsys: Capture, *words: str) -> dict[str, Any]:
    done = call(folder, capsys, *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


# -- mixtures ----------------------------------------------------------------------------------------------


def mixed(real: list[Fraction], guess: list[Fraction], informed: Fraction) -> list[list[Fraction]]:
    """Deal 100 cases out one by one: known with this chance, otherwise guessed."""
    return [
        [
            100 * r * (informed * ((i == k) if informed >= 0 else -(i != k)) + (1 - abs(informed)) * g)
            for k, r in enumerate(real)
        ]
        for i, g in enumerate(guess)
    ]


@pytest.mark.parametrize("informed", ["0.15", "1", "0", "-0.5"])
def test_a_mixture_is_what_the_fractions_say(informed: str, tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".7,.3", "--predicted", ".8,.2", f"--informed={informed}"]
    report = report_of(tmp_path, capsys, *words)
    wanted = mixed([Fraction(7, 10), Fraction(3, 10)], [Fraction(8, 10), Fraction(2, 10)], Fraction(informed))
    counted = report["tally"]["counts"]
    assert counted == [pytest.approx([float(x) for x in row], abs=1e-9) for row in wanted]
    assert report["estimates"]["informedness"]["value"] == pytest.approx(float(informed), abs=1e-12)


def test_whole_cases_of_a_mixture_have_exact_tests(tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".3,.7", "--predicted", ".3,.7", "--informed", ".2", "--cases", "1000"]
    report = report_of(tmp_path, capsys, *words)
    assert report["tally"]["counts"] == [[132, 168], [168, 532]]
    assert report["guessing"]["at_least"]["kind"] == "exact"


def test_mixtures_that_are_none(tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".3,.7", "--predicted", ".3,.7", "--informed"]
    assert "above 0" in refused(call(tmp_path, capsys, *words, ".2", "--cases", "0"))
    assert "between 0 and 1" in refused(call(tmp_path, capsys, *words, "1.5"))


# -- costs of errors ---------------------------------------------------------------------------------------

COUNTED = ["table", "30 20; 10 40", "--rows", "predicted", "--labels", "ill,well"]


def test_costs_are_those_of_the_fractions(tmp_path: Path, capsys: Capture) -> None:
    costs = report_of(tmp_path, capsys, *COUNTED, "--costs", "0 1; 10 0")["costs"]
    # 20 false alarms and 10 misses; guessing 50 : 50 against 40 : 60; always ill alarms the 60.
    assert costs["total"] == 120
    assert costs["per_case"]["value"] == pytest.approx(1.2)
    guessing = float(Fraction(50 * 60 * 1 + 50 * 40 * 10, 100**2))
    assert costs["at_guessing"] == pytest.approx(guessing)
    assert costs["saved"]["value"] == pytest.approx(guessing - 1.2)
    assert (costs["best_constant"], costs["at_best_constant"]) == ("ill", pytest.approx(0.6))
    assert costs["saved_against_best_constant"]["value"] == pytest.approx(-0.6)
    assert costs["saved"]["low"] < costs["saved"]["value"] < costs["saved"]["high"]


def test_costs_of_two_classes_are_tested_as_informedness_is(tmp_path: Path, capsys: Capture) -> None:
    """With the margins fixed the saving is a multiple of the hits, so the two p-values are one."""
    report = report_of(
        tmp_path, capsys, "table", "24 16; 26 34", "--rows", "predicted", "--costs", "0 1; 10 0"
    )
    exact = report["guessing"]["either_way"]["p_value"]
    draws_error = (exact * (1 - exact) / 9999) ** 0.5
    assert report["costs"]["p_value"] == pytest.approx(exact, abs=4 * draws_error)


@pytest.mark.parametrize(
    "text", ["predicted,ill,well\nill,0,1\nwell,10,0\n", "actual,well,ill\nwell,0,1\nill,10,0\n"]
)
def test_costs_from_a_file_go_by_label(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "costs.csv").write_text(text, encoding="utf-8")
    assert report_of(tmp_path, capsys, *COUNTED, "--costs", "costs.csv")["costs"]["total"] == 120


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("0 1; 10", "2 rows of 2, 1 numbers"),
        ("0 x; 10 0", "not a number"),
        ("0 1 2; 3 4 5; 6 7 8", "2 by 2"),
        ("none.csv", "CSV file"),
        ("short.csv", "no cost for predicting 'well' when 'ill'"),
        ("turned.csv", "rows must be"),
        ("empty.csv", "CSV file"),
    ],
)
def test_costs_that_are_none(given: str, message: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "short.csv").write_text("predicted,ill,well\nill,0,1\n", encoding="utf-8")
    (tmp_path / "turned.csv").write_text(",ill,well\nill,0,1\nwell,1,0\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    assert message in refused(call(tmp_path, capsys, *COUNTED, "--costs", given))


def test_costs_mean_nothing_with_scores(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.csv").write_text("y,s\n1,2\n0,1\n", encoding="utf-8")
    words = ["evaluate", "a.csv", "--truth", "y", "--score", "s", "--costs", "0 1; 1 0"]
    assert "costs is not supported" in refused(call(tmp_path, capsys, *words))


# -- clusters ----------------------------------------------------------------------------------------------


def clusters_file(folder: Path, *, informed: bool) -> None:
    """Five classes in eight clusters, of pure noise or of cases that are mostly where they belong."""
    rng = np.random.default_rng(3)
    truth, clusters = rng.integers(0, 5, 100), rng.integers(0, 8, 100)
    clusters = np.where(rng.random(100) < 0.6 * informed, (truth + 2) % 8, clusters)
    lines = [f"class{y},{c}" for y, c in zip(truth, clusters, strict=True)]
    (folder / "clusters.csv").write_text("y,c\n" + "\n".join(lines) + "\n", encoding="utf-8")


MATCHED = ["evaluate", "clusters.csv", "--truth", "y", "--prediction", "c", "--match"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["one", "many"])
def test_clusters_are_matched_and_tested_by_matching_again(how: str, tmp_path: Path, capsys: Capture) -> None:
    clusters_file(tmp_path, informed=False)
    report = report_of(tmp_path, capsys, *MATCHED, how)
    table = ew.tally(tmp_path / "clusters.csv", truth="y", prediction="c").final
    direct = ew.match(table, one_to_one=how == "one")
    assert report["matching"]["mapping"] == {str(k): v for k, v in direct.mapping.items()}
    assert report["matching"]["informedness"] == pytest.approx(direct.informedness)
    assert report["guessing"]["at_least"]["p_value"] == direct.test().p_value > 0.1
    assert not report["is_conclusive"]
    matched = ew.estimate(direct.table, "informedness(abstentions=zero_weight)").value
    assert matched == pytest.approx(direct.informedness)


def test_clusters_that_know_something(tmp_path: Path, capsys: Capture) -> None:
    clusters_file(tmp_path, informed=True)
    report = report_of(tmp_path, capsys, *MATCHED, "one")
    assert {report["matching"]["mapping"][str(y + 2)] for y in range(5)} == {f"class{y}" for y in range(5)}
    assert report["is_conclusive"]
    assert report["guessing"]["at_least"]["p_value"] == 0.001


def test_catch_all_clusters_are_no_decision(tmp_path: Path, capsys: Capture) -> None:
    clusters_file(tmp_path, informed=True)
    report = report_of(tmp_path, capsys, *MATCHED, "one", "--abstain", "0,7.0")
    counted = (tmp_path / "clusters.csv").read_text(encoding="utf-8").split()[1:]
    away = sum(line.endswith((",0", ",7")) for line in counted)
    left_out = {k for k, label in report["matching"]["mapping"].items() if label is None}
    away += sum(line.rpartition(",")[2] in left_out for line in counted)
    assert away == sum(report["tally"]["abstained"])
    assert not {"0", "7"} & set(report["matching"]["mapping"])


def test_several_labels_that_mean_no_decision(tmp_path: Path, capsys: Capture) -> None:
    """As if they were one label, in memory, in files and by way of tallies."""
    several, one = ["1,1", "0,none", "1,?", "0,0", "1,0"], ["1,1", "0,-", "1,-", "0,0", "1,0"]
    for name, lines in (("several.csv", several), ("one.csv", one)):
        (tmp_path / name).write_text("y,p\n" + "\n".join(lines * 5) + "\n", encoding="utf-8")
    words = ["--truth", "y", "--prediction", "p", "--abstain"]
    wanted = report_of(tmp_path, capsys, "evaluate", "one.csv", *words, "-")["tally"]
    assert report_of(tmp_path, capsys, "evaluate", "several.csv", *words, "none,?")["tally"] == wanted
    assert call(tmp_path, capsys, "tally", "several.csv", *words, "none,?", "-o", "t.json").returncode == 0
    assert report_of(tmp_path, capsys, "report", "t.json")["tally"] == wanted
    truth, predicted = zip(*(line.split(",") for line in several * 5), strict=True)
    tally = ew.evaluate(truth=truth, prediction=predicted, abstain=["none", "?"]).numbers["tally"]
    assert tally["counts"] == wanted["counts"]
    assert tally["abstained"] == wanted["abstained"]


def test_what_cannot_be_matched(tmp_path: Path, capsys: Capture) -> None:
    clusters_file(tmp_path, informed=True)
    (tmp_path / "w.csv").write_text("y,c,g\na,1,0.5\nb,2,0.25\n", encoding="utf-8")
    weighted = ["evaluate", "w.csv", "--truth", "y", "--prediction", "c", "--match", "one"]
    assert "independent cases" in refused(call(tmp_path, capsys, *weighted, "--weight", "g"))
    assert "independent cases" in refused(call(tmp_path, capsys, *weighted, "--cluster", "g"))
    assert "count" in refused(call(tmp_path, capsys, *MATCHED, "one", "--abstentions", "drop"))


# -- scores: the survival view, usual cuts, another prevalence ---------------------------------------------

RANKED = ["evaluate", "scores.csv", "--truth", "y", "--score", "s"]


def scores_file(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    truth = (rng.random(300) < 0.2).astype(int)
    scores = np.round(rng.normal(size=300) + 1.2 * truth, 2)
    lines = [f"{y},{s}" for y, s in zip(truth, scores, strict=True)]
    (folder / "scores.csv").write_text("y,s\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return truth, scores


def test_the_survival_view_on_the_command(tmp_path: Path, capsys: Capture) -> None:
    ranking = ew.Ranking.from_scores(*scores_file(tmp_path))
    report = report_of(tmp_path, capsys, *RANKED, "--method", "survival")
    wanted = ew.estimate(ranking, "average_precision", method=ew.methods.Survival())
    shown = next(x for name, x in report["estimates"].items() if name.startswith("average_precision"))
    assert (shown["low"], shown["high"]) == pytest.approx(tuple(wanted.interval(0.95))[:2])
    assert any("--method" in warning for warning in report["warnings"])
    usual = report_of(tmp_path, capsys, *RANKED, "--method", "influence")
    assert not any("--method" in warning for warning in usual["warnings"])


def test_usual_cuts_are_the_best_of_all(tmp_path: Path, capsys: Capture) -> None:
    truth, scores = scores_file(tmp_path)
    cuts = {cut["chosen_for"]: cut for cut in report_of(tmp_path, capsys, *RANKED)["cuts"]}
    taken = [scores >= threshold for threshold in np.unique(scores)]
    recalls = np.array([(item & (truth == 1)).sum() / (truth == 1).sum() for item in taken])
    fallouts = np.array([(member & (truth == 0)).sum() / (truth == 0).sum() for member in taken])
    assert cuts["highest informedness"]["informedness"] == pytest.approx((recalls - fallouts).max())
    assert cuts["fallout at most 5%"]["recall"] == pytest.approx(recalls[fallouts <= 0.05].max())
    off = min(abs(entry.sum() - truth.sum()) for entry in taken)
    assert abs(cuts["as many predicted as actual targets"]["depth"] - truth.sum()) == off
    for cut in cuts.values():
        own = scores >= cut["threshold"]
        assert cut["depth"] == own.sum()
        assert cut["precision"] == pytest.approx(truth[own].mean())


def test_the_prevalence_of_the_data_changes_nothing(tmp_path: Path, capsys: Capture) -> None:
    truth, scores = scores_file(tmp_path)
    report = report_of(tmp_path, capsys, *RANKED, "--prevalence", repr(float(truth.mean())))
    wanted = ew.measure(ew.Ranking.from_scores(truth, scores), "average_precision(ties=threshold)")
    assert report["prevalence"]["average_precision"] == pytest.approx(wanted)
    for cut in report["cuts"]:
        assert cut["shifted_precision"]["value"] == pytest.approx(cut["precision"])
        assert cut["shifted_precision"]["low"] < cut["precision"] < cut["shifted_precision"]["high"]


def test_another_prevalence_is_that_of_copies(tmp_path: Path, capsys: Capture) -> None:
    """Ten copies of each of the others are data in which targets are rarer."""
    truth, scores = scores_file(tmp_path)
    copies = np.where(truth == 1, 1, 10)
    rarer = np.repeat(truth, copies), np.repeat(scores, copies)
    report = report_of(tmp_path, capsys, *RANKED, "--prevalence", repr(float(rarer[0].mean())))
    wanted = ew.measure(ew.Ranking.from_scores(*rarer), "average_precision(ties=threshold)")
    assert report["prevalence"]["average_precision"] == pytest.approx(wanted)
    for cut in report["cuts"]:
        assert cut["shifted_precision"]["value"] == pytest.approx(
            rarer[0][rarer[1] >= cut["threshold"]].mean()
        )
    claim, cut = report["claims"][-1], report["cuts"][-1]
    assert claim["about"] == "prevalence"
    assert cut["chosen_for"] == "as many predicted as actual targets"
    stated = report["prevalence"]
    wanted = cut["shifted_precision"] | {
        "average_precision": stated["average_precision"],
        "prevalence": stated["share"],
    }
    assert claim["numbers"] == wanted
    assert report["verdict"].endswith(claim["text"])
    assert "between 0 and 1" in refused(call(tmp_path, capsys, *RANKED, "--prevalence", "1"))


@pytest.mark.parametrize(
    ("counts", "value", "low", "high"),
    [
        ([[5, 0], [5, 9]], 1.0, None, 1.0),
        ([[0, 5], [9, 5]], 0.0, 0.0, None),
        ([[0, 0], [9, 5]], None, 0.0, 1.0),
    ],
)
def test_precision_elsewhere_at_the_ends(
    counts: list[list[int]], value: float | None, low: float | None, high: float | None
) -> None:
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["+", "-"]).declare(positive="+")
    result = shifted_precision(table, 0.1, 0.95)
    for wanted, got in zip((value, low, high), result, strict=True):
        assert np.isnan(got) or 0 <= got <= 1
        assert wanted is None or got == wanted
    assert np.isnan(result[0]) == (value is None)


def test_odds_are_shown_as_the_bookmaker_says_them(tmp_path: Path, capsys: Capture) -> None:
    stdout = call(tmp_path, capsys, "table", "12 28; 18 42", "--rows", "predicted", "--bets", "--full").stdout
    assert "3.33  7:3" in stdout
    assert "1.43  3:7" in stdout


@pytest.mark.parametrize(
    ("counts", "odds"),
    [
        ("58.1 20.4; 11.9 9.6", ("3:7", "7:3")),
        ("47.6 24.9; 22.4 5.1", ("3:7", "7:3")),
        ("1.5 0.25; 0.5 1.75", ("1:1", "1:1")),
        ("1.41421 1; 1 1", ("0.8284:1", "1.207:1")),
    ],
)
def test_odds_for_fractional_counts(
    counts: str, odds: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    """Figure 1's third and fourth model have 70 and 30 cases, which floats miss by a little."""
    shown = call(tmp_path, capsys, "table", counts, "--rows", "predicted", "--bets", "--full").stdout
    assert tuple(re.findall(r"\d\.\d\d  (\S+:\d+) ", shown)) == odds
