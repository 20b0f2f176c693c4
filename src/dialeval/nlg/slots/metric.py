"""Slot error rate: the part of what an act asks for that a response got wrong, by definitions of papers and ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats, Metric, Signature
from dialeval.data.types import Example
from dialeval.errors import Unsuitable
from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.document import Finding
from dialeval.nlg.slots.lexicon import HAS, LACKS, Lexicon, Text, build_lexicon, read_aliases, scan
from dialeval.nlg.slots.matcher import match
from dialeval.nlg.slots.needs import Need, checked_needs, needs_of
from dialeval.nlg.subjects import act_in
from dialeval.text.spelling import tokenise

Profile: TypeAlias = Literal["dialeval", "wen2015", "rnnlg"]
Part: TypeAlias = Literal["total", "missing", "wrong", "added", "repeated"]
PARTS: Final[tuple[Part, ...]] = ("missing", "wrong", "added", "repeated")
_SKIPPED: Final = frozenset({"select", "suggest"})


class Counts(NamedTuple):
    """Slots that an act needs, and the errors of a sentence."""

    needed: int
    missing: int
    wrong: int
    added: int
    repeated: int

    def errors(self, part: Part) -> int:
        """The errors of one kind, or all of them."""
        return sum(self[1:]) if part == "total" else int(getattr(self, part))


def uncountable(profile: Profile, meaning: Meaning) -> str | None:
    """Reason why an act has no slot errors under this definition, or None if it can have some."""
    if profile == "rnnlg" and any(act.act.lstrip("?") in _SKIPPED for act in meaning):
        return "select and suggest acts are not counted by RNNLG"
    needs = needs_of(meaning)
    if profile == "wen2015":
        needs = tuple(need for need in needs if need.sort == "plain")
    return None if needs else "the act has no slot with a value to check"


@lru_cache(maxsize=100_000)
def count_ours(lexicon: Lexicon, meaning: Meaning, text: str) -> Counts:
    """Missing, wrong, added and repeated as `match` finds them."""
    outcomes = Counter(finding.outcome for finding in match(lexicon, meaning, text))
    needed = sum(need.times for need in checked_needs(lexicon, meaning))
    return Counts(needed, *(outcomes[part] for part in ("missing", "wrong", "added", "repeated")))


def count_wen(lexicon: Lexicon, meaning: Meaning, text: str) -> Counts:
    """Wen et al. (2015): ERR = (missing + redundant) / N over slots whose values can be delexicalised.

    A slot is produced once for each occurrence of its value, a name in a second sentence too; a wrong value is a
    missing one. Redundant are repeated values, and known values that the act does not have (added).
    """
    needs = [need for need in needs_of(meaning) if need.sort == "plain"]
    missing, repeated = _surplus(needs, text)
    special = lexicon.properties
    added = sum(f.outcome == "added" and f.slot not in special for f in match(lexicon, meaning, text))
    return Counts(sum(need.times for need in needs), missing, 0, added, repeated)


def count_rnnlg(lexicon: Lexicon, meaning: Meaning, text: str) -> Counts:
    """RNNLG's own count: per slot, the difference between the values needed and produced.

    Of yes, no, none and dontcare only a keyword of the slot is looked for; one of a property that the act does not have
    counts as added. The values of other slots are not looked for.
    """
    needs = needs_of(meaning)
    missing, repeated = _surplus([need for need in needs if need.sort == "plain"], text)
    tokens = tokenise(text)
    mentioned = {
        pair.slot
        for occurrence in scan(lexicon, tokens)
        for pair in occurrence.pairs
        if pair.value in (HAS, LACKS)
    }
    words = frozenset(tokens.words)
    for need in needs:
        if need.sort != "plain" and need.slot not in mentioned:
            missing += not words & lexicon.keywords.get(need.slot, frozenset())
    added = len(mentioned - {slot.name for act in meaning for slot in act.slots})
    return Counts(sum(need.times for need in needs), missing, 0, added, repeated)


def _surplus(needs: Sequence[Need], text: str) -> tuple[int, int]:
    """Numbers of values that the sentence lacks and has too often, by exact words, the longest value first."""
    words = tokenise(text).words
    taken = bytearray(len(words))
    missing = repeated = 0
    for need in sorted(needs, key=lambda need: -len(need.words)):
        produced = _take(words, taken, need.words)
        if not produced and need.parts:
            trial = bytearray(taken)  # an incomplete list takes no word from other values
            if all(_take(words, trial, part) for part in need.parts):
                taken, produced = trial, 1
        missing += max(need.times - produced, 0)
        repeated += max(produced - need.times, 0)
    return missing, repeated


def _take(words: Sequence[str], taken: bytearray, wanted: Sequence[str]) -> int:
    """Number of times that the wanted words stand in the sentence; they are taken, so that no other value has them."""
    size, count = len(wanted), 0
    for start in range(len(words) - size + 1):
        if tuple(words[start : start + size]) == tuple(wanted) and not any(taken[start : start + size]):
            taken[start : start + size] = b"\x01" * size
            count += 1
    return count


COUNTERS: Final[Mapping[Profile, Callable[[Lexicon, Meaning, str], Counts]]] = {
    "dialeval": count_ours,
    "wen2015": count_wen,
    "rnnlg": count_rnnlg,
}
"""Each definition by name."""


Side: TypeAlias = Literal["response", "references"]


class _OfActs(Metric[Example]):
    """Shared by the metric and its fitted form."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = False
    silence: ClassVar[None] = None
    """An unanswered item counts as an empty response, which leaves every slot out; so the parts still add up."""

    def aggregate(self, totals: Floats) -> Floats:
        """Errors per slot that is needed; NaN if none is."""
        errors, needed = totals[..., 0], totals[..., 1]
        rates: Floats = np.divide(errors, needed, out=np.full(np.shape(needed), np.nan), where=needed > 0)
        return rates


@dataclass(frozen=True, slots=True)
class SlotErrorRate(_OfActs):
    """Slots of the dialogue act that the response leaves out, gets wrong, adds or says twice, per slot needed.

    From 0, lower is better; above 1 if a response adds a lot. ``part`` is ``total`` or one of missing, wrong, added
    and repeated; ``profile`` whose definition counts; ``of='references'`` judges the references instead, which shows
    how far the matching can be trusted. The corpus score pools slots, so it is not the mean of items. An act without a
    slot that can be checked has no value. Values known to the corpus show what is wrong or added: `fit` it first, as
    evaluate() does.
    """

    name: ClassVar[str] = "slot_error_rate"
    version: ClassVar[int] = 5
    part: Part = "total"
    profile: Profile = "dialeval"
    of: Side = "response"
    aliases: str = ""
    """A JSON, YAML or TSV file of further words for values."""

    def __post_init__(self) -> None:
        if self.aliases:
            read_aliases(Path(self.aliases))

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The hash of the aliases; not the known values, whose digest is among the resources once fitted."""
        digest = read_aliases(Path(self.aliases))[1][:12] if self.aliases else "none"
        return (("alias_table", digest), ("values", "corpus"))

    @property
    def limits(self) -> tuple[float, float]:
        """No more slots are missing or wrong than are needed; any number can be added or said again."""
        return 0.0, 1.0 if self.part in ("missing", "wrong") else math.inf

    def unscorable(self, example: Example) -> str | None:
        """``no act``, ``no references``, or why the act has nothing to check; None if there is something."""
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
    """Lexicon of these examples; references, if there are any, decide which values are everyday words."""
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
    table = read_aliases(Path(aliases))[0] if aliases else {}
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
        """Rows of errors and slots needed; of two zeros if nothing can be checked."""
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
        """Findings for every slot of the example's act, with the words that show it."""
        meaning = act_in(example.context).meaning
        return [] if meaning is None else match(self.lexicon, meaning, example.response.text)
