"""A pair of utterances by one speaker, with what a person said of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

Label: TypeAlias = Literal["contradiction", "entailment", "neutral", "consistent"]
"""``consistent`` is what sets with two classes say of everything that is not a contradiction."""
LABELS: Final[tuple[Label, ...]] = ("contradiction", "entailment", "neutral", "consistent")
CLASSES: Final[tuple[Label, ...]] = LABELS[:3]
"""The outputs of a detector, as natural language inference has them."""


class Pair(NamedTuple):
    """What a detector reads: two utterances of one speaker, and the other speaker's turn between them."""

    earlier: str
    response: str
    between: str = ""
    """Empty where nobody spoke between them, or it is not known."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair, its label, and where it comes from."""

    pair: Pair
    label: Label
    source: str
    """The set, such as ``decode`` or ``snli``."""
    group: str = ""
    """What must not be divided between training and test, such as the system; empty where there is no such thing."""
    votes: int | None = None
    """How many raters called it a contradiction, where the set says so."""
    others: tuple[str, ...] = ()
    """What else the speaker said before the response, where the set has the whole dialogue."""

    @property
    def contradicts(self) -> bool:
        """Whether the label is ``contradiction``."""
        return self.label == "contradiction"


class Divided(NamedTuple):
    """Pairs for training, for validation, and for test."""

    train: list[LabelledPair]
    validation: list[LabelledPair]
    test: list[LabelledPair]


def divide(pairs: Iterable[LabelledPair], *, validation: float = 0.1, test: float = 0.0) -> Divided:
    """Each pair into one of three parts by a hash of its two utterances, so that every run divides alike.

    Pairs with the same two utterances fall into the same part, whatever their order or number.
    """
    parts = Divided([], [], [])
    for labelled in pairs:
        share = hash_share(labelled.pair)
        if share < test:
            parts.test.append(labelled)
        elif share < test + validation:
            parts.validation.append(labelled)
        else:
            parts.train.append(labelled)
    return parts


def hash_share(pair: Pair) -> float:
    """A number from 0 up to 1 that depends on the two utterances alone, case and whitespace aside."""
    text = "\n".join(" ".join(part.casefold().split()) for part in (pair.earlier, pair.response))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
