"""Requests that are never answered: one costs its item, an outage stops the system, and nothing that came is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.core import PartlyAnswered
from dialeval.data.types import Context, Turn
from dialeval.errors import RunFailed
from dialeval.systems.openai import OpenAI
from support.bot_server import Raw, bot_server

BROKEN = Raw(b'{"error": {"message": "worker crashed"}}', status=500)
LOST = "no response: HTTP 500, worker crashed (tried 3 times)"


def contexts(n: int) -> list[Context]:
    return [(Turn("user", f"Say {number}"),) for number in range(n)]


def bot(address: str, cache: Path, **options: object) -> OpenAI:
    return OpenAI("bot", address, "m", cache=cache, **{"backoff": 0.01, "retries": 2, **options})


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_prompt_that_is_never_answered_costs_its_item(tmp_path: Path, concurrency: int) -> None:
    with bot_server(lambda said: BROKEN if said == "Say 7" else f"I say {said}.") as server:
        system = bot(server.url, tmp_path, concurrency=concurrency)
        answers = system.generate(contexts(20))
        assert [(given[0].missing, given[0].cause) for given in answers].count((LOST, "failed")) == 1
        assert (answers[7][0].missing, answers[8][0].text) == (LOST, "I say Say 8.")
        assert len(server.asked) == 19 + 3
        assert system.generate(contexts(20))[7][0].missing == LOST
        assert len(server.asked) == 19 + 3 + 3, (
            "what was answered is cached, what was lost is asked for again"
        )


def test_many_such_prompts_are_no_outage_as_long_as_others_are_answered(tmp_path: Path) -> None:
    with bot_server(lambda said: BROKEN if int(said.split()[1]) % 2 else f"I say {said}.") as server:
        answers = bot(server.url, tmp_path, concurrency=16).generate(contexts(16))
    assert [given[0].missing is None for given in answers] == [True, False] * 8


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_outage_stops_after_the_third_request_in_a_row_and_keeps_what_came(
    tmp_path: Path, concurrency: int
) -> None:
    up = True

    def reply(said: str) -> str | Raw:
        return f"I say {said}." if up or int(said.split()[1]) < 10 else BROKEN

    with bot_server(reply) as server:
        system = bot(server.url, tmp_path, concurrency=concurrency)
        up = False
        with pytest.raises(PartlyAnswered) as caught:
            system.generate(contexts(100))
        told = str(caught.value)
        assert f"The server at {server.url} answers no more: 3 requests in a row were given up" in told
        assert "HTTP 500, worker crashed. See whether it is up, and run again. 10 of the 100 answers" in told
        assert [answer is not None for answer in caught.value.answers] == [True] * 10 + [False] * 90
        assert len(server.asked) <= 10 + 3 * (2 * concurrency + 2), "some began while others were answered"
        up, before = True, len(server.asked)
        assert all(given[0].missing is None for given in system.generate(contexts(100)))
        assert len(server.asked) - before == 90


@pytest.mark.parametrize("n", [1, 2, 30])
def test_a_server_that_has_never_answered_fails_as_a_whole(tmp_path: Path, n: int) -> None:
    with bot_server(lambda said: BROKEN) as server, pytest.raises(RunFailed) as caught:
        bot(server.url, tmp_path).generate(contexts(n))
    assert not isinstance(caught.value, PartlyAnswered)
    assert "HTTP 500, worker crashed" in str(caught.value)


def test_a_later_session_knows_that_the_server_answers_others(tmp_path: Path) -> None:
    with bot_server(lambda said: BROKEN if said == "Say 1" else "Fine.") as server:
        system = bot(server.url, tmp_path)
        system.generate(contexts(1))
        assert system.generate(contexts(2)[1:])[0][0].missing == LOST


def test_a_busy_server_is_not_blamed_on_the_item(tmp_path: Path) -> None:
    busy = Raw(b'{"error": {"message": "Too many requests."}}', status=429)
    with (
        bot_server(lambda said: busy if said == "Say 3" else "Fine.") as server,
        pytest.raises(PartlyAnswered, match="gave no usable answer, tried 3 times"),
    ):
        bot(server.url, tmp_path, concurrency=1).generate(contexts(20))


def test_a_run_scores_the_others_says_which_item_was_lost_and_exits_with_3(dialeval) -> None:
    healed = False

    def reply(said: str) -> str | Raw:
        return BROKEN if said == "Say 33" and not healed else f"Say {said}"

    prompts = [
        {"id": f"i{n}", "context": [{"role": "user", "content": f"Say {n}"}], "references": [f"Say {n}"]}
        for n in range(70)
    ]
    Path("prompts.jsonl").write_text("".join(f"{json.dumps(prompt)}\n" for prompt in prompts))
    with bot_server(reply) as server:
        Path("study.yaml").write_text(
            "data: prompts.jsonl\nmeasures: [rouge_l]\nsystems: [{name: bot, kind: openai, model: m, "
            f"base_url: '{server.url}', backoff: 0.01, retries: 2}}]\n"
        )
        ran = dialeval("run", "study.yaml", "-o", "out")
        assert ran.code == 3, ran.err
        assert len(server.asked) == 69 + 3, "the batches behind it are asked too"
        summary = json.loads(Path("out/summary.json").read_text())
        (row,) = summary["results"]
        assert (row["estimate"]["n"], row["unscored"]) == (69, 1)
        (failure,) = summary["failures"]
        assert failure["message"].startswith(f"1 of 70 answers could not be used. {LOST}.")
        assert LOST in dialeval("report", "out", "--markdown").out.replace("\n", " ")
        healed = True
        again = dialeval("run", "study.yaml", "-o", "out")
        assert again.code == 0, again.err
        assert server.asked[69 + 3 :].count("Say 33") == 1
        assert len(server.asked) <= 69 + 3 + 1 + 3, "three cached answers are checked"
