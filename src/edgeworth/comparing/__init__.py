"""Which of several systems is better: differences on the same cases."""
