"""Questions of a study from few words: a kind, a criterion, perhaps a scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dialeval.annotation.forms import ACCEPTABILITY, Option
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Ask, Shows
from dialeval.errors import Unsuitable

_SCALE: Final = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|to)\s*(-?\d+(?:\.\d+)?)")


def asked(kind: str, criterion: str, *, scale: str | None = None, cannot_say: bool = False) -> Ask:
    """What a kind asks about a criterion, on a scale of its own or the one given.

    Acceptability is asked as ``dialeval select vet`` reads it.
    """
    ask = KINDS[kind].ask(criterion)
    if kind == "likert" and criterion == ACCEPTABILITY.criterion and scale is None:
        values = sorted(ACCEPTABILITY.options, key=lambda option: option.value)
        ask = replace(ask, text=ACCEPTABILITY.ask, options=tuple(values), low=0, high=5)
    if cannot_say:
        ask = replace(ask, cannot_say=True)
    return (
        ask if scale is None or kind not in ("likert", "slider", "turns", "dialogue") else _scaled(ask, scale)
    )


def _scaled(ask: Ask, scale: str) -> Ask:
    found = _SCALE.fullmatch(scale.strip())
    low, high = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    if low >= high:
        raise Unsuitable(f"Found the scale {scale!r}; write its lowest and highest value, as in 1-7.")
    if ask.kind == "slider":
        return replace(ask, low=low, high=high)
    if not low.is_integer() or not high.is_integer() or high - low > 20:
        raise Unsuitable(
            f"Found the scale {scale!r}; a scale of options has whole numbers, 21 at most. Use slider."
        )
    values = range(int(low), int(high) + 1)
    old = sorted(ask.options, key=lambda option: option.value)
    ends = {values[0]: old[0].meaning, values[-1]: old[-1].meaning} if old else {}
    options = tuple(Option(value, str(value), ends.get(value, str(value))) for value in values)
    return replace(ask, options=options, low=low, high=high)


def shows_of(asks: Sequence[Ask]) -> Shows:
    """What items must hold so that all of this can be asked about them."""
    wanted: set[Shows] = {KINDS[ask.kind].shows for ask in asks} - {"any"}
    if len(wanted) > 1:
        kinds = ", ".join(ask.kind for ask in asks)
        raise Unsuitable(
            f"One page cannot ask {kinds}: they are about {' and '.join(sorted(wanted))}. Make a study for each."
        )
    return next(iter(wanted), "any")
