"""Systems under test: models that respond, and recordings of systems; `dialeval.catalogue` names their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.systems.baselines import Echo, Gold, Random, Retrieval
    from dialeval.systems.huggingface import HuggingFace
    from dialeval.systems.openai import OpenAI
    from dialeval.systems.trained import Trained
    from dialeval.systems.transcript import Transcript
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = ["Echo", "Gold", "HuggingFace", "OpenAI", "Random", "Retrieval", "Trained", "Transcript"]
