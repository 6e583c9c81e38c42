"""Charts of forecasts and bets."""
