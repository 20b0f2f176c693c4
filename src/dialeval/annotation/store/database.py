"""Opening of the database of a study: SQLite by file, PostgreSQL by URL; its schema made, checked or migrated."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Text,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, OperationalError
from sqlalchemy.pool import StaticPool

from dialeval.annotation.store.schema import LATEST, METADATA, VERSION, facts, guards
from dialeval.errors import BadInput, DialevalError, Unsuitable, first_line, install_command
from dialeval.files.atomic import make_private

T = TypeVar("T")
Migration = Callable[[Connection], None]
MIGRATIONS: Final[Mapping[int, Migration]] = {}
"""Steps from a schema of that version to the next."""

BUSY_SECONDS: Final = 30
"""Seconds that a transaction waits for one of another process."""


ATTEMPTS: Final = 6
"""Number of tries of a transaction that the database ends for the sake of another one."""
_DISK: Final = frozenset({8, 10, 13, 14})
"""Primary codes of SQLite if the disk is at fault: READONLY, IOERR, FULL, CANTOPEN."""
_AGAIN: Final = frozenset({"40001", "40P01", "23505"})
"""SQLSTATE of serialization failures, of deadlocks, and of a row that another transaction has just added."""


class Database:
    """Short transactions on one database; of SQLite, one writer at a time in this process."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time: threads queue here, fairly and without polling.
        self._turn: Any = threading.Lock() if self.is_sqlite else nullcontext()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that writes: committed if the block ends well, else rolled back."""
        with self._turn, self.engine.begin() as connection:
            yield connection

    def run(self, work: Callable[[Connection], T]) -> T:
        """Result of a transaction that writes, tried again if the database ended it for the sake of another one.

        ``work`` may run several times; only the last one is committed.
        """
        for attempt in range(ATTEMPTS):
            try:
                with self.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _AGAIN or attempt == ATTEMPTS - 1:
                    raise
            time.sleep(random.uniform(0, 0.02 * 2**attempt))
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that only reads."""
        with self.engine.connect().execution_options(reading=True) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_database(
    place: str | Path, *, version: int = VERSION, migrations: Mapping[int, Migration] = MIGRATIONS
) -> Database:
    """The database at a path or URL, with its tables made if it has none.

    An older schema is migrated, after a backup; a newer one is refused. A disk that is full or cannot be written raises
    SQLAlchemy's error, as it would in any later transaction.
    """
    url = _url(place)
    if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
        make_private(Path(url.database))
    database = Database(_engine(url))
    try:
        _prepare(database, url.render_as_string(hide_password=True), version, migrations)
    except BaseException as error:
        database.close()
        if not isinstance(error, OperationalError | DatabaseError) or _is_of_disk(error):
            raise
        found = f"a database that does not open ({first_line(error.orig or error)})"
        shown = url.render_as_string(hide_password=True)
        raise BadInput(shown, found, "SQLite or PostgreSQL", "Check the address.") from None
    return database


def _is_of_disk(error: DBAPIError) -> bool:
    """Whether SQLite could not read or write the file, whatever is in it."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _DISK


def _url(place: str | Path) -> URL:
    """A path is a file of SQLite; ``postgresql://`` means psycopg 3, which we install."""
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(place))
    try:
        url = make_url(place)
    except ArgumentError:
        raise Unsuitable(
            f"The address of the store cannot be read. Write postgresql://USER@HOST/NAME or a file's path, "
            f"found {place.partition('://')[0]}://..."
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername in ("sqlite", "postgresql+psycopg"):
        return url
    raise Unsuitable(f"Found a store of kind {url.drivername!r}; SQLite and PostgreSQL are supported.")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
        except ModuleNotFoundError:
            raise DialevalError(f"PostgreSQL needs psycopg: {install_command('serve')}.") from None
    wait = {"timeout": BUSY_SECONDS, "check_same_thread": False}
    if url.database in (None, "", ":memory:"):
        engine = create_engine(url, poolclass=StaticPool, connect_args=wait)
    else:
        engine = create_engine(url, pool_size=20, max_overflow=40, connect_args=wait)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin_at_once)
    return engine


def _set_up(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    # FULL: a commit is on the disk before it is acknowledged, so not even a power cut loses an answer.
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_SECONDS}000",
        "trusted_schema=OFF",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_at_once(connection: Connection) -> None:
    """Take the write lock at the beginning: a transaction that reads first and writes later could fail half-way."""
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _prepare(database: Database, place: str, version: int, migrations: Mapping[int, Migration]) -> None:
    with database.begin() as connection:
        if not database.is_sqlite:  # two servers that start at once must not both make the tables
            connection.execute(text("SELECT pg_advisory_xact_lock(7177091501)"))
        if not inspect(connection).has_table(facts.name):
            METADATA.create_all(connection)
            for statement in (*LATEST, *guards(database.engine.dialect.name)):
                connection.exec_driver_sql(
                    statement.replace("%", "%%") if not database.is_sqlite else statement
                )
            connection.execute(insert(facts).values(name="schema", value=str(version)))
            return
        told = connection.execute(select(facts.c.value).where(facts.c.name == "schema")).scalar()
    if not str(told).isdecimal() or len(str(told)) > 9:
        raise _foreign(place, f"a schema {str(told)[:60]!r}")
    found = int(str(told))
    if found > version:
        raise BadInput(
            place,
            f"a store of schema {found}",
            f"schema {version} or older",
            "Use the newer version of dialeval that wrote it.",
        )
    if database.is_sqlite and found == version:
        _check_origin(database, place)
    if found < version:
        _migrate(database, found, version, migrations)


def _check_origin(database: Database, place: str) -> None:
    """Refuse views, triggers and tables that we did not make: whoever sent the file would choose what they do."""
    ours = {" ".join(statement.split()) for statement in (*LATEST, *guards("sqlite"))}
    with database.reading() as connection:
        made = connection.exec_driver_sql(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        ).all()
        for kind, name, sql in made:
            known = name in METADATA.tables if kind == "table" else " ".join(str(sql).split()) in ours
            if kind != "index" and not known:
                raise _foreign(place, f"a {kind} {str(name)[:60]!r} of another origin")
        for table in METADATA.sorted_tables:
            strange = " OR ".join(map(_strange, table.columns))
            if connection.exec_driver_sql(f"SELECT 1 FROM {table.name} WHERE {strange} LIMIT 1").first():
                raise _foreign(place, f"values in the table {table.name!r} that have other types")


def _strange(column: Column[Any]) -> str:
    """The condition under which a value is none of its column, which SQLite does not ask of it."""
    known = {Text: "'text'", Float: "'real', 'integer'"}.get(type(column.type), "'integer'")
    null = ", 'null'" if column.nullable else ""
    wrong = f"typeof({column.name}) NOT IN ({known}{null})"
    if str(column) not in _OBJECTS:
        return wrong
    name = column.name
    return f"{wrong} OR CASE WHEN json_valid({name}) THEN json_type({name}) <> 'object' ELSE 1 END"


_OBJECTS: Final = ("raters.outside", "answers.answers", "decisions.answer")
"""Columns with objects of JSON."""


def _foreign(place: str, found: str) -> BadInput:
    todo = "Do not use it, or ask its sender for an export ('dialeval annotate export')."
    return BadInput(place, found, "the store of a rating study", todo)


def _migrate(database: Database, found: int, version: int, migrations: Mapping[int, Migration]) -> None:
    if database.is_sqlite:
        _back_up(database, found)
    with database.begin() as connection:
        if not database.is_sqlite:
            for table in inspect(connection).get_table_names():
                if not table.startswith("backup_"):
                    connection.exec_driver_sql(f'CREATE TABLE "backup_{found}_{table}" AS TABLE "{table}"')
        for step in range(found, version):
            migrations[step](connection)
        connection.execute(update(facts).where(facts.c.name == "schema").values(value=str(version)))


def _back_up(database: Database, found: int) -> None:
    """Copy a database of SQLite beside itself, all that is in its log included."""
    file = database.engine.url.database
    backup = Path(f"{file}.schema{found}.backup")
    backup.unlink(missing_ok=True)
    make_private(backup)
    with database.engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.execute("VACUUM INTO ?", (str(backup),))
