"""The direction of rude turns among vectors of turns: ``python -m bench.rude_turns`` writes what `quality` ships.

A ridge regression of rude utterances, written by us, against ones that share words with them and are not rude, and
turns of people from three corpora. The threshold is passed by 3 of 1,000 other turns of these corpora. Prints the
share of rude ones that are seen by a direction that was fitted to four fifths of the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from bench.scorers.sets import DATA
from dialeval.core import Floats
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors
from dialeval.selfeval.quality.manners import SHIPPED_MANNERS, Manners, write_manners

CORPORA: Final = (
    "dailydialog/train.jsonl.gz",
    "empathetic-dialogues/train.jsonl.gz",
    "sgd/train.part.jsonl.gz",
)
EACH: Final = 4000
"""Turns of each corpus; half of all are fitted to, the threshold is set on the others."""
ALARMS: Final = 0.003
"""Share of people's turns that may pass the threshold."""
RIDGE: Final = 0.003
RUDE_SHARE, MILD_SHARE, REAL_SHARE = 0.5, 0.1, 0.4
"""Weights of the three kinds of utterances."""
FOLDS: Final = 5
RUDE: Final = (
    "You are an idiot.",
    "Shut up and leave me alone.",
    "I don't care about your problems.",
    "Nobody likes you.",
    "Are you too dumb to understand this?",
    "Go away and stop bothering me.",
    "You are pathetic and disgusting.",
    "Deal with it yourself, I won't help you.",
    "Only a fool would say something like that.",
    "I can't stand you.",
    "You're boring me to death.",
    "Nobody asked for your opinion.",
    "You make me sick.",
    "How can anybody be so slow?",
    "Even a child could understand that.",
    "Stop wasting my time with your stupid questions.",
    "You're the worst person I have ever talked to.",
    "Who cares what you think?",
    "Your ideas are garbage.",
    "I'm tired of listening to you complain.",
    "You have no idea what you're talking about.",
    "Learn to read before you ask.",
    "What is wrong with you?",
    "You deserve everything bad that happened to you.",
    "You're a waste of space.",
    "Do your own work, you lazy thing.",
    "Mind your own business.",
    "I hope you fail.",
    "You can't do anything right.",
    "Don't talk to me like that, you fool.",
    "That's the dumbest thing I've ever heard.",
    "Nobody wants you here.",
    "Why should I help somebody like you?",
    "You always mess everything up.",
    "Stop crying, you baby.",
    "Oh please, my dog has more sense than you.",
    "Could you be any more annoying?",
    "Your whining gives me a headache.",
    "Just go away, will you.",
    "I've had enough of your nonsense.",
    "Honestly, you disgust me.",
    "Go bother somebody else.",
    "That's your fault, so don't come crying to me.",
    "Is there anything at all in that head of yours?",
    "I really don't give a toss about your trip.",
    "You're such a loser.",
    "I'm not your servant, find it yourself.",
    "Nobody cares about your stupid cat.",
    "Ha, you actually believed that? How naive can you be.",
    "Get out of my sight.",
    "You sound like a broken record and it's getting on my nerves.",
    "You wouldn't understand it anyway.",
    "Keep your silly stories to yourself.",
    "It's people like you who ruin everything.",
    "You call that a question?",
    "Use your brain for once.",
    "I've never met anybody so dull.",
    "Take a hint and leave.",
    "You should be ashamed of yourself.",
    "Are you deaf or just slow?",
    "You really are as dumb as you look.",
    "Can't you see I'm busy? Go away.",
    "Don't waste my breath.",
    "Another stupid complaint, how surprising.",
    "I couldn't care less what happens to you.",
    "Stop acting like a spoiled child.",
    "You're nothing but trouble.",
    "Everyone laughs at you behind your back.",
    "Don't ever speak to me again.",
    "You think you're so smart, don't you?",
    "With a face like yours I'd stay at home.",
    "Your taste is awful, just like the rest of you.",
    "I've explained it three times, what part don't you get?",
    "If you had half a brain you'd know that.",
    "Not everything is about you, you selfish pig.",
    "That's a ridiculous excuse and you know it.",
    "Boo hoo, cry me a river.",
    "I'd rather talk to a wall than to you.",
    "You're a liar and a cheat.",
    "Do I look like I care?",
    "Find somebody else to annoy.",
    "You don't deserve an answer.",
    "Grow up already.",
    "Don't be such a coward.",
    "You're hopelessly stupid and there's nothing I can do about it.",
    "I don't have time for idiots.",
    "What a moron.",
    "You ask too many questions, just be quiet.",
    "I'm not in the mood for your rubbish.",
    "Get a life.",
    "You must be the most ignorant person on earth.",
    "Nobody would ever want to marry someone like you.",
    "Why are you still here? Nobody needs you.",
    "Go cry to your mother.",
    "You messed it up again, as always.",
    "That's what you get for being so stupid.",
    "Hurry up, you useless fool.",
    "Watch your mouth or you'll regret it.",
    "You've got to be the laziest person alive.",
)
MILD: Final = (
    "I'm sorry to bother you.",
    "I don't mind which one we take.",
    "Leave it to me, I will help you.",
    "You are very kind.",
    "I like you.",
    "Do you understand this?",
    "I don't understand, could you explain it?",
    "Nobody knows.",
    "I don't know what to do.",
    "What is your opinion?",
    "I don't care for coffee, thanks.",
    "I have to go now.",
    "That is a funny thing to say.",
    "I'm tired of my job.",
    "He is an idiot.",
    "My boss is so annoying.",
    "I hate it when people do that.",
    "What happened to you?",
    "I'm so stupid, I forgot my keys.",
    "You shouldn't worry about it.",
    "I feel sick.",
    "It was the worst day of my life.",
    "You can do it.",
    "Don't worry, be happy.",
    "I'm sorry, I can't help you with that.",
    "Why do you think so?",
    "Are you all right?",
    "That's too bad.",
    "You must be kidding!",
    "Don't be silly, of course you can.",
    "I don't have time today, I'm sorry.",
    "Do you have time to talk?",
    "You are so smart!",
    "You're very brave.",
    "Please be quiet, the baby is sleeping.",
    "Who do you think will win?",
    "Why are you still at work?",
    "I don't deserve such a nice gift.",
    "Everyone likes you.",
    "Sorry, I messed it up.",
    "He was very rude to me.",
    "She called me an idiot.",
    "I was so lazy yesterday.",
    "What a pity!",
    "What a coincidence!",
    "My brother is such a fool sometimes.",
    "Don't be afraid.",
    "I don't want to waste your time.",
    "I hate my life.",
    "You look tired.",
    "It's not your fault.",
    "I'm not in the mood for pizza.",
    "You are right, I was wrong.",
    "Can't you stay a little longer?",
    "I feel so stupid about it.",
    "You ask a good question.",
    "My neighbour never stops complaining.",
    "Get some rest.",
    "I'm ashamed of myself.",
    "People like that ruin everything.",
)


def real_turns() -> list[str]:
    """Turns of people, in random order."""
    chosen: list[str] = []
    for name in CORPORA:
        with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        turns = [turn["text"].strip() for row in rows for turn in row.get("dialogue") or row["turns"]]
        chosen += Random(3).sample(turns, EACH)
    Random(0).shuffle(chosen)
    return chosen


def fitted(rude: Floats, mild: Floats, real: Floats, others: Floats) -> Manners:
    """The direction of the first against the next two, and the threshold that few others pass."""
    kinds = ((rude, RUDE_SHARE, 1.0), (mild, MILD_SHARE, -1.0), (real, REAL_SHARE, -1.0))
    rows = np.concatenate([units for units, _, _ in kinds])
    shares = np.concatenate([np.full(len(units), share / len(units)) for units, share, _ in kinds])
    wanted = np.concatenate([np.full(len(units), sign) for units, _, sign in kinds])
    centred = rows - shares @ rows
    weighed = centred * shares[:, None]
    direction = np.linalg.solve(weighed.T @ centred + RIDGE * np.eye(rows.shape[1]), weighed.T @ wanted)
    return Manners(direction, float(np.quantile(others @ direction, 1 - ALARMS)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how much of the unseen is seen, and write the direction fitted to everything."""
    parser = argparse.ArgumentParser(prog="python -m bench.rude_turns", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=SHIPPED_MANNERS)
    given = parser.parse_args(arguments)
    turns = real_turns()
    units = unit_vectors({*RUDE, *MILD, *turns}, EMBEDDED)
    rude, mild, real = (np.stack([units[text] for text in texts]) for texts in (RUDE, MILD, turns))
    learnt, others = np.split(real, 2)
    seen, wrong = [], []
    for fold in range(FOLDS):
        left, kept = (np.arange(len(RUDE)) % FOLDS == fold), np.arange(len(MILD)) % FOLDS != fold
        manners = fitted(rude[~left], mild[kept], learnt, others)
        seen += manners.rude(rude[left]).tolist()
        wrong += manners.rude(mild[~kept]).tolist()
    print(
        f"rude turns that are seen: {np.mean(seen):.3f}; mild ones that are taken for rude: {np.mean(wrong):.3f}"
    )
    write_manners(given.out, fitted(rude, mild, learnt, others))


if __name__ == "__main__":
    main()
