"""Prompts from any file that has contexts in it, and references from files beside it."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.column_names import Columns, ColumnsGiven
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.encode import canonical
from dialeval.data.codec.fields import missing, wrong
from dialeval.data.codec.jsonl import ROWS
from dialeval.data.codec.parts import item_named, references_of
from dialeval.data.codec.sources import Source, shown
from dialeval.data.reader import Guess, place_of, read, read_guessing
from dialeval.data.table import Table, ids_of
from dialeval.data.types import Dialogue, Example, Kind, NBest, Prompt, Question, Record, Response, Turn
from dialeval.errors import BadInput, Unsuitable
from dialeval.text.ids import TextNumbers

_SOURCES: Final[tuple[Kind, ...]] = ("prompt", "example", "dialogue", "question", "nbest")


Turns: TypeAlias = Literal["last", "all"]
"""Turns of a dialogue's assistant that wait for a response."""


def read_prompts(
    source: Source,
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
    turns: Turns = "last",
) -> Iterator[Prompt]:
    """The contexts of a file of prompts, examples, dialogues, questions or n-best lists, with their references.

    Systems that answered the same item give one prompt; they must agree on its context and references. The last turn
    of a dialogue is the reference if an assistant says it; with ``turns="all"`` so is every turn of the assistant, each
    an item of its own, ``DIALOGUE/TURN``. The correct candidates of a question are its references. ``columns`` are
    those of ``read``; columns of systems are left out.
    """
    guess = _open(source, format, Columns.of(columns), on_bad, turns)
    if guess.kind not in _SOURCES:
        raise BadInput(
            shown(source),
            f"{guess.kind} records",
            "prompts, examples, dialogues, questions or n-best lists",
            "Name a file that has contexts to respond to.",
        )
    if turns == "all" and guess.kind == "dialogue":
        dialogues = (record for record in guess.records if isinstance(record, Dialogue))
        return _once((prompt for dialogue in dialogues for prompt in prompts_of(dialogue)), source)
    return _once(map(prompt_of, guess.records), source)


def prompts_of(dialogue: Dialogue) -> Iterator[Prompt]:
    """A prompt for each turn in which the assistant says something to someone; turns are counted from 1."""
    for index, turn in _answers(dialogue):
        yield Prompt(f"{dialogue.item}/{index + 1}", dialogue.turns[:index], (turn.text,))


def answers_in(dialogue: Dialogue) -> list[Turn]:
    """The turns that ``prompts_of`` gives a prompt for."""
    return [turn for _, turn in _answers(dialogue)]


def _answers(dialogue: Dialogue) -> Iterator[tuple[int, Turn]]:
    for index, turn in enumerate(dialogue.turns):
        if (
            turn.speaker == "assistant"
            and turn.text.strip()
            and any(said.speaker != "system" for said in dialogue.turns[:index])
        ):
            yield index, turn


def example_of(prompt: Prompt, system: str, response: Response) -> Example:
    """Return a system's response to a prompt as an example, ready to be scored."""
    return Example(
        prompt.item,
        system,
        prompt.context,
        response,
        prompt.references,
        prompt.knowledge,
        prompt.assertions,
    )


def prompt_of(record: Record) -> Prompt:
    """The context of a record that waits for a response, and what is known to be good there."""
    match record:
        case Prompt():
            return record
        case Example():
            return Prompt(record.item, record.context, record.references, record.knowledge, record.assertions)
        case Question():
            correct = tuple(candidate.text for candidate in record.candidates if candidate.correct)
            return Prompt(record.item, record.context, correct)
        case NBest():
            return Prompt(record.item, record.context)
        case Dialogue():
            if record.turns and record.turns[-1].speaker == "assistant":
                said = record.turns[-1].text
                return Prompt(record.item, record.turns[:-1], (said,) if said.strip() else ())
            return Prompt(record.item, record.turns)
        case _:
            raise Unsuitable(
                f"{record.item!r} is a {type(record).__name__}, which is not a context to respond to."
            )


def _open(source: Source, format: str | None, columns: Columns | None, on_bad: OnBad, turns: Turns) -> Guess:
    order = _SOURCES if turns == "last" else ("dialogue", *_SOURCES)
    place = place_of(source, format)
    usable = [kind for kind in order if kind in place.format.kinds_of(place.source)]
    if place.format.read is None or not usable:
        return read_guessing(
            place.source,
            format=place.format.name,
            columns=columns and columns.of_prompts(),
            on_bad=on_bad,
            systems_needed=False,
        )
    return read_guessing(
        place.source, kind=usable[0], format=place.format.name, columns=columns, on_bad=on_bad
    )


def with_references(prompts: Sequence[Prompt], source: Source) -> Sequence[Prompt]:
    """The prompts with the references of a file after their own: by id, or a line of text for each in their order.

    A line of the file needs only ``id`` and ``references`` (in tables also ``reference``, ``reference_2`` ...).
    """
    place = place_of(source)
    if place.format.name == "text":
        texts = [example.response.text for example in read(place.source, "example", format="text")]
        if len(texts) != len(prompts):
            found, expected = f"{len(texts):,} lines", f"{len(prompts):,}, one for each item of the data"
            todo = "Leave a line empty where an item has no reference, or give a file with ids."
            raise BadInput(shown(source), found, expected, todo)
        pairs = zip(prompts, texts, strict=True)
        return Table(Prompt, (_added(prompt, (text,)) for prompt, text in pairs))
    by_item = _references_by_item(place.source, place.format.name)
    strange = by_item.keys() - ids_of(prompts)
    if len(strange) == len(by_item):
        found = f"no id of the data among {len(by_item):,}, such as {next(iter(by_item), '')!r}"
        raise BadInput(shown(source), found, "the ids of the data", "Give both files the same ids.")
    if strange:
        tell(
            shown(source),
            f"{len(strange):,} of {len(by_item):,} ids are not in the data, such as {min(strange)!r}",
        )
    return Table(Prompt, (_added(prompt, by_item.get(prompt.item, ())) for prompt in prompts))


def reference_items(source: Source) -> Collection[str]:
    """Ids of a file of references; none of a text file, whose order says which item is meant."""
    place = place_of(source)
    return () if place.format.name == "text" else _references_by_item(place.source, place.format.name).keys()


def _references_by_item(source: Source, form: str) -> dict[str, tuple[str, ...]]:
    if form not in ROWS:
        todo = "Convert it to JSON Lines with 'id' and 'references', or give a text file."
        raise BadInput(shown(source), f"the {form} format", "ids and references", todo)
    by_item: dict[str, tuple[str, ...]] = {}
    for row in ROWS[form](source, refuse):
        if not isinstance(row.fields, dict):
            raise wrong(
                row.where, "", row.fields, "an object with 'id' and 'references'", "Write one a line."
            )
        fields = row.fields
        if isinstance(said := fields.get("reference"), str) and "references" not in fields:
            fields = {**fields, "references": [said]}
        if "references" not in fields:
            raise missing(fields, "references", row.where, "", "a list of texts")
        item = item_named(fields, row.where)
        by_item[item] = (*by_item.get(item, ()), *references_of(fields, row.where))
    return by_item


def _added(prompt: Prompt, texts: Sequence[str]) -> Prompt:
    more = tuple(text for text in texts if text.strip() and text not in prompt.references)
    return replace(prompt, references=(*prompt.references, *more)) if more else prompt


def _once(prompts: Iterator[Prompt], source: Source) -> Iterator[Prompt]:
    known, contents = TextNumbers(), array("q")
    for prompt in prompts:
        content = hash(canonical(prompt))
        number = known.add(prompt.item)
        if number == len(contents):
            contents.append(content)
            yield prompt
        elif contents[number] != content:
            raise BadInput(
                shown(source),
                f"two contexts or sets of references under the id {prompt.item!r}",
                "the same ones from every system",
                "Give items with different contexts different ids.",
                field="id",
            )
