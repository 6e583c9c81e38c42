"""Labels: from contingency tables to informedness, its uncertainty and its worth."""
