"""The tables of a rating study.

Answers, talks, decisions and events are only ever added to: triggers refuse updates and deletions of them, and views
give the latest answer and decision. An item has as many places as it needs judgements, so that no schedule of
requests can give it one more; a place belongs to one rater, and no rater can have two places of one item.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSION: Final = 1
"""Of the schema, as the table of facts holds it."""

FREE: Final = 0.0
DONE: Final = 1e18
"""The end of a place's lease: a time, ``FREE`` before it was ever leased, ``DONE`` once it is answered."""

METADATA: Final = MetaData()

facts = Table(
    "facts",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

raters = Table(
    "raters",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("token_hash", Text, unique=True),
    Column("origin", Text, nullable=False),
    Column("outside", Text, nullable=False, default="{}"),
    Column("state", Text, nullable=False, default="active"),
    Column("dropped", Boolean, nullable=False, default=False),
    Column("generation", Integer, nullable=False, default=1),
    Column("attempt", Integer, nullable=False, default=1),
    Column("qualified", Boolean, nullable=False, default=False),
    Column("current", Text),
    Column("since", Float),
    Column("seen", Float),
)

items = Table(
    "items",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("stratum", Text, nullable=False),
)

places = Table(
    "places",
    METADATA,
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("slot", Integer, primary_key=True),
    Column("rater", Integer, ForeignKey("raters.id")),
    Column("until", Float, nullable=False, default=FREE),
    UniqueConstraint("item", "rater"),
    Index("places_until", "until", "item"),
    Index("places_rater", "rater"),
)

skips = Table(
    "skips",
    METADATA,
    Column("rater", Integer, ForeignKey("raters.id"), primary_key=True),
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("at", Float, nullable=False),
)

answers = Table(
    "answers",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("rater", Integer, ForeignKey("raters.id"), nullable=False),
    Column("item", Text, ForeignKey("items.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("answers", Text, nullable=False),
    Column("seconds", Float),
    Column("at", Float, nullable=False),
    UniqueConstraint("rater", "item", "revision"),
)

talks = Table(
    "talks",
    METADATA,
    Column("rater", Integer, ForeignKey("raters.id"), primary_key=True),
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("speaker", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Float, nullable=False),
)

decisions = Table(
    "decisions",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("item", Text, ForeignKey("items.id"), nullable=False),
    Column("criterion", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

events = Table(
    "events",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("rater", Integer),
    Column("item", Text),
    Column("details", Text, nullable=False, default="{}"),
)

APPEND_ONLY: Final = ("answers", "talks", "decisions", "events")

LATEST: Final = (
    "CREATE VIEW latest_answers AS SELECT a.* FROM answers a WHERE a.revision = "
    "(SELECT MAX(b.revision) FROM answers b WHERE b.rater = a.rater AND b.item = a.item)",
    "CREATE VIEW latest_decisions AS SELECT a.* FROM decisions a WHERE a.id = "
    "(SELECT MAX(b.id) FROM decisions b WHERE b.item = a.item AND b.criterion = a.criterion)",
)
"""Views of what counts."""


def guards(dialect: str) -> list[str]:
    """The statements that make tables refuse updates and deletions."""
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            for table in APPEND_ONLY
            for verb in ("UPDATE", "DELETE")
        ]
    refuse = (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    return [
        refuse,
        *(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            for table in APPEND_ONLY
        ),
    ]
