"""Questions of a study from few words: a kind, a criterion, perhaps a scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dialeval.annotation.forms import ACCEPTABILITY, Form, Option
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Ask, Shows
from dialeval.errors import Unsuitable

_SCALE: Final = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|to)\s*(-?\d+(?:\.\d+)?)")


def asked(kind: str, criterion: str, *, scale: str | None = None, cannot_say: bool = False) -> Ask:
    """Question of a kind about a criterion, on a scale of its own or the one given.

    Acceptability is asked as ``dialeval select vet`` reads it. On a scale from 0, sentences that are not grammatical
    have 0.
    """
    ask = KINDS[kind].ask(criterion)
    if kind == "likert" and criterion == ACCEPTABILITY.criterion and scale is None:
        ask = ask_of(ACCEPTABILITY)
    if cannot_say:
        ask = replace(ask, cannot_say=True)
    return (
        ask
        if scale is None or kind not in ("likert", "slider", "turns", "dialogue", "sentences")
        else _scaled(ask, scale)
    )


def ask_of(form: Form) -> Ask:
    """Question of a form as a study puts it, the lowest value first; yes or no is asked as such."""
    options = tuple(sorted(form.options, key=lambda option: option.value))
    lowest, highest = options[0].value, options[-1].value
    if set(form.values) == {0, 1}:
        return Ask("yes_no", form.criterion, form.ask, options[::-1], lowest, highest)
    return Ask("likert", form.criterion, form.ask, options, lowest, highest)


def form_of(ask: Ask, raters: int) -> Form:
    """Question of a study that takes one of its options, as a table puts it."""
    return Form(ask.criterion, ask.text, ask.options, raters)


def _scaled(ask: Ask, scale: str) -> Ask:
    found = _SCALE.fullmatch(scale.strip())
    low, high = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    if low >= high:
        raise Unsuitable(f"Found the scale {scale!r}; write its lowest and highest value, as in 1-7.")
    if ask.kind == "slider":
        return replace(ask, lowest=low, highest=high)
    if not low.is_integer() or not high.is_integer() or high - low > 20:
        raise Unsuitable(
            f"Found the scale {scale!r}; a scale of options has whole numbers, 21 at most. Use slider."
        )
    values = range(int(low), int(high) + 1)
    old = sorted(ask.options, key=lambda option: option.value)
    ends = {values[0]: old[0].meaning, values[-1]: old[-1].meaning} if old else {}
    if ask.kind == "sentences" and low == 0:
        named = (
            {option.value: option.meaning for option in old} if high == old[-1].value else {1: old[0].meaning}
        )
        ends = {**named, values[-1]: old[-1].meaning, 0: "not grammatical"}
        ask = replace(ask, text=f"{ask.text} 0 is for one that is not grammatical.")
    options = tuple(Option(value, str(value), ends.get(value, str(value))) for value in values)
    return replace(ask, options=options, lowest=low, highest=high)


def shows_of(asks: Sequence[Ask]) -> Shows:
    """Content that items must have so that all of this can be asked about them."""
    wanted: set[Shows] = {KINDS[ask.kind].shows for ask in asks} - {"any"}
    if len(wanted) > 1:
        kinds = ", ".join(ask.kind for ask in asks)
        raise Unsuitable(
            f"One page cannot ask {kinds}: they are about {' and '.join(sorted(wanted))}. Make a study for each."
        )
    return next(iter(wanted), "any")
