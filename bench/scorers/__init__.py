"""Agreement of scorers without references with people, on rated sets of turns and of dialogues.

``python -m bench scorers -m context_cosine -m follow_ups`` prints the tables; ``sets`` has the readers of the rated
sets, ``scores`` the per-item values that are kept on disk, ``agreement`` the correlations.
"""
