"""Matcher of acts and sentences: which slots were said, left out, said wrongly, added or said twice, and where."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from dialeval.nlg.acts.types import Meaning, slots_of
from dialeval.nlg.document import Finding
from dialeval.nlg.slots.amounts import Amount, amounts_in
from dialeval.nlg.slots.lexicon import GENERAL, HAS, LACKS, Lexicon, Occurrence, Pair
from dialeval.nlg.slots.needs import Need, checked_needs, find_hours, other_hours
from dialeval.nlg.slots.negation import says_absence
from dialeval.nlg.slots.phrases import ARTICLES, DEGREES, SLIGHT
from dialeval.nlg.slots.refutation import refute
from dialeval.nlg.slots.sentence import FAR, Sentence, judged_property, mentions_of
from dialeval.text.spelling import Words

_PUNCTUATION: Final = re.compile(r"[^a-z0-9]")
_LONG: Final = 7
"""A number of this many digits is a phone number or the like, whatever stands beside it."""


def match(lexicon: Lexicon, meaning: Meaning, text: str) -> list[Finding]:
    """Findings for every slot of the act, then for what was added, in the order of the act and of the sentence.

    A word belongs to one value only: the longest values come first, and if several slots share a value, it goes to
    the slot whose keyword is closest. A value is wrong if the sentence lacks it and has another known value of the
    slot (or a number of the same shape); it is added if the act has no such value.
    """
    sentence = Sentence.of(lexicon, text)
    needs = checked_needs(lexicon, meaning)
    plain = {need.pair: need for need in needs if need.sort == "plain"}
    _assign(sentence, plain)
    for need in plain.values():
        if need.pair not in sentence.hits:
            _search(sentence, need)
    refute(sentence, needs, meaning)
    findings = [finding for need in needs for finding in _judged(sentence, need, needs)]
    named = {slot.name for slot in slots_of(meaning)}
    findings += _added(sentence, named - {need.slot for need in plain.values()}, named)
    return findings


def _assign(sentence: Sentence, plain: dict[Pair, Need]) -> None:
    """Give every occurrence of a value that the act has to a slot, the longest first."""
    for occurrence in sentence.occurrences:
        start, end, pairs = occurrence
        options = [pair for pair in pairs if pair in plain]
        if not options or not sentence.is_free(start, end):
            continue
        chosen: Pair | None = options[0]
        if sentence.is_article(start, end):
            chosen = _beside_its_name(sentence, occurrence, options[0])
        elif len(pairs) > 1 and len({pair.slot for pair in pairs}) > 1:
            chosen = _closest(sentence, occurrence, options)
        if chosen is None:
            continue
        sentence.take(start, end)
        sentence.hits.setdefault(chosen, []).append(occurrence)


def _closest(sentence: Sentence, occurrence: Occurrence, options: Sequence[Pair]) -> Pair | None:
    """The slot to which a shared value belongs; None if a keyword shows that it is none of the act's."""
    start, end, pairs = occurrence
    away = {pair: sentence.distance(pair.slot, start, end) for pair in pairs}
    nearest = min(away.values())
    word = sentence.tokens.words[start]
    unclear = end - start == 1 and (word in DEGREES or word[0].isdigit())
    if unclear and nearest < FAR and all(away[pair] > nearest for pair in options):
        return None  # "high" beside "price" is not a rating; other values are telling enough by themselves
    return min(options, key=lambda pair: (len(sentence.hits.get(pair, ())), away[pair], options.index(pair)))


def _beside_its_name(sentence: Sentence, occurrence: Occurrence, pair: Pair) -> Pair | None:
    """The slot of a value that is also an article, if its name is close; the last one before the name is meant."""
    start, end, _ = occurrence
    keywords, words = sentence.lexicon.keywords.get(pair.slot, frozenset()), sentence.tokens.words
    before, after = words[max(0, start - 3) : start], words[end : end + 2]
    is_close = bool(keywords & {*before, *after}) and not (after and after[0] in ARTICLES)
    return pair if is_close and pair not in sentence.hits else None


def _search(sentence: Sentence, need: Need) -> None:
    """Look for a value that is not said as it is written: its ends, its parts, or the letters of a code."""
    if need.hours:
        ends = find_hours(sentence.text, sentence.tokens, need.hours)
        if ends and all(sentence.is_free(end, end + 1) for end in ends):
            for end in ends:
                sentence.take(end, end + 1)
            sentence.hits[need.pair] = [Occurrence(ends[0], ends[1] + 1, ())]
    elif need.amount and (place := _amount(sentence, need.amount, equal=True)):
        sentence.hits[need.pair] = [Occurrence(*place, ())]
    elif (need.parts or need.cuts) and (places := _parted(sentence, need)):
        for start, end in places:
            sentence.take(start, end)
        sentence.hits[need.pair] = [Occurrence(start, end, ()) for start, end in places[:1]]
    elif need.compact and (place := _coded(sentence, need.compact)):
        sentence.take(*place)
        sentence.hits[need.pair] = [Occurrence(*place, ())]


def _amount(sentence: Sentence, amount: Amount, *, equal: bool) -> tuple[int, int] | None:
    """Words that no value has and that say this amount, in any unit, or another one of the kind; they are taken."""
    for start, end, said in amounts_in(sentence.tokens, amount.dimension):
        if (said == amount) is equal and sentence.is_free(start, end):
            sentence.take(start, end)
            return start, end
    return None


def _coded(sentence: Sentence, code: str) -> tuple[int, int] | None:
    """Place of the letters and digits of a code, spaced in any way, in words ("five") or as they are written."""
    tokens, text = sentence.tokens, sentence.text.lower()
    said = [word.replace(".", "") for word in tokens.words]
    if code in "".join(said) and (place := _joined(sentence, said, code)):
        return place
    if code not in _PUNCTUATION.sub("", text):
        return None
    # A number of few digits has lost its zeros among the words: 020 7946 0958.
    written = [
        _PUNCTUATION.sub("", text[start:end]) for start, end in zip(tokens.starts, tokens.ends, strict=True)
    ]
    return _joined(sentence, written, code)


def _joined(sentence: Sentence, parts: Sequence[str], code: str) -> tuple[int, int] | None:
    """The first parts that no value has and that make up the code."""
    for start in range(len(parts)):
        joined = ""
        for end in range(start, len(parts)):
            joined += parts[end]
            if joined == code and sentence.is_free(start, end + 1):
                return start, end + 1
            if not code.startswith(joined):
                break
    return None


def _parted(sentence: Sentence, need: Need) -> list[tuple[int, int]]:
    """Places of the parts of a value, or of the two parts of an address; none if one of them is absent."""
    found = (_places(sentence, parts) for parts in (need.parts, *need.cuts))
    return next(filter(None, found), [])


def _places(sentence: Sentence, parts: Sequence[Words]) -> list[tuple[int, int]]:
    """Place of each part of a value; nothing if one of them is absent."""
    words = sentence.tokens.words
    places: list[tuple[int, int]] = []
    for part in parts:
        size = len(part)
        for start in range(len(words) - size + 1):
            if words[start : start + size] == part and sentence.is_free(start, start + size):
                places.append((start, start + size))
                break
        else:
            return []
    return places


def _judged(sentence: Sentence, need: Need, needs: Sequence[Need]) -> Iterator[Finding]:
    if need.sort == "either":
        mentions = mentions_of(sentence, need.slot)
        spans = tuple(sentence.span(start, end) for _, start, end in mentions[:1])
        yield Finding(need.slot, need.value, "said" if mentions else "missing", spans)
    elif need.sort in ("yes", "no"):
        yield from judged_property(sentence, need, needs)
    elif need.sort in ("dontcare", "none"):
        yield _judged_absence(sentence, need, needs)
    elif hits := sorted(sentence.hits.get(need.pair, ())):
        first, again = hits[: need.times], hits[need.times :]
        yield Finding(
            need.slot, need.value, "said", tuple(sentence.span(hit.start, hit.end) for hit in first)
        )
        if len(first) < need.times:
            yield from (Finding(need.slot, need.value, "missing") for _ in range(need.times - len(first)))
        if need.is_name:
            again = [
                hit
                for hit, before in zip(again, hits[need.times - 1 :], strict=False)
                if _is_close(sentence, before, hit)
            ]
        yield from (
            Finding(need.slot, need.value, "repeated", (sentence.span(hit.start, hit.end),)) for hit in again
        )
    elif denied := sentence.refuted.get(need.pair):
        spans = tuple(sentence.span(hit.start, hit.end) for hit in denied[:1])
        yield Finding(need.slot, need.value, "wrong", spans)
    else:
        other = _other_value(sentence, need, needs)
        spans = () if other is None else (sentence.span(*other),)
        yield Finding(need.slot, need.value, "missing" if other is None else "wrong", spans)


def _is_close(sentence: Sentence, before: Occurrence, again: Occurrence) -> bool:
    """Whether a name is said again within a sentence; another sentence may well begin with it."""
    gap = sentence.text[sentence.tokens.ends[before.end - 1] : sentence.tokens.starts[again.start]]
    return not any(mark in gap for mark in ".!?;")


def _other_value(sentence: Sentence, need: Need, needs: Sequence[Need]) -> tuple[int, int] | None:
    """Another known value of the slot that stands in the sentence, or a number of the same shape."""
    wanted = {other.pair for other in needs}
    for start, end, pairs in sentence.occurrences:
        mine = [pair for pair in pairs if pair.slot == need.slot and pair not in wanted]
        if not mine or not sentence.is_free(start, end) or sentence.is_article(start, end):
            continue
        if len({pair.slot for pair in pairs}) > 1:
            away = {pair.slot: sentence.distance(pair.slot, start, end) for pair in pairs}
            if away[need.slot] > min(away.values()):
                continue
        sentence.take(start, end)
        return start, end
    if need.hours and (place := other_hours(sentence.text, sentence.tokens, need.hours)):
        return place if sentence.is_free(place[0], place[0] + 1) else None
    if need.amount and (place := _amount(sentence, need.amount, equal=False)):
        return place
    for shape in need.shapes:
        if place := _alike(sentence, need, shape):
            return place
    return None


def _alike(sentence: Sentence, need: Need, shape: Words) -> tuple[int, int] | None:
    """Words of the same shape that no value has, which are taken."""
    words, size = sentence.tokens.words, len(shape)
    for start in range(len(words) - size + 1):
        found = tuple("#" if word[0].isdigit() else word for word in words[start : start + size])
        if found == shape and sentence.is_free(start, start + size):
            if size == 1 and not _is_alike(sentence, need, start):
                continue
            sentence.take(start, start + size)
            return start, start + size
    return None


def _is_alike(sentence: Sentence, need: Need, start: int) -> bool:
    """Whether a number may stand for another one: beside the slot's name, or as long as that of a phone number."""
    word = sentence.tokens.words[start]
    if len(need.compact) >= _LONG and len(word) == len(need.compact):
        return True
    return sentence.distance(need.slot, start, start + 1) < FAR


def _judged_absence(sentence: Sentence, need: Need, needs: Sequence[Need]) -> Finding:
    """Of a slot that does not matter or has no value: whether the sentence says so, of this slot if it names any."""
    words = sentence.tokens.words
    alike = sum(other.sort == need.sort for other in needs)
    places = [index for index in range(len(words)) if says_absence(words, index, need.sort)]
    names = sentence.lexicon.keywords.get(need.slot, frozenset())
    named = any(word in names for word in words) or bool(mentions_of(sentence, need.slot))
    if places and (named or alike == 1):
        return Finding(need.slot, need.value, "said", (sentence.span(places[0], places[0] + 1),))
    other = _other_value(sentence, need, needs)
    if other is not None:
        return Finding(need.slot, need.value, "wrong", (sentence.span(*other),))
    return Finding(need.slot, need.value, "missing")


def _added(sentence: Sentence, open_slots: Collection[str], named: Collection[str]) -> Iterator[Finding]:
    """Values that the act does not have, and properties of which it does not speak, each once.

    Of slots that the act asks for or leaves open, any value may be said: "breakfast, lunch or dinner?"
    """
    seen: set[Pair] = set()
    for start, end, pairs in sentence.occurrences:
        if not sentence.is_free(start, end):
            continue
        pair = _telling(sentence, start, end, pairs)
        if pair is None or pair.slot in open_slots or (pair.slot in named and pair.value in (HAS, LACKS)):
            continue
        sentence.take(start, end)
        key = Pair(pair.slot, HAS) if pair.value in (HAS, LACKS) else pair
        if key not in seen:
            seen.add(key)
            span = sentence.span(start, end)
            yield Finding(pair.slot, span.text, "added", (span,))


def _telling(sentence: Sentence, start: int, end: int, pairs: Iterable[Pair]) -> Pair | None:
    """Pair that words outside the act say, or None if they may be everyday words."""
    words = sentence.tokens.words[start:end]
    known = [
        pair for pair in pairs if pair not in sentence.lexicon.common and not pair.value.startswith(GENERAL)
    ]
    if not known or (len(words) == 1 and (len(words[0]) < 3 or words[0] in SLIGHT)):
        return None
    away = {pair: sentence.distance(pair.slot, start, end) for pair in known}
    pair = min(known, key=lambda one: (away[one], one))
    shared = len({other.slot for other in pairs}) > 1
    # A bare number, or a word that several slots share, says something beside a keyword only.
    if (shared or all(word[0].isdigit() for word in words)) and away[pair] == FAR:
        return None
    return pair
