"""Formulas as MathML, which browsers draw themselves: nothing is loaded."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


def write_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a sentence."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
