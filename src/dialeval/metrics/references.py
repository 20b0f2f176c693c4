"""What metrics do about examples without references: name them, never guess."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.data.types import Example
from dialeval.errors import Unsuitable


def lacks_references(example: Example) -> str | None:
    """The reason a reference metric cannot score this example, or None where it can."""
    return None if example.references else "no references"


def require_references(metric: str, examples: Sequence[Example]) -> None:
    """Refuse a batch in which an example has no reference."""
    bare = [example.item for example in examples if not example.references]
    if bare:
        raise Unsuitable(
            f"{metric} needs a reference for every example, but {len(bare)} of {len(examples)} have none "
            f"(first: {bare[0]!r}). Add references, or score with evaluate(), which sets such examples aside."
        )
