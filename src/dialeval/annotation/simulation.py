"""Simulated raters: a dry run of a study through its real server, and the plain HTTP client they speak through."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from dialeval.annotation.assignment import fraction
from dialeval.annotation.items import Item, Shown, Source
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Felt
from dialeval.annotation.project import Project
from dialeval.data.types import Turn
from dialeval.errors import RunFailed
from dialeval.options import Option


class Reply(NamedTuple):
    """A response of the server."""

    status: int
    content: Any
    """Parsed JSON; None if it was something else."""


class Client:
    """One rater's session, over one connection that is kept open. Not for several threads."""

    def __init__(self, address: str, link: str, *, timeout: float = 60.0) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        self._secure, self._timeout = parts.scheme == "https", timeout
        self._connection: http.client.HTTPConnection | None = None
        self._link = link
        self._prefix = ""
        self._cookie = ""
        self.csrf = ""

    def enter(self) -> None:
        """Open the invitation link; raises PermissionError if it is refused."""
        status, headers, _ = self._request("GET", self._link)
        cookies = [value.partition(";")[0] for name, value in headers if name.lower() == "set-cookie"]
        if status != 303 or not cookies:
            raise PermissionError(f"the link was answered with {status}")
        self._cookie = "; ".join(cookies)
        location = next(value for name, value in headers if name.lower() == "location")
        self._prefix = location.removesuffix("/task")

    def task(self) -> Reply:
        """The item at hand."""
        reply = self._json("GET", "/api/task")
        if isinstance(reply.content, dict):
            self.csrf = reply.content.get("csrf", self.csrf)
        return reply

    def answer(
        self, item: str, revision: int, answers: Mapping[str, object], seconds: float | None = None
    ) -> Reply:
        """Post an answer."""
        content = {"item": item, "revision": revision, "answers": answers, "seconds": seconds}
        return self._json("POST", "/api/answers", content)

    def skip(self, item: str) -> Reply:
        """Give an item back."""
        return self._json("POST", "/api/skip", {"item": item})

    def say(self, item: str, text: str) -> Reply:
        """Say something to the system of an item."""
        return self._json("POST", "/api/chat", {"item": item, "text": text})

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _json(self, verb: str, path: str, content: object = None) -> Reply:
        body = None if content is None else json.dumps(content).encode()
        status, headers, raw = self._request(verb, self._prefix + path, body)
        kinds = [value for name, value in headers if name.lower() == "content-type"]
        parsed = json.loads(raw) if kinds and kinds[0].startswith("application/json") else None
        return Reply(status, parsed)

    def _request(
        self, verb: str, path: str, body: bytes | None = None
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._connection = kind(self._host, self._port, timeout=self._timeout)
        headers = {"cookie": self._cookie, "x-csrf-token": self.csrf, "content-type": "application/json"}
        try:
            self._connection.request(verb, path, body, headers)
            response = self._connection.getresponse()
            return response.status, response.getheaders(), response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise


def item_of(content: Mapping[str, Any]) -> Item:
    """The item of a page's JSON."""
    turns = tuple(Turn(turn["speaker"], turn["text"], turn.get("name")) for turn in content["context"])
    shown = tuple(Shown(one["id"], one["text"]) for one in content["candidates"])
    return Item(content["id"], turns, shown, content["payload"])


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Behaviour of simulated raters; all in shares of the scale."""

    noise: Annotated[float, Option(min=0)] = 0.1
    """Noise of each answer, as a share of the scale.

    Its standard deviation.
    """
    bias: Annotated[float, Option(min=0)] = 0.0
    """Bias between raters, as a share of the scale.

    Standard deviation of what a rater adds to all answers.
    """
    skips: Annotated[float, Option(min=0, max=0.9)] = 0.0
    """Share of items skipped."""
    abandons: float = 0.0
    """The share of items after which a rater leaves and does not come back."""
    think: float = 0.0
    """Seconds between an item and its answer, on average."""
    seed: Annotated[int, Option(min=0, metavar="N")] = 0
    """Seed of everything random."""


@dataclass(slots=True)
class Tally:
    """Counts of one simulated rater."""

    rater: str
    acknowledged: list[tuple[str, int]]
    """Items and revisions that the server said it has saved."""
    skipped: int = 0
    latencies: list[float] | None = None
    """Seconds from sending an answer to its acknowledgement."""


def quality_of(source: Source, candidate: str, seed: int) -> float:
    """Quality of an answer, from 0 to 1: its system's quality, and what is special about it."""
    system = source.system_of(candidate)
    base = 0.25 + 0.5 * fraction("system", seed, system)
    return base + 0.5 * (fraction("answer", seed, source.item, system, candidate.startswith("turn")) - 0.5)


def feeling(project: Project, item: Item, behaviour: Behaviour, bias: float, draw: random.Random) -> Felt:
    """Opinion of a rater with this bias about parts of an item."""
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
        """Answer, skip or abandon an item; False if the rater leaves."""
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
