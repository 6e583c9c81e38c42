"""``script/test`` installs what is missing for root, and asks everybody else for ``--install`` first."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("script/test", "pyproject.toml", "constraints.txt")
NEEDED = ("bash", "cat", "cksum", "dirname")
"""Programs that the script calls, none of which is a browser."""


def stub(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def run(
    folder: Path, *options: str, user: int, **variables: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the script in a folder whose programs only write down that they were called."""
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in ("python", "ruff", "mypy", "pytest"):
        stub(folder / ".venv-test" / "bin" / name, f'echo "{name} $*"')
    programs, calls = folder / "programs", folder / "calls"
    calls.touch()
    stub(programs / "id", f"echo {user}")
    stub(programs / "sudo", f'echo "sudo $*" >> {calls}')
    stub(programs / "apt-get", f'echo "apt-get $*" >> {calls}')
    for name in NEEDED:
        (programs / name).symlink_to(str(shutil.which(name)))
    kept = subprocess.run(
        "cat pyproject.toml constraints.txt | cksum", shell=True, cwd=folder, capture_output=True, check=True
    )
    (folder / ".venv-test" / "installed").write_bytes(kept.stdout)
    done = subprocess.run(
        ["bash", "script/test", *options],
        cwd=folder,
        env={"PATH": str(programs), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, calls.read_text(encoding="utf-8")


def test_an_ordinary_user_is_told_what_was_not_run_and_nothing_is_installed(tmp_path: Path) -> None:
    done, calls = run(tmp_path, user=1000)
    assert calls == ""
    assert "pytest -n 2 -m not browser and not slow and not java" in done.stdout
    assert "NOT RUN: tests that need chromium. Install with: script/test --install" in done.stdout
    assert done.returncode == 0, done.stderr


def test_an_ordinary_user_installs_by_the_option(tmp_path: Path) -> None:
    _, calls = run(tmp_path, "--install", user=1000)
    assert "sudo apt-get install -y -qq --no-install-recommends chromium" in calls
    assert not any(line.startswith("apt-get") for line in calls.splitlines())


def test_root_installs_without_the_option(tmp_path: Path) -> None:
    _, calls = run(tmp_path, user=0)
    assert "apt-get install -y -qq --no-install-recommends chromium" in calls
    assert "sudo" not in calls


@pytest.mark.parametrize(("variables", "code"), [({}, 0), ({"CI": "true"}, 1)])
def test_a_workflow_fails_if_tests_were_not_run(tmp_path: Path, variables: dict[str, str], code: int) -> None:
    assert run(tmp_path, "--quick", user=1000, **variables)[0].returncode == 0, "no browser is needed"
    shutil.rmtree(tmp_path / "programs")
    assert run(tmp_path, user=1000, **variables)[0].returncode == code
