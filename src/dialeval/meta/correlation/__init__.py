"""Correlations of measures with people: levels, tests, rank groups and the human ceiling."""
