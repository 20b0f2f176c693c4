"""A session with one server: concurrent requests, none sent twice, every answer cached."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from dialeval.engine.cache import Cache
from dialeval.errors import RunFailed
from dialeval.resources.finding import kept_folder
from dialeval.systems.openai.answers import Answer
from dialeval.systems.openai.budget import Meter
from dialeval.systems.openai.keys import read_key
from dialeval.systems.openai.refusals import Refusal
from dialeval.systems.openai.sending import Connection, Sender, open_sender

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI

T = TypeVar("T")
Read = Callable[[object], Sequence[object]]
"""From a server's answer to what is kept of it: plain values that JSON can hold."""

_FORMAT: Final = 2
_OF_ONE_ITEM: Final = frozenset({"messages", "prompt", "seed"})
_MOST_DOUBTS: Final = 16
"""Bad requests in a batch after which a server that has answered none is not asked any more."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request and all else that moves its answer."""

    path: str
    """Under the server's address, such as ``chat/completions``."""
    body: Mapping[str, object]
    revision: str | None = None
    seed: int | None = None
    """None where chance plays no part."""
    sample: int = 0

    @property
    def settings(self) -> Question:
        """What it has in common with the requests for other items."""
        body = {key: value for key, value in self.body.items() if key not in _OF_ONE_ITEM}
        return Question(f"settings that were answered by {self.path}", body, self.revision)


class Tried(NamedTuple, Generic[T]):
    """What came of works of which some may have failed."""

    done: Mapping[int, T]
    """The results by the work's number, in order."""
    error: Exception | None
    """The first failure."""
    message: str
    """The failure and how much was kept; empty where nothing was, or dialeval did not foresee the failure."""


class Session:
    """A sender with a memory."""

    def __init__(self, sender: Sender, cache: Cache) -> None:
        self._sender, self._cache = sender, cache
        self._asked: dict[str, asyncio.Task[list[Any]]] = {}
        self._doubts: list[tuple[Question, Refusal]] = []
        self._answered: set[str] = set()

    async def ask(self, question: Question, read: Read) -> list[Any]:
        """What ``read`` makes of the server's answer, now or in an earlier run; kept before it is returned."""
        key = self._key(question)
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._ask(key, question, read))
        return await self._asked[key]

    async def _ask(self, key: str, question: Question, read: Read) -> list[Any]:
        kept = self._kept(key)
        if isinstance(kept, list):
            return kept
        if kept is not None and "kind" in kept:
            raise Refusal(**kept)
        try:
            sent = await self._sender.send(question.path, question.body, read)
        except Refusal as refused:
            if refused.one_item:
                self._keep_refusal(key, refused)
            raise
        content = sent.content
        if isinstance(content, Answer):
            content = content._replace(seconds=round(sent.seconds, 4))
        self._keep(key, list(content))
        return list(content)

    def recall(self, question: Question) -> list[Any] | None:
        """What was noted under this question, which need not be one for the server."""
        kept = self._kept(self._key(question))
        return kept if isinstance(kept, list) else None

    def note(self, question: Question, answer: Sequence[object]) -> None:
        """Keep something that was learnt along the way."""
        self._keep(self._key(question), list(answer))

    def trust(self, question: Question) -> None:
        """Note that the server answered this question, so that its settings are not what it may refuse in others."""
        key = self._key(question.settings)
        if key not in self._answered:
            self._answered.add(key)
            if self._kept(key) is None:
                self._keep(key, [True])

    def doubt(self, question: Question, refused: Refusal) -> None:
        """Set aside a bad request: of this item, or of the settings, which is known once the server answers others."""
        self._doubts.append((question, refused))
        if len(self._doubts) >= _MOST_DOUBTS and not self._trusts(question):
            self._sender.stopped = True

    def settle_doubts(self) -> None:
        """Keep the refusals of single items; raise the first where the server has never answered such a request."""
        for question, refused in self._doubts:
            if not self._trusts(question):
                raise refused
            item = Refusal(refused.status, refused.said, kind="unsuitable")
            self._keep_refusal(self._key(question), item)

    def _trusts(self, question: Question) -> bool:
        return self.recall(question.settings) is not None

    def _keep_refusal(self, key: str, refused: Refusal) -> None:
        self._keep(key, {"status": refused.status, "said": refused.said, "kind": refused.kind})

    def _kept(self, key: str) -> list[Any] | dict[str, Any] | None:
        payload = self._cache.get(key, "")
        return None if payload is None else json.loads(payload)

    def _keep(self, key: str, answer: object) -> None:
        self._cache.put(key, "", json.dumps(answer).encode())

    def _key(self, question: Question) -> str:
        """Everything that moves the answer; the API key is not in it."""
        address = self._sender.connection.base_url
        chance = [question.revision, question.seed, question.sample]
        return json.dumps(["openai", _FORMAT, address, question.path, chance, question.body], sort_keys=True)

    async def do_all(self, works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """Every work's result, in order; the first failure is raised after what is on its way is finished."""
        tried = await self.try_all(works)
        if tried.error is not None:
            raise RunFailed(tried.message) if tried.message else tried.error
        return list(tried.done.values())

    async def try_all(self, works: Sequence[Callable[[], Awaitable[T]]]) -> Tried[T]:
        """The results of the works, ``concurrency`` at a time, and the first failure.

        After a failure nothing is sent any more, but what is on its way is finished and kept, as it may have been
        paid for; and works that need only kept answers are still done.
        """
        done: dict[int, T] = {}
        failures: list[Exception] = []
        waiting = iter(enumerate(works))

        async def worker() -> None:
            for index, work in waiting:
                try:
                    done[index] = await work()
                except Exception as error:
                    failures.append(error)
                    self._sender.stopped = True

        await asyncio.gather(*(worker() for _ in range(self._sender.connection.concurrency)))
        error = failures[0] if failures else None
        message = self._with_progress(error, len(done), len(works))
        return Tried(dict(sorted(done.items())), error, message)

    def _with_progress(self, error: Exception | None, done: int, total: int) -> str:
        if not isinstance(error, RunFailed) or not done:
            return ""
        kept = f"{done} of the {total} answers asked for are kept in {self._cache.folder}"
        return f"{error} {kept}; run again to resume from there."


@asynccontextmanager
async def open_session(system: OpenAI) -> AsyncIterator[Session]:
    """A session with the system's server, as long as the block lasts; the key is read now."""
    connection = Connection(
        base_url=system.address,
        api_key_env=system.api_key_env,
        concurrency=system.concurrency,
        retries=system.retries,
        timeout=system.timeout,
        backoff=system.backoff,
    )
    async with open_sender(connection, read_key(system.api_key_env), meter(system)) as sender:
        yield Session(sender, Cache(system.cache or kept_folder("openai")))


@lru_cache(maxsize=64)
def meter(system: OpenAI) -> Meter:
    """What this process has spent on the system, over all its batches."""
    return Meter(system.name, system.budget)


def run_async(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(lambda: asyncio.run(work())).result()
