"""``dialeval consistency``: provoke contradictions, find them, quote them, count them."""
