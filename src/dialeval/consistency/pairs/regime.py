"""The training pairs of the thesis (Sato, 2024, appendix 4.7.4): which utterance stands beside a response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from dialeval.consistency.pairs.types import LabelledPair


def with_random_earlier(pairs: Iterable[LabelledPair], *, seed: int = 0) -> list[LabelledPair]:
    """Contradictions as they are; a consistent response beside a random earlier utterance of its speaker.

    So that a detector learns that unrelated utterances are consistent. Pairs from sets without whole dialogues stay.
    """
    draw = Random(seed)
    chosen = []
    for labelled in pairs:
        if labelled.contradicts or not labelled.others:
            chosen.append(labelled)
            continue
        earlier = draw.choice((labelled.pair.earlier, *labelled.others))
        chosen.append(replace(labelled, pair=labelled.pair._replace(earlier=earlier)))
    return chosen


def balanced(pairs: Sequence[LabelledPair], *, seed: int = 0) -> list[LabelledPair]:
    """As many contradictions as other pairs, by leaving out some of the more frequent; the order stays."""
    yes = [place for place, labelled in enumerate(pairs) if labelled.contradicts]
    no = [place for place, labelled in enumerate(pairs) if not labelled.contradicts]
    fewer = min(len(yes), len(no))
    draw = Random(seed)
    kept = {*draw.sample(yes, fewer), *draw.sample(no, fewer)}
    return [pairs[place] for place in sorted(kept)]
