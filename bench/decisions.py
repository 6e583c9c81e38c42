"""Tables, bootstrap and start-up: edgeworth beside scikit-learn and numpy, in one run."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from sklearn.metrics import confusion_matrix
from timing import line, memory_line, seconds

import edgeworth as ew
from edgeworth.methods import Bootstrap


def integers() -> None:
    rng = np.random.default_rng(0)
    for labels in (2, 10, 100):
        truth, prediction = rng.integers(0, labels, (2, 10**7))
        ours = seconds(lambda t=truth, p=prediction: ew.ContingencyTable.from_labels(t, p))
        theirs = seconds(lambda t=truth, p=prediction: confusion_matrix(t, p), repeat=2)
        line(f"table of 10⁷ pairs of integers, {labels} labels", ours, theirs, 25)
    memory_line(lambda: ew.ContingencyTable.from_labels(truth, prediction), 2 * truth.nbytes)


def strings() -> None:
    rng = np.random.default_rng(1)
    names = np.array([f"label {i}" for i in range(10)], dtype=object)
    truth, prediction = names[rng.integers(0, 10, (2, 2 * 10**6))]
    ours = seconds(lambda: ew.ContingencyTable.from_labels(truth, prediction), repeat=3)
    theirs = seconds(lambda: confusion_matrix(truth, prediction), repeat=1)
    line("table of 2·10⁶ pairs of object strings, 10 labels", ours, theirs, 20)
    memory_line(lambda: ew.ContingencyTable.from_labels(truth, prediction), 2 * truth.nbytes)


def bootstrap() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 10, 5000)
    prediction = np.where(rng.random(5000) < 0.5, truth, rng.integers(0, 10, 5000))
    table = ew.ContingencyTable.from_labels(truth, prediction)
    method = Bootstrap(draws=10_000, rng=7)
    ours = seconds(lambda: ew.estimate(table, "informedness", method=method).interval())
    line("10⁴ bootstrap replicates of a 10×10 table's B, limit 200 ms", ours, 0.2, 1)


def start_up() -> None:
    def run(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), repeat=9)

    nothing, numpy, ours = run("pass"), run("import numpy"), run("import edgeworth")
    print(
        f"{'import edgeworth':<58} {ours * 1e3:9.1f} ms  against numpy {numpy * 1e3:7.1f} ms  "
        f"{ours / numpy:7.2f}× (wanted at most 1.5×: {'ok' if ours <= 1.5 * numpy else 'MISSED'}); "
        f"bare Python {nothing * 1e3:.1f} ms"
    )
    code = "import sys; sys.argv=['edgeworth','--help']\nfrom edgeworth.cli import main\nmain()"
    helped = seconds(
        lambda: subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL), repeat=5
    )
    print(f"{'edgeworth --help':<58} {helped * 1e3:9.1f} ms")


if __name__ == "__main__":
    integers()
    strings()
    bootstrap()
    start_up()
