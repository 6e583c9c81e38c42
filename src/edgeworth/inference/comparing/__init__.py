"""Which one is better: differences between systems on the same cases."""

from edgeworth.inference.comparing.differences import Difference, Effect

__all__ = ["Difference", "Effect"]
