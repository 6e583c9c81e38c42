"""A report as one page that needs no network."""
