"""Cost of a judge before anything is spent: requests, tokens by the length of the texts, and price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from dialeval.errors import Unsuitable
from dialeval.files.documents import FINITE
from dialeval.judge.metric import Judge
from dialeval.judge.prompts import Request
from dialeval.judge.record import canary_items, judged_subjects

CHARACTERS_PER_TOKEN: Final = 4
"""Of English text, roughly; other languages take more tokens."""
REPLY_TOKENS: Final = {"json": 150, "expected": 2, "yes_no": 2}
"""Tokens of a usual reply."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Requests that a system or a judge will be sent."""

    __pydantic_config__: ClassVar = FINITE

    what: str
    requests: int
    """Those that will be sent; a request that fails is sent again."""
    kept: int
    """Those whose replies are kept already."""
    prompt_tokens: int
    """Of the requests to be sent, by a rule of thumb, as the next."""
    completion_tokens: int
    cost: float | None
    """By the prices; None without any."""
    budget: int | None = None
    """The most requests that may be sent; None without a limit."""
    refused: str | None = None
    """Why the run would refuse to ask; None if it would not."""


def judge_cost(label: str, judge: Judge, subjects: Iterable[object]) -> CostEstimate:
    """Count the requests that the judge has yet to be sent about these subjects, the canary included; send nothing.

    A judge that would judge itself is counted like others, and the estimate says that the run refuses it.
    """
    subjects, refused = list(subjects), None
    try:
        for _ in judged_subjects(judge, subjects):
            pass
    except Unsuitable as error:
        refused, judge = str(error), replace(judge, own_judge=True)
    sent = kept = prompt = 0
    seen: set[str] = set()
    panel = len(judge.models) * judge.repeats
    for subject in (*judged_subjects(judge, subjects), *canary_items(judge)):
        asked = judge.request(subject)
        if asked is None or asked.tag in seen:
            continue
        seen.add(asked.tag)
        known = min(len(judge.recalled(subject)), panel)
        kept += known
        sent += panel - known
        prompt += (panel - known) * tokens_of(asked)
    if not any(member.base_url for member in judge.members):
        return CostEstimate(label, sent, kept, prompt, 0, None, refused=refused)
    reply = sent * min(REPLY_TOKENS[judge.mode], judge.max_tokens)
    return CostEstimate(label, sent, kept, prompt, reply, judge.cost(prompt, reply), judge.budget, refused)


def tokens_of(asked: Request) -> int:
    """Tokens of a request by its length."""
    return -(-(len(asked.rules) + len(asked.data)) // CHARACTERS_PER_TOKEN)


def cost_lines(estimates: Iterable[CostEstimate]) -> Iterator[tuple[str, ...]]:
    """A row for each, and one of the sums."""
    listed = list(estimates)
    for one in listed:
        yield _line(one)
    if len(listed) > 1:
        costs = [one.cost for one in listed]
        known = [cost for cost in costs if cost is not None]
        sent, kept, asked, replied = (sum(getattr(one, name) for one in listed) for name in _COUNTS)
        total = CostEstimate("all", sent, kept, asked, replied, sum(known) if known else None)
        line = _line(total)
        yield (*line[:-1], f"at least {line[-1]}") if known and len(known) < len(costs) else line


_COUNTS: Final = ("requests", "kept", "prompt_tokens", "completion_tokens")


def _line(one: CostEstimate) -> tuple[str, ...]:
    over = one.budget is not None and one.requests > one.budget
    requests = f"{one.requests:,}" + (f" (budget {one.budget:,})" if over else "")
    tokens = (f"{one.prompt_tokens:,}", f"{one.completion_tokens:,}")
    return (one.what, requests, f"{one.kept:,}", *tokens, "–" if one.cost is None else f"{one.cost:.4g}")
