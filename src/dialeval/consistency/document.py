"""The types of the JSON of consistency: what was detected, and what a study says of it (docs/files.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from dialeval.consistency.detecting.detector import Verdict as Verdict
from dialeval.files.documents import FINITE
from dialeval.stats.estimate import Estimate

Label: TypeAlias = Literal["contradiction", "consistent", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn, or a passage of one."""

    turn: int
    """Its number among all ``messages``, from 1, as in ids ``DIALOGUE/TURN``; 0 for a line of the persona."""
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two turns of a dialogue that contradict each other."""

    __pydantic_config__: ClassVar = FINITE

    pair: tuple[int, int]
    """Numbers of the two turns among all ``messages``, from 1; 0 for a line of the persona."""
    probability: float
    """Probability of a contradiction in the dialogue if these were its most contradictory turns."""
    quotes: tuple[Said, Said]
    between: str = ""


@dataclass(frozen=True, slots=True)
class Detected:
    """A dialogue and its two most contradictory turns."""

    __pydantic_config__: ClassVar = FINITE

    id: str
    system: str
    probability: float | None
    """None where there is nothing to compare, or a judge gave no verdict on some pair."""
    pair: tuple[int, int] | None
    """Numbers of the two turns among all ``messages``, from 1; the same one twice if it contradicts itself, 0 and a
    turn if it contradicts the persona."""
    verdict: Verdict
    quotes: tuple[Said, Said] | None
    between: str = ""
    """The other speaker's turn before the second one."""
    reason: str | None = None
    """Why there is nothing to compare, or no verdict."""
    not_compared: int = 0
    """Pairs of turns by one speaker that were further apart than the reach."""
    others: tuple[Contradiction, ...] = ()
    """Other turns that contradict an earlier one, or themselves, each once and in order."""


@dataclass(frozen=True, slots=True)
class SystemRate:
    """How many of a system's dialogues contradict themselves."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    contradictions: int
    ambiguous: int
    excluded: int
    rate: Estimate
    """Over the dialogues that could be checked."""
    after_question: int = 0
    """Of the contradictions, those whose later turn answers a question of another speaker."""


@dataclass(frozen=True, slots=True)
class DialoguesInfo:
    """A measure of contradictions in dialogues in a run's summary."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    status: str
    threshold: float
    band: tuple[float, float]
    """From the first up to the second, the verdict is ``ambiguous``."""
    detector: str
    """Its signature."""
    turn: Literal["all", "last"]
    speakers: Literal["system", "all"]
    """Whose turns were compared: those of the dialogue's system, or of all; ``turn`` ``last`` has that turn's."""
    all_speakers: int
    """Dialogues of which the turns of all speakers were compared, as asked or since nobody is known as the system."""
    reach: int | None
    """How many turns back each turn was compared; null for all the way."""
    passages: int
    """Pairs of passages that were compared, those of the same words included."""
    not_compared: int
    """Pairs of turns by one speaker that were further apart than the reach, over all dialogues."""
    excluded: dict[str, int]
    """Dialogues with nothing to compare, or without a verdict, by reason."""
    systems: tuple[SystemRate, ...]
    worst: tuple[Detected, ...]
    """The most contradictory dialogues of all systems, most probable first."""


@dataclass(frozen=True, slots=True)
class SystemRelevance:
    """Relevance of a system's answers: without this, a system that repeats its partner is perfectly consistent."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    cosine: Estimate
    """Mean likeness in meaning of an answer and the turn that it answers (``context_cosine``)."""
    repeats: Estimate
    """The share of answers that repeat a turn of their context, but for a few words."""
    commonest: float | None
    """The share of its most frequent answer; None without answers."""


@dataclass(frozen=True, slots=True)
class AnswerRates:
    """Contradictory answers of a system, as some, most and all of its raters say."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    answers: int
    contradictory: Estimate
    """The share by the labels."""
    any: Estimate
    """The share that one rater or more calls contradictory; undefined if no person labelled an answer."""
    all: Estimate
    """The share that all raters call contradictory."""
    within: int | None
    """Contradictory answers that also contradict themselves, as the detector finds; None without it or texts."""


@dataclass(frozen=True, slots=True)
class ConsistencyInfo:
    """A measure of consistency in a run's summary."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    status: str
    threshold: float
    band: tuple[float, float]
    detector: str
    systems: tuple[SystemRate, ...]
    worst: tuple[Detected, ...]
    """The most contradictory answers of all systems, most probable first."""
    relevance: tuple[SystemRelevance, ...] = ()
    """Of the same answers."""
    people: tuple[AnswerRates, ...] = ()
    """Verdicts of raters on the answers that they labelled; empty if the study gives no labels."""
    others_labelled: int = 0
    """Labelled answers that no system of this run gave."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a detector does on labelled pairs."""

    __pydantic_config__: ClassVar = FINITE

    contradictions: int
    accuracy: Estimate
    auc: Estimate
    brier: float
    calibration_error: float
    """Mean distance of predicted from real shares in ten bins of equal size."""
    ambiguous: int
    """Pairs in the ambiguous band."""
    accuracy_outside: float | None
    """Of the pairs outside the band."""


@dataclass(frozen=True, slots=True)
class Target:
    """One system as the target: what the detector does before and after training on the other systems."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    before: Measured
    """Of the detector as it is, which has seen no response of these systems (the thesis's CD_HUM)."""
    after: Measured | None
    """Of the one trained further on the other systems' responses (CD_RGS); None where nothing was trained."""
    trained_on: int
    """Pairs; the fewest, if contexts were divided into folds."""


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """A system's answer to a probe, and what raters said of it."""

    id: str
    system: str
    earlier: str
    between: str
    """The question."""
    response: str
    label: Label
    votes: int
    """How many raters called it a contradiction."""
    raters: int
    draw: str = "top"
    kind: str = "follow-up"
    by: Literal["people", "detector"] = "people"
    """Who labelled it; the detector only where people are missing, and then without votes."""
    context: tuple[Mapping[str, Any], ...] = ()
    """The messages up to the question; empty if the set does not have them."""
    referent: int | None = None
    """Place in ``context`` of the turn that was asked about, from 0."""
    distance: int | None = None
    """How many turns before the question that turn is."""

    @property
    def unanimous(self) -> bool:
        """Whether all raters called it a contradiction."""
        return 0 < self.votes == self.raters


@dataclass(frozen=True, slots=True)
class Feature:
    """Contexts with and without a feature, and how many systems they make contradict themselves."""

    __pydantic_config__: ClassVar = FINITE

    feature: str
    contexts: int
    """That have it."""
    others: int
    mean: float | None
    """Contradictory answers per context and system, with the feature."""
    mean_others: float | None
    p: float | None
    """One-tailed, that contexts with the feature provoke more."""
    significant: bool
    reason: str | None = None
    """Why there is no test."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Contradictory answers by how their probes were drawn, at one distance and by one number of votes."""

    __pydantic_config__: ClassVar = FINITE

    distance: int | None
    """Number of turns from the question back to the turn that it asks about; None for all distances."""
    votes: int | None
    """Fewest raters who call the answers contradictory; None for the labels."""
    counts: dict[str, tuple[int, int]]
    """Contradictory answers and all answers to probes drawn by FQness (``top``) and at random (``random``)."""
    p: float | None
    """One-tailed, over contexts, that probes drawn by FQness provoke more."""
    reason: str | None = None
    """Why there is no test."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Contradictions that a detector finds and another misses beside those that both find, by raters' votes."""

    __pydantic_config__: ClassVar = FINITE

    model: str
    against: str
    gained: tuple[int, int]
    """Of those that ``model`` finds and ``against`` misses: not all raters voted for them, all did."""
    both: tuple[int, int]
    """The same of those that both find."""
    lost: tuple[int, int]
    """Of those that ``against`` alone finds."""
    neither: tuple[int, int]
    p: float | None
    """Of the chi-square test that ``gained`` and ``both`` have the same share of contested contradictions."""
    reason: str | None = None
    """Why there is no test."""


@dataclass(frozen=True, slots=True)
class AnalysisDocument:
    """The result of ``dialeval consistency analyse``."""

    __pydantic_config__: ClassVar = FINITE

    answers: int
    contexts: int
    systems: tuple[AnswerRates, ...]
    unanimity: Estimate
    """Of the answers that one rater or more calls contradictory, the share that all do."""
    kappa: float | None
    """Fleiss' kappa over systems: whether contexts make several of them contradict themselves."""
    kappa_contexts: int
    """Contexts that it is over: those that two or more systems answered."""
    kappa_reason: str | None
    features: tuple[Feature, ...]
    misses: tuple[tuple[int, int], tuple[int, int]] | None
    """Contradictions of two votes, then of three: missed and found by the detector; None without a detector."""
    misses_p: float | None
    """Of the chi-square test that misses do not depend on the votes."""
    draws: tuple[Drawn, ...]
    """By labels over all distances first, then by votes, then the same at each distance."""
    misses_reason: str | None = None
    """Why there is no such test."""
    compared: Compared | None = None
    """None without another detector."""
    by_detector: int = 0
    """Answers that the detector labelled in place of people."""
    alpha: float = 0.01
    format: Literal[1] = 1
