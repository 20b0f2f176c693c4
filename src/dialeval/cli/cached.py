"""Cached answers of systems behind servers, for commands that ask systems without a study."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dialeval.core import Served, System
    from dialeval.engine import Cache, Workshop
    from dialeval.engine.cache import CountingCache


class _Use(NamedTuple):
    """A server, its cache, and how many of its own answers it had reused before."""

    server: Served
    counted: CountingCache | None
    before: int


class CachedAnswers:
    """Which cached answers a command may use, and which it did use."""

    def __init__(self, shop: Workshop, *, ask_again: bool) -> None:
        self._shop, self._ask_again = shop, ask_again
        self._uses: list[_Use] = []
        self.caches: dict[str, Cache] = {}
        """Caches of the systems behind servers, by name; all others use the workshop's."""

    def watched(self, system: System) -> System:
        """The system under the rule of the command; one behind a server gets a cache of its own."""
        from dialeval.core import AnswerRule, served
        from dialeval.engine.cache import CountingCache, answer_cache

        server = served(system)
        if server is None:
            return system
        rule = AnswerRule(fresh=self._ask_again)
        cache = answer_cache(rule, self._shop.cache)
        counted = None if cache is None else CountingCache(cache)
        if counted is not None:
            self.caches[system.name] = counted
        self._uses.append(_Use(server, counted, len(server.reused)))
        return server.with_rule(rule) if self._ask_again else system

    def of(self, system: System) -> Cache | None:
        """The cache for answers of this system."""
        return self.caches.get(system.name, self._shop.cache)

    def tell(self) -> None:
        """Say on stderr which answers came from a cache, and when they were asked."""
        from dialeval.study.freshness import answer_notes, question_source

        now = datetime.now(UTC).isoformat(timespec="seconds")
        for server, counted, before in self._uses:
            times = [*(counted.times if counted else ()), *server.reused[before:]]
            source = question_source(server, "this command", times)
            for note in answer_notes([] if source is None else [source], now):
                print(f"note: {note}; --ask-again asks for them again", file=sys.stderr)
