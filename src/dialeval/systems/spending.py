"""Budgets and prices: what may be spent on a server, what was spent in this process, and on all servers together."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from dialeval.engine.progress import tell_beside_bars
from dialeval.errors import DialevalError, RunFailed

OUTAGE: Final = 3
"""Requests in a row that are given up, each after its retries, before a server is not asked any more."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one process may spend on a system, or a study on all; None sets no limit. Kept answers are free."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    requests: int | None = None
    """Requests sent, those that failed and were sent again included."""
    tokens: int | None = None
    """Tokens of prompts and answers, as the server counts them; answers under way may exceed it."""
    cost: float | None = None
    """Their price, in the currency of ``prices``; answers under way may exceed it."""

    def __post_init__(self) -> None:
        for name in ("requests", "tokens"):
            most = getattr(self, name)
            if most is not None and most < 1:
                raise DialevalError(
                    f"The budget of {name}: found {most}, expected at least 1; leave it out for no limit."
                )
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise DialevalError(
                f"The budget of cost: found {self.cost}, expected more than 0; leave it out for no limit."
            )


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in any currency."""

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

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Price of so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


class Spent(NamedTuple):
    """Tokens of one answer, as the server counts them; None if it does not say."""

    total: int | None = None
    prompt: int | None = None
    completion: int | None = None


class Meter:
    """Requests, tokens and their price that were spent in this process, on a system or on all together."""

    def __init__(self, system: str, budget: Budget, prices: Prices | None = None) -> None:
        self.system, self.budget, self.prices = system, budget, prices
        self.requests = 0
        self.tokens = 0
        self.cost = 0.0
        self.reused: list[float | None] = []
        """When each cached answer that was used instead of a request was asked; None if that is unknown."""
        self._answered_at = -math.inf
        self._lost = 0

    def note_answer(self) -> None:
        """Remember that the server answers."""
        self._answered_at, self._lost = time.monotonic(), 0

    def note_loss(self, began: float) -> bool:
        """Return whether a request that began then and was given up shows an outage: the third without any answer.

        Requests that other answers came beside are lost alone, however many they are.
        """
        if self._answered_at >= began:
            return False
        self._lost = (self._lost + 1) % OUTAGE
        return self._lost == 0

    def charge_request(self) -> None:
        """Count a request that is about to be sent; RunFailed if a budget has no room for it."""
        for one in (self, *_TOGETHER):
            one.require_room()
        for one in (self, _ALL, *_TOGETHER):
            one.requests += 1

    def require_room(self) -> None:
        """RunFailed if the budget has no room for another request."""
        budget = self.budget
        if budget.requests is not None and self.requests >= budget.requests:
            raise RunFailed(self._spent(f"{budget.requests:,} requests"))
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise RunFailed(self._spent(f"{budget.tokens:,} tokens"))
        if budget.cost is not None and self.cost >= budget.cost:
            raise RunFailed(self._spent(f"a cost of {budget.cost:g}"))

    def charge_tokens(self, spent: Spent) -> None:
        """Count the tokens of an answer, and their price; a budget of these cannot bear a server that does not say."""
        prices, (_, prompt, completion) = self.prices, spent
        known = prices is not None and prompt is not None and completion is not None
        cost = (
            prices.of(prompt, completion) if prices and prompt is not None and completion is not None else 0.0
        )
        for one in (self, *_TOGETHER):
            if spent.total is None and one.budget.tokens is not None:
                raise RunFailed(self._unknown(one, "in tokens"))
            if not known and one.budget.cost is not None:
                if prices is None:
                    raise RunFailed(
                        f"The budget of {one.system!r} is a cost, but {self.system!r} has no prices. Give it 'prices', "
                        "of a judge 'price_input' and 'price_output'."
                    )
                raise RunFailed(self._unknown(one, "a cost, of tokens"))
        for one in (self, _ALL, *_TOGETHER):
            one.tokens += spent.total or 0
            one.cost += cost

    def _unknown(self, limited: Meter, kind: str) -> str:
        return (
            f"The budget of {limited.system!r} is {kind}, but the server of {self.system!r} does not report how many "
            "an answer took ('usage'). Set a budget of requests instead."
        )

    def _spent(self, most: str) -> str:
        cost = f" for {self.cost:.4g}" if self.cost else ""
        return (
            f"The budget of {self.system!r}, {most}, is used up: {self.requests:,} requests were sent and "
            f"{self.tokens:,} tokens spent{cost}. Raise 'budget', or run again to spend as much once more."
        )


_TOGETHER: Final[list[Meter]] = []
"""Those of the studies that are running in this process."""
_ALL: Final = Meter("all", Budget())
"""All that this process has spent."""


@contextmanager
def spending_together(name: str, budget: Budget) -> Iterator[Meter]:
    """As long as the block lasts, all requests of this process also count against this budget."""
    together = Meter(name, budget)
    _TOGETHER.append(together)
    try:
        yield together
    finally:
        _TOGETHER.remove(together)


def spent_so_far() -> str:
    """Return what this process has spent on all servers, in a few words; empty if nothing was sent."""
    if not _ALL.requests:
        return ""
    requests = "1 request" if _ALL.requests == 1 else f"{_ALL.requests:,} requests"
    return f"{requests}, cost {_ALL.cost:.4g}" if _ALL.cost else requests


tell_beside_bars(spent_so_far)
