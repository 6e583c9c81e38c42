"""The wheel and the sdist hold what they need, and the wheel runs outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return folder


@pytest.mark.slow
def test_the_wheel_runs_in_an_empty_environment(distributions: Path, tmp_path: Path) -> None:
    """The new environment sees the installed libraries, and not the checkout."""
    (wheel,) = distributions.glob("*.whl")
    home = tmp_path / "environment"
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n")
    work = tmp_path / "work"
    work.mkdir()
    python = str(home / "bin" / "python")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*words: str) -> str:
        done = subprocess.run(
            [python, *words], cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = run("-c", "import edgeworth; print(edgeworth.__file__)").strip()
    assert Path(where).is_relative_to(packages)
    assert run("-m", "edgeworth", "--version").strip() == PROJECT["version"]
    assert "informedness" in run("-m", "edgeworth", "demo").lower()
    assert (work / "edgeworth-demo.html").stat().st_size > 100_000
    run("-m", "edgeworth", "demo", "--data")
    assert "Verdict" in run(
        "-m", "edgeworth", "evaluate", "births.csv", "--truth", "low", "--prediction", "larger_model"
    )
    run("-m", "edgeworth", "desk", "--no-open")
    assert "agree" in run("-m", "edgeworth", "reproduce", "su-zhang")


@pytest.mark.slow
def test_distributions_hold_every_module_and_data_file(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    (sdist,) = distributions.glob("*.tar.gz")
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    sources = {name.removeprefix("src/") for name in listed.stdout.splitlines()}
    assert sources <= set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in sources} <= inside
    assert {"README.md", "LICENSE", "CHANGELOG.md", "docs/conf.py", "script/docs"} <= inside
    assert not [name for name in inside if name.startswith(("docs/_build", ".venv"))]


def test_classifiers_name_the_versions_that_the_tests_run_with() -> None:
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    versions = [x.rpartition(" ")[2] for x in PROJECT["classifiers"] if x.startswith("Programming Language")]
    tested = [version for version in versions if version.startswith("3.")]
    assert tested
    for version in tested:
        assert f'"{version}"' in workflow
    assert PROJECT["requires-python"] == f">={tested[0]}"


def test_the_repository_holds_no_generated_files() -> None:
    """A site that was built by accident, or a large binary, must not be committed."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [Path(line) for line in listed.stdout.splitlines()]
    folders = {path.parts[0] for path in paths if len(path.parts) > 1}
    assert folders == {".ci", ".github", "bench", "docs", "examples", "script", "src", "tests"}
    assert not [path for path in paths if path.suffix in {".html", ".png"} and path.parts[0] == "docs"]
    assert not [path for path in paths if (ROOT / path).stat().st_size > 400_000]
