"""Readers and writers of JSON Lines, CSV, TSV and Parquet, and the fields of records."""
