"""Annotation by raters: forms, tasks, keys and filled-in answers."""
