"""Limits on requests and tokens, their prices, and what was spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from dialeval.core import AnswerRule
from dialeval.errors import DialevalError, RunFailed

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one process may spend on a system; None sets no limit. Kept answers cost nothing."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    requests: int | None = None
    """Requests sent, those that failed and were sent again included."""
    tokens: int | None = None
    """Tokens of prompts and answers, as the server counts them; answers under way may exceed it."""

    def __post_init__(self) -> None:
        for name in ("requests", "tokens"):
            most = getattr(self, name)
            if most is not None and most < 1:
                raise DialevalError(
                    f"The budget of {name}: found {most}, expected at least 1; leave it out for no limit."
                )


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    input: float = 0.0
    """Of prompts."""
    output: float = 0.0
    """Of answers."""

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            price = getattr(self, name)
            if not 0 <= price < math.inf:
                raise DialevalError(f"The price of {name}: found {price}, expected at least 0.")


class Meter:
    """What a system has spent in this process."""

    def __init__(self, system: str, budget: Budget) -> None:
        self.system, self.budget = system, budget
        self.requests = 0
        self.tokens = 0
        self.reused: list[float | None] = []
        """When each cached answer that was used instead of a request was asked; None if that is unknown."""

    def charge_request(self) -> None:
        """Count a request that is about to be sent; RunFailed where the budget has no room for it."""
        budget = self.budget
        if budget.requests is not None and self.requests >= budget.requests:
            raise RunFailed(self._spent(f"{budget.requests:,} requests"))
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise RunFailed(self._spent(f"{budget.tokens:,} tokens"))
        self.requests += 1

    def charge_tokens(self, tokens: int | None) -> None:
        """Count the tokens of an answer; None where the server does not say, which a budget of tokens cannot bear."""
        if tokens is None and self.budget.tokens is not None:
            raise RunFailed(
                f"The budget of {self.system!r} is in tokens, but its server does not report how many an answer took "
                "('usage'). Set a budget of requests instead."
            )
        self.tokens += tokens or 0

    def _spent(self, most: str) -> str:
        return (
            f"The budget of {self.system!r}, {most}, is used up: {self.requests:,} requests were sent and "
            f"{self.tokens:,} tokens spent. Raise 'budget', or run again to spend as much once more."
        )


def meter(system: OpenAI) -> Meter:
    """What this process has spent on the system, over all its batches and runs."""
    return _meter(system.with_rule(AnswerRule()))


@cache  # never forgotten: a budget is spent once
def _meter(system: OpenAI) -> Meter:
    return Meter(system.name, system.budget)
