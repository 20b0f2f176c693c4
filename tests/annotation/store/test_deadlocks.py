"""Transactions that stand in each other's way on a real PostgreSQL: none fails, and none is done twice."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, text

from dialeval.annotation.store.database import open_database
from dialeval.annotation.store.plan import Claim, Refused
from support.rating_studies import made_project, made_store

RATERS = 12


def _together(*works: Callable[[], object]) -> list[BaseException]:
    """Run all at once; return what they raised."""
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_a_transaction_that_the_database_ends_for_another_is_done_again(postgres_url: str) -> None:
    database = open_database(postgres_url)
    with database.begin() as connection:
        connection.execute(text("INSERT INTO facts VALUES ('a', '0'), ('b', '0')"))
    barrier = threading.Barrier(2, timeout=30)

    def adding(first: str, second: str) -> Callable[[], None]:
        met: list[int] = []

        def work(connection: Connection) -> None:
            add = text("UPDATE facts SET value = (value::int + 1)::text WHERE name = :name")
            connection.execute(add, {"name": first})
            if not met:  # both hold their first row now, and want the other's
                met.append(1)
                barrier.wait()
            connection.execute(add, {"name": second})

        return lambda: database.run(work)

    assert _together(adding("a", "b"), adding("b", "a")) == []
    with database.reading() as connection:
        rows = connection.execute(text("SELECT value FROM facts WHERE name IN ('a', 'b')")).scalars()
        assert list(rows) == ["2", "2"]
    database.close()


def test_a_rater_who_comes_in_twice_at_once_is_one_rater(tmp_path: Path, postgres_url: str) -> None:
    store = made_store(made_project(tmp_path / "study"), postgres_url)
    for name in ("ann", "bob", "cem"):
        assert _together(*[lambda name=name: store.add_rater(name) for _ in range(8)]) == []
    assert [rater.name for rater in store.raters()] == ["ann", "bob", "cem"]
    store.close()


def test_parallel_raters_with_short_leases_get_no_error_and_lose_and_double_nothing(
    tmp_path: Path, postgres_url: str
) -> None:
    project = made_project(tmp_path / "study", items=12, overlap=4, raters=(), lease_seconds=0.02)
    store = made_store(project, postgres_url)
    raters = [store.add_rater(f"r{number}") for number in range(RATERS)]
    stored: list[tuple[str, str]] = []
    stop = time.monotonic() + 60

    def rating(number: int) -> Callable[[], None]:
        def work() -> None:
            draw, rater = random.Random(number), raters[number]
            while time.monotonic() < stop and isinstance(claim := store.claim(rater.id), Claim):
                time.sleep(draw.choice((0, 0, 0.005, 0.03)))  # some leases expire, and others take them over
                if draw.random() < 0.05:
                    store.skip(rater.id, claim.item)
                    continue
                try:
                    store.submit(rater.id, claim.item, claim.revision, {"overall": {"value": 3}})
                    stored.append((rater.name, claim.item))
                except Refused:
                    continue

        return work

    def owning() -> None:
        for rater in raters[:3]:
            time.sleep(0.1)
            store.drop(rater, dropped=True)
            store.reopen(rater)
            store.revoke(rater)

    assert _together(owning, *map(rating, range(RATERS))) == []
    kept = [(given.rater, given.item) for given in store.revisions()]
    assert Counter(kept) == Counter(stored)
    assert set(Counter(kept).values()) == {1}
    dropped = {rater.name for rater in store.raters() if rater.dropped}
    counted = Counter(item for rater, item in kept if rater not in dropped)
    assert max(counted.values()) <= 4
    store.close()
