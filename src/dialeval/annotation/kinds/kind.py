"""The protocol of task kinds: what is asked, how it is answered, and which judgements follow.

A kind is stateless. What a study asks is an ``Ask``; a page puts several of them to one rater about one item. Its form
fields are posted as ``CRITERION.FIELD`` by HTML forms and as ``{"CRITERION": {"FIELD": value}}`` by JSON; both reach
``check`` as one mapping of fields, whose values are strings, numbers, null, or lists of strings if ``many``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Source
from dialeval.data.types import Judgement
from dialeval.ratings.preferences import Preference

Shows: TypeAlias = Literal["response", "pair", "candidates", "dialogue", "any"]
"""Content of an item: one response, exactly two candidates, two or more, turns (a response among them), or any."""

Answer: TypeAlias = dict[str, object]
"""A checked answer, of JSON values only, as the store keeps it. What it holds is the kind's own business."""

Fault: TypeAlias = Literal[
    "required", "not_an_option", "out_of_scale", "not_a_turn", "too_long", "incomplete", "twice", "too_soon"
]
"""Why an answer was refused; the texts are in the catalogue as ``fault.CODE``."""

Felt: TypeAlias = Callable[[str], float]
"""Opinion of a simulated rater on a candidate (by id), a turn ("turn 3") or the item (""), from 0 to 1, with noise."""


class BadAnswer(Exception):
    """A field that cannot be accepted, and why: the page says so beside the field."""

    def __init__(self, field: str, fault: Fault) -> None:
        super().__init__(f"{field}: {fault}")
        self.field, self.fault = field, fault


class Field(NamedTuple):
    """One field of a kind's form."""

    name: str
    """Letters, digits and underscores: no dot."""
    values: tuple[str, ...] = ()
    """Choices; empty for free text and numbers."""
    many: bool = False
    """Whether several values may be chosen."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question that a study puts to raters about each item."""

    kind: str
    criterion: str
    text: str = ""
    """The question in words. The default wording of a kind is translated, what an owner wrote is shown as it is."""
    options: tuple[Option, ...] = ()
    """The answers that may be given, or the anchors of a slider; for error labels, the labels."""
    lowest: float = 1
    highest: float = 5
    step: float = 1
    """Of scales: the lowest and highest value, and the distance between two of them (0 for a continuous slider)."""
    cannot_say: bool = False
    """Whether a rater may answer that they cannot judge: a judgement without value."""
    required: bool = True


@runtime_checkable
class Kind(Protocol):
    """One way to ask; an entry of ``KINDS``. Its page fragment is ``templates/kinds/NAME.html``."""

    @property
    def name(self) -> str:
        """As ``--kind`` spells it."""

    @property
    def shows(self) -> Shows:
        """Content that an item must have to be asked about."""

    def ask(self, criterion: str) -> Ask:
        """Default question if only the criterion is named: wording, scale and options."""

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """The fields of its form, in the order of the page."""

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The answer that was posted; raises BadAnswer with the field and the fault."""

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """The rows of the table of judgements that the answer gives, with the names of ``source``; maybe none."""

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The fields whose ``check`` gives this answer: how a page shows it again."""

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The payload that a rater with these feelings would post; it must pass ``check``."""


@runtime_checkable
class Preferring(Protocol):
    """A kind whose answers also say which of two systems is preferred."""

    def preferences(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Preference, ...]:
        """The preferences that the answer gives, as ``dialeval annotate preferences`` reads them."""


@dataclass(frozen=True, slots=True)
class Values:
    """The fields of one ask as they were posted, with the checks that kinds share."""

    payload: Mapping[str, object] = field(default_factory=dict)

    def text(self, name: str, *, most: int = 10_000) -> str:
        """A field as text without surrounding whitespace; empty if it was not posted."""
        value = self.payload.get(name)
        if isinstance(value, (list, tuple)):
            value = value[0] if value else None
        written = "" if value is None else str(value).strip()
        if len(written) > most:
            raise BadAnswer(name, "too_long")
        return written

    def texts(self, name: str, *, most: int = 1_000) -> tuple[str, ...]:
        """A field with several values."""
        value = self.payload.get(name)
        given = value if isinstance(value, (list, tuple)) else () if value in (None, "") else (value,)
        if len(given) > most:
            raise BadAnswer(name, "too_long")
        return tuple(str(part).strip() for part in given)

    def number(self, name: str) -> float | None:
        """A field as a finite number; None if it was not posted."""
        written = self.text(name, most=40)
        if not written:
            return None
        try:
            number = float(written)
        except ValueError:
            raise BadAnswer(name, "out_of_scale") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise BadAnswer(name, "out_of_scale")
        return number
