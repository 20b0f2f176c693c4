"""Likelihoods of given responses, from servers that give the log-probabilities of a prompt's tokens.

log p(response | context) is the sum over the tokens that the prompt gains when the response is put after the context.
Which these are follows from the tokens of the context alone: they must be the beginning of the whole's.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.data.types import Context, Turn
from dialeval.errors import Unsuitable
from dialeval.systems.openai.answers import Prompted, read_echo, read_prompt_logprobs
from dialeval.systems.openai.prompts import messages, shortened, warn_of_cut_contexts
from dialeval.systems.openai.refusals import Refusal
from dialeval.systems.openai.session import Question, Session, open_session, run_async

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI

_PLAIN: Final = (Turn("user", "Hello."),)


class Scored(NamedTuple):
    """A response's log-probability and how many tokens it is of."""

    logprob: float
    tokens: int
    dropped: int = 0
    """Oldest turns of its context that were left out, because the server's window is too short for both."""


def score_all(system: OpenAI, contexts: Sequence[Context], responses: Sequence[str]) -> list[Scored]:
    """The score of each response in its context.

    Responses to one context are scored after the same words: where the longest has no room for all of its turns, the
    others do without them too.
    """

    async def work() -> list[Scored]:
        async with open_session(system) as session:
            scorer = _Scorer(session, system)

            async def score(dropped: Mapping[Context, int]) -> list[Scored]:
                works: list[Callable[[], Awaitable[Scored]]] = [
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


def _most_dropped(contexts: Sequence[Context], scores: Sequence[Scored]) -> dict[Context, int]:
    """How many turns of each context were left out for the response that left the least room."""
    dropped: dict[Context, int] = {}
    for context, scored in zip(contexts, scores, strict=True):
        dropped[context] = max(scored.dropped, dropped.get(context, 0))
    return dropped


def count_all(system: OpenAI, responses: Sequence[str]) -> list[int]:
    """How many tokens each response has: as it was scored, or else by scoring it after a plain greeting."""

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
        """Tokens to be generated after the prompt: vLLM wants at least one where the prompt is not echoed."""

    async def count(self, response: str) -> int:
        known = self.session.recall(self._count(response))
        return int(known[0]) if known else (await self.score(_PLAIN, response)).tokens

    async def score(self, context: Context, response: str, dropped: int = 0) -> Scored:
        """The response's score after the context without this many of its oldest turns, or more where it must be."""
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

    async def _prompted(self, context: Context, written: str) -> Prompted:
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
        return Prompted(tuple(tokens), tuple(logprobs))

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


def _difference(before: Prompted, whole: Prompted, response: str) -> Scored:
    """The score of what the whole has beyond the context."""
    start = len(before.tokens)
    if len(whole.tokens) <= start or whole.tokens[1:start] != before.tokens[1:]:
        raise Unsuitable(
            f"The server's tokeniser does not keep context and response apart before {response[:40]!r}: some token "
            "reaches from one into the other, so the response has no separate probability. Change 'layout', so that "
            "its cue ends where a token must end, at a line break or a special token."
        )
    gained = [value for value in whole.logprobs[start:] if value is not None]
    return Scored(math.fsum(gained), len(gained))
