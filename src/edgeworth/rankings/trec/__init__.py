"""Judgements and runs in the formats of TREC."""
