"""Every command, option, measure and chart is documented, whoever adds one."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import edgeworth as ew
from edgeworth.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_site"))

from chart_pages import draw_gallery  # noqa: E402  # found beside the site's settings
from command_pages import GROUP_OF_OPTIONS, write_command_pages  # noqa: E402  # as above
from measure_pages import group_measures, page_name, write_measure_pages  # noqa: E402  # as above
from python_pages import (  # noqa: E402  # as above
    MODULES,
    data_docstring,
    field_docstrings,
    public_members,
    public_names,
    write_python_pages,
)
from site_pages import PARTS_OF_BENCHMARKS, write_benchmark_page  # noqa: E402  # as above

COMMANDS = [name for name in app if not name.startswith("-")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_command_pages(folder)
    write_python_pages(folder)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented(command: str, pages: Path) -> None:
    page = (pages / "reference" / "commands" / f"{command}.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0] for row in page.splitlines() if row.startswith("| `")}
    for argument in app[command].assemble_argument_collection():
        if argument.names == (GROUP_OF_OPTIONS,):
            continue
        assert argument.parameter.help, (command, argument.name)
        for name in argument.names:
            label = name if name.startswith("-") else name.upper()
            assert any(f"`{label}`" in row for row in rows), (command, name)


@pytest.mark.parametrize("name", ["evaluate", "compare", "check", "tally"])
def test_docstrings_do_not_describe_how_options_are_typed(name: str) -> None:
    parameters = sections(inspect.getdoc(getattr(ew, name)) or "")["Parameters"]
    assert "by commas" not in parameters
    assert "--" not in parameters


def test_every_command_is_listed(pages: Path) -> None:
    page = (pages / "reference" / "commands" / "index.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"`edgeworth {command}`" in page


def test_every_public_name_has_a_page(pages: Path) -> None:
    folder = pages / "reference" / "python"
    modules = {name for name in ew.__all__ if isinstance(getattr(ew, name), type(sys))}
    for name in set(ew.__all__) - modules:
        assert (folder / f"{name}.md").exists(), name
    for module in MODULES:
        page = (folder / f"edgeworth.{module}.md").read_text(encoding="utf-8")
        home = sys.modules[f"edgeworth.{module}"]
        for name in public_names(home):
            assert f"edgeworth.{module}.{name}\n" in page, (module, name)


def public_objects() -> Iterator[tuple[str, object]]:
    """Yield every public name with its value."""
    for name in ew.__all__:
        if not inspect.ismodule(getattr(ew, name)):
            yield f"edgeworth.{name}", getattr(ew, name)
    for module in MODULES:
        home = import_module(f"edgeworth.{module}")
        for name in public_names(home):
            yield f"edgeworth.{module}.{name}", getattr(home, name)


OBJECTS = dict(public_objects())
SUMMARY = re.compile(r"[A-Z`−][^\n]*[.:]($|\n\n)|[A-Z][^\n]*\n[^\n]*\.($|\n\n)")


def sections(text: str) -> dict[str, str]:
    """Split a numpydoc docstring into its sections."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def named(section: str) -> set[str]:
    """List the names that a section describes: ``low, high : float`` has two."""
    heads = [line.partition(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def examples_of(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.lstrip().startswith((">>>", "...")))


def lacks(value: Callable[..., object], text: str) -> Iterator[str]:
    """Yield what the docstring of a function lacks."""
    parts = sections(text)
    signature = inspect.signature(value)
    wanted = {name for name in signature.parameters if name not in ("self", "cls")}
    if not SUMMARY.match(text):
        yield "a summary that is one sentence"
    elif not re.match(r"[A-Z][a-z]+", text):
        yield "a summary that starts with a verb"
    if missing := wanted - named(parts.get("Parameters", "")):
        yield f"the parameters {', '.join(sorted(missing))}"
    if unknown := named(parts.get("Parameters", "")) - wanted:
        yield f"no parameter called {', '.join(sorted(unknown))}"
    if signature.return_annotation not in (None, "None") and "Returns" not in parts:
        yield "what it returns"


def problems(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the public name, or its member, and what its docstring lacks."""
    if inspect.isclass(value):
        text = inspect.getdoc(value) or ""
        parts = sections(text)
        if dataclasses.is_dataclass(value):
            fields = {field.name for field in dataclasses.fields(value)}
        elif "__init__" in vars(value) and not getattr(value, "_is_protocol", False):
            fields = {*inspect.signature(value).parameters}
        else:
            fields = set()
        described = named(parts.get("Parameters", "")) | named(parts.get("Attributes", ""))
        described |= set(field_docstrings(value))
        if not SUMMARY.match(text):
            yield name, "a summary that is one sentence"
        if missing := {field for field in fields if not field.startswith("_")} - described:
            yield name, f"the fields {', '.join(sorted(missing))}"
        if ">>>" not in parts.get("Examples", ""):
            yield name, "an example"
        for member, function in public_members(value):
            own = inspect.getdoc(function) or ""
            if inspect.isfunction(function):
                yield from ((f"{name}.{member}", lack) for lack in lacks(function, own))
            elif not SUMMARY.match(own):
                yield f"{name}.{member}", "a summary that is one sentence"
            shown = examples_of(parts.get("Examples", "") + own)
            if not re.search(rf"\.{member}\b", shown) and "__abstractmethods__" not in vars(value):
                yield f"{name}.{member}", "an example, here or at the class"
    elif inspect.isfunction(value):
        text = inspect.getdoc(value) or ""
        yield from ((name, lack) for lack in lacks(value, text))
        if ">>>" not in sections(text).get("Examples", ""):
            yield name, "an example"
    else:
        text = data_docstring(name.rpartition(".")[0], name.rpartition(".")[2])
        if not SUMMARY.match(text) or ">>>" not in text:
            yield name, "a summary and an example"


@pytest.mark.parametrize("name", OBJECTS)
def test_every_public_name_is_described_with_parameters_and_an_example(name: str) -> None:
    assert not [f"{path} lacks {lack}" for path, lack in problems(name, OBJECTS[name])]


@pytest.mark.parametrize(
    "name", [x for x, value in OBJECTS.items() if not (inspect.isclass(value) or inspect.isfunction(value))]
)
def test_examples_of_constants_run(name: str) -> None:
    """Doctest finds the docstrings of functions and classes only."""
    home, _, short = name.rpartition(".")
    names = vars(import_module(home)).copy()
    text = data_docstring(home, short)
    failures: list[str] = []
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    doctest.DocTestRunner().run(example, out=failures.append)
    assert not failures, "".join(failures)


def test_a_bad_docstring_is_found() -> None:
    def double(x: float) -> float:
        """the double"""
        return 2 * x

    results = {lack for _, lack in problems("double", double)}
    assert results == {"a summary that is one sentence", "the parameters x", "what it returns", "an example"}

    class Pair:
        """A pair.

        Examples
        --------
        >>> Pair().both()
        2
        """

        def both(self) -> int:
            """Return both.

            Returns
            -------
            int
                Both.
            """
            return 2

        def none(self) -> None:
            """Do nothing."""

    assert [*problems("Pair", Pair)] == [("Pair.none", "an example, here or at the class")]


@pytest.mark.slow
def test_every_measure_has_a_page_in_one_shape(tmp_path: Path) -> None:
    write_measure_pages(tmp_path)
    index = (tmp_path / "measures" / "index.md").read_text(encoding="utf-8")
    facts = ["Spelled", "For", "Range", "Chance level", "Interval", "Test", "Source", "Also called"]
    written = 0
    for (kind, name), measures in group_measures(ew.catalogue()).items():
        page = (tmp_path / "measures" / f"{page_name(kind, name)}.md").read_text(encoding="utf-8")
        assert f"({page_name(kind, name)}.md)" in index
        assert re.findall(r"^\| \*\*([^*]+)\*\* \| \S", page, re.M) == facts, name
        assert "## Definition" in page
        for measure in measures:
            assert measure.formula, f"{name} has no formula"
            assert f"`{measure.formula}`" in page
        assert ">>> print(ew.estimate(" in page
        assert " undefined: " not in page, f"the example of {name} has no value"
        written += "## How to read it" in page
    ece = (tmp_path / "measures" / "ece.md").read_text(encoding="utf-8")
    assert "## How to read it" in ece
    assert written >= 25, "the measures that people use most have prose"


@pytest.mark.slow
def test_every_chart_is_in_the_gallery(tmp_path: Path) -> None:
    made = re.compile(r'\w*[cC]hart\(\s*"(\w+)"')
    sources = [path for path in (ROOT / "src").rglob("*.py") if path.parent.name != "papers"]
    known = {name for path in sources for name in made.findall(path.read_text())}
    assert len(known) >= 20
    shown = {name: description for _, name, _, description, _ in draw_gallery(tmp_path)}
    assert set(shown) == known
    assert all(shown.values())


def test_every_benchmark_is_listed(tmp_path: Path) -> None:
    write_benchmark_page(tmp_path, ROOT)
    page = (tmp_path / "reference" / "benchmarks.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`script/bench (\w+)` \| \S", page))
    assert listed == {path.stem for path in (ROOT / "bench").glob("*.py")} - PARTS_OF_BENCHMARKS


@pytest.mark.slow
def test_every_figure_of_a_paper_is_on_its_page() -> None:
    page = (ROOT / "docs" / "papers" / "kalia.md").read_text(encoding="utf-8")
    for name in ew.papers.reproduce("kalia").charts:
        assert f"(figures/{name}.svg)" in page, name
