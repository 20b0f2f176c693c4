"""Repositories of utterances with lexical and vector indexes."""
