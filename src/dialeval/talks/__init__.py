"""Talks of systems with simulated users: scenarios, users, success, and the users' own faults."""
