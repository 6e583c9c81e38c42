"""What every package may use: arrays, choices, progress, threads."""
