"""Questions by rules about what was said earlier, to ask a live system (after CDConv, Zheng et al., 2022).

The kinds come in the order of how often they made systems contradict themselves there: a false presupposition about
something of the user's (60 %), a plain question about it (46 %), a question about something of the system's own (38 %),
its opposite (33 %), a paraphrase (32 %), a filler (26 %).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from dialeval.consistency.pairs.rules import antonym, entity, negation, number, pronoun
from dialeval.consistency.probing.followups import statements
from dialeval.consistency.probing.persons import as_heard
from dialeval.consistency.probing.probes import KINDS, Kind, Probe, named
from dialeval.data.speakers import Who, folded, speaks, who
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.selfeval.subjects import judged_speakers

NO_SYSTEM_TURN: Final = "no turn of the assistant, or of a second speaker"
NO_STATEMENT: Final = "no statement about a speaker to ask about"
_ADJECTIVES: Final = (
    "little|old|new|young|younger|older|favou?rite|first|second|best|own|big|small|large|tiny|huge|good|great|nice|lovely"
    "|beautiful|cute|long|short|black|white|red|blue|green|brown|grey|gray|yellow|whole|real|next|last|dear|other"
)
_NUMBERS: Final = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    "|ninety|hundred|several|many"
)
_THING: Final = re.compile(
    r"\b(?:my|our|(?:have|had|got|bought|own|adopted)\s+an?)\s+"
    rf"((?:(?:{_ADJECTIVES}|{_NUMBERS})\s+)*(?!(?:{_ADJECTIVES}|{_NUMBERS})\b)[a-z]{{3,}})\b",
    re.IGNORECASE,
)
"""Something that the speaker has, with its adjectives and its number."""
_NO_THINGS: Final = "bit lot few while couple good great nice big own one day time way kind sort"
_NOT_THINGS: Final = frozenset(_NO_THINGS.split())
_FIRST_PERSON: Final = re.compile(r"\b(i|i['’](?:m|ve|d|ll)|my|we|our)\b", re.IGNORECASE)
_OPENERS: Final = (
    "hi|hello|hey|oh|ah|aw|well|wow|yes|yeah|yep|no|nope|ok|okay|sure|right|so|haha|thanks|thank you"
)
_OPENING: Final = re.compile(rf"^(?:(?:{_OPENERS})\s*[,!]+\s*)+", re.IGNORECASE)
"""What a statement may begin with that is not said of anything: "Hi, ..."."""
_FILLERS: Final = ("Can you say that again?", "I did not quite get that. What did you say?")


@dataclass(frozen=True, slots=True)
class Asked:
    """Probes by rules, and the dialogues that gave none, by reason."""

    probes: tuple[Probe, ...]
    excluded: Counter[str]


def entity_probes(dialogues: Iterable[Dialogue], *, per_dialogue: int = 3, seed: int = 0) -> Asked:
    """At most this many probes for each dialogue, those of the most successful kinds first.

    The dialogue is continued by a question of the user's after the last turn of the system, or of the speaker who
    spoke second where nobody knows who the system is.
    """
    probes: list[Probe] = []
    excluded: Counter[str] = Counter()
    for item, dialogue in named(dialogues):
        talk = _up_to_answer(dialogue)
        if talk is None:
            excluded[NO_SYSTEM_TURN] += 1
            continue
        made = list(_in_dialogue(item, talk, Random(f"{seed} {item}")))
        if not made:
            excluded[NO_STATEMENT] += 1
        probes += sorted(made, key=lambda probe: KINDS.index(probe.kind))[:per_dialogue]
    probes.sort(key=lambda probe: KINDS.index(probe.kind))
    return Asked(tuple(probes), excluded)


class _Talk(NamedTuple):
    """A dialogue up to the last turn of the system."""

    turns: Context
    """Instructions included, which a live system reads too."""
    places: tuple[int, ...]
    """Of the turns that somebody says."""
    system: Who
    """The speaker that is asked."""
    asker: Turn
    """A turn of the one who asks."""


def _up_to_answer(dialogue: Dialogue) -> _Talk | None:
    """The turns up to the last one of the system; None where there is none."""
    turns = dialogue.turns
    said = [place for place, says in enumerate(speaks(turns)) if says and turns[place].text.strip()]
    speakers = list(dict.fromkeys(who(turns[place]) for place in said))
    if len(speakers) < 2:
        return None
    judged = set(map(folded, judged_speakers(dialogue)))
    system = next((speaker for speaker in speakers if speaker[0] in judged), speakers[1])
    last = max(place for place in said if who(turns[place]) == system)
    asker = next(turns[place] for place in reversed(said) if who(turns[place]) != system)
    return _Talk(turns[: last + 1], tuple(place for place in said if place <= last), system, asker)


def _in_dialogue(item: str, talk: _Talk, draw: Random) -> Iterator[Probe]:
    for place in talk.places:
        turn = talk.turns[place]
        for sentence in statements(turn.text):
            if not _FIRST_PERSON.search(sentence):
                continue
            about = _about_own if who(turn) == talk.system else _about_users
            made = [_probe(item, talk, place, *asked, sentence) for asked in about(sentence, draw)]
            yield from made
            if made:
                break


def _about_users(sentence: str, draw: Random) -> Iterator[tuple[Kind, str]]:
    """Questions of the user about something of the user's own."""
    thing = next((match for match in _THING.finditer(sentence) if _is_thing(match)), None)
    if thing is None:
        return
    own = f"my {thing[1].lower()}"
    for rule in (pronoun, number, entity, antonym):
        changed = rule(own, draw)
        if changed is not None:
            yield "user-entity-modified", f"Do you remember what I told you about {changed}?"
            break
    yield "user-entity", f"Do you remember what I told you about {own}?"


def _about_own(sentence: str, draw: Random) -> Iterator[tuple[Kind, str]]:
    """Questions of the user about something of the system's."""
    heard = as_heard(_OPENING.sub("", sentence)).rstrip(".! ")
    thing = next((match for match in _THING.finditer(sentence) if _is_thing(match)), None)
    if thing is not None:
        yield "own-entity", f"Can you tell me more about your {thing[1].lower()}?"
    opposite = antonym(heard, draw) or negation(heard, draw)
    if opposite is not None:
        yield "antonym", f"So {_lowered(opposite)}, is that right?"
    yield "paraphrase", f"You said that {_lowered(heard)}, did you not?"
    yield "filler", draw.choice(_FILLERS)


def _is_thing(match: re.Match[str]) -> bool:
    return match[1].split()[-1].lower() not in _NOT_THINGS


def _lowered(sentence: str) -> str:
    return sentence if sentence[:2] in ("I ", "I'") else sentence[:1].lower() + sentence[1:]


def _probe(item: str, talk: _Talk, place: int, kind: Kind, question: str, passage: str) -> Probe:
    context = (*talk.turns, Turn(talk.asker.speaker, question, talk.asker.name))
    distance = sum(other >= place for other in talk.places)
    return Probe(f"{item}/{kind}-{place}", context, question, place, distance, kind, passage=passage)
