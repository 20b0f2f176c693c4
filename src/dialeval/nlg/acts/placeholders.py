"""Delexicalised sentences: values replaced by the names of their slots, the inverse, and their words.

Also the spelling into which RNNLG brings sentences before it trains and scores (facts of its loader, Wen et al. 2016).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import BadInput
from dialeval.nlg.acts.types import Meaning, slots_of

PREFIX: Final = "SLOT_"
_PLACEHOLDER: Final = re.compile(r"SLOT_[A-Z0-9_]+")
_NOT_WORD: Final = re.compile(r"[^A-Z0-9]+")
_NUMBERED: Final = re.compile(r"_\d+$")
_JOINED: Final = re.compile(r" (and|or) ")
_SAID: Final = {"DONTCARE": "any", "NONE": "no", "NO": "no"}
_ARTICLES: Final = frozenset({"a", "an", "the", "i", "it"})
"""Values that are also words of any sentence, such as the eco rating ``a``: replaced beside the slot's name only."""
_REACH: Final = 3
"""Most words between such a value and a word of the slot's name."""

Loss: TypeAlias = Literal["placeholder in the sentence", "value in another order"]
"""Reason why a sentence cannot be had back from the delexicalised one and the act."""


class Filler(NamedTuple):
    """A placeholder, and the value of the act that belongs there."""

    placeholder: str
    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class DelexicalisedSentence:
    """A sentence with placeholders."""

    text: str
    absent: tuple[Filler, ...]
    """Those of the act's values that do not stand in the sentence as they are written in the act."""
    loss: Loss | None
    """Reason why ``lexicalise`` does not give the sentence back, or None if it does."""


@lru_cache(maxsize=50_000)
def fillers(meaning: Meaning, keep: Collection[str] = frozenset()) -> tuple[Filler, ...]:
    """The placeholder of each value: ``SLOT_NAME``, for a slot's second value ``SLOT_NAME_2``.

    Special values (yes, no, dontcare, none), empty ones, and slots in ``keep`` have none.
    """
    counts: Counter[str] = Counter()
    named: list[Filler] = []
    for slot in slots_of(meaning):
        if not slot.value or not slot.value.strip() or slot.special or slot.name in keep:
            continue
        name = _named(slot.name)
        counts[name] += 1
        suffix = f"_{counts[name]}" if counts[name] > 1 else ""
        named.append(Filler(f"{PREFIX}{name}{suffix}", slot.name, slot.value))
    return tuple(named)


def delexicalise(
    meaning: Meaning, sentence: str, *, keep: Collection[str] = frozenset(), orders: bool = False
) -> DelexicalisedSentence:
    """The sentence with every value replaced by its placeholder, the longest value first, as whole words.

    With ``orders``, a value such as ``a and b`` is also found as ``b and a`` (or with ``or``), as RNNLG does; the order
    is then lost. If two slots share a value, its occurrences go to them in the order of the act.
    """
    text, absent, reordered = sentence, [], False
    if _PLACEHOLDER.search(text):
        return DelexicalisedSentence(
            sentence, fillers(meaning, frozenset(keep)), "placeholder in the sentence"
        )
    for same in _by_length(fillers(meaning, frozenset(keep))):
        for spelling in _spellings(same[0].value) if orders else (same[0].value,):
            replaced = _replace(text, spelling, same)
            if replaced != text:
                reordered |= spelling != same[0].value
                text = replaced
                break
        absent += [filler for filler in same if not _holds(text, filler.placeholder)]
    return DelexicalisedSentence(text, tuple(absent), "value in another order" if reordered else None)


def lexicalise(text: str, meaning: Meaning, *, keep: Collection[str] = frozenset()) -> str:
    """The sentence with the act's values in place of the placeholders; one that the act does not have stays."""
    values = {filler.placeholder: filler.value for filler in fillers(meaning, frozenset(keep))}
    return _PLACEHOLDER.sub(lambda match: values.get(match[0], match[0]), text)


def speak(text: str, meaning: Meaning) -> str:
    """As `lexicalise`, for readers: a placeholder that the act has no value for becomes a word.

    That word is *any* for a slot with ``dontcare``, *no* for ``no`` and ``none``, and else the slot's name.
    """
    special = {
        _named(slot.name): _SAID.get(_NOT_WORD.sub("", (slot.value or "").upper()), "")
        for slot in slots_of(meaning)
    }

    def word(match: re.Match[str]) -> str:
        name = _NUMBERED.sub("", match[0].removeprefix(PREFIX))
        return special.get(name) or name.lower().replace("_", " ")

    return _PLACEHOLDER.sub(word, lexicalise(text, meaning))


def _named(slot: str) -> str:
    return _NOT_WORD.sub("_", slot.upper()).strip("_")


def _by_length(given: Sequence[Filler]) -> Iterable[list[Filler]]:
    """Fillers that share a value together, the longest value first."""
    groups: dict[str, list[Filler]] = {}
    for filler in given:
        groups.setdefault(filler.value, []).append(filler)
    return sorted(groups.values(), key=lambda group: -len(group[0].value))


def _spellings(value: str) -> Iterable[str]:
    """The value, then its parts in other orders, joined by ``and`` or ``or``."""
    yield value
    parts = _JOINED.split(value)[::2]
    if 1 < len(parts) <= 4:
        for joint in (" and ", " or "):
            yield from (other for order in permutations(parts) if (other := joint.join(order)) != value)


def _replace(text: str, value: str, same: Sequence[Filler]) -> str:
    pattern = _pattern(value)
    if value.lower() in _ARTICLES:
        place = _beside_its_name(text, pattern, same[0].slot)
        return text if place is None else text[: place[0]] + same[0].placeholder + text[place[1] :]
    count = 0

    def placeholder(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return same[min(count, len(same)) - 1].placeholder

    return pattern.sub(placeholder, text)


@lru_cache(maxsize=50_000)
def _pattern(value: str) -> re.Pattern[str]:
    """The value as whole words; never inside a placeholder, whose letters are capitals after ``SLOT_``."""
    return re.compile(rf"(?<![\w]){re.escape(value)}(?!\w|\+)")


def _holds(text: str, placeholder: str) -> bool:
    return re.search(rf"{placeholder}(?![A-Z0-9_])", text) is not None


def _beside_its_name(text: str, pattern: re.Pattern[str], slot: str) -> tuple[int, int] | None:
    """The occurrence of an everyday word that is closest to a word of the slot's name, if any is close."""
    words = [(match.start(), match[0].lower()) for match in re.finditer(r"\S+", text)]
    squeezed = re.sub(r"\W", "", slot.lower())
    named = [index for index, (_, word) in enumerate(words) if len(word) > 2 and word.strip(".,") in squeezed]
    best: tuple[int, int, int] | None = None
    for match in pattern.finditer(text):
        index = sum(start < match.end() for start, _ in words) - 1
        distance = min((abs(index - place) for place in named), default=_REACH + 1)
        if distance <= _REACH and (best is None or distance < best[0]):
            best = (distance, match.start(), match.end())
    return None if best is None else best[1:]


JOINED: Final = "##"
"""Mark of a word that has no space before it."""
_PIECES: Final = re.compile(
    r"SLOT_[A-Z0-9_]+|[.,;:!?()\"]|(?:(?!SLOT_[A-Z0-9])[^.,;:!?()\"]|[.,:](?<=\d.)(?=\d))+"
)
"""A placeholder, a mark, or a run of anything else; a mark between digits is part of the number."""


def split_words(text: str) -> tuple[str, ...]:
    """The words of a sentence; marks and placeholders are words, whatever they are attached to.

    >>> split_words("try SLOT_NAME, it is cheap.")
    ('try', 'SLOT_NAME', '##,', 'it', 'is', 'cheap', '##.')
    """
    words: list[str] = []
    for run in text.split():
        first, *rest = _PIECES.findall(run)
        words += [first, *(JOINED + piece for piece in rest)]
    return tuple(words)


def join_words(words: Iterable[str]) -> str:
    """The sentence of these words.

    >>> join_words(("try", "SLOT_NAME", "##,", "it", "is", "cheap", "##."))
    'try SLOT_NAME, it is cheap.'
    """
    text = ""
    for word in words:
        joined = word.startswith(JOINED) and len(word) > len(JOINED)
        text += word.removeprefix(JOINED) if joined else f" {word}"
    return text.strip()


_CONTRACTIONS: Final = {
    "can't": "cannot",
    "won't": "will not",
    "i'm": "i am",
    "it's": "it is",
    "that's": "that is",
    "what's": "what is",
    "there's": "there is",
    "here's": "here is",
    "let's": "let us",
}
_ENDINGS: Final = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'d", " would"))
_FINAL: Final = re.compile(r"(?<!\s)\s*[.?!]\s*$")
_MARKS: Final = re.compile(r"(?:(?<!\s)\s+)?([?!,]|\.(?!\d))\s*")
_POSSESSIVE: Final = re.compile(r"(?<=\w)'s\b")
_PHONE: Final = re.compile(r"\(?\b(\d{3})\)?[ .-]+(\d{3})[ .-]+(\d{4})\b")
_SPACES: Final = re.compile(r"\s+")


def normalise(sentence: str, mapping: dict[str, str] | None = None) -> str:
    """A sentence in RNNLG's spelling.

    Lower case; phone numbers joined; ``/`` as ``and``; ``? . , !`` and ``'s`` apart; contractions written out; a final
    full stop, question or exclamation mark dropped; then the words of ``mapping`` replaced (``read_mapping``).

    >>> normalise("It's at 415 282-8283, isn't it?")
    'it is at 4152828283 , is not it'
    """
    text = _FINAL.sub("", sentence.lower().replace("’", "'"))
    text = _PHONE.sub(r"\1\2\3", text).replace("/", " and ")
    text = _MARKS.sub(r" \1 ", text)
    words = [written for word in text.split() for written in _written_out(word).split()]
    text = _POSSESSIVE.sub(" 's", " ".join(words))
    if mapping:
        text = " ".join(mapping.get(word, word) for word in text.split())
    return _SPACES.sub(" ", text).strip()


def _written_out(word: str) -> str:
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    for ending, full in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending) + full
    return word


def read_mapping(path: Path) -> dict[str, str]:
    """A table of words and what replaces them, parted by a tab, one pair a line (RNNLG's ``mapping.pair``)."""
    mapping: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        word, tab, replacement = line.partition("\t")
        if not tab or not word.strip():
            raise BadInput(
                str(path), repr(line[:60]), "word<tab>replacement", "Separate them by a tab.", line=number
            )
        mapping[word.strip()] = replacement.strip()
    return mapping
