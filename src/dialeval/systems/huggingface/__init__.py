"""Language models in the Hugging Face format, the embedded SmolLM2-135M-Instruct among them.

``HuggingFace`` generates and scores. Importing this package brings neither torch nor transformers.
"""

from dialeval.systems.huggingface.system import HuggingFace

__all__ = ["HuggingFace"]
