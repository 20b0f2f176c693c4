"""Names of a text, and addresses: of mail, of pages, of telephones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dialeval.metrics.facts.passage import TITLES, Fact, Passage
from dialeval.text.spelling.function_words import PLAIN_WORDS

# Each begins where its run of characters does, so that a long run is looked at once.
_ADDRESS: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<!\w)(?:https?://|www\.)[^\s<>()\"']+"
    r"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|co|de|uk|fr|eu)\b(?:/[^\s<>()\"']*)?"
)
_PHONE: Final = re.compile(r"(?<![\w.])\+?\(?\d[\d ().\-]{5,}\d(?![\w%])")
_CODE: Final = re.compile(r"(?<![\w-])(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*\b")
_NOT_NAMED: Final = (
    "i i'm i'll i've i'd sir madam ma'am ok please thank thanks hi hello dear sorry free important note faq id url pdf "
    "tv am pm welcome good best regards"
)
_NO_NAMES: Final = PLAIN_WORDS | frozenset(_NOT_NAMED.split())


def addresses_in(passage: Passage) -> Iterator[Fact]:
    """Addresses of mail and pages, telephone numbers, and codes of capitals and digits."""
    for match in _ADDRESS.finditer(passage.plain):
        written = match[0].rstrip(".,;:!?")
        bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", written.lower()).rstrip("/")
        span = (match.start(), match.start() + len(written))
        passage.take_span(*span)
        yield Fact("address", passage.text[span[0] : span[1]], *span, (bare,), "@" if "@" in bare else "/")
    for match in _PHONE.finditer(passage.plain):
        digits = re.sub(r"\D", "", match[0])
        dated = re.match(r"\d{4}-\d{2}-\d{2}", match[0]) or re.match(r"\d{1,2}\.\d{1,2}\.\d{4}$", match[0])
        parted = re.search(r"\d[ ().\-]+\d", match[0]) and not re.fullmatch(r"[\d.]+", match[0])
        whole = match[0].startswith(("+", "0")) and len(digits) > 8
        if 7 <= len(digits) <= 15 and (parted or whole) and not dated and passage.free_span(*match.span()):
            passage.take_span(*match.span())
            yield Fact(
                "address", passage.text[match.start() : match.end()], *match.span(), (digits,), "phone"
            )
    for match in _CODE.finditer(passage.plain):
        if passage.free_span(*match.span()):
            passage.take_span(*match.span())
            value = (re.sub(r"\W", "", match[0]).lower(),)
            yield Fact("address", passage.text[match.start() : match.end()], *match.span(), value, "code")


def names_in(passage: Passage) -> Iterator[Fact]:
    """Words with capitals inside a sentence, next to each other as one name; at its start they only confirm.

    A first word counts if another name follows it, or if it has capitals inside (PayPal, USB).
    """
    if _shouts(passage):
        return
    index = 0
    while index < len(passage.words):
        if not _is_name(passage, index):
            index += 1
            continue
        first = index
        while _continues(passage, index + 1):
            index += 1
        yield _name(passage, first, index)
        index += 1


def _name(passage: Passage, first: int, last: int) -> Fact:
    soft = passage.starts_sentence(first) and first == last and not _marked(passage.written(first))
    while first < last and passage.words[first] in TITLES:
        first += 1
    words = tuple(passage.words[first : last + 1])
    before = passage.word(first - 1) if passage.joined(first) else ""
    if not soft:
        passage.take(first, last)
    return passage.fact("name", (first, last), words, before, soft=soft)


def _continues(passage: Passage, index: int) -> bool:
    """Whether a word continues the name before it."""
    if index >= len(passage.words) or not _is_name(passage, index):
        return False
    return passage.gap(index) in (" ", "\u00a0") or (
        passage.gap(index) == ". " and passage.word(index - 1) in TITLES
    )


def _is_name(passage: Passage, index: int) -> bool:
    if passage.taken[index] or passage.words[index] in _NO_NAMES or not passage.words[index][0].isalpha():
        return False
    written = passage.written(index)
    return written[0].isupper() or _marked(written)


def _marked(written: str) -> bool:
    """Whether a word has capitals after its first letter."""
    return any(letter.isupper() for letter in written[1:])


def _shouts(passage: Passage) -> bool:
    """Whether the text is in capitals, which then show no names."""
    letters = [letter for letter in passage.text if letter.isalpha()]
    return bool(letters) and sum(map(str.isupper, letters)) > 0.5 * len(letters) and len(letters) > 12
