"""A session with one server: concurrent requests, none sent twice, every answer cached."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dialeval.engine.cache import Cache
from dialeval.errors import RunFailed
from dialeval.resources.finding import kept_folder
from dialeval.systems.openai.budget import Meter
from dialeval.systems.openai.keys import read_key
from dialeval.systems.openai.refusals import Refusal
from dialeval.systems.openai.sending import Connection, Sender, open_sender

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI

T = TypeVar("T")
Read = Callable[[object], Sequence[object]]
"""From a server's answer to what is kept of it: plain values that JSON can hold."""

_FORMAT: Final = 1


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


class Session:
    """A sender with a memory."""

    def __init__(self, sender: Sender, cache: Cache) -> None:
        self._sender, self._cache = sender, cache
        self._asked: dict[str, asyncio.Task[list[Any]]] = {}

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
            answer = list(await self._sender.send(question.path, question.body, read))
        except Refusal as refused:
            if refused.one_item:
                self._keep(key, {"status": refused.status, "said": refused.said, "kind": refused.kind})
            raise
        self._keep(key, answer)
        return answer

    def recall(self, question: Question) -> list[Any] | None:
        """What was noted under this question, which need not be one for the server."""
        kept = self._kept(self._key(question))
        return kept if isinstance(kept, list) else None

    def note(self, question: Question, answer: Sequence[object]) -> None:
        """Keep something that was learnt along the way."""
        self._keep(self._key(question), list(answer))

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
        """Every work's result, in order, ``concurrency`` at a time.

        After the first failure nothing new is begun, but what is on its way is finished and kept: it may have been
        paid for.
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
                if failures:
                    self._sender.stopped = True
                    return

        await asyncio.gather(*(worker() for _ in range(self._sender.connection.concurrency)))
        if failures:
            raise self._with_progress(failures[0], len(done), len(works))
        return [done[index] for index in range(len(works))]

    def _with_progress(self, error: Exception, done: int, total: int) -> Exception:
        if not isinstance(error, RunFailed) or not done:
            return error
        kept = f"{done} of the {total} answers asked for are kept in {self._cache.folder}"
        return RunFailed(f"{error} {kept}; run again to resume from there.")


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
