"""The folders show the way of the data, and these tests hold it."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import edgeworth as ew

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "edgeworth"
MODULES = sorted(SOURCE.rglob("*.py"))

# Packages and modules in the order of the data: each may import from those before it, and from its own.
ORDER = [
    "errors",
    "progress",
    "arrays",
    "bet",
    "sources",
    "core",
    "report",
    "decisions",
    "rankings",
    "forecasts",
    "comparing",
    "sample",
    "chance",
    "whole_cases",
    "tallied",
    "tally_files",
    "tallying",
    "evaluation",
    "comparison",
    "tally_reports",
    "questions",
    "sklearn",
    "cli",
]


def stage(module: Path) -> str:
    return module.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_stages(module: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "edgeworth":
                names = [f"edgeworth.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("edgeworth.")}
    return found & set(ORDER)


def test_modules_import_only_from_earlier_stages() -> None:
    for module in MODULES:
        mine = stage(module)
        if mine not in ("__init__", "__main__"):
            later = imported_stages(module) - set(ORDER[: ORDER.index(mine) + 1])
            assert not later, (module, later)


def test_modules_have_at_most_600_lines() -> None:
    for module in MODULES:
        assert len(module.read_text(encoding="utf-8").splitlines()) <= 600, module


def test_no_module_has_the_name_of_a_public_function() -> None:
    functions = {name for name in ew.__all__ if inspect.isfunction(getattr(ew, name))}
    assert not functions & {module.stem for module in MODULES}


def test_every_public_name_exists_and_says_what_it_is() -> None:
    for name in ew.__all__:
        assert (getattr(ew, name).__doc__ or "").strip(), name
    assert set(dir(ew)) >= set(ew.__all__)
    with pytest.raises(AttributeError, match="no attribute 'informednes'"):
        _ = ew.informednes


LAZY = [
    name for name in MODULES if "lazy_names(" in name.read_text(encoding="utf-8") and name.stem == "__init__"
]


@pytest.mark.parametrize("module", LAZY, ids=lambda m: m.parent.name)
def test_names_that_are_imported_when_used_are_those_of_the_package(module: Path) -> None:
    package = import_module(".".join(("edgeworth", *module.parent.relative_to(SOURCE).parts)))
    assert [name for name in dir(package) if name != "__version__"] == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_options_of_public_functions_are_keyword_only() -> None:
    for name in ew.__all__:
        value = getattr(ew, name)
        if inspect.isfunction(value):
            for parameter in inspect.signature(value).parameters.values():
                has_default = parameter.default is not inspect.Parameter.empty
                data = (("evaluate", "data"), ("tally", "data"), ("compare", "systems"))
                is_data = (name, parameter.name) in data
                is_option = has_default and not is_data
                assert not is_option or parameter.kind is inspect.Parameter.KEYWORD_ONLY, (name, parameter)


def modules_after(code: str, *, whole: bool = False) -> set[str]:
    """Modules, by their packages or by their whole names."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; sys.stderr.write('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name if whole else name.split(".")[0] for name in shown.stderr.splitlines()}


def test_importing_edgeworth_imports_numpy_and_nothing_else() -> None:
    bare = modules_after("import numpy")
    ours = modules_after("import edgeworth") - bare
    assert {name for name in ours if name not in sys.stdlib_module_names} == {"edgeworth"}


def test_help_starts_no_heavy_library() -> None:
    code = "from edgeworth.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    heavy = {"scipy", "pandas", "pyarrow", "duckdb", "narwhals", "sklearn", "altair"}
    assert not heavy & modules_after(code)


def test_a_report_on_labels_loads_neither_special_functions_nor_other_kinds() -> None:
    """Special functions take a quarter second, the other kinds a tenth of what the whole command does."""
    code = "import edgeworth as ew\nstr(ew.evaluate(truth=[1, 0, 1, 0] * 9, prediction=[1, 0, 1, 1] * 9))"
    loaded = modules_after(code, whole=True)
    assert "scipy" not in loaded
    assert "edgeworth.decisions.charts" not in loaded, "a terminal shows no charts"
    others = ("ranking", "lists", "along", "forecast_scores", "forecast_estimates", "calibration", "wealth")
    assert not {name for name in loaded if name.startswith("edgeworth.") and name.endswith(others)}


def test_every_command_is_in_the_readme() -> None:
    from edgeworth.cli.app import app

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [name for name in app if not name.startswith("-")]
    assert set(commands) >= {"evaluate", "table", "measures", "demo"}
    for command in commands:
        assert f"edgeworth {command}" in readme, command


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines()]


def test_no_file_names_a_package_registry() -> None:
    hosts = re.compile(
        "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "npmjs" + r"\.", "debian" + r"\.org"])
    )
    for path in tracked_files():
        assert not hosts.search(path.read_text(encoding="utf-8")), path


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    marks = re.compile(r"importorskip|pytest\.skip|mark\.skip|mark\.xfail")
    for path in tracked_files():
        if path.suffix == ".py" and path != Path(__file__):
            assert not marks.search(path.read_text(encoding="utf-8")), path


def test_every_silenced_check_has_its_reason_beside_it() -> None:
    silenced = re.compile(r"#\s*(noqa|type: ignore)(?:[:\[][^#]*)?$")
    for path in tracked_files():
        if path.suffix == ".py":
            for line in path.read_text(encoding="utf-8").splitlines():
                assert not silenced.search(line), (path, line)
