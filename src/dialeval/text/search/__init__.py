"""Lexical search in memory: BM25, tf-idf and their postings."""
