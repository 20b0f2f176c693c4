"""Systems under test: models that respond, and recordings of systems.

``SYSTEMS`` names every kind; the fields of its class are the keys a study gives it, beside ``kind``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dialeval.core import System
from dialeval.systems.baselines import Echo, Random, Retrieval
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.openai import OpenAI
from dialeval.systems.trained import Trained
from dialeval.systems.transcript import Transcript

__all__ = ["SYSTEMS", "Echo", "HuggingFace", "OpenAI", "Random", "Retrieval", "Trained", "Transcript"]

SYSTEMS: Final[Mapping[str, Callable[..., System]]] = {
    "echo": Echo,
    "huggingface": HuggingFace,
    "openai": OpenAI,
    "random": Random,
    "retrieval": Retrieval,
    "trained": Trained,
    "transcript": Transcript,
}
