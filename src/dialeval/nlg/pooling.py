"""Pooled references: which sentences of a file are references of an act. Pooling changes every score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from dialeval.nlg.acts.delexicalising import delexicalise, lexicalise
from dialeval.nlg.acts.reading import ActItem
from dialeval.nlg.acts.types import Meaning

Pool: TypeAlias = Literal["none", "act", "slots"]
POOLS: Final[tuple[Pool, ...]] = ("none", "act", "slots")


def pooled(items: Sequence[ActItem], pool: Pool) -> list[tuple[str, ...]]:
    """The references of each item, each text once, in the order of the file.

    ``none``: its own. ``act``: those of all items with an identical act (its slots in any order). ``slots``: as RNNLG,
    those of all items whose act has the same slots and classes of values (special values as they are, all others
    alike), with this item's values filled in; a sentence that does not hold all values of its act is left out unless
    it is the item's own.
    """
    if pool == "none":
        return [_unique(item.references) for item in items]
    if pool == "act":
        return _pooled_by_act(items)
    groups: dict[object, list[str]] = {}
    for item in items:
        texts = groups.setdefault(_classes(item.meaning), [])
        for reference in item.references:
            plain = delexicalise(item.meaning, reference, orders=True)
            if not plain.absent:
                texts.append(plain.text)
    unique = {key: _unique(texts) for key, texts in groups.items()}
    return [
        _unique(
            [*item.references, *(lexicalise(text, item.meaning) for text in unique[_classes(item.meaning)])]
        )
        for item in items
    ]


def _pooled_by_act(items: Sequence[ActItem]) -> list[tuple[str, ...]]:
    groups: dict[object, list[str]] = {}
    for item in items:
        groups.setdefault(act_key(item.meaning), []).extend(item.references)
    unique = {key: _unique(texts) for key, texts in groups.items()}
    return [unique[act_key(item.meaning)] for item in items]


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def act_key(meaning: Meaning) -> object:
    """What identical acts share: the acts in order, each with its slots and values in any order."""
    return tuple(
        (act.act, tuple(sorted((slot.name, slot.value or "") for slot in act.slots))) for act in meaning
    )


def _classes(meaning: Meaning) -> object:
    """The acts, and each slot with its special value, or with nothing where the value is of another kind."""
    return tuple(
        (
            act.act,
            tuple(
                sorted(
                    (slot.name, slot.special or ("?" if slot.value is None else "_")) for slot in act.slots
                )
            ),
        )
        for act in meaning
    )
