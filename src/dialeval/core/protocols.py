"""Protocols of what is judged and of the systems under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dialeval.core.answers import AnswerRule
from dialeval.core.signature import Signature
from dialeval.data.types import Context, Prompt, Response
from dialeval.errors import RunFailed

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Subject(Protocol):
    """Anything one can judge: a response, a dialogue, an n-best list, an answered question."""

    @property
    def item(self) -> str:
        """Which item of the test set this is about."""

    @property
    def system(self) -> str:
        """Which system produced it."""


def resources_of(thing: object) -> Mapping[str, str]:
    """Name and sha256 of what a system rests on; empty if it rests on nothing."""
    resources: Mapping[str, str] = getattr(thing, "resources", {})
    return resources


class System(Protocol):
    """A dialogue system under test."""

    @property
    def name(self) -> str:
        """As the leaderboard prints it."""

    @property
    def signature(self) -> Signature:
        """All that could move its responses, files by their digest."""


@runtime_checkable
class Generator(System, Protocol):
    """A system that can answer."""

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """At most ``n`` responses to each context, best first; none, or one with a reason, where it has no answer.

        PartlyAnswered, where it fails in the middle, keeps the answers it has.
        """


class PartlyAnswered(RunFailed):
    """Error of ``generate`` that failed after some contexts were answered."""

    def __init__(self, message: str, answers: Sequence[tuple[Response, ...] | None], why: str = "") -> None:
        super().__init__(message)
        self.answers = tuple(answers)
        """The responses to each context; None where it was not answered."""
        self.why = why or message
        """Message of the failure, without a word on what was kept."""
        self.cause: Exception | None = None
        """Error that the system raised, if that is another; it comes along from other processes."""


@runtime_checkable
class Selective(Protocol):
    """A system that cannot answer in every context, such as one whose model does not know calls of tools."""

    def refuses(self, context: Context) -> str | None:
        """Why it cannot answer here; None where it can."""


@runtime_checkable
class Priced(Protocol):
    """A system whose tokens may have a price."""

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the cost of this many tokens, in the currency of its prices; None if these are not known."""


class Served(System, Protocol):
    """A system behind a server, whose answers may change while its signature stays; it caches them itself."""

    @property
    def repeatable(self) -> bool:
        """Whether a server that has not changed gives the same answer again, as with greedy decoding."""

    @property
    def reused(self) -> Sequence[float | None]:
        """When each answer that this process took from the system's own cache was asked; None if that is unknown."""

    def with_rule(self, rule: AnswerRule) -> System:
        """The system under this rule for cached answers."""

    def recall(self, contexts: Sequence[Context], *, seed: int = 0) -> list[Response | None]:
        """Cached first answer to each context; None if there is none. Nothing is sent."""

    def ask_again(self, contexts: Sequence[Context], *, seed: int = 0) -> list[tuple[Response, ...]]:
        """Answers of the server as it is now; no cached answer is used or replaced."""


def served(system: System) -> Served | None:
    """The system as one behind a server; None if it is another."""
    # By its class: a broken system would be asked for all of its properties otherwise.
    behind: Any = system if hasattr(type(system), "ask_again") and hasattr(type(system), "recall") else None
    server: Served | None = behind
    return server


def innermost(system: System) -> System:
    """The system that another one wraps, as a filter does; itself if it wraps none."""
    wrapper: Any = system if hasattr(type(system), "wraps") else None
    inner: System = system if wrapper is None else wrapper.system
    return inner


@runtime_checkable
class Replayer(System, Protocol):
    """A system whose answers were recorded, item by item."""

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """Return the responses that were recorded for each prompt, best first; none if nothing was."""


@runtime_checkable
class LikelihoodModel(System, Protocol):
    """A system that can give log-probabilities."""

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response given its context."""

    def tokens(self, responses: Sequence[str]) -> Integers:
        """Return the number of tokens that each response counts for: its mean is the log-probability over these."""


@runtime_checkable
class Detector(Protocol):
    """A judge of how probably a response contradicts its context."""

    @property
    def signature(self) -> Signature:
        """All that could move its verdicts."""

    def contradiction(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Probability that each response contradicts its context."""
