"""Which of several systems is better: differences on the same cases, and how sure they are.

``edgeworth.compare`` is the way in. Its parts: ``paired.Paired`` and ``paired_scores.PairedScores`` are what
systems predicted for the same cases, ``paired_values.permutation.permutation_test`` is Fisher's test of
paired differences, and ``labels.independent.compare_independent`` compares tables of different cases.
"""

from edgeworth.comparisons.paired_values.permutation import permutation_test

__all__ = ["permutation_test"]
