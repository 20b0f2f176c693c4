"""Contradictions in whole dialogues: every two utterances of a speaker, sentence by sentence, the worst pair quoted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from dialeval.consistency.detecting.sentences import is_question, split_sentences
from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.data.types import Context, Turn

Scope: TypeAlias = Literal["all", "last"]
"""Whether all turns are compared, or only the last one with those before it."""
_UNSPOKEN: Final = ("system", "tool", "function")
NO_PAIR: Final = "no two sentences by one speaker"
NO_TURN: Final = "no turn with words"
NO_SPEAKER: Final = "turns without a speaker"


class Quoted(NamedTuple):
    """Two passages that may contradict each other, and where they are; the same turn twice where it does so itself."""

    first: int
    """The earlier turn, counted from 0."""
    second: int
    pair: Pair


class Found(NamedTuple):
    """The most contradictory passages of a dialogue."""

    quoted: Quoted
    probability: float


class Scorer(Protocol):
    """What gives pairs their probabilities."""

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """One per pair."""
        ...


def obstacle(turns: Context, scope: Scope = "all") -> str | None:
    """Why a dialogue cannot be checked, or None."""
    spoken = [turn for turn in turns if turn.speaker not in _UNSPOKEN]
    if not any(turn.text.strip() for turn in spoken):
        return NO_TURN
    if any(not turn.speaker.strip() for turn in spoken):
        return NO_SPEAKER
    return None if next(passages(turns, scope), None) is not None else NO_PAIR


def passages(turns: Context, scope: Scope = "all") -> Iterator[Quoted]:
    """All passages to compare: whole utterances, their statements one by one, and statements within an utterance.

    The turn between is the one just before the later utterance, where another speaker has it.
    """
    speakers: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for place, turn in enumerate(turns):
        if turn.speaker not in _UNSPOKEN and turn.text.strip():
            speakers[_who(turn)].append(place)
    last = max((places[-1] for places in speakers.values()), default=-1)
    for places in speakers.values():
        for second in places:
            if scope == "last" and second != last:
                continue
            yield from _within(turns[second], second)
            for first in places[: places.index(second)]:
                yield from _across(turns, first, second)


def _across(turns: Context, first: int, second: int) -> Iterator[Quoted]:
    earlier, later = turns[first].text, turns[second].text
    before = turns[second - 1]
    between = before.text if second - 1 > first and _who(before) != _who(turns[second]) else ""
    yield Quoted(first, second, Pair(earlier, later, between))
    said, says = _statements(earlier), _statements(later)
    if len(said) * len(says) > 1:
        for one, other in product(said, says):
            yield Quoted(first, second, Pair(one, other, between))


def _within(turn: Turn, place: int) -> Iterator[Quoted]:
    for one, other in combinations(_statements(turn.text), 2):
        yield Quoted(place, place, Pair(one, other))


def _statements(text: str) -> list[str]:
    """Sentences that state something: a question contradicts nothing, and repeated words say nothing more."""
    return list(dict.fromkeys(part for part in split_sentences(text) if not is_question(part)))


def find_contradictions(
    dialogues: Iterable[Context], scorer: Scorer, *, scope: Scope = "all"
) -> list[Found | None]:
    """The worst passages of each dialogue; None where there is nothing to compare. All pairs are run together."""
    listed = [list(passages(turns, scope)) for turns in dialogues]
    different = dict.fromkeys(quoted.pair for each in listed for quoted in each if _may_differ(quoted.pair))
    values = scorer.probabilities(list(different))
    known = dict(zip(different, map(float, values), strict=True))
    return [
        max((Found(quoted, known.get(quoted.pair, 0.0)) for quoted in each), key=_probability, default=None)
        for each in listed
    ]


def _probability(found: Found) -> float:
    return found.probability


def _may_differ(pair: Pair) -> bool:
    """Whether the two may contradict each other at all: not in the same words, and not where one only asks."""
    if pair.earlier.casefold().split() == pair.response.casefold().split():
        return False
    return bool(_statements(pair.earlier) and _statements(pair.response))


def _who(turn: Turn) -> tuple[str, str | None]:
    return turn.speaker, turn.name
