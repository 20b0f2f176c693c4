"""MuTual (Cui et al., 2020): dialogues from listening tests with four options for the next turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, text as text_of, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import item_of
from dialeval.data.types import Candidate, Context, Kind, Question, Record, Turn

KINDS: Final[tuple[Kind, ...]] = ("question",)

_LETTERS: Final = "ABCD"
# A handful of articles have a semicolon after their first speaker.
_SPEAKER: Final = re.compile(r"(?:^|(?<=\s))([mf]) [:;] ")
_TODO: Final = "Name a file of MuTual as one JSON object a line, such as dev.jsonl."


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Questions with four candidates, in the order of the file; tokenised and lower-cased as published.

    Speakers are named ``m`` and ``f``. The next to speak is the assistant, the other the user.
    """

    def parse(row: Row) -> Sequence[Record]:
        return (_question(row),)

    return records(read_rows(source, on_bad), parse, on_bad)


def _question(row: Row) -> Question:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'article', 'options' and 'answers'", _TODO)
    options, answer = _options(fields, where), text_of(fields, "answers", where, "")
    if answer not in tuple(_LETTERS[: len(options)]):
        expected = f"one letter, A to {_LETTERS[len(options) - 1]}"
        raise wrong(
            where, "answers", answer, expected, "MuTual's test split comes without answers; take dev."
        )
    right = _LETTERS.index(answer)
    candidates = tuple(
        Candidate(option.text, correct=index == right) for index, option in enumerate(map(_first, options))
    )
    context = _context(
        text_of(fields, "article", where, ""), next_speaker=_first(options[right]).speaker, where=where
    )
    return Question(item_of(fields, row, "id"), context, candidates)


def _options(fields: Mapping[str, object], where: Where) -> tuple[str, ...]:
    if "options" not in fields:
        raise missing(fields, "options", where, "", "a list of two to four texts")
    value = fields["options"]
    if not isinstance(value, list) or not 2 <= len(value) <= len(_LETTERS):
        raise wrong(where, "options", value, "a list of two to four texts", _TODO)
    for index, option in enumerate(value):
        if not isinstance(option, str):
            raise wrong(where, f"options[{index}]", option, "text", _TODO)
    return tuple(value)


def _context(article: str, *, next_speaker: str, where: Where) -> Context:
    turns = _spoken(article)
    if not turns:
        raise wrong(where, "article", article, "turns that begin with 'm : ' or 'f : '", _TODO)
    return tuple(
        Turn("assistant" if turn.speaker == next_speaker else "user", turn.text, turn.speaker)
        for turn in turns
    )


def _first(option: str) -> Turn:
    """An option's speaker and what is said; options hold one turn, whatever colons it has."""
    found = _SPEAKER.match(option)
    return Turn(found[1], option[found.end() :].strip()) if found else Turn("", option.strip())


def _spoken(article: str) -> list[Turn]:
    pieces = _SPEAKER.split(article)
    return [Turn(speaker, text.strip()) for speaker, text in zip(pieces[1::2], pieces[2::2], strict=True)]
