"""Contradictions made by rules from real dialogues, with consistent pairs of the same form beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

from dialeval.consistency.pairs.rules import CONTRADICTING, restated
from dialeval.consistency.pairs.types import LabelledPair, Pair
from dialeval.data.types import Context, Dialogue
from dialeval.text.sentences import split_sentences

_STATEMENT: Final = re.compile(r"\b(i|my|we|our|me|mine)\b", re.IGNORECASE)
_LONGEST: Final = 30


def made_pairs(
    dialogues: Iterable[Dialogue], *, seed: int = 0, per_dialogue: int = 2
) -> Iterator[LabelledPair]:
    """From each dialogue at most this many pairs of each class.

    A contradiction is a statement about the speaker, and a later turn of the same speaker in which a rule has changed
    it. The consistent ones are that turn without the change, two real turns of one speaker, and the statement restated.
    """
    for dialogue in dialogues:
        draw = Random(f"{seed} {dialogue.item}")
        turns = dialogue.turns
        places = [place for place in range(len(turns)) if _statements(turns[place].text)]
        draw.shuffle(places)
        for place in places[:per_dialogue]:
            yield from _from_turn(turns, place, draw)


def _from_turn(turns: Context, place: int, draw: Random) -> Iterator[LabelledPair]:
    earlier = turns[place].text
    sentence = draw.choice(_statements(earlier))
    later = [other for other in range(place + 2, len(turns)) if turns[other].speaker == turns[place].speaker]
    end = draw.choice(later) if later else None
    between = turns[end - 1].text if end is not None else ""
    if end is not None:
        yield LabelledPair(Pair(earlier, turns[end].text, between), "consistent", "made:real")
    rules = list(CONTRADICTING.items())
    draw.shuffle(rules)
    for name, rule in rules:
        changed = rule(sentence, draw)
        if changed is not None and changed != sentence:
            # Half of them with words of the real turn behind, as a contradiction rarely stands alone.
            tail = f" {turns[end].text}" if end is not None and draw.random() < 0.5 else ""
            yield LabelledPair(Pair(earlier, f"{changed}{tail}", between), "contradiction", f"made:{name}")
            same = restated(sentence, draw)
            yield LabelledPair(Pair(earlier, f"{same}{tail}", between), "consistent", "made:restated")
            return


def _statements(text: str) -> list[str]:
    return [
        sentence
        for sentence in split_sentences(text)
        if not sentence.endswith("?")
        and 3 <= len(sentence.split()) <= _LONGEST
        and _STATEMENT.search(sentence)
    ]
