"""Verbs about judges: escalation to people, estimates afterwards, and drift."""
