"""First and second person exchanged, as when a listener asks back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.nbest.stimuli.sentence import Word
from dialeval.nbest.stimuli.subjects import ADVERBS, FINITE

_PLAIN: Final = {
    "i": "you",
    "we": "you",
    "me": "you",
    "us": "you",
    "my": "your",
    "our": "your",
    "mine": "yours",
    "ours": "yours",
    "myself": "yourself",
    "ourselves": "yourselves",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "yourselves": "ourselves",
}
"""What each word becomes; ``you`` becomes ``I`` or ``me``, by its place."""

_TO_SECOND: Final = {"am": "are", "'m": "'re", "was": "were"}
_TO_FIRST: Final = {"are": "am", "'re": "'m", "were": "was"}


def exchange_persons(question: Sequence[Word], fronted: int | None = 0) -> list[Word]:
    """The words with I and you exchanged, all from the words as they were, so that nothing is turned back.

    ``fronted`` is the place of a verb that stands before its subject; None where there is none.

    >>> words = [Word("Am", "VBP"), Word("I", "PRP"), Word("your", "PRP$"), Word("friend", "NN")]
    >>> " ".join(word.text for word in exchange_persons(words))
    'Are you my friend'
    """
    result = list(question)
    for index, word in enumerate(question):
        lower = word.lower
        if lower == "us" and word.text == "US":
            continue
        if lower == "you":
            verb = _verb_of(question, index, fronted)
            result[index] = word._replace(text="me" if verb is None else "I")
            if verb is not None:
                result[verb] = _with_form(question[verb], _TO_FIRST)
        elif lower in _PLAIN:
            result[index] = word._replace(text=_PLAIN[lower])
            verb = _verb_of(question, index, fronted) if lower == "i" else None
            if verb is not None:
                result[verb] = _with_form(question[verb], _TO_SECOND)
    return result


def _verb_of(words: Sequence[Word], pronoun: int, fronted: int | None) -> int | None:
    """The place of the verb whose subject the pronoun is; None where it is an object."""
    if fronted is not None and pronoun == fronted + 1:
        return fronted
    following = next(
        (index for index in range(pronoun + 1, len(words)) if words[index].tag not in ADVERBS), None
    )
    if following is None or words[following].tag not in FINITE:
        return None
    # "makes you feel": the base form after an object, where a clause of its own would have a subject marker before.
    objective = words[following].tag == "VB" and pronoun > 0 and words[pronoun - 1].tag.startswith("VB")
    return None if objective else following


def _with_form(verb: Word, forms: dict[str, str]) -> Word:
    form = forms.get(verb.lower, verb.text)
    return verb._replace(text=form.capitalize() if verb.text[:1].isupper() and form != verb.text else form)
