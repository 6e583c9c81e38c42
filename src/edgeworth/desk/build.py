"""Build the desk: plain ES modules, a style sheet and a page become one file that needs no network.

Browsers refuse ``import`` and worker files on ``file://``. So each module becomes a function that returns its
exports, and all of them form one script. The page's policy allows that script by its hash and nothing else.
The modules without a user interface are inside one function, whose text is also the source of the worker.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files

from edgeworth import __version__
from edgeworth.sample import sample_file

LIBRARY = ("special", "table", "guessing", "ranking", "kelly", "wealth", "jobs")
"""Modules that compute, in the order of their imports; a worker runs them too."""

INTERFACE = (
    "format",
    "dom",
    "svg",
    "help",
    "state",
    "examples",
    "paste",
    "worker",
    "export",
    "table_data",
    "sheet",
    "what_if",
    "table_results",
    "table_charts",
    "table_tab",
    "ranking_tab",
    "bet_charts",
    "bet_tab",
    "race_charts",
    "race_tab",
    "main",
)
"""Modules that show, in the order of their imports."""

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', flags=re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\*? (\w+))", flags=re.MULTILINE)


def read(name: str) -> str:
    """Read a file of the desk."""
    return (files("edgeworth.desk") / name).read_text(encoding="utf-8")


def wrap_module(name: str) -> str:
    """Turn an ES module into a function that returns its exports."""
    source = read(f"js/{name}.js")
    exported = EXPORT.findall(source)
    body = IMPORT.sub(
        lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = modules.{match[2]};\n", source
    )
    body = EXPORT.sub("", body)
    return f"modules.{name} = (function () {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def bundle() -> str:
    """Join all modules into one script."""
    library = "".join(map(wrap_module, LIBRARY))
    interface = "".join(map(wrap_module, INTERFACE))
    return (
        f'"use strict";\nfunction library() {{\n"use strict";\nconst modules = {{}};\n{library}'
        "return modules;\n}\n"
        f"(function () {{\nconst modules = library();\n{interface}modules.main.start(library);\n}})();\n"
    )


def policy(script: str, style: str) -> str:
    """Write the Content-Security-Policy that allows this script, this style and a worker, and no request."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'; "
        "worker-src blob:; img-src blob: data:; base-uri 'none'; form-action 'none'"
    )


def build() -> str:
    """Make the page."""
    script, style = bundle(), read("desk.css")
    with sample_file() as path:
        births = path.read_text(encoding="utf-8")
    data = json.dumps({"births": births, "version": __version__}).replace("<", "\\u003c")
    page = read("desk.html")
    parts = {"policy": policy(script, style), "style": style, "script": script, "data": data}
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: parts[match[1]], page)
