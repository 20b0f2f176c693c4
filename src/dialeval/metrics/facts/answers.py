"""Yes and no, clauses that deny or affirm something (English), names and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from dialeval.metrics.facts.passage import TITLES, Fact, Passage
from dialeval.text.english import PLAIN_WORDS, is_negation
from dialeval.text.tokenisers.porter import stem

_YES: Final = frozenset(
    {"yes", "yep", "yeah", "yup", "sure", "certainly", "absolutely", "definitely", "indeed"}
)
_NO: Final = frozenset({"no", "nope", "nah"})
_OPENING: Final = (
    "hi hello hey thanks thank you sorry oh well so i am i'm afraid unfortunately great good question "
    "asking for and"
)
_OPENERS: Final = frozenset(_OPENING.split())
_SUBJECTS: Final = frozenset({"i", "we", "you", "it", "they", "he", "she", "that", "this", "there"})
_CONTRAST: Final = frozenset({"but", "however", "although", "though", "while", "whereas", "because", "so"})
_MARKS: Final = frozenset(".;:!?,\n()—")
_OPEN: Final = frozenset({"if", "unless", "whether", "in case"})
"""Words of clauses that say what may be, not what is."""
_IDIOMS: Final = (
    *(
        ("no", "problem"),
        ("no", "worry"),
        ("no", "doubt"),
        ("not", "only"),
        ("not", "just"),
        ("no", "matter"),
    ),
    *(
        ("don't", "worry"),
        ("don't", "hesitate"),
        ("don't", "forget"),
        ("do", "not", "hesitate"),
        ("why", "not"),
    ),
    *(("do", "not", "worry"), ("can't", "wait"), ("not", "to", "worry"), ("not", "sure"), ("or", "not")),
    *(
        ("do", "not", "forget"),
        ("no", "later"),
        ("not", "yet", "sure"),
        ("don't", "mind"),
        ("no", "more", "than"),
    ),
    *(("without", "fail"), ("no", "one", "knows"), ("not", "at", "all")),
)
"""Denials that deny nothing."""
_LACKS: Final = {
    ("out", "of", "stock"): "available",
    ("sold", "out"): "available",
    ("closed",): "open",
    ("impossible",): "possible",
    ("unable",): "able",
    ("unavailable",): "available",
    ("free", "of", "charge"): "pay",
    ("free",): "pay",
    ("excluded",): "include",
}
"""Words that deny without a denial, and what they deny."""
_Phrase: TypeAlias = tuple[str, ...]


def _by_first(phrases: Iterable[_Phrase]) -> Mapping[str, tuple[_Phrase, ...]]:
    table: dict[str, tuple[_Phrase, ...]] = {}
    for phrase in phrases:
        table[phrase[0]] = (*table.get(phrase[0], ()), phrase)
    return table


_BY_IDIOM: Final = _by_first(_IDIOMS)
_BY_LACK: Final = _by_first(_LACKS)
_BEFORE_FREE: Final = "feel toll hand duty gluten sugar lactose tax"
_NOT_FREE: Final = frozenset((word,) for word in _BEFORE_FREE.split())
_SAME: Final = {
    **dict.fromkeys(("fee", "cost", "charge", "pay", "paid", "price", "payment"), "pay"),
    **dict.fromkeys(("ship", "shipping", "deliver", "delivery", "send", "delivered", "shipped"), "ship"),
    **dict.fromkeys(("stock", "available", "availability", "offer", "offered", "provide"), "available"),
    **dict.fromkeys(("allow", "allowed", "permit", "permitted", "accept", "accepted"), "allow"),
    **dict.fromkeys(("refundable", "refund", "refunded"), "refund"),
    **dict.fromkeys(("opened", "opening", "open"), "open"),
}
_AFFIRMED: Final = "available allow possible include refund open support eligible require cover"
_PREDICATES: Final = frozenset(map(stem, _AFFIRMED.split()))
"""Stems that make an affirmation a fact that a response has to keep."""
_MAY: Final = frozenset({"can", "may"})
_ACTIONS: Final = (
    "return exchange cancel bring park pay change reschedule book order reserve upgrade smoke swim borrow"
)
_PERMITTED: Final = frozenset(map(stem, _ACTIONS.split()))
"""Stems of what people ask permission for."""
_BEING: Final = frozenset({"is", "are", "be", "was", "were", "been", "they're", "you're", "we're"})
_EMPTY: Final = frozenset(
    {"longer", "currently", "anymore", "moment", "time", "need", "able", "get", "thing", "way"}
)


class Clause(NamedTuple):
    """A part of a sentence, and what it is about."""

    first: int
    last: int
    content: frozenset[str]
    """Stems of its words, small words left out."""
    denial: tuple[int, int] | None
    """The words that deny; None if it affirms."""
    said: bool
    """Whether it says what is, rather than asks or supposes."""
    sentence: int


def answer_in(passage: Passage) -> Fact | None:
    """The yes or no with which a text begins, after greetings and apologies."""
    for index, word in enumerate(passage.words[:8]):
        ends = passage.gap(index + 1).strip()[:1] in (",", ".", "!", ";", ":", "-", "–", "—") or (
            index + 1 == len(passage.words)
        )
        if word in _YES and (ends or word == "yes"):
            return passage.fact("answer", (index, index), ("yes",))
        if (word == "of" and passage.word(index + 1) == "course") or (
            word == "correct" and ends and not index
        ):
            return passage.fact("answer", (index, index + (word == "of")), ("yes",))
        if word in _NO and (ends or passage.word(index + 1) in _SUBJECTS):
            return passage.fact("answer", (index, index), ("no",))
        if (
            word == "not"
            and ends
            and passage.word(index - 1) in ("afraid", "unfortunately", "course", "sorry")
        ):
            return passage.fact("answer", (index, index), ("no",))
        if word not in _OPENERS:
            return None
    return None


def clauses_of(passage: Passage) -> list[Clause]:
    """The clauses of a text that are about something."""
    edges = [index for index in range(1, len(passage.words)) if _parts(passage, index)]
    clauses: list[Clause] = []
    sentence = 0
    for first, end in zip([0, *edges], [*edges, len(passage.words)], strict=True):
        if first and any(mark in passage.gap(first) for mark in ".!?\n"):
            sentence += 1
        if first < end and (clause := _clause(passage, first, end - 1, sentence)).content:
            clauses.append(clause)
    return clauses


def _parts(passage: Passage, index: int) -> bool:
    gap = passage.gap(index)
    return (gap != " " and not _MARKS.isdisjoint(gap)) or passage.words[index] in _CONTRAST


def _clause(passage: Passage, first: int, last: int, sentence: int) -> Clause:
    words = passage.words[first : last + 1]
    silent = {place for at, idiom in _found(words, _BY_IDIOM) for place in range(at, at + len(idiom))}
    denials = [(at, at) for at, word in enumerate(words) if is_negation(word) and at not in silent]
    lacking: set[str] = set()
    for at, phrase in _found(words, _BY_LACK):
        lacked = _LACKS[phrase]
        if phrase == ("free",) and (
            words[at - 1 : at] in _NOT_FREE or words[at + 1 : at + 2] in (("of",), ("from",), ("to",))
        ):
            continue
        if not any(at <= place[1] and place[0] < at + len(phrase) for place in denials):
            denials.append((at, at + len(phrase) - 1))
        lacking.add(stem(_SAME.get(lacked, lacked)))
    inside = {place for at, end in denials for place in range(at, end + 1)} | silent
    content = {_content(word) for at, word in enumerate(words) if at not in inside} - {""}
    asked = "?" in passage.gap(last + 1)
    denial = denials[0] if len(denials) % 2 else None
    return Clause(
        first,
        last,
        frozenset(content | lacking),
        None if denial is None else (first + denial[0], first + denial[1]),
        not asked and not _OPEN.intersection(words),
        sentence,
    )


def _found(
    words: tuple[str, ...], phrases: Mapping[str, tuple[_Phrase, ...]]
) -> Iterator[tuple[int, _Phrase]]:
    """Yield the place of each of the phrases; those that begin with the same word in their order."""
    for at, word in enumerate(words):
        for phrase in phrases.get(word, ()):
            if words[at : at + len(phrase)] == phrase:
                yield at, phrase


@lru_cache(maxsize=50_000)
def _content(word: str) -> str:
    """The stem of a word that says what a clause is about; empty of others."""
    if word in PLAIN_WORDS or word in _EMPTY or len(word) < 3 or not word.isalpha():
        return ""
    return stem(_SAME.get(word, word))


def statements_of(passage: Passage, clauses: list[Clause]) -> Iterator[Fact]:
    """Denials, and affirmations that something is available, allowed, included or the like."""
    for clause in clauses:
        if not clause.said:
            continue
        if clause.denial is not None:
            last = min(clause.last, max(clause.denial[1], clause.denial[0] + 2))
            yield passage.fact("denial", (clause.denial[0], last), tuple(sorted(clause.content)))
        elif clause.content & _PREDICATES and len(clause.content) > 1 and _has(passage, clause, _BEING):
            yield passage.fact("claim", (clause.first, clause.last), tuple(sorted(clause.content)))


def permissions_of(passage: Passage, clauses: list[Clause]) -> Iterator[Fact]:
    """Affirmations that somebody may do something, as in "you can pay by card": facts of a text without others."""
    for clause in clauses:
        permitted = clause.said and clause.denial is None and clause.content & _PERMITTED
        if permitted and len(clause.content) > 1 and _has(passage, clause, _MAY):
            yield passage.fact("claim", (clause.first, clause.last), tuple(sorted(clause.content)))


def _has(passage: Passage, clause: Clause, verbs: frozenset[str]) -> bool:
    """True if the clause has one of these verbs: "the pool is open", "you can pay", and not "we open at nine"."""
    return not verbs.isdisjoint(passage.words[clause.first : clause.last + 1])


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
    # "Ask Mr Smith": what stands before a title is no part of the name.
    first = max((at + 1 for at in range(first, last) if passage.words[at] in TITLES), default=first)
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
