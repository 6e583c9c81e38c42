"""The Python reference: one page per public name of ``edgeworth``, one per public module."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

from markdown import block, contents, table, with_code, write_page
from sphinx.pycode import ModuleAnalyzer

import edgeworth as ew

MODULES = sorted(
    {name for name in ew.__all__ if inspect.ismodule(getattr(ew, name))} - {"grades"}
    | {"errors", "forecasts.sequential", "sklearn"}
)
"""Public modules. The class of grades is a name of ``edgeworth`` itself."""
INTERNAL = ":meta private:"
"""Sphinx's mark in the docstring of a name that is for the package itself."""


def write_python_pages(source: Path) -> None:
    """Write a page for each public name."""
    folder = source / "reference" / "python"
    names = [name for name in ew.__all__ if not inspect.ismodule(getattr(ew, name))]
    for name in names:
        write_page(folder / f"{name}.md", f"# ew.{name}", describe("edgeworth", name))
    for module in MODULES:
        write_page(folder / f"edgeworth.{module}.md", *_module_page(module))
    functions = [name for name in names if inspect.isfunction(getattr(ew, name))]
    classes = [name for name in names if name not in functions]
    modules = [f"edgeworth.{module}" for module in MODULES]
    write_page(
        folder / "index.md",
        "# Python",
        "The examples assume `import edgeworth as ew`.",
        "## Functions",
        table(("name", "what it does"), [_row("edgeworth", name, f"{name}.md") for name in functions]),
        "## Classes",
        table(("name", "what it is"), [_row("edgeworth", name, f"{name}.md") for name in classes]),
        "## Modules",
        table(
            ("module", "what it holds"),
            [(f"[`{name}`]({name}.md)", with_code(first_sentence(import_module(name)))) for name in modules],
        ),
        contents([*functions, *classes, *modules]),
    )


def public_names(module: ModuleType) -> list[str]:
    """List what a module offers and is not offered by ``edgeworth`` itself."""
    top = {id(getattr(ew, name)) for name in ew.__all__}
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    values = {name: getattr(module, name) for name in names}
    return [
        name
        for name, value in values.items()
        if id(value) not in top and not inspect.ismodule(value) and INTERNAL not in (value.__doc__ or "")
    ]


def public_members(value: type) -> Iterator[tuple[str, FunctionType | property | cached_property[object]]]:
    """Yield the methods and properties of a class for users, also those of a base in its module."""
    names = {}
    for base in value.__mro__:
        if base.__module__ == value.__module__:
            names |= {name: member for name, member in vars(base).items() if name not in names}
    fields = getattr(value, "__dataclass_fields__", {})
    for name, found in names.items():
        member = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        is_member = isinstance(member, (FunctionType, property, cached_property))
        if (
            is_member
            and not name.startswith("_")
            and name not in fields
            and INTERNAL not in (member.__doc__ or "")
        ):
            yield name, member


def field_docstrings(value: type) -> dict[str, str]:
    """Return the docstrings below the fields of a class."""
    docs = ModuleAnalyzer.for_module(value.__module__).find_attr_docs()
    return {name: " ".join(lines) for (owner, name), lines in docs.items() if owner == value.__name__}


def data_docstring(module: str, name: str) -> str:
    """Return the docstring below a constant, in the module or in the one that it is imported from."""
    docs = ModuleAnalyzer.for_module(module).find_attr_docs()
    if ("", name) in docs:
        return "\n".join(docs["", name])
    tree = ast.parse(inspect.getsource(import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names} and node.module:
            return data_docstring(node.module, name)
    return ""


def _module_page(name: str) -> list[str]:
    module = import_module(f"edgeworth.{name}")
    parts = [f"# edgeworth.{name}", with_code(first_sentence(module))]
    names = public_names(module)
    listed = getattr(module, "__all__", names)
    elsewhere = [x for x in listed if x in ew.__all__]
    if elsewhere:
        links = ", ".join(f"[`{x}`]({x}.md)" for x in elsewhere)
        parts.append(f"It also holds {links}.")
    for x in names:
        parts += [f"## {x}", describe(f"edgeworth.{name}", x)]
    return parts


def describe(module: str, name: str) -> str:
    """Write the directive that shows a name with its docstring."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        text = inspect.getdoc(value) or ""
        fields = [field for field in field_docstrings(value) if f"\n{field} :" not in text]
        names = [*fields, *(member for member, _ in public_members(value))]
        lines = [f".. autoclass:: {module}.{name}"]
        if names:
            lines.append(f"   :members: {', '.join(names)}")
        if not {*names} <= {*vars(value), *fields}:
            lines.append("   :inherited-members:")
    elif inspect.isfunction(value):
        lines = [f".. autofunction:: {module}.{name}"]
    else:
        lines = [f".. py:data:: {module}.{name}", "", *_indent(data_docstring(module, name))]
    return block("{eval-rst}", "\n".join(lines))


def _indent(text: str) -> list[str]:
    return [f"   {line}" for line in inspect.cleandoc(text).splitlines()]


def first_sentence(value: object) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def _row(module: str, name: str, page: str) -> tuple[str, str]:
    value = getattr(import_module(module), name)
    return f"[`ew.{name}`]({page})", with_code(first_sentence(value))
