"""Likeness by a text encoder: BERTScore and the cosine of sentence vectors."""
