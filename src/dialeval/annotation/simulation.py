"""Simulated raters: a dry run of a study through its real server.

Each answer to an item has a quality drawn from the seed: its system's, and its own. A rater feels it with a bias of
their own and with noise, and answers as the kind of task says. It shows how many raters and items a study needs before
anybody is paid; it says nothing of the systems.
"""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dialeval.annotation.assignment import fraction
from dialeval.annotation.client import Client, item_of
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Felt
from dialeval.annotation.project import Project
from dialeval.errors import RunFailed


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How simulated raters behave; all in shares of the scale."""

    noise: float = 0.1
    """Standard deviation of each answer."""
    bias: float = 0.0
    """Standard deviation of what a rater adds to all answers."""
    skips: float = 0.0
    """The share of items that are skipped."""
    abandons: float = 0.0
    """The share of items after which a rater leaves and does not come back."""
    think: float = 0.0
    """Seconds between an item and its answer, on average."""
    seed: int = 0


@dataclass(slots=True)
class Tally:
    """What one simulated rater did."""

    rater: str
    acknowledged: list[tuple[str, int]]
    """Items and revisions that the server said it has saved."""
    skipped: int = 0
    latencies: list[float] | None = None
    """Seconds from sending an answer to its acknowledgement."""


def quality_of(source: Source, candidate: str, seed: int) -> float:
    """How good an answer is, from 0 to 1: its system's quality, and what is special about it."""
    system = source.system_of(candidate)
    base = 0.25 + 0.5 * fraction("system", seed, system)
    return base + 0.5 * (fraction("answer", seed, source.item, system, candidate.startswith("turn")) - 0.5)


def feeling(project: Project, item: Item, behaviour: Behaviour, bias: float, draw: random.Random) -> Felt:
    """What a rater with this bias feels about parts of an item."""
    source = project.sources[item.id]
    felt: dict[str, float] = {}

    def of(name: str) -> float:
        if name not in felt:
            if name.startswith("turn "):
                good = fraction("turn", behaviour.seed, source.item, name)
            else:
                good = quality_of(source, name, behaviour.seed)
            felt[name] = min(1.0, max(0.0, good + bias + draw.gauss(0, behaviour.noise)))
        return felt[name]

    return of


class SimulatedRater:
    """One rater at work over HTTP; a lost connection is tried again until ``patience`` seconds have passed."""

    def __init__(
        self,
        project: Project,
        client: Client,
        name: str,
        behaviour: Behaviour,
        *,
        patience: float = 0.0,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._project, self._client, self._behaviour = project, client, behaviour
        self._draw = random.Random(f"{behaviour.seed} {name}")
        self._bias = self._draw.gauss(0, behaviour.bias) if behaviour.bias else 0.0
        self._patience, self._stop = patience, stop
        self.tally = Tally(name, [], latencies=[])

    def work(self) -> Tally:
        """Answer items until there are none."""
        self._patiently(self._client.enter)
        while not self._stop():
            reply = self._patiently(self._client.task)
            if reply.status != 200:
                raise RunFailed(f"{self.tally.rater}: the server answered {reply.status} instead of an item.")
            if reply.content["done"] or not self._one(reply.content):
                break
        self._client.close()
        return self.tally

    def _one(self, page: Mapping[str, Any]) -> bool:
        """Answer, skip or abandon an item; False where the rater leaves."""
        behaviour, name = self._behaviour, page["item"]["id"]
        source = self._project.sources[name]
        # Of the rater and the item alone: which of them came first changes no answer.
        self._draw = random.Random(f"{behaviour.seed} {self.tally.rater} {source.item} {source.stratum}")
        if behaviour.think:
            time.sleep(self._draw.expovariate(1 / behaviour.think))
        if self._draw.random() < behaviour.abandons:
            return False
        if page["phase"] == "rating" and self._draw.random() < behaviour.skips:
            self.tally.skipped += bool(self._patiently(lambda: self._client.skip(name)).content["skipped"])
            return True
        item = self._talked(page) if page["chat"] else item_of(page["item"])
        felt = feeling(self._project, item, behaviour, self._bias, self._draw)
        answers = {
            ask.criterion: KINDS[ask.kind].simulated(ask, item, felt) for ask in self._project.settings.asks
        }
        seconds = round(self._draw.lognormvariate(2.2, 0.5), 1)
        self._send(name, page["revision"], answers, seconds)
        return True

    def _send(self, item: str, revision: int, answers: Mapping[str, object], seconds: float) -> None:
        began = time.perf_counter()
        reply = self._patiently(lambda: self._client.answer(item, revision, answers, seconds))
        if reply.status == 200:
            assert self.tally.latencies is not None
            self.tally.latencies.append(time.perf_counter() - began)
            self.tally.acknowledged.append((item, reply.content["saved"]))
        elif reply.status not in (409, 410):
            raise RunFailed(f"{self.tally.rater}: an answer was refused with {reply.status}: {reply.content}")

    def _talked(self, page: Mapping[str, Any]) -> Item:
        """Talk with the system as long as is asked for."""
        name, chat = page["item"]["id"], page["chat"]
        finished = chat["said"] >= chat["asked"] and not chat["waiting"]
        while not finished:
            reply = self._patiently(partial(self._client.say, name, self._draw.choice(_SMALL_TALK)))
            if reply.status != 200:
                raise RunFailed(f"{self.tally.rater}: the talk was answered with {reply.status}.")
            finished = reply.content["finished"]
        return item_of(self._patiently(self._client.task).content["item"])

    def _patiently(self, request: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return request()
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() >= deadline or isinstance(error, PermissionError):
                    raise
                time.sleep(0.05)


_SMALL_TALK: Sequence[str] = (
    "Hello!",
    "What do you like to do at the weekend?",
    "Why is that?",
    "I see. And what about food?",
    "Could you say that in other words?",
    "That is interesting, tell me more.",
)


def simulate(
    project: Project,
    address: str,
    links: Mapping[str, str],
    behaviour: Behaviour,
    *,
    patience: float = 0.0,
    stop: Callable[[], bool] = lambda: False,
) -> list[Tally]:
    """Let raters work at the same time, each in a thread with a connection of their own; ``links`` by rater."""
    workers = [
        SimulatedRater(project, Client(address, link), name, behaviour, patience=patience, stop=stop)
        for name, link in links.items()
    ]
    failures: list[BaseException] = []

    def run(worker: SimulatedRater) -> None:
        try:
            worker.work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RunFailed(
            f"{len(failures)} of {len(workers)} simulated raters failed; the first: {failures[0]!r}"
        )
    return [worker.tally for worker in workers]
