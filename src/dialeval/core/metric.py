"""The base class of metrics: its fields are the parameters of its signature, its members have defaults."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from dialeval.core.protocols import Floats, Integers, Subject
from dialeval.core.signature import Signature
from dialeval.stats.resampling.jackknife import leave_out

S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)

Optional: TypeAlias = Literal["fit", "explain", "turn_effects", "breakdowns"]
"""Members that do nothing by default."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
UNDEFINED: Final = "undefined for this item: the metric could not compute a value from it"


class LeaveOneOut(NamedTuple):
    """The score of a corpus, and what it would be without each group of its subjects."""

    score: float
    without: Floats
    """One per group; NaN where the rest has no score."""


class Part(NamedTuple):
    """Some of the subjects of a measure, or the measure at another setting: what a breakdown has a score of."""

    keys: tuple[tuple[str, str | int], ...]
    """Settings of the part, as ``(("stimuli", "ENTQ"), ("n", 5))``."""
    metric: Metric[Any]
    subjects: Sequence[Any]


class Metric(Generic[S_contra]):
    """Base class of metrics: frozen dataclasses whose fields are the parameters of their signature.

    A metric measures subjects in batches, as rows of ``statistics`` that add up. Everything else (per-item values,
    corpus scores, intervals, paired tests) follows from ``aggregate`` of sums of rows. BLEU's row is its clipped counts
    and lengths; a plain mean's row is ``(value, 1)``.

    A corpus measure scores a system's subjects as a set: how varied they are, how much they repeat one another. Such a
    score is not a sum of rows, so no subject has a value, and resampling with replacement would bias the score by its
    repeats. It sets ``per_item = False`` and overrides ``without`` in place of both; its intervals and comparisons
    follow from leaving groups of subjects out, one group at a time.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """First word of the signature; the name of the class unless it declares one."""
        return type(self).__name__

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Everything else in the signature that could move the number: conventions, resources by name and hash."""
        return ()

    @property
    def version(self) -> int:
        """Number that rises when the same parameters begin to give another score; 1 at first."""
        return 1

    @property
    def signature(self) -> Signature:
        """All that could move the number: by default the name, the fields, the facts and the version.

        Fields with ``repr=False`` are no parameters.
        """
        names: list[str] = [field.name for field in fields(self) if field.repr] if is_dataclass(self) else []
        parameters = tuple((name, getattr(self, name)) for name in names)
        return Signature(self.name, parameters, self.facts, self.version)

    @property
    def per_item(self) -> bool:
        """Whether subjects have values of their own; False for corpus measures."""
        return True

    @property
    def higher_is_better(self) -> bool | None:
        """Which direction is good; None for descriptions such as length, where neither is."""
        return True

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest score there can be, which intervals keep to; 0 and 1 of yes/no metrics."""
        return (0.0, 1.0) if self.yes_no else (-math.inf, math.inf)

    @property
    def worst(self) -> float:
        """Worst of the limits; NaN if there is none, or neither direction is better."""
        if self.higher_is_better is None:
            return math.nan
        worst = self.limits[0 if self.higher_is_better else 1]
        return worst if math.isfinite(worst) else math.nan

    @property
    def silence(self) -> float | None:
        """Value of an item that the system left unanswered: the worst one by default.

        None for the metric's own score of an empty response, NaN if such items have no value.
        """
        return self.worst

    @property
    def averages(self) -> bool | None:
        """Whether rows are values beside 1, and the score their mean; None to tell by the looks of the rows."""
        return None

    @property
    def yes_no(self) -> bool | None:
        """Whether items are right or wrong, and the score the share of right ones, whose intervals are exact.

        None to tell by the values: whether both occur and nothing else.
        """
        return None

    @property
    def conditional(self) -> bool:
        """Whether only some outcomes have a value, as a mean over lists that have a good response.

        Then a system without a value has done something wrong, and nothing went wrong in measuring it.
        """
        return False

    @property
    def family(self) -> str:
        """Name of the group of near-copies that count once together, as of a rate and its complement.

        By default the name in the signature, which BLEUs of all orders share.
        """
        return self.signature.name

    @property
    def judges_silence(self) -> bool:
        """Whether a corpus measure has a verdict on subjects that the system left unanswered; others leave them out."""
        return False

    @property
    def whole_dialogues(self) -> bool:
        """Whether a metric of single responses can also judge whole dialogues."""
        return False

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and sha256 of the weights, vectors and tables that the metric rests on."""
        return _NOTHING

    @property
    def asks(self) -> bool:
        """Whether it asks a model or server, whose answers it keeps itself.

        Such a metric runs in this process, with requests of its own at once, and its rows are not cached.
        """
        return False

    def undefined(self, row: Floats, /) -> str:
        """Why a subject has no value whose row, as given here, holds something that is no number."""
        return UNDEFINED

    def unscorable(self, subject: S_contra, /) -> str | None:
        """Why this subject cannot be scored (``no references``), or None. Such subjects never reach statistics."""

    def statistics(self, subjects: Sequence[S_contra], /) -> Floats:
        """One row per subject, shape (n, k): a pure function of the batch, so it can run anywhere."""
        raise NotImplementedError(f"{self.signature.name} has no statistics")

    def aggregate(self, totals: Floats, /) -> Floats:
        """Scores of summed rows, shape (..., k) to (...).

        A subject's own row gives its own score, the sum over a corpus gives the corpus's, and a stack of sums
        gives a stack of scores. NaN where the score is undefined.
        """
        raise NotImplementedError(f"{self.signature.name} has no aggregate")

    def without(self, subjects: Sequence[S_contra], groups: Integers, /) -> LeaveOneOut:
        """The score of all subjects, and without each group; ``groups`` has the group of each, counted from 0."""
        return LeaveOneOut(*leave_out(self.statistics(subjects), self.aggregate, groups))

    def fit(self, subjects: Sequence[S_contra], /) -> Metric[S_contra]:
        """Return the metric fitted to these subjects; by default itself.

        For a metric that must see the whole corpus before it can measure any of it, as one that weighs words by rarity.
        What it returns needs no more fitting, and has the corpus's digest as a resource.
        """
        return self

    def explain(self, subject: S_contra, /) -> str:
        """Say what lowered the score of a subject, in a line; empty if there is nothing to say."""
        return ""

    def turn_effects(self, subject: Any, /) -> list[float]:
        """Return how much the score of a dialogue would rise without each turn; NaN if too little would be left."""
        return []

    def breakdowns(self, subjects: Sequence[Any], /) -> Iterable[Part]:
        """Parts of one system's subjects that have scores of their own: by kind of stimulus, by list size, by slot."""
        return ()

    @property
    def needs_all(self) -> bool:
        """Whether all subjects must be seen before the first is scored: by corpus measures, and to be fitted."""
        return not self.per_item or self.has("fit")

    def has(self, member: Optional) -> bool:
        """Whether the metric brings this optional member, and not the one that does nothing."""
        own = getattr(self, member)
        return getattr(own, "__func__", own) is not getattr(Metric, member)
