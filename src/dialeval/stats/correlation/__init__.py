"""Correlation coefficients, their levels, resampling and tests."""
