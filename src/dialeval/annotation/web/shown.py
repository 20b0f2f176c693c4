"""Values for templates: every template gets ``page``, ``t`` and its own value under ``shown``.

``t(key, **values)`` is the text of the catalogue in the page's language. The catalogue is ``annotation/web/texts.py``:
``LANGUAGES: Mapping[str, Language]`` with ``Language(code, name, direction, texts)``, and ``text(code, key, **values)``
(falls back to English; an unknown key raises KeyError).
All values arrive unescaped; Jinja's autoescape is on. No inline script, style or event handler: the CSP forbids them.

| template | shown | route |
|---|---|---|
| ``task.html`` | ``TaskPage`` | GET /task, and POST /task answered with 409, 410 or 422 |
| ``history.html`` | ``HistoryPage`` | GET /history |
| ``instructions.html`` | ``InstructionsPage`` | GET /instructions |
| ``done.html`` | ``DonePage`` | GET /done |
| ``join.html`` | ``JoinPage`` | GET /join (only with --open) |
| ``refused.html`` | ``RefusedPage`` | any 4xx, 5xx |
| ``owner.html`` | ``OwnerPage`` | GET /owner |
| ``adjudicate.html`` | ``AdjudicatePage`` | GET /owner/adjudicate |

``task.html`` includes ``kinds/NAME.html`` for each of ``shown.asks`` with ``asked`` set to that ``Asked``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dialeval.annotation.items import Item
from dialeval.annotation.kinds.kind import Answer, Ask, Field
from dialeval.annotation.pace import NO_PACE, Pace
from dialeval.data.types import Turn
from dialeval.stats.estimate import Estimate

Phase: TypeAlias = Literal["qualification", "rating"]
Ending: TypeAlias = Literal["finished", "nothing_left", "screened_out", "failed_checks", "revoked"]


@dataclass(frozen=True, slots=True)
class Page:
    """Facts that every page has."""

    prefix: str
    """Goes before every address: empty, or such as ``/ratings`` behind a reverse proxy."""
    language: str
    direction: Literal["ltr", "rtl"]
    csrf: str
    """Posted back as the form field ``csrf`` or the header ``X-CSRF-Token``; empty without a session."""
    study: str
    """The study's title as raters see it."""
    languages: tuple[tuple[str, str], ...]
    """Codes and names; a page changes to one by GET with ``?lang=CODE``."""
    assets: Mapping[str, str]
    """Addresses of static files by name, with prefix and content hash: ``page.assets['app.js']``."""


@dataclass(frozen=True, slots=True)
class PageAsk:
    """One ask as a page puts it about one item."""

    ask: Ask
    fields: tuple[Field, ...]
    """Their HTML names are ``{ask.criterion}.{field.name}``."""
    answer: Answer | None = None
    """Earlier answer of this rater, if the item is revised."""
    fault: str | None = None
    """Why the posted answer was refused, as a code of the catalogue (``fault.CODE``)."""
    fault_field: str | None = None
    posted: Mapping[str, object] = field(default_factory=dict)
    """Fields that were posted and refused, to be shown again."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a rater."""

    done: int
    total: int
    """The most that this rater will be asked: their block, or what is left for them."""


@dataclass(frozen=True, slots=True)
class Chat:
    """The talk that comes before the ratings, with a system the rater does not know."""

    turns: tuple[Turn, ...]
    said: int
    """Number of turns that the rater has had."""
    asked: int
    """Number that they must have before they rate."""
    waiting: bool = False
    """Whether the system's reply is still being made."""

    @property
    def finished(self) -> bool:
        """Whether the ratings may be shown."""
        return self.said >= self.asked and not self.waiting


@dataclass(frozen=True, slots=True)
class TaskPage:
    """One item with its questions."""

    item: Item
    asks: tuple[PageAsk, ...]
    phase: Phase
    progress: Progress
    revision: int
    """Of this rater's answer to this item: 0 if it is new. Posted back as ``revision``."""
    least_seconds: float
    """The shortest reading time before an answer is accepted; 0 for none."""
    instructions: str
    previous: str | None
    """The id of the item answered before this one, for undo: GET /task?item=ID."""
    saved: bool = False
    """Whether the answer before was just saved."""
    chat: Chat | None = None
    conflict: bool = False
    """Whether another tab saved a newer revision (409)."""
    gone: bool = False
    """Whether the lease expired and others have answered it since (410)."""
    preview: bool = False
    """Whether a crowd worker only looks at it (MTurk's preview): nothing can be sent."""


@dataclass(frozen=True, slots=True)
class Past:
    """One item that the rater has answered."""

    item: str
    excerpt: str
    answers: Mapping[str, Answer]
    """By criterion."""
    at: str
    """When it was last saved, ISO 8601."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Answers of the rater, latest first; each can be revised by GET /task?item=ID."""

    answered: tuple[Past, ...]
    progress: Progress


@dataclass(frozen=True, slots=True)
class InstructionsPage:
    """The owner's instructions: plain text, blank lines between paragraphs."""

    instructions: str
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class DonePage:
    """Why there is nothing more to do, and the way back to where the rater came from."""

    ending: Ending
    answered: int
    code: str | None = None
    """Prolific's completion, screen-out or failed-check code."""
    link: str | None = None
    """Address that a rater from Prolific goes back to."""
    submit: tuple[str, Mapping[str, str]] | None = None
    """MTurk: the address to post to and its hidden fields."""
    may_return: bool = False
    """Whether items others hold may come back later."""


@dataclass(frozen=True, slots=True)
class JoinPage:
    """Open registration."""

    fault: Literal["taken", "too_many", "bad_name"] | None = None


@dataclass(frozen=True, slots=True)
class RefusedPage:
    """A request that was not served."""

    status: int
    code: Literal[
        "no_session",
        "bad_link",
        "csrf",
        "too_large",
        "rate",
        "not_found",
        "server",
        "not_owner",
        "bad_request",
    ]


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """One item of the adjudication queue, names hidden."""

    item: Item
    criterion: str
    agreement: float
    """Share of agreeing pairs of raters, from 0 to 1."""
    answers: Sequence[Answer]
    """In random order."""
    decided: Answer | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AdjudicatePage:
    """The queue, lowest agreement first; one is open. Posted to /owner/adjudicate with fields and ``reason``."""

    queue: tuple[DisputedItem, ...]
    open: DisputedItem | None
    asked: PageAsk | None


RaterState: TypeAlias = Literal["invited", "active", "finished", "screened_out", "failed_checks", "revoked"]
Flag: TypeAlias = Literal[
    "too_fast",
    "faster_than_reading",
    "failed_checks",
    "low_agreement",
    "one_answer",
    "many_skips",
    "cannot_say",
]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient of agreement, with its interval."""

    name: str
    """As ``dialeval annotate agreement --json`` names it, such as ``alpha_ordinal``."""
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class CriterionView:
    """Agreement of raters on one criterion so far."""

    criterion: str
    ratings: int
    items: int
    raters: int
    coefficients: tuple[Coefficient, ...]


@dataclass(frozen=True, slots=True)
class RaterView:
    """Counts and agreement of one rater so far."""

    rater: str
    state: RaterState
    dropped: bool
    answered: int
    skipped: int
    median_seconds: float | None
    kappa: float | None
    """Mean of the kappas with the other raters, over criteria."""
    checks_passed: int
    checks_seen: int
    flags: tuple[Flag, ...]
    without: tuple[tuple[str, float | None, float | None], ...] = ()
    """For each criterion: its name, the leading coefficient now, and without this rater."""
    pace: Pace = NO_PACE
    """Answers whose time is known, and those that came faster than reading."""


@dataclass(frozen=True, slots=True)
class OwnerPage:
    """The live page of the owner; ``GET /owner/data`` is the same as JSON."""

    items: int
    overlap: int
    wanted: int
    """Judgements wanted: items times overlap."""
    done: int
    in_hand: int
    """Items that raters hold at the moment."""
    complete_items: int
    criteria: tuple[CriterionView, ...]
    raters: tuple[RaterView, ...]
    disputed: int
    adjudicated: int
    at: str
    invited: str | None = None
    """The link of the rater who was just invited: shown once."""
