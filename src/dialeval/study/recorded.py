"""Recorded responses of a file, beside the contexts and references that other data has for their ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dialeval.core import Missing
from dialeval.data import Example, Prompt
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.dialects import tell
from dialeval.data.reader import place_of
from dialeval.study.answers import as_example
from dialeval.study.unmatched import check_unmatched, sentence, unmatched_responses
from dialeval.systems.transcript import Transcript, recorded_systems


def recorded_examples(
    path: Path,
    prompts: Sequence[Prompt],
    *,
    format: str | None = None,
    system: str | None = None,
    columns: Columns | None = None,
    allow_unmatched: bool = False,
) -> list[Example | Missing]:
    """Return the response of each system of the file, or of the given one, to each prompt; Missing if it has no line.

    Lines that match no prompt are counted in a note; a file of which half of the lines or more match none is refused
    unless that is allowed. Lines without ids are in the order of the prompts.
    """
    source = path if format is None else Path(f"{format}:{place_of(path, format).source}")
    items = {prompt.item for prompt in prompts}
    examples: list[Example | Missing] = []
    for name in [system] if system is not None else recorded_systems(source, columns):
        replayed = Transcript(name, source, name, columns=str(columns) if columns else None)
        for unmatched in unmatched_responses(replayed, items):
            check_unmatched(unmatched, items, allowed=allow_unmatched)
            tell(str(source), sentence(unmatched, named=False))
        answers = replayed.replay(prompts)
        examples += [
            as_example(replayed, prompt, given) for prompt, given in zip(prompts, answers, strict=True)
        ]
    return examples
