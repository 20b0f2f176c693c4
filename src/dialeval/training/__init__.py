"""Shared parts of all trainers: the loop, its schedule, checkpoints, batches, model cards and model folders.

A trainer brings a ``task.Task``: a model, batches, a loss and a validation measure. ``loop.fit`` trains it and can be
killed and resumed; ``folder.Layout`` writes and finds the trained model; ``folder.Card`` describes it. ``task``,
``loop`` and ``checkpoint`` import torch; everything else here does without.
"""
