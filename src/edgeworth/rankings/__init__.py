"""Scores: from ranked targets to average precision, its uncertainty and its law under chance."""
