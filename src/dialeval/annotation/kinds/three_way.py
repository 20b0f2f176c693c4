"""One of three answers, such as good, passable or bad."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.forms import Option
from dialeval.annotation.kinds.kind import Ask
from dialeval.annotation.kinds.options import OneOption


class ThreeWay(OneOption):
    """Three answers in the order of their values, which are compared as an ordinal scale."""

    name: Final = "three_way"

    def ask(self, criterion: str) -> Ask:
        """2 good, 1 passable, 0 bad."""
        options = (Option(2, "good", "good"), Option(1, "passable", "passable"), Option(0, "bad", "bad"))
        return Ask(
            self.name, criterion, "Is the last response good, passable or bad in this respect?", options
        )
