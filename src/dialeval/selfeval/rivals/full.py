"""FULL (De Bruyn et al., 2022): how surprising complaints are as the next turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.rivals.lines import FACT, TOKENS, TURNS, beginnings, lines_judged, lines_of
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged, turns_of
from dialeval.systems.huggingface.files import EMBEDDED
from dialeval.systems.huggingface.loading import Precision
from dialeval.systems.huggingface.prompting import Tokens
from dialeval.systems.huggingface.texts import TextModel

Profile: TypeAlias = Literal["intended", "released"]

UTTERANCES: Final[Mapping[Profile, tuple[str, ...]]] = {
    "intended": (
        "Not really relevant here.",
        "You're really confusing.",
        "You're really boring.",
        "What are you trying to say?",
        "You don't seem interested.",
    ),
    # The released list lacks a comma, so that two of the five became one.
    "released": (
        "Not really relevant here.",
        "You're really confusing.You're really boring.",
        "What are you trying to say?",
        "You don't seem interested.",
    ),
}
_TURNS: Final = 50


@dataclass(frozen=True, slots=True)
class Full(Scorer):
    """Mean perplexity of complaints as the next turn; higher is better, for then nobody expects them.

    ``intended`` has the paper's five complaints, ``released`` the four of the authors' code, where a missing comma
    joins two of them. A causal model reads the dialogue as lines of A and B, an encoder-decoder (the authors'
    BlenderBot) its turns separated by tabs, and there the end of the complaint counts too. ``intended`` keeps the last
    12 turns and of these the last 300 tokens, or as many as fit; ``released`` keeps the last 50 turns and of these the
    first tokens that fit, as the code does: of BlenderBot's window that is the first 128, and the end of a longer
    dialogue is not read. With ``intended``, a causal model hears the complaint from A and B is the side that is judged,
    where that side is known; else, and with ``released``, B is the last speaker.
    """

    limits: ClassVar[tuple[float, float]] = (1.0, np.inf)
    profile: Profile = "intended"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal or encoder-decoder model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        require_torch("full", "transformers")
        _ = self._model.fact

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        parameters = (
            ("profile", self.profile),
            ("model", self.model),
            ("hub", self.hub),
            ("dtype", self.dtype),
        )
        context = f"{_TURNS}turns_first_tokens" if self.profile == "released" else FACT
        return Signature("full", parameters, (("lm", self._model.fact), ("context", context)), version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The mean perplexity of each subject."""
        return np.asarray(np.exp(-self._logprobs(subjects)).mean(axis=1))

    def _logprobs(self, subjects: Sequence[Judged]) -> Floats:
        """Mean log-probability per token of each complaint, (subjects, complaints)."""
        model, said = self._model, UTTERANCES[self.profile]
        if model.seq2seq:
            after = [(*tokens, *model.frame.tail) for tokens in model.tokens(said)]
        else:
            after = model.tokens([f" {utterance}" for utterance in said])
        asked = [(first, then) for first in self._before(subjects) for then in after]
        sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
        return np.asarray(sums.reshape(len(subjects), len(after)) / [len(tokens) for tokens in after])

    def _before(self, subjects: Sequence[Judged]) -> list[Tokens]:
        """What a complaint comes after."""
        model = self._model
        if self.profile == "intended" and not model.seq2seq:
            return beginnings([lines_judged(subject) for subject in subjects], "A", model)
        dialogues = [turns_of(subject) for subject in subjects]
        most = TURNS if self.profile == "intended" else _TURNS
        if not model.seq2seq:
            return beginnings([lines_of(turns, "B", most) for turns in dialogues], "A", model, first=True)
        # Every turn with a tab before it, the first one too.
        texts = ["".join(f"\t{turn.text}" for turn in turns[-most:]) for turns in dialogues]
        lead, tail = model.frame
        room = model.room(0) - len(lead) - len(tail)
        kept = slice(room) if self.profile == "released" else slice(-min(room, TOKENS), None)
        return [(*lead, *tokens[kept], *tail) for tokens in model.tokens(texts)]

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)
