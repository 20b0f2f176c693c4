"""An encoder that reads a response together with its context, learnt from dialogues without ratings.

``lessons`` are true and false responses; ``trainer`` needs torch, ``reading`` does not. `quality` has its word as a
feature.
"""
