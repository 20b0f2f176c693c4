"""Whole texts as FED's authors score them: every turn and the follow-up, separated by the model's end token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.selfeval.subjects import Judged, turns_of
from dialeval.systems.huggingface.texts import TextModel

WHOLE: Final = "whole_text"
"""How a dialogue is written down, as signatures show it."""
_LONGEST: Final = 64
"""Tokens of the window that are kept free for a follow-up."""


def whole_logprobs(subjects: Sequence[Judged], utterances: Sequence[str], model: TextModel) -> Floats:
    """Mean log-probability per token of dialogue and utterance together, (subjects, utterances).

    All tokens but the first count, as in a language model's loss. The dialogue is read and scored once for all
    utterances. Where it does not fit the window, its oldest tokens are left out after the opening end token.
    """
    end = model.end
    texts = [f"{end} " + f" {end} ".join(turn.text for turn in turns_of(subject)) for subject in subjects]
    longest = model.room(_LONGEST)
    spoken = [
        tokens if len(tokens) <= longest else (tokens[0], *tokens[1 - longest :])
        for tokens in model.tokens([f"{text} {end}" for text in texts])
    ]
    after = model.tokens([f" {utterance}" for utterance in utterances])
    asked = [(tokens[:1], tokens[1:]) for tokens in spoken]
    asked += [(tokens, then) for tokens in spoken for then in after]
    sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
    alone, following = np.split(sums, [len(spoken)])
    lengths = np.array([[len(tokens) - 1 + len(then) for then in after] for tokens in spoken])
    return np.asarray((alone[:, None] + following.reshape(lengths.shape)) / lengths)
