"""Charts as values that draw themselves when somebody looks."""
