"""Mask and fill: responses whose end a language model wrote in a wrong context (Gupta et al., 2021)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dialeval.core import Generator
from dialeval.data.types import Context


def fill_in_wrong_context(
    responses: Sequence[str], wrong: Sequence[Context], model: Generator, *, seed: int, kept: float = 0.4
) -> list[str | None]:
    """Each response with its beginning kept and the rest as the model continues a context of another dialogue.

    A language model that reads from left to right cannot fill a gap, so the gap is the end. None where the response has
    fewer than four words or the model added nothing.
    """
    draw = random.Random(seed)
    beginnings = []
    for response in responses:
        words = response.split()
        least = max(round(kept * len(words)), 2)
        beginnings.append(" ".join(words[: least + draw.randint(0, 1)]) if len(words) > 3 else "")
    asked = [row for row, beginning in enumerate(beginnings) if beginning]
    answers = model.generate([wrong[row] for row in asked], n=1, seed=seed)
    filled: list[str | None] = [None] * len(responses)
    for row, answer in zip(asked, answers, strict=True):
        said = answer[0].text.split() if answer else []
        size = len(responses[row].split()) - len(beginnings[row].split())
        if said:
            filled[row] = " ".join([beginnings[row], *said[: max(size, 1)]])
    return filled
