"""Answers of systems: the check of what foreign code gives, and the rule for cached ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dialeval.data.types import Context, Response
from dialeval.errors import Unsuitable

if TYPE_CHECKING:
    from dialeval.core.protocols import Generator

_UNWRITABLE: Final = re.compile("[\x00\ud800-\udfff]")

CacheRule: TypeAlias = Literal["none", "run", "keep"]
"""Answers are not cached, cached to resume the run, or cached for all later runs."""


NO_KEY: Final = {"key": False}
"""Metadata of a system's field that a study cannot give."""


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """Which cached answers of a system a run may use, and where it caches new ones."""

    cache: CacheRule = "keep"
    fresh: bool = False
    """Whether only answers that the run itself asked for are used."""
    folder: Path | None = None
    """Cache of the run itself; None if it cannot be resumed."""


def unwritable(text: str) -> str | None:
    """Name of a character that no file can hold, or that ends texts in many programs; None if there is none."""
    found = _UNWRITABLE.search(text)
    if found is None:
        return None
    return "U+0000" if found[0] == "\x00" else f"half a character (U+{ord(found[0]):04X})"


def generate(
    system: Generator, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
) -> list[tuple[Response, ...]]:
    """Return the system's answers to each context, best first; Unsuitable if they are of another shape."""
    # A system of one's own may know nothing of lists.
    several = {} if n == 1 else {"n": n}
    answers: object = system.generate(contexts, **several, seed=seed)
    if not isinstance(answers, Sequence) or isinstance(answers, str):
        raise _unsuitable(system, f"{type(answers).__name__}")
    if len(answers) != len(contexts):
        raise _unsuitable(system, f"{len(answers)} answers to {len(contexts)} contexts")
    for answer in answers:
        if not isinstance(answer, tuple | list):
            raise _unsuitable(system, f"{type(answer).__name__} for a context")
        for response in answer:
            if not isinstance(response, Response):
                raise _unsuitable(system, f"{type(response).__name__} as a response")
    return [tuple(writable(response) for response in answer) for answer in answers]


def writable(response: Response) -> Response:
    """The response; a missing one, with the reason, if no file could hold its text."""
    found = unwritable(response.text) or (unwritable(response.missing) if response.missing else None)
    if found is None:
        return response
    reason = f"no response: the answer holds {found}"
    return Response("", missing=reason, usage=response.usage, cause="failed")


def _unsuitable(system: Generator, found: str) -> Unsuitable:
    return Unsuitable(
        f"{system.name}: generate gave {found}; expected a list with a tuple of Responses for each context, as in "
        "[(Response(text),) for context in contexts], and () where there is no answer."
    )
