"""One budget of a study for systems and judges, costs beside progress, busy servers, and plans that a run refuses."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from rich.progress import Progress

from dialeval.data.types import Example, Response, Turn
from dialeval.engine import progress
from dialeval.errors import DialevalError, RunFailed
from dialeval.judge import Judge
from dialeval.systems.spending import (
    Budget,
    Meter,
    Prices,
    Spent,
    spending_together,
    spent_so_far,
)
from support.bot_server import Raw, bot_server
from support.command import Command, Outcome
from support.judge_server import chances, said, spread

ITEMS = 6


def is_judged(body: Mapping) -> bool:
    return body["messages"][0]["role"] == "system" and "careful judge" in body["messages"][0]["content"]


def reply(body: Mapping) -> dict:
    return spread(chances([0.2, 0.8])) if is_judged(body) else said(f"It is open. {body['messages'][-1]}")


def study(folder: Path, url: str, budget: Mapping | None, **of_system: object) -> str:
    prompts = [{"id": str(n), "context": [{"role": "user", "content": f"Open {n}?"}]} for n in range(ITEMS)]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(p) + "\n" for p in prompts), encoding="utf-8")
    prices = {"price_input": 1.0, "price_output": 1.0}
    bot = {"name": "bot", "kind": "openai", "base_url": url, "model": "small", "retries": 0, "cache": "kept"}
    content = {
        "data": "prompts.jsonl",
        "systems": [{**bot, "prices": {"input": 1.0, "output": 1.0}, **of_system}],
        "measures": [
            {"name": "judge", "model": "big", "base_url": url, "retries": 0, "cache": "kept", **prices}
        ],
        "trials": 50,
        **({} if budget is None else {"budget": dict(budget)}),
    }
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(path)


def failures(done: Outcome) -> str:
    """What failed, as the JSON has it."""
    return json.dumps(json.loads(done.out)["failures"], ensure_ascii=False)


def test_one_budget_counts_requests_of_systems_and_judges_together(dialeval: Command, tmp_path: Path) -> None:
    with bot_server(whole=reply) as server:
        path = study(tmp_path, server.url, {"requests": ITEMS + 5})
        first = dialeval("run", path, "-o", tmp_path / "out", "--json")
        assert first.code != 0
        assert f"The budget of 'study', {ITEMS + 5} requests, is used up" in failures(first)
        assert len(server.bodies) == ITEMS + 5
        assert sum(map(is_judged, server.bodies)) == 5
        again = dialeval("run", path, "-o", tmp_path / "out", "--json")
        assert again.code == 0, again.err
        assert sum(map(is_judged, server.bodies)) == ITEMS + 4


def test_a_budget_of_cost_ends_a_study_after_what_it_may_cost(dialeval: Command, tmp_path: Path) -> None:
    each = 110 / 1e6
    with bot_server(whole=reply) as server:
        path = study(tmp_path, server.url, {"cost": each * (ITEMS + 1.5)}, concurrency=1)
        done = dialeval("run", path, "-o", tmp_path / "out", "--json")
        assert done.code != 0
        assert "The budget of 'study', a cost of" in failures(done)
        # The first request of a judge is sent alone, and those under way may exceed the budget.
        assert ITEMS + 2 <= len(server.bodies) < 2 * ITEMS + 4


def test_a_budget_of_cost_needs_prices_of_everything_that_is_asked(dialeval: Command, tmp_path: Path) -> None:
    with bot_server(whole=reply) as server:
        path = study(tmp_path, server.url, {"cost": 1.0}, prices=None)
        done = dialeval("run", path, "-o", tmp_path / "out", "--json")
        assert done.code != 0
        assert "'bot' has no prices" in failures(done)


@pytest.mark.parametrize("budget", [{"requests": 0}, {"cost": -1}, {"tokens": "many"}, {"euros": 5}])
def test_a_wrong_budget_is_named_by_its_key(budget: dict, dialeval: Command, tmp_path: Path) -> None:
    done = dialeval("run", study(tmp_path, "http://127.0.0.1:1/v1", budget))
    assert done.code != 0
    assert "budget" in done.err
    assert next(iter(budget)) in done.err


def test_a_dry_run_shows_the_budget_and_sends_nothing(dialeval: Command, tmp_path: Path) -> None:
    with bot_server(whole=reply) as server:
        path = study(tmp_path, server.url, {"requests": 500, "cost": 2.5})
        told = json.loads(dialeval("run", path, "--dry-run", "--json").out)
        assert told["budget"] == {"requests": 500, "tokens": None, "cost": 2.5}
        printed = " ".join(dialeval("run", path, "--dry-run").out.split())
        assert "the budget of the study: 500 requests and a cost of 2.5" in printed
        assert server.bodies == []


def test_a_dry_run_of_a_system_that_is_called_like_its_judge_prints_the_plan(
    dialeval: Command, tmp_path: Path
) -> None:
    rows = [
        {
            "id": str(n),
            "system": "big",
            "context": [{"role": "user", "content": "?"}],
            "response": f"Yes {n}.",
        }
        for n in range(3)
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    metric = "judge(model='big',base_url='http://127.0.0.1:1/v1')"
    planned = dialeval("score", file, "-m", metric, "--dry-run")
    assert planned.code == 0, planned.err
    assert "the run will refuse this. The judge 'big' would judge itself" in " ".join(planned.out.split())
    (cost,) = json.loads(dialeval("score", file, "-m", metric, "--dry-run", "--json").out)["costs"]
    assert cost["requests"] == 3 + 4
    assert cost["refused"]
    assert "would judge itself" in dialeval("score", file, "-m", metric).err


def test_the_same_holds_for_measures_by_a_named_judge(dialeval: Command, tmp_path: Path) -> None:
    context = [{"role": "user", "content": "?"}]
    row = {
        "id": "1",
        "system": "big",
        "context": context,
        "response": "Yes.",
        "references": ["It is. So it is."],
    }
    (tmp_path / "said.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "big.yaml").write_text("model: big\nbase_url: http://127.0.0.1:1/v1\n", encoding="utf-8")
    metric = ("score", "said.jsonl", "-m", "judged_facts(by='judge:big.yaml')")
    (cost,) = json.loads(dialeval(*metric, "--dry-run", "--json").out)["costs"]
    assert cost["requests"] == 2 + 4
    assert "would judge itself" in cost["refused"]
    assert "would judge itself" in dialeval(*metric).err


def test_meters_count_themselves_and_together() -> None:
    with spending_together("both", Budget(requests=3, tokens=100)) as together:
        one, other = Meter("one", Budget(), Prices(1e6, 2e6)), Meter("other", Budget(requests=1))
        one.charge_request()
        one.charge_tokens(Spent(30, 20, 10))
        other.charge_request()
        with pytest.raises(RunFailed, match="'other', 1 requests"):
            other.charge_request()
        one.charge_request()
        assert (one.requests, together.requests, one.cost, together.tokens) == (2, 3, 40, 30)
        with pytest.raises(
            RunFailed, match="'both', 3 requests, is used up: 3 requests were sent and 30 tokens"
        ):
            one.charge_request()
    one.charge_request()
    with pytest.raises(DialevalError, match="budget of cost"):
        Budget(cost=0.0)


def test_bars_show_what_was_spent_so_far() -> None:
    meter = Meter("one", Budget(), Prices(1e6, 0))
    meter.charge_request()
    meter.charge_tokens(Spent(30, 20, 10))
    assert "cost " in spent_so_far()
    bar: Progress = progress._bar()
    bar.add_task("judge", total=3)
    (task,) = bar.tasks
    shown = [str(column(task)) for column in bar.columns if not isinstance(column, str)]
    assert spent_so_far() in shown


def test_a_judge_waits_as_long_as_a_busy_server_asks_and_never_asks_more_at_once_than_it_may(
    tmp_path: Path,
) -> None:
    lock, at_once, most, busy = threading.Lock(), [0], [0], [True]
    times: list[float] = []

    def slow(body: Mapping) -> dict | Raw:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
            times.append(time.monotonic())
            refused = busy and len(times) > 1
            if refused:
                busy.clear()
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        if refused:
            return Raw(b'{"error": {"message": "slow down"}}', 429, (("Retry-After", "0.5"),))
        return spread(chances([1.0]))

    answers = [Example(str(n), "b", (Turn("user", "?"),), Response(f"Yes {n}.")) for n in range(12)]
    with bot_server(whole=slow) as server:
        judge = Judge("m", base_url=server.url, cache=str(tmp_path), concurrency=3, retries=2)
        rows = judge.statistics(answers)
    assert rows[:, 0].tolist() == [1.0] * 12
    assert most[0] <= 3
    assert len(times) == 13
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert max(gaps) >= 0.4
