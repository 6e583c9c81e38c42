"""Comparisons from a file, arrays, dataframes and tallies to a verdict."""

from __future__ import annotations

import csv
import io
import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.core.formatting import format_rounded


def frame(rows: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=rows)
    truth = (strength + rng.normal(size=rows) > 0.5).astype(int)
    sharp, blunt = (strength + spread * rng.normal(size=rows) for spread in (0.3, 1.0))
    return pd.DataFrame(
        {
            "y": truth,
            "a": (sharp > 0.5).astype(int),
            "b": (blunt > 0.5).astype(int),
            "sharp": sharp.round(3),
            "blunt": blunt.round(3),
            "p": (1 / (1 + np.exp(-1.5 * (sharp - 0.5)))).round(4),
            "q": (1 / (1 + np.exp(-0.8 * (blunt - 0.5)))).round(4),
            "query": [f"q{row % 20}" for row in range(rows)],
            "patient": [f"p{row // 4}" for row in range(rows)],
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    frame().to_csv(tmp_path / "x.csv", index=False)
    return tmp_path


def told(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    done = call(folder, capsys, "compare", "x.csv", "--truth", "y", *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def test_two_predictors_from_file_to_verdict(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame()
    done = call(
        file,
        capsys,
        "compare",
        "x.csv",
        "--truth",
        "y",
        "--prediction",
        "a",
        "--prediction",
        "b",
        "--json",
        "o.json",
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((file / "o.json").read_text(encoding="utf-8"))
    assert report["verdict"] in flat(done.stdout)
    assert report["verdict"].startswith("a beats b: informedness ")
    assert ", +0.14 (" in report["verdict"]
    assert report["verdict"].endswith("; 400 cases).")
    assert "exact randomisation p = " in report["verdict"]
    informedness = report["comparison"]["pairs"][0]["measures"]["informedness"]
    rates = [
        float((data[name][data.y == 1] == 1).mean() - (data[name][data.y == 0] == 1).mean()) for name in "ab"
    ]
    assert informedness["difference"] == pytest.approx(rates[0] - rates[1], abs=1e-12)
    right = [(data[name] == data.y) for name in "ab"]
    split = [int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())]
    exact = stats.binomtest(split[0], sum(split)).pvalue
    tests = report["comparison"]["pairs"][0]["measures"]["accuracy"]["tests"]
    assert tests["mcnemar"]["p_value"] == pytest.approx(exact, rel=1e-9)
    # Every swap of accuracy's winners is a coin: the two exact tests are one.
    assert tests["randomisation"]["p_value"] == pytest.approx(exact, rel=1e-9)


def test_file_arrays_frames_and_tally_agree(file: Path) -> None:
    data = frame()
    systems = {"a": data.a.to_numpy(), "b": data.b.to_numpy()}
    wanted = [
        ew.compare(truth=data.y.to_numpy(), systems=systems),
        ew.compare(str(file / "x.csv"), truth="y", systems=["a", "b"]),
        ew.compare(data, truth="y", systems=["a", "b"]),
        ew.compare(pl.from_pandas(data), truth="y", systems={"a": "a", "b": "b"}),
        ew.compare(ew.Paired.from_labels(data.y, systems)),
    ]
    plain = [json.dumps(item.findings.to_dict()) for item in wanted]
    assert len(set(plain)) == 1


def test_scores_agree_with_scikit_learn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame()
    report = told(file, capsys, "--score", "sharp", "--score", "blunt")
    values = report["comparison"]["values"]
    for name in ("sharp", "blunt"):
        assert values[name]["roc_auc"] == pytest.approx(roc_auc_score(data.y, data[name]), abs=1e-12)
    both = ew.compare(
        truth=data.y,
        systems={name: data[name] for name in ("sharp", "blunt")},
        kind="scores",
        measures=["average_precision(ties=threshold)"],
    )
    average_precision = both["sharp", "blunt"]["average_precision"]
    theirs = [average_precision_score(data.y, data[name]) for name in ("sharp", "blunt")]
    assert average_precision.difference == pytest.approx(theirs[0] - theirs[1], abs=1e-12)


def test_queries_are_compared_one_by_one(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame()
    words = ("--score", "sharp", "--score", "blunt", "--query", "query", "--measure", "roc_auc")
    roc_auc = told(file, capsys, *words)["comparison"]["pairs"][0]["measures"]["roc_auc"]
    results = [
        [roc_auc_score(part.y, part[name]) for _, part in data.groupby("query")]
        for name in ("sharp", "blunt")
    ]
    theirs = stats.ttest_rel(*results)
    assert roc_auc["difference"] == pytest.approx(float(np.mean(results[0]) - np.mean(results[1])), abs=1e-12)
    assert roc_auc["tests"]["t"]["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)
    interval = theirs.confidence_interval(0.95)
    assert [roc_auc["low"], roc_auc["high"]] == pytest.approx([interval.low, interval.high], rel=1e-9)


def test_probabilities_bet_against_each_other(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame()
    report = told(file, capsys, "--probability", "p", "--probability", "q")
    values, n = report["comparison"]["values"], len(data)
    for name in ("p", "q"):
        assert values[name]["log"] == pytest.approx(log_loss(data.y, data[name]), rel=1e-12)
        assert values[name]["brier"] == pytest.approx(brier_score_loss(data.y, data[name]), rel=1e-12)
    race = report["comparison"]["race"]["race"]
    wealth = n * (values["q"]["log"] - values["p"]["log"])
    assert race[0]["log_wealth"] == pytest.approx(wealth, rel=1e-9)
    assert race[1]["log_wealth"] == pytest.approx(-wealth, rel=1e-9)
    assert report["verdict"].startswith("p beats q: log score ")
    assert "evidence" not in report["verdict"]
    assert "$" not in report["verdict"]


def test_probabilities_of_each_class_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(2)
    first, second = rng.dirichlet([1, 1, 1], 50), rng.dirichlet([3, 3, 3], 50)
    truth = [["cat", "dog", "owl"][rng.choice(3, p=row)] for row in first]
    columns = {"y": truth}
    columns |= {f"m_{name}": first[:, k].round(6) for k, name in enumerate(("cat", "dog", "owl"))}
    columns |= {f"n_{name}": second[:, k].round(6) for k, name in ((2, "owl"), (0, "cat"), (1, "dog"))}
    pd.DataFrame(columns).to_csv(tmp_path / "x.csv", index=False)
    words = ["--probabilities", "M=m_cat,m_dog,m_owl", "--probabilities", "N=n_owl,n_cat,n_dog"]
    report = told(tmp_path, capsys, *words, "--normalise")
    rows = np.stack([second[:, k].round(6) for k in range(3)], axis=1)
    rows /= rows.sum(axis=1, keepdims=True)
    expected = log_loss(truth, rows, labels=["cat", "dog", "owl"])
    assert report["comparison"]["values"]["N"]["log"] == pytest.approx(expected, rel=1e-9)


def test_identical_systems_cannot_be_told_apart() -> None:
    data = frame()
    systems = {"one": data.a, "two": data.a}
    for kind, measures in (
        ("labels", ["informedness", "f[1]", "mcc"]),
        ("scores", ["average_precision", "roc_auc"]),
    ):
        comparison = ew.compare(truth=data.y, systems=systems, kind=kind, measures=measures)  # type: ignore[arg-type]  # a word of two
        for value in comparison["one", "two"].values():
            assert value.difference == 0
            assert value.p_value() == 1
        assert " the same " in comparison.verdict
    forecasts = ew.compare(truth=data.y, systems={"one": data.p, "two": data.p}, kind="probabilities")
    assert forecasts["one", "two"]["log"].p_value() == 1
    assert forecasts.findings.race is not None
    assert forecasts.findings.race.against("one", "two") == 0


def test_the_verdict_says_what_it_would_take() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 200)
    one, two = (np.where(rng.random(200) < 0.8, truth, 1 - truth) for _ in range(2))
    comparison = ew.compare(truth=truth, systems={"one": one, "two": two})
    assert not comparison.findings.is_conclusive("one", "two")
    assert comparison.verdict.startswith("No clear difference between ")
    needed = comparison.findings.plans["one", "two"].needed
    assert f"needs about {format_rounded(needed)} cases" in comparison.verdict


def test_many_systems_are_ranked_with_letters() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 600)
    systems = {
        name: np.where(rng.random(600) < share, truth, 1 - truth)
        for name, share in (("w", 0.6), ("x", 0.62), ("y", 0.9))
    }
    comparison = ew.compare(truth=truth, systems=systems, measures=["accuracy"])
    letters = comparison.letters
    assert next(iter(letters)) == "y"
    for first, second in itertools.combinations(letters, 2):
        shares = bool(set(letters[first]) & set(letters[second]))
        assert shares == (not comparison.findings.is_conclusive(first, second))
    plain = [comparison[pair]["accuracy"].p_value() for pair in comparison.findings.pairs]
    adjusted = list(comparison.findings.adjusted.values())
    order = np.argsort(plain)
    running = 0.0
    for position, index in enumerate(order):
        running = max(running, min(1.0, (3 - position) * plain[index]))
        assert adjusted[index] == pytest.approx(running)


def test_randomisation_by_hand() -> None:
    truth = [1, 1, 1, 0, 0, 0, 1, 0]
    one, two = [1, 1, 0, 0, 0, 1, 1, 0], [1, 0, 1, 1, 0, 0, 0, 0]

    def accuracy(message: tuple[int, ...]) -> Fraction:
        return Fraction(sum(a == b for a, b in zip(truth, message, strict=True)), len(truth))

    seen = abs(accuracy(tuple(one)) - accuracy(tuple(two)))
    hits = 0
    for swaps in itertools.product((False, True), repeat=8):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(one, two, swaps, strict=True)]
        first, second = zip(*pairs, strict=True)
        hits += abs(accuracy(first) - accuracy(second)) >= seen
    difference = ew.compare(truth=truth, systems={"one": one, "two": two}, measures=["accuracy"])[
        "one", "two"
    ]["accuracy"]
    assert difference.tests["randomisation"].exact == Fraction(hits, 2**8)


def test_tables_for_papers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "compare",
        "x.csv",
        "--truth",
        "y",
        "--prediction",
        "a",
        "--prediction",
        "b",
        "--measure",
        "informedness",
    ]
    rows = list(csv.reader(io.StringIO(call(file, capsys, *words, "--csv", "-").stdout)))
    assert rows[0][:3] == ["measure", "first", "second"]
    comparison = ew.compare(str(file / "x.csv"), truth="y", systems=["a", "b"], measures=["informedness"])
    assert float(rows[1][5]) == comparison["a", "b"]["informedness"].difference
    latex = call(file, capsys, *words, "--latex", "-").stdout
    assert latex == comparison.to_latex()
    assert latex.startswith("\\begin{tabular}")
    assert comparison.to_markdown().startswith("| measure | first | second |")


def test_groups_are_the_units(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--prediction", "a", "--prediction", "b", "--cluster", "patient", "--measure", "accuracy")
    comparison = told(file, capsys, *words)["comparison"]
    assert comparison["unit"] == "cluster"
    assert comparison["pairs"][0]["measures"]["accuracy"]["cases"] == 100
    data = frame()
    gain = ((data.a == data.y).astype(int) - (data.b == data.y)).groupby(data.patient).sum()
    alone = ((data.a == data.y).astype(int) - (data.b == data.y)).std(ddof=0) / np.sqrt(len(data))
    error = np.sqrt(((gain - gain.mean()) ** 2).sum() * len(gain) / (len(gain) - 1)) / len(data)
    # Clusters tell no more than independent cases would.
    error = max(error, alone)
    assert comparison["pairs"][0]["measures"]["accuracy"]["standard_error"] == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prediction", "a"], "a comparison needs at least two systems; saw one, 'a'"),
        (["--prediction", "a", "--prediction", "a"], "two systems are called 'a'"),
        (["--prediction", "a", "--score", "p"], "must be of one kind; saw --prediction and --score"),
        ([], "name what to compare (systems=) by one of --prediction"),
        (["--prediction", "a", "--prediction", "bb"], "bb"),
        (["--probability", "p", "--probability", "sharp"], "must be between 0 and 1"),
        (["--probabilities", "p,q", "--probabilities", "B=p,q"], "name the system of these columns"),
        (["--score", "sharp", "--score", "blunt", "--measure", "informed"], "informed"),
        (["--score", "sharp", "--score", "blunt", "--adjust", "tukey"], 'use "holm" here'),
        (
            ["--prediction", "a", "--prediction", "b", "--level", "95"],
            "a confidence level lies between 0 and 1",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    file: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert message in refused(call(file, capsys, "compare", "x.csv", "--truth", "y", *words))


def test_bad_arrays_are_refused_in_a_sentence() -> None:
    with pytest.raises(ew.EdgeworthError, match=r"same number of rows: truth has 3.*A has 3.*B has 2"):
        ew.compare(truth=[1, 0, 1], systems={"A": [1, 0, 1], "B": [1, 0]})
    with pytest.raises(ew.EdgeworthError, match="saw one, 'A'"):
        ew.compare(truth=[1, 0, 1], systems={"A": [1, 0, 1]})
    with pytest.raises(ew.EdgeworthError, match='pass kind="scores" or kind="probabilities"'):
        ew.compare(truth=[1, 0, 1], systems={"A": [0.5, 0.2, 0.1], "B": [0.4, 0.3, 0.2]})
    with pytest.raises(ew.EdgeworthError, match="are these all of one kind"):
        ew.compare(truth=[1, 0], systems={"A": [[0.5, 0.5], [0.2, 0.8]], "B": [1, 0]})
    with pytest.raises(ew.EdgeworthError, match="the path of a file or a dataframe; saw int"):
        ew.compare([1, 0, 1])
    with pytest.raises(ew.EdgeworthError, match="give truth and systems"):
        ew.compare(truth=[1, 0, 1])
    comparison = ew.compare(truth=[1, 0, 1, 0], systems={"A": [1, 0, 1, 1], "B": [1, 1, 0, 0]})
    with pytest.raises(ew.EdgeworthError, match="there is no system 'C'; there are A, B"):
        _ = comparison["A", "C"]
    with pytest.raises(ew.EdgeworthError, match="'kappa' was not compared"):
        _ = comparison["A", "B"]["kappa"]


def test_scores_tallied_earlier_are_compared() -> None:
    data = frame()
    systems = {name: data[name].to_numpy() for name in ("sharp", "blunt")}
    half = len(data) // 2
    parts = [
        PairedScores.from_scores(data.y[rows].to_numpy(), {name: x[rows] for name, x in systems.items()})
        for rows in (slice(None, half), slice(half, None))
    ]
    merged = ew.compare(parts[0] + parts[1])["sharp", "blunt"]["roc_auc"]
    whole = ew.compare(truth=data.y.to_numpy(), systems=systems, kind="scores")["sharp", "blunt"]["roc_auc"]
    assert merged.difference == pytest.approx(whole.difference, abs=1e-12)
    assert merged.standard_error == pytest.approx(whole.standard_error, rel=1e-12)


def test_other_kinds_are_not_taken_for_labels(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "x.csv", "--truth", "y", "--prediction", "a", "--prediction", "sharp"]
    assert "sharp holds fractions" in refused(call(file, capsys, *words))
    with pytest.raises(ew.EdgeworthError, match='pass kind="scores"'):
        ew.compare(frame(), truth="y", systems=["sharp", "blunt"])
    with pytest.raises(ew.EdgeworthError, match="truth"):
        ew.compare(truth=["1", "0"] * 20, systems={"a": [1, 0] * 20, "b": [0, 1] * 20})


def test_options_that_would_be_ignored_are_refused() -> None:
    truth, systems = [1, 0, 1, 0] * 5, {"a": [1, 0, 1, 1] * 5, "b": [1, 1, 1, 0] * 5}
    for name, value in (
        ("ordered", True),
        ("horizon", 3),
        ("labels", [0, 1]),
        ("queries", "error"),
        ("id", truth),
    ):
        with pytest.raises(ew.EdgeworthError, match=rf"{name}( \(--[a-z-]+\))? is not supported with labels"):
            ew.compare(truth=truth, systems=systems, **{name: value})  # type: ignore[arg-type]  # any of several options
    with pytest.raises(ew.EdgeworthError, match="cluster is not supported with a tally"):
        ew.compare(ew.Paired.from_labels(truth, systems), cluster=truth)
    with pytest.raises(ew.EdgeworthError, match="a list of spellings"):
        ew.compare(truth=truth, systems=systems, measures="accuracy")
    with pytest.raises(ew.EdgeworthError, match="given by name"):
        ew.compare(truth=truth, systems=5)


def test_asking_for_other_options_is_not_answered_with_these() -> None:
    truth = [1, 0, 1, 0] * 5
    comparison = ew.compare(truth=truth, systems={"a": [1, 0, 1, 1] * 5, "b": [1, 1, 1, 0] * 5})
    assert comparison["a", "b"]["f"].measure == "f[1]"
    with pytest.raises(ew.EdgeworthError, match="was not compared"):
        _ = comparison["a", "b"]["f[1](alpha=0.3)"]


@pytest.mark.slow
def test_a_table_on_standard_output_does_not_lose_the_files(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "compare",
        "x.csv",
        "--truth",
        "y",
        "--prediction",
        "a",
        "--prediction",
        "b",
        "--measure",
        "accuracy",
    ]
    done = call(file, capsys, *words, "--csv", "-", "--json", "o.json", "--html", "o.html")
    assert done.stdout.startswith("measure,first,second")
    assert json.loads((file / "o.json").read_text(encoding="utf-8"))["kind"] == "comparison"
    assert (file / "o.html").stat().st_size > 500_000
    assert "only one output" in refused(call(file, capsys, *words, "--csv", "-", "--latex", "-"))


def test_a_comparison_says_where_it_came_from(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame()
    data["a"] = data["a"].astype("object")
    data.loc[:4, "a"] = None
    data.to_csv(file / "x.csv", index=False)
    report = told(file, capsys, "--prediction", "a", "--prediction", "b", "--missing", "drop")
    about = report["provenance"]
    assert (about["truth"], about["systems"], about["missing"], about["dropped"]) == ("y", "a; b", "drop", 5)
    assert about["digest"].startswith("sha256:")
    assert about["cases"] == 395


# -- different cases -------------------------------------------------------------------------------------


def write_parts(folder: Path) -> dict[str, pd.DataFrame]:
    parts = {"train": frame(300, seed=1), "test": frame(200, seed=2)}
    for name, data in parts.items():
        data.to_csv(folder / f"{name}.csv", index=False)
    return parts


def newcombe(first: tuple[int, int], second: tuple[int, int], level: float = 0.95) -> tuple[float, float]:
    """Newcombe's interval for a difference of proportions, hybrid score (his method 10)."""
    z = stats.norm.ppf((1 + level) / 2)

    def wilson(hits: int, cases: int) -> tuple[float, float]:
        share = hits / cases
        middle, root = share + z**2 / (2 * cases), np.sqrt(share * (1 - share) / cases + (z / cases / 2) ** 2)
        scale = 1 + z**2 / cases
        return (middle - z * root) / scale, (middle + z * root) / scale

    (p, (low_p, high_p)), (q, (low_q, high_q)) = ((x[0] / x[1], wilson(*x)) for x in (first, second))
    low = p - q - np.hypot(p - low_p, high_q - q)
    high = p - q + np.hypot(high_p - p, q - low_q)
    return float(low), float(high)


@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_tallies_of_different_cases_are_compared(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = write_parts(tmp_path)
    for name in parts:
        words = [f"{name}.csv", "--truth", "y", "--prediction", "a", "-o", f"{name}.{ending}"]
        call(tmp_path, capsys, "tally", *words)
    words = ["compare", f"train.{ending}", f"test.{ending}", "--measure", "accuracy"]
    text = call(tmp_path, capsys, *words, "--json", "-").stdout
    payload = json.loads(text)
    (pair,) = payload["comparison"]["pairs"]
    accuracy = pair["measures"]["accuracy"]
    right = {name: (int((data.y == data.a).sum()), len(data)) for name, data in parts.items()}
    assert (pair["first"], pair["second"]) == ("train", "test")
    assert accuracy["difference"] == pytest.approx(right["train"][0] / 300 - right["test"][0] / 200)
    assert (accuracy["low"], accuracy["high"]) == pytest.approx(newcombe(*right.values()))
    assert any("different cases" in warning for warning in payload["warnings"])
    # The same from Python: by path, and tallies that are read.
    files = {name: tmp_path / f"{name}.{ending}" for name in parts}
    by_path = ew.compare(files, measures=["accuracy"])
    read = ew.compare({name: ew.read_tally(path) for name, path in files.items()}, measures=["accuracy"])
    for other in (by_path, read):
        assert other["train", "test"]["accuracy"].difference == accuracy["difference"]


def test_what_tallies_cannot_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_parts(tmp_path)
    for column in ("a", "b"):
        words = ["train.csv", "--truth", "y", "--prediction", column, "-o", f"{column}.json"]
        call(tmp_path, capsys, "tally", *words)
    for name in ("train", "test"):
        words = [f"{name}.csv", "--truth", "y", "--score", "sharp", "-o", f"{name}-scores.json"]
        call(tmp_path, capsys, "tally", *words)

    def message(*files: str) -> str:
        return refused(call(tmp_path, capsys, "compare", *files))

    assert "counted from the same file, train.csv" in message("a.json", "b.json")
    assert "test.csv is not a tally file" in message("a.json", "test.csv")
    assert "needs two tallies" in message("a.json")
    assert "tallies of this kind (a ranking) cannot be compared" in message(
        "train-scores.json", "test-scores.json"
    )
    assert "truth is not supported with a tally" in message("a.json", "b.json", "--truth", "y")
    assert "edgeworth tally" in message("train.csv", "test.csv", "--truth", "y", "--prediction", "a")
    call(
        tmp_path,
        capsys,
        "tally",
        "train.csv",
        "--truth",
        "y",
        "--prediction",
        "a",
        "--prediction",
        "b",
        "-o",
        "ab.json",
    )
    one = json.loads(call(tmp_path, capsys, "compare", "ab.json", "--json", "-").stdout)["comparison"]
    rows = ["train.csv", "--truth", "y", "--prediction", "a", "--prediction", "b"]
    assert one == json.loads(call(tmp_path, capsys, "compare", *rows, "--json", "-").stdout)["comparison"]


def test_counts_of_different_cases_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Goutte & Gaussier's example: P(F of Bob is larger) is 0.4263.
    words = ["table", "Bob=3 2; 3 12", "Alice=10 10; 5 25", "--rows", "predicted", "--labels", "yes,no"]
    payload = json.loads(call(tmp_path, capsys, *words, "--measure", "f[yes]", "--json", "-").stdout)
    (pair,) = payload["comparison"]["pairs"]
    assert (pair["first"], pair["second"]) == ("Bob", "Alice")
    assert pair["measures"]["f[yes]"]["probability_better"] == pytest.approx(0.4263074017)
    unnamed = call(tmp_path, capsys, "table", "90 10; 10 90", "50 50; 50 50", "--rows", "predicted").stdout
    assert "table 1 beats table 2" in flat(unnamed)
    swapped = ["table", "a=90 10; 30 70", "b=50 50; 50 50", "--rows", "actual", "--measure", "precision[0]"]
    payload = json.loads(call(tmp_path, capsys, *swapped, "--json", "-").stdout)
    (pair,) = payload["comparison"]["pairs"]
    assert pair["measures"]["precision[0]"]["difference"] == pytest.approx(90 / 120 - 0.5)
    assert "two tables are called 'a'" in refused(
        call(tmp_path, capsys, "table", "a=1 2; 3 4", "a=1 2; 3 4", "--rows", "actual")
    )
    assert "--pool needs one table" in refused(call(tmp_path, capsys, *swapped, "--pool", "5"))
    assert "counts of a table" in refused(call(tmp_path, capsys, "table", "--rows", "actual"))
