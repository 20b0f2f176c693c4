"""Judges over the batch API: one file for all answers, resumed after an interruption, errors asked by themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dialeval.core import Resampling
from dialeval.data.types import Example, Response, Turn
from dialeval.errors import DialevalError, RunFailed
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.judge import Judge
from dialeval.systems.openai import batches
from support.batch_server import batch_server
from support.command import Command
from support.judge_server import chances, response_of, spread, verdict

PLAN = Plan(resampling=Resampling(resamples=0))
EXAMPLES = [Example(str(n), "bot", (Turn("user", "Open?"),), Response(f"Answer {n}.")) for n in range(1, 6)]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "FIRST_WAIT", 0.01)


def judge(url: str, cache: Path, **options: object) -> Judge:
    return Judge("m-1", base_url=url, cache=str(cache), **{"retries": 0, "batch": True, **options})


def number(body: Mapping) -> int:
    return int(response_of(body).split()[1].rstrip("."))


def reply(body: Mapping) -> dict:
    if "response_format" in body:
        return verdict(body, number(body))
    return spread(chances([0.0001 if k != number(body) else 1.0 for k in range(1, 6)]))


@pytest.mark.parametrize("mode", ["expected", "json"])
def test_a_batch_answers_all_but_the_first_and_is_kept_like_single_answers(mode: str, tmp_path: Path) -> None:
    with batch_server(reply) as server:
        metric = judge(server.url, tmp_path, mode=mode, price_input=1.0)
        batched = evaluate(metric, EXAMPLES, PLAN)
        assert len(server.single) == 1
        (batch,) = server.batches.values()
        assert len(batch["lines"]) == 4
        assert server.polls == 2
        again = evaluate(metric, EXAMPLES, PLAN)
        singly = evaluate(judge(server.url, tmp_path, mode=mode, batch=False), EXAMPLES, PLAN)
        assert (len(server.single), len(server.batches)) == (1, 1)
    assert batched.values.tolist() == again.values.tolist() == singly.values.tolist()
    assert batched.values.round(1).tolist() == [1, 2, 3, 4, 5]
    assert str(metric.signature) == str(judge(server.url, tmp_path, mode=mode, batch=False).signature)


def test_an_interrupted_wait_is_resumed_with_the_same_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with batch_server(reply) as server:
        with monkeypatch.context() as patched:
            patched.setattr(batches.asyncio, "sleep", interrupted)
            with pytest.raises(KeyboardInterrupt):
                judge(server.url, tmp_path).statistics(EXAMPLES)
        assert (len(server.batches), server.polls) == (1, 1)
        # What came meanwhile is in a batch of its own.
        more = [*EXAMPLES, Example("6", "bot", (Turn("user", "Open?"),), Response("Answer 2. Truly."))]
        values = evaluate(judge(server.url, tmp_path), more, PLAN).values
        assert [len(batch["lines"]) for batch in server.batches.values()] == [4, 1]
        assert len(server.single) == 1
    assert values.round(1).tolist() == [1, 2, 3, 4, 5, 2]


def test_what_a_batch_answers_with_an_error_is_asked_by_itself(tmp_path: Path) -> None:
    broken = [3, 3]

    def failing(body: Mapping) -> dict | None:
        if number(body) in broken:
            broken.pop()
            return None
        return reply(body)

    with batch_server(failing) as server:
        result = evaluate(judge(server.url, tmp_path, retries=2), EXAMPLES, PLAN)
        assert result.scored == 5
        assert [number(body) for body in server.single] == [1, 3, 3]


def test_a_batch_that_expires_keeps_its_answers_and_the_next_run_asks_for_the_rest(tmp_path: Path) -> None:
    lost = [4]

    def slow(body: Mapping) -> dict | None:
        return None if number(body) in lost else reply(body)

    with batch_server(slow, ends="expired") as server:
        with pytest.raises(RunFailed, match=r"of 4 requests expired: It took too long. 3 of its answers are"):
            judge(server.url, tmp_path).statistics(EXAMPLES)
        lost.clear()
        server.ends = "completed"
        assert evaluate(judge(server.url, tmp_path), EXAMPLES, PLAN).scored == 5
        assert [len(batch["lines"]) for batch in server.batches.values()] == [4, 1]


def test_a_batch_that_the_server_has_forgotten_is_sent_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with batch_server(reply) as server:
        with monkeypatch.context() as patched:
            patched.setattr(batches.asyncio, "sleep", interrupted)
            with pytest.raises(KeyboardInterrupt):
                judge(server.url, tmp_path).statistics(EXAMPLES)
        server.batches["batch_9"] = server.batches.pop("batch_0")
        assert evaluate(judge(server.url, tmp_path), EXAMPLES, PLAN).scored == 5


def test_a_budget_that_is_too_small_sends_no_batch(tmp_path: Path) -> None:
    with batch_server(reply) as server:
        with pytest.raises(RunFailed, match="budget"):
            judge(server.url, tmp_path, budget=4).statistics(EXAMPLES)
        assert (server.files, server.batches) == ({}, {})


def test_large_sets_are_several_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_REQUESTS", 3)
    with batch_server(reply) as server:
        assert evaluate(judge(server.url, tmp_path), EXAMPLES, PLAN).scored == 5
        assert [len(batch["lines"]) for batch in server.batches.values()] == [3, 1]


def test_a_server_without_batches_is_an_error_and_no_silent_change(tmp_path: Path) -> None:
    with batch_server(reply, batching=False) as server:
        with pytest.raises(RunFailed, match=r"no batch API \(POST /files: HTTP 404\). Leave out 'batch'"):
            judge(server.url, tmp_path).statistics(EXAMPLES)
        assert len(server.single) == 1
    with pytest.raises(DialevalError, match="'batch' of judge: it is of a server"):
        Judge("smollm2-135m-instruct", batch=True)


def test_in_a_study_the_answers_of_all_systems_are_one_batch(dialeval: Command, tmp_path: Path) -> None:
    def write(name: str, rows: list[dict]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write("prompts.jsonl", [{"id": str(n), "context": [{"role": "user", "content": "?"}]} for n in range(3)])
    for system in ("a", "b"):
        write(
            f"{system}.jsonl", [{"id": str(n), "response": f"Answer {n + 1}. By {system}."} for n in range(3)]
        )
    with batch_server(lambda body: reply(body) if "Answer" in response_of(body) else canary()) as server:
        (tmp_path / "study.yaml").write_text(
            "data: prompts.jsonl\nsystems:\n  - {name: a, kind: transcript, path: a.jsonl}\n"
            "  - {name: b, kind: transcript, path: b.jsonl}\ntrials: 50\nmeasures:\n"
            f"  - {{name: judge, model: m-1, base_url: '{server.url}', batch: true, retries: 0, cache: kept}}\n",
            encoding="utf-8",
        )
        done = dialeval("run", "study.yaml", "-o", "out", "--json")
        assert done.code == 0, done.err
        assert [len(batch["lines"]) for batch in server.batches.values()] == [5]
        assert len(server.single) == 5  # the first, and the four items of the canary


def canary() -> dict:
    return spread(chances([1.0]))
