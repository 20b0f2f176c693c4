"""Questions that provoke contradictions: follow-up questions by FQness, and entity probes by rules."""
