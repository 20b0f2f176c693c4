"""Faults planted in real dialogues: how often `quality` blames the turn that has one.

``python -m bench.planted`` plants ten kinds of faults, one a dialogue, in turns of the assistant in DailyDialog's
test set, and asks which turn's effect is highest. ``--part valid`` is for development: the features were written
beside its dialogues and its rude, priced and foreign turns. Those of the test set were written afterwards, by somebody
who knew the features, and changed nothing.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from dialeval.catalogue import build
from dialeval.data.types import Context, Dialogue, Turn

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
Plant = Callable[[Context, int, Random, Sequence[Context]], str]
"""The faulty text of one turn, from the dialogue, the turn's place, a draw, and other dialogues."""

RUDE: Final = {
    "valid": (
        "Are you really that thick? Figure it out yourself.",
        "I couldn't care less about your problem, you clown.",
        "Stop bothering me with such nonsense, you halfwit.",
        "What a ridiculous thing to say. You're an embarrassment.",
        "Ugh, you again. Get lost.",
        "Only a brainless person would ask me that.",
    ),
    "test": (
        "Do you ever listen? You're hopeless.",
        "Honestly, talking to you is torture.",
        "Not my problem. Deal with it.",
        "Were you born yesterday, or what?",
        "Quit whining already, nobody wants to hear it.",
        "You people never learn anything, do you?",
    ),
}
PRICES: Final = {
    "valid": (
        "By the way, that will be $389.99, please.",
        "Sure, we can do that for 1,250 euros.",
        "The fee for this is 75 dollars a month.",
        "That costs £49, payable in advance.",
    ),
    "test": (
        "No problem, it's only 19.90 a week.",
        "We charge 600 yen for that.",
        "You owe us another $45.",
        "It's free for members and twelve pounds for everybody else.",
    ),
}
FOREIGN: Final = {
    "valid": (
        "Das kann ich Ihnen leider nicht sagen, fragen Sie bitte morgen noch einmal.",
        "Je ne sais pas, il faudrait demander à quelqu'un d'autre.",
        "No lo sé, pero creo que mañana va a llover todo el día.",
        "Non ho capito bene che cosa vuoi dire con questo.",
        "Я не знаю, давайте поговорим об этом завтра.",
        "すみません、よく分かりません。",
    ),
    "test": (
        "Ich glaube schon, aber da bin ich mir nicht sicher.",
        "Oui, bien sûr, on se voit demain matin.",
        "Claro que sí, con mucho gusto.",
        "Dat weet ik niet, misschien volgende week.",
        "Teşekkür ederim, ama bunu istemiyorum.",
        "我不知道，你问问别人吧。",
    ),
}
BLANK: Final = ("...", "", "-", "?!", "\N{HORIZONTAL ELLIPSIS}")


def off_topic(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """A turn of another dialogue."""
    return draw.choice(draw.choice(others)).text


def repeated(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """What the same side said before."""
    return turns[draw.choice(range(place % 2, place, 2))].text


def echoed(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """What the other side just said."""
    return turns[place - 1].text


def shuffled(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """Its words in another order."""
    words = turns[place].text.split()
    draw.shuffle(words)
    return " ".join(words)


def stuttered(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """Its beginning again and again, as broken generators do."""
    return " ".join(turns[place].text.split()[:4] * 4)


def truncated(turns: Context, place: int, draw: Random, others: Sequence[Context]) -> str:
    """Its first half, cut within a word."""
    text = turns[place].text.strip()
    return text[: max(len(text) // 2, 6)].rstrip(" .!?,")


def _one_of(texts: Sequence[str]) -> Plant:
    return lambda turns, place, draw, others: draw.choice(texts)


def kinds_of(part: str) -> Mapping[str, Plant]:
    """The ten kinds of faults in the wording of that part."""
    return {
        "off topic": off_topic,
        "repeated": repeated,
        "echo": echoed,
        "words shuffled": shuffled,
        "stutter": stuttered,
        "truncated": truncated,
        "rude": _one_of(RUDE[part]),
        "invented price": _one_of(PRICES[part]),
        "empty": _one_of(BLANK),
        "wrong language": _one_of(FOREIGN[part]),
    }


def planted(part: str, each: int) -> Iterator[tuple[str, Dialogue, int]]:
    """Kind of fault, dialogue and the faulty turn's place; every kind in the same dialogues."""
    talks = list(_talks(part))
    draw = Random(7)
    chosen = draw.sample([talk for talk in talks if 7 <= len(talk) <= 14], each)
    for number, turns in enumerate(chosen):
        place = draw.choice(
            [place for place in range(3, len(turns) - 1, 2) if len(turns[place].text.split()) > 5] or [3]
        )
        for kind, plant in kinds_of(part).items():
            faulty = list(turns)
            faulty[place] = replace(turns[place], text=plant(turns, place, draw, talks))
            yield kind, Dialogue(f"{kind}/{number}", tuple(faulty), "bot"), place


def _talks(part: str) -> Iterator[Context]:
    with (DATA / "dailydialog" / f"{part}.json").open(encoding="utf-8") as file:
        for line in file:
            texts = [turn["text"] for turn in json.loads(line)["dialogue"]]
            yield tuple(Turn(("user", "assistant")[place % 2], text) for place, text in enumerate(texts))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often the right turn is blamed, by kind."""
    parser = argparse.ArgumentParser(prog="python -m bench.planted", description=__doc__)
    parser.add_argument("--part", choices=("valid", "test"), default="test")
    parser.add_argument("--each", type=int, default=10, help="dialogues of each kind")
    parser.add_argument("--measure", default="quality")
    given = parser.parse_args(arguments)
    metric = build(given.measure)
    right: dict[str, list[bool]] = {kind: [] for kind in kinds_of(given.part)}
    for kind, dialogue, place in planted(given.part, given.each):
        effects = np.array(metric.turn_effects(dialogue))
        judged = np.array([turn.speaker == "assistant" for turn in dialogue.turns])
        effects[~judged | np.isnan(effects)] = -np.inf
        right[kind].append(bool(np.argmax(effects) == place))
    for kind, found in right.items():
        print(f"{kind:15s} {sum(found):4d} of {len(found)}")
    print(f"{'all':15s} {sum(map(sum, right.values())):4d} of {sum(map(len, right.values()))}")


if __name__ == "__main__":
    main()
