"""Reports and charts as values, and their rendering; knows no kind of prediction."""
