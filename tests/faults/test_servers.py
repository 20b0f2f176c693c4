"""Studies of served systems while the server fails: nothing is lost, and no answer that was kept is paid for twice.

Three cached answers are asked for again before they are used, to learn whether the server has changed; these are not
counted as doubled.
"""

from __future__ import annotations

import json
import random
import re
import signal
from pathlib import Path

import pytest

from dialeval.study.freshness import CHECKED
from support.documented_server import documented_server
from support.fault_studies import contents, put
from support.faults import Ledger
from support.faulty_proxy import BreakOff, Drip, Drop, Fault, Reply, Truncate, faulty_proxy
from support.forked import Forks

pytestmark = pytest.mark.slow

SEED = 20261117
ITEMS = 16
KEPT = ("summary.json", "examples.jsonl", "results.parquet")
RUN = ("run", "study.yaml", "-o", "out", "--cache", "cache", "--jobs", "1")
BUSY = Reply(429, '{"error": {"message": "Too many requests."}}', (("Retry-After", "0"),))


def make_served(folder: Path, address: str, **keys: object) -> Path:
    """A study of a served system."""
    folder.mkdir(parents=True, exist_ok=True)
    put(
        folder / "prompts.jsonl",
        (
            {"id": f"i{n}", "context": [{"role": "user", "content": f"say {n}"}], "references": ["aqz"]}
            for n in range(ITEMS)
        ),
    )
    served = {"name": "served", "kind": "openai", "base_url": address, "model": "bigrams", "concurrency": 2}
    served |= {"decoding": {"max_tokens": 6}, "retries": 4, "backoff": 0.01, "cache": "kept", **keys}
    study = {"name": "served", "data": "prompts.jsonl", "trials": 50, "measures": ["length", "chrf"]}
    systems = [served, {"name": "floor", "kind": "echo"}]
    (folder / "study.yaml").write_text(json.dumps({**study, "systems": systems}))
    return folder


@pytest.fixture
def expected(commands: Forks, tmp_path: Path) -> dict[str, bytes]:
    """What a run writes while the server works."""
    with documented_server() as server, faulty_proxy(server.url) as proxy:
        here = make_served(tmp_path / "calm", proxy.url)
        ended = commands.run(here, *RUN)
    assert ended.code == 0, ended.said
    return contents(here / "out")


def lost_of(here: Path, expected: dict[str, bytes]) -> int:
    """Documents that differ, but for the port of the server, which signatures hold."""
    found = contents(here / "out")
    return sum(_PORT.sub(b"", found.get(name, b"")) != _PORT.sub(b"", expected[name]) for name in KEPT)


_PORT = re.compile(rb"127\.0\.0\.1:\d+")


def test_faults_of_a_server_mid_run_lose_no_answer_and_pay_for_none_twice(
    commands: Forks, expected: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    chance = random.Random(SEED)
    kinds: list[Fault] = [BUSY, Reply(500, "oops"), Reply(200, "<html>"), Drop(), Truncate(), BreakOff()]
    tried = lost = doubled = 0
    for turn in range(3):
        script: list[Fault] = [*kinds, *[None] * 10]
        chance.shuffle(script)
        with documented_server() as server, faulty_proxy(server.url, *script) as proxy:
            here = make_served(tmp_path / f"study-{turn}", proxy.url)
            ended = commands.run(here, *RUN)
            assert ended.code == 0, ended.said
            assert proxy.received == ITEMS + len(kinds), "each fault costs one further request"
            again = commands.run(here, *RUN)
            assert again.code == 0, again.said
            doubled += proxy.received - ITEMS - len(kinds) - CHECKED
        tried, lost = tried + len(kinds), lost + lost_of(here, expected)
    ledger("faulty server", tried=tried, lost=lost, doubled=doubled, seed=SEED)


def test_a_server_that_never_answers_is_given_up_and_asked_again_by_the_same_command(
    commands: Forks, expected: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    never = Drip(pause=30)
    script: list[Fault] = [*[None] * 5, *[never] * 4]
    with documented_server() as server, faulty_proxy(server.url, *script) as proxy:
        here = make_served(tmp_path / "study", proxy.url, timeout=3, retries=0, concurrency=1)
        ended = commands.run(here, *RUN)
        assert ended.code == 3, ended.said
        assert "the same command asks only for the rest" in " ".join(ended.said.split())
        hung = proxy.received - 5
        assert hung == 3, "so many in a row are an outage"
        proxy.script.clear()
        again = commands.run(here, *RUN)
        assert again.code == 0, again.said
        doubled = proxy.received - hung - ITEMS - CHECKED
    ledger("hanging server", tried=1, lost=lost_of(here, expected), doubled=doubled)


def test_a_server_that_changes_its_model_mid_run_fails_openly_and_loses_nothing(
    commands: Forks, expected: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    gone = Reply(404, '{"error": {"message": "The model `bigrams` does not exist."}}')
    with documented_server() as server, faulty_proxy(server.url, *[None] * 7, *[gone] * 12) as proxy:
        here = make_served(tmp_path / "study", proxy.url, concurrency=1)
        ended = commands.run(here, *RUN)
        assert ended.code in (1, 3), ended.said
        assert "does not exist" in " ".join(ended.said.split())
        failed = proxy.received - 7
        proxy.script.clear()
        again = commands.run(here, *RUN)
        assert again.code == 0, again.said
        doubled = proxy.received - failed - ITEMS - CHECKED
    ledger("changed model", tried=1, lost=lost_of(here, expected), doubled=doubled)


def answers_kept(here: Path) -> int:
    """Answers in the cache of the served system; ``[true]`` only says that a kind of request was answered once."""
    entries = [path for path in (here / "kept").glob("??/*") if len(path.name) == 64]
    return sum(not entry.read_bytes().endswith(b"[true]") for entry in entries)


def test_a_run_killed_while_a_server_answers_pays_only_for_what_was_not_kept(
    commands: Forks, expected: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    chance = random.Random(SEED)
    kills, lost, doubled, repeated = 4, 0, 0, 0
    for turn in range(kills):
        with documented_server() as server, faulty_proxy(server.url) as proxy:
            here = make_served(tmp_path / f"study-{turn}", proxy.url, concurrency=1)
            struck = commands.run(here, *RUN, strike=chance.randint(6, 50))
            assert struck.code == -signal.SIGKILL
            # Nobody else knows the answer that came, or was on its way, and was not written to the disk yet.
            kept = answers_kept(here)
            unkept = proxy.received - kept
            assert unkept in (0, 1)
            again = commands.run(here, *RUN)
            assert again.code == 0, again.said
            doubled += proxy.received - ITEMS - unkept - min(kept, CHECKED)
        lost, repeated = lost + lost_of(here, expected), repeated + unkept
    told = f"{SEED}; {repeated} not kept yet, asked for again"
    ledger("killed while served", tried=kills, lost=lost, doubled=doubled, seed=told)
