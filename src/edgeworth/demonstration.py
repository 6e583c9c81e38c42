"""The sample data looked at in every way: labels, scores, probabilities, and one model against the other."""

from __future__ import annotations

from dataclasses import replace

from edgeworth.comparison import compare
from edgeworth.evaluation import evaluate
from edgeworth.report.report import Report, gathered_reports
from edgeworth.sample import SAMPLE_NAME, sample_file


def demo_report() -> Report:
    """Four reports as one, on the births that come with Edgeworth."""
    with sample_file() as path:
        data = str(path)
        reports = {
            "Labels": evaluate(data, truth="low", prediction="larger_model", positive="1"),
            "Scores": evaluate(data, truth="low", score="larger_probability", positive="1"),
            "Probabilities": evaluate(
                data,
                truth="low",
                probabilities="larger_probability",
                against="smaller_probability",
                positive="1",
                predictions_made="cross-validated",
            ),
            "Comparison": compare(
                "low",
                {"larger model": "larger_model", "smaller model": "smaller_model"},
                data=data,
                kind="labels",
                positive="1",
            ).report,
        }
    return gathered_reports({name: _named(report) for name, report in reports.items()})


def _named(report: Report) -> Report:
    """The sample by its name, not by the folder it was installed in."""
    return replace(report, provenance={**report.provenance, "source": SAMPLE_NAME})
