"""Systems choosing among candidates, and the metrics over their choices."""
