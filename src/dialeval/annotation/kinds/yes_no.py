"""Yes, no, or cannot say."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.forms import Option
from dialeval.annotation.kinds.kind import Ask
from dialeval.annotation.kinds.options import OneOption


class YesNo(OneOption):
    """1 for yes, 0 for no; ``y``, ``n`` and ``c`` are keys for the answers."""

    name: Final = "yes_no"

    def ask(self, criterion: str) -> Ask:
        """Whether what the criterion says applies to the response."""
        options = (Option(1, "yes", "yes"), Option(0, "no", "no"))
        return Ask(self.name, criterion, "Does this apply to the last response?", options, cannot_say=True)
