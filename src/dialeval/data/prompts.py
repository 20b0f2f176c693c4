"""Prompts from any file that has contexts in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.encode import canonical
from dialeval.data.codec.sources import Source, shown
from dialeval.data.reading import Guess, place_of, read_guessing
from dialeval.data.types import Dialogue, Example, Kind, Prompt, Question, Record
from dialeval.errors import BadInput, Unsuitable

_SOURCES: Final[tuple[Kind, ...]] = ("prompt", "example", "dialogue", "question")


def read_prompts(source: Source, *, format: str | None = None, on_bad: OnBad = refuse) -> Iterator[Prompt]:
    """The contexts of a file of prompts, examples, dialogues or questions, with the references they come with.

    Systems that answered the same item give one prompt; they must agree on its context and references. The last turn
    of a dialogue is the reference if an assistant says it. The correct candidates of a question are its references.
    """
    guess = _open(source, format, on_bad)
    if guess.kind not in _SOURCES:
        raise BadInput(
            shown(source),
            f"{guess.kind} records",
            "prompts, examples, dialogues or questions",
            "Name a file that has contexts to respond to.",
        )
    return _once(map(prompt_of, guess.records), source)


def prompt_of(record: Record) -> Prompt:
    """The context of a record that waits for a response, and what is known to be good there."""
    match record:
        case Prompt():
            return record
        case Example():
            return Prompt(record.item, record.context, record.references)
        case Question():
            correct = tuple(candidate.text for candidate in record.candidates if candidate.correct)
            return Prompt(record.item, record.context, correct)
        case Dialogue():
            if record.turns and record.turns[-1].speaker == "assistant":
                said = record.turns[-1].text
                return Prompt(record.item, record.turns[:-1], (said,) if said.strip() else ())
            return Prompt(record.item, record.turns)
        case _:
            raise Unsuitable(
                f"{record.item!r} is a {type(record).__name__}, which is not a context to respond to."
            )


def _open(source: Source, format: str | None, on_bad: OnBad) -> Guess:
    place = place_of(source, format)
    usable = [kind for kind in _SOURCES if kind in place.format.kinds_of(place.source)]
    if place.format.read is None or not usable:
        return read_guessing(place.source, format=place.format.name, on_bad=on_bad)
    return read_guessing(place.source, kind=usable[0], format=place.format.name, on_bad=on_bad)


def _once(prompts: Iterator[Prompt], source: Source) -> Iterator[Prompt]:
    known: dict[str, int] = {}
    count = 0
    for prompt in prompts:
        content = hash(canonical(prompt))
        held = known.setdefault(prompt.item, content)
        if held != content:
            raise BadInput(
                shown(source),
                f"two contexts or sets of references under the id {prompt.item!r}",
                "the same ones from every system",
                "Give items with different contexts different ids.",
                field="id",
            )
        if len(known) > count:
            count += 1
            yield prompt
