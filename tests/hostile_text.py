"""Texts that strangers may put into labels, columns and names of files, and what no output may hold."""

from __future__ import annotations

import re

TEXTS = {
    "escape sequence": "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "clipboard": "\x1b]52;c;Y3VybCBldmlsIHwgc2g=\x07\x1b]52;c;eA==\x1b\\",
    "hidden": "a\u200bb\u2060c\xadd",
    "C0 controls": "a\x00b\x01c\x08d\x7fe",
    "C1 controls": "a\x85b\x9b2Jc\x90d\x9f",
    "new lines": "a\nedgeworth: all is well\r\nb\x0bc\x0cd\u2028e\u2029f",
    "tabs": "a\tb",
    "right to left": "abc\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c",
    "surrogate": "a\ud800b\udfffc",
    "tags and marks": "a\U000e0041\ufeff\ufff9b",
    "markup": "[red]x[/red] [/] [link=http://x.example]y[/link]",
    "HTML": "<script>alert(1)</script></script><!--<img src=x onerror=alert(1)>&amp;&#0;",
    "LaTeX": "\\input{/etc/passwd}$x^2$%\\end{tabular}&",
    "Markdown": "| a | [x](javascript:alert(1)) `code` ![i](x) # <b>",
    "formula": '=HYPERLINK("http://x.example","y")',
    "formula at": "@SUM(1+1)",
    "formula plus": "+1+cmd|' /C calc'!A0",
    "formula minus": "-2+3+cmd",
    "Vega": "datum['__proto__'] \\' \" \\u001b {{x}}",
    "JavaScript names": "__proto__",
    "quotes": "\"'`,;",
    "blanks": "  a  b  ",
    "long": "x" * 100_000,
    "long words": "many words " * 10_000,
    "combining": "e" + "\u0301" * 300,
    "wide": "漢字" * 40,
    "percent": "%s %d {0} {name} %(x)s",
}
"""Every one of these goes through every output."""

WORST = "".join(TEXTS[name] for name in TEXTS if "long" not in name and name not in ("combining", "wide"))
"""Nearly all of them in one name, for what would take too long with each."""

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Signs that no output may hold; new lines and tabs of ours are looked at by themselves."""


def check_harmless(text: str) -> None:
    """No sign that is obeyed, and nothing that a file cannot hold."""
    match = OBEYED.search(text)
    assert match is None, repr(text[max(0, match.start() - 40) : match.end() + 40])
    text.encode()
