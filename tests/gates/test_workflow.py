"""The documented workflow: its last step runs as GitHub would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from page_files import write_gate_logs

PAGE = Path(__file__).parents[2] / "docs" / "want" / "gate-a-release.md"


@pytest.mark.slow
def test_the_script_of_the_workflow_runs(tmp_path: Path) -> None:
    block = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert block is not None
    script = textwrap.dedent(block[1].rpartition("run: |\n")[2])
    write_gate_logs(tmp_path)
    summary = tmp_path / "summary.md"
    environment = os.environ | {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "::notice title=Gate passed::" in done.stdout
    assert summary.read_text(encoding="utf-8").startswith("### PASS: lab/pr meets all 4 checks.")
    assert 'failures="0"' in (tmp_path / "gate.xml").read_text(encoding="utf-8")
    # A candidate that breaks a third of the answers is stopped.
    text = (tmp_path / "pr.json").read_text().replace('"value": "C"', '"value": "I"', 200)
    (tmp_path / "pr.json").write_text(text)
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "::error title=Gate failed::" in done.stdout
