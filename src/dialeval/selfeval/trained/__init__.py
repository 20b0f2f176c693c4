"""Rivals of SelF-Eval that we train on the same dialogues, on vectors of single turns by the same frozen encoder.

``density`` and ``quantidce`` judge a response after its context, ``dynaeval`` a dialogue as a graph of its turns.
``metrics`` and ``heads`` load no torch.
"""
