"""Rows with the same id, as in repeated cross-validation, are one cluster."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.errors import OptionError


def repeated(repeats: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    truth, parts = rng.integers(0, 2, 80), []
    for repeat in range(repeats):
        score = np.round(truth + rng.normal(size=80), 3)
        chance = np.round(1 / (1 + np.exp(0.5 - score)), 3)
        rows = {
            "y": truth,
            "s": score,
            "p": chance,
            "label": (score > 0.5) * 1,
            "fold": repeat * 5 + np.arange(80) % 5,
        }
        parts.append(pd.DataFrame(rows | {"case": [f"c{i}" for i in range(80)]}))
    return pd.concat(parts, ignore_index=True)


KINDS: dict[str, dict[str, Any]] = {
    "labels": {"prediction": "label"},
    "scores": {"score": "s"},
    "probabilities": {"probabilities": "p"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_that_repeats_is_a_cluster(kind: str) -> None:
    data = repeated(3)
    report = ew.evaluate(data, truth="y", **KINDS[kind], id="case")
    expected = ew.evaluate(data, truth="y", **KINDS[kind], cluster="case")
    assert report.numbers == expected.numbers
    assert "160 rows repeat an earlier id" in str(report)


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_that_never_repeats_changes_nothing(kind: str) -> None:
    data = repeated(1)
    report = ew.evaluate(data, truth="y", **KINDS[kind], id="case")
    assert report.numbers == ew.evaluate(data, truth="y", **KINDS[kind]).numbers


def test_parts_of_a_tally_share_ids() -> None:
    data = repeated(2)
    parts = [ew.tally(part, truth="y", score="s", id="case") for part in (data[:80], data[80:])]
    merged = json.loads(ew.evaluate(parts[0] + parts[1]).to_json())["estimates"]["roc_auc"]
    whole = json.loads(ew.evaluate(data, truth="y", score="s", cluster="case").to_json())["estimates"][
        "roc_auc"
    ]
    assert (merged["low"], merged["high"]) == pytest.approx((whole["low"], whole["high"]))


@pytest.mark.parametrize("kind", ["labels", "probabilities"])
def test_folds_go_with_clusters(kind: str) -> None:
    data = repeated(3)
    report = ew.evaluate(data, truth="y", **KINDS[kind], fold="fold", id="case")
    assert "cluster" in str(report)


def test_what_is_not_supported_says_so() -> None:
    data = repeated(2)
    with pytest.raises(OptionError, match="id and cluster are both given"):
        ew.evaluate(data, truth="y", score="s", id="case", cluster="fold")
