"""Names of a package that are imported when they are first used: a command starts with what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, tuple[str, ...]], *, modules: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of a package; ``homes`` says which module has which names.

    ``modules`` are names themselves, each by the last part of where it is.

    >>> find, names = lazy_names("edgeworth", {"errors": ("InputError",)})
    >>> find("InputError").__name__, "InputError" in names()
    ('InputError', True)
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    module_of = {module.rpartition(".")[2]: module for module in modules}

    def find(name: str) -> Any:
        if name in module_of:
            value: Any = import_module(f"{package}.{module_of[name]}")
        elif name in home_of:
            value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted((*home_of, *module_of))

    return find, names
