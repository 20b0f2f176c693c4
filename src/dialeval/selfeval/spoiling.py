"""Clusters to learn from: a dialogue with its versions of replaced turns, and one of spoilt form."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.types import Dialogue
from dialeval.selfeval.construction.incoherence import contradict, drop_sentences, swap_content, swap_pronouns
from dialeval.selfeval.construction.replacing import (
    Rank,
    Replacing,
    Sample,
    Texts,
    likely_source,
    random_source,
    replaced_samples,
)
from dialeval.selfeval.construction.turns import repeat_turn, reply_generically, swap_turns
from dialeval.selfeval.construction.words import WORDINGS
from dialeval.selfeval.subjects import spoken_turns

Spoiling: TypeAlias = Callable[[Sequence[str], random.Random], Texts]


class Cluster(NamedTuple):
    """A dialogue in several versions."""

    samples: tuple[Sample, ...]
    """The original first, then those with replaced turns, by level."""
    spoilt: Texts | None
    """The original with spoilt form; None where nothing could be spoilt."""

    @property
    def texts(self) -> list[Texts]:
        """All versions, that of spoilt form last."""
        return [sample.turns for sample in self.samples] + ([] if self.spoilt is None else [self.spoilt])


def spoil_wording(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn with some of its words dropped, repeated, shuffled or exchanged."""
    return (*turns[:-1], draw.choice(WORDINGS)(turns[-1], draw))


FORMS: Final[tuple[Spoiling, ...]] = (
    spoil_wording,
    spoil_wording,
    repeat_turn,
    repeat_turn,
    reply_generically,
    swap_turns,
    swap_pronouns,
    contradict,
    swap_content,
    drop_sentences,
)
"""Ways to spoil form; those that matter most to readers twice."""


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues as lists of turns, by the corpus they come from."""

    dialogues: tuple[Texts, ...]
    groups: tuple[tuple[int, ...], ...]
    """Positions of dialogues that may lend one another turns."""
    group_of: tuple[int, ...]

    def cluster(self, row: int, settings: Replacing, seed: int, rank: Rank | None = None) -> Cluster | None:
        """The versions of the dialogue ``row``, a function of the seed; None where it is too short.

        A row beyond the dialogues is one of them again, spoilt in other ways, so that no epoch repeats another. With
        ``rank``, turns are replaced by ones near to them.
        """
        draw = random.Random(f"{seed}/{row}")
        place = row % len(self.dialogues)
        group = self.groups[self.group_of[place]]
        source = random_source(self.dialogues, place, group)
        if rank is not None:
            source = likely_source(self.dialogues, place, rank, among=group)
        samples = replaced_samples(self.dialogues[place], source, settings, draw)
        if not samples:
            return None
        original = samples[0].turns
        spoilt = draw.choice(FORMS)(original, draw)
        return Cluster(tuple(samples), spoilt if spoilt != original and all(spoilt) else None)


def material_of(dialogues: Iterable[Dialogue]) -> Material:
    """Dialogues of at least four turns; those of one corpus, as their metadata name it, lend one another turns.

    Instructions to a model and what tools returned are no turns here, as they are none in scoring.
    """
    texts: list[Texts] = []
    groups: dict[str, list[int]] = {}
    group_of: list[int] = []
    names: dict[str, int] = {}
    for dialogue in dialogues:
        turns = tuple(turn.text.strip() for turn in spoken_turns(dialogue))
        if len(turns) >= 4:
            corpus = str(dialogue.metadata.get("corpus", ""))
            group_of.append(names.setdefault(corpus, len(names)))
            groups.setdefault(corpus, []).append(len(texts))
            texts.append(turns)
    return Material(tuple(texts), tuple(map(tuple, groups.values())), tuple(group_of))
