"""What every kind of prediction needs: tallies, labels, measures, estimates, laws."""
