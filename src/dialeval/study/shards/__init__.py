"""Shards of a command: parts of its work in folders of their own, and the checks before they are merged."""
