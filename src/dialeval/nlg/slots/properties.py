"""Properties that a thing has or lacks: what a sentence says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.nlg.document import Finding
from dialeval.nlg.slots.lexicon import HAS, LACKS
from dialeval.nlg.slots.needs import Need
from dialeval.nlg.slots.negation import is_denied
from dialeval.nlg.slots.questions import asks_whether
from dialeval.nlg.slots.sentence import NEAR, Sentence


def mentions_of(sentence: Sentence, slot: str) -> list[tuple[bool, int, int]]:
    """Whether the sentence says that the thing has the property, for each mention of it; close ones are one."""
    mentions: list[tuple[bool, int, int]] = []
    occurrences = sorted(
        (occurrence.start, -occurrence.end, pair.value)
        for occurrence in sentence.occurrences
        for pair in occurrence.pairs
        if pair.slot == slot and pair.value in (HAS, LACKS)
    )
    for start, ending, sense in occurrences:
        end = -ending
        if not sentence.is_free(start, end):
            continue
        if mentions and start - mentions[-1][2] < NEAR:
            mentions[-1] = (mentions[-1][0], mentions[-1][1], max(end, mentions[-1][2]))
            continue
        denied = is_denied(sentence.text, sentence.tokens, start, end)
        # "Adults only" and "not only for adults" both speak of the opposite.
        mentions.append(((sense == HAS) != denied, start, end))
    return mentions


def judged_property(sentence: Sentence, need: Need, needs: Sequence[Need]) -> Iterator[Finding]:
    """Of a property: whether the sentence says that the thing has it.

    Where the act has both yes and no of one thing, a question about it offers both: "do you want kids allowed?"
    """
    both = any(other.slot == need.slot and other.pair != need.pair for other in needs)
    mentions = mentions_of(sentence, need.slot)
    right = [mention for mention in mentions if mention[0] == (need.sort == "yes")]
    if not mentions:
        yield Finding(need.slot, need.value, "missing")
        return
    if right and need.condition and not need.condition.intersection(sentence.tokens.words):
        yield Finding(need.slot, need.value, "missing")
        return
    if not right and both and _is_offered(sentence, need, needs, mentions):
        right = mentions
    if not right:
        spans = tuple(sentence.span(start, end) for _, start, end in mentions)
        yield Finding(need.slot, need.value, "wrong", spans)
        return
    for index, (_, start, end) in enumerate(right):
        yield Finding(need.slot, need.value, "repeated" if index else "said", (sentence.span(start, end),))
    for agrees, start, end in mentions:
        if agrees != right[0][0] and not both:
            yield Finding(need.slot, need.value, "added", (sentence.span(start, end),))


def _is_offered(
    sentence: Sentence, need: Need, needs: Sequence[Need], mentions: Sequence[tuple[bool, int, int]]
) -> bool:
    """Whether a question offers yes and no of the property; of two things that are compared each has its own."""
    opposite = any(other.slot == need.slot and {other.sort, need.sort} == {"yes", "no"} for other in needs)
    return (
        opposite
        and sum(other.is_name for other in needs) < 2
        and any(asks_whether(sentence.text, sentence.tokens, start, end) for _, start, end in mentions)
    )
