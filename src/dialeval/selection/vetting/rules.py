"""The rules by which people's scores make a draft into a test set (Sato et al., 2020, sections 3.1 and 3.2).

Each rule is a value that prints as the sentence it stands for; `SATO_2020` holds those of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Votes:
    """The scores that raters gave one candidate, and how many raters are still missing."""

    scores: tuple[int, ...]
    absent: int = 0

    def count(self, scores: Sequence[int]) -> int:
        """Number of raters who gave one of these scores."""
        return sum(score in scores for score in self.scores)

    @property
    def mean(self) -> float:
        """The mean score; NaN of none."""
        return sum(self.scores) / len(self.scores) if self.scores else float("nan")


class _Sentence:
    """What all rules share: documents hold the sentence."""

    __slots__ = ()

    def json_value(self) -> str:
        """The rule as a sentence."""
        return str(self)


@dataclass(frozen=True, slots=True)
class DropFalse(_Sentence):
    """Drops a false candidate that enough raters give one of these scores."""

    reason: str
    scores: tuple[int, ...]
    at_least: int = 3

    def __str__(self) -> str:
        who = f"{self.at_least} or more raters score it {_listed(self.scores)}"
        return f"Drop a false candidate as {self.reason} if {who}."


@dataclass(frozen=True, slots=True)
class DropQuestion(_Sentence):
    """Drops a question whose ground truth enough raters give one of these scores."""

    scores: tuple[int, ...] = (0, 1, 2, 3)
    at_least: int = 3

    def __str__(self) -> str:
        who = f"{self.at_least} or more raters score its ground truth {_listed(self.scores)}"
        return f"Drop a question if {who}."


def holds(rule: DropFalse | DropQuestion, votes: Votes) -> bool:
    """Whether enough raters gave one of the rule's scores."""
    return votes.count(rule.scores) >= rule.at_least


def may_hold(rule: DropFalse | DropQuestion, votes: Votes) -> bool:
    """Whether the rule would hold if all raters who are missing gave one of its scores."""
    return votes.count(rule.scores) + votes.absent >= rule.at_least


@dataclass(frozen=True, slots=True)
class Settled(_Sentence):
    """Drops what raters who are missing could still drop, so that no candidate stays because scores are missing.

    The paper had five scores of everything and needed no such rule.
    """

    raters: int = 5

    def __str__(self) -> str:
        return f"Drop what raters who are missing could still decide ({self.raters} scores are expected)."


@dataclass(frozen=True, slots=True)
class OneTruth(_Sentence):
    """Drops a question that has no ground truth, or several."""

    def __str__(self) -> str:
        return "Drop a question that has not exactly one ground truth."


@dataclass(frozen=True, slots=True)
class Surplus(_Sentence):
    """Makes a second question with the same context where many false candidates are left."""

    at_least: int = 6

    def __str__(self) -> str:
        return (
            f"Where {self.at_least} or more false candidates are left, make a second question of half of them, its "
            "ground truth being the best-scored utterance that was dropped as acceptable and would stand as one."
        )


@dataclass(frozen=True, slots=True)
class Fewest(_Sentence):
    """Drops a question with too few false candidates."""

    false: int = 3

    def __str__(self) -> str:
        return f"Drop a question with fewer than {self.false} false candidates left."


@dataclass(frozen=True, slots=True)
class Most(_Sentence):
    """Spares false candidates above a number, so that chance is the same for all questions."""

    false: int = 3

    def __str__(self) -> str:
        return f"Keep {self.false} false candidates of each question, drawn by seed; the others are spare."


Rule: TypeAlias = DropFalse | DropQuestion | Settled | OneTruth | Surplus | Fewest | Most


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules, in the order in which they are applied."""

    one_truth: OneTruth = OneTruth()
    ground_truth: DropQuestion = DropQuestion()
    acceptable: DropFalse = DropFalse("acceptable", (3, 4, 5))
    ungrammatical: DropFalse = DropFalse("ungrammatical", (0,))
    settled: Settled = Settled()
    surplus: Surplus | None = Surplus()
    """None for no second questions."""
    fewest: Fewest = Fewest()
    most: Most | None = Most()
    """None to keep every false candidate that is left."""

    def __post_init__(self) -> None:
        agreeing = max(rule.at_least for rule in (self.ground_truth, self.acceptable, self.ungrammatical))
        if self.settled.raters < agreeing:
            # Else no rule could ever hold, and everything would stand because raters are missing.
            raise ValueError(f"{self.settled.raters} raters cannot be {agreeing}, as a rule needs")
        if self.most is not None and self.most.false < self.fewest.false:
            raise ValueError(
                f"no question can have {self.fewest.false} or more and at most {self.most.false}"
            )

    def __iter__(self) -> Iterator[Rule]:
        return (rule for rule in (getattr(self, part.name) for part in fields(self)) if rule is not None)

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def false_rule(self, votes: Votes) -> DropFalse | Settled | None:
        """The rule by which a false candidate with these votes is dropped; None where it stays."""
        for rule in (self.acceptable, self.ungrammatical):
            if holds(rule, votes):
                return rule
        open_still = may_hold(self.acceptable, votes) or may_hold(self.ungrammatical, votes)
        return self.settled if open_still else None

    def truth_rule(self, votes: Votes) -> DropQuestion | Settled | None:
        """The rule by which a ground truth with these votes takes its question with it; None where it stands."""
        if holds(self.ground_truth, votes):
            return self.ground_truth
        return self.settled if may_hold(self.ground_truth, votes) else None


SATO_2020: Final = Rules()
"""The rules of the paper. ``Settled`` and ``OneTruth`` say what we do where its raters' work would be incomplete."""


def _listed(scores: Sequence[int]) -> str:
    words = [str(score) for score in scores]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
