"""A baseline that repeats the last turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dialeval.core import Signature
from dialeval.data.types import Context, Response


@dataclass(frozen=True, slots=True)
class Echo:
    """Answers with the last turn of the context, word for word; has no answer to an empty context."""

    name: str

    @property
    def signature(self) -> Signature:
        """All that could move its responses."""
        return Signature("echo")

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """The last turn of each context; there is never a second best, and ``seed`` changes nothing."""
        return [(Response(context[-1].text),) if context and n > 0 else () for context in contexts]
