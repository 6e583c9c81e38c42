"""Reports do not depend on what a program has loaded, and pages carry the licences of what they embed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import edgeworth as ew

PROGRAM = """
{before}
import edgeworth as ew

print(ew.evaluate(truth=[0, 1] * 20, prediction=[0, 1, 1, 1] * 10).to_json())
"""


@pytest.fixture(scope="module")
def plain() -> dict[str, object]:
    return made("")


def made(before: str) -> dict[str, object]:
    words = [sys.executable, "-c", PROGRAM.format(before=before)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    payload: dict[str, object] = json.loads(done.stdout)
    return payload


@pytest.mark.parametrize("before", ["import scipy.stats", "import sklearn", "import pandas, pyarrow"])
def test_json_does_not_depend_on_what_was_imported(before: str, plain: dict[str, object]) -> None:
    assert made(before) == plain
    provenance = plain["provenance"]
    assert isinstance(provenance, dict)
    assert [word.split()[0] for word in provenance["versions"].split(", ")] == ["Python", "numpy", "scipy"]


def test_a_page_carries_the_notices_of_what_it_embeds() -> None:
    page = ew.evaluate(truth=[0, 1] * 20, prediction=[0, 1, 1, 1] * 10).to_html()
    script = page[page.rindex("<script>") :]
    for holder in ("University of Washington Interactive Data Lab", "Mike Bostock", "Evgeny Poberezkin"):
        assert holder in script
    for condition in (
        "Redistributions in binary form must reproduce the above copyright notice",
        "provided that the above copyright notice and this permission notice appear in all copies",
        "this permission notice shall be included in all copies or substantial portions of the Software",
    ):
        assert condition in " ".join(script.split())


def test_every_library_inside_the_bundle_has_a_notice() -> None:
    """The compiled extension that makes the bundle names each npm package that it carries."""
    import vl_convert

    [extension] = Path(vl_convert.__file__).parent.glob("vl_convert.*.so")
    result = re.findall(rb"npm/((?:@[a-z0-9-]+/)?[a-z0-9.-]+)@[0-9]+\.", extension.read_bytes())
    packages = {name.decode() for name in result}
    assert {"vega", "vega-lite", "d3-array", "fast-deep-equal"} <= packages
    notices = (files("edgeworth.report.html") / "notices.txt").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z0-9.-]+", notices.lower()))
    families = ("vega", "d3", "topojson")
    assert {x for x in packages if x not in named and x.split("-")[0] not in families} == set()
