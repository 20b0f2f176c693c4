"""Skip-Thought vectors (Kiros et al., 2015): a metric, and the model it rests on.

``SkipThought`` scores; ``training.train`` learns from dialogues, and brings torch when it is imported.
"""

from dialeval.metrics.skip_thought.folder import SCALES, TrainConfig
from dialeval.metrics.skip_thought.metric import SkipThought

__all__ = ["SCALES", "SkipThought", "TrainConfig"]
