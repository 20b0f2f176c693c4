"""Lessons of the cross-encoder: true responses of real dialogues, and false ones that do not fit or are badly formed.

Both faults have an output of their own, since in one they fight: a turn of another dialogue is well formed, and the
true response with its words shuffled is still about the right thing. What is unknown of a lesson teaches nothing.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.selfeval.corruption import GENERIC, WORDINGS, Material
from dialeval.selfeval.crossencoder.reading import BEFORE
from dialeval.selfeval.replacement import Texts

OUTPUTS: Final = ("fits", "form")
_AMONG: Final = 200
"""Turns of which the one most like the context and the true response is a near false response."""
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Lesson(NamedTuple):
    """A response after its context, and whether it fits and is well formed; None if that is not known."""

    context: Texts
    response: str
    fits: bool | None
    formed: bool | None
    kind: str
    """``true``, or the way in which it is false."""

    @property
    def segments(self) -> Texts:
        """Return what the encoder reads."""
        return (*self.context[-BEFORE:], self.response)


def true_lesson(context: Texts, response: str) -> Lesson:
    """A response that somebody gave."""
    return Lesson(context, response, fits=True, formed=True, kind="true")


def unfit_lesson(context: Texts, response: str, kind: str) -> Lesson:
    """A well-formed response to something else."""
    return Lesson(context, response, fits=False, formed=True, kind=kind)


class _Scene(NamedTuple):
    """A dialogue, the place of the response in it, its group's dialogues, and a draw."""

    turns: Texts
    place: int
    others: Turns
    draw: random.Random

    @property
    def context(self) -> Texts:
        return self.turns[max(self.place - BEFORE, 0) : self.place]

    @property
    def response(self) -> str:
        return self.turns[self.place]


class Turns(NamedTuple):
    """All turns of a group of dialogues, with the words that each has and how rare they are."""

    texts: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    rarity: Mapping[str, float]

    @classmethod
    def of(cls, dialogues: Sequence[Texts]) -> Turns:
        """The turns of these dialogues, each text once."""
        texts = tuple(dict.fromkeys(turn for turns in dialogues for turn in turns))
        words = tuple(map(_words, texts))
        counts = Counter(word for each in words for word in each)
        rarity = {word: math.log(len(texts) / count) for word, count in counts.items()}
        return cls(texts, words, rarity)

    def likeness(self, row: int, wanted: frozenset[str]) -> float:
        """The rarity of the words that a turn shares with what is wanted, over the root of its number of words."""
        shared = sorted(self.words[row] & wanted)
        return math.fsum(self.rarity.get(word, 0.0) for word in shared) / math.sqrt(len(self.words[row]) + 1)


def stranger(scene: _Scene) -> str:
    """A turn of any dialogue, hardly ever of this one."""
    return scene.draw.choice(scene.others.texts)


def near_stranger(scene: _Scene) -> str:
    """Of many turns of any dialogue, the one that shares most rare words with the context and the true response."""
    wanted = frozenset().union(*(_words(turn) for turn in (*scene.context[-2:], scene.response)))
    drawn = scene.draw.sample(range(len(scene.others.texts)), min(_AMONG, len(scene.others.texts)))
    return scene.others.texts[max(drawn, key=lambda row: scene.others.likeness(row, wanted))]


def elsewhere(scene: _Scene) -> str:
    """A turn that comes later in the same dialogue, or else a stranger's."""
    later = scene.turns[scene.place + 1 :]
    return scene.draw.choice(later) if later else near_stranger(scene)


def said_again(scene: _Scene) -> str:
    """An earlier turn of either side."""
    return scene.draw.choice(scene.context)


def spoilt(scene: _Scene) -> str:
    """The true response with some of its words dropped, repeated, shuffled or exchanged."""
    return scene.draw.choice(WORDINGS)(scene.response, scene.draw)


def cut_off(scene: _Scene) -> str:
    """The beginning of the true response."""
    words = scene.response.split()
    return " ".join(words[: max(len(words) * scene.draw.randint(30, 70) // 100, 1)]).rstrip(".!?, ")


def generic(scene: _Scene) -> str:
    """A reply that fits almost anything."""
    return scene.draw.choice(GENERIC)


UNFIT: Final[Mapping[Callable[[_Scene], str], float]] = {stranger: 0.4, near_stranger: 0.4, elsewhere: 0.2}
ILL_FORMED: Final[Mapping[Callable[[_Scene], str], float]] = {
    spoilt: 0.4,
    cut_off: 0.15,
    said_again: 0.25,
    generic: 0.2,
}


def lessons_of(material: Material, count: int, *, seed: int, form: float = 0.5) -> Iterator[Lesson]:
    """Lessons about ``count`` responses: each as it was given, one that does not fit, and one more false one.

    The last is badly formed in a share ``form`` of cases. Responses are drawn evenly over the dialogues of all groups.
    """
    draw = random.Random(f"lessons {seed}")
    groups = [Turns.of([material.dialogues[row] for row in group]) for group in material.groups]
    rows = list(range(len(material.dialogues)))
    draw.shuffle(rows)
    for number in range(count):
        row = rows[number % len(rows)]
        turns = material.dialogues[row]
        scene = _Scene(turns, draw.randrange(1, len(turns)), groups[material.group_of[row]], draw)
        yield true_lesson(scene.context, scene.response)
        yield from _false(scene, UNFIT)
        yield from _false(scene, ILL_FORMED if draw.random() < form else UNFIT)


def _false(scene: _Scene, ways: Mapping[Callable[[_Scene], str], float]) -> Iterator[Lesson]:
    way = scene.draw.choices(list(ways), list(ways.values()))[0]
    response = way(scene).strip()
    if response and response != scene.response:
        if ways is UNFIT:
            yield unfit_lesson(scene.context, response, way.__name__)
        else:
            yield Lesson(scene.context, response, fits=None, formed=False, kind=way.__name__)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
