"""The store of one study: what raters hold and have answered, in short transactions."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update

from dialeval.annotation.store.claims import claim, skip, submit
from dialeval.annotation.store.database import Database
from dialeval.annotation.store.plan import Answers, Claim, Ended, Given, Gone, Origin, Plan, Rater
from dialeval.annotation.store.rows import given_of, hold_places, latest_of, log, rater_of, update_rater
from dialeval.annotation.store.schema import (
    DONE,
    FREE,
    answers,
    decisions,
    events,
    items,
    places,
    raters,
    skips,
    talks,
)
from dialeval.data.types import Turn
from dialeval.errors import Unsuitable

Clock = Callable[[], float]


class Store:
    """Raters, their items and their answers. Every method is one transaction, safe from any thread or process."""

    def __init__(self, database: Database, plan: Plan, *, clock: Clock = time.time) -> None:
        self.database, self.plan, self.clock = database, plan, clock
        self._sync_items()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # Raters

    def add_rater(
        self, name: str, *, origin: Origin = "invited", outside: Mapping[str, Any] | None = None
    ) -> Rater:
        """The rater of that name, added if nobody has it."""

        def add(connection: Connection) -> Rater:
            row = connection.execute(select(raters).where(raters.c.name == name)).first()
            if row is None:
                values = {
                    "name": name,
                    "origin": origin,
                    "outside": json.dumps(outside or {}),
                    "state": "invited",
                }
                connection.execute(insert(raters).values(**values))
                row = connection.execute(select(raters).where(raters.c.name == name)).one()
                log(connection, self.clock(), "added", row.id, None, origin=origin)
            return rater_of(row)

        return self.database.run(add)

    def set_token(self, rater: Rater, token_hash: str) -> None:
        """Let a token open the rater's pages."""
        own = update(raters).where(raters.c.id == rater.id)
        self.database.run(lambda connection: connection.execute(own.values(token_hash=token_hash)))

    def rater(self, rater_id: int) -> Rater | None:
        """The rater with that number."""
        return self._rater(raters.c.id == rater_id)

    def rater_named(self, name: str) -> Rater | None:
        """The rater of that name."""
        return self._rater(raters.c.name == name)

    def rater_with(self, token_hash: str) -> Rater | None:
        """The rater whom a token belongs to."""
        return self._rater(raters.c.token_hash == token_hash)

    def raters(self) -> list[Rater]:
        """All raters, in the order in which they came."""
        with self.database.reading() as connection:
            return [rater_of(row) for row in connection.execute(select(raters).order_by(raters.c.id))]

    def count_raters(self, origin: Origin) -> int:
        """Number of raters who came in one way."""
        with self.database.reading() as connection:
            query = select(func.count()).select_from(raters).where(raters.c.origin == origin)
            return int(connection.execute(query).scalar_one())

    def revoke(self, rater: Rater) -> None:
        """End a rater's link and session for good; what they hold goes back, what they answered stays."""
        values = {"state": "revoked", "token_hash": None, "generation": rater.generation + 1}

        def end(connection: Connection) -> None:
            own = update(raters).where(raters.c.id == rater.id)
            connection.execute(own.values(**values, current=None, since=None))
            hold_places(connection)
            held = update(places).where(places.c.rater == rater.id, places.c.until < DONE)
            connection.execute(held.values(rater=None, until=FREE))
            log(connection, self.clock(), "revoked", rater.id)

        self.database.run(end)

    def reinstate(self, rater: Rater) -> None:
        """Let a revoked rater work again, with a new link."""
        self._change(rater, "reinstated", state="active")

    def drop(self, rater: Rater, *, dropped: bool) -> None:
        """Leave a rater's answers out of agreement and exports, or take them in again."""
        self._change(rater, "dropped" if dropped else "restored", dropped=dropped)

    def _change(self, rater: Rater, event: str, **values: object) -> None:
        def change(connection: Connection) -> None:
            update_rater(connection, rater, **values)
            log(connection, self.clock(), event, rater.id)

        self.database.run(change)

    def reopen(self, rater: Rater) -> int:
        """Give the places of a dropped rater to others; return how many. Their answers stay, and do not count."""

        def give(connection: Connection) -> int:
            update_rater(connection, rater, dropped=True, state="revoked")
            hold_places(connection)
            own = update(places).where(places.c.rater == rater.id)
            count = connection.execute(own.values(rater=None, until=FREE)).rowcount
            log(connection, self.clock(), "reopened", rater.id, None, places=count)
            return count

        return self.database.run(give)

    # Work

    def claim(self, rater_id: int) -> Claim | Ended:
        """The item that the rater has in hand, or the next one."""
        return self.database.run(lambda connection: claim(connection, self.plan, rater_id, self.clock()))

    def submit(
        self, rater_id: int, item: str, revision: int, given: Answers, *, seconds: float | None = None
    ) -> int:
        """Store an answer and return its revision: once this returns, the answer is on the disk.

        Raises Stale, TooSoon or Gone; an answer that came too late to count is kept among the events.
        """
        now = self.clock()

        def store(connection: Connection) -> int:
            stored = submit(connection, self.plan, rater_id, item, revision, given, seconds=seconds, now=now)
            if revision == 0:
                # The rater's next item comes with the same commit, which halves the waits for the disk.
                claim(connection, self.plan, rater_id, now)
            return stored

        try:
            return self.database.run(store)
        except Gone:
            self.database.run(lambda connection: log(connection, now, "late", rater_id, item, answers=given))
            raise

    def take(self, rater_id: int, item: str, revision: int, given: Answers) -> int:
        """Store an answer that was given elsewhere, as in a table; raises Gone if the item needs no more."""
        now = self.clock()

        def store(connection: Connection) -> int:
            own = update(raters).where(raters.c.id == rater_id)
            connection.execute(own.values(current=item, since=now))
            stored = submit(connection, self.plan, rater_id, item, revision, given, seconds=None, now=now)
            connection.execute(own.values(current=None, since=None))
            return stored

        return self.database.run(store)

    def skip(self, rater_id: int, item: str) -> bool:
        """Give an item back unanswered."""
        return self.database.run(lambda connection: skip(connection, self.plan, rater_id, item, self.clock()))

    def latest(self, rater: Rater, item: str) -> Given | None:
        """Last answer of a rater to an item."""
        with self.database.reading() as connection:
            latest = latest_of(connection, rater.id, item)
            return None if latest is None else latest._replace(rater=rater.name)

    def history(self, rater: Rater, *, most: int = 500) -> list[Given]:
        """A rater's latest answers, newest first."""
        with self.database.reading() as connection:
            rows = connection.execute(
                text("SELECT * FROM latest_answers WHERE rater = :rater ORDER BY id DESC LIMIT :most"),
                {"rater": rater.id, "most": most},
            )
            return [given_of(rater.name, row) for row in rows]

    def answered(self, rater: Rater, *, checks: bool = False) -> int:
        """Number of items that a rater has rated; with ``checks``, attention checks among them."""
        with self.database.reading() as connection:
            count = select(func.count()).where(places.c.rater == rater.id, places.c.until == DONE)
            found = int(connection.execute(count).scalar_one())
            if checks and self.plan.of_role("check"):
                first = select(func.count()).where(answers.c.rater == rater.id, answers.c.revision == 1)
                own = first.join_from(answers, items, items.c.id == answers.c.item)
                found += int(connection.execute(own.where(items.c.role == "check")).scalar_one())
            return found

    def set_outside(self, rater: Rater, outside: Mapping[str, Any]) -> None:
        """Keep what a crowd platform says of a rater's present visit."""
        self._change(rater, "returned", outside=json.dumps(outside))

    def talk(self, rater: Rater, item: str) -> tuple[Turn, ...]:
        """Talk of a rater and a system so far, of an item of talks."""
        with self.database.reading() as connection:
            query = (
                select(talks).where(talks.c.rater == rater.id, talks.c.item == item).order_by(talks.c.number)
            )
            return tuple(Turn(row.speaker, row.text) for row in connection.execute(query))

    def say(self, rater: Rater, item: str, number: int, speaker: str, said: str) -> None:
        """Add a turn to a talk; if another tab was faster, its turn stands."""

        def add(connection: Connection) -> None:
            talk = select(func.count()).where(talks.c.rater == rater.id, talks.c.item == item)
            connection.execute(select(raters.c.id).where(raters.c.id == rater.id).with_for_update())
            if connection.execute(talk).scalar_one() == number:
                values = {"rater": rater.id, "item": item, "number": number, "speaker": speaker, "text": said}
                connection.execute(insert(talks).values(**values, at=self.clock()))

        self.database.run(add)

    # Everything

    def talks(self) -> dict[tuple[str, str], tuple[Turn, ...]]:
        """All talks by rater and item."""
        found: dict[tuple[str, str], list[Turn]] = {}
        with self.database.reading() as connection:
            query = select(raters.c.name, talks).join(raters, raters.c.id == talks.c.rater)
            for row in connection.execute(query.order_by(talks.c.rater, talks.c.item, talks.c.number)):
                found.setdefault((row.name, row.item), []).append(Turn(row.speaker, row.text))
        return {key: tuple(turns) for key, turns in found.items()}

    def latest_answers(self) -> list[Given]:
        """The latest answer of each rater to each item, in the order in which they were stored."""
        with self.database.reading() as connection:
            names = {row.id: row.name for row in connection.execute(select(raters.c.id, raters.c.name))}
            rows = connection.execute(text("SELECT * FROM latest_answers ORDER BY id"))
            return [given_of(names[row.rater], row) for row in rows]

    def revisions(self) -> list[Given]:
        """Every answer ever stored."""
        with self.database.reading() as connection:
            names = {row.id: row.name for row in connection.execute(select(raters.c.id, raters.c.name))}
            return [
                given_of(names[row.rater], row)
                for row in connection.execute(select(answers).order_by(answers.c.id))
            ]

    def shown_at(self) -> dict[tuple[str, str], float]:
        """Times at which items were first given to raters, by rater and item."""
        with self.database.reading() as connection:
            query = (
                select(raters.c.name, events.c.item, func.min(events.c.at))
                .join(raters, raters.c.id == events.c.rater)
                .where(events.c.kind == "shown")
                .group_by(raters.c.name, events.c.item)
            )
            return {(name, item): at for name, item, at in connection.execute(query)}

    def counts(self) -> dict[str, int]:
        """Numbers of places that there are (``wanted``), are answered (``done``) and are in hand (``in_hand``)."""
        with self.database.reading() as connection:
            done, now = places.c.until == DONE, self.clock()
            query = select(
                func.count(),
                func.count().filter(done),
                func.count().filter(~done, places.c.until > now),
            ).select_from(places)
            wanted, finished, held = connection.execute(query).one()
            open_items = select(func.count(places.c.item.distinct())).where(places.c.until != DONE)
            complete = len(self.plan.of_role("rating")) - int(connection.execute(open_items).scalar_one())
            return {"wanted": wanted, "done": finished, "in_hand": held, "complete_items": complete}

    def skipped(self) -> dict[str, int]:
        """Number of items that each rater has skipped."""
        with self.database.reading() as connection:
            query = select(raters.c.name, func.count()).join(skips, skips.c.rater == raters.c.id)
            return {name: count for name, count in connection.execute(query.group_by(raters.c.name))}

    def events(self, kinds: Iterable[str] = ()) -> list[Mapping[str, Any]]:
        """The log, oldest first; of some kinds or all."""
        with self.database.reading() as connection:
            query = select(events).order_by(events.c.id)
            wanted = list(kinds)
            rows = connection.execute(query.where(events.c.kind.in_(wanted)) if wanted else query)
            return [dict(row._mapping) for row in rows]

    def decide(self, item: str, criterion: str, answer: Mapping[str, object], reason: str) -> None:
        """Add the owner's decision about a disputed item."""
        written = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        values = {"item": item, "criterion": criterion, "answer": written, "reason": reason}
        row = insert(decisions).values(**values, at=self.clock())
        self.database.run(lambda connection: connection.execute(row))

    def decisions(self) -> dict[tuple[str, str], tuple[dict[str, Any], str]]:
        """The latest decisions, answer and reason, by item and criterion."""
        with self.database.reading() as connection:
            rows = connection.execute(text("SELECT * FROM latest_decisions ORDER BY id"))
            return {(row.item, row.criterion): (json.loads(row.answer), row.reason) for row in rows}

    def _rater(self, condition: Any) -> Rater | None:
        with self.database.reading() as connection:
            row = connection.execute(select(raters).where(condition)).first()
            return None if row is None else rater_of(row)

    def _sync_items(self) -> None:
        """Give each item of the plan its row and places; refuse a store of another study."""
        with self.database.begin() as connection:
            hold_places(connection)  # two servers that start at once must not both add them
            known = set(connection.execute(select(items.c.id)).scalars())
            strange = known - self.plan.by_id.keys()
            if strange:
                raise Unsuitable(
                    f"The store holds {len(strange):,} items that are not of this study (first: {min(strange)}). Give "
                    "the store of the study, or an empty one."
                )
            new = [entry for entry in self.plan.entries if entry.id not in known]
            if new:
                rows = [{"id": entry.id, "role": entry.role, "stratum": entry.stratum} for entry in new]
                connection.execute(insert(items), rows)
            highest = select(places.c.item, func.max(places.c.slot)).group_by(places.c.item)
            slots: dict[str, int] = {item: slot for item, slot in connection.execute(highest)}
            missing = [
                {"item": entry.id, "slot": slot, "until": FREE}
                for entry in self.plan.of_role("rating")
                for slot in range(slots.get(entry.id, -1) + 1, self.plan.overlap)
            ]
            if missing:
                connection.execute(insert(places), missing)
            # Where the overlap was lowered, places that nobody took go; answers stay.
            spare = delete(places).where(places.c.slot >= self.plan.overlap, places.c.until == FREE)
            connection.execute(spare)
