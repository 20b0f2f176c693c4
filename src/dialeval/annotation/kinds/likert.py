"""Likert: one value of a named scale about a response or a dialogue."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.kinds.kind import Ask
from dialeval.annotation.kinds.options import OneOption, scale


class Likert(OneOption):
    """A value of a scale whose anchors are named; 0 is the key for cannot judge if that is asked."""

    name: Final = "likert"

    def ask(self, criterion: str) -> Ask:
        """From 1 (very bad) to 5 (very good)."""
        options = scale(("very bad", "bad", "neither good nor bad", "good", "very good"))
        return Ask(self.name, criterion, "How good is the last response in this respect?", options)
