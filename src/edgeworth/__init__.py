"""Are these predictions informed, or lucky? How sure is that, and what is the edge worth?

The public names are listed once, in ``__init__.pyi``, which type checkers read; each is imported when it is
first used, so that ``import edgeworth`` costs little more than importing numpy.
"""

# Modules are imported inside functions: the command starts with this file, and an interrupt that comes before
# the command can handle it prints a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_homes: "dict[str, str]" = {}


def _find_homes() -> "dict[str, str]":
    """Find the module of each public name, once."""
    if not _homes:
        import ast
        from pathlib import Path

        listed = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        for node in ast.parse(listed).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                _homes.update(dict.fromkeys((alias.name for alias in node.names), node.module))
    return _homes


def __getattr__(name: str) -> "Any":
    if name == "__all__":
        return sorted(_find_homes())
    home = _find_homes().get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = import_module(f"edgeworth.{name}") if home == "edgeworth" else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*sorted(_find_homes()), "__version__"]
