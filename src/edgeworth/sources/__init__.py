"""The only input: arrays, dataframes and files, as batches of named columns."""
