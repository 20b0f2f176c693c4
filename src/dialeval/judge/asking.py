"""Judges behind an OpenAI-compatible server: requests, what a server takes, and replies, kept as they come."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import writable_text
from dialeval.judge.document import Code
from dialeval.judge.prompts import Mode, Request
from dialeval.judge.verdicts import JudgeReply, TokenChoice
from dialeval.systems.decoding.search import context_seed
from dialeval.systems.openai import OpenAI
from dialeval.systems.openai.answers import (
    GivenUp,
    Malformed,
    Refusal,
    Unusable,
    choice_of,
    counted,
    is_logprob,
    table_of,
)
from dialeval.systems.openai.session import Memory, Question, Session, memory_of, open_session, run_async

Constraint: TypeAlias = Literal["json_schema", "tools", "none"]

_TOP: Final = 20
"""Likeliest tokens that are asked for: as many as OpenAI and vLLM give."""
_TOOL: Final = "verdict"
_PATH: Final = "chat/completions"


@dataclass(frozen=True, slots=True)
class Form:
    """Fields of a request beside the two messages."""

    mode: Mode
    schema: Mapping[str, object]
    """Of a verdict in JSON; empty for a text."""
    temperature: float | None
    max_tokens: int
    repeats: int
    seed: int


class Outcome(NamedTuple):
    """A reply, or the code of why there is none, with what the server said."""

    reply: JudgeReply
    code: Code | None = None
    found: str = ""


@dataclass(frozen=True, slots=True)
class _Takes:
    """Forms of requests that the server takes, as far as it has told."""

    constraint: Constraint = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def after(self, refused: Refusal, mode: Mode) -> _Takes | None:
        """Return the form to try instead; None if the refusal is about something else."""
        said = refused.said.lower()
        if refused.one_item or not refused.bad_request:
            return None
        if "max_completion_tokens" in said and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if mode != "json":
            return None
        if self.constraint == "json_schema" and any(
            w in said for w in ("response_format", "json_schema", "schema")
        ):
            return replace(self, constraint="tools")
        if self.constraint == "tools" and "tool" in said:
            return replace(self, constraint="none")
        return None


def ask_server(
    server: OpenAI, requests: Sequence[Request], form: Form, *, batch: bool = False
) -> list[tuple[Outcome, ...]]:
    """The outcomes of each request, one for each repeat; what was answered before is not sent again.

    With ``batch``, all but the first are sent by the server's batch API.

    RunFailed if the server fails for good; what it answered until then is kept.
    """
    if not requests:
        return []

    async def work() -> list[Outcome]:
        async with open_session(server) as session:
            asker = _Asker(session, server, form)
            works: list[Callable[[], Awaitable[Outcome]]] = [
                partial(asker.ask, request, repeat) for request in requests for repeat in range(form.repeats)
            ]
            # The first alone: from it the others learn what the server takes.
            first = await session.do_all(works[:1])
            if batch and len(works) > 1:
                await asker.answer_in_batches(requests)
            rest = await session.do_all(works[1:], before=1)
            session.settle_losses()
            session.settle_doubts()
            return first + rest

    flat = run_async(work)
    return [tuple(flat[at : at + form.repeats]) for at in range(0, len(flat), form.repeats)]


def recall_replies(server: OpenAI, request: Request, form: Form) -> tuple[Outcome, ...]:
    """The kept outcomes of a request; those that are not there are left out. Nothing is sent."""
    memory = memory_of(server)
    takes = _recalled(memory, server)
    found = (
        _kept(memory, _question(server, request, form, takes, repeat), takes, form)
        for repeat in range(form.repeats)
    )
    return tuple(outcome for outcome in found if outcome is not None)


def _kept(memory: Memory, question: Question, takes: _Takes, form: Form) -> Outcome | None:
    try:
        reply = memory.find(memory.key(question))
    except Refusal as refused:
        return _of_refusal(refused)
    return None if reply is None else Outcome(_reply(reply.content, takes, form))


class _Asker:
    """Asks one server, and learns what it takes."""

    def __init__(self, session: Session, server: OpenAI, form: Form) -> None:
        self._session, self._server, self._form = session, server, form
        self._takes = _recalled(memory_of(server), server)

    async def answer_in_batches(self, requests: Sequence[Request]) -> None:
        """Have the server answer what is not answered yet in batches, in the form that it takes."""
        from dialeval.systems.openai.batches import answer_in_batches

        takes = self._takes
        questions = [
            _question(self._server, request, self._form, takes, repeat)
            for request in requests
            for repeat in range(self._form.repeats)
        ]
        await answer_in_batches(self._session, self._server.name, questions, read_reply)

    async def ask(self, request: Request, repeat: int) -> Outcome:
        while True:
            takes = self._takes
            question = _question(self._server, request, self._form, takes, repeat)
            try:
                reply = await self._session.ask(question, read_reply)
            except GivenUp as error:
                self._session.lose(question, error)
                return Outcome(JudgeReply(""), "failed", error.what)
            except Unusable as error:
                return Outcome(JudgeReply(""), "failed", str(error))
            except Refusal as refused:
                instead = takes.after(refused, self._form.mode)
                if instead is not None:
                    if self._takes == takes:
                        self._takes = instead
                        self._session.note(_note(self._server), [instead.constraint, instead.limit])
                    continue
                if not refused.one_item and not refused.bad_request:
                    raise
                if not refused.one_item:
                    self._session.doubt(question, refused)
                return _of_refusal(refused)
            self._session.trust(question)
            return Outcome(_reply(reply.content, takes, self._form))


def _of_refusal(refused: Refusal) -> Outcome:
    code: Code = "too_long" if refused.kind == "too_long" else "refused"
    return Outcome(JudgeReply(""), code, writable_text(refused.said))


def _note(server: OpenAI) -> Question:
    """Under what is noted which requests the server takes."""
    return Question("what the server takes from a judge", {"model": server.model}, server.revision)


def _recalled(memory: Memory, server: OpenAI) -> _Takes:
    try:
        noted = memory.find(memory.key(_note(server)))
    except Refusal:
        return _Takes()
    return _Takes() if noted is None else _Takes(*noted.content)


def _question(server: OpenAI, request: Request, form: Form, takes: _Takes, repeat: int) -> Question:
    """The request for one verdict."""
    messages = [{"role": "system", "content": request.rules}, {"role": "user", "content": request.data}]
    body: dict[str, object] = {"model": server.model, "stream": False, "messages": messages}
    body[takes.limit] = form.max_tokens
    samples = bool(form.temperature)
    if form.temperature is not None:
        body["temperature"] = form.temperature
    if samples:
        body["seed"] = (context_seed(form.seed, ()) + int(request.tag, 16) + repeat) % 2**31
    if form.mode != "json":
        body |= {"logprobs": True, "top_logprobs": _TOP}
    elif not form.schema:  # a text, which nothing holds to a form
        pass
    elif takes.constraint == "json_schema":
        wanted = {"name": _TOOL, "strict": True, "schema": form.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif takes.constraint == "tools":
        function = {"name": _TOOL, "description": "Give the verdict.", "parameters": form.schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": _TOOL}}
    return Question(_PATH, server.with_extra(body), server.revision, form.seed if samples else None, repeat)


def read_reply(body: object) -> list[object]:
    """Return the kept part of a server's answer: text, model, finish, refusal, tokens, and tokens counted."""
    choice = choice_of(body)
    message = table_of(choice.get("message"))
    text = message.get("content")
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        function = table_of(table_of(calls[-1]).get("function"))
        text = function.get("arguments")
    if text is not None and not isinstance(text, str):
        raise Malformed("the answer's text is not text")
    refusal, model, finish = message.get("refusal"), table_of(body).get("model"), choice.get("finish_reason")
    return [
        writable_text(text or ""),
        writable_text(model) if isinstance(model, str) else None,
        finish if isinstance(finish, str) else None,
        writable_text(refusal) if isinstance(refusal, str) and refusal else None,
        _tokens(choice.get("logprobs")),
        counted(body, "prompt_tokens"),
        counted(body, "completion_tokens"),
    ]


def _tokens(logprobs: object) -> list[list[object]]:
    """The reply's tokens with the likeliest in their places; none if the server lists none, or lists them oddly."""
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    found: list[list[object]] = []
    for token in content if isinstance(content, list) else []:
        if not isinstance(token, Mapping) or not isinstance(token.get("token"), str):
            return []
        places = token.get("top_logprobs")
        pairs = {
            str(each["token"]): float(each["logprob"])
            for each in (places if isinstance(places, list) else [])
            if isinstance(each, Mapping)
            and isinstance(each.get("token"), str)
            and is_logprob(each.get("logprob"))
        }
        if is_logprob(token.get("logprob")):
            pairs.setdefault(token["token"], float(token["logprob"]))
        found.append(
            [writable_text(token["token"]), [[writable_text(text), value] for text, value in pairs.items()]]
        )
    return found


def _reply(content: Sequence[object], takes: _Takes, form: Form) -> JudgeReply:
    text, model, finish, refusal, tokens, asked, answered = content
    choices = tuple(
        TokenChoice(token, tuple((word, value) for word, value in places))
        for token, places in tokens  # type: ignore[attr-defined]  # as read_reply keeps them
    )
    constraint = takes.constraint if form.mode == "json" else "none"
    return JudgeReply(text, model, finish, refusal, choices, constraint, asked, answered)  # type: ignore[arg-type]
