"""From options and data to tallies, slices, joins and run logs: the path that every verb takes."""
