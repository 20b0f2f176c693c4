"""Exports of other tools: traces of model calls, chats, and results of other evaluators."""
