"""Batches: many requests in one file, which a server answers later and at a lower price; resumed after interruptions.

The API is OpenAI's: the file is uploaded (``/files``), a batch is made of it (``/batches``), asked for until it has
ended, and its results are downloaded. Answers are kept as those of single requests, so that afterwards nothing is left
to be sent but what the batch did not answer. Batches on their way are noted beside them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from dialeval.engine.progress import RichProgress
from dialeval.errors import RunFailed, writable_text
from dialeval.systems.openai.answers import Malformed, Refusal, spent_on, table_of
from dialeval.systems.openai.sender import Outgoing
from dialeval.systems.openai.session import Question, Read, Reply, Session

FIRST_WAIT: Final = 2.0
"""Seconds before a batch is asked for again; doubled each time."""
LONGEST_WAIT: Final = 60.0
MOST_REQUESTS: Final = 10_000
"""Requests of one batch; OpenAI allows 50,000."""
MOST_BYTES: Final = 90 * 2**20
"""Of one file; OpenAI allows 200 MB."""
_LARGEST_RESULTS: Final = 512 * 2**20
_PENDING: Final = "batches on their way"
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})


class _Pending(NamedTuple):
    """A batch on its way, and the names of its requests."""

    batch: str
    names: tuple[str, ...]


async def answer_in_batches(session: Session, name: str, questions: Sequence[Question], read: Read) -> None:
    """Have the server answer those of the questions whose answers are not kept, and keep its answers.

    What a batch answers with an error is left to be asked by itself. RunFailed if the server has no such API, or a
    batch fails as a whole.
    """
    work = _Batches(session, name, read)
    missing = work.missing(questions)
    for pending in work.pending:
        if missing.keys() & set(pending.names):
            await work.collect(pending, missing)
    missing = work.missing(questions)
    for part in _parts(missing):
        await work.collect(await work.submit(part), part)


class _Batches:
    """Batches of one server and model."""

    def __init__(self, session: Session, name: str, read: Read) -> None:
        self._session, self._name, self._read = session, name, read
        self._sender, self._memory = session.sender, session.memory

    @property
    def pending(self) -> list[_Pending]:
        """Batches of this server that were submitted, now or in an earlier run, and not collected."""
        found = self._session.recall(Question(_PENDING, {})) or []
        return [_Pending(str(batch), tuple(names)) for batch, names in found]

    def _note(self, pending: Sequence[_Pending]) -> None:
        self._session.note(Question(_PENDING, {}), [[one.batch, list(one.names)] for one in pending])

    def missing(self, questions: Sequence[Question]) -> dict[str, Question]:
        """The questions without a kept answer or refusal, each once, by the name of its request."""
        found: dict[str, Question] = {}
        for question in questions:
            key = self._memory.key(question)
            with suppress(Refusal):
                if self._memory.find(key) is None:
                    found[hashlib.sha256(key.encode()).hexdigest()[:32]] = question
        return found

    async def submit(self, part: Mapping[str, Question]) -> _Pending:
        """Upload the requests and make a batch of them."""
        if self._memory.cache is None:
            raise RunFailed(f"{self._name}: batches need a cache, in which their answers are kept.")
        for _ in part:
            self._sender.meter.charge_request()
        paths = {question.path for question in part.values()}
        (path,) = paths
        lines = "".join(_line(name, question) for name, question in part.items())
        file = {"file": ("requests.jsonl", lines.encode(), "application/jsonl")}
        uploaded = await self._exchange(
            Outgoing("POST", "files", {"data": {"purpose": "batch"}, "files": file}, paid=False)
        )
        body = {"input_file_id": _id(uploaded), "endpoint": f"/v1/{path}", "completion_window": "24h"}
        made = await self._exchange(Outgoing("POST", "batches", {"json": body}, paid=False))
        pending = _Pending(_id(made), tuple(part))
        self._note([*self.pending, pending])
        return pending

    async def collect(self, pending: _Pending, wanted: Mapping[str, Question]) -> None:
        """Wait until the batch has ended, and keep its answers to the wanted questions."""
        try:
            ended = await self._wait(pending)
        except Refusal as refused:
            if refused.status == 404:  # deleted, or of another account: what it was asked is asked anew
                self._forget(pending)
                return
            raise
        answered = 0
        file = ended.get("output_file_id")
        if isinstance(file, str) and file:
            answered = self._keep(await self._download(file), wanted)
        if set(pending.names) <= wanted.keys():
            self._forget(pending)
        status = ended.get("status")
        if status != "completed":
            raise RunFailed(
                f"{self._name}: the batch {pending.batch} of {len(pending.names):,} requests {status}{_errors(ended)}. "
                f"{answered:,} of its answers are kept; the same command sends the rest again."
            )

    def _forget(self, pending: _Pending) -> None:
        self._note([one for one in self.pending if one.batch != pending.batch])

    async def _wait(self, pending: _Pending) -> Mapping[str, object]:
        """The batch after it has ended."""
        wait, seen = FIRST_WAIT, 0
        with RichProgress(f"{self._name}: batch {pending.batch}", len(pending.names)) as progress:
            while True:
                found = await self._exchange(Outgoing("GET", f"batches/{pending.batch}", paid=False))
                done = _done(found)
                progress.advance(max(done - seen, 0))
                seen = max(done, seen)
                if found.get("status") in _ENDED:
                    return found
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)

    async def _download(self, file: str) -> list[object]:
        request = Outgoing("GET", f"files/{file}/content", {}, _json_lines, _LARGEST_RESULTS, paid=False)
        result = await self._sender.exchange(request, lambda content: content)
        return result.content if isinstance(result.content, list) else []

    def _keep(self, lines: Sequence[object], wanted: Mapping[str, Question]) -> int:
        """Keep the answers, and return how many they are; what cannot be read is no answer."""
        kept, now = 0, round(time.time(), 3)
        for line in lines:
            with suppress(Malformed):
                fields = table_of(line)
                question, response = (
                    wanted.get(str(fields.get("custom_id"))),
                    table_of(fields.get("response")),
                )
                if question is None or response.get("status_code") != 200:
                    continue
                body = response.get("body")
                self._memory.keep(self._memory.key(question), Reply(list(self._read(body)), now))
                self._sender.meter.charge_tokens(spent_on(body))
                kept += 1
        return kept

    async def _exchange(self, request: Outgoing) -> Mapping[str, object]:
        try:
            result = await self._sender.exchange(request, table_of)
        except Refusal as refused:
            if request.method == "POST" and refused.status in (404, 405, 501):
                raise RunFailed(
                    f"{self._name}: its server has no batch API (POST /{request.path}: HTTP {refused.status}). Leave "
                    "out 'batch'."
                ) from None
            raise
        return result.content


def _parts(missing: Mapping[str, Question]) -> Iterator[dict[str, Question]]:
    """The questions in files of a size that servers take."""
    part: dict[str, Question] = {}
    size = 0
    for name, question in missing.items():
        length = len(_line(name, question).encode())
        if part and (len(part) >= MOST_REQUESTS or size + length > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[name] = question
        size += length
    if part:
        yield part


def _line(name: str, question: Question) -> str:
    line = {"custom_id": name, "method": "POST", "url": f"/v1/{question.path}", "body": question.body}
    return json.dumps(line) + "\n"


def _json_lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _id(found: Mapping[str, object]) -> str:
    given = found.get("id")
    if not isinstance(given, str) or not given:
        raise RunFailed("The server's batch API gave no 'id' of a file or batch. Leave out 'batch'.")
    return given


def _done(found: Mapping[str, object]) -> int:
    counts = found.get("request_counts")
    if not isinstance(counts, Mapping):
        return 0
    numbers = (counts.get(name) for name in ("completed", "failed"))
    return sum(number for number in numbers if isinstance(number, int))


def _errors(found: Mapping[str, object]) -> str:
    """The first error of a batch, with a colon before it; empty if the server gives none."""
    errors = found.get("errors")
    listed = errors.get("data") if isinstance(errors, Mapping) else None
    first = listed[0] if isinstance(listed, list) and listed else None
    message = first.get("message") if isinstance(first, Mapping) else None
    return f": {writable_text(message)[:300].rstrip('.')}" if isinstance(message, str) else ""
