"""The fields of many examples side by side, read once for all that need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dialeval.data.types import Context, Example, Response


class ExampleColumns(NamedTuple):
    """One list per field, in the order of the examples."""

    items: list[str]
    systems: list[str]
    contexts: list[Context]
    responses: list[Response]
    texts: list[str]
    """Those of the responses."""
    references: list[tuple[str, ...]]
    complete: bool
    """Whether there is a response everywhere."""
    bare: int
    """Number that have no reference."""
    given: bool
    """Whether one has knowledge or assertions."""

    def part(self, place: slice) -> ExampleColumns:
        """The fields of some of the examples."""
        responses, references = self.responses[place], self.references[place]
        return ExampleColumns(
            self.items[place],
            self.systems[place],
            self.contexts[place],
            responses,
            self.texts[place],
            references,
            self.complete or _are_complete(responses),
            _count_bare(references) if self.bare else 0,
            self.given,
        )


def columns_of(examples: Sequence[Example]) -> ExampleColumns:
    """The fields of these examples."""
    responses = [example.response for example in examples]
    references = [example.references for example in examples]
    return ExampleColumns(
        [example.item for example in examples],
        [example.system for example in examples],
        [example.context for example in examples],
        responses,
        [response.text for response in responses],
        references,
        _are_complete(responses),
        _count_bare(references),
        any([example.knowledge or example.assertions for example in examples]),
    )


def _count_bare(references: Sequence[Sequence[str]]) -> int:
    return len(references) - sum(map(bool, references))


def _are_complete(responses: Sequence[Response]) -> bool:
    return [response.missing for response in responses].count(None) == len(responses)
