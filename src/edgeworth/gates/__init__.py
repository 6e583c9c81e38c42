"""Release gates: requirements, three outcomes, and how often a gate is wrong."""
