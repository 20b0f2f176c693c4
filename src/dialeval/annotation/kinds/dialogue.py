"""Rating of a whole dialogue on a named scale."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.kinds.kind import Ask, Shows
from dialeval.annotation.kinds.options import OneOption, scale


class WholeDialogue(OneOption):
    """A value of a scale about all turns together."""

    name: Final = "dialogue"
    shows: Shows = "dialogue"

    def ask(self, criterion: str) -> Ask:
        """From 1 (very bad) to 5 (very good)."""
        options = scale(("very bad", "bad", "neither good nor bad", "good", "very good"))
        return Ask(self.name, criterion, "How good is the whole conversation in this respect?", options)
