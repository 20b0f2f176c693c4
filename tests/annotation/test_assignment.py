"""Assignment as raters experience it: any schedule of claims, answers, skips and absences keeps its promises."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from dialeval.annotation.assignment import check_due, order_of, shown_order
from dialeval.annotation.store.database import Database, open_database
from dialeval.annotation.store.plan import Claim, Ended, Entry, Gone, Plan
from dialeval.annotation.store.schema import FREE, METADATA, places
from dialeval.annotation.store.store import Store
from support.rating_studies import made_project, made_store

SCHEDULES = 1000


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def _entries(items: int, systems: int) -> tuple[Entry, ...]:
    return tuple(Entry(f"i{number}", number, "rating", f"s{number % systems}") for number in range(items))


def _emptied(database: Database) -> None:
    """Remove all rows; append-only tables are made again, since they refuse deletions."""
    with database.begin() as connection:
        for name in ("answers", "talks", "decisions", "events"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}_no_delete")
        for table in reversed(METADATA.sorted_tables):
            if table.name != "facts":
                connection.execute(table.delete())


def _answers_per_item(store: Store) -> Counter[str]:
    return Counter(given.item for given in store.latest_answers())


@pytest.mark.slow
def test_no_schedule_gives_an_item_one_answer_too_many_or_strands_one() -> None:
    database = open_database(":memory:")
    for schedule in range(SCHEDULES):
        draw = random.Random(schedule)
        _emptied(database)
        _play(draw, database, schedule)


def _play(draw: random.Random, database: Database, schedule: int) -> None:
    """One random schedule: raters claim, answer, revise, skip and vanish; then they finish what is left."""
    overlap, raters_count = draw.randint(1, 3), draw.randint(1, 4)
    clock, items = Clock(), draw.randint(1, 4)
    plan = Plan(_entries(items, draw.randint(1, 2)), overlap, seed=schedule, lease_seconds=10)
    store = Store(database, plan, clock=clock)
    raters = [store.add_rater(f"r{number}").id for number in range(raters_count)]
    held: dict[int, str] = {}
    met: Counter[tuple[int, str]] = Counter()
    for _ in range(draw.randint(3, 12)):
        rater = draw.choice(raters)
        deed = draw.random()
        clock.now += draw.choice((0, 1, 6, 11))
        if deed < 0.45 or rater not in held:
            claim = store.claim(rater)
            if isinstance(claim, Claim):
                held[rater] = claim.item
            else:
                held.pop(rater, None)
        elif deed < 0.9:
            _answer(store, rater, held.pop(rater), met)
        else:
            store.skip(rater, held.pop(rater))
    _finish(store, raters, clock, met)
    # Answers are never deleted, so that one too many at any moment is still seen at the end.
    _check(store, overlap, met)
    if not store.skipped():
        expected = min(overlap, raters_count)
        assert _answers_per_item(store) == Counter({entry.id: expected for entry in plan.entries}), schedule


def _answer(store: Store, rater: int, item: str, met: Counter[tuple[int, str]]) -> None:
    try:
        store.submit(rater, item, 0, {"q": {"value": 1}})
    except Gone:
        return  # the lease had expired and all places are filled
    met[rater, item] += 1


def _check(store: Store, overlap: int, met: Counter[tuple[int, str]]) -> None:
    answered = _answers_per_item(store)
    assert max(answered.values(), default=0) <= overlap
    assert max(met.values(), default=0) <= 1
    assert sum(answered.values()) == sum(met.values())


def _finish(store: Store, raters: list[int], clock: Clock, met: Counter[tuple[int, str]]) -> None:
    """All raters come back after every lease has expired, and answer until there is nothing left."""
    clock.now += 100
    working = list(raters)
    while working:
        for rater in list(working):
            claim = store.claim(rater)
            if isinstance(claim, Ended):
                working.remove(rater)
            else:
                _answer(store, rater, claim.item, met)


def test_raters_at_the_same_time_never_share_a_place(tmp_path: Path, store_url: str | None) -> None:
    project = made_project(tmp_path / "study", items=12, overlap=2, raters=())
    store = made_store(project, store_url)
    raters = [store.add_rater(f"r{number}") for number in range(8)]
    failures: list[BaseException] = []

    def work(rater_id: int) -> None:
        try:
            while isinstance(claim := store.claim(rater_id), Claim):
                store.submit(rater_id, claim.item, claim.revision, {"overall": {"value": 3}})
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(rater.id,)) for rater in raters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert _answers_per_item(store) == Counter(dict.fromkeys(project.items, 2))
    pairs = Counter((given.rater, given.item) for given in store.revisions())
    assert set(pairs.values()) == {1}
    store.close()


def test_each_rater_meets_the_systems_equally_often(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", items=10, overlap=3)
    store = made_store(project)
    rater = store.add_rater("ann").id
    for done in range(1, 31):
        claim = store.claim(rater)
        assert isinstance(claim, Claim)
        store.submit(rater, claim.item, 0, {"overall": {"value": 3}})
        met = Counter(project.sources[given.item].system for given in store.latest_answers())
        counts = [met[system] for system in {source.system for source in project.sources.values()}]
        assert max(counts) - min(counts) <= 1, done
    store.close()


def test_orders_differ_between_raters_and_seeds_and_repeat_exactly() -> None:
    assert order_of(7, "ann", 50) == order_of(7, "ann", 50)
    assert sorted(order_of(7, "ann", 50)) == list(range(50))
    assert len({order_of(7, "ann", 50), order_of(7, "bob", 50), order_of(8, "ann", 50)}) == 3
    first = Counter(shown_order(2, seed=1, rater="ann", item=number)[0] for number in range(400))
    assert 150 < first[0] < 250


def test_checks_come_once_in_each_stretch_at_places_that_differ() -> None:
    def places(rater: str) -> list[int]:
        found: list[int] = []
        for answered in range(200):
            if check_due(3, rater, answered, len(found), 0.1):
                found.append(answered)
        return found

    ann, bob = places("ann"), places("bob")
    assert 20 <= len(ann) <= 23
    assert ann != bob
    assert not check_due(3, "ann", 50, 0, 0.0)


def test_a_clock_that_is_set_back_holds_nobody_up(tmp_path: Path, store_url: str | None) -> None:
    clock = Clock()
    project = made_project(
        tmp_path / "study",
        items=1,
        systems=("alpha-bot", "beta-bot"),
        overlap=1,
        raters=(),
        lease_seconds=60.0,
        least_seconds=5.0,
    )
    store = made_store(project, store_url, clock=clock)
    ann, bob = store.add_rater("ann").id, store.add_rater("bob").id
    held, left = store.claim(ann), store.claim(bob)
    assert isinstance(held, Claim)
    assert isinstance(left, Claim)
    clock.now -= 86_400
    # Who reads is not told for a day to read longer; the next item counts from the new time.
    assert store.submit(ann, held.item, 0, {"overall": {"value": 3}}) == 1
    # What bob left unanswered is free after a lease, not after a day.
    assert store.claim(ann) == Ended("nothing_left")
    clock.now += 61
    taken = store.claim(ann)
    assert isinstance(taken, Claim)
    assert taken.item == left.item
    clock.now += 6
    assert store.submit(ann, taken.item, 0, {"overall": {"value": 2}}) == 1
    newest = store.history(next(rater for rater in store.raters() if rater.id == ann))
    assert [given.item for given in newest] == [taken.item, held.item]


def test_an_abandoned_item_returns_and_a_late_answer_is_kept_apart(
    tmp_path: Path, store_url: str | None
) -> None:
    clock = Clock()
    project = made_project(
        tmp_path / "study", items=1, systems=("alpha-bot",), overlap=1, raters=(), lease_seconds=60.0
    )
    store = made_store(project, store_url, clock=clock)
    ann, bob = store.add_rater("ann").id, store.add_rater("bob").id
    held = store.claim(ann)
    assert isinstance(held, Claim)
    assert store.claim(bob) == Ended("nothing_left")
    clock.now += 61
    taken = store.claim(bob)
    assert isinstance(taken, Claim)
    store.submit(bob, taken.item, 0, {"overall": {"value": 4}})
    with pytest.raises(Gone):
        store.submit(ann, held.item, 0, {"overall": {"value": 1}})
    assert [given.rater for given in store.latest_answers()] == ["bob"]
    (late,) = store.events(["late"])
    assert '"value": 1' in late["details"]
    store.close()


def test_an_expired_lease_that_nobody_took_is_still_its_raters(tmp_path: Path) -> None:
    clock = Clock()
    project = made_project(
        tmp_path / "study", items=1, systems=("alpha-bot",), overlap=1, raters=(), lease_seconds=60.0
    )
    store = made_store(project, clock=clock)
    ann = store.add_rater("ann").id
    held = store.claim(ann)
    assert isinstance(held, Claim)
    clock.now += 500
    assert store.submit(ann, held.item, 0, {"overall": {"value": 4}}) == 1
    store.close()


def test_a_skipped_item_goes_to_others_and_not_back(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", items=2, systems=("alpha-bot",), overlap=1, raters=())
    store = made_store(project)
    ann, bob = store.add_rater("ann").id, store.add_rater("bob").id
    first = store.claim(ann)
    assert isinstance(first, Claim)
    assert store.skip(ann, first.item)
    second = store.claim(ann)
    assert isinstance(second, Claim)
    assert second.item != first.item
    store.submit(ann, second.item, 0, {"overall": {"value": 4}})
    assert store.claim(ann) == Ended("nothing_left")
    assert getattr(store.claim(bob), "item", None) == first.item
    assert not store.skip(bob, second.item)
    store.close()


def test_a_block_ends_a_raters_work(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", items=4, overlap=3, block=5)
    store = made_store(project)
    ann = store.add_rater("ann").id
    for _ in range(5):
        claim = store.claim(ann)
        assert isinstance(claim, Claim)
        store.submit(ann, claim.item, 0, {"overall": {"value": 2}})
    assert store.claim(ann) == Ended("finished")
    store.close()


def _work(store: Store, rater: int, items: int) -> list[str]:
    """Let a rater claim and answer so many items; return them."""
    met = []
    for _ in range(items):
        claim = store.claim(rater)
        assert isinstance(claim, Claim)
        store.submit(rater, claim.item, 0, {"overall": {"value": 3}})
        met.append(claim.item)
    return met


def _lacking(store: Store) -> Counter[str]:
    """Places of each item that nobody holds."""
    with store.database.reading() as connection:
        rows = connection.execute(select(places.c.item).where(places.c.until == FREE)).scalars()
        return Counter(rows)


def test_depth_fills_begun_items_before_new_ones_are_opened(tmp_path: Path, store_url: str | None) -> None:
    project = made_project(tmp_path / "study", items=20, overlap=3, raters=())
    assert project.settings.order == "depth"
    store = made_store(project, store_url)
    ann, bob, cem, dan = (store.add_rater(name).id for name in ("ann", "bob", "cem", "dan"))
    first = _work(store, ann, 12)
    # Each claims the next item with every answer, so that of ann's is begun, too.
    assert set(_work(store, bob, 6)) <= {*first, store.claim(ann).item}
    assert len(set(_work(store, cem, 6))) == 6
    finished = [item for item, count in _answers_per_item(store).items() if count == 3]
    assert len(finished) >= 5
    # Items that lack one judgement come before those that lack two, and these before new ones.
    before = _lacking(store)
    lacking = [before[store.claim(dan).item]]
    for _ in range(12):
        before, (answered,) = _lacking(store), _work(store, dan, 1)
        given = store.claim(dan)
        assert isinstance(given, Claim)
        assert answered != given.item
        lacking.append(before[given.item])
    assert lacking == sorted(lacking)
    assert (lacking[0], lacking[-1]) == (2, 3)
    store.close()


def test_breadth_opens_every_item_before_any_gets_a_second_judgement(
    tmp_path: Path, store_url: str | None
) -> None:
    project = made_project(tmp_path / "study", items=8, overlap=3, raters=(), order="breadth")
    store = made_store(project, store_url)
    ann, bob, cem = (store.add_rater(name).id for name in ("ann", "bob", "cem"))
    met = [*_work(store, ann, 11), *_work(store, bob, 10)]
    assert len(set(met)) == 21
    assert max(_answers_per_item(store).values()) == 1
    _work(store, cem, 20)
    assert set(_answers_per_item(store).values()) <= {1, 2}
    store.close()


def test_depth_returns_to_an_item_that_was_left_and_is_kept_when_the_store_is_opened_again(
    tmp_path: Path, store_url: str | None
) -> None:
    clock = Clock()
    project = made_project(
        tmp_path / "study", items=20, overlap=2, raters=("ann", "bob", "cem"), lease_seconds=60.0
    )
    store = made_store(project, store_url, clock=clock)
    ann, bob, cem = (store.add_rater(name).id for name in ("ann", "bob", "cem"))
    (first,) = _work(store, ann, 1)
    left = store.claim(bob)
    assert isinstance(left, Claim)
    assert left.item == first
    clock.now += 61
    store.close()
    store = made_store(project, store_url, clock=clock)
    assert store.claim(cem).item == first
    # What nobody answered is not begun: its lease has expired.
    skipped = store.claim(ann)
    assert isinstance(skipped, Claim)
    store.skip(ann, skipped.item)
    assert store.claim(ann).item not in (first, skipped.item)
    store.close()


@pytest.mark.parametrize("overlap", [2, 4])
def test_raters_at_the_same_time_leave_few_items_half_done(
    tmp_path: Path, store_url: str | None, overlap: int
) -> None:
    project = made_project(tmp_path / "study", items=40, overlap=overlap, raters=())
    store = made_store(project, store_url)
    raters = [store.add_rater(f"r{number}").id for number in range(8)]
    failures: list[BaseException] = []

    def work(rater: int) -> None:
        try:
            _work(store, rater, 10)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(rater,)) for rater in raters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    answered = _answers_per_item(store)
    assert sum(answered.values()) == 80
    assert max(answered.values()) == overlap
    # An item is only opened when every begun one is full, held, or one that the rater has had: each of the 8 raters can
    # hold one more, and leaves behind no more than that.
    assert len(answered) <= 80 / overlap + 8, answered
    store.close()
