"""The commands without a network: nothing is looked up, nothing is sent, and they work."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys

import pytest

from support.fuzzing import seeds
from support.paths import TESTS
from support.sockets import RECORD, attempts, outside

CUT_OFF = ["unshare", "--net", "--map-root-user"]
"""A network of its own with no way out, where the kernel lets us have one."""

STUDY = """\
name: offline
data: prompts.jsonl
trials: 50
systems:
  - {name: a, kind: transcript, path: answers.jsonl}
  - {name: floor, kind: echo}
measures: [rouge_l, bleu, chrf, length]
human: ratings.jsonl
"""
COMMANDS = {
    "score": "score answers.jsonl -m bleu -m rouge_l -m chrf -m cider -m length --trials 50",
    "neural scores": "score answers.jsonl -m quality -m sentence_cosine -m context_cosine --trials 20",
    "selfeval": "score dialogues.jsonl -m selfeval --trials 20",
    "run": "run study.yaml -o run --cache cache",
    "meta": "meta run ratings.jsonl -o meta --trials 50",
    "detect": "consistency detect dialogues.jsonl --speakers all -o detected",
    "answers": "nbest answers questions_answered.jsonl",
    "ask": "select ask questions.jsonl --system tfidf --system tfidf(name='other') -o asked --trials 50",
    "validate": "data validate answers.jsonl",
    "doctor": "doctor",
}
"""Each once; what a command needs of an earlier one is there, since they run in this order."""


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offline")
    prompts = [{**row, "id": f"e{n}"} for n, row in enumerate(seeds.PROMPTS * 3)]
    answers = [
        {**row, "system": "a", "response": f"There is one at {n}, I think.", "references": ["At nine."]}
        for n, row in enumerate(prompts)
    ]
    ratings = [
        {"item": f"e{n}", "system": name, "rater": f"r{m}", "criterion": "overall", "value": (n * m) % 5}
        for n in range(9)
        for name in ("a", "floor")
        for m in range(2)
    ]
    said = [{"id": str(n), "question": "Do you like tea?", "answer": "Yes, a lot."} for n in range(3)]
    files = {"prompts": prompts, "answers": answers, "ratings": ratings, "questions": seeds.QUESTIONS}
    files |= {"dialogues": seeds.DIALOGUES, "questions_answered": said}
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_bytes(seeds.jsonl(rows))
    (folder / "study.yaml").write_text(STUDY)
    return folder


def _prefix():
    if shutil.which("unshare") is None:
        return []
    return CUT_OFF if subprocess.run([*CUT_OFF, "true"], capture_output=True).returncode == 0 else []


@pytest.mark.slow
def test_commands_work_without_a_network_and_try_to_reach_none(here):
    blocked = os.pathsep.join(
        [str(TESTS / "support" / "blocked"), str(TESTS), os.environ.get("PYTHONPATH", "")]
    )
    record = here / "attempts"
    environment = os.environ | {
        "PYTHONPATH": blocked,
        RECORD: str(record),
        "XDG_CACHE_HOME": str(here / "home"),
    }
    prefix = _prefix()
    for name, line in COMMANDS.items():
        command = [*prefix, sys.executable, "-m", "dialeval", *line.split()]
        ended = subprocess.run(
            command, cwd=here, env=environment, capture_output=True, text=True, timeout=600
        )
        assert ended.returncode == 0, f"{name}: {ended.stderr[-2000:]}"
        assert not record.exists(), f"{name} tried {record.read_text()}"


def test_the_watch_refuses_other_machines_and_records_what_was_tried(tmp_path):
    """In a process of its own, since a test in which something is tried fails."""
    program = (
        "import socket\n"
        "for host in ('weights.example', '192.0.2.7'):\n"
        "    try: socket.create_connection((host, 443), 1)\n"
        "    except OSError as error: print(error)\n"
    )
    blocked = os.pathsep.join([str(TESTS / "support" / "blocked"), str(TESTS)])
    environment = os.environ | {"PYTHONPATH": blocked, RECORD: str(tmp_path / "attempts")}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert ended.stdout.count("tests do not reach the network") == 2, ended.stderr
    told = (tmp_path / "attempts").read_text()
    assert "'weights.example'" in told
    assert "'192.0.2.7'" in told


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "0.0.0.0", "nowhere.invalid", "", None])
def test_this_machine_is_not_outside(host):
    assert not outside(host)


@pytest.mark.parametrize("host", ["192.0.2.7", "huggingface.example", b"a.example", "2001:db8::1"])
def test_other_machines_are_outside(host):
    assert outside(host)


def test_tests_may_talk_to_servers_of_their_own():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5) as client,
    ):
        assert client.getpeername()[1] == server.getsockname()[1]
    assert attempts == []
