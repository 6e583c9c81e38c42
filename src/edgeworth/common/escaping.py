"""Text from strangers made safe to show on a terminal and to paste into a shell.

Escaping is the last step before text is shown: nothing may decode, join or cut it afterwards."""

from __future__ import annotations

import re
import shlex

OBEYED = "".join(
    (
        "\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb",
        "\ud800-\udfff\U000e0000-\U000e007f",
    )
)
"""Characters from 32 on that a terminal obeys, that reorder or hide text, or that no file can hold."""
_OBEYED = re.compile(f"[\x00-\x1f{OBEYED}]")

LONGEST_SHELL_WORD = 100
"""A longer word of a command would be shortened in a sentence, which can open or close its quotes."""


def visible(text: str) -> str:
    r"""Replace characters that would be obeyed and not seen by pictures of them, or by their codes.

    >>> print(visible("a\x1b[31m b\u202e\n"))
    a␛[31m b[U+202E]␊
    """
    return _OBEYED.sub(lambda sign: _picture(ord(sign[0])), text)


def _picture(code: int) -> str:
    # No backslashes: what draws charts would read them as the character that they stand for.
    return chr(0x2400 + code) if code < 32 else f"[U+{code:04X}]"


def is_visible(text: str) -> bool:
    """Return whether a text can be shown as it is."""
    return _OBEYED.search(text) is None


def shell_word(word: str, otherwise: str) -> str:
    r"""Quote a word for a shell, or return a placeholder if the word cannot be shown exactly as it is.

    >>> shell_word("my score", "COLUMN"), shell_word("a\x1b[2J", "COLUMN"), shell_word("x" * 101, "COLUMN")
    ("'my score'", 'COLUMN', 'COLUMN')
    """
    quoted = shlex.quote(word)
    return quoted if is_visible(word) and len(quoted) <= LONGEST_SHELL_WORD else otherwise
