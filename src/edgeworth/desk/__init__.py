"""The bookmaker's desk: one page that computes in the browser what Edgeworth computes in Python."""
