"""Scenarios distilled from recorded dialogues by rules: the user's first turn, and what was told later."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count, islice
from typing import Final

from dialeval.data.types import Dialogue, Turn
from dialeval.talks.conduct import waits_for_answer
from dialeval.talks.outcome import scenario_of
from dialeval.talks.scenarios import Fact, Scenario

_FACT: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]*\w|#?\b[\w-]*\d[\w.,:/-]*\b")
"""E-mail addresses, and words with a digit: numbers, dates, prices, order numbers."""
_WORDS: Final = re.compile(r"[^\W\d_]{3,}")
_SMALL: Final = frozenset(map(str, range(3)))
_COMMON: Final = frozenset(
    ("the", "and", "you", "your", "can", "could", "please", "what", "which", "have", "may", "for", "with")
)
_LONGEST_TURN: Final = 20_000
_LONGEST: Final = 600
"""Characters of a first turn that are kept in the goal."""


def distil(dialogues: Iterable[Dialogue]) -> list[Scenario]:
    """Return a scenario for each dialogue in which a user speaks, in their order; of equal ids the later is numbered.

    The first turn is the scripted one and the goal. Codes, numbers and addresses that the user told later, after the
    system asked, are facts to be told only if asked; the words of the question become what asks for it. The most turns
    are twice those of the user, six at least. Success is left to you: no rule can know it.
    """
    found: list[Scenario] = []
    taken: set[str] = set()
    for dialogue in dialogues:
        said = [turn for turn in dialogue.turns if turn.speaker == "user" and turn.text.strip()]
        if not said:
            continue
        identity = _unused(scenario_of(dialogue).replace("/", "-"), taken)
        first = said[0].text.strip()[:_LONGEST_TURN]
        found.append(
            Scenario(
                id=identity,
                goal=f"What the user wrote at first: {first[:_LONGEST]}",
                facts=_facts(dialogue, first),
                first=(first,),
                most=min(200, max(6, 2 * len(said))),
                metadata={"dialogue": dialogue.item},
            )
        )
    return found


def _unused(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if another scenario has it; it is taken then."""
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    free = next(each for each in names if each not in taken)
    taken.add(free)
    return free


def _facts(dialogue: Dialogue, first: str) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    heard: Turn | None = None
    known = set(_FACT.findall(first))
    for turn in dialogue.turns:
        if turn.speaker == "assistant" and turn.text.strip():
            heard = turn
            known |= set(_FACT.findall(turn.text))
        elif turn.speaker == "user":
            for value in _FACT.findall(turn.text):
                if value in known or value in _SMALL:
                    continue
                known.add(value)
                asking = _asking(heard)
                name = " ".join(asking[-2:]) or "detail"
                key = name if name not in facts else f"{name} {len(facts) + 1}"
                facts[key] = Fact(value=value, when="asked" if asking else "start", asked_by=tuple(asking))
    return facts


def _asking(turn: Turn | None) -> list[str]:
    """The words of a question that may ask for a fact; none if the system asked nothing."""
    if turn is None or not waits_for_answer(turn.text):
        return []
    last = re.split(r"(?<=[.!?])\s+", turn.text.strip())[-1]
    words = (word.casefold() for word in _WORDS.findall(last))
    return list(islice(dict.fromkeys(word for word in words if word not in _COMMON), 8))
