"""The folders show the way of the data, and these tests hold it."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import edgeworth as ew
from edgeworth.core.kinds import every_kind

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "edgeworth"
MODULES = sorted(SOURCE.rglob("*.py"))

# Packages and modules in the order of the data: each may import from those before it, and from its own.
ORDER = [
    "common",
    "errors",
    "sources",
    "core",
    "bet",
    "report",
    "decisions",
    "grades",
    "rankings",
    "forecasts",
    "comparisons",
    "gates",
    "sample",
    "chance",
    "methods",
    "pipeline",
    "evaluation",
    "comparison",
    "gate",
    "testing",
    "planner",
    "reruns",
    "calculators",
    "papers",
    "sklearn",
    "desk",
    "cli",
]
# Inside a package of predictions, what comes later in the data's way is not imported by what comes earlier.
STAGES = ["kind", "reading", "measures", "estimates", "findings", "verdict", "charts", "report"]
KINDS = ("decisions", "grades", "rankings", "forecasts", "comparisons")


KNOWS_ALL_KINDS = ("core.kinds", *(f"{package}.kind" for package in KINDS))
"""``every_kind``, and the stages of a kind, import what they need when they are called."""


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package(name: str) -> str:
    """Return the package that a module belongs to."""
    return name.split(".")[0]


NAMES = {module_name(path): path for path in MODULES}


def imports(path: Path, *, everywhere: bool) -> set[str]:
    """The modules of Edgeworth that a module imports: everywhere, or only when it is itself imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if everywhere else tree.body
    values = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "edgeworth":
            home = node.module.removeprefix("edgeworth").lstrip(".")
            inner = {f"{home}.{alias.name}".lstrip(".") for alias in node.names}
            values |= {name if name in NAMES else home for name in inner}
        elif isinstance(node, ast.Import):
            values |= {
                x.name.removeprefix("edgeworth.") for x in node.names if x.name.startswith("edgeworth.")
            }
    return values - {""}


@pytest.mark.slow
def test_packages_import_only_from_earlier_ones() -> None:
    for name, path in NAMES.items():
        mine = package(name)
        if mine not in ("", "__main__") and name not in KNOWS_ALL_KINDS:
            allowed = set(ORDER[: ORDER.index(mine) + 1])
            later = {item for item in imports(path, everywhere=True) if package(item) not in allowed}
            assert not later, (name, later)


def test_stages_of_a_package_import_only_from_earlier_ones() -> None:
    for name, path in NAMES.items():
        kind, _, stage = name.partition(".")
        if kind in KINDS and stage in STAGES:
            later = {f"{kind}.{item}" for item in STAGES[STAGES.index(stage) + 1 :]}
            assert not imports(path, everywhere=False) & later, name


@pytest.mark.slow
def test_no_modules_import_each_other() -> None:
    edges = {name: imports(path, everywhere=False) & set(NAMES) for name, path in NAMES.items()}
    for name in edges:
        reached, front = set(), {name}
        while front:
            front = set().union(*(edges[item] for item in front)) - reached
            reached |= front
        assert name not in reached, name


def docstring_lines(tree: ast.Module) -> int:
    owners = [
        node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    texts = [node.body[0] for node in owners if ast.get_docstring(node, clean=False) is not None]
    return sum((text.end_lineno or text.lineno) - text.lineno + 1 for text in texts)


def test_a_module_can_be_read_in_one_sitting() -> None:
    """Docstrings are read on the pages of the reference, so only code counts."""
    for module in MODULES:
        text = module.read_text(encoding="utf-8")
        assert len(text.splitlines()) - docstring_lines(ast.parse(text)) <= 580, module


def test_no_module_has_the_name_of_a_public_function() -> None:
    """``import edgeworth.x`` would put a module where the function ``ew.x`` was."""
    functions = {name for name in ew.__all__ if inspect.isfunction(getattr(ew, name))}
    assert not functions & {module.stem for module in SOURCE.glob("*.py")}


def test_every_public_name_exists_and_says_what_it_is() -> None:
    for name in ew.__all__:
        assert (getattr(ew, name).__doc__ or "").strip(), name
    assert set(dir(ew)) >= set(ew.__all__)
    with pytest.raises(AttributeError, match="no attribute 'informednes'"):
        _ = ew.informednes


def test_options_of_public_functions_are_keyword_only() -> None:
    for name in ew.__all__:
        value = getattr(ew, name)
        if inspect.isfunction(value):
            for parameter in inspect.signature(value).parameters.values():
                has_default = parameter.default is not inspect.Parameter.empty
                is_option = has_default and parameter.name not in ("data", "truth", "systems")
                assert not is_option or parameter.kind is inspect.Parameter.KEYWORD_ONLY, (name, parameter)


def test_random_numbers_are_rng_in_python_and_seed_on_the_command() -> None:
    for name in ew.__all__:
        value = getattr(ew, name)
        parameters = inspect.signature(value).parameters if inspect.isfunction(value) else {}
        assert "seed" not in parameters, name
        if "rng" in parameters:
            assert re.search("Rng|IntegerGenerator", str(parameters["rng"].annotation)), name
    for path in (SOURCE / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.arg) and node.arg == "rng"), (path, node.lineno)


def modules_after(code: str, *, whole: bool = False) -> set[str]:
    """Modules, by their packages or by their whole names."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; sys.stderr.write('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name if whole else name.split(".")[0] for name in shown.stderr.splitlines()}


def test_importing_edgeworth_imports_nothing_heavy() -> None:
    ours = modules_after("import edgeworth") - modules_after("")
    assert {name for name in ours if name not in sys.stdlib_module_names} == {"edgeworth"}


def test_help_starts_no_heavy_library() -> None:
    code = "from edgeworth.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    heavy = {"scipy", "pandas", "pyarrow", "duckdb", "narwhals", "sklearn", "altair"}
    assert not heavy & modules_after(code)


def test_a_report_on_labels_loads_neither_special_functions_nor_other_kinds() -> None:
    code = "import edgeworth as ew\nstr(ew.evaluate(truth=[1, 0, 1, 0] * 9, prediction=[1, 0, 1, 1] * 9))"
    loaded = modules_after(code, whole=True)
    assert "scipy" not in loaded
    assert "edgeworth.decisions.charts" not in loaded, "a terminal shows no charts"
    others = ("edgeworth.grades", "edgeworth.rankings", "edgeworth.forecasts", "edgeworth.comparisons")
    assert not {name for name in loaded if name.startswith(others)}


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines()]


def test_no_file_names_a_package_registry() -> None:
    hosts = re.compile(
        "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "npmjs" + r"\.", "debian" + r"\.org"])
    )
    for path in tracked_files():
        assert not hosts.search(path.read_text(encoding="utf-8", errors="replace")), path


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


def test_the_worked_examples_fit_the_code() -> None:
    """Each diff of the page on extending applies to this tree, and touches as few files as it says."""
    page = (ROOT / "docs" / "reference" / "extending.md").read_text(encoding="utf-8")
    examples = re.findall(r"\n## ([^\n]*)\n.*?```diff\n(.*?)```", page, re.DOTALL)
    titles = [title for title, _ in examples]
    assert [title.split(":")[0] for title in titles] == [
        *("A measure of decisions", "A proper score", "An option", "A file format", "A kind")
    ]
    for title, diff in examples:
        files = diff.count("\n+++ ")
        match = re.search(r"(\d+) source", title)
        assert files == (1 if match is None else int(match[1])), title
        applied = subprocess.run(
            ["git", "apply", "--check", "-"],
            cwd=ROOT,
            input=diff,
            capture_output=True,
            text=True,
            check=False,
        )
        assert applied.returncode == 0, (title, applied.stderr)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_integers_are_not_asked_whether_they_are_whole(path: Path) -> None:
    """Python 3.11 has ``float.is_integer`` only, and mypy takes an integer for a float."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "is_integer":
            continue
        asked = ast.unparse(node.func.value)
        assert asked.startswith("float(") or asked.endswith(".dtype"), f"line {node.lineno}: float({asked})"


def test_no_string_names_a_function() -> None:
    """An editor finds every function that is called; the command's lazy loading is cyclopts' own."""
    reference = re.compile(r"""["'](edgeworth\.[\w.]+|[a-z_]+(\.[a-z_]+)+):[A-Za-z_]+["']""")
    for path in MODULES:
        if path != SOURCE / "cli" / "app.py":
            assert not reference.search(path.read_text(encoding="utf-8")), path


WORDS_OF_KINDS = {"LABELS", "SEVERAL", "SCORES", "QUERIES", "PROBABILITIES", "GRADES"}
"""Constants of ``core.options`` that name what predictions are read into."""

KINDS_OWN = ("decisions", "grades", "rankings", "forecasts")
COMPARED_BY_KIND = re.compile(
    r"comparisons\.(labels|scores|forecasts|paired_values|grades|graded_means|kind)\b"
)
WORDS_OF_THEIR_OWN = {
    "planner": "the options --accuracy, --recall, … of plan name designs",
    "sklearn": "the parameter kind names the method of an estimator",
    "cli.options": "options have these names",
    "pipeline.compare_data": "_kind finds the kind by the options",
}
"""Modules in which the same words name something else than a kind or a measure."""


def comparisons_with_names(tree: ast.Module, names: set[str]) -> set[str]:
    """Find comparisons of a kind, a measure or what predictions are with a name that the package defines."""
    subject = re.compile(r"(kind|predictions|measure|name|spelling|spelt|headline|scope)\W*$", re.IGNORECASE)
    tests = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not isinstance(
            node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
        ):
            continue
        sides = [node.left, *node.comparators]
        words = [
            part
            for side in sides
            for part in (side.elts if isinstance(side, (ast.Tuple, ast.Set, ast.List)) else [side])
        ]
        is_named = any(
            (isinstance(word, ast.Constant) and word.value in names)
            or (isinstance(word, ast.Name) and word.id in WORDS_OF_KINDS)
            for word in words
        )
        texts = [ast.unparse(side) for side in sides]
        if is_named and any(subject.search(text) and "dtype" not in text for text in texts):
            tests.add(ast.unparse(node))
    return tests


def test_no_name_of_a_kind_or_measure_is_tested_outside_its_package() -> None:
    """What a kind or a measure can do is a method or a field of it."""
    kinds = {word for kind in every_kind() for word in (kind.name, kind.predictions) if word}
    names = kinds | {measure.name for measure in ew.catalogue()}
    planted = (
        'if findings.kind == "probabilities": ...',
        'if kind_of(tally).predictions != "several": ...',
        'if options["predictions"] == SEVERAL: ...',
        'if options["kind"] not in (None, LABELS): ...',
        'if numbers.get("kind") == "ranking": ...',
        'is_odd = resolved.measure.name in ("ece", "auc")',
        'best = sorted(spellings, key=lambda name: name != "accuracy")',
    )
    for line in planted:
        assert comparisons_with_names(ast.parse(line), names), line
    for name, path in NAMES.items():
        is_own = package(name) in KINDS_OWN or COMPARED_BY_KIND.match(name)
        if not is_own and not {name, package(name)} & set(WORDS_OF_THEIR_OWN):
            assert not comparisons_with_names(ast.parse(path.read_text(encoding="utf-8")), names), name


def test_significance_is_decided_by_one_function() -> None:
    """At 95%, ``p < 1 - level`` counts p = 0.05 (1 - 0.95 is slightly more), ``is_significant`` does not."""
    bare = re.compile(r"[<>]=? (?:round\()?1 - (?:\w+\.)*level\b", re.IGNORECASE)
    assert bare.search("p_value <= 1 - findings.level")
    assert [str(path) for path in MODULES if bare.search(path.read_text(encoding="utf-8"))] == []


def test_docstrings_name_modules_that_exist() -> None:
    """``paired_values.permutation.permutation_test`` is in a module that ends in its first two parts."""
    dotted = re.compile(r"``([a-z_]+(?:\.[a-z_]+)+)\.\w+``")
    modules = [f".edgeworth.{name}" for name in NAMES]
    for name, path in NAMES.items():
        for home in dotted.findall(path.read_text(encoding="utf-8")):
            if home.split(".")[0] not in ("a", "ew", "numpy"):  # a.csv.gz is a file
                assert any(module.endswith(f".{home}") for module in modules), (name, home)


MISSPELT_OPTIONS = """
from collections.abc import Mapping

import edgeworth as ew
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.core.kinds import Kind, ReportInput
from edgeworth.core.options import Options
from edgeworth.report.report import About, Report

ew.evaluate(truth=[0, 1], prediction=[0, 1], level=0.9)
ew.evaluate(truth=[0, 1], prediction=[0, 1], levle=0.9)  # misspelt
ew.compare(truth=[0, 1], systems={"a": [0, 1], "b": [1, 1]}, level=0.9)
ew.compare(truth=[0, 1], systems={"a": [0, 1], "b": [1, 1]}, levle=0.9)  # misspelt


class TableKind(Kind[ew.ContingencyTable]):
    def report(self, tallied: ReportInput[ew.ContingencyTable], options: Options, about: About) -> Report:
        options["level"]
        options["levle"]  # misspelt
        return super().report(tallied, options, about)

    def compare(
        self,
        systems: ew.ContingencyTable | Mapping[str, ew.ContingencyTable],
        options: Options,
        *,
        clusters: object = None,
    ) -> ComparisonFindings:
        options["level"]
        options["levle"]  # misspelt
        return super().compare(systems, options, clusters=clusters)
"""


@pytest.mark.slow
def test_a_misspelt_option_is_an_error_for_the_type_checker(tmp_path: Path) -> None:
    """In a call of ``evaluate`` and of ``compare``, in a kind's report and in a comparison."""
    snippet = tmp_path / "snippet.py"
    snippet.write_text(MISSPELT_OPTIONS, encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--strict", str(snippet)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = enumerate(MISSPELT_OPTIONS.splitlines(), start=1)
    misspelt = [str(number) for number, line in lines if line.endswith("# misspelt")]
    errors = re.findall(r"snippet\.py:(\d+): error: (.*)", checked.stdout)
    assert len(misspelt) == 4
    assert [number for number, _ in errors] == misspelt, checked.stdout
    assert all("levle" in message for _, message in errors), checked.stdout
