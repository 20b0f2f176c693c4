"""The act of an example: the turn of its context that holds it, and the references of examples with like acts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from dialeval.core import Missing
from dialeval.data.types import ACT_TURN, Context, Example, Turn
from dialeval.errors import BadInput
from dialeval.nlg.acts.files import ActItem, Pool, pooled
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.acts.types import Meaning

_LIKE_AN_ACT: Final = re.compile(r"\s*(?:[?\w.\-]+\s*\(.*\)|[\w.\- ]+\[.*\]|[\[{].*[\]}])\s*", re.DOTALL)


class HeldAct(NamedTuple):
    """The act of a context, or why there is none."""

    meaning: Meaning | None
    problem: str | None = None


def act_in(context: Context) -> HeldAct:
    """The act of a context: its last turn that is named ``act``, else its last turn if that is written as an act."""
    text = act_text(context)
    return _parsed(text) if text else HeldAct(None, "no act")


def act_text(context: Context) -> str:
    """The act of a context as it is written; empty if it has none."""
    for turn in reversed(context):
        if turn.name == ACT_TURN:
            return turn.text
    return context[-1].text if context and _LIKE_AN_ACT.fullmatch(context[-1].text) else ""


@lru_cache(maxsize=200_000)
def _parsed(text: str) -> HeldAct:
    try:
        return HeldAct(parse_act(text))
    except BadInput as error:
        return HeldAct(None, f"an act that does not parse: {error.found}")


def pooled_examples(examples: Sequence[Example | Missing], pool: Pool) -> list[Example | Missing]:
    """Return the examples, those with an act with the references of all items of their pool."""
    held = [None if isinstance(each, Missing) else act_in(each.context).meaning for each in examples]
    items = [
        ActItem(each.item, meaning, each.references)
        for each, meaning in zip(examples, held, strict=True)
        if meaning is not None and isinstance(each, Example)
    ]
    texts = iter(pooled(items, pool))
    return [
        replace(each, references=next(texts)) if meaning is not None and isinstance(each, Example) else each
        for each, meaning in zip(examples, held, strict=True)
    ]


def act_turn(written: str) -> Turn:
    """The turn that holds an act, as readers of files make it of the field ``act``."""
    return Turn("user", written, name=ACT_TURN)
