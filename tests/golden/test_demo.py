"""The demo: every kind of prediction on the births, written as a page and as JSON, and opening nothing."""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import edgeworth as ew
from command_line import call
from edgeworth.sample import SAMPLE_FILES, SAMPLE_NAME, sample_file

SHAPE = Path(__file__).with_name("demo_shape.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def births() -> dict[str, list[float]]:
    with sample_file() as path, path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def shape_of(value: Any, depth: int = 4) -> Any:
    """Keys and kinds of values, to a depth; what may be there or not is anything."""
    if isinstance(value, dict) and depth:
        return {key: shape_of(item, depth - 1) for key, item in sorted(value.items())}
    if isinstance(value, list):
        return ["…"]
    return "text" if isinstance(value, str) else "value"


@pytest.mark.slow
def test_the_demo_from_end_to_end(
    folder: Path, births: dict[str, list[float]], capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(folder, capsys, "demo")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["edgeworth-demo.html", "edgeworth-demo.json"]
    assert "edgeworth-demo.html" in done.stdout
    assert "edgeworth-demo.json" in done.stdout
    report = json.loads((folder / "edgeworth-demo.json").read_text(encoding="utf-8"))
    for verdict in report["verdict"].splitlines():
        assert verdict in done.stdout
    page = (folder / "edgeworth-demo.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 1_500_000
    assert set(re.findall(r'<figure id="chart-(\w+)"', page)) == set(report["charts"])

    assert report["schema"] == "edgeworth.report/1"
    # By its name: the folder it is installed in is nobody's business.
    results = [report["provenance"], *(member["provenance"] for member in report["reports"].values())]
    assert {item["source"] for item in results} == {SAMPLE_NAME}
    assert "site-packages" not in page
    assert str(Path(ew.__file__).parent) not in page
    labels, scores, forecasts, comparison = (
        report["reports"][name] for name in ("Labels", "Scores", "Probabilities", "Comparison")
    )
    # The larger model on the 189 births, each left out: 20 hits, 16 false alarms, 39 misses, 114 rest.
    assert labels["tally"]["counts"] == [[114, 39], [16, 20]]
    informed = 20 / 59 - 16 / 130
    assert labels["estimates"]["informedness"]["value"] == pytest.approx(informed, abs=1e-12)

    truth, larger = births["low"], births["larger_probability"]
    assert scores["estimates"]["roc_auc"]["value"] == pytest.approx(roc_auc_score(truth, larger), abs=1e-12)
    threshold = average_precision_score(truth, larger)
    assert scores["estimates"]["average_precision"]["value"] == pytest.approx(threshold, abs=0.02)

    # Leave-one-out log-likelihoods -108.416752 and -113.740246.
    assert forecasts["wealth"]["log_wealth"] == pytest.approx(5.323494, abs=5e-7)
    assert forecasts["means"]["model"]["brier"] == pytest.approx(brier_score_loss(truth, larger), abs=1e-12)

    one = comparison["comparison"]["pairs"][0]["measures"]["accuracy"]
    right = [
        [birth == real for birth, real in zip(births[name], truth, strict=True)]
        for name in ("larger_model", "smaller_model")
    ]
    only = [sum(a and not b for a, b in zip(*pair, strict=True)) for pair in (right, right[::-1])]
    exact = stats.binomtest(only[0], sum(only)).pvalue
    assert one["tests"]["mcnemar"]["p_value"] == pytest.approx(exact, rel=1e-9)
    assert math.isclose(one["difference"], (only[0] - only[1]) / 189, abs_tol=1e-12)

    assert shape_of(report["reports"]) == json.loads(SHAPE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("data", [(), ("--data",)], ids=["page", "data"])
def test_a_page_that_cannot_be_written_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: tuple[str, ...]
) -> None:
    (tmp_path / "a_file").write_text("mine\n", encoding="utf-8")
    done = call(tmp_path, capsys, "demo", *data, "--folder", "a_file/inside")
    assert done.returncode == 2
    assert done.stderr == "edgeworth: the folder a_file/inside cannot be made: Not a directory\n"


@pytest.mark.parametrize(
    ("data", "files"),
    [((), {"edgeworth-demo.html", "edgeworth-demo.json"}), (("--data",), set(SAMPLE_FILES))],
    ids=["page", "data"],
)
def test_a_new_folder_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: tuple[str, ...], files: set[str]
) -> None:
    done = call(tmp_path, capsys, "demo", *data, "--folder", "new/inside")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "new" / "inside").iterdir()} == files


def test_the_sample_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the package, and the command that is printed works."""
    done = call(tmp_path, capsys, "demo", "--data")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(SAMPLE_FILES)
    for name in SAMPLE_FILES:
        with sample_file(name) as path:
            assert (tmp_path / name).read_bytes() == path.read_bytes()
        assert name in done.stdout
    command = done.stdout.strip().splitlines()[-1].removeprefix("Try: edgeworth ")
    assert "Informedness" in call(tmp_path, capsys, *shlex.split(command)).stdout.replace(
        "informedness", "Informedness"
    )
    # Once more is fine; another file of the same name stays as it is.
    assert call(tmp_path, capsys, "demo", "--data").returncode == 0
    (tmp_path / "births.csv").write_text("mine\n", encoding="utf-8")
    (tmp_path / "mothers.csv").unlink()
    refusal = call(tmp_path, capsys, "demo", "--data")
    assert refusal.returncode == 2
    assert "births.csv exists with other content" in refusal.stderr
    assert (tmp_path / "births.csv").read_text(encoding="utf-8") == "mine\n"
    assert not (tmp_path / "mothers.csv").exists()
