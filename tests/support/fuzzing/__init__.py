"""Readers under mutated files: mutations, the readers, and the rule that every case must keep."""
