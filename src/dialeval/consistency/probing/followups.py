"""Follow-up questions and their FQness (Sato, 2024, section 4.3.1), from any model that gives log-probabilities."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from dialeval.consistency.probing.probes import Probe, named
from dialeval.core import Floats, LikelihoodModel, resources_of
from dialeval.data import digest
from dialeval.data.speakers import chat_turn, speaks, spoken, who
from dialeval.data.types import Context, Dialogue, Prompt, Turn
from dialeval.engine import ROWS, SILENT, Batch, Cache, Executor, InProcess, Job, Progress, run
from dialeval.text.sentences import is_question, split_sentences
from dialeval.version import __version__

DISTANCES: Final = (1, 3, 5)
"""How many utterances before the question its referent may be, as in the thesis."""
ONE_TURN: Final = "one turn or none"
NO_QUESTION: Final = "no turn that asks a question"
NO_REFERENT: Final = "no statement of the other speaker at these distances"
_AT_ONCE: Final = 64


class FollowUp(NamedTuple):
    """A question that may follow up on an earlier statement, before it is scored."""

    item: str
    context: Context
    """All turns up to the question, which is the last; instructions to a system included."""
    referent: int
    """The place in the context of the turn that it may follow up on."""
    talk: Context
    """The turns of the context that somebody says."""
    distance: int
    """How many of them back that turn is."""

    @property
    def near(self) -> Context:
        """What was said without the question, and without the turns between referent and question."""
        return self.talk[: -self.distance]

    @property
    def without(self) -> Context:
        """What was said without the question, and without the statements of the referent."""
        place = len(self.talk) - 1 - self.distance
        turn = self.talk[place]
        rest = " ".join(part for part in split_sentences(turn.text) if is_question(part))
        kept = (replace(turn, text=rest),) if rest else ()
        return (*self.talk[:place], *kept, *self.talk[place + 1 : -1])


@dataclass(frozen=True, slots=True)
class Mined:
    """What could be asked, and the dialogues without any question of that kind, by reason."""

    found: tuple[FollowUp, ...]
    excluded: Counter[str]


def mine(dialogues: Iterable[Dialogue], distances: Sequence[int] = DISTANCES) -> Mined:
    """Every turn with a question, paired with the other speaker's statements at these distances before it."""
    found: list[FollowUp] = []
    excluded: Counter[str] = Counter()
    for item, dialogue in named(dialogues):
        mined = list(_in_dialogue(item, dialogue.turns, distances))
        found += mined
        talk = [turn for turn in spoken(dialogue.turns) if turn.text.strip()]
        if mined:
            continue
        if len(talk) < 2:
            excluded[ONE_TURN] += 1
        elif not any(_asks(turn.text) for turn in talk[1:]):
            excluded[NO_QUESTION] += 1
        else:
            excluded[NO_REFERENT] += 1
    return Mined(tuple(found), excluded)


def _in_dialogue(item: str, turns: Context, distances: Sequence[int]) -> Iterator[FollowUp]:
    """Blank turns are left out of the context; places in ids and distances count the turns that somebody says."""
    kept = [(turn, says) for turn, says in zip(turns, speaks(turns), strict=True) if turn.text.strip()]
    context = tuple(turn for turn, _ in kept)
    places = [place for place, (_, says) in enumerate(kept) if says]
    talk = tuple(context[place] for place in places)
    for number, turn in enumerate(talk):
        if not _asks(turn.text):
            continue
        for distance in distances:
            back = number - distance
            if back >= 0 and _other(talk[back], turn) and statements(talk[back].text):
                until = context[: places[number] + 1]
                yield FollowUp(
                    f"{item}/{number}-{distance}", until, places[back], talk[: number + 1], distance
                )


def statements(text: str) -> list[str]:
    """The sentences of a turn that are not questions."""
    return [part for part in split_sentences(text) if not is_question(part)]


def log_fqness(
    found: Sequence[FollowUp],
    model: LikelihoodModel,
    *,
    progress: Progress = SILENT,
    executor: Executor | None = None,
    cache: Cache | None = None,
) -> Floats:
    """Log P(question | context without the turns between) - log P(question | context without the statements).

    All contexts of a batch go to the model in one call, so that models that share beginnings read each of them once.
    Batches run here unless there is an executor, and are kept where there is a cache.
    """
    task = _Fqness(model)
    key = (
        json.dumps(["fqness", str(model.signature), sorted(task.resources.items()), __version__])
        if cache
        else ""
    )
    batches = (
        Batch(batch, _digest(batch) if cache else "")
        for start in range(0, len(found), _AT_ONCE)
        if (batch := found[start : start + _AT_ONCE])
    )
    job = Job(key, task, ROWS)
    rows = run(job, batches, executor=executor or InProcess(), cache=cache, progress=progress)
    return np.concatenate([np.zeros((0, 1)), *rows])[:, 0]


@dataclass(frozen=True, slots=True)
class _Fqness:
    """The model as a task of the engine."""

    model: LikelihoodModel

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the model: where it has any, each worker loads it once."""
        return resources_of(self.model)

    def __call__(self, batch: Sequence[FollowUp]) -> Floats:
        # The asker is the assistant, whose words a chat model continues with.
        contexts = [
            tuple(chat_turn(turn, each.context[-1]) for turn in side)
            for each in batch
            for side in (each.near, each.without)
        ]
        asked = [each.context[-1].text for each in batch for _ in range(2)]
        pairs = np.asarray(self.model.logprob(contexts, asked), dtype=np.float64).reshape(-1, 2)
        return pairs[:, :1] - pairs[:, 1:]


def _digest(batch: Sequence[FollowUp]) -> str:
    """Of all that the model is asked."""
    sides = (side for each in batch for side in (each.near, each.without, each.context[-1:]))
    return digest(Prompt("", side) for side in sides)


def scored_probes(found: Sequence[FollowUp], scores: Floats) -> list[Probe]:
    """The follow-ups as probes, that of the highest FQness first; ties keep their order."""
    probes = [
        Probe(
            id=each.item,
            context=each.context,
            question=each.context[-1].text,
            referent=each.referent,
            distance=each.distance,
            kind="follow-up",
            fqness=math.exp(min(float(score), 700.0)),
            log_fqness=float(score),
            passage=" ".join(statements(each.context[each.referent].text)),
        )
        for each, score in zip(found, scores, strict=True)
    ]
    return sorted(probes, key=lambda probe: -(probe.log_fqness or 0.0))


def draw_random(probes: Sequence[Probe], n: int, seed: int) -> list[Probe]:
    """So many probes drawn without a look at their FQness: the thesis's RANDOM, against TOP."""
    chosen = np.random.default_rng(seed).permutation(len(probes))[:n]
    return [replace(probes[place], draw="random") for place in chosen.tolist()]


def _asks(text: str) -> bool:
    return any(is_question(part) for part in split_sentences(text))


def _other(turn: Turn, than: Turn) -> bool:
    return who(turn) != who(than)
