"""Readers of rated dialogues that the package has no importer for."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from dialeval.data import Dialogue, Turn

_SPEAKERS: Final = {"Bot": "assistant", "Human": "user"}
_SHORTEST: Final = 4
"""Turns of a ConvAI2 dialogue; many were ended before anything was said."""


def read_ji2022(data: Path) -> Iterator[tuple[Dialogue, float]]:
    """Dialogues with ten chatbots; the rating is the mean of the seven z-scores of the person who talked.

    All seven are turned so that more is better. Dialogues that were degraded to check the raters are left out.
    """
    for run in (1, 2):
        for task in _json(data / "ji2022" / f"pass_free_run{run}.json.gz"):
            for place, row in enumerate(task["data"]):
                if row["model"] == "QualityControl":
                    continue
                turns = [
                    Turn(speaker, said[field])
                    for said in row["dialogue"]
                    for field, speaker in (("user", "user"), ("bot", "assistant"))
                ]
                item = f"ji2022-{run}-{task['HITId']}-{place}"
                yield Dialogue(item, tuple(turns), row["model"]), float(np.mean([*row["z scores"].values()]))


def read_spot_the_bot(domain: str, data: Path) -> Iterator[tuple[Dialogue, float]]:
    """Both sides of each talk, as far as anybody saw it: that side is the assistant.

    The rating is the share of yes among all answers about that side: judged human (undecided counts half), fluent,
    sensible and specific. The two sides of a talk are ``<talk>#0`` and ``<talk>#1``.
    """
    answers: Mapping[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    folder = data / "spot-the-bot"
    for row in _lines(folder / f"annotations.{domain}.jsonl"):
        for side, entity in enumerate(row["entities"]):
            answers[row["convo_id"], side].append(entity)
    for row in _lines(folder / f"dialogues.{domain}.jsonl"):
        for side, system in enumerate(row["systems"]):
            given = answers[row["convo_id"], side]
            if not given:
                continue
            seen = max(entity["decision_turn"] for entity in given)
            turns = tuple(
                Turn("assistant" if turn["entity"] == side else "user", turn["text"])
                for turn in row["turns"][:seen]
            )
            yield Dialogue(f"{row['convo_id']}#{side}", turns, system), _share_of_yes(given)


def _share_of_yes(given: Sequence[Mapping[str, Any]]) -> float:
    keys = ("judged_human", "fluent", "sensible", "specific")
    return float(np.mean([0.5 if entity[key] is None else entity[key] for entity in given for key in keys]))


def read_convai2(data: Path, *, named: bool) -> Iterator[tuple[Dialogue, float]]:
    """Talks with the bots of ConvAI2 that have four turns or more, and the score of the person who talked, 1 to 5.

    Where the bot is not named, the file does not say either which of the two speakers it is.
    """
    rows = _lines(data / "convai2-human-eval" / "dialogues.jsonl.gz")
    for number, row in enumerate(rows, start=1):
        if (row["bot"] is not None) != named or row["eval_score"] is None or len(row["turns"]) < _SHORTEST:
            continue
        turns = tuple(
            Turn(_SPEAKERS.get(turn["speaker"], turn["speaker"]), turn["text"]) for turn in row["turns"]
        )
        if len({turn.speaker for turn in turns}) == 2:
            yield Dialogue(f"convai2-{number}", turns, row["bot"] or "unnamed"), float(row["eval_score"])


def _json(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _lines(path: Path) -> Iterator[Any]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
