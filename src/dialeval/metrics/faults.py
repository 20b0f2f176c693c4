"""Kinds of faults of responses, and which measures notice them.

A measure notices a fault if answers that are the reference word for word but for the fault score significantly worse
than truthful paraphrases (for assertions: than the reference itself). Claims are those that a test shows on 48 answers
(tests/metrics/test_faults.py); a measure that was not tested has no line. Silence is left out: a study counts it in any
case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Fault: TypeAlias = Literal[
    "wrong_facts",
    "contradiction",
    "off_topic",
    "truncation",
    "repetition",
    "language",
    "scrambled",
    "form",
    "wording",
]

ADVICE: Final[Mapping[Fault, str]] = {
    "wrong_facts": "facts",
    "contradiction": "contradiction_rate",
    "off_topic": "rouge_l",
    "truncation": "chrf",
    "repetition": "distinct(n=2)",
    "language": "language",
    "scrambled": "",
    "form": "json",
    "wording": "not_contains",
}
"""The faults, gravest first, and a measure that notices each; nothing if none is shown to."""

_FOREIGN: Final[frozenset[Fault]] = frozenset({"off_topic", "language"})
_SHORT: Final[frozenset[Fault]] = _FOREIGN | {"truncation"}
NOTICED: Final[Mapping[str, frozenset[Fault]]] = {
    "bleu": _FOREIGN,
    "rouge_l": _FOREIGN,
    "meteor": _SHORT,
    "cider": _FOREIGN | {"repetition"},
    "chrf": _SHORT,
    "embedding_average": _SHORT,
    "sentence_cosine": _SHORT,
    "bertscore": _SHORT,
    "context_cosine": _SHORT,
    "selfeval": _SHORT,
    "quality": _SHORT | {"repetition"},
    "facts": _SHORT | {"wrong_facts"},
    "contradiction_rate": frozenset({"contradiction"}),
    "contradiction_free": frozenset({"contradiction"}),
    "contradictions": frozenset({"contradiction"}),
    "distinct": frozenset({"repetition"}),
    "contains": frozenset({"wording"}),
    "not_contains": frozenset({"wording"}),
    "regex": frozenset({"wording", "form"}),
    "equals": frozenset({"wording", "form"}),
    "json": frozenset({"form"}),
    "max_length": frozenset({"repetition"}),
    "language": frozenset({"language"}),
    "assertions": frozenset({"wording", "form"}),
    "length": frozenset(),
}
"""Faults that each measure notices, by name."""


class BlindSpots(NamedTuple):
    """Faults that none of some measures is known to notice, gravest first, and measures of which nothing is known."""

    faults: tuple[Fault, ...]
    unknown: tuple[str, ...]


def blind_spots(names: Iterable[str]) -> BlindSpots:
    """Return the faults that measures of these names do not notice, as far as that is known."""
    given = list(dict.fromkeys(names))
    noticed = frozenset[Fault]().union(*(NOTICED.get(name, frozenset()) for name in given))
    return BlindSpots(
        tuple(fault for fault in ADVICE if fault not in noticed),
        tuple(name for name in given if name not in NOTICED),
    )
