"""Recurrent cells, written out: the LSTM, and the semantically controlled LSTM of Wen et al. (2015b).

A cell multiplies the inputs of all steps at once (``project``), so that only products with its state are left to the
steps; ``unroll`` runs it over a sequence.
"""
