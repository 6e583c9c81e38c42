"""Sample data: 189 births, and the predictions of two logistic regressions that were fitted to the others.

The births are those of Hosmer & Lemeshow, Applied Logistic Regression (Baystate Medical Center, 1986; also
``MASS::birthwt``). ``low`` is 1 when the child weighed less than 2.5 kg. Each model predicted each birth from
the other 188 (leave one out): the smaller one from race and smoking, the larger one from the mother's weight,
race, smoking, earlier premature labours, hypertension and uterine irritability. ``mothers.csv`` has what the
models were fitted to, in the same order. ``script/make-sample`` makes the files again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path

SAMPLE_NAME = "births.csv, the sample that comes with Edgeworth"
"""The source that a report names; the path of the folder would not help a reader."""

SAMPLE_STORY = (
    "189 births (Hosmer & Lemeshow): which children will weigh less than 2.5 kg?\n"
    "Each was predicted by a logistic regression fitted to the other 188."
)


SAMPLE_FILES = {
    "births.csv": "189 births with the labels and probabilities of two models",
    "mothers.csv": "what the models were fitted to, in the same order",
}


def sample_file(name: str = "births.csv") -> AbstractContextManager[Path]:
    """Provide the sample as a file on disk within a context."""
    return as_file(files("edgeworth.sample") / name)
