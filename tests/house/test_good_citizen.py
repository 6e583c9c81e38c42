"""Importing and using the library leaves the process as it was."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import gc, locale, os, signal, sys, threading, warnings
from pathlib import Path

import numpy as np
import scipy.sparse, scipy.special  # SciPy adds warning filters of its own when it is imported


def process():
    mask = os.umask(0o027)
    os.umask(mask)
    return {
        "switch interval": sys.getswitchinterval(),
        "gc thresholds": gc.get_threshold(),
        "gc enabled": gc.isenabled(),
        "warnings": list(warnings.filters),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "numpy errors": (np.geterr(), np.geterrcall()),
        "umask": mask,
        "locale": [locale.setlocale(part) for part in (locale.LC_CTYPE, locale.LC_NUMERIC, locale.LC_TIME)],
        "folder": os.getcwd(),
        "hooks": (sys.excepthook, threading.excepthook, sys.stdout, sys.stderr),
        "recursion": sys.getrecursionlimit(),
    }


def use_library():
    import edgeworth as ew

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    one, two = (np.where(rng.random(200) < right, truth, 1 - truth) for right in (0.8, 0.6))
    scores = truth + rng.normal(size=200)
    probabilities = np.clip(0.3 * truth + 0.6 * rng.random(200), 0.01, 0.99)
    folder = Path(sys.argv[1])
    reports = {
        "labels": ew.evaluate(truth=truth, prediction=one),
        "scores": ew.evaluate(truth=truth, score=scores),
        "probabilities": ew.evaluate(truth=truth, probabilities=probabilities, ordered=True),
        "compare": ew.compare(truth=truth, systems={"one": one, "two": two}).report,
    }
    for name, report in reports.items():
        report.to_html(folder / f"{name}.html")
        report.to_json(folder / f"{name}.json")
        str(report)
    ew.tally(truth=truth, prediction=one).write(folder / "tally.json")
    os.environ["DONE"] = "yes"


os.umask(0o027)
before = process()
thread = threading.Thread(target=use_library)
thread.start()
thread.join()
assert os.environ.get("DONE") == "yes"
after = process()
changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
assert not changed, changed
"""


@pytest.mark.slow
def test_the_process_stays_as_it_was(tmp_path: Path) -> None:
    """Run in a process of its own, for pytest changes some of it too; modes of files follow the umask."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 9
    assert set(modes.values()) == {0o640}
