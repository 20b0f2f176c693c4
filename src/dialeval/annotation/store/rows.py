"""Rows of the store as values, and the log of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, insert, select, text, update

from dialeval.annotation.store.plan import Given, Rater
from dialeval.annotation.store.schema import answers, events, raters


def rater_of(row: Row[Any]) -> Rater:
    """A rater from a row of their table."""
    fields = dict(row._mapping)
    return Rater(**{**fields, "outside": json.loads(fields["outside"])})


def given_of(rater: str, row: Any) -> Given:
    """An answer from a row of its table."""
    read = row.answers if isinstance(row.answers, Mapping) else json.loads(row.answers)
    return Given(rater, row.item, row.revision, row.attempt, dict(read), row.seconds, row.at)


def latest_of(connection: Connection, rater: int, item: str) -> Given | None:
    """The newest revision of a rater's answer to an item; the rater's name is left empty."""
    query = select(answers).where(answers.c.rater == rater, answers.c.item == item)
    row = connection.execute(query.order_by(answers.c.revision.desc()).limit(1)).first()
    return None if row is None else given_of("", row)


def log(
    connection: Connection,
    at: float,
    kind: str,
    rater: int | None,
    item: str | None = None,
    **details: object,
) -> None:
    """Add an event; details hold no secret."""
    written = json.dumps(details, ensure_ascii=False)
    connection.execute(insert(events).values(at=at, kind=kind, rater=rater, item=item, details=written))


def update_rater(connection: Connection, rater: Rater, **values: object) -> None:
    """Change these columns of the rater's row."""
    connection.execute(update(raters).where(raters.c.id == rater.id).values(**values))


def hold_places(connection: Connection) -> None:
    """Keep all other transactions from changing places until this one ends.

    Lock a rater's row before, never after. SQLite has one writer at a time as it is.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7177091502)"))
