"""Rows of features: those of many subjects at once, each text encoded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Dialogue
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.sentences import unit_vectors
from dialeval.selfeval.quality.dialogue_features import DIALOGUE_FEATURES
from dialeval.selfeval.quality.moments import Talk, talk_of
from dialeval.selfeval.quality.turn_features import TURN_FEATURES
from dialeval.selfeval.subjects import Judged, spoken_turns

Kind: TypeAlias = Literal["turn", "dialogue"]
Encode: TypeAlias = Callable[[set[str]], Mapping[str, Floats]]
"""From stripped texts to their unit vectors."""

LM_FEATURES: Final = {"follow_ups": 1}
"""Scores by the embedded language model, with their direction."""
DIRECTIONS: Final[Mapping[str, int]] = {
    **{name: feature.direction for name, feature in TURN_FEATURES.items()},
    **{name: feature.direction for name, feature in DIALOGUE_FEATURES.items()},
    **LM_FEATURES,
}
"""Of every feature: 1 where more is better, -1 where less is."""
# How much a single response says goes either way with its ratings, so it counts in dialogues alone.
_OF_TURNS: Final = tuple(name for name in TURN_FEATURES if name != "response_information")
_OF_DIALOGUES: Final = (*TURN_FEATURES, *DIALOGUE_FEATURES)
RECIPES: Final[Mapping[tuple[Kind, bool], tuple[str, ...]]] = {
    ("turn", False): _OF_TURNS,
    ("dialogue", False): _OF_DIALOGUES,
    ("turn", True): (*_OF_TURNS, *LM_FEATURES),
    ("dialogue", True): (*_OF_DIALOGUES, *LM_FEATURES),
}
"""The features of each recipe, by what is judged and whether a language model is asked."""


def recipe_name(kind: Kind, lm: bool) -> str:
    """As the file of heads calls it: ``turn``, ``dialogue``, ``turn+lm``, ``dialogue+lm``."""
    return f"{kind}+lm" if lm else kind


def kind_of(subject: Judged) -> Kind:
    """What is judged: one response, or a dialogue."""
    return "dialogue" if isinstance(subject, Dialogue) else "turn"


def feature_rows(subjects: Sequence[Judged], names: Sequence[str], encode: Encode | None = None) -> Floats:
    """The features of these names, one row per subject; a feature of responses is the mean over the judged ones."""
    encode = encode or _embedded
    units = encode({turn.text.strip() for subject in subjects for turn in spoken_turns(subject)})
    talks = [talk_of(subject, units) for subject in subjects]
    rows = np.empty((len(subjects), len(names)))
    for column, name in enumerate(names):
        asked = name in LM_FEATURES
        rows[:, column] = _follow_ups(subjects) if asked else [_measured(name, talk) for talk in talks]
    return rows


def _measured(name: str, talk: Talk) -> float:
    if name in DIALOGUE_FEATURES:
        return DIALOGUE_FEATURES[name].measure(talk)
    values = [TURN_FEATURES[name].measure(moment) for moment in talk.moments]
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _follow_ups(subjects: Sequence[Judged]) -> Floats:
    from dialeval.selfeval.rivals.follow_ups import FollowUps

    return np.asarray(FollowUps().values(subjects))


def _embedded(texts: set[str]) -> Mapping[str, Floats]:
    return unit_vectors(texts, EMBEDDED)
