"""Replacement of turns by turns of other dialogues (Ma et al., 2022, section 3.2).

A dialogue of n rounds has n places, one per round, at which a turn may be replaced; with i of them replaced its
reference score is (n - i) / n. Any other rule is a setting: every turn a place, places that count more, a bent scale.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import Unsuitable

Speakers: TypeAlias = Literal["one", "any"]
"""Whose turns are replaced: those of one speaker, drawn for each dialogue, or anyone's."""
Hardness: TypeAlias = Literal["random", "topic"]
"""What a turn is replaced by: any turn of another dialogue, or one that is near to it in meaning."""
Texts: TypeAlias = tuple[str, ...]
Rank: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike each of some texts is to a text."""


class Sample(NamedTuple):
    """A dialogue, spoilt or not, and how good it is by construction."""

    turns: Texts
    level: int
    """How many turns were replaced."""
    score: float
    """1 for an original, 0 where all that may be replaced is."""


@dataclass(frozen=True, slots=True)
class Replacing:
    """How turns are replaced; SelF-Eval (full) by default."""

    rounds: int | None = None
    """The dialogues' number of rounds, longer ones cut, 2 in the paper's (simple); None for 2 to ``most_rounds``."""
    most_rounds: int = 4
    levels: tuple[int, ...] | None = None
    """Which numbers of replaced turns occur; None for all from 0."""
    per_level: int = 2
    """Samples of each level, drawn; all there are where there are fewer. The original is one sample."""
    speakers: Speakers = "one"
    hardness: Hardness = "random"
    last_turn: float = 0.0
    """How often the last turn is among the replaced, by force, so that responses are judged in their context."""
    late: float = 1.0
    """What a place counts relative to the one before it; 1 where all count the same, as in the paper."""
    curve: float = 1.0
    """The exponent of the reference score; 1 for the paper's straight line, above 1 where the first spoils most."""

    def score(self, weights: Sequence[float], replaced: Sequence[int]) -> float:
        """The reference score where these places, of all with their weights, are replaced."""
        left = math.fsum(weights) - math.fsum(weights[place] for place in replaced)
        return float((left / math.fsum(weights)) ** self.curve)


SIMPLE: Final = Replacing(rounds=2, levels=(0, 1, 2))
"""SelF-Eval (simple): two rounds, three levels."""

Source: TypeAlias = Callable[[str, random.Random], str]
"""A turn of another dialogue to put in the place of this one."""


def replaced_samples(
    turns: Sequence[str], source: Source, settings: Replacing, draw: random.Random
) -> list[Sample]:
    """The original and its spoilt versions, by level; none of a dialogue that is too short."""
    cut = _window(turns, settings, draw)
    places = _places(cut, settings, draw)
    if len(places) < 2:
        return []
    weights = [settings.late**number for number in range(len(places))]
    samples = []
    for level in settings.levels or range(len(places) + 1):
        for chosen in _chosen(len(places), level, settings, draw):
            spoilt = list(cut)
            for number in chosen:
                spoilt[places[number]] = source(cut[places[number]], draw)
            samples.append(Sample(tuple(spoilt), level, settings.score(weights, chosen)))
    return samples


def _window(turns: Sequence[str], settings: Replacing, draw: random.Random) -> Texts:
    """So many rounds in a row, from anywhere in the dialogue; all of it where it is shorter."""
    most = 2 * (settings.rounds or draw.randint(2, max(settings.most_rounds, 2)))
    start = draw.randrange(max(len(turns) - most, 0) + 1)
    return tuple(turns[start : start + most])


def _places(turns: Texts, settings: Replacing, draw: random.Random) -> list[int]:
    if settings.rounds is not None and len(turns) < 2 * settings.rounds:
        return []
    if settings.speakers == "any":
        return list(range(len(turns)))
    # The last speaker answers someone in every place; the first one's opening answers nobody.
    last = (len(turns) - 1) % 2
    return list(range(last if draw.random() < 0.5 or settings.last_turn else 1 - last, len(turns), 2))


def _chosen(count: int, level: int, settings: Replacing, draw: random.Random) -> list[tuple[int, ...]]:
    """Different sets of ``level`` of ``count`` places."""
    if level > count:
        return []
    fixed = level > 0 and draw.random() < settings.last_turn
    free, size = (count - 1, level - 1) if fixed else (count, level)
    if math.comb(free, size) <= settings.per_level:
        sets = list(combinations(range(free), size))
    else:
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < settings.per_level:
            drawn[tuple(sorted(draw.sample(range(free), size)))] = None
        sets = list(drawn)
    return [(*each, count - 1) for each in sets] if fixed else sets


def random_source(dialogues: Sequence[Sequence[str]], own: int, among: Sequence[int] | None = None) -> Source:
    """Any turn of any dialogue but the one numbered ``own``; only of those numbered in ``among`` where given."""
    numbers = range(len(dialogues)) if among is None else among
    if len(numbers) < 2:
        raise Unsuitable(
            f"Found {len(numbers)} dialogues to take turns from; expected at least 2. Give more dialogues."
        )

    def turn(_replaced: str, draw: random.Random) -> str:
        other = own
        while other == own:
            other = draw.choice(numbers)
        return draw.choice(dialogues[other])

    return turn


def likely_source(
    dialogues: Sequence[Sequence[str]],
    own: int,
    rank: Rank,
    tries: int = 8,
    among: Sequence[int] | None = None,
) -> Source:
    """The nearest of some random turns of other dialogues to the replaced one, as ``rank`` has it: harder to notice."""
    anyone = random_source(dialogues, own, among)

    def turn(replaced: str, draw: random.Random) -> str:
        found = [anyone(replaced, draw) for _ in range(tries)]
        likeness = rank(replaced, found)
        return found[max(range(tries), key=lambda place: likeness[place])]

    return turn
