"""The command: the same words as the Python functions. Heavy imports wait until a command needs them."""

from edgeworth.cli.app import app, main

__all__ = ["app", "main"]
