from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from dialeval.annotation.store.database import open_database
from dialeval.annotation.store.plan import Claim, Stale
from dialeval.errors import BadInput, Unsuitable
from support.rating_studies import made_project, made_store


def _answered(tmp_path: Path, url: str | None = None):
    project = made_project(tmp_path / "study", items=2)
    store = made_store(project, url)
    rater = store.add_rater("ann")
    claim = store.claim(rater.id)
    assert isinstance(claim, Claim)
    store.submit(rater.id, claim.item, 0, {"overall": {"value": 3}}, seconds=4.5)
    return project, store, rater, claim.item


def test_answers_cannot_be_changed_or_deleted_even_by_sql(tmp_path: Path, store_url: str | None) -> None:
    _, store, _, _ = _answered(tmp_path, store_url)
    for statement in ("UPDATE answers SET answers = '{}'", "DELETE FROM answers", "DELETE FROM events"):
        with pytest.raises(DBAPIError, match="append-only"), store.database.begin() as connection:
            connection.execute(text(statement))
    assert store.latest_answers()[0].answers == {"overall": {"value": 3}}
    store.close()


def test_a_revision_is_added_and_the_latest_counts(tmp_path: Path, store_url: str | None) -> None:
    _, store, rater, item = _answered(tmp_path, store_url)
    assert store.submit(rater.id, item, 1, {"overall": {"value": 5}}) == 2
    assert [given.answers["overall"]["value"] for given in store.revisions()] == [3, 5]
    assert [given.answers["overall"]["value"] for given in store.latest_answers()] == [5]
    assert store.history(rater)[0].revision == 2
    store.close()


def test_a_stale_revision_is_refused_and_a_repeated_one_is_not_stored_twice(tmp_path: Path) -> None:
    _, store, rater, item = _answered(tmp_path)
    with pytest.raises(Stale) as refused:
        store.submit(rater.id, item, 0, {"overall": {"value": 1}})
    assert refused.value.latest is not None
    assert refused.value.latest.revision == 1
    assert store.submit(rater.id, item, 0, {"overall": {"value": 3}}) == 1
    assert len(store.revisions()) == 1
    store.close()


def test_a_store_of_a_newer_schema_is_refused(tmp_path: Path, store_url: str | None) -> None:
    project, store, _, _ = _answered(tmp_path, store_url)
    store.close()
    place = store_url or project.store
    with pytest.raises(BadInput, match="schema 1"):
        open_database(place, version=0)


def test_a_store_of_an_older_schema_is_migrated_after_a_backup(tmp_path: Path, store_url: str | None) -> None:
    project, store, _, _ = _answered(tmp_path, store_url)
    store.close()
    place = store_url or project.store

    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE raters ADD COLUMN phone TEXT"))

    database = open_database(place, version=2, migrations={1: add_column})
    with database.begin() as connection:
        assert connection.execute(text("SELECT value FROM facts WHERE name = 'schema'")).scalar() == "2"
        assert "phone" in {column["name"] for column in inspect(connection).get_columns("raters")}
        assert connection.execute(text("SELECT count(*) FROM answers")).scalar() == 1
        if store_url is not None:
            assert connection.execute(text("SELECT count(*) FROM backup_1_answers")).scalar() == 1
    database.close()
    if store_url is None:
        backup = open_database(Path(f"{place}.schema1.backup"))
        with backup.reading() as connection:
            assert connection.execute(text("SELECT count(*) FROM answers")).scalar() == 1
            assert "phone" not in {column["name"] for column in inspect(connection).get_columns("raters")}
        backup.close()


def test_a_failed_migration_changes_nothing(tmp_path: Path) -> None:
    project, store, _, _ = _answered(tmp_path)
    store.close()

    def fail(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE raters ADD COLUMN phone TEXT"))
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        open_database(project.store, version=2, migrations={1: fail})
    database = open_database(project.store)
    with database.reading() as connection:
        assert "phone" not in {column["name"] for column in inspect(connection).get_columns("raters")}
    database.close()


def test_sqlite_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    database = open_database(tmp_path / "answers.sqlite")
    with database.reading() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
        ]
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    assert pragmas == ["wal", 2]
    database.close()


def test_the_store_of_another_study_is_refused(tmp_path: Path) -> None:
    project, store, _, _ = _answered(tmp_path)
    store.close()
    other = made_project(tmp_path / "other")
    with pytest.raises(Unsuitable, match="not of this study"):
        made_store(other, str(project.store))


def test_a_database_of_an_unknown_kind_is_refused_without_its_password() -> None:
    with pytest.raises(Unsuitable) as refused:
        open_database("mysql://ann:secret@host/name")
    assert "secret" not in str(refused.value)


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(BadInput) as refused:
        open_database("postgresql://ann:hunter2@127.0.0.1:9/name?connect_timeout=2")
    assert "hunter2" not in str(refused.value)
