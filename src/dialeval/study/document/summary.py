"""The types of ``summary.json`` (docs/files.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias

from dialeval.core import Estimate
from dialeval.evaluation.compare import Comparison
from dialeval.evaluation.leaks import Leak
from dialeval.evaluation.runner import PartScore
from dialeval.files.documents import FINITE
from dialeval.meta.document import Document
from dialeval.selfeval.document import WeighedDialogue
from dialeval.stats.resampling.intervals import Absence
from dialeval.stats.tests.equivalence import Verdict
from dialeval.stats.tests.multiple import Correction

MissingRule: TypeAlias = Literal["auto", "shared", "worst", "own"]
"""Rule for missing values. ``shared``: its item counts for no system; ``worst``: it counts as the worst value there
is; ``own``: that system alone goes without the item, so that scores cannot be compared; ``auto``: an item that the
system left unanswered counts as the worst value, where the measure has one, and any other as with ``shared``."""


JudgedBy: TypeAlias = Literal["low", "high", "point", "equivalence"]
"""Number that decides at a gate: the lower or upper end of an interval, the score itself, or shown equivalence."""


@dataclass(frozen=True, slots=True)
class SystemInfo:
    """A system under test."""

    name: str
    kind: str
    signature: str | None
    """None where the system failed before it could tell what it is."""
    runs: int = 1
    """Number of recordings of it, as with other seeds; scores are means over them."""
    unanswered: int = 0
    """Items of the study that it left unanswered."""


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """A measure of the study."""

    measure: str
    """As the study wrote it: ``bleu(order=4)``."""
    name: str
    signature: str
    higher_is_better: bool | None
    """None for descriptions such as length, where neither direction is good."""
    per_item: bool
    """Whether there are per-item values; False for measures of all responses together."""
    summary: str
    family: str = ""
    """Name of the near-copies that count once together."""
    counts_silence: bool = True
    """Whether unanswered items have a value; no key of the file if they do."""

    def json_value(self) -> dict[str, object]:
        """The fields that documents hold."""
        names = [field.name for field in dataclasses.fields(self)]
        return {
            name: getattr(self, name) for name in names if name != "counts_silence" or not self.counts_silence
        }


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """A kind of fault that none of a study's measures is known to notice."""

    fault: str
    add: str | None
    """A measure that notices it; None where none is shown to."""


@dataclass(frozen=True, slots=True)
class Score:
    """One system's score under one measure."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    measure: str
    signature: str
    estimate: Estimate
    """The score on the items that the systems are ranked on, and its interval."""
    unscored: int
    """Items without a value from this system."""
    own: Estimate
    """The score on all items with a value from this system, whatever the others have."""
    absence: Absence | None = None
    """Why the score has no interval; None where it has one."""
    units: int = 0
    """Number of units that were resampled: items, or clusters of them, such as dialogues."""
    design_effect: float | None = None
    """Variance by clusters over that of independent items; None where items are independent, or it is unknown."""
    unanswered: int = 0
    """Items that the system left unanswered under this measure."""
    filled: int = 0
    """Those of them that have a value, and are among those of ``own``: the worst one."""

    @property
    def asked(self) -> int:
        """Number of items that the system was asked."""
        return self.own.n + self.unscored

    @property
    def coverage(self) -> float | None:
        """Share of the items that were answered and have a value; None of no items."""
        return (self.own.n - self.filled) / self.asked if self.asked else None


GateCode: TypeAlias = Literal["unanswered", "constant"]
"""Why no interval decides: the system left more items unanswered than the study allows, and fails; or nothing varies
from item to item, and the score itself is judged."""


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """A threshold of the study, and whether one system meets it, or the difference between two."""

    __pydantic_config__: ClassVar = FINITE

    gate: str
    system: str
    measure: str
    score: float | None
    """The system's score, or the difference between the two."""
    passed: bool
    judged_by: JudgedBy = "point"
    """Number that decides: an end of the interval, the score itself, or whether equivalence is shown."""
    number: float | None = None
    """The end or score that was judged; for equivalence the largest difference still possible."""
    other: str | None = None
    """The system whose score was subtracted; None where no two were compared."""
    reason: str | None = None
    """Why there is nothing to judge, or what the code stands for; None where the numbers decide."""
    code: GateCode | None = None
    """Why no end of an interval decides; None where one does, or none was asked for."""

    @property
    def finding(self) -> str:
        """Finding that was judged: ``new has 0.31, the lower end of its interval is 0.28``."""
        whose = self.system if self.other is None else f"{self.system} - {self.other}"
        if self.code is not None:
            return f"{whose} has {self.reason}" if self.code == "constant" else self.reason or self.code
        if self.score is None:
            return f"{whose} has no score" + ("" if self.reason in (None, "no score") else f": {self.reason}")
        has = f"{whose} has {self.score:.4g}"
        if self.reason is not None:
            hint = (
                "" if self.judged_by == "equivalence" else f"; point({self.measure}) judges the score alone"
            )
            return f"{has}, but no interval: {self.reason}{hint}"
        if self.number is None or self.judged_by == "point":
            return has
        ends = {"low": "the lower end of its interval is", "high": "the upper end of its interval is"}
        return f"{has}, {ends.get(self.judged_by, 'and may differ by as much as')} {self.number:.4g}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A part of the run that failed: a whole system, one measure of it, or the human ratings."""

    system: str | None
    """None where it concerns all of them, as human ratings that do not join."""
    measure: str | None
    """None where the system itself failed."""
    message: str
    partial: bool = False
    """Whether the system answered some items before it failed; these are scored, and the rest can be asked for."""

    @property
    def sentence(self) -> str:
        """Whose failure it is, and why."""
        whose = ", ".join(name for name in (self.system, self.measure) if name)
        return f"{whose}: {self.message}" if whose else self.message


@dataclass(frozen=True, slots=True)
class SystemRank:
    """Where one system stands among others."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    rank: float | None
    """1 is best; systems with equal scores share the mean of their ranks."""
    best: int
    """The best rank that it may have: one more than systems shown to be better."""
    worst: int
    """The worst rank that it may have: all systems without those shown to be worse."""
    p_best: float | None
    """Share of the resamples in which no system scores higher."""


@dataclass(frozen=True, slots=True)
class Family:
    """Measures that are near-copies of each other, as BLEU of several orders, or a rate and its complement."""

    name: str
    measures: tuple[str, ...]

    def __str__(self) -> str:
        if len(self.measures) == 1:
            return self.measures[0]
        return f"{self.name} ({len(self.measures)} measures)"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranks of systems under one measure, or over several."""

    measure: str | None
    """None for the ranks over several measures."""
    measures: tuple[str, ...]
    units: int
    """Items, or clusters of them, that the ranks rest on."""
    systems: tuple[SystemRank, ...]
    families: tuple[Family, ...] = ()
    """Over several measures: each family counts the same, its measures sharing its weight."""

    def of(self, system: str) -> SystemRank | None:
        """That system's rank; None where it was not ranked."""
        return next((rank for rank in self.systems if rank.system == system), None)


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything a study found."""

    __pydantic_config__: ClassVar = FINITE

    format: Literal[1]
    study: str
    seed: int
    items: int
    trials: int
    level: float
    cluster: Literal["dialogue", "none"] | None
    """Resampled by dialogue; as independent, because the study says so; None where no dialogue has several items."""
    systems: tuple[SystemInfo, ...]
    measures: tuple[MeasureInfo, ...]
    results: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    gates: tuple[GateOutcome, ...]
    failures: tuple[Failure, ...]
    human: Document | None = None
    """Agreement of the measures with people; None if the study has no human ratings."""
    sections: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    """Sections of each capability about its measures, by its name, which is a key of the file."""
    missing: MissingRule = "auto"
    allow_unanswered: float = 0.0
    """Share of the items that a system may leave unanswered and still pass a gate."""
    primary: str | None = None
    """The measure that decides; None where the study declares none."""
    correction: Correction = "holm"
    margins: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """The smallest difference that matters, by measure."""
    ranks: tuple[Ranking, ...] = ()
    """Over all measures first, where there are several; then under each measure that ranks systems."""
    leaks: tuple[Leak, ...] = ()
    """Systems whose responses equal their references on most items, which the study does not say is meant."""
    unnoticed: tuple[BlindSpot, ...] = ()
    """Kinds of faults that none of the measures is known to notice, gravest first."""
    turns: tuple[WeighedDialogue, ...] = ()
    """The worst dialogues under measures that weigh turns, such as ``selfeval``; no key of the file where empty."""
    breakdowns: tuple[PartScore, ...] = ()
    """Scores of parts of the subjects, as by kind of stimulus; no key of the file if empty."""
    people: tuple[Comparison, ...] = ()
    """People's mean ratings of every two systems, the criterion as the measure; no key of the file where empty."""

    def json_value(self) -> dict[str, object]:
        """The fields, with a key for each capability."""
        fields: dict[str, object] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            fields |= value if field.name == "sections" else {field.name: value}
        spared = ("turns", "breakdowns", "people")
        return {name: value for name, value in fields.items() if value or name not in spared}

    def score(self, system: str, measure: str) -> Score | None:
        """That system's score under that measure; None where the run has none."""
        return next((r for r in self.results if r.system == system and r.measure == measure), None)

    def failed(self, system: str, measure: str) -> bool:
        """Whether the system failed, or that measure of it; where neither did, it has no score to have."""
        return any(
            f.system == system and f.measure in (None, measure) and not f.partial for f in self.failures
        )

    def comparison(self, measure: str, one: str, other: str) -> Comparison | None:
        """Return the comparison of both systems under that measure, whichever of them is ``a``; None if untested."""
        return next(
            (c for c in self.comparisons if c.measure == measure and {c.a, c.b} == {one, other}), None
        )

    def rating(self, one: str, other: str) -> Comparison | None:
        """Return the comparison of people's mean ratings of those two systems; None if no item was rated for both."""
        return next((c for c in self.people if {c.a, c.b} == {one, other}), None)

    def ranking(self, measure: str | None) -> Ranking | None:
        """The ranks under that measure, or over all for None; None where it ranks nobody."""
        return next((ranking for ranking in self.ranks if ranking.measure == measure), None)

    def is_silent(self, system: str, measure: str) -> bool:
        """Whether the system left items unanswered, and the measure cannot count them, so that it must not rank it.

        Not if the study allows as many, or says itself what missing values count as.
        """
        score = self.score(system, measure)
        info = next((one for one in self.measures if one.measure == measure), None)
        if score is None or info is None or info.counts_silence or self.missing != "auto":
            return False
        return score.unanswered > max(score.filled, self.allow_unanswered * score.asked)

    def relation(self, measure: str, system: str, other: str) -> Verdict | None:
        """Return the verdict on the system beside the other one under that measure; None if they were not compared."""
        test = self.comparison(measure, system, other)
        if test is None or test.p_adjusted is None:
            return None
        return test.verdict if test.a == system else _REVERSED.get(test.verdict, test.verdict)


_REVERSED: Final[Mapping[Verdict, Verdict]] = {"better": "worse", "worse": "better"}
