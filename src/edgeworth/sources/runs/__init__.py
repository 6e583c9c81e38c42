"""Run logs of evaluation tools: one small reader for each tool, one table of readers."""
