"""Counts of slot errors by the definitions of the papers and by ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.slots.lexicon import HAS, LACKS, Lexicon, scan
from dialeval.nlg.slots.matching import match
from dialeval.nlg.slots.needs import Need, checked_needs, needs_of
from dialeval.text.spelling.tokens import tokenise

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
    """Why an act has no slot errors under this definition, or None where it can have some."""
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
    """How many values the sentence lacks, and how many it has too often, by exact words, the longest value first."""
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
    """How often the wanted words stand in the sentence; they are taken, so that no other value has them."""
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
