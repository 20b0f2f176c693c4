"""Drafts of questions with retrieved false candidates."""
