"""Transactions of one rater: taking an item, answering it, skipping it.

Each is one short transaction that locks the rater's row first, so two tabs of one rater come one after the other, then
all places (``hold_places``), and only then changes a place: in one order, locks cannot wait for each other in a circle.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Sequence, Set as AbstractSet
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from dialeval.annotation.assignment import order_of, strata_in_turn
from dialeval.annotation.store.grades import grade_checks, grade_test, next_check, next_test
from dialeval.annotation.store.plan import Answers, Claim, Ended, Entry, Gone, Plan, Rater, Stale, TooSoon
from dialeval.annotation.store.rows import given_of, hold_places, latest_of, log, rater_of, update_rater
from dialeval.annotation.store.schema import DONE, FREE, answers, items, places, raters, skips

_BATCH: Final = 32
"""Number of items of a rater's order that are looked at before all untouched ones are."""
_CLOCKS_APART: Final = 60.0
"""Seconds by which a lease may end later than a whole lease from now without a clock having been set back."""


def claim(connection: Connection, plan: Plan, rater_id: int, now: float) -> Claim | Ended:
    """The item that the rater holds, its lease renewed; else the next one, leased; else why there is none."""
    rater = _locked(connection, rater_id)
    if rater.state in ("screened_out", "failed_checks", "revoked"):
        return Ended(rater.state)
    held = _held(connection, plan, rater, now)
    if held is not None:
        return held
    if not rater.qualified:
        test = next_test(connection, plan, rater)
        if test is not None:
            return _give(connection, rater, test, now)
        update_rater(connection, rater, qualified=True)
    done = _done(connection, rater)
    if plan.block is not None and done >= plan.block:
        return Ended("finished")
    check = next_check(connection, plan, rater, done)
    if check is not None:
        return _give(connection, rater, check, now)
    entry = _next_place(connection, plan, rater, now)
    if entry is None:
        _shorten_leases(connection, plan, now)
        return Ended("nothing_left")
    return _give(connection, rater, entry, now)


def submit(
    connection: Connection,
    plan: Plan,
    rater_id: int,
    item: str,
    revision: int,
    given: Answers,
    *,
    seconds: float | None,
    now: float,
) -> int:
    """Store an answer and return its revision; raises Stale, Gone or TooSoon.

    An answer that was stored but not acknowledged may be sent again: the same answers are not stored twice.
    """
    rater = _locked(connection, rater_id)
    latest = latest_of(connection, rater.id, item)
    stored = latest.revision if latest else 0
    if latest is not None and revision == stored - 1 and latest.answers == given:
        return stored
    if revision != stored:
        raise Stale(given_of(rater.name, latest) if latest else None)
    entry = plan.by_id.get(item)
    if entry is None or rater.state not in ("active", "invited"):
        raise Gone("no such item for this rater")
    # Below 0 where the clock was set back since; nobody must wait for it to catch up.
    if rater.current == item and 0 <= now - (rater.since or now) < plan.least_seconds:
        raise TooSoon("below the minimum reading time")
    if entry.role == "rating":
        _occupy(connection, rater, item, now)
    elif rater.current != item and latest is None:
        raise Gone("not shown to this rater")
    _store(connection, rater, item, stored + 1, given, seconds, now)
    if entry.role == "qualification":
        grade_test(connection, plan, rater, now)
    elif entry.role == "check":
        grade_checks(connection, plan, rater, now)
    return stored + 1


def _store(
    connection: Connection,
    rater: Rater,
    item: str,
    revision: int,
    given: Answers,
    seconds: float | None,
    now: float,
) -> None:
    """Write a revision of an answer into the store and its log, and free the rater for another item."""
    connection.execute(
        insert(answers).values(
            rater=rater.id,
            item=item,
            revision=revision,
            attempt=rater.attempt,
            answers=json.dumps(given, ensure_ascii=False, allow_nan=False, sort_keys=True),
            seconds=seconds,
            at=now,
        )
    )
    log(connection, now, "answered" if revision == 1 else "revised", rater.id, item, revision=revision)
    changed: dict[str, object] = {"state": "active", "seen": now}
    if rater.current == item:
        changed |= {"current": None, "since": None}
    update_rater(connection, rater, **changed)


def skip(connection: Connection, plan: Plan, rater_id: int, item: str, now: float) -> bool:
    """Give the item back, not to be met again by this rater; False if it is not theirs to skip."""
    rater = _locked(connection, rater_id)
    entry = plan.by_id.get(item)
    if entry is None or entry.role != "rating" or rater.current != item:
        return False
    free = update(places).where(places.c.item == item, places.c.rater == rater.id, places.c.until < DONE)
    if connection.execute(free.values(rater=None, until=FREE)).rowcount == 0:
        return False
    connection.execute(insert(skips).values(rater=rater.id, item=item, at=now))
    update_rater(connection, rater, current=None, since=None, seen=now)
    log(connection, now, "skipped", rater.id, item)
    return True


def _locked(connection: Connection, rater_id: int) -> Rater:
    row = connection.execute(select(raters).where(raters.c.id == rater_id).with_for_update()).one()
    hold_places(connection)
    return rater_of(row)


def _held(connection: Connection, plan: Plan, rater: Rater, now: float) -> Claim | None:
    """Claim in hand; a lease that expired is theirs again unless another rater has taken the place."""
    if rater.current is None:
        return None
    entry = plan.by_id.get(rater.current)
    if entry is not None and entry.role != "rating":
        return _shown(connection, rater, entry, rater.since or now)
    own = select(places.c.until).where(places.c.item == rater.current, places.c.rater == rater.id)
    until = connection.execute(own).scalar()
    kept = entry is not None and until is not None and until < DONE
    if kept and until is not None and until - now < plan.lease_seconds / 2:
        renew = update(places).where(places.c.item == rater.current, places.c.rater == rater.id)
        # None is renewed where another rater took the place since we looked.
        kept = connection.execute(renew.values(until=now + plan.lease_seconds)).rowcount == 1
    if kept and entry is not None:
        return _shown(connection, rater, entry, rater.since or now)
    log(connection, now, "expired", rater.id, rater.current)
    update_rater(connection, rater, current=None, since=None)
    return None


def _give(connection: Connection, rater: Rater, entry: Entry, now: float) -> Claim:
    update_rater(connection, rater, current=entry.id, since=now, seen=now, state="active")
    log(connection, now, "shown", rater.id, entry.id)
    return _shown(connection, rater, entry, now)


def _shown(connection: Connection, rater: Rater, entry: Entry, since: float) -> Claim:
    latest = latest_of(connection, rater.id, entry.id)
    return Claim(entry.id, entry.role, latest.revision if latest else 0, since)


def _done(connection: Connection, rater: Rater) -> int:
    count = select(func.count()).where(places.c.rater == rater.id, places.c.until == DONE)
    return int(connection.execute(count).scalar_one())


def _next_place(connection: Connection, plan: Plan, rater: Rater, now: float) -> Entry | None:
    """Lease the next item for the rater: begun ones come first if the plan's order is depth, untouched ones if breadth.

    Of equals comes one of the system that the rater has met least often, and of these the first in the rater's order.
    """
    own = select(places.c.item, items.c.stratum).join(items, items.c.id == places.c.item)
    met = {item: stratum for item, stratum in connection.execute(own.where(places.c.rater == rater.id))}
    seen = met.keys() | set(
        connection.execute(select(skips.c.item).where(skips.c.rater == rater.id)).scalars()
    )
    turns = strata_in_turn(plan.strata, Counter(met.values()), seed=plan.seed, rater=rater.name)
    steps = (_begun, _untouched) if plan.order == "depth" else (_untouched, _begun)
    for step in steps:
        entry = step(connection, plan, rater, seen, turns, now)
        if entry is not None:
            _take(connection, plan, rater, entry.id, now)
            return entry
    return None


def _begun(
    connection: Connection, plan: Plan, rater: Rater, seen: AbstractSet[str], turns: Sequence[str], now: float
) -> Entry | None:
    """Item that others hold or have answered and that lacks judgements: in depth the fewest, in breadth the most."""
    never = select(places.c.item, func.count()).where(places.c.until == FREE).group_by(places.c.item)
    # No item has more places than the overlap that were never leased, so those with as many are untouched.
    lacking = Counter(
        {item: count for item, count in connection.execute(never.having(func.count() < plan.overlap))}
    )
    expired = select(places.c.item).where(places.c.until > FREE, places.c.until <= now)
    lacking.update(connection.execute(expired).scalars())
    ranks, position = _ranks(plan, rater), {stratum: place for place, stratum in enumerate(turns)}
    sign = 1 if plan.order == "depth" else -1
    return min(
        (plan.by_id[item] for item in lacking if item in plan.by_id and item not in seen),
        key=lambda entry: (sign * lacking[entry.id], position[entry.stratum], ranks[entry.number]),
        default=None,
    )


def _untouched(
    connection: Connection, plan: Plan, rater: Rater, seen: AbstractSet[str], turns: Sequence[str], now: float
) -> Entry | None:
    """Item that nobody holds or has answered: from the rater's next few of each system, then from all."""
    ranks = _ranks(plan, rater)
    whole = select(places.c.item).where(places.c.until <= now).group_by(places.c.item)
    whole = whole.having(func.count() >= plan.overlap)
    for stratum in turns:
        unseen = (entry for entry in plan.strata[stratum] if entry.id not in seen)
        nearest = heapq.nsmallest(_BATCH, unseen, key=lambda entry: ranks[entry.number])
        few = whole.where(places.c.item.in_([entry.id for entry in nearest]))
        free = set(connection.execute(few).scalars())
        if free:
            return next(entry for entry in nearest if entry.id in free)
    position = {stratum: place for place, stratum in enumerate(turns)}
    names = connection.execute(whole).scalars()
    return min(
        (plan.by_id[item] for item in names if item in plan.by_id and item not in seen),
        key=lambda entry: (position[entry.stratum], ranks[entry.number]),
        default=None,
    )


def _ranks(plan: Plan, rater: Rater) -> tuple[int, ...]:
    return order_of(plan.seed, rater.name, len(plan.entries))


def _free_slots(connection: Connection, names: Iterable[str] | None, now: float) -> dict[str, int]:
    """The lowest free place of each item that has one."""
    query = select(places.c.item, func.min(places.c.slot)).where(places.c.until <= now)
    if names is not None:
        query = query.where(places.c.item.in_(list(names)))
    return {item: slot for item, slot in connection.execute(query.group_by(places.c.item))}


def _take(connection: Connection, plan: Plan, rater: Rater, item: str, now: float) -> None:
    slot = _free_slots(connection, [item], now)[item]
    free = update(places).where(places.c.item == item, places.c.slot == slot)
    connection.execute(free.values(rater=rater.id, until=now + plan.lease_seconds))


def _shorten_leases(connection: Connection, plan: Plan, now: float) -> None:
    """Let leases that end later than any could end a whole lease from now: the clock was set back since."""
    latest = now + plan.lease_seconds
    connection.execute(
        update(places)
        .where(places.c.until > latest + _CLOCKS_APART, places.c.until < DONE)
        .values(until=latest)
    )


def _occupy(connection: Connection, rater: Rater, item: str, now: float) -> None:
    """Make the rater's place final; one whose place was taken over gets another if there is one."""
    own = update(places).where(places.c.item == item, places.c.rater == rater.id)
    if connection.execute(own.values(until=DONE)).rowcount:
        return
    if rater.current != item:
        raise Gone("not shown to this rater")
    slot = _free_slots(connection, [item], now).get(item)
    while slot is not None:
        free = update(places).where(places.c.item == item, places.c.slot == slot, places.c.until <= now)
        if connection.execute(free.values(rater=rater.id, until=DONE)).rowcount:
            return
        slot = _free_slots(connection, [item], now).get(item)
    raise Gone("all places are filled")
