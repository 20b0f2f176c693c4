"""Slot error rate as a metric: which part of what an act asks for a response got wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import Unsuitable
from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.document import Finding
from dialeval.nlg.slots.aliases import read_aliases
from dialeval.nlg.slots.counting import COUNTERS, Part, Profile, uncountable
from dialeval.nlg.slots.lexicon import Lexicon, Text, build_lexicon
from dialeval.nlg.slots.matching import match
from dialeval.nlg.slots.needs import checked_needs
from dialeval.nlg.subjects import act_in

Side: TypeAlias = Literal["response", "references"]


class _OfActs:
    """Shared by the metric and its fitted form."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = False
    silence: ClassVar[None] = None
    """An unanswered item counts as an empty response, which leaves every slot out; so the parts still add up."""

    def aggregate(self, totals: Floats) -> Floats:
        """Errors per slot that is needed; NaN where none is."""
        errors, needed = totals[..., 0], totals[..., 1]
        rates: Floats = np.divide(errors, needed, out=np.full(np.shape(needed), np.nan), where=needed > 0)
        return rates


@dataclass(frozen=True, slots=True)
class SlotErrorRate(_OfActs):
    """Slots of the dialogue act that the response leaves out, gets wrong, adds or says twice, per slot needed.

    From 0, lower is better; above 1 where a response adds a lot. ``part`` is ``total`` or one of missing, wrong, added
    and repeated; ``profile`` whose definition counts; ``of='references'`` judges the references instead, which shows
    how far the matching can be trusted. The corpus score pools slots, so it is not the mean of items. An act without a
    slot that can be checked has no value. Values known to the corpus show what is wrong or added: `fit` it first, as
    evaluate() does.
    """

    part: Part = "total"
    profile: Profile = "dialeval"
    of: Side = "response"
    aliases: str = ""
    """A JSON, YAML or TSV file of further words for values."""

    def __post_init__(self) -> None:
        if self.aliases:
            read_aliases(Path(self.aliases))

    @property
    def signature(self) -> Signature:
        """All that could move the number but the known values, whose digest is among the resources once fitted."""
        parameters = (
            ("part", self.part),
            ("profile", self.profile),
            ("of", self.of),
            ("aliases", self.aliases),
        )
        digest = read_aliases(Path(self.aliases)).digest[:12] if self.aliases else "none"
        facts = (("alias_table", digest), ("values", "corpus"))
        return Signature("slot_error_rate", parameters, facts, version=4)

    @property
    def limits(self) -> tuple[float, float]:
        """No more slots are missing or wrong than are needed; any number can be added or said again."""
        return 0.0, 1.0 if self.part in ("missing", "wrong") else math.inf

    def unscorable(self, example: Example) -> str | None:
        """``no act``, ``no references``, or why the act has nothing to check; None where there is something."""
        held = act_in(example.context)
        if held.meaning is None:
            return held.problem
        if self.of == "references" and not example.references:
            return "no references"
        return uncountable(self.profile, held.meaning)

    def fit(self, examples: Sequence[Example]) -> FittedSlotErrorRate:
        """The metric with the slots and values of all these examples' acts."""
        return FittedSlotErrorRate(self, lexicon_of(examples, self.aliases))

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Unsuitable: no values are known yet."""
        raise Unsuitable(
            "slot_error_rate recognises wrong and added values by the acts of the whole corpus, and it has seen none. "
            "Score with evaluate(), which fits it, or call fit(examples) and use what it returns."
        )


def lexicon_of(examples: Sequence[Example], aliases: str = "") -> Lexicon:
    """What these examples show of slots; references, where there are any, decide which values are everyday words."""
    texts: set[Text] = set()
    meanings: set[Meaning] = set()
    referenced = any(example.references for example in examples)
    for example in examples:
        meaning = act_in(example.context).meaning
        if meaning is not None:
            meanings.add(meaning)
            said = example.references if referenced else (example.response.text,)
            texts.update((meaning, text) for text in said)
    return _built(frozenset(meanings), frozenset(texts), aliases, referenced)


@lru_cache(maxsize=2)
def _built(meanings: frozenset[Meaning], texts: frozenset[Text], aliases: str, referenced: bool) -> Lexicon:
    """Kept, since the parts of the rate are fitted to the same corpus one after the other."""
    table = read_aliases(Path(aliases)).aliases if aliases else {}
    return build_lexicon(meanings, sorted(texts, key=lambda text: text[1]), table, referenced=referenced)


@dataclass(frozen=True, slots=True, eq=False)
class FittedSlotErrorRate(_OfActs):
    """Slot error rate with the values of one corpus: what `SlotErrorRate.fit` returns."""

    plain: SlotErrorRate
    lexicon: Lexicon

    @property
    def signature(self) -> Signature:
        """That of `SlotErrorRate`."""
        return self.plain.signature

    @property
    def limits(self) -> tuple[float, float]:
        """Those of `SlotErrorRate`."""
        return self.plain.limits

    @property
    def resources(self) -> Mapping[str, str]:
        """The digest of the known slots and values, which moves every count of wrong and added ones."""
        return {"slot values": self.lexicon.digest}

    def unscorable(self, example: Example) -> str | None:
        """That of `SlotErrorRate`, or that nobody says the values of the act, which only dialeval leaves out."""
        reason = self.plain.unscorable(example)
        meaning = act_in(example.context).meaning
        if reason is not None or meaning is None or self.plain.profile != "dialeval":
            return reason
        return None if checked_needs(self.lexicon, meaning) else "no reference says any value of the act"

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of errors and slots needed; of two zeros where nothing can be checked."""
        rows = np.zeros((len(examples), 2))
        count = COUNTERS[self.plain.profile]
        for index, example in enumerate(examples):
            meaning = act_in(example.context).meaning
            if meaning is None or self.unscorable(example) is not None:
                continue
            texts = example.references if self.plain.of == "references" else (example.response.text,)
            for text in texts:
                counts = count(self.lexicon, meaning, text)
                rows[index] += (counts.errors(self.plain.part), counts.needed)
        return rows

    def findings(self, example: Example) -> list[Finding]:
        """What became of every slot of the example's act, with the words that show it."""
        meaning = act_in(example.context).meaning
        return [] if meaning is None else match(self.lexicon, meaning, example.response.text)
