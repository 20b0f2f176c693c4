"""FED (Mehri and Eskenazi, 2020): quality by quality, how likely people's remarks on it are to follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Dialogue
from dialeval.selfeval.rivals.likelihood import FACT, LmScorer, line_logprobs
from dialeval.selfeval.subjects import Subject, turns_of
from dialeval.systems.huggingface import EMBEDDED
from dialeval.systems.huggingface.loader import Precision
from dialeval.systems.huggingface.system import TextModel

TurnQuality: TypeAlias = Literal[
    "interesting",
    "engaging",
    "specific",
    "relevant",
    "correct",
    "semantically appropriate",
    "understandable",
    "fluent",
]
DialogueQuality: TypeAlias = Literal[
    "coherent",
    "error recovery",
    "consistent",
    "diverse",
    "depth",
    "likeable",
    "understanding",
    "flexible",
    "informative",
    "inquisitive",
]
TURN_QUALITIES: Final[tuple[TurnQuality, ...]] = get_args(TurnQuality)
DIALOGUE_QUALITIES: Final[tuple[DialogueQuality, ...]] = get_args(DialogueQuality)


class Utterances(NamedTuple):
    """Remarks on a good response or dialogue, and on a bad one."""

    positive: tuple[str, ...]
    """None for qualities that people remark on only if they are lacking."""
    negative: tuple[str, ...]


UTTERANCES: Final[Mapping[TurnQuality | DialogueQuality, Utterances]] = {
    "interesting": Utterances(
        (
            "Wow that is really interesting.",
            "That's really interesting!",
            "Cool! That sounds super interesting.",
        ),
        ("That's not very interesting.", "That's really boring.", "That was a really boring response."),
    ),
    "engaging": Utterances(
        ("Wow! That's really cool!", "Tell me more!", "I'm really interested in learning more about this."),
        (
            "Let's change the topic.",
            "I don't really care. That's pretty boring.",
            "I want to talk about something else.",
        ),
    ),
    "specific": Utterances(
        ("That's good to know. Cool!", "I see, that's interesting.", "That's a good point."),
        ("That's a very generic response.", "Not really relevant here.", "That's not really relevant here."),
    ),
    "relevant": Utterances(
        (),
        (
            "That's not even related to what I said.",
            "Don't change the topic!",
            "Why are you changing the topic?",
        ),
    ),
    "correct": Utterances(
        (),
        (
            "You're not understanding me!",
            "I am so confused right now!",
            "I don't understand what you're saying.",
        ),
    ),
    "semantically appropriate": Utterances(
        ("That makes sense!", "You have a good point."),
        ("That makes no sense!",),
    ),
    "understandable": Utterances(
        ("That makes sense!", "You have a good point."),
        (
            "I don't understand at all!",
            "I'm so confused!",
            "That makes no sense!",
            "What does that even mean?",
        ),
    ),
    "fluent": Utterances(
        ("That makes sense!", "You have a good point."),
        ("Is that real English?", "I'm so confused right now!", "That makes no sense!"),
    ),
    "coherent": Utterances(
        (),
        ("You're making no sense at all.", "You're changing the topic so much!", "You are so confusing."),
    ),
    "error recovery": Utterances(
        (),
        ("I am so confused right now.", "You're really confusing.", "I don't understand what you're saying."),
    ),
    "consistent": Utterances((), ("That's not what you said earlier!", "Stop contradicting yourself!")),
    "diverse": Utterances(
        (),
        (
            "Stop saying the same thing repeatedly.",
            "Why are you repeating yourself?",
            "Stop repeating yourself!",
        ),
    ),
    "depth": Utterances((), ("Stop changing the topic so much.", "Don't change the topic!")),
    "likeable": Utterances(
        ("I like you!", "You're super polite and fun to talk to", "Great talking to you."),
        ("You're not very nice.", "You're not very fun to talk to.", "I don't like you."),
    ),
    "understanding": Utterances(
        (),
        (
            "You're not understanding me!",
            "What are you trying to say?",
            "I don't understand what you're saying.",
        ),
    ),
    "flexible": Utterances(
        ("You're very easy to talk to!", "Wow you can talk about a lot of things!"),
        ("I don't want to talk about that!", "Do you know how to talk about something else?"),
    ),
    "informative": Utterances(
        (
            "Thanks for all the information!",
            "Wow that's a lot of information.",
            "You know a lot of facts!",
        ),
        ("You're really boring.", "You don't really know much."),
    ),
    "inquisitive": Utterances(
        ("You ask a lot of questions!", "That's a lot of questions!"),
        ("You don't ask many questions.", "You don't seem interested."),
    ),
}
"""By quality, those of single turns first."""


Quality: TypeAlias = TurnQuality | DialogueQuality
Profile: TypeAlias = Literal["published", "conditional"]

_WHOLE: Final = "whole_text"
"""Form in which a dialogue is read, as signatures show it."""
_LONGEST: Final = 64
"""Tokens of the window that are kept free for a follow-up."""


@dataclass(frozen=True, slots=True)
class Fed(LmScorer):
    """Log-probability of good remarks on a quality minus that of bad ones, the mean over FED's qualities.

    Each of 18 qualities has its follow-up utterances; if people remark only on its absence, the good side counts
    as 0. Without ``quality``, responses are scored by the mean over the 8 qualities of turns, dialogues by that over
    the 10 of dialogues. ``conditional`` is the paper's formula per token: mean log-probabilities of the utterances
    alone, after the last 12 turns as lines of A and B, who is the side that is judged, if that is known.
    ``published`` is what the authors' code computes: mean log-probabilities of the whole text, dialogue and
    utterance, turns separated by the model's end token; there, how probable the dialogue itself is moves qualities
    that have no good remarks. The authors used DialoGPT-large.
    """

    name: ClassVar[str] = "fed"
    quality: Quality | None = None
    profile: Profile = "conditional"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    @property
    def _context(self) -> str:
        return FACT if self.profile == "conditional" else _WHOLE

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The difference of each subject, the mean over the qualities that apply to it."""
        values = np.zeros(len(subjects))
        for dialogues in (False, True):
            places = [
                index for index, subject in enumerate(subjects) if isinstance(subject, Dialogue) == dialogues
            ]
            if places:
                by_quality = self.by_quality([subjects[index] for index in places])
                values[places] = np.mean([*by_quality.values()], axis=0)
        return values

    def by_quality(self, subjects: Sequence[Subject]) -> dict[Quality, Floats]:
        """The difference of each subject by quality; subjects are all examples, or all dialogues."""
        dialogues = any(isinstance(subject, Dialogue) for subject in subjects)
        level: tuple[Quality, ...] = DIALOGUE_QUALITIES if dialogues else TURN_QUALITIES
        qualities = level if self.quality is None else (self.quality,)
        said = dict.fromkeys(text for quality in qualities for side in UTTERANCES[quality] for text in side)
        means = self._logprobs(subjects, list(said))
        by_text = {text: means[:, index] for index, text in enumerate(said)}
        return {quality: _difference(by_text, quality, len(subjects)) for quality in qualities}

    def _logprobs(self, subjects: Sequence[Subject], utterances: Sequence[str]) -> Floats:
        logprobs = line_logprobs if self.profile == "conditional" else whole_logprobs
        return logprobs(subjects, utterances, self._model)


def _difference(by_text: Mapping[str, Floats], quality: Quality, count: int) -> Floats:
    positive, negative = (
        np.mean([by_text[text] for text in side], axis=0) if side else np.zeros(count)
        for side in UTTERANCES[quality]
    )
    return np.asarray(positive - negative)


def whole_logprobs(subjects: Sequence[Subject], utterances: Sequence[str], model: TextModel) -> Floats:
    """Mean log-probability per token of dialogue and utterance together, as FED's authors score them.

    Shape (subjects, utterances). All tokens but the first count, as in a language model's loss. The dialogue is read
    and scored once for all utterances. If it does not fit the window, its oldest tokens are left out after the
    opening end token.
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
