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
from typing import Final

from dialeval.consistency.pairs.rules import antonym, entity, negation, number, pronoun
from dialeval.consistency.probing.followups import statements
from dialeval.consistency.probing.persons import as_heard
from dialeval.consistency.probing.probes import KINDS, Kind, Probe, named
from dialeval.data.types import Context, Dialogue, Turn

NO_SYSTEM_TURN: Final = "no turn of the assistant, or of a second speaker"
NO_STATEMENT: Final = "no statement about a speaker to ask about"
_THING: Final = re.compile(
    r"\b(my|our|an?)\s+((?:(?:little|old|new|younger|older|favou?rite|first|best|own)\s+)?[a-z]{3,})\b",
    re.IGNORECASE,
)
_NO_THINGS: Final = "bit lot few while couple good great nice big own one day time way kind sort"
_NOT_THINGS: Final = frozenset(_NO_THINGS.split())
_FIRST_PERSON: Final = re.compile(r"\b(i|i['’](?:m|ve|d|ll)|my|we|our)\b", re.IGNORECASE)
_FILLERS: Final = ("Can you say that again?", "I did not quite get that. What did you say?")


@dataclass(frozen=True, slots=True)
class Asked:
    """Probes by rules, and the dialogues that gave none, by reason."""

    probes: tuple[Probe, ...]
    excluded: Counter[str]


def entity_probes(dialogues: Iterable[Dialogue], *, per_dialogue: int = 3, seed: int = 0) -> Asked:
    """At most so many probes for each dialogue, those of the most successful kinds first.

    The dialogue is continued by a question of the user's after the last turn of the assistant, or of the speaker who
    spoke second where nobody is called assistant.
    """
    probes: list[Probe] = []
    excluded: Counter[str] = Counter()
    for item, dialogue in named(dialogues):
        turns = _up_to_answer(dialogue.turns)
        if turns is None:
            excluded[NO_SYSTEM_TURN] += 1
            continue
        own = list(_in_dialogue(item, turns, Random(f"{seed} {item}")))
        if not own:
            excluded[NO_STATEMENT] += 1
        probes += sorted(own, key=lambda probe: KINDS.index(probe.kind))[:per_dialogue]
    probes.sort(key=lambda probe: KINDS.index(probe.kind))
    return Asked(tuple(probes), excluded)


def _up_to_answer(turns: Context) -> Context | None:
    """The turns up to the last one of the system; None where there is none."""
    spoken = tuple(turn for turn in turns if turn.speaker not in ("system", "tool", "function"))
    speakers = list(dict.fromkeys(turn.speaker for turn in spoken))
    if len(speakers) < 2:
        return None
    system = "assistant" if "assistant" in speakers else speakers[1]
    last = max(place for place, turn in enumerate(spoken) if turn.speaker == system)
    return spoken[: last + 1]


def _in_dialogue(item: str, turns: Context, draw: Random) -> Iterator[Probe]:
    system = turns[-1].speaker
    for place, turn in enumerate(turns):
        for sentence in statements(turn.text):
            if not _FIRST_PERSON.search(sentence):
                continue
            made = _about_own(sentence, draw) if turn.speaker == system else _about_users(sentence, draw)
            for kind, question in made:
                yield _probe(item, turns, place, kind, question, sentence)
            break


def _about_users(sentence: str, draw: Random) -> Iterator[tuple[Kind, str]]:
    """Questions of the user about something of the user's own."""
    thing = next((match for match in _THING.finditer(sentence) if _is_thing(match)), None)
    if thing is None:
        return
    own = f"my {thing[2].lower()}"
    for rule in (pronoun, number, entity, antonym):
        changed = rule(own, draw)
        if changed is not None:
            yield "user-entity-modified", f"Do you remember what I told you about {changed}?"
            break
    yield "user-entity", f"Do you remember what I told you about {own}?"


def _about_own(sentence: str, draw: Random) -> Iterator[tuple[Kind, str]]:
    """Questions of the user about something of the system's."""
    heard = as_heard(sentence).rstrip(".! ")
    thing = next((match for match in _THING.finditer(sentence) if _is_thing(match)), None)
    if thing is not None:
        yield "own-entity", f"Can you tell me more about your {thing[2].lower()}?"
    opposite = antonym(heard, draw) or negation(heard, draw)
    if opposite is not None:
        yield "antonym", f"So {_lowered(opposite)}, is that right?"
    yield "paraphrase", f"You said that {_lowered(heard)}, did you not?"
    yield "filler", draw.choice(_FILLERS)


def _is_thing(match: re.Match[str]) -> bool:
    return match[2].split()[-1].lower() not in _NOT_THINGS


def _lowered(sentence: str) -> str:
    return sentence if sentence[:2] in ("I ", "I'") else sentence[:1].lower() + sentence[1:]


def _probe(item: str, turns: Context, place: int, kind: Kind, question: str, passage: str) -> Probe:
    asker = next(turn for turn in reversed(turns) if turn.speaker != turns[-1].speaker)
    context = (*turns, Turn(asker.speaker, question, asker.name))
    return Probe(
        f"{item}/{kind}-{place}", context, question, place, len(turns) - place, kind, passage=passage
    )
