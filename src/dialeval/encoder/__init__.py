"""Text encoders in the Hugging Face format, the embedded all-MiniLM-L6-v2 among them.

``find_encoder`` says where weights are and what they are; ``load_encoder`` loads them, and brings torch.
"""

from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import Encoder, Vectors, load_encoder

__all__ = ["EMBEDDED", "Encoder", "Vectors", "Weights", "find_encoder", "load_encoder"]
