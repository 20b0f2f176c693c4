"""``--engine ray``: every command that has it gives the bytes it gives without."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from itertools import permutations
from pathlib import Path

import pytest

from support.ray_starting import PROGRAM, talk
from support.sharded_study import SAME_BYTES, asked_of, write_sharded_study

RAY = ("--engine", "ray")
MODEL = """\
import numpy as np


class Model:
    name = "lengths"

    def logprob(self, contexts, responses):
        said = [sum(len(turn.text) for turn in context) for context in contexts]
        return -np.sqrt(np.array(said) + 0.1)

    def tokens(self, responses):
        return np.array([len(response.split()) for response in responses])
"""


def both(out: str, *command: str) -> list[list[str]]:
    """The command without and with Ray, into different places and caches."""
    plain = [*command, "-o", f"{out}-here", "--cache", f"cache-{out}-here"]
    return [plain, [*command, "-o", f"{out}-ray", "--cache", f"cache-{out}-ray", *RAY]]


@pytest.mark.slow
def test_ray_moves_no_byte_of_any_command(tmp_path, start_ray):
    write_sharded_study(tmp_path, more=True)
    study = (tmp_path / "study.yaml").read_text()
    (tmp_path / "on_ray.yaml").write_text(study + "engine: {name: ray, resources: {cpus: 1}}\n")
    lines = [
        {"id": str(n), "messages": [{"role": "user", "content": f"my cat number {n} is red."}] * 5}
        for n in range(9)
    ]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = [("user", "Any news?"), ("assistant", "I got a dog number {}. And you?"), ("user", "Is {} big?")]
    chats = [
        {"id": str(n), "messages": [{"role": role, "content": text.format(n)} for role, text in said]}
        for n in range(99)
    ]
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps(chat) + "\n" for chat in chats))
    (tmp_path / "lengths.py").write_text(MODEL)
    words = [
        "dog",
        "bird",
        "horse",
        "mouse",
        "tram",
        "kettle",
        "garden",
        "window",
        "ticket",
        "letter",
        "coffee",
        "pencil",
        "river",
        "castle",
    ]
    pairs = [f"my {first} is a red {second} today." for first, second in permutations(words, 2)]
    (tmp_path / "lines.txt").write_text("\n".join(pairs) + "\n")
    score = [
        "score",
        "one.jsonl",
        "--data",
        "prompts.jsonl",
        "-m",
        "rouge_l",
        "-m",
        "sentence_cosine",
        "--json",
    ]
    build = [
        "select",
        "build",
        "talks.jsonl",
        "--repository",
        "lines.txt",
        "--m",
        "2",
        "--vectors",
        "contextual",
    ]
    commands = [
        *both("run", "run", "study.yaml"),
        ["run", "on_ray.yaml", "-o", "run-key", "--cache", "cache-key"],
        [*score, "--per-item", "items-here.jsonl", "--no-resume"],
        [*score, "--per-item", "items-ray.jsonl", "--no-resume", *RAY],
        *both("asked", "select", "ask", "questions.jsonl", "--system", "tfidf", "--system", "encoder"),
        *both("answers", "consistency", "collect", "probes.jsonl", "--system", "own.py:answer"),
        *both("probes", "consistency", "probe", "chats.jsonl", "--system", "lengths.py:Model"),
        [*build, "-o", "draft-here"],
        [*build, "-o", "draft-ray", *RAY],
    ]
    (tmp_path / "commands.json").write_text(json.dumps(commands))
    program = start_ray(PROGRAM, "commands", "commands.json", cwd=tmp_path, stdout=subprocess.PIPE)
    printed, _ = program.communicate(timeout=600)
    codes = [line for line in printed.splitlines() if line.startswith("exit ")]
    # A recorded system has no log-probabilities to choose by, so that part of the study fails, here and there alike.
    assert codes == ["exit 1"] * 3 + ["exit 0"] * 10, printed + talk(tmp_path)
    for name in SAME_BYTES:
        assert (tmp_path / "run-ray" / name).read_bytes() == (tmp_path / "run-here" / name).read_bytes(), name
        if name != "study.yaml":
            assert (tmp_path / "run-key" / name).read_bytes() == (
                tmp_path / "run-here" / name
            ).read_bytes(), name
    for here in (
        "items-here.jsonl",
        "asked-here/summary.json",
        "asked-here/choices.jsonl",
        "answers-here",
        "probes-here",
    ):
        assert (tmp_path / here).read_bytes() == (tmp_path / here.replace("-here", "-ray")).read_bytes(), here
    drafts = sorted((tmp_path / "draft-here").glob("*.jsonl"))
    assert [path.name for path in drafts] == ["draft.jsonl", "left_out.jsonl", "retrieved.jsonl"]
    for path in drafts:
        assert path.read_bytes() == (tmp_path / "draft-ray" / path.name).read_bytes(), path.name
    averages = [Path("repository/vectors/averages.npy"), Path("draft.jsonl")]
    for path in averages:
        assert (tmp_path / "draft-here" / path).read_bytes() == (tmp_path / "draft-ray" / path).read_bytes()
    asked = asked_of(tmp_path)
    # Three runs ask 150 prompts, 40 stimuli and 20 probes each; collecting asks the probes twice.
    assert len(asked) == 3 * 210 + 2 * 20


@pytest.mark.parametrize(
    "command",
    [
        ("run", "study.yaml"),
        ("score", "one.jsonl"),
        ("select", "ask", "questions.jsonl", "--system", "tfidf"),
        ("consistency", "collect", "probes.jsonl", "--system", "echo", "-o", "x"),
        ("consistency", "probe", "talks.jsonl", "-o", "x"),
        ("select", "build", "talks.jsonl", "--repository", "lines.txt", "-o", "x"),
    ],
)
def test_an_unknown_engine_is_a_usage_error(dialeval, tmp_path, command):
    write_sharded_study(tmp_path, prompts=4)
    done = dialeval(*command, "--engine", "spark")
    assert done.code == 2
    assert "There is no engine called 'spark'" in " ".join(done.err.replace("│", " ").split())


def test_an_address_is_of_a_cluster(dialeval, tmp_path):
    write_sharded_study(tmp_path, prompts=4)
    done = dialeval("run", "study.yaml", "--address", "auto")
    assert done.code == 2
    assert "error: --address: it goes with --engine ray" in done.err
    done = dialeval("run", "study.yaml", "--engine", "processes", "--address", "auto")
    assert (done.code, "no options" in done.err) == (2, True)


def test_an_address_where_nothing_listens_is_an_error_at_once(dialeval, tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setattr(os, "environ", dict(os.environ))  # Ray's settings are left in it
    write_sharded_study(tmp_path, prompts=4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    began = time.monotonic()
    done = dialeval("score", "one.jsonl", "-m", "length", "--engine", "ray", "--address", f"127.0.0.1:{port}")
    assert done.code == 1
    assert f"No Ray cluster at '127.0.0.1:{port}' (Connection refused). Start one with" in done.err
    assert time.monotonic() - began < 20, "Ray itself tries for a quarter of an hour"


def test_an_engine_that_is_misspelt_in_a_study_is_named(dialeval, tmp_path):
    write_sharded_study(tmp_path, prompts=4)
    (tmp_path / "study.yaml").write_text(
        (tmp_path / "study.yaml").read_text() + "engine: {name: ray, adress: x}\n"
    )
    done = dialeval("run", "study.yaml")
    assert done.code == 1
    assert "engine.adress: unknown key; did you mean 'address'?" in done.err
