"""Training data without labels: dialogues whose quality is known because we spoilt them ourselves."""
