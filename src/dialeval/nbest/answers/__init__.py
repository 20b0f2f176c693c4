"""Answers to polar questions: yes, no or ambiguous, by the first word or by a trained classifier."""
