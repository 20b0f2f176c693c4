"""Text encoders in the Hugging Face format, the embedded all-MiniLM-L6-v2 among them.

``find_encoder`` says where weights are and what they are; ``load_encoder`` loads them, and brings torch.
"""

from dialeval.encoder.files import EMBEDDED as EMBEDDED, Weights as Weights, find_encoder as find_encoder
from dialeval.encoder.model import Encoder as Encoder, load_encoder as load_encoder
