"""Utterances from files of any kind we read, once each, of a fair length, none of which a user wants left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dialeval.data import read_guessing
from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.decode import kind_of_fields
from dialeval.data.codec.fields import text as text_field
from dialeval.data.codec.jsonl import ROWS
from dialeval.data.codec.rows import KeySet
from dialeval.data.codec.sources import lines, split_format
from dialeval.data.importers.conversation import shape_of
from dialeval.data.reader import place_of
from dialeval.data.types import Dialogue, Example, NBest, Prompt, Question, Record
from dialeval.errors import BadInput
from dialeval.selection.repository.words import tidy, words
from dialeval.text.tokenisers.words import search_terms

_PLAIN: Final = (".txt", ".txt.gz")
# A longer run of letters is not a word but a link, a laugh or a code.
_LETTERS: Final = 30
_DIFFERENT: Final = 0.6
_NEARLY_ALL: Final = 0.9
_ENDED: Final = re.compile(r"[.!?…。！？]['\"’”)\]\s]*$")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A file of utterances or dialogues, and its format where the name does not tell it (``dialeval data ls``)."""

    path: Path
    format: str | None = None


def corpus_of(text: str) -> Corpus:
    """Return a file of utterances as it is named: ``FILE``, or ``FORMAT:FILE``."""
    path, form = split_format(text)
    return Corpus(Path(path), form)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which utterances may stand in a repository."""

    min_words: int = 3
    max_words: int = 40
    ended: bool = True
    """Whether only utterances that end with a mark get in, as written dialogue does; chat often has none."""
    tidy: bool = True
    """Whether all utterances, and the dialogues of a draft, get one spelling (``tidy``)."""

    def reason(self, text: str) -> str | None:
        """Why an utterance may not, or None."""
        said = words(text)
        if len(said) < self.min_words:
            return f"fewer than {self.min_words} words"
        if len(said) > self.max_words:
            return f"more than {self.max_words} words"
        if max(map(len, said), default=0) > _LETTERS:
            return f"a word of more than {_LETTERS} letters"
        # A word said again and again matches it best by BM25, and no one would take it for an answer.
        if len(set(said)) <= _DIFFERENT * len(said):
            return "mostly the same words again"
        return "no mark at its end" if self.ended and not _ENDED.search(text) else None


def filters_beside(texts: Iterable[str]) -> Filters:
    """Filters for utterances that are to stand beside these and not be told from them by their look.

    As by default, but short ones, ones without a final mark, and spelling as it is are let through where these are not
    nearly all longer, ended, or tidied.
    """
    known, default = list(texts), Filters()

    def nearly_all(holds: Callable[[str], object]) -> bool:
        return sum(map(bool, map(holds, known))) >= _NEARLY_ALL * len(known)

    return Filters(
        min_words=default.min_words if nearly_all(lambda text: len(words(text)) >= default.min_words) else 1,
        ended=nearly_all(_ENDED.search),
        tidy=nearly_all(lambda text: tidy(text) == text),
    )


@dataclass(frozen=True, slots=True)
class Excluded:
    """Utterances to leave out, however they are spelled: ``text in excluded`` tells."""

    keys: frozenset[int] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Excluded:
        """Those that say the same as one of these."""
        return cls(frozenset(hash(same_key(text)) for text in texts))

    def __contains__(self, text: str) -> bool:
        return bool(self.keys) and hash(same_key(text)) in self.keys

    def __or__(self, other: Excluded) -> Excluded:
        return Excluded(self.keys | other.keys)


@dataclass(slots=True)
class Sieve:
    """Lets each utterance through once, and counts the others by reason."""

    filters: Filters
    excluded: Excluded = Excluded()
    dropped: Counter[str] = field(default_factory=Counter)
    _seen: KeySet = field(default_factory=KeySet)

    def pass_through(self, texts: Iterable[str]) -> Iterator[str]:
        """The utterances that may stand in the repository, in their order."""
        for text in texts:
            reason = self._reason(text)
            if reason is None:
                yield tidy(text) if self.filters.tidy else text.strip()
            else:
                self.dropped[reason] += 1

    def _reason(self, text: str) -> str | None:
        reason = self.filters.reason(text)
        if reason is not None:
            return reason
        if text in self.excluded:
            return "excluded"
        return None if self._seen.add(same_key(text)) else "repeated"


def same_key(text: str) -> str:
    """Key that two spellings of one utterance share: its letters and digits, case-folded, no punctuation or whitespace.

    Corpora separate words from punctuation in different ways, so whitespace does not distinguish utterances.
    """
    return "".join(search_terms(text))


def texts_of(corpus: Corpus, *, on_bad: OnBad = refuse) -> Iterator[str]:
    """Every utterance of a file: lines of plain text (.txt), turns of dialogues, contexts and responses of the rest.

    Other rows with a field ``text`` are utterances as well.
    """
    path = corpus.path
    if corpus.format == "text" or (corpus.format is None and path.name.endswith(_PLAIN)):
        yield from (text for _, line in lines(path, on_bad) if (text := line.strip()))
        return
    form = place_of(path, corpus.format).format
    # A pipe cannot be looked into first.
    if form.name in ROWS and not path.is_fifo() and _has_plain_texts(path, form.name):
        yield from _plain_texts(path, form.name, on_bad)
        return
    guess = read_guessing(path, format=corpus.format, on_bad=on_bad)
    if guess.kind == "judgement":
        expected = "something that people or systems said"
        raise BadInput(str(path), "judgements", expected, "Give dialogues, or lines of text.")
    for record in guess.records:
        yield from said_in(record)


def _has_plain_texts(path: Path, form: str) -> bool:
    """Whether the first good row of a file is an utterance and no record; BadInput where it is neither."""
    first = next(ROWS[form](path, lambda bad: None), None)
    if first is None or shape_of(first.fields) is not None:
        return False
    try:
        kind_of_fields(first.fields, first.where)
    except BadInput as error:
        if isinstance(first.fields, Mapping) and "text" in first.fields:
            return True
        error.expected = "the field 'text', or dialogues as in 'dialeval docs files'"
        error.todo = (
            "Call the field that holds the utterance 'text', or name the file's format (of 'dialeval data ls'), as in "
            f"sharegpt:{error.path}."
        )
        raise
    return False


def _plain_texts(path: Path, form: str, on_bad: OnBad) -> Iterator[str]:
    for row in ROWS[form](path, on_bad):
        try:
            fields = row.fields if isinstance(row.fields, Mapping) else {}
            said = text_field(fields, "text", row.where, "", "text (an utterance)")
        except BadInput as error:
            on_bad(BadLine(error, row.raw))
        else:
            if said.strip():
                yield said


def said_in(record: Record) -> Iterator[str]:
    """Every utterance of a record, blank ones left out; of a question, only what is right."""
    match record:
        case Dialogue():
            texts = [turn.text for turn in record.turns]
        case Prompt():
            texts = [*(turn.text for turn in record.context), *record.references]
        case Example():
            texts = [*(turn.text for turn in record.context), record.response.text, *record.references]
        case Question():
            right = [candidate.text for candidate in record.candidates if candidate.correct]
            texts = [*(turn.text for turn in record.context), *right]
        case NBest():
            texts = [
                *(turn.text for turn in record.context),
                *(response.text for response in record.responses),
            ]
        case _:
            texts = []
    return (text for text in texts if text.strip())
