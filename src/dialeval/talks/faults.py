"""Faults of simulated users, found by rules: what they invent, tell too early, repeat, or end at the wrong time.

Rules miss faults and see some that are none, so people should check a few. A fault ``helped`` if it gave the system
something, ``hindered`` if it can have kept the system from success, and is ``minor`` if it can have changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dialeval.data.types import Dialogue, Turn
from dialeval.metrics.assertions.languages import language_of
from dialeval.talks.conduct import waits_for_answer
from dialeval.talks.outcome import Fault, fault_fields
from dialeval.talks.scenarios import Fact, Scenario

_CODE: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|#?\b[\w-]*\d[\w.,:/-]*\b")
"""E-mail addresses, and words with a digit: numbers, dates, prices, order numbers."""
_NAME: Final = re.compile(r"(?<![.!?:\n\"“])(?<=[a-z,;] )[A-ZÀ-Þ][a-zà-ÿ]{2,}\b")
"""Words in capitals within a sentence."""
_WORD: Final = re.compile(r"\w+")
_FEWEST_WORDS: Final = 5
"""Words of a turn whose language can be told from others'."""
_SMALL: Final = frozenset(map(str, range(11)))
"""Numbers that people use without knowing anything, as in "2 things"."""
_PLAIN: Final = frozenset({"english", "internet", "okay", "thanks", "thank", "please", "hello", "may"})
"""Words that are written with a capital letter within a sentence, and name nothing of one's own."""


def with_faults(talks: Sequence[Dialogue], scenarios: Sequence[Scenario]) -> list[Dialogue]:
    """Return the talks with ``faults`` in their metadata, in the order of the turns; a list that may be empty."""
    known = {scenario.id: scenario for scenario in scenarios}
    return [
        replace(
            talk,
            metadata={
                **talk.metadata,
                "faults": [
                    fault_fields(fault) for fault in find_faults(talk, known[str(talk.metadata["scenario"])])
                ],
            },
        )
        for talk in talks
    ]


def find_faults(talk: Dialogue, scenario: Scenario) -> list[Fault]:
    """Return the faults of the user's turns, of scripted ones none but repeats of them."""
    found: list[Fault] = []
    said: dict[str, int] = {}
    told: set[str] = set()
    users = 0
    for number, turn in enumerate(talk.turns, start=1):
        if turn.speaker != "user":
            continue
        users += 1
        before = talk.turns[: number - 1]
        free = users > len(scenario.first)
        if free:
            found += _invented(turn, number, before, scenario)
            found += _early(turn, number, before, scenario, told)
            found += _language(turn, number, scenario)
        told |= {name for name, fact in scenario.facts.items() if _tells(turn.text, fact)}
        plain = " ".join(_WORD.findall(turn.text.casefold()))
        if plain and plain in said and free:
            found.append(Fault(number, "repeated", "minor", f"the same as turn {said[plain]}"))
        said.setdefault(plain, number)
    return [*found, *_ended(talk, scenario)]


def _invented(turn: Turn, number: int, before: Sequence[Turn], scenario: Scenario) -> Iterator[Fault]:
    """Codes and names that neither the scenario nor the talk so far holds."""
    known = _words(_known(scenario)) | _words(" ".join(each.text for each in before))
    # Nouns are names in no other language that we know well.
    english = (scenario.language or language_of(_known(scenario)) or "en") == "en"
    names = _NAME.finditer(turn.text) if english else ()
    for match in [*_CODE.finditer(turn.text), *names]:
        word = match[0].strip(".,:;/-#")
        if not word or word in _SMALL or word.casefold() in _PLAIN:
            continue
        if not _words(word) <= known:
            yield Fault(number, "invented", "unknown", word)


def _known(scenario: Scenario) -> str:
    facts = (f"{name} {fact.value}" for name, fact in scenario.facts.items())
    return " ".join([scenario.goal, scenario.persona or "", *scenario.first, *facts])


def _words(text: str) -> set[str]:
    """Words and numbers, however they are joined: 3,500 is 3500, and A-4471 is a and 4471."""
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.casefold())
    return {word.lstrip("0") or "0" for word in re.findall(r"[^\W\d_]+|\d+", plain)}


def _early(
    turn: Turn, number: int, before: Sequence[Turn], scenario: Scenario, told: set[str]
) -> Iterator[Fault]:
    """Facts to be told only if asked, told before the system asked for them."""
    heard = _words(" ".join(each.text for each in before if each.speaker == "assistant"))
    for name, fact in scenario.facts.items():
        asked = any(_asked_for(words, heard) for words in (fact.asked_by or (name,)))
        if fact.when == "asked" and name not in told and not asked and _tells(turn.text, fact):
            yield Fault(number, "early", "helped", f"{name}: {fact.value}")


def _asked_for(words: str, heard: set[str]) -> bool:
    """Return whether all words of a phrase were heard, little ones such as "of" left out."""
    wanted = _words(words)
    return ({word for word in wanted if len(word) > 2} or wanted) <= heard


def _tells(text: str, fact: Fact) -> bool:
    """Return whether the words and numbers of the fact stand in the text one after another, however they are joined."""
    said, value = (re.findall(r"[^\W\d_]+|\d+", each.casefold()) for each in (text, fact.value))
    return any(said[place : place + len(value)] == value for place in range(len(said) - len(value) + 1))


def _language(turn: Turn, number: int, scenario: Scenario) -> Iterator[Fault]:
    expected = scenario.language or language_of(_known(scenario))
    found = language_of(turn.text) if len(turn.text.split()) >= _FEWEST_WORDS else None
    if expected is not None and found is not None and found != expected:
        yield Fault(number, "language", "unknown", f"{found} in place of {expected}")


def _ended(talk: Dialogue, scenario: Scenario) -> Iterator[Fault]:
    """An end before the least number of turns or at a question, an empty turn, and no end after success."""
    last = len(talk.turns)
    users = sum(turn.speaker == "user" for turn in talk.turns)
    end = talk.metadata.get("end")
    if end == "user":
        if talk.metadata.get("end_reason") == "the user said nothing":
            yield Fault(last, "empty", "hindered", "an empty turn")
        heard = [
            turn for turn in talk.turns[: last - (talk.turns[-1].speaker == "user" if talk.turns else 0)]
        ]
        asked = next((turn.text for turn in reversed(heard) if turn.speaker == "assistant"), "")
        if users < scenario.least:
            yield Fault(last, "ended_early", "hindered", f"{users} turns of at least {scenario.least}")
        elif waits_for_answer(asked) and talk.metadata.get("success") is not True:
            yield Fault(last, "ended_early", "hindered", "the system had asked a question")
    elif end == "limit" and talk.metadata.get("success") is True and users > 1:
        yield Fault(last, "never_ended", "minor", f"went on to the limit of {scenario.most} turns")


def fault_counts(talks: Sequence[Dialogue]) -> Mapping[str, int]:
    """Return how often each kind of fault occurs."""
    counts: dict[str, int] = {}
    for talk in talks:
        faults = talk.metadata.get("faults")
        for fault in faults if isinstance(faults, list) else ():
            counts[str(fault["kind"])] = counts.get(str(fault["kind"]), 0) + 1
    return counts
