"""Likelihood of a response under a language model, given its context and beside that without one.

Also of the follow-ups that the model expects: praise, blame, and the complaints of FULL (De Bruyn et al., 2022).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Exchange, Subject, exchanges_of, judged_speakers, turns_of
from dialeval.systems.huggingface import EMBEDDED
from dialeval.systems.huggingface.loader import Precision
from dialeval.systems.huggingface.prompts import Tokens
from dialeval.systems.huggingface.system import TextModel

Speaker: TypeAlias = Literal["A", "B"]

TURNS: Final = 12
"""Turns that are kept, the last ones."""
TOKENS: Final = 300
"""Tokens that are kept of these, the last ones."""
LONGEST: Final = 256
"""Tokens that are scored of what comes after, the first ones."""
FACT: Final = f"lines_{TURNS}turns_{TOKENS}tokens"
"""Form in which a dialogue is read, as signatures show it."""


def lines_of(turns: Context, last: Speaker, most: int = TURNS, *, side: Set[str] = frozenset()) -> list[str]:
    """One line for each of the last turns: ``last`` is who speaks last, and everybody else is the other.

    With a ``side``, its speakers are ``last`` instead, also if another speaks last.
    """
    ending = folded(turns[-1].speaker) if turns else ""
    other: Speaker = "A" if last == "B" else "B"

    def name(turn: Turn) -> Speaker:
        return last if (turn.speaker in side if side else folded(turn.speaker) == ending) else other

    return [f"{name(turn)}: {' '.join(turn.text.split())}" for turn in turns[-most:]]


def lines_judged(subject: Subject) -> list[str]:
    """All that was said, with B as the side that is judged, or as who spoke last if nobody knows which that is.

    So A is the one to remark on it, also if A had the last word.
    """
    side = judged_speakers(subject) if isinstance(subject, Dialogue) else frozenset()
    return lines_of(turns_of(subject), "B", side=side)


def beginnings(
    dialogues: Sequence[Sequence[str]], following: Speaker, model: TextModel, *, first: bool = False
) -> list[Tokens]:
    """The tokens of each dialogue's lines, and of the name of who speaks on the next.

    Of the lines' tokens the last ``TOKENS`` are kept, or with ``first`` the first ones that the window has room for.
    """
    room = model.room(LONGEST)
    kept = slice(room) if first else slice(-min(room, TOKENS), None)
    cue, alone = model.tokens([f"\n{following}:", f"{following}:"])
    tokens = model.tokens(["\n".join(lines) for lines in dialogues])
    return [(*before[kept], *cue) if before else alone for before in tokens]


class LmScorer(Scorer):
    """A scorer by a language model; a subclass has the fields ``model``, ``hub`` and ``dtype``, and ``values``."""

    __slots__ = ()
    model: str
    hub: bool
    dtype: Precision

    def __post_init__(self) -> None:
        require_torch(self.name, "transformers")
        _ = self._model.fact

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The language model and its hash, and the form in which it reads a dialogue."""
        return (("lm", self._model.fact), ("context", self._context))

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    @property
    def _context(self) -> str:
        """Form in which a dialogue is read, as the signature shows it."""
        return FACT

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)


@dataclass(frozen=True, slots=True)
class LmLikelihood(LmScorer):
    """Mean log-probability per token that a language model gives the response after its context.

    Of a dialogue it is the mean over its responses. The context's last 12 turns are lines of A and B, of which the
    last 300 tokens are kept, and the response is B's next; its first 256 tokens count. Never above 0. Prefers what is
    common: see `pmi`.
    """

    name: ClassVar[str] = "lm_likelihood"
    limits: ClassVar[tuple[float, float]] = (-np.inf, 0.0)
    family: ClassVar[str] = "likelihood"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean log-probability of each subject's responses."""
        return _mean_over_exchanges(subjects, self._model)


@dataclass(frozen=True, slots=True)
class Pmi(LmScorer):
    """Log-probability per token that the response gains by its context, their pointwise mutual information.

    `lm_likelihood` minus the same without any context (Li et al., 2016), so that a response that would be common
    anywhere gains nothing. Of a dialogue it is the mean over its responses.
    """

    name: ClassVar[str] = "pmi"
    family: ClassVar[str] = "likelihood"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean gain of each subject's responses."""
        return _mean_over_exchanges(subjects, self._model, beside_none=True)


def _mean_over_exchanges(
    subjects: Sequence[Subject], model: TextModel, *, beside_none: bool = False
) -> Floats:
    """The mean over each subject's responses; with ``beside_none`` less the value without any context."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    flat = [exchange for each in exchanges for exchange in each]
    values = mean_logprobs(flat, model)
    if beside_none:
        values = values - mean_logprobs([Exchange((), each.response) for each in flat], model)
    ends = np.cumsum([len(each) for each in exchanges])
    return np.array([part.mean() for part in np.split(values, ends[:-1])])


def mean_logprobs(exchanges: Sequence[Exchange], model: TextModel) -> Floats:
    """Mean log-probability per token of each response as B's line after its context."""
    before = beginnings([lines_of(exchange.context, "A") for exchange in exchanges], "B", model)
    texts = [f" {' '.join(exchange.response.split())}" for exchange in exchanges]
    after = [tokens[: model.longest(LONGEST)] for tokens in model.tokens(texts)]
    return np.asarray(model.logprobs(before, after) / [len(tokens) for tokens in after])


POSITIVE: Final = (
    "That's really interesting!",
    "I like talking to you.",
    "You have a good point.",
    "That makes sense!",
    "Wow, tell me more!",
)
NEGATIVE: Final = (
    "That's not even related to what I said.",
    "You're really boring.",
    "What are you trying to say?",
    "I don't understand at all!",
    "You're really confusing.",
    "Don't change the topic!",
)


@dataclass(frozen=True, slots=True)
class FollowUps(LmScorer):
    """Log-probability per token of praise minus that of blame as the next turn, by a language model.

    After the last 12 turns as lines of A and B, of which the last 300 tokens are kept, A is made to say five pleased
    and six displeased things, after Mehri and Eskenazi (2020): the mean of their mean log-probabilities per token,
    pleased minus displeased. B is the side that is judged, also if A had the last word, or the last speaker if
    nobody knows which side that is.
    """

    name: ClassVar[str] = "follow_ups"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The difference of each subject."""
        means = line_logprobs(subjects, (*POSITIVE, *NEGATIVE), self._model)
        pleased, displeased = np.split(means, [len(POSITIVE)], axis=1)
        return np.asarray(pleased.mean(axis=1) - displeased.mean(axis=1))


def line_logprobs(subjects: Sequence[Subject], utterances: Sequence[str], model: TextModel) -> Floats:
    """Mean log-probability per token of each utterance as A's line after each subject, (subjects, utterances).

    B is the side that is judged. What comes before is read once for all utterances.
    """
    before = beginnings([lines_judged(subject) for subject in subjects], "A", model)
    after = model.tokens([f" {utterance}" for utterance in utterances])
    asked = [(first, then) for first in before for then in after]
    sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
    return np.asarray(sums.reshape(len(subjects), len(after)) / [len(tokens) for tokens in after])


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
class Full(LmScorer):
    """Mean perplexity of complaints as the next turn; higher is better, for then nobody expects them.

    ``intended`` has the paper's five complaints, ``released`` the four of the authors' code, where a missing comma
    joins two of them. A causal model reads the dialogue as lines of A and B, an encoder-decoder (the authors'
    BlenderBot) its turns separated by tabs, and there the end of the complaint counts too. ``intended`` keeps the last
    12 turns and of these the last 300 tokens, or as many as fit; ``released`` keeps the last 50 turns and of these the
    first tokens that fit, as the code does: of BlenderBot's window that is the first 128, and the end of a longer
    dialogue is not read. With ``intended``, a causal model hears the complaint from A and B is the side that is judged,
    if that side is known; else, and with ``released``, B is the last speaker.
    """

    name: ClassVar[str] = "full"
    limits: ClassVar[tuple[float, float]] = (1.0, np.inf)
    profile: Profile = "intended"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal or encoder-decoder model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    @property
    def _context(self) -> str:
        return f"{_TURNS}turns_first_tokens" if self.profile == "released" else FACT

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The mean perplexity of each subject."""
        return np.asarray(np.exp(-self._logprobs(subjects)).mean(axis=1))

    def _logprobs(self, subjects: Sequence[Subject]) -> Floats:
        """Mean log-probability per token of each complaint, (subjects, complaints)."""
        model, said = self._model, UTTERANCES[self.profile]
        if model.seq2seq:
            after = [(*tokens, *model.frame.tail) for tokens in model.tokens(said)]
        else:
            after = model.tokens([f" {utterance}" for utterance in said])
        asked = [(first, then) for first in self._before(subjects) for then in after]
        sums = model.logprobs([first for first, _ in asked], [then for _, then in asked])
        return np.asarray(sums.reshape(len(subjects), len(after)) / [len(tokens) for tokens in after])

    def _before(self, subjects: Sequence[Subject]) -> list[Tokens]:
        """Tokens before a complaint."""
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
