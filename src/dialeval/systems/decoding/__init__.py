"""Decoding of next-token probabilities into responses: greedy, beams, diverse beams, sampling.

``Decoding`` says how, and is the key ``decoding`` of every neural system in a study. ``decode`` runs it on any
``StepModel``. Importing this package does not bring torch.
"""

from dialeval.systems.decoding.search import Hypothesis, StepModel, context_seed, decode
from dialeval.systems.decoding.settings import Decoding

__all__ = ["Decoding", "Hypothesis", "StepModel", "context_seed", "decode"]
