"""Protocols of what is judged, what measures it, and the systems under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dialeval.core.answers import AnswerRule
from dialeval.core.signature import Signature
from dialeval.data.types import Context, Prompt, Response
from dialeval.errors import RunFailed, Unsuitable

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


S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)


class Metric(Protocol[S_contra]):
    """Measures subjects in batches, as rows of statistics that add up.

    Everything else (per-item values, corpus scores, intervals, paired tests) follows from sums of rows. BLEU's
    row is its clipped counts and lengths; a plain mean's row is ``(value, 1)``.
    """

    @property
    def signature(self) -> Signature:
        """All that could move the number."""

    @property
    def higher_is_better(self) -> bool | None:
        """Which direction is good; None for descriptions such as length, where neither is."""

    def unscorable(self, subject: S_contra, /) -> str | None:
        """Why this subject cannot be scored (``no references``), or None. Such subjects never reach statistics."""

    def statistics(self, subjects: Sequence[S_contra], /) -> Floats:
        """One row per subject, shape (n, k): a pure function of the batch, so it can run anywhere."""

    def aggregate(self, totals: Floats, /) -> Floats:
        """Scores of summed rows, shape (..., k) to (...).

        A subject's own row gives its own score, the sum over a corpus gives the corpus's, and a stack of sums
        gives a stack of scores. NaN where the score is undefined.
        """


@runtime_checkable
class Fittable(Protocol[S_contra]):
    """A metric that must see the whole corpus before it can measure any of it, as one that weighs words by rarity."""

    def fit(self, subjects: Sequence[S_contra], /) -> Metric[S_contra]:
        """The metric fitted to these subjects, itself no more to be fitted; the corpus's digest is a resource of it."""


class LeaveOneOut(NamedTuple):
    """The score of a corpus, and what it would be without each group of its subjects."""

    score: float
    without: Floats
    """One per group; NaN where the rest has no score."""


@runtime_checkable
class CorpusMeasure(Protocol[S_contra]):
    """Measures a system's subjects as a set: how varied they are, how much they repeat one another.

    Such a score is not a sum of rows, so there are no per-subject values, and resampling with replacement would bias it
    by its repeats. Intervals and comparisons follow from leaving groups of subjects out, one group at a time.
    """

    @property
    def signature(self) -> Signature:
        """All that could move the number."""

    @property
    def higher_is_better(self) -> bool | None:
        """Which direction is good; None where neither is."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest score there can be."""

    def unscorable(self, subject: S_contra, /) -> str | None:
        """Why this subject cannot be part of the corpus, or None."""

    def measure(self, subjects: Sequence[S_contra], groups: Integers, /) -> LeaveOneOut:
        """The score of all subjects, and without each group; ``groups`` has the group of each, counted from 0."""


@runtime_checkable
class Bounded(Protocol):
    """A metric whose scores have limits, which intervals keep to."""

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest score there can be."""


@runtime_checkable
class ScoresSilence(Protocol):
    """A metric that says what an unanswered item counts as; of others it is the worst of their limits."""

    @property
    def silence(self) -> float | None:
        """That value; None for the metric's own score of an empty response, NaN where such items have no value."""


@runtime_checkable
class AveragesValues(Protocol):
    """A metric that may say that its rows are values beside 1, and its score their mean; others may pool counts."""

    @property
    def averages(self) -> bool:
        """Whether it is so."""


def family_of(metric: Any) -> str:
    """Name of the group of near-copies that a metric or corpus measure belongs to, which count once together.

    Its class attribute ``family``, as of a rate and its complement; else its name, which BLEUs of all orders share.
    """
    family: str = getattr(metric, "family", "") or metric.signature.name
    return family


@runtime_checkable
class YesNo(Protocol):
    """A metric that may say that its items are right or wrong, and its score is the share of right ones.

    Then its intervals are exact, also where all items are right. Without saying so, a metric is taken for one where
    both occur and nothing else.
    """

    @property
    def yes_no(self) -> bool:
        """Whether it is so."""


@runtime_checkable
class JudgesDialogues(Protocol):
    """A metric of single responses that can also judge whole dialogues."""

    @property
    def whole_dialogues(self) -> bool:
        """Whether it can."""


@runtime_checkable
class WeighsTurns(Protocol):
    """A metric that can say which turns of a dialogue lower its score."""

    def turn_effects(self, subject: Any, /) -> list[float]:
        """How much the score would rise without each turn; NaN where too little would be left."""


@runtime_checkable
class Explains(Protocol):
    """A metric that can say in a line what lowered the score of a subject."""

    def explain(self, subject: Any, /) -> str:
        """What it found; empty where there is nothing to say."""


@runtime_checkable
class UsesResources(Protocol):
    """A metric or system that rests on weights, vectors or tables."""

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and sha256 of each."""


def resources_of(thing: object) -> Mapping[str, str]:
    """Name and sha256 of what a metric or system rests on; empty where it rests on nothing."""
    return thing.resources if isinstance(thing, UsesResources) else {}


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
    """What ``generate`` raises where it fails after some contexts were answered."""

    def __init__(self, message: str, answers: Sequence[tuple[Response, ...] | None], why: str = "") -> None:
        super().__init__(message)
        self.answers = tuple(answers)
        """The responses to each context; None where it was not answered."""
        self.why = why or message
        """What went wrong, without a word on what was kept."""
        self.cause: Exception | None = None
        """What the system raised, where that is something else; it comes along from other processes."""


@runtime_checkable
class Selective(Protocol):
    """A system that cannot answer in every context, such as one whose model does not know calls of tools."""

    def refuses(self, context: Context) -> str | None:
        """Why it cannot answer here; None where it can."""


@runtime_checkable
class Priced(Protocol):
    """A system whose tokens may have a price."""

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """What this many tokens cost, in the currency of its prices; None where these are not known."""


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


@runtime_checkable
class Replayer(System, Protocol):
    """A system whose answers were recorded, item by item."""

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """What was recorded for each prompt, best first; none where nothing was."""


@runtime_checkable
class LikelihoodModel(System, Protocol):
    """A system that can give log-probabilities."""

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response given its context."""

    def tokens(self, responses: Sequence[str]) -> Integers:
        """How many tokens each response counts for, so that its mean is the log-probability over these."""


@runtime_checkable
class Detector(Protocol):
    """A judge of how probably a response contradicts its context."""

    @property
    def signature(self) -> Signature:
        """All that could move its verdicts."""

    def contradiction(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Probability that each response contradicts its context."""


def check_members(thing: object, protocol: type, name: str = "") -> None:
    """Refuse a metric or measure that lacks a member, saying which and what it is for."""
    members = {key: value for key, value in vars(protocol).items() if not key.startswith("_")}
    lacking = [key for key in members if not hasattr(thing, key)]
    if lacking:
        lines = [f"  {key}: {(members[key].__doc__ or '').strip().splitlines()[0]}" for key in lacking]
        named = name or type(thing).__name__
        raise Unsuitable(
            "\n".join(
                [
                    f"{named} is not a {protocol.__name__}: it lacks",
                    *lines,
                    "See 'dialeval docs own' for examples.",
                ]
            )
        )
