"""Qualification tests and attention checks of one rater: which comes next, and what its answer means for the rater."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, Row, select

from dialeval.annotation.assignment import check_due, fraction
from dialeval.annotation.store.plan import Entry, Plan, Rater
from dialeval.annotation.store.rows import log, update_rater
from dialeval.annotation.store.schema import answers


def next_test(connection: Connection, plan: Plan, rater: Rater) -> Entry | None:
    """The next item of the qualification test that this attempt has not answered."""
    tests = plan.of_role("qualification")
    if not tests:
        return None
    rows = _by_item(connection, rater, tests)
    answered = {item for item, row in rows.items() if row.attempt == rater.attempt}
    left = [entry for entry in tests if entry.id not in answered]
    return min(left, key=lambda entry: fraction("test", plan.seed, rater.name, entry.number), default=None)


def grade_test(connection: Connection, plan: Plan, rater: Rater, now: float) -> None:
    """Once all are answered: qualified, another attempt, or screened out."""
    tests = plan.of_role("qualification")
    rows = _by_item(connection, rater, tests)
    if rater.qualified or any(
        entry.id not in rows or rows[entry.id].attempt != rater.attempt for entry in tests
    ):
        return
    right = sum(plan.right(item, json.loads(row.answers)) for item, row in rows.items())
    if right >= plan.qualification * len(tests) - 1e-9:
        update_rater(connection, rater, qualified=True)
        log(connection, now, "qualified", rater.id, None, right=right, of=len(tests))
    elif rater.attempt >= plan.attempts:
        update_rater(connection, rater, state="screened_out")
        log(connection, now, "screened_out", rater.id, None, right=right, of=len(tests))
    else:
        update_rater(connection, rater, attempt=rater.attempt + 1)
        log(connection, now, "failed_attempt", rater.id, None, right=right, of=len(tests))


def next_check(connection: Connection, plan: Plan, rater: Rater, done: int) -> Entry | None:
    """The next attention check, if one is due after this many items."""
    checks = plan.of_role("check")
    if not checks or not plan.check_rate:
        return None
    answered = _by_item(connection, rater, checks)
    left = [entry for entry in checks if entry.id not in answered]
    if not left or not check_due(plan.seed, rater.name, done, len(answered), plan.check_rate):
        return None
    return min(left, key=lambda entry: fraction("checked", plan.seed, rater.name, entry.number))


def grade_checks(connection: Connection, plan: Plan, rater: Rater, now: float) -> None:
    """Stop a rater who has failed more attention checks than the study allows."""
    if plan.check_failures is None:
        return
    rows = _by_item(connection, rater, plan.of_role("check"), first=True)
    failed = sum(not plan.right(item, json.loads(row.answers)) for item, row in rows.items())
    if failed > plan.check_failures:
        update_rater(connection, rater, state="failed_checks")
        log(connection, now, "failed_checks", rater.id, None, failed=failed)


def _by_item(
    connection: Connection, rater: Rater, entries: Iterable[Entry], *, first: bool = False
) -> dict[str, Row[tuple[object, ...]]]:
    """Latest answers by item, or the first ones: who corrects a check did not read it before."""
    wanted = [entry.id for entry in entries]
    query = (
        select(answers)
        .where(answers.c.rater == rater.id, answers.c.item.in_(wanted))
        .order_by(answers.c.revision.desc() if first else answers.c.revision)
    )
    return {row.item: row for row in connection.execute(query)}
