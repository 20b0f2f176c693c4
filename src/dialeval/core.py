"""The shapes of verbs and results: protocols, signatures, provenance. No algorithms live here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dialeval.data.types import Context, Judgement, Prompt, Response
from dialeval.text.calls import Scalar, print_call, split_call

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


@dataclass(frozen=True, slots=True)
class Missing:
    """A subject that should be there and is not: it stays in every count, with its reason."""

    item: str
    system: str
    reason: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that could move a number, in one line that prints and parses back.

    >>> str(Signature("bleu", (("order", 4),), (("tokens", "whitespace"),), version=1))
    'bleu(order=4)|tokens=whitespace|version=1'
    """

    name: str
    parameters: tuple[tuple[str, Scalar], ...] = ()
    """What the constructor was given, defaults included."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else moves the number: conventions, resources by name and hash, rival implementations' versions."""
    version: int = 1
    """Rises when the same parameters begin to give another number."""

    def __post_init__(self) -> None:
        for key, value in self.facts:
            if not key.isidentifier() or key == "version" or "|" in value or "=" in value or not value:
                raise ValueError(f"not a signature fact: {key!r}={value!r}")

    def __str__(self) -> str:
        facts = [f"{key}={value}" for key, value in (*self.facts, ("version", str(self.version)))]
        return "|".join([self.call, *facts])

    @property
    def call(self) -> str:
        """The name with its parameters, as one writes it in a study: ``bleu(order=4)``."""
        return print_call(self.name, self.parameters)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that prints as ``text``; ValueError where none does."""
        name, parameters, rest = split_call(text)
        facts = [tuple(part.split("=", 1)) for part in rest.split("|")[1:]]
        if not facts or any(len(fact) != 2 for fact in facts) or facts[-1][0] != "version":
            raise ValueError(f"not a signature: {text!r}")
        return cls(name, parameters, tuple((key, value) for key, value in facts[:-1]), int(facts[-1][1]))


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

    Such a score is no sum of rows, so no subject has a value of its own, and resampling with replacement would bias it
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
class UsesResources(Protocol):
    """A metric or system that rests on weights, vectors or tables."""

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and sha256 of each."""


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
        """At most ``n`` responses to each context, best first; none where the system has no answer."""


@runtime_checkable
class Replayer(System, Protocol):
    """A system whose answers were recorded, item by item."""

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """What was recorded for each prompt, best first; none where nothing was."""


@runtime_checkable
class LikelihoodModel(System, Protocol):
    """A system that can say how likely an answer is."""

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


def by_dialogue(item: str) -> str:
    """The dialogue an item belongs to: ids written ``dialogue/turn`` share all that comes before the last slash."""
    return item.rpartition("/")[0] or item


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """All that can move an interval or a p-value beside the data."""

    resamples: int = 1000
    """Bootstrap resamples, and permutations behind each test; 0 gives neither."""
    seed: int = 0
    confidence: float = 0.95
    cluster: Callable[[str], str] | None = None
    """From an item's id to what is resampled together, such as its dialogue; None where items are independent."""

    @property
    def alpha(self) -> float:
        """What a p-value has to be below: 0.05 where confidence is 0.95, without what rounding leaves of it."""
        return round(1 - self.confidence, 12)

    @property
    def cluster_name(self) -> Literal["dialogue"] | None:
        """What is resampled together, as our files spell it."""
        return None if self.cluster is None else "dialogue"

    def clusters(self, items: Sequence[str]) -> Integers | None:
        """The cluster of each item, numbered from 0; None where items are independent."""
        if self.cluster is None:
            return None
        return np.unique([self.cluster(item) for item in items], return_inverse=True)[1].astype(np.int64)

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Resampling:
        """The value that `as_json` spelled, in any object that holds its fields."""
        cluster = by_dialogue if content["cluster"] == "dialogue" else None
        return cls(
            resamples=content["trials"], seed=content["seed"], confidence=content["level"], cluster=cluster
        )

    def as_json(self) -> dict[str, int | float | str | None]:
        """The fields as our files spell them."""
        return {
            "trials": self.resamples,
            "seed": self.seed,
            "level": self.confidence,
            "cluster": self.cluster_name,
        }


DEFAULT_RESAMPLING: Final = Resampling()


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true score plausibly lies."""

    low: float
    high: float
    confidence: float = 0.95

    def json_value(self) -> dict[str, float]:
        """The fields as our files spell them."""
        return {"low": self.low, "high": self.high, "level": self.confidence}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number comes from: enough to compute it again, or to see why it would differ."""

    signature: Signature
    data: str
    """sha256 of the subjects in canonical form (see ``dialeval.data.digest``)."""
    package: str
    """Version of dialeval."""
    seed: int
    resamples: int
    resources: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A metric's score over subjects, and every subject's own value or the reason it has none."""

    metric: Metric[Any]
    items: tuple[str, ...]
    systems: tuple[str, ...]
    """The system of each subject, beside ``items``."""
    rows: Floats
    """Statistics, shape (n, k); NaN throughout where unscored."""
    values: Floats
    """Each subject's own score, shape (n,); NaN where unscored."""
    score: float
    """NaN where no subject could be scored."""
    interval: Interval | None
    provenance: Provenance
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Position of each unscored subject, and why."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def signature(self) -> Signature:
        """The metric's signature."""
        return self.metric.signature

    @property
    def scored(self) -> int:
        """How many subjects have a value."""
        return len(self.items) - len(self.reasons)

    @property
    def coverage(self) -> float:
        """Share of subjects with a value; NaN of none."""
        return self.scored / len(self.items) if self.items else float("nan")

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """One judgement per subject, the metric being the rater."""
        rater, criterion = str(self.signature), self.signature.name
        return tuple(
            Judgement(item, system, rater, criterion, None, self.reasons[at])
            if at in self.reasons
            else Judgement(item, system, rater, criterion, value)
            for at, (item, system, value) in enumerate(
                zip(self.items, self.systems, self.values.tolist(), strict=True)
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class CorpusResult:
    """A corpus measure's score over a system's subjects, and the reason of every subject that is no part of it."""

    measure: CorpusMeasure[Any]
    items: tuple[str, ...]
    systems: tuple[str, ...]
    """The system of each subject, beside ``items``."""
    subjects: tuple[Any, ...]
    """Those that were measured, in order."""
    score: float
    """NaN where it is undefined."""
    interval: Interval | None
    provenance: Provenance
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Position of each subject that was left out, and why."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def signature(self) -> Signature:
        """The measure's signature."""
        return self.measure.signature

    @property
    def scored(self) -> int:
        """How many subjects were measured."""
        return len(self.subjects)

    @property
    def coverage(self) -> float:
        """Share of subjects that were measured; NaN of none."""
        return self.scored / len(self.items) if self.items else float("nan")

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """None: no subject has a value of its own."""
        return ()


Outcome: TypeAlias = Result | CorpusResult
"""What measuring a system's subjects comes to, one by one or as a corpus."""
