"""The recipe of the shipped cross-encoder: ``python -m bench.cross_encoder_recipe OUT`` (torch, the base ``deberta``).

It learns from the dialogues of `bench.dialogue_corpus`, and from responses that people wrote to look right and be wrong
(the development set of DailyDialog++). Dialogues that share two neighbouring turns with any rated set are left out.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from bench.dialogue_corpus import dialogues
from bench.scorers.sets import DATA, SETS, read_set
from dialeval.consistency.detecting.detector import adapter_path
from dialeval.selfeval.corruption import material_of
from dialeval.selfeval.crossencoder.lessons import Lesson, lessons_of, true_lesson, unfit_lesson
from dialeval.selfeval.crossencoder.trainer import CrossEncoderConfig, train_cross_encoder
from dialeval.selfeval.subjects import spoken_turns
from dialeval.training.finetuning import Finetuning
from dialeval.training.loop import Session

SHIPPED_DETECTOR: Final = adapter_path("shipped-deberta")
"""It reads pairs of utterances already."""
HELD_OUT: Final = 60
"""Contexts of DailyDialog++ whose responses are held out."""


def adversarial(path: Path, seen: frozenset[tuple[str, str]], each: int, seed: int) -> Iterator[Lesson]:
    """Responses of people to contexts of DailyDialog++, good ones and ones that share words with them and are wrong."""
    draw = random.Random(8 + seed)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        context = tuple(row["context"])
        if seen & _twos(context):
            continue
        for response in draw.sample(row["positive_responses"], each):
            yield true_lesson(context, response)._replace(kind="true-adversarial")
        for response in draw.sample(row["adversarial_negative_responses"], each):
            yield unfit_lesson(context, response, "adversarial")


def rated_twos() -> frozenset[tuple[str, str]]:
    """Neighbouring turns of all rated sets."""
    return frozenset(
        two
        for name in SETS
        for subject in read_set(name).subjects
        for two in _twos([turn.text for turn in spoken_turns(subject)])
    )


def _twos(turns: Sequence[str]) -> set[tuple[str, str]]:
    """Neighbouring turns, without spaces, marks and capitals; those of few letters are left out."""
    bare = ["".join(filter(str.isalnum, turn.lower())) for turn in turns]
    return {two for two in pairwise(bare) if len(two[0]) + len(two[1]) >= 25}


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the lessons and train."""
    parser = argparse.ArgumentParser(prog="python -m bench.cross_encoder_recipe", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", default="deberta")
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--responses", type=int, default=4_500, help="that lessons are about")
    parser.add_argument(
        "--people", type=int, default=2, help="good and wrong responses of each context of DailyDialog++"
    )
    parser.add_argument("--start", type=Path, default=SHIPPED_DETECTOR, help="adapter to begin with")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--form", type=float, default=0.5, help="share of badly formed third lessons")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=None)
    given = parser.parse_args(arguments)
    seen = rated_twos()
    talks = [each for each in dialogues() if not seen & _twos([turn.text for turn in each.turns])]
    random.Random(2).shuffle(talks)
    held_out, learnt = material_of(talks[:300]), material_of(talks[300:])
    people = list(adversarial(DATA / "dailydialog-plusplus" / "dev.json", seen, given.people, given.seed))
    train = [
        *lessons_of(learnt, given.responses, seed=given.seed, form=given.form),
        *people[2 * given.people * HELD_OUT :],
    ]
    judged = [*lessons_of(held_out, 120, seed=1), *people[: 2 * given.people * HELD_OUT]]
    print(f"{len(talks)} dialogues, {len(train)} lessons, {len(judged)} held out", flush=True)
    config = CrossEncoderConfig()
    config = replace(
        config,
        finetuning=Finetuning(
            encoder=given.base, rank=given.rank, longest=given.tokens, precision="bfloat16"
        ),
        schedule=replace(config.schedule, learning_rate=given.rate, seed=given.seed, save_seconds=120.0),
    )
    given.out.mkdir(parents=True, exist_ok=True)
    fitted = train_cross_encoder(
        train, judged, config, given.out, start_from=given.start, session=Session(minutes=given.minutes)
    )
    for each in fitted.history:
        print(each.updates, round(each.seconds), each.train, each.held_out)


if __name__ == "__main__":
    main()
