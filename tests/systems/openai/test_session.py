"""What is kept, what is paid for, and what a killed run leaves behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.data.types import Context, Turn
from dialeval.engine import CacheWarning
from dialeval.errors import DialevalError, RunFailed
from dialeval.systems.decoding import Decoding
from dialeval.systems.openai import Budget, Layout, OpenAI
from support.documented_server import Bigrams, documented_server
from support.faulty_proxy import Drip, Drop, faulty_proxy

CONTEXTS: list[Context] = [(Turn("user", f"Say {number}"),) for number in range(12)]


def bot(address: str, cache: Path, **options: object) -> OpenAI:
    settings = {"decoding": Decoding(max_tokens=4), "backoff": 0.01, **options}
    return OpenAI("bot", address, "bigrams", cache=cache, **settings)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"revision": "2"},
        {"api": "completions"},
        {"decoding": Decoding(max_tokens=5)},
        {"decoding": Decoding("sample", max_tokens=4)},
        {"system_prompt": "Be brief."},
        {"logprobs": False},
        {"extra": {"min_p": 0.1}},
    ],
    ids=str,
)
def test_answers_are_kept_by_everything_that_moves_them(change: dict[str, object], tmp_path: Path) -> None:
    with documented_server() as server:
        first = bot(server.url, tmp_path)
        first.generate(CONTEXTS[:1])
        other = replace(first, **change)
        assert other.signature != first.signature
        if change.get("model"):
            server.model.name = "other"
        other.generate(CONTEXTS[:1])
        assert server.received == 2
        other.generate(CONTEXTS[:1])
        assert server.received == 2


def test_the_layout_and_the_end_move_completions(tmp_path: Path) -> None:
    with documented_server() as server:
        first = bot(server.url, tmp_path, api="completions")
        for at, system in enumerate(
            [
                first,
                replace(first, layout=Layout(cue="bot:")),
                replace(first, end="."),
                replace(first, name="b"),
            ]
        ):
            system.generate(CONTEXTS[:1])
            assert server.received == min(at + 1, 3)  # the name moves nothing


def test_seeds_and_samples_are_told_apart(tmp_path: Path) -> None:
    with documented_server() as server:
        system = bot(server.url, tmp_path, decoding=Decoding("sample", temperature=0.7, max_tokens=4))
        system.generate(CONTEXTS[:1], n=3, seed=1)
        system.generate(CONTEXTS[:1], n=3, seed=2)
        assert server.received == 6
        assert len({body["seed"] for body in server.bodies}) == 6
        system.generate(CONTEXTS[:1], n=2, seed=2)
        assert server.received == 6


def test_another_server_is_asked_anew(tmp_path: Path) -> None:
    with documented_server() as one, documented_server() as other:
        bot(one.url, tmp_path).generate(CONTEXTS[:1])
        bot(other.url, tmp_path).generate(CONTEXTS[:1])
        assert (one.received, other.received) == (1, 1)


def test_a_damaged_answer_is_asked_for_again(tmp_path: Path) -> None:
    with documented_server() as server:
        answers = bot(server.url, tmp_path).generate(CONTEXTS[:1])
        for kept in [path for path in tmp_path.rglob("*") if path.is_file()]:
            kept.write_bytes(kept.read_bytes()[:-3])
        with pytest.warns(CacheWarning, match="damaged"):
            assert bot(server.url, tmp_path).generate(CONTEXTS[:1]) == answers
        assert server.received == 2


def test_a_budget_of_requests_is_never_exceeded_and_loses_nothing(tmp_path: Path) -> None:
    with documented_server() as server:
        system = bot(server.url, tmp_path, budget=Budget(requests=5), concurrency=3)
        with pytest.raises(RunFailed) as caught:
            system.generate(CONTEXTS)
        told = str(caught.value)
        assert "The budget of 'bot', 5 requests, is used up: 5 requests were sent and" in told
        assert "5 of the 12 answers asked for are kept" in told
        assert server.received == 5
        with pytest.raises(RunFailed, match="5 requests, is used up"):  # the same process has the same budget
            system.generate(CONTEXTS[6:])
        assert server.received == 5
        richer = replace(system, budget=Budget(requests=7))
        assert all(richer.generate(CONTEXTS))
        assert server.received == 12


def test_requests_that_failed_are_paid_for_too(tmp_path: Path) -> None:
    with documented_server() as server, faulty_proxy(server.url, Drop(), Drop()) as proxy:
        system = bot(proxy.url, tmp_path, budget=Budget(requests=3), concurrency=1)
        with pytest.raises(RunFailed, match="3 requests were sent"):
            system.generate(CONTEXTS)
        assert (proxy.received, server.received) == (3, 1)


def test_a_budget_of_tokens_stops_at_the_answer_that_reaches_it(tmp_path: Path) -> None:
    with documented_server() as server:
        each = len(Bigrams().encode("<|im_start|>user\nSay 1<|im_end|>\n<|im_start|>assistant\n")) + 4
        system = bot(server.url, tmp_path, budget=Budget(tokens=3 * each - 1), concurrency=1)
        with pytest.raises(RunFailed, match=rf"3 requests were sent and {3 * each} tokens spent"):
            system.generate(CONTEXTS)
        assert server.received == 3


def test_a_budget_of_tokens_needs_a_server_that_counts_them(tmp_path: Path) -> None:
    with documented_server(usage=False) as server:
        assert all(bot(server.url, tmp_path / "a").generate(CONTEXTS))
        with pytest.raises(RunFailed, match="does not report how many an answer took"):
            bot(server.url, tmp_path / "b", budget=Budget(tokens=100)).generate(CONTEXTS)
    with pytest.raises(DialevalError, match="budget of tokens: found 0, expected at least 1"):
        Budget(tokens=0)


def test_a_run_killed_in_the_middle_goes_on_without_asking_anything_twice(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from dialeval.data.types import Turn
        from dialeval.systems.decoding import Decoding
        from dialeval.systems.openai import OpenAI
        contexts = [(Turn("user", f"Say {number}"),) for number in range(12)]
        system = OpenAI("bot", sys.argv[1], "bigrams", decoding=Decoding(max_tokens=4), concurrency=2,
                        cache=Path(sys.argv[2]))
        system.generate(contexts)
    """)
    # The eighth answer never comes to its end, nor does the ninth.
    never = Drip(pause=60)
    with documented_server() as server, faulty_proxy(server.url, *[None] * 7, never, never) as proxy:
        with subprocess.Popen([sys.executable, "-c", script, proxy.url, str(tmp_path)]) as process:
            while proxy.received < 9 and process.poll() is None:
                time.sleep(0.02)
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        finished = [body["messages"] for body in proxy.bodies[:7]]
        answers = bot(proxy.url, tmp_path).generate(CONTEXTS)
        assert proxy.received == 9 + 5
        assert not any(body["messages"] in finished for body in proxy.bodies[9:])
    with documented_server() as server:
        assert bot(server.url, tmp_path / "fresh").generate(CONTEXTS) == answers
