"""Results of other evaluators: each is a response with its context, its references and the scores that it got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.importers.exports.messages import Message, text_of, turns
from dialeval.data.importers.exports.scores import Score, judgements
from dialeval.data.types import UNNAMED, Dialogue, Example, Kind, MissingCause, Prompt, Record, Response
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("example", "judgement", "dialogue", "prompt")
JUDGED: Final = frozenset(
    (
        *("llm-rubric", "g-eval", "factuality", "agent-rubric", "model-graded-closedqa", "select-best", "pi"),
        *("model-graded-factuality", "answer-relevance", "context-recall", "context-relevance", "moderation"),
        *("context-faithfulness", "conversation-relevance", "search-rubric", "trajectory:goal-success"),
    )
)
"""Assertions of promptfoo that a model answers; all others are checks by code."""


class Result(NamedTuple):
    """What one system did on one item."""

    where: Where
    raw: str
    item: str
    system: str
    context: Sequence[Message]
    reply: str | None
    """None if there is no response."""
    missing: str = ""
    """Why there is none."""
    cause: MissingCause | None = None
    references: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()


def split(messages: Sequence[Message]) -> tuple[Sequence[Message], str | None]:
    """The messages before the last one and its text, if the assistant said it; else all of them, and None."""
    if messages and messages[-1]["role"] == "assistant":
        return messages[:-1], text_of(messages[-1].get("content"))
    return messages, None


def result_records(results: Iterable[Result], kind: Kind, on_bad: OnBad, path: str) -> Iterator[Record]:
    """A record of the kind for each result; an item that a system answers again is ``ITEM/2``."""
    times: Counter[tuple[str, str]] = Counter()
    asked: set[str] = set()
    scores: list[Score] = []
    for result in results:
        times[result.item, result.system] += 1
        number = times[result.item, result.system]
        item = result.item if number == 1 else f"{result.item}/{number}"
        if kind == "judgement":
            system = result.system or UNNAMED
            scores += [score._replace(item=item, system=system) for score in result.scores]
            continue
        if kind == "prompt" and item in asked:
            continue
        asked.add(item)
        try:
            yield _record(result, item, kind)
        except BadInput as error:
            on_bad(BadLine(error, result.raw))
    yield from judgements(scores, path)


def _record(result: Result, item: str, kind: Kind) -> Record:
    context = turns(result.context, result.where, "messages")
    if kind == "prompt":
        return Prompt(item, context, result.references)
    if kind == "dialogue":
        last: list[Message] = [] if result.reply is None else [{"role": "assistant", "content": result.reply}]
        return Dialogue(item, (*context, *turns(last, result.where, "messages")), result.system)
    if result.reply is None:
        response = Response("", missing=result.missing or "no response", cause=result.cause)
    else:
        response = Response(result.reply)
    return Example(item, result.system or UNNAMED, context, response, result.references)
