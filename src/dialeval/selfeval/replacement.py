"""Replacement of turns by turns of other dialogues (Ma et al., 2022, section 3.2).

A dialogue of n rounds has n places, one per round, at which a turn may be replaced; with i of them replaced its
reference score is (n - i) / n. Any other rule is a setting: every turn a place, places that count more, a bent scale,
and turns of two grades, near in meaning to the replaced one or far from it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import Unsuitable

Speakers: TypeAlias = Literal["one", "any"]
"""Speakers whose turns are replaced: one, drawn for each dialogue, or anyone."""
Hardness: TypeAlias = Literal["random", "topic", "graded"]
"""Source of the new turn: any turn of another dialogue, one that is near to it in meaning, or either, as levels."""
Texts: TypeAlias = tuple[str, ...]
Rank: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Likeness of each of some texts to a text."""


class Sample(NamedTuple):
    """A dialogue, spoilt or not, and how good it is by construction."""

    turns: Texts
    level: int
    """Number of replaced turns; if they have grades, a near one counts 1 and a far one 2."""
    score: float
    """1 for an original, 0 if all that may be replaced is."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Rules by which turns are replaced; SelF-Eval (full) by default."""

    rounds: int | None = None
    """The dialogues' number of rounds, longer ones cut, 2 in the paper's (simple); None for 2 to ``most_rounds``."""
    most_rounds: int | None = 4
    """None for dialogues of any length, uncut."""
    levels: tuple[int, ...] | None = None
    """Levels that occur; None for all from 0."""
    per_level: int | None = 2
    """Samples of each level, drawn; all there are if there are fewer, or if None. The original is one sample."""
    speakers: Speakers = "one"
    hardness: Hardness = "random"
    last_turn: float = 0.0
    """Share of samples whose last turn is replaced by force, so that responses are judged in their context."""
    late: float = 1.0
    """Weight of a place relative to the one before it; 1 if all count the same, as in the paper."""
    curve: float = 1.0
    """The exponent of the reference score; 1 for the paper's straight line, above 1 if the first spoils most."""
    near: float = 0.5
    """Damage of a near turn relative to that of a far one, if turns have grades."""

    @property
    def grades(self) -> int:
        """Steps by which one replaced turn may lower a dialogue: 2 if it may be near or far, else 1."""
        return 2 if self.hardness == "graded" else 1

    def damage(self, grade: int) -> float:
        """Share of its place's weight that a turn of this grade costs."""
        return 1.0 if grade == self.grades else self.near

    def score(self, weights: Sequence[float], grades: Mapping[int, int]) -> float:
        """The reference score if these places, of all with their weights, have turns of these grades."""
        lost = math.fsum(weights[place] * self.damage(grade) for place, grade in grades.items())
        left = math.fsum(weights) - lost
        return float((max(left, 0.0) / math.fsum(weights)) ** self.curve)

    def samples(self, places: int) -> int:
        """Number of samples that a dialogue with so many places has, at most."""
        counts = [1]
        for _ in range(places):
            steps = [counts[max(0, n - self.grades) : n + 1] for n in range(len(counts) + self.grades)]
            counts = [sum(each) for each in steps]
        most = max(counts) if self.per_level is None else self.per_level
        return sum(min(count, most) for level, count in enumerate(counts) if self._has(level))

    def _has(self, level: int) -> bool:
        return self.levels is None or level in self.levels


SIMPLE: Final = Replacement(rounds=2, levels=(0, 1, 2))
"""SelF-Eval (simple): two rounds, three levels."""

Source: TypeAlias = Callable[[str, random.Random], str]
"""A turn of another dialogue to put in the place of this one."""


def replaced_samples(
    turns: Sequence[str],
    source: Source,
    settings: Replacement,
    draw: random.Random,
    near: Source | None = None,
) -> list[Sample]:
    """The original and its spoilt versions, by level; none of a dialogue that is too short.

    If turns have grades, near ones come from ``near`` and far ones from ``source``.
    """
    cut = _window(turns, settings, draw)
    places = _places(cut, settings, draw)
    if len(places) < 2:
        return []
    weights = [settings.late**number for number in range(len(places))]
    samples = []
    for level in settings.levels or range(settings.grades * len(places) + 1):
        for grades in _graded(len(places), level, settings, draw):
            spoilt = list(cut)
            for number, grade in grades.items():
                lender = near if near is not None and grade < settings.grades else source
                spoilt[places[number]] = lender(cut[places[number]], draw)
            samples.append(Sample(tuple(spoilt), level, settings.score(weights, grades)))
    return samples


def _window(turns: Sequence[str], settings: Replacement, draw: random.Random) -> Texts:
    """So many rounds in a row, from anywhere in the dialogue; all of it if it is shorter."""
    if settings.rounds is None and settings.most_rounds is None:
        return tuple(turns)
    most = 2 * (settings.rounds or draw.randint(2, max(settings.most_rounds or 2, 2)))
    start = draw.randrange(max(len(turns) - most, 0) + 1)
    return tuple(turns[start : start + most])


def _places(turns: Texts, settings: Replacement, draw: random.Random) -> list[int]:
    if settings.rounds is not None and len(turns) < 2 * settings.rounds:
        return []
    if settings.speakers == "any":
        return list(range(len(turns)))
    # The last speaker answers someone in every place; the first one's opening answers nobody.
    last = (len(turns) - 1) % 2
    return list(range(last if draw.random() < 0.5 or settings.last_turn else 1 - last, len(turns), 2))


def _graded(count: int, level: int, settings: Replacement, draw: random.Random) -> list[dict[int, int]]:
    """Different grades of places, of those among ``count`` that are replaced, which add up to ``level``."""
    if settings.grades == 1:
        return [dict.fromkeys(chosen, 1) for chosen in _chosen(count, level, settings, draw)]
    fixed = level > 0 and draw.random() < settings.last_turn
    # So many far turns, which count 2, and so many near ones.
    splits = [(far, level - 2 * far) for far in range(level // 2 + 1) if level - far <= count]
    numbers = [math.comb(count, far) * math.comb(count - far, near) for far, near in splits]
    if settings.per_level is None or sum(numbers) <= settings.per_level:
        found = [each for split in splits for each in _arrangements(count, *split)]
        return [grades for grades in found if not fixed or count - 1 in grades]
    drawn: dict[tuple[tuple[int, int], ...], None] = {}
    for _ in range(20 * settings.per_level):
        far, near = draw.choices(splits, numbers)[0]
        places = draw.sample(range(count), far + near)
        if fixed and count - 1 not in places:
            places[draw.randrange(len(places))] = count - 1
        drawn[tuple(sorted((place, 1 + (at < far)) for at, place in enumerate(places)))] = None
        if len(drawn) == settings.per_level:
            break
    return [dict(each) for each in drawn]


def _arrangements(count: int, far: int, near: int) -> Iterator[dict[int, int]]:
    for fars in combinations(range(count), far):
        for nears in combinations([place for place in range(count) if place not in fars], near):
            yield {**dict.fromkeys(fars, 2), **dict.fromkeys(nears, 1)}


def _chosen(count: int, level: int, settings: Replacement, draw: random.Random) -> list[tuple[int, ...]]:
    """Different sets of ``level`` of ``count`` places."""
    if level > count:
        return []
    fixed = level > 0 and draw.random() < settings.last_turn
    free, size = (count - 1, level - 1) if fixed else (count, level)
    if settings.per_level is None or math.comb(free, size) <= settings.per_level:
        sets = list(combinations(range(free), size))
    else:
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < settings.per_level:
            drawn[tuple(sorted(draw.sample(range(free), size)))] = None
        sets = list(drawn)
    return [(*each, count - 1) for each in sets] if fixed else sets


def random_source(dialogues: Sequence[Sequence[str]], own: int, among: Sequence[int] | None = None) -> Source:
    """Any turn of any dialogue but the one numbered ``own``; only of those numbered in ``among`` if given."""
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
