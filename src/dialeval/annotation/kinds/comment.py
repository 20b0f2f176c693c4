"""Free comment: text that gives no judgement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.data.types import Judgement

LONGEST: Final = 5_000
"""Characters of a comment."""


class Comment:
    """Text in the rater's own words, ``{"text": "It repeats itself."}``; exported beside the judgements."""

    name: Final = "comment"
    shows: Shows = "any"

    def ask(self, criterion: str) -> Ask:
        """Anything the rater wants to add; it may stay empty."""
        return Ask(self.name, criterion, "Is there anything you want to add?", required=False)

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """One text."""
        return (Field("text"),)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The text without surrounding whitespace."""
        text = Values(payload).text("text", most=LONGEST)
        if not text and ask.required:
            raise BadAnswer("text", "required")
        return {"text": text}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """None: a judgement is a number."""
        return ()

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The text."""
        return {"text": (str(answer["text"]),)}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """A made-up remark if one is required."""
        return {"text": "A remark of a simulated rater." if ask.required else ""}
