"""Response generators that we train ourselves: GRU and LSTM with attention, ConvS2S and Transformer.

``Trained`` answers and scores; ``training.train`` learns from dialogues, and brings torch when it is imported.
"""

from dialeval.systems.trained.config import Shape, TrainConfig, scaled
from dialeval.systems.trained.system import Trained
from dialeval.training.schedule import Schedule

__all__ = ["Schedule", "Shape", "TrainConfig", "Trained", "scaled"]
