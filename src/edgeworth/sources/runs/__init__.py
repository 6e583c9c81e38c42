"""Read the run logs of evaluation tools: one small reader per tool, and a table of readers."""
