"""Test sets from drafts and raters' scores, or from automatic judges."""
