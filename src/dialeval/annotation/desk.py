"""The desk of a study: what a rater is shown, and what becomes of an answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from dialeval.annotation.assignment import shown_order
from dialeval.annotation.items import BRIEFING, Item, Role
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Answer, BadAnswer, Fault
from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Answers, Claim, Ended, Entry, Given, Plan, Rater, Refused, storable
from dialeval.annotation.store.store import Store
from dialeval.core import Generator
from dialeval.data.types import Turn
from dialeval.errors import DialevalError


class Task(NamedTuple):
    """An item as one rater meets it."""

    item: Item
    """With candidates in this rater's order, and the talk so far."""
    role: Role
    revision: int
    latest: Given | None
    """Earlier answer of the rater."""
    talk: tuple[Turn, ...]
    since: float


class Faulty(Refused):
    """Answers that cannot be accepted, by criterion: the field and the fault."""

    def __init__(self, faults: Mapping[str, tuple[str, Fault]]) -> None:
        super().__init__(f"{len(faults)} faulty answers")
        self.faults = dict(faults)


def plan_of(project: Project) -> Plan:
    """Plan of a study, as the store must know it."""
    settings = project.settings
    entries = tuple(
        Entry(source.id, number, source.role, source.stratum)
        for number, source in enumerate(project.sources.values())
    )
    return Plan(
        entries,
        settings.overlap,
        order=settings.order,
        seed=settings.seed,
        lease_seconds=settings.lease_seconds,
        least_seconds=settings.least_seconds,
        block=settings.block,
        check_rate=settings.check_rate,
        check_failures=settings.check_failures,
        qualification=settings.qualification,
        attempts=settings.attempts,
        right=lambda item, given: is_right(project, item, given),
    )


def is_right(project: Project, item: str, given: Answers) -> bool:
    """Whether answers agree with every value that is known of an item."""
    source = project.sources[item]
    for criterion, known in source.gold.items():
        ask = project.asks.get(criterion)
        if ask is None:
            continue
        judged = {
            judgement.system: judgement.value
            for judgement in KINDS[ask.kind].judgements(ask, source, "", dict(given.get(criterion, {})))
            if judgement.criterion == criterion
        }
        for system, value in known.items():
            if not _near(judged.get(system), value, project.settings.gold_within):
                return False
    return True


def _near(value: float | None, known: float | None, within: float) -> bool:
    if value is None or known is None:
        return value is known
    return abs(value - known) <= within + 1e-9


class StillTalking(Exception):
    """A rater who speaks while the system's reply to them is still being made."""


class Desk:
    """Gives items to raters and takes their answers; safe from any thread."""

    def __init__(
        self, project: Project, store: Store, partners: Mapping[str, Generator] | None = None
    ) -> None:
        self.project, self.store = project, store
        self._partners = dict(partners or {})
        self._locks = {name: threading.Lock() for name in self._partners}
        self._numbers = {name: number for number, name in enumerate(project.items)}
        self._talking: set[int] = set()
        self._talking_lock = threading.Lock()

    def next(self, rater: Rater) -> Task | Ended:
        """The item that the rater has in hand, or the next one."""
        held = self.store.claim(rater.id)
        return held if isinstance(held, Ended) else self._task(rater, held)

    def again(self, rater: Rater, item: str) -> Task | None:
        """An item that the rater has answered, to be revised; None if it is not theirs.

        Attention checks look like other items here, too; of them, the first answer counts.
        """
        latest = self.store.latest(rater, item)
        if latest is None or self.project.sources[item].role == "qualification":
            return None
        claim = Claim(item, self.project.sources[item].role, latest.revision, latest.at)
        return self._task(rater, claim)

    def shown(self, rater: Rater, item: str) -> Item:
        """An item with its candidates in this rater's order."""
        known = self.project.items[item]
        if len(known.candidates) < 2:
            return known
        seed, number = self.project.settings.seed, self._numbers[item]
        order = shown_order(len(known.candidates), seed=seed, rater=rater.name, item=number)
        return replace(known, candidates=tuple(known.candidates[place] for place in order))

    def check(self, rater: Rater, item: str, posted: Mapping[str, object]) -> dict[str, Answer]:
        """The answers that were posted, checked; raises Faulty with every fault."""
        shown = self._with_talk(rater, self.shown(rater, item))
        answers: dict[str, Answer] = {}
        faults: dict[str, tuple[str, Fault]] = {}
        for criterion, ask in self.project.asks.items():
            fields = posted.get(criterion, {})
            try:
                payload = fields if isinstance(fields, Mapping) else {"value": fields}
                answers[criterion] = KINDS[ask.kind].check(ask, shown, payload)
            except BadAnswer as error:
                faults[criterion] = (error.field, error.fault)
        if faults:
            raise Faulty(faults)
        return answers

    def answer(
        self, rater: Rater, item: str, revision: int, posted: Mapping[str, object], seconds: float | None
    ) -> int:
        """Check and store an answer; return its revision. Raises Faulty, Stale, Gone or TooSoon."""
        from dialeval.annotation.store.plan import Gone

        if item not in self.project.items:
            raise Gone("no such item")
        chat = self.project.settings.chat
        if chat is not None and not self._talked_enough(rater, item):
            raise Faulty({criterion: ("value", "incomplete") for criterion in self.project.asks})
        return self.store.submit(rater.id, item, revision, self.check(rater, item, posted), seconds=seconds)

    @contextmanager
    def talking(self, rater: Rater) -> Iterator[None]:
        """Let a rater wait for one reply at a time; StillTalking if they wait for one already."""
        with self._talking_lock:
            if rater.id in self._talking:
                raise StillTalking
            self._talking.add(rater.id)
        try:
            yield
        finally:
            with self._talking_lock:
                self._talking.discard(rater.id)

    def talk(self, rater: Rater, item: str, said: str) -> tuple[Turn, ...]:
        """Say something to the item's system, and return the talk with its reply.

        What the rater said is stored before the reply is made; if the reply failed, saying nothing asks again.
        """
        chat = self.project.settings.chat
        held = self.store.claim(rater.id)
        if chat is None or isinstance(held, Ended) or held.item != item:
            raise DialevalError("There is no talk with this item at the moment.")
        talk = self.store.talk(rater, item)
        waiting = bool(talk) and talk[-1].speaker == "user"
        if not waiting:
            if not said.strip() or len(talk) >= 2 * chat.turns:
                return talk
            self.store.say(rater, item, len(talk), "user", said.strip())
            talk = self.store.talk(rater, item)
        reply = self._reply(item, talk)
        self.store.say(rater, item, len(talk), "assistant", reply)
        return self.store.talk(rater, item)

    def _reply(self, item: str, talk: Sequence[Turn]) -> str:
        name = self.project.sources[item].system
        told = (turn for turn in self.project.items[item].context if turn.speaker != BRIEFING)
        context = (*told, *talk)
        with self._locks[name]:  # models answer one rater at a time
            responses = self._partners[name].generate([context], n=1, seed=self.project.settings.seed)[0]
        if not responses or responses[0].missing is not None:
            raise DialevalError("The system gave no reply.")
        return storable(responses[0].text)

    def _talked_enough(self, rater: Rater, item: str) -> bool:
        chat = self.project.settings.chat
        return chat is None or len(self.store.talk(rater, item)) >= 2 * chat.turns

    def _with_talk(self, rater: Rater, item: Item) -> Item:
        if self.project.settings.chat is None:
            return item
        return replace(item, context=(*item.context, *self.store.talk(rater, item.id)))

    def _task(self, rater: Rater, claim: Claim) -> Task:
        shown = self.shown(rater, claim.item)
        latest = self.store.latest(rater, claim.item) if claim.revision else None
        talk = self.store.talk(rater, claim.item) if self.project.settings.chat is not None else ()
        return Task(self._with_talk(rater, shown), claim.role, claim.revision, latest, talk, claim.since)
