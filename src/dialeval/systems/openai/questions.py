"""Questions to a server: responses generated, and likelihoods of given responses.

Servers that give the log-probabilities of a prompt's tokens can score: log p(response | context) is the sum over the
tokens that the prompt gains when the response is put after the context. Which these are follows from the tokens of the
context alone: they must be the beginning of the whole's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.core import PartlyAnswered
from dialeval.core.answers import writable
from dialeval.data.types import Context, Response, Turn, Usage
from dialeval.errors import Unsuitable
from dialeval.systems.decoding.search import context_seed, sample_stream
from dialeval.systems.openai.answers import (
    Answer,
    GivenUp,
    PromptTokens,
    Refusal,
    Unusable,
    read_answer,
    read_echo,
    read_prompt_logprobs,
)
from dialeval.systems.openai.session import (
    Attempts,
    Memory,
    Question,
    Reply,
    Session,
    memory_of,
    open_session,
    run_async,
)
from dialeval.systems.openai.system import messages, shortened, warn_of_cut_contexts

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI


_TOO_LONG: Final = "no response: the last turn alone is longer than the server's window"


class _ContextResult(NamedTuple):
    """Result for one context: a response, a reason for none, or nothing; after leaving out this many turns."""

    response: Response | None
    dropped: int = 0
    fits: bool = True


def generate_all(
    system: OpenAI, contexts: Sequence[Context], n: int, seed: int
) -> list[tuple[Response, ...]]:
    """At most ``n`` responses to each context, likeliest first if the server gives log-probabilities.

    PartlyAnswered if the server answered some contexts and then failed.
    """
    samples = min(n, system.decoding.most or n)

    async def work() -> Attempts[_ContextResult]:
        async with open_session(system) as session:
            works: list[Callable[[], Awaitable[_ContextResult]]] = [
                partial(_answer, session, system, context, seed, sample)
                for context in contexts
                for sample in range(samples)
            ]
            tried = await session.try_all(works)
            if tried.error is None:
                session.settle_losses()
            session.settle_doubts()
            return tried

    tried = run_async(work)
    groups = [
        [tried.done[index] for index in range(start, start + samples) if index in tried.done]
        for start in range(0, len(contexts) * samples, samples)
    ]
    _warn_of_long_contexts(system.name, [group[0] for group in groups if group])
    answers = [_responses(group) if len(group) == samples else None for group in groups]
    if tried.error is None:
        return [answer for answer in answers if answer is not None]
    # What was lost before the end is asked for again with the rest.
    answers = [None if answer and answer[0].cause == "failed" else answer for answer in answers]
    if tried.message and any(answer is not None for answer in answers):
        raise PartlyAnswered(tried.message, answers, str(tried.error)) from tried.error
    raise tried.error


def ask_again_all(system: OpenAI, contexts: Sequence[Context], seed: int) -> list[tuple[Response, ...]]:
    """The first response to each context as the server gives it now; nothing cached is used or replaced.

    A server that cannot be reached is soon given up: nothing rests on these answers.
    """

    async def work() -> list[_ContextResult]:
        nothing = Memory(system.address, None)
        async with open_session(system, nothing, retries=min(system.retries, 1)) as session:
            told = await session.do_all(
                [partial(_answer, session, system, context, seed, 0) for context in contexts]
            )
            session.settle_losses()
            session.settle_doubts()
            return told

    return [_responses([told]) for told in run_async(work)]


def recall_all(
    system: OpenAI, contexts: Sequence[Context], seed: int, sample: int = 0
) -> list[Response | None]:
    """The cached first response to each context, or another sample; None if there is none."""
    memory = memory_of(system)
    return [_recalled(memory, system, context, seed, sample) for context in contexts]


def _recalled(memory: Memory, system: OpenAI, context: Context, seed: int, sample: int) -> Response | None:
    shorter: Context | None = context
    while shorter is not None:
        try:
            reply = memory.find(memory.key(question(system, shorter, seed, sample)))
        except Refusal as refused:
            shorter = shortened(shorter) if refused.kind == "too_long" else None
        else:
            return None if reply is None else _response(reply)
    return None


def _response(reply: Reply) -> Response | None:
    """The response in a reply; None if it has no words."""
    answer = Answer(*reply.content)
    said = (answer.text or "").strip()
    if not said:
        return None
    usage = Usage(
        answer.seconds,
        answer.prompt_tokens,
        answer.completion_tokens,
        asked=reply.asked,
        cut=answer.cut,
        cached=reply.cached,
    )
    return Response(said, answer.logprob, usage=usage)


async def _answer(
    session: Session, system: OpenAI, context: Context, seed: int, sample: int
) -> _ContextResult:
    dropped = 0
    while True:
        asked = question(system, context, seed, sample)
        try:
            reply = await session.ask(asked, read_answer)
        except GivenUp as error:
            session.lose(asked, error)
            return _ContextResult(Response("", missing=f"no response: {error.what}", cause="failed"), dropped)
        except Unusable as error:
            return _ContextResult(Response("", missing=f"no response: {error}", cause="failed"), dropped)
        except Refusal as refused:
            if refused.kind == "too_long":
                shorter = shortened(context)
                if shorter is None:
                    return _ContextResult(
                        Response("", missing=_TOO_LONG, cause="refused"), dropped, fits=False
                    )
                context, dropped = shorter, dropped + 1
                continue
            if not refused.one_item and not refused.bad_request:
                raise
            if not refused.one_item and context:
                session.doubt(asked, refused)
            return _ContextResult(Response("", missing=_reason(refused), cause="refused"), dropped)
        session.trust(asked)
        response = _response(reply)
        return _ContextResult(response and writable(response), dropped)


def _reason(refused: Refusal) -> str:
    """Return why an item has no response, in one sentence; the server's words are part of it."""
    what = "filtered this context" if refused.kind == "filtered" else "refused this request"
    return f"no response: the server {what} (HTTP {refused.status}): {refused.said.rstrip('.')}"


def _responses(told: Sequence[_ContextResult]) -> tuple[Response, ...]:
    """The responses to one context; if there are none, the reason, if there is one."""
    given = [answer.response for answer in told if answer.response is not None]
    return _best_first([response for response in given if response.missing is None]) or tuple(given[:1])


def question(system: OpenAI, context: Context, seed: int, sample: int) -> Question:
    """The request for one response to a context."""
    decoding, samples = system.decoding, system.decoding.samples
    body: dict[str, object] = {"model": system.model, "stream": False}
    if decoding.max_tokens is not None:
        body["max_tokens"] = decoding.max_tokens
    body["temperature"] = decoding.temperature if samples else 0
    if samples:
        body["seed"] = int(sample_stream(context_seed(seed, context), sample).random() * 2**31)
        body["top_p"] = decoding.top_p if decoding.method == "nucleus" else 1
    if decoding.method == "top_k":
        body["top_k"] = decoding.top_k
    if decoding.min_tokens > 1:
        body["min_tokens"] = decoding.min_tokens
    if system.api == "chat":
        body["messages"] = messages(system.instructed(context))
        if system.logprobs:
            body |= {"logprobs": True, "top_logprobs": 1}
    else:
        body["prompt"] = system.layout.write(system.instructed(context))
        if system.ending:
            body["stop"] = [system.ending]
        if system.logprobs:
            body["logprobs"] = 1
    return Question(system.path, system.with_extra(body), system.revision, seed if samples else None, sample)


def _best_first(responses: Sequence[Response]) -> tuple[Response, ...]:
    """Likeliest first; in the order they were drawn if the server gives no log-probabilities."""
    if any(response.logprob is None for response in responses):
        return tuple(responses)
    return tuple(sorted(responses, key=lambda response: -(response.logprob or 0.0)))


def _warn_of_long_contexts(system: str, told: Sequence[_ContextResult]) -> None:
    warn_of_cut_contexts(system, [answer.dropped if answer.fits else 0 for answer in told])
    over = sum(not answer.fits for answer in told)
    if over:
        warnings.warn(
            f"{system}: the last turn alone of {over} of {len(told)} contexts is longer than the server's window; "
            "they have no response.",
            stacklevel=4,
        )


_PLAIN: Final = (Turn("user", "Hello."),)


class ResponseScore(NamedTuple):
    """A response's log-probability and how many tokens it is of."""

    logprob: float
    tokens: int
    dropped: int = 0
    """Oldest turns of its context that were left out, because the server's window is too short for both."""


def score_all(system: OpenAI, contexts: Sequence[Context], responses: Sequence[str]) -> list[ResponseScore]:
    """The score of each response in its context.

    Responses to one context are scored after the same words: if the longest has no room for all of its turns, the
    others do without them too.
    """

    async def work() -> list[ResponseScore]:
        async with open_session(system) as session:
            scorer = _Scorer(session, system)

            async def score(dropped: Mapping[Context, int]) -> list[ResponseScore]:
                works: list[Callable[[], Awaitable[ResponseScore]]] = [
                    partial(scorer.score, context, response, dropped.get(context, 0))
                    for context, response in zip(contexts, responses, strict=True)
                ]
                return await session.do_all(works)

            scores = await score({})
            dropped = _most_dropped(contexts, scores)
            warn_of_cut_contexts(system.name, list(dropped.values()))
            # What is as it was asked the first time is remembered, and not sent again.
            return await score(dropped) if any(dropped.values()) else scores

    return run_async(work)


def _most_dropped(contexts: Sequence[Context], scores: Sequence[ResponseScore]) -> dict[Context, int]:
    """Return how many turns of each context were left out for the response that left the least room."""
    dropped: dict[Context, int] = {}
    for context, scored in zip(contexts, scores, strict=True):
        dropped[context] = max(scored.dropped, dropped.get(context, 0))
    return dropped


def count_all(system: OpenAI, responses: Sequence[str]) -> list[int]:
    """Return how many tokens each response has: as it was scored, or else by scoring it after a plain greeting."""

    async def work() -> list[int]:
        async with open_session(system) as session:
            scorer = _Scorer(session, system)
            return await session.do_all([partial(scorer.count, response) for response in responses])

    return run_async(work)


class _Scorer:
    """Scores responses over one session."""

    def __init__(self, session: Session, system: OpenAI) -> None:
        self.session, self.system = session, system
        self._generated = 0 if system.likelihood == "echo" else 1
        """Tokens to be generated after the prompt: vLLM wants at least one if the prompt is not echoed."""

    async def count(self, response: str) -> int:
        known = self.session.recall(self._count(response))
        return int(known[0]) if known else (await self.score(_PLAIN, response)).tokens

    async def score(self, context: Context, response: str, dropped: int = 0) -> ResponseScore:
        """The response's score after the context without this many of its oldest turns, or more if it must be."""
        for _ in range(dropped):
            context = shortened(context) or context
        written = self.system.written(response)
        if not written.strip() and not self.system.ending:
            raise Unsuitable(
                "An empty response has no token to score. Say in 'end' what ends a turn, such as '<|im_end|>', or "
                "leave empty responses out."
            )
        while True:
            try:
                whole = await self._prompted(context, written)
                before = await self._prompted(context, "")
            except Refusal as refused:
                shorter = shortened(context) if refused.kind == "too_long" else None
                if shorter is None:
                    raise
                context, dropped = shorter, dropped + 1
            else:
                scored = _difference(before, whole, response)._replace(dropped=dropped)
                self.session.note(self._count(response), [scored.tokens])
                return scored

    async def _prompted(self, context: Context, written: str) -> PromptTokens:
        """The tokens of the context, with the response written after it."""
        system = self.system
        read = read_prompt_logprobs
        if system.likelihood == "echo":
            prompt = system.layout.write(system.instructed(context)) + written
            read = partial(read_echo, prompt=prompt)
        try:
            reply = await self.session.ask(self._question(context, written), read)
        except Refusal as refused:
            # Servers differ on whether nothing may be generated.
            if self._generated or not refused.bad_request or not refused.wants_tokens:
                raise
            self._generated = 1
            return await self._prompted(context, written)
        tokens, logprobs = reply.content
        return PromptTokens(tuple(tokens), tuple(logprobs))

    def _question(self, context: Context, written: str) -> Question:
        system = self.system
        body: dict[str, object] = {"model": system.model, "temperature": 0, "max_tokens": self._generated}
        if system.api == "chat":
            said = [*messages(system.instructed(context))]
            if written:
                said.append({"role": "assistant", "content": written})
            body |= {
                "messages": said,
                "add_generation_prompt": not written,
                "continue_final_message": bool(written),
            }
        else:
            body["prompt"] = system.layout.write(system.instructed(context)) + written
        body |= {"echo": True, "logprobs": 1} if system.likelihood == "echo" else {"prompt_logprobs": 1}
        # However long the user lets responses grow, none is wanted here.
        whole = {**system.with_extra(body), "max_tokens": self._generated}
        whole.pop("max_completion_tokens", None)
        return Question(system.path, whole, system.revision)

    def _count(self, response: str) -> Question:
        """Under what the number of a response's tokens is noted."""
        system = self.system
        body = {"model": system.model, "cue": system.layout.cue, "response": system.written(response)}
        return Question(f"count of tokens by {system.likelihood}", body, system.revision)


def _difference(before: PromptTokens, whole: PromptTokens, response: str) -> ResponseScore:
    """The score of what the whole has beyond the context."""
    start = len(before.tokens)
    if len(whole.tokens) <= start or whole.tokens[1:start] != before.tokens[1:]:
        raise Unsuitable(
            f"The server's tokeniser does not keep context and response apart before {response[:40]!r}: some token "
            "reaches from one into the other, so the response has no separate probability. Change 'layout', so that "
            "its cue ends where a token must end, at a line break or a special token."
        )
    gained = [value for value in whole.logprobs[start:] if value is not None]
    return ResponseScore(math.fsum(gained), len(gained))
