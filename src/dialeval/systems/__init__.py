"""Systems under test: models that respond, and recordings of systems.

``SYSTEMS`` names every kind; the fields of its class are the keys a study gives it, beside ``kind``.
"""

from __future__ import annotations

from typing import Final

from dialeval.core import System
from dialeval.systems.baselines import Echo, Random, Retrieval
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.openai import OpenAI
from dialeval.systems.trained import Trained
from dialeval.systems.transcript import Transcript
from dialeval.text.calls import Entry, Table

__all__ = ["SYSTEMS", "Echo", "HuggingFace", "OpenAI", "Random", "Retrieval", "Trained", "Transcript"]

SYSTEMS: Final[Table[System]] = Table(
    Entry("echo", "dialeval.systems.baselines:Echo"),
    Entry("huggingface", "dialeval.systems.huggingface:HuggingFace"),
    Entry("nlg", "dialeval.nlg.generating.system:Nlg"),
    Entry("openai", "dialeval.systems.openai:OpenAI"),
    Entry("random", "dialeval.systems.baselines:Random"),
    Entry("retrieval", "dialeval.systems.baselines:Retrieval"),
    Entry("trained", "dialeval.systems.trained:Trained"),
    Entry("transcript", "dialeval.systems.transcript:Transcript"),
)
