"""Yes and no, and clauses that deny or affirm something (English)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from dialeval.metrics.facts.passage import Fact, Passage
from dialeval.text.spelling.denials import is_negation
from dialeval.text.spelling.function_words import PLAIN_WORDS
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
"""What an affirmation must say of something, in stems, to be a fact that a response has to keep."""
_MAY: Final = frozenset({"can", "may"})
_ACTIONS: Final = (
    "return exchange cancel bring park pay change reschedule book order reserve upgrade smoke swim borrow"
)
_PERMITTED: Final = frozenset(map(stem, _ACTIONS.split()))
"""What people ask whether they may, in stems."""
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
    """The words that deny; None where it affirms."""
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
    """Where each of the phrases stands; those that begin with the same word in their order."""
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
