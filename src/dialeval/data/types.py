"""The nouns of dialogue evaluation: frozen values without behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Answer: TypeAlias = Literal["yes", "no"]
Status: TypeAlias = Literal["vetted", "unvetted"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a conversation."""

    speaker: str
    """The role as chat APIs spell it: ``user``, ``assistant``, ``system``, or any other label."""
    text: str
    name: str | None = None
    """Name of the speaker among several of the same role."""
    extra: Mapping[str, object] | None = field(default=None, hash=False)
    """All else that a chat message holds, as it stood there (``EXTRA``): calls of tools, content in parts."""


EXTRA: Final = ("content", "tool_calls", "function_call", "tool_call_id", "refusal", "audio")
"""Fields of a chat message that a turn keeps beside its text; ``content`` where it is null or a list of parts."""


ACT_TURN: Final = "act"
"""The name of the turn that holds what a response has to say: a dialogue act, in any notation."""

UNNAMED: Final = "system"
"""Name of a system if its file does not name it."""


Context: TypeAlias = tuple[Turn, ...]
"""The turns before a response, oldest first; may be empty."""


MissingCause: TypeAlias = Literal["silent", "refused", "failed"]
"""Code of a missing response: the system gave none, or would not answer; or asking it failed, which is nobody's answer
(a server error, a budget that is used up, an answer that no file can hold)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost and origin of a response, as far as they are known."""

    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    asked: float | None = None
    """When the system was asked, in seconds since 1970."""
    cut: bool = False
    """Whether a limit on tokens ended the response."""
    emptied: bool = False
    """True if a filter dropped every candidate, so that this is what it falls back to."""
    cached: bool = False
    """Whether an earlier run asked for it; not stored."""


@dataclass(frozen=True, slots=True)
class Response:
    """Response of a system, and its log-probability if known."""

    text: str
    logprob: float | None = None
    """Natural-log probability of the whole text given its context."""
    missing: str | None = None
    """Why there is no response, where that is known; the text is then empty, but that is not what the system said."""
    usage: Usage | None = field(default=None, compare=False)
    """Time and tokens that it took; no part of what was said, so not written with it."""
    cause: MissingCause | None = field(default=None, compare=False)
    """Cause of a missing response, the system or we; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A whole conversation; ``system`` names the system under test, empty where people talked."""

    item: str
    turns: tuple[Turn, ...]
    system: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Assertion:
    """Something that a response must fulfil, as its item's data says (docs/facts.md)."""

    kind: str
    """One of ``ASSERTIONS``."""
    value: object = field(hash=False)
    """A text or texts, a pattern, a schema, a limit, or the code of a language."""
    ignore_case: bool = False
    negated: bool = False
    """Whether it must not be fulfilled."""


ASSERTIONS: Final = ("contains", "regex", "equals", "json", "max_length", "language")
"""Kinds of assertions."""
LANGUAGES: Final = (
    *("ar", "bg", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hy", "it"),
    *("ja", "ka", "ko", "nl", "no", "pl", "pt", "ro", "ru", "sv", "ta", "te", "th", "tr", "uk", "zh"),
)
"""Codes of the languages that assertions may ask for."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A context that waits for a response, with references where there are any."""

    item: str
    context: Context
    references: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    """Texts whose facts a response is to keep; no part of what systems are asked."""
    assertions: tuple[Assertion, ...] = ()
    """Conditions that every response must meet."""


@dataclass(frozen=True, slots=True)
class Example:
    """One system's response in one context, ready to be scored."""

    item: str
    system: str
    context: Context
    response: Response
    references: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    assertions: tuple[Assertion, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the responses a question offers."""

    text: str
    correct: bool
    error: str | None = None
    """Mistake of a false candidate, such as ``contradictory`` or ``irrelevant``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A context with candidate responses, at least one of them correct."""

    item: str
    context: Context
    candidates: tuple[Candidate, ...]
    status: Status | None = None
    """Whether people have looked at the candidates; None where nobody says."""


@dataclass(frozen=True, slots=True)
class NBest:
    """A system's n best responses in one context, best first."""

    item: str
    system: str
    context: Context
    responses: tuple[Response, ...]
    expected: Answer | None = None
    """The polarity a consistent answer must have, where the context fixes it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rater's value for one subject; the rater may be a person or a metric."""

    item: str
    system: str
    rater: str
    criterion: str
    value: float | None
    """None means that the rater could not say."""
    reason: str | None = None
    """Why there is no value, where that is known."""
    evidence: str | None = None
    """Finding of the rater, in a line."""


Record: TypeAlias = Dialogue | Prompt | Example | Question | NBest | Judgement
Kind: TypeAlias = Literal["dialogue", "prompt", "example", "question", "nbest", "judgement"]


def alternating(texts: Sequence[str], *, last: str = "user") -> Context:
    """Turns of two speakers who take turns, ``last`` speaking last.

    >>> [turn.speaker for turn in alternating(["Hi.", "Hello.", "Tea?"])]
    ['user', 'assistant', 'user']
    """
    other = "assistant" if last == "user" else "user"
    ends = len(texts) - 1
    return tuple(Turn(last if (ends - index) % 2 == 0 else other, text) for index, text in enumerate(texts))
