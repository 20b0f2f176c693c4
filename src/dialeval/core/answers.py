"""Answers of systems, checked where foreign code gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dialeval.data.types import Context, Response
from dialeval.errors import Unsuitable

if TYPE_CHECKING:
    from dialeval.core.protocols import Generator


def generate(
    system: Generator, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
) -> list[tuple[Response, ...]]:
    """What the system answers to each context, best first; Unsuitable where its answers are of another shape."""
    answers: object = system.generate(contexts, n=n, seed=seed)
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
    return [tuple(answer) for answer in answers]


def _unsuitable(system: Generator, found: str) -> Unsuitable:
    return Unsuitable(
        f"{system.name}: generate gave {found}; expected a list with a tuple of Responses for each context, as in "
        "[(Response(text),) for context in contexts], and () where there is no answer."
    )
