"""What an engine says of a file, as the end of our sentence."""

from __future__ import annotations

import re


def said(error: Exception) -> str:
    """The first line of an engine's message, without what it says of itself.

    >>> said(ValueError("CSV parse error: Expected 2 columns\\nDetail"))
    'Expected 2 columns'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = re.sub(
        r"^(CSV parse error|Invalid|IO Error|Invalid Input Error|IOError): ", "", str(error).strip()
    )
    return text.splitlines()[0] if text else type(error).__name__
