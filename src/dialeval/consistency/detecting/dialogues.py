"""Contradictions in whole dialogues: every two utterances of a speaker, sentence by sentence, the worst pair quoted."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.consistency.detecting.neighbours import nearest_passages
from dialeval.consistency.detecting.scoring import HERE, Scorer, Work, score_pairs
from dialeval.consistency.pairs.types import Pair
from dialeval.data.speakers import Who, folded, speaks, spoken, who
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.errors import Unsuitable
from dialeval.selfeval.subjects import judged_speakers
from dialeval.text.sentences import has_words, is_question, split_sentences

Scope: TypeAlias = Literal["all", "last"]
"""Whether all turns are compared, or only the last one with those before it."""
Speakers: TypeAlias = Literal["system", "all"]
"""Whether only the turns of the dialogue's system are compared, where one knows who that is, or those of all."""
NO_PAIR: Final = "no two sentences by one speaker"
NO_SYSTEM_PAIR: Final = "no two sentences by the system"
NO_TURN: Final = "no turn with words"
NO_SPEAKER: Final = "turns without a speaker"
BLANK_LAST: Final = "the last turn has no words"
OUT_OF_REACH: Final = "no two turns by one speaker within reach"
REACH: Final = 60
"""How many turns back a turn is compared unless somebody asks for more; most dialogues are shorter."""
_HELD: Final = 20_000
"""Passages of several dialogues that are held together; a dialogue with more is held alone."""


class Reading(NamedTuple):
    """Which turns of a dialogue are compared."""

    scope: Scope = "all"
    reach: int | None = None
    """How many turns back a turn is compared; None for all the way."""
    judged: frozenset[str] = frozenset()
    """The speakers whose turns are compared, case aside; empty for all."""
    persona: tuple[str, ...] = ()
    """What the dialogue's file says of its system; its turns are also compared with each of these lines."""
    bearers: frozenset[str] = frozenset()
    """The speakers whose persona it is, case aside."""

    @property
    def whole(self) -> bool:
        """Whether all turns are compared."""
        return self.scope == "all"

    def of(self, dialogue: Dialogue, speakers: Speakers) -> Reading:
        """The reading of one dialogue: with ``system``, that of the judged speakers, or of all where none is known.

        Where only the last turn is asked about, its speaker is judged, also a user. A user who speaks alone is not
        the system. A persona is that of the system, so it is left out where nobody is known as the system.
        """
        own = frozenset(map(folded, judged_speakers(dialogue)))
        persona = persona_of(dialogue)
        reading = self._replace(persona=persona, bearers=own) if persona and own else self
        if speakers == "all" or self.scope == "last":
            return reading
        alone = {who(turn) for turn in spoken(dialogue.turns)} == {("user", None)}
        return reading._replace(judged=frozenset({"assistant"}) if alone else own)


def persona_of(dialogue: Dialogue) -> tuple[str, ...]:
    """The lines of ``metadata``'s ``persona``, a text or a list of texts; blank ones left out."""
    given = dialogue.metadata.get("persona") or ()
    lines = given.splitlines() if isinstance(given, str) else given
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        raise Unsuitable(
            f"Dialogue {dialogue.item!r} has a persona that is neither a text nor a list of texts. Write "
            '"metadata": {"persona": ["I have two dogs."]}.'
        )
    return tuple(line for line in lines if has_words(line))


PERSONA: Final = -1
"""Place of the persona's lines, which are before all turns."""
EVERYTHING: Final = Reading()
LAST_TURN: Final = Reading("last")


PARTS: Final = 0.9
"""By how much the log-odds of single sentences are lowered: they are many, and out of context.

A margin of 2, times Platt's slope of .44. Chosen on DECODE's validation and part of its training pairs put into other
dialogues (650: AUC .706 without handicaps, .747 with both), and confirmed on 300 held-out pairs (.718 to .747).
"""
INSIDE: Final = 1.3
"""The same for two sentences of one utterance: a margin of 3, chosen and confirmed together with `PARTS`."""


class Quoted(NamedTuple):
    """Two passages that may contradict each other, and where they are; the same turn twice where it does so itself."""

    first: int
    """The earlier turn, counted from 0; ``PERSONA`` for a line of it."""
    second: int
    pair: Pair
    handicap: float = 0.0
    """By how much the log-odds of a contradiction are lowered."""


class Found(NamedTuple):
    """The most contradictory passages of a dialogue."""

    quoted: Quoted
    probability: float
    """Probability that these passages contradict each other, lowered by their handicap; NaN if a judge gave none."""
    pairs: int = 1
    """How many different ones were compared in the dialogue."""
    others: tuple[Found, ...] = ()
    """The most contradictory passages of every other turn, each with a passage before it, in order."""
    own: int = 1
    """Number of different ones that were compared with this turn."""

    @property
    def by_turn(self) -> list[float]:
        """The highest probability of each turn, the dialogue's first."""
        return [self.probability, *(each.probability for each in self.others)]


class Cost(NamedTuple):
    """How much there is to compare in a dialogue."""

    passages: int
    beyond: int
    """Pairs of turns by one speaker that are further apart than the reach, and are not compared."""


class Case(NamedTuple):
    """A dialogue, and how it is read."""

    turns: Context
    reading: Reading = EVERYTHING


def obstacle(turns: Context, reading: Reading = EVERYTHING) -> str | None:
    """Why a dialogue cannot be checked, or None."""
    said = spoken(turns)
    if not any(has_words(turn.text) for turn in said):
        return NO_TURN
    if any(not turn.speaker.strip() for turn in said):
        return NO_SPEAKER
    if reading.scope == "last" and not has_words(said[-1].text):
        return BLANK_LAST
    if next(passages(turns, reading), None) is not None:
        return None
    if cost_of(turns, reading).beyond:
        return OUT_OF_REACH
    return NO_SYSTEM_PAIR if reading.judged else NO_PAIR


def passages(turns: Context, reading: Reading = EVERYTHING) -> Iterator[Quoted]:
    """All passages to compare: whole utterances, their statements one by one, and statements within an utterance.

    The turn between is the one just before the later utterance, where another speaker has it.
    """
    for first, second in _compared(turns, reading):
        if first == second:
            yield from _within(turns[second], second)
        elif reading.reach is None or second - first <= reading.reach:
            yield from _across(turns, first, second)
    for second in _borne(turns, reading):
        for line in reading.persona:
            yield from _beside(PERSONA, second, line, turns[second].text, _before(turns, second))


def cost_of(turns: Context, reading: Reading = EVERYTHING) -> Cost:
    """How many passages there are to compare, without making them."""
    total = beyond = 0
    for first, second in _compared(turns, reading):
        said, says = len(_statements(turns[first].text)), len(_statements(turns[second].text))
        if first == second:
            total += says * (says - 1) // 2
        elif reading.reach is None or second - first <= reading.reach:
            total += 1 + (said * says if said * says > 1 else 0)
        else:
            beyond += 1
    for second in _borne(turns, reading):
        says = len(_statements(turns[second].text))
        both = [says * len(_statements(line)) for line in reading.persona]
        total += sum(1 + (number if number > 1 else 0) for number in both)
    return Cost(total, beyond)


def _compared(turns: Context, reading: Reading) -> Iterator[tuple[int, int]]:
    """The places of every two turns of one speaker, and of each turn with itself."""
    speakers: dict[Who, list[int]] = defaultdict(list)
    for place, (turn, says) in enumerate(zip(turns, speaks(turns), strict=True)):
        if says and has_words(turn.text):
            speakers[who(turn)].append(place)
    last = max((places[-1] for places in speakers.values()), default=-1)
    for (role, _), places in speakers.items():
        if reading.judged and role not in reading.judged:
            continue
        for number, second in enumerate(places):
            if reading.scope == "all" or second == last:
                yield second, second
                yield from ((first, second) for first in places[:number])


def _borne(turns: Context, reading: Reading) -> list[int]:
    """The places of the turns that are compared with the persona."""
    if not reading.persona:
        return []
    said = [
        place
        for place, (turn, says) in enumerate(zip(turns, speaks(turns), strict=True))
        if says and has_words(turn.text)
    ]
    asked = said if reading.scope == "all" else said[-1:]
    return [place for place in asked if folded(turns[place].speaker) in reading.bearers]


def _across(turns: Context, first: int, second: int) -> Iterator[Quoted]:
    between = _before(turns, second) if second - 1 > first else ""
    return _beside(first, second, turns[first].text, turns[second].text, between)


def _before(turns: Context, second: int) -> str:
    """The turn before this one, if another speaker has it."""
    return turns[second - 1].text if second and who(turns[second - 1]) != who(turns[second]) else ""


def _beside(first: int, second: int, earlier: str, later: str, between: str) -> Iterator[Quoted]:
    yield Quoted(first, second, Pair(earlier, later, between))
    said, says = _statements(earlier), _statements(later)
    if len(said) * len(says) > 1:
        for one, other in product(said, says):
            yield Quoted(first, second, Pair(one, other, between), PARTS)


def _within(turn: Turn, place: int) -> Iterator[Quoted]:
    for one, other in combinations(_statements(turn.text), 2):
        yield Quoted(place, place, Pair(one, other), INSIDE)


# Each turn meets all others of its speaker, and is split only once.
@lru_cache(maxsize=8192)
def _statements(text: str) -> tuple[str, ...]:
    """Sentences that state something: a question contradicts nothing, and repeated words say nothing more."""
    return tuple(dict.fromkeys(part for part in split_sentences(text) if not is_question(part)))


def find_contradictions(
    cases: Sequence[Case], scorer: Scorer, *, nearest: int | None = None, work: Work = HERE
) -> list[Found | None]:
    """The worst passages of each dialogue; None where there is nothing to compare.

    All different pairs of a chunk of dialogues are scored together, each once, those of like length side by side. With
    ``nearest`` at most so many passages of a turn are read. Progress counts all passages.
    """
    return [found for chunk in _chunks(cases) for found in _find_together(chunk, scorer, nearest, work)]


def _chunks(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """The dialogues in order, some together, so that short ones share batches and long ones fit into memory."""
    chunk: list[Case] = []
    held = 0
    for case in cases:
        cost = cost_of(*case).passages
        if chunk and held + cost > _HELD:
            yield chunk
            chunk, held = [], 0
        chunk.append(case)
        held += cost
    if chunk:
        yield chunk


def _find_together(
    cases: Sequence[Case], scorer: Scorer, nearest: int | None, work: Work
) -> list[Found | None]:
    listed = _read_of(cases, nearest)
    total = sum(cost_of(*case).passages for case in cases)
    different = _different(listed)
    known = score_pairs(different, scorer, work)
    work.progress.advance(total - len(different))
    return [_worst(each, known) for each in listed]


def pairs_read(cases: Sequence[Case], nearest: int | None = None) -> list[Pair]:
    """The different pairs that a detector is to read in these dialogues."""
    return _different([each for case in cases for each in _read_of([case], nearest)])


def _read_of(cases: Sequence[Case], nearest: int | None) -> list[list[Quoted]]:
    listed = [list(passages(*case)) for case in cases]
    return listed if nearest is None else nearest_passages(listed, nearest, reads=may_differ)


def _different(listed: Sequence[Sequence[Quoted]]) -> list[Pair]:
    """Each pair once, those of like length side by side."""
    different = dict.fromkeys(quoted.pair for each in listed for quoted in each if may_differ(quoted.pair))
    return sorted(different, key=_length)


def _worst(listed: Sequence[Quoted], known: Mapping[Pair, float]) -> Found | None:
    """The most contradictory passages; some without a probability if there are any, as all are needed."""
    for quoted in listed:
        if math.isnan(known.get(quoted.pair, 0.0)):
            return Found(quoted, math.nan)
    pairs = max(len({quoted.pair for quoted in listed if quoted.pair in known}), 1)
    own: dict[int, set[Pair]] = defaultdict(set)
    for quoted in listed:
        if quoted.pair in known:
            own[quoted.second].add(quoted.pair)
    by_turn: dict[int, Found] = {}
    for quoted in listed:
        found = Found(
            quoted,
            _lowered(known.get(quoted.pair, 0.0), quoted.handicap),
            pairs,
            own=max(len(own[quoted.second]), 1),
        )
        held = by_turn.get(quoted.second)
        if held is None or found.probability > held.probability:
            by_turn[quoted.second] = found
    if not by_turn:
        return None
    worst = max(by_turn.values(), key=_probability)
    others = (by_turn[turn] for turn in sorted(by_turn) if turn != worst.quoted.second)
    return worst._replace(others=tuple(others))


def _lowered(probability: float, handicap: float) -> float:
    """The probability whose log-odds are lower by so much."""
    return probability / (probability + (1 - probability) * math.exp(handicap)) if probability else 0.0


def _length(pair: Pair) -> int:
    return sum(map(len, pair))


def _probability(found: Found) -> float:
    return found.probability


def may_differ(pair: Pair) -> bool:
    """Whether the two may contradict each other at all: not in the same words, and not where one only asks."""
    if pair.earlier.casefold().split() == pair.response.casefold().split():
        return False
    return bool(_statements(pair.earlier) and _statements(pair.response))
