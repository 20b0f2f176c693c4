"""Verbs about judges: steps, escalation to people, estimates afterwards, and drift."""
