"""The verbs of ``dialeval selfeval``."""
