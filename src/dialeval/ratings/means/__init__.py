"""Mean ratings of systems, their differences, and a cross-check of both by statistical models."""
