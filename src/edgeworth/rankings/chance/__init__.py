"""What random selection does to a ranking: hits at a cut, ranks of hits, average precision."""
