"""Generators that put dialogue acts into words: a random baseline, LSTM, d-scLSTM and hld-scLSTM.

``trainer`` writes a generator's folder, ``system`` reads it and answers acts; ``cells`` holds the recurrent cells and
``network`` what is built of them. Sentences are generated with placeholders for values, which are then filled in.
"""
