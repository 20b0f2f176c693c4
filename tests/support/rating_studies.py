"""Small rating studies for tests: made projects, stores and served apps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dialeval.annotation.blind_items import Blind, blind, roles, with_gold
from dialeval.annotation.desk import plan_of
from dialeval.annotation.invitations import invite
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.kinds.kind import Ask
from dialeval.annotation.project import Project, Settings, read_project, write_project
from dialeval.annotation.simulation import Client
from dialeval.annotation.store.database import open_database
from dialeval.annotation.store.store import Store
from dialeval.data.types import Example, Judgement, Response, Turn

SYSTEMS = ("alpha-bot", "beta-bot", "gamma-bot")


def made_examples(items: int, systems: Sequence[str] = SYSTEMS) -> list[Example]:
    """One response of each system to each of so many items."""
    return [
        Example(
            f"dialogue-{number}",
            system,
            (Turn("user", f"Question {number}?"), Turn("assistant", "Hm."), Turn("user", "Well?")),
            Response(f"Answer {number} in style {place}."),
        )
        for number in range(items)
        for place, system in enumerate(systems)
    ]


def made_project(
    folder: Path,
    *,
    items: int = 4,
    systems: Sequence[str] = SYSTEMS,
    asks: Sequence[Ask] = (),
    overlap: int = 2,
    raters: Sequence[str] = ("ann", "bob", "cem"),
    gold: Sequence[Judgement] = (),
    qualify: int = 0,
    blinded: Sequence[Blind] | None = None,
    **settings: Any,
) -> Project:
    """A study of made examples in a new folder."""
    chosen = tuple(asks) or (asked("likert", "overall"),)
    found = list(blinded) if blinded is not None else blind(made_examples(items, systems), "response")
    if gold:
        checks = settings.get("check_rate", 0) > 0
        found = roles(with_gold(found, gold), chosen, qualify=qualify, checks=checks)
    made = Settings(title="Made", asks=chosen, overlap=overlap, raters=tuple(raters), **settings)
    return write_project(folder, made, found)


def made_store(project: Project, url: str | None = None, **options: Any) -> Store:
    """The store of a project, in its folder or at an address."""
    return Store(open_database(url or project.store), plan_of(project), **options)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str | None:
    """Each test once with SQLite (None) and once with PostgreSQL."""
    return None if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@contextmanager
def served(project: Project, url: str | None = None, **options: Any) -> Iterator[tuple[str, Store]]:
    """The address of a served study, and its store."""
    from dialeval.annotation.web.app import create_app
    from dialeval.annotation.web.server import in_background

    store = made_store(project, url)
    with in_background(create_app(project, store, **options)) as address:
        yield address, store


def answer_as(folder: Path, judge: Callable[[str, str], int]) -> dict[str, list[str]]:
    """Let every invited rater answer through the served app; the items that each was given.

    ``judge`` gives a rater's value of a response: of the one that an item shows, or of each of several.
    """
    project = read_project(folder)
    met: dict[str, list[str]] = {}
    with served(project) as (address, store):
        for rater in project.settings.raters:
            client = Client(address, invite(project, store, rater).path)
            client.enter()
            while not (page := client.task().content)["done"]:
                answers = {
                    ask.criterion: _judged(ask, page["item"], rater, judge) for ask in project.settings.asks
                }
                reply = client.answer(page["item"]["id"], page["revision"], answers, 9.0)
                assert reply.status == 200, reply
                met.setdefault(rater, []).append(page["item"]["id"])
            client.close()
    return met


def _judged(ask: Ask, item: Any, rater: str, judge: Callable[[str, str], int]) -> dict[str, int]:
    values = {each["id"]: judge(rater, each["text"]) for each in item["candidates"]}
    if ask.kind == "sentences":
        return {f"value_{name}": value for name, value in values.items()}
    (value,) = values.values()
    return {"value": value}


Made = Callable[..., Project]
