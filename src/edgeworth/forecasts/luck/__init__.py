"""The law of log wealth when the probabilities are known."""
