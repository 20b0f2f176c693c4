"""Over-generated sentences in order: fewest slot errors first, then the likeliest (as in Wen et al., 2015b)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dialeval.nlg.acts.delexicalising import PREFIX, fillers, speak
from dialeval.nlg.acts.types import Act, Meaning
from dialeval.nlg.generating.features import special_slot
from dialeval.nlg.generating.words import JOINED, join_words
from dialeval.nlg.slots.lexicon import Lexicon, build_lexicon
from dialeval.nlg.slots.matching import match


class Draft(NamedTuple):
    """A delexicalised sentence as a network generated it."""

    words: tuple[str, ...]
    logprob: float
    length: int
    """Words, the end counted."""


class Sentence(NamedTuple):
    """A sentence with its values filled in."""

    text: str
    logprob: float | None
    """Of the delexicalised sentence; None where no network said it."""
    errors: int
    """Slots that are missing, wrong, said twice, or not in the act."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotJudge:
    """Counts the slot errors of delexicalised sentences.

    Placeholders show which values were said. Special values (yes, no, dontcare, none) are said in many words, which
    the slot matcher looks for.
    """

    lexicon: Lexicon | None = None
    """Of the slots that had special values in training; None where there were none."""

    def errors(self, meaning: Meaning, words: Sequence[str]) -> int:
        """Slots that are missing, wrong, added or repeated."""
        if self.lexicon is None:
            return placeholder_errors(meaning, words)
        special = tuple(Act(act.act, tuple(slot for slot in act.slots if slot.special)) for act in meaning)
        findings = match(self.lexicon, special, join_words(words))
        return placeholder_errors(meaning, words) + sum(found.outcome != "said" for found in findings)


def placeholder_errors(meaning: Meaning, words: Sequence[str]) -> int:
    """Placeholders that are missing, added or repeated."""
    wanted = {filler.placeholder for filler in fillers(meaning)}
    said: dict[str, int] = {}
    for word in words:
        if PREFIX in word:
            placeholder = word.removeprefix(JOINED)
            said[placeholder] = said.get(placeholder, 0) + 1
    missing = sum(placeholder not in said for placeholder in wanted)
    return missing + sum(count - (placeholder in wanted) for placeholder, count in said.items())


def make_judge(features: Iterable[str], words: Iterable[str]) -> SlotJudge:
    """The judge of a generator that knows these features of acts and words of sentences."""
    specials = {special for feature in features if (special := special_slot(feature))}
    if not specials:
        return SlotJudge()
    meaning = (Act("inform", tuple(sorted(specials, key=str))),)
    return SlotJudge(build_lexicon([meaning], [((), " ".join(words))]))


def rank(meaning: Meaning, drafts: Iterable[Draft], penalty: float, judge: SlotJudge) -> list[Sentence]:
    """The drafts as sentences, each text once, best first.

    The score of a draft is its log-probability per word less ``penalty`` times its slot errors per slot, so that a
    high penalty puts any draft with an error after all without one.
    """
    slots = max(sum(len(act.slots) for act in meaning), 1)
    scored: list[tuple[float, Sentence]] = []
    for draft in drafts:
        errors = judge.errors(meaning, draft.words)
        score = draft.logprob / draft.length - penalty * errors / slots
        text = speak(join_words(draft.words), meaning)
        scored.append((score, Sentence(text, draft.logprob, errors)))
    unique: dict[str, Sentence] = {}
    for _, sentence in sorted(scored, key=lambda pair: -pair[0]):
        unique.setdefault(sentence.text, sentence)
    return list(unique.values())
