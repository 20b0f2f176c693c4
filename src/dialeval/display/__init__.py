"""Wording, tables, terminal output, plots and pages that every report shares."""
