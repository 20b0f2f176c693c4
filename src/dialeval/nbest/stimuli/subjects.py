"""Subject and first verb of a statement, as far as tags show them; statements they do not show are left out.

The thesis reads subjects from spaCy's dependencies. Tags alone suffice for plain statements: what stands before the
first finite verb must be one noun phrase, and must agree with the verb in number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from dialeval.nbest.stimuli.sentence import Sentence, Word
from dialeval.nbest.stimuli.verbs import BE, DO, HAVE, is_past, is_present, is_third_person

FINITE: Final = frozenset(("VB", "VBP", "VBZ", "VBD", "MD"))
ADVERBS: Final = frozenset(("RB", "RBR", "RBS"))
NOMINATIVE: Final = frozenset(("i", "we", "you", "he", "she", "it", "they"))
Number: TypeAlias = Literal["singular", "plural", "either"]
Fault: TypeAlias = Literal["no-verb", "several-subjects", "unclear-subject", "agreement", "verb-form"]

_LETTERS: Final = {
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "N"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "J"),
    **dict.fromkeys(("RB", "RBR", "RBS"), "R"),
    **dict.fromkeys(("DT", "PDT"), "D"),
    "PRP": "P",
    "PRP$": "p",
    "EX": "E",
    "CD": "C",
    "VBG": "G",
    "VBN": "V",
    "POS": "s",
}
_PREPOSITIONS_LIST: Final = """
of in on at from with for about to by near between under over inside behind within among across
"""
_PREPOSITIONS: Final = frozenset(_PREPOSITIONS_LIST.split())
_CLAUSES_LIST: Final = """
that who whom whose which when where while because if although though since than
"""
_CLAUSES: Final = frozenset(_CLAUSES_LIST.split())
_MODIFIED: Final = r"(?:R?[JV]|[CNGs])*N"
_NOUNS: Final = rf"(?:R?[DpC]{{0,3}}J?{_MODIFIED}|[DC]{{1,2}}|J|P)"
_SUBJECT: Final = re.compile(rf"(?:E|G?{_NOUNS}?(?:I{_NOUNS})*|G(?:I{_NOUNS})*)")
_PLURAL_WORDS_LIST: Final = """
people police many most few several both these those others all some
"""
_PLURAL_WORDS: Final = frozenset(_PLURAL_WORDS_LIST.split())
_QUANTITIES_LIST: Final = """
lot lots number majority minority variety pair handful rest bunch couple
"""
_QUANTITIES: Final = frozenset(_QUANTITIES_LIST.split())
_SINGULAR_PRONOUNS_LIST: Final = """
he she it this that everyone everybody someone somebody anyone anybody everything something each one
"""
_SINGULAR_PRONOUNS: Final = frozenset(_SINGULAR_PRONOUNS_LIST.split())


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement whose subject and first verb are known."""

    words: Sentence
    """Without the final full stop, tags corrected."""
    verb: int
    """The place of the first finite verb or modal."""

    @property
    def subject(self) -> Sentence:
        """What stands before the verb, adverbs included."""
        return self.words[: self.verb]


def clause_of(sentence: Sentence) -> Clause | Fault:
    """The clause that a statement consists of, or why its subject and verb are not known."""
    words = _corrected([word for word in sentence if word.text != "."])
    verb = next((index for index, word in enumerate(words) if word.tag in FINITE), None)
    if not verb:
        return "no-verb"
    before = words[:verb]
    if any(word.tag in ("WDT", "WP", "WP$", "WRB") or word.lower in _CLAUSES for word in before[1:]):
        return "several-subjects"
    if any(_begins_a_clause(first, second) for first, second in pairwise(before)):
        return "several-subjects"
    if not _SUBJECT.fullmatch(_letters(before)) or _hides_a_verb(before):
        return "unclear-subject"
    if not any(word.tag.startswith(("NN", "PRP", "EX", "VBG", "DT", "CD")) for word in before):
        return "unclear-subject"
    form = _by_form(words[verb])
    if form is None or (form.tag == "VB" and words[verb - 1].tag in ("TO", "MD")):
        return "verb-form"
    words[verb] = form
    return Clause(tuple(words), verb) if _agrees(before, words[verb]) else "agreement"


def _by_form(verb: Word) -> Word | None:
    """The verb with a tag that its form can have; None where it can have none."""
    lower = verb.lower
    if verb.tag == "MD" or lower in BE or lower in HAVE or lower in DO:
        return verb
    forms = {"VB": is_present, "VBP": is_present, "VBZ": is_third_person, "VBD": is_past}
    if forms[verb.tag](lower):
        return verb
    other = next((tag for tag in ("VBD", "VBZ", "VBP") if forms[tag](lower)), None)
    return verb._replace(tag=other) if other else None


def _begins_a_clause(before: Word, word: Word) -> bool:
    """Whether the word is the subject of a clause within the subject, as in "the man I know"."""
    return word.tag == "PRP" and word.lower in NOMINATIVE and before.lower not in _PREPOSITIONS


def _hides_a_verb(subject: Sequence[Word]) -> bool:
    """Whether a plural noun in the subject may be its verb, as in "table 42 shows deductions"."""
    return any(
        before.tag in ("NN", "NNP", "CD")
        and word.tag == "NNS"
        and is_third_person(word.lower)
        and after.tag.startswith(("NN", "JJ", "DT", "PRP"))
        for before, word, after in zip(subject, subject[1:], subject[2:], strict=False)
    )


def _letters(words: Sequence[Word]) -> str:
    """The shape of a subject; adverbs before the verb do not matter to it."""
    kept = list(words)
    while len(kept) > 1 and kept[-1].tag in ADVERBS:
        kept.pop()
    return "".join(_letter(word, first=not index) for index, word in enumerate(kept))


def _letter(word: Word, *, first: bool) -> str:
    if word.lower in _PREPOSITIONS:
        return "I"
    return "N" if word.lower in ("one", "ones") and not first else _LETTERS.get(word.tag, "x")


def number_of(subject: Sequence[Word]) -> Number:
    """The number of a subject, by its first noun phrase."""
    phrase: list[Word] = []
    for word in subject:
        if word.lower in _PREPOSITIONS and phrase:
            break
        phrase.append(word)
    first, nouns = phrase[0].lower, [word for word in phrase if word.tag.startswith("NN")]
    if first in ("you", "there", "all", "some", "most", "half") and not nouns:
        return "either"
    if nouns and len(phrase) < len(subject) and nouns[-1].lower in _QUANTITIES:
        return "either"
    if first in ("i", "we", "they") or (not nouns and first in _PLURAL_WORDS):
        return "plural"
    if nouns and phrase[0].tag != "PRP":
        return _noun_number(nouns[-1])
    return "singular" if first in _SINGULAR_PRONOUNS or phrase[0].tag == "VBG" else "either"


def _noun_number(noun: Word) -> Number:
    if noun.lower in _PLURAL_WORDS or noun.tag in ("NNS", "NNPS"):
        return "plural"
    return "either" if noun.tag == "NNP" and noun.lower.endswith("s") else "singular"


def _agrees(subject: Sequence[Word], verb: Word) -> bool:
    number = number_of(subject)
    if number == "either" or verb.tag in ("MD", "VBD"):
        return True
    if verb.lower in BE:
        singular = verb.lower in ("is", "'s", "am", "'m", "was")
        return singular or subject[0].lower != "i"
    return (verb.tag == "VBZ") == (number == "singular")


def _corrected(words: Sequence[Word]) -> list[Word]:
    """The words with another tag where the tagger cannot be right."""
    fixed = list(words)
    start = next((index for index, word in enumerate(fixed) if word.tag not in ADVERBS and index), None)
    if start is not None and fixed[0].tag in ("PRP", "NNS") and fixed[start].tag not in FINITE:
        fixed[start] = _as_verb(fixed[0], fixed[start])
    if any(word.tag in FINITE for word in fixed):
        return fixed
    for index, (before, word) in enumerate(pairwise(fixed), start=1):
        following = fixed[index + 1].tag if index + 1 < len(fixed) else ""
        tag = _unseen_verb(before, word, following)
        if tag is not None:
            fixed[index] = word._replace(tag=tag)
            break
    return fixed


def _unseen_verb(before: Word, word: Word, following: str) -> str | None:
    """The tag of a word that must be the verb of a statement without another one; None where it cannot be."""
    if word.tag == "VBN" and is_past(word.lower):
        return "VBD"
    if not word.tag.startswith("NN") or not before.tag.startswith("NN"):
        return None
    if word.tag == "NNS" and before.tag in ("NN", "NNP") and is_third_person(word.lower):
        return "VBZ"
    return "VBD" if following in ("PRP", "PRP$", "DT") and is_past(word.lower) else None


def _as_verb(subject: Word, word: Word) -> Word:
    """The word after a pronoun or plural noun that begins a statement, as the verb which it must be."""
    plural = subject.tag == "NNS" or subject.lower in ("i", "we", "you", "they")
    if subject.tag == "NNS" and word.tag not in ("IN", "VBN", "NN"):
        return word
    if (
        subject.tag == "NNS"
        and word.tag != "VBN"
        and word.lower not in ("like", "hate", "love", "need", "want")
    ):
        return word
    if plural and is_present(word.lower):
        return word._replace(tag="VBP")
    if subject.lower in ("he", "she", "it") and is_third_person(word.lower):
        return word._replace(tag="VBZ")
    return word._replace(tag="VBD") if is_past(word.lower) else word
