"""A session with one server: concurrent requests, none sent twice, every answer cached."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from dialeval.core.answers import unwritable
from dialeval.engine.cache import Cache, answer_cache
from dialeval.errors import RunFailed
from dialeval.resources.kept import kept_folder
from dialeval.systems.openai.answers import Answer, GivenUp, Refusal
from dialeval.systems.openai.keys import read_key
from dialeval.systems.openai.sender import Connection, Sender, open_sender
from dialeval.systems.openai.system import meter

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
    """None if chance plays no part."""
    sample: int = 0

    @property
    def settings(self) -> Question:
        """Part that it has in common with the requests for other items."""
        body = {key: value for key, value in self.body.items() if key not in _OF_ONE_ITEM}
        return Question(f"settings that were answered by {self.path}", body, self.revision)


class Attempts(NamedTuple, Generic[T]):
    """Results of works of which some may have failed."""

    done: Mapping[int, T]
    """The results by the work's number, in order."""
    error: Exception | None
    """The first failure."""
    message: str
    """The failure and how much was kept; empty if nothing was, or dialeval did not foresee the failure."""


class Reply(NamedTuple):
    """Part of a server's answer that is kept."""

    content: list[Any]
    asked: float | None
    """When, in seconds since 1970; None of answers that older versions cached."""
    cached: bool = False


class Memory:
    """Cached answers of one server."""

    def __init__(self, address: str, cache: Cache | None) -> None:
        self._address, self.cache = address, cache

    def key(self, question: Question) -> str:
        """Everything that moves the answer; the API key is not in it."""
        chance = [question.revision, question.seed, question.sample]
        return json.dumps(
            ["openai", _FORMAT, self._address, question.path, chance, question.body], sort_keys=True
        )

    def find(self, key: str) -> Reply | None:
        """The cached answer; Refusal if the server would not give one, None if nothing usable is cached."""
        payload = None if self.cache is None else self.cache.get(key, "")
        kept = None if payload is None else json.loads(payload)
        if isinstance(kept, list):  # of a version that did not store when it asked
            kept = {"answer": kept}
        if kept is None or ("kind" not in kept and "answer" not in kept):
            return None
        if "kind" in kept:
            raise Refusal(**kept)
        texts = (value for value in kept["answer"] if isinstance(value, str))
        return None if any(map(unwritable, texts)) else Reply(kept["answer"], kept.get("asked"), cached=True)

    def keep(self, key: str, reply: Reply) -> None:
        """Cache an answer."""
        self._put(key, {"answer": reply.content, "asked": reply.asked})

    def refuse(self, key: str, refused: Refusal) -> None:
        """Cache a refusal of one item."""
        self._put(key, {"status": refused.status, "said": refused.said, "kind": refused.kind})

    def note(self, key: str, learnt: Sequence[object]) -> None:
        """Cache something that was learnt along the way."""
        self._put(key, list(learnt))

    def _put(self, key: str, entry: object) -> None:
        if self.cache is not None:
            self.cache.put(key, "", json.dumps(entry).encode())


class Session:
    """A sender with a memory."""

    def __init__(self, sender: Sender, memory: Memory) -> None:
        self._sender, self._memory = sender, memory
        self._asked: dict[str, asyncio.Task[Reply]] = {}
        self._doubts: list[tuple[Question, Refusal]] = []
        self._lost: list[tuple[Question, GivenUp]] = []
        self._answered: set[str] = set()

    async def ask(self, question: Question, read: Read) -> Reply:
        """Return what ``read`` makes of the server's answer, now or in an earlier run; kept before it is returned."""
        key = self._memory.key(question)
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._ask(key, question, read))
        return await self._asked[key]

    async def _ask(self, key: str, question: Question, read: Read) -> Reply:
        kept = self._memory.find(key)
        if kept is not None:
            self._sender.meter.reused.append(kept.asked)
            return kept
        asked = time.time()
        try:
            sent = await self._sender.send(question.path, question.body, read)
        except Refusal as refused:
            if refused.one_item:
                self._memory.refuse(key, refused)
            raise
        content = sent.content
        if isinstance(content, Answer):
            content = content._replace(seconds=round(sent.seconds, 4))
        reply = Reply(list(content), round(asked, 3))
        if not (isinstance(content, Answer) and content.text and unwritable(content.text)):
            self._memory.keep(key, reply)
        return reply

    @property
    def sender(self) -> Sender:
        """What sends its requests."""
        return self._sender

    @property
    def memory(self) -> Memory:
        """Where its answers are kept."""
        return self._memory

    def recall(self, question: Question) -> list[Any] | None:
        """Return what was noted under this question, which need not be one for the server."""
        try:
            kept = self._memory.find(self._memory.key(question))
        except Refusal:
            return None
        return None if kept is None else kept.content

    def note(self, question: Question, answer: Sequence[object]) -> None:
        """Keep something that was learnt along the way."""
        self._memory.note(self._memory.key(question), answer)

    def trust(self, question: Question) -> None:
        """Note that the server answered this question, so that its settings are not what it may refuse in others."""
        key = self._memory.key(question.settings)
        if key not in self._answered:
            self._answered.add(key)
            if self.recall(question.settings) is None:
                self._memory.note(key, [True])

    def doubt(self, question: Question, refused: Refusal) -> None:
        """Set aside a bad request: of this item, or of the settings, which is known once the server answers others."""
        self._doubts.append((question, refused))
        if len(self._doubts) >= _MOST_DOUBTS and not self._trusts(question):
            self._sender.stopped = True

    def lose(self, question: Question, error: GivenUp) -> None:
        """Set aside a request without an answer: it is of this item if the server answers, or has answered, others."""
        self._lost.append((question, error))

    def settle_losses(self) -> None:
        """Raise the first error of a request without an answer, if the server has never answered such a request."""
        for question, lost in self._lost:
            if not self._trusts(question):
                raise lost

    def settle_doubts(self) -> None:
        """Keep the refusals of single items; raise the first if the server has never answered such a request."""
        for question, refused in self._doubts:
            if not self._trusts(question):
                raise refused
            item = Refusal(refused.status, refused.said, kind="unsuitable")
            self._memory.refuse(self._memory.key(question), item)

    def _trusts(self, question: Question) -> bool:
        settings = question.settings
        return self._memory.key(settings) in self._answered or self.recall(settings) is not None

    async def do_all(self, works: Sequence[Callable[[], Awaitable[T]]], *, before: int = 0) -> list[T]:
        """Every work's result, in order; the first failure is raised after what is on its way is finished."""
        tried = await self.try_all(works, before=before)
        if tried.error is not None:
            raise RunFailed(tried.message) if tried.message else tried.error
        return list(tried.done.values())

    async def try_all(self, works: Sequence[Callable[[], Awaitable[T]]], *, before: int = 0) -> Attempts[T]:
        """The results of the works, ``concurrency`` at a time, and the first failure.

        The message of a failure also counts the works that the session did ``before`` these.

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
        message = self._with_progress(error, before + len(done) - len(self._lost), before + len(works))
        return Attempts(dict(sorted(done.items())), error, message)

    def _with_progress(self, error: Exception | None, done: int, total: int) -> str:
        if not isinstance(error, RunFailed) or done <= 0:
            return ""
        cache = self._memory.cache
        if cache is None:
            return f"{error} {done} of the {total} answers had come, and are not cached ('cache: none')."
        kept = f"{done} of the {total} answers asked for are kept in {cache.folder}"
        return f"{error} {kept}; run again to resume from there."


@asynccontextmanager
async def open_session(
    system: OpenAI, memory: Memory | None = None, *, retries: int | None = None
) -> AsyncIterator[Session]:
    """A session with the system's server, as long as the block lasts; the key is read now.

    It remembers what the system cached unless it is given another memory.
    """
    connection = Connection(
        base_url=system.address,
        api_key_env=system.api_key_env,
        concurrency=system.concurrency,
        retries=system.retries if retries is None else retries,
        timeout=system.timeout,
        backoff=system.backoff,
    )
    async with open_sender(connection, read_key(system.api_key_env), meter(system)) as sender:
        yield Session(sender, memory or memory_of(system))


def memory_of(system: OpenAI) -> Memory:
    """The answers that the system may use, under its rule."""
    usual = Cache(system.cache or kept_folder("openai"))
    return Memory(system.address, answer_cache(system.rule, usual))


def run_async(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine, also if a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(lambda: asyncio.run(work())).result()
