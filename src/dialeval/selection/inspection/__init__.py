"""Statistics and artefacts of a question set."""
