"""The types of ``manifest.json`` (docs/files.md)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from dialeval.files.digests import FileDigest
from dialeval.files.documents import FINITE
from dialeval.judge.document import JudgeRecord
from dialeval.judge.pair_record import PairsRecord
from dialeval.stats.tests.multiple import Correction
from dialeval.study.document.summary import MissingRule


@dataclass(frozen=True, slots=True)
class Trace:
    """Where one score comes from."""

    system: str
    measure: str
    signature: str
    data: str
    """sha256 of the subjects that were measured."""
    package: str
    seed: int
    trials: int
    resources: dict[str, str]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Lines of a file that match no item of the study."""

    path: str
    lines: int
    unmatched: int
    examples: tuple[str, ...]
    """The first few that match nothing."""


@dataclass(frozen=True, slots=True)
class ClaimPlan:
    """Plan of the comparisons: on which items, by which measure above all, and what difference matters."""

    missing: MissingRule
    primary: str | None
    correction: Correction
    margins: dict[str, float]


@dataclass(frozen=True, slots=True)
class SystemUsage:
    """Time, tokens and cost of one system's answers, whether in this run or in an earlier one that kept them."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    answers: int
    """Answers that are known to have taken something."""
    seconds_median: float | None
    seconds_p95: float | None
    """The 95th percentile."""
    prompt_tokens: int | None
    """Of all answers; None where some are not counted, as with models that run here."""
    completion_tokens: int | None
    cost: float | None
    """By the system's prices; None where there are none."""


CheckOutcome: TypeAlias = Literal["same", "unrepeatable", "sampled", "unreachable"]
"""Cached answers asked for again: the server gave the same ones; gives other ones each time; samples, so that nothing
could be learnt; or did not answer."""


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Origin of the answers of one system."""

    system: str
    measure: str | None
    """The measure that asked, whose cached batches and single answers are counted; None for answers to the prompts."""
    answers: int
    cached: int
    """Number of them that were cached by an earlier run."""
    undated: int = 0
    """Number of the cached ones that have no known time, as those of older versions."""
    first_asked: str | None = None
    """When the oldest of the cached ones was asked."""
    last_asked: str | None = None
    """When the newest of the cached ones was asked."""
    check: CheckOutcome | None = None
    """Result of asking for some of the cached ones again; None if nothing was to be checked."""
    checked: int = 0
    """Number that were asked for again."""
    why: str | None = None
    """Why they could not be checked, in the words of the error."""
    cut: int = 0
    """Number of answers that a limit on tokens ended."""
    emptied: int = 0
    """To how many a filter had dropped every candidate, so that the answer is what it falls back to."""
    refused: int = 0
    """Number of prompts that the system refused."""
    refusal: str | None = None
    """The reason for the first refusal."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """When, where and from what a run was made."""

    format: Literal[1]
    dialeval: str
    python: str
    platform: str
    started: str
    finished: str
    command: str
    study: FileDigest
    files: tuple[FileDigest, ...]
    provenance: tuple[Trace, ...]
    packages: dict[str, str]
    plan: ClaimPlan
    """Declarations of the study before anybody looked."""
    unmatched: tuple[Unmatched, ...]
    """Files with lines that match no item."""
    usage: tuple[SystemUsage, ...] = ()
    """Systems that generated answers."""
    answers: tuple[AnswerSource, ...] = ()
    """Where these answers come from: asked for in this run, or cached by an earlier one."""
    judges: tuple[JudgeRecord, ...] = ()
    """What the language models did that judged; no key of the file if there are none."""
    judge_pairs: PairsRecord | None = None
    """A judge's verdicts on pairs of answers; no key of the file if nobody gave any."""

    def json_value(self) -> dict[str, object]:
        """The fields that the file holds."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {
            name: value for name, value in fields.items() if value or name not in ("judges", "judge_pairs")
        }
