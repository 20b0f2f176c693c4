"""The verbs of ``dialeval nbest``."""
