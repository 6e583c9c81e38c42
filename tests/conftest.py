"""Shared by all tests: nothing is skipped, and random examples are the same on every machine."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "edgeworth",
    deadline=None,  # the machine is noisy
    derandomize=True,
    max_examples=int(os.environ.get("EDGEWORTH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("edgeworth")


@pytest.fixture
def short_files_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are read, not counted by an engine; here it counts them, as it would many."""
    monkeypatch.setattr("edgeworth.sources.parquet.MAX_ROWS_READ_WITHOUT_DUCKDB", 0)


@pytest.fixture(params=["counted", "read"])
def counted_or_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of files that are short."""
    if request.param == "counted":
        monkeypatch.setattr("edgeworth.sources.parquet.MAX_ROWS_READ_WITHOUT_DUCKDB", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A skipped test is a test that cannot fail: it fails the run."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section("skipped tests fail the run", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
