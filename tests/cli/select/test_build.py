"""``dialeval select build``: what becomes a false candidate, and what is told where something does not fit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dialeval.data import read as data_read
from dialeval.selection.asking.trials import utterances_of

LINES = (
    "Could he not focus on that?",
    "But I do have ninja focus.",
    "Do not lose your focus!",
    "Focus on the road, please.",
    "My sister plays in the park.",
    "The park has no house near it.",
    "Where is the park near here?",
    "There is a house in the park now.",
)
OPENING = ("Could you take a picture of us?", "Sure. Which one?", "This one.")
DIALOGUES = {
    "d0": (*OPENING, "Do I have to focus it?", "But I do have ninja focus ."),
    "d1": (*OPENING, "I live in the park near my house.", "where is the park near here"),
}


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def messages(*texts: str) -> list[dict]:
    return [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(texts)]


def false_candidates(folder: Path) -> set[str]:
    return {
        one["text"]
        for question in read(folder / "draft.jsonl")
        for one in question["candidates"]
        if not one["correct"]
    }


@pytest.fixture
def dialogues(tmp_path) -> Path:
    pytest.importorskip("tantivy")
    pytest.importorskip("faiss")
    words = ["focus", "park", "road", "house", "near", "sister", "ninja", "lose"]
    np.save(tmp_path / "words.npy", np.random.default_rng(3).normal(size=(len(words), 6)).astype(np.float32))
    (tmp_path / "words.vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (tmp_path / "lines.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    rows = [{"id": item, "messages": messages(*turns)} for item, turns in DIALOGUES.items()]
    return write(tmp_path / "dialogues.jsonl", rows)


STATIC = ("--vectors", "static", "--words", "words.npy")


@pytest.fixture
def foreign(dialeval, dialogues, tmp_path) -> Path:
    """A repository built for other dialogues, which therefore holds turns of these."""
    rows = [{"id": "x", "messages": messages("One.", "Two.", "Three.", "Keep your focus on the ball.")}]
    write(tmp_path / "others.jsonl", rows)
    done = dialeval(
        "select", "build", "others.jsonl", "--repository", "lines.txt", "--m", "2", *STATIC, "-o", "before"
    )
    assert done.code == 0, done.err
    return tmp_path / "before" / "repository"


def test_a_repository_built_for_other_dialogues_gives_none_of_these_turns(
    dialeval, dialogues, foreign, tmp_path
):
    done = dialeval(
        "select", "build", dialogues, "--repository", foreign, "--m", "2", "-o", "draft", "--json"
    )
    assert done.code == 0, done.err
    assert "but for 2 of its 8 utterances: the dialogues' own or excluded" in done.err
    assert json.loads(done.out)["passed_over"] == 2
    assert not {LINES[1], LINES[6]} & false_candidates(tmp_path / "draft")


def test_files_to_exclude_count_for_a_repository_that_was_built(dialeval, dialogues, foreign, tmp_path):
    (tmp_path / "train.txt").write_text("could HE not focus on that ?\n", encoding="utf-8")
    given = ("select", "build", dialogues, "--repository", foreign, "--exclude", "train.txt")
    done = dialeval(*given, "--m", "2", "-o", "draft")
    assert done.code == 0, done.err
    assert not {LINES[0], LINES[1], LINES[6]} & false_candidates(tmp_path / "draft")
    none = dialeval(
        "select", "build", dialogues, "--repository", foreign, "--exclude", "lines.txt", "--m", "2", "-o", "x"
    )
    assert none.code == 1
    assert "8 of the 8 utterances" in none.err
    assert "which leaves 0; expected at least 2" in none.err


def test_what_a_repository_was_built_with_cannot_be_changed_afterwards(dialeval, dialogues, foreign):
    given = ("select", "build", dialogues, "--repository", foreign, "--m", "2")
    done = dialeval(*given, "--min-words", "8", "--unended", "--vectors", "contextual", "-o", "x")
    assert done.code == 1
    assert "was built with --min-words 3 --ended --vectors static" in done.err
    assert "found --min-words 8 --unended --vectors contextual" in done.err
    assert "rebuild it from its files (lines.txt)" in " ".join(done.err.split())
    assert dialeval(*given, *STATIC, "--min-words", "3", "-o", "x").code == 0


def test_a_built_repository_stands_alone(dialeval, dialogues, foreign):
    done = dialeval(
        "select", "build", dialogues, "--repository", foreign, "--repository", "lines.txt", "-o", "x"
    )
    assert done.code == 1
    assert "one built repository alone" in done.err


def test_utterances_that_come_again_and_again_are_told(dialeval, dialogues, tmp_path):
    texts = ("We lost focus.", "The focus is gone.")
    (tmp_path / "two.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    truths = (
        "Do we focus it?",
        "He has no focus.",
        "Focus on me!",
        "Please do focus now.",
        "What a focus it is!",
    )
    rows = [{"id": f"d{at}", "messages": messages(*OPENING, truth)} for at, truth in enumerate(truths)]
    write(tmp_path / "many.jsonl", rows)
    done = dialeval(
        "select",
        "build",
        "many.jsonl",
        "--repository",
        "two.txt",
        "--m",
        "2",
        *STATIC,
        "-o",
        "draft",
        "--json",
    )
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["different_false"] == 2
    assert f"only 2 different utterances at {2 * content['questions']} places" in done.err
    assert f"one stands in {content['questions']} questions" in done.err


def test_what_dialogues_need_is_told_at_once(dialeval, dialogues, tmp_path):
    write(tmp_path / "foreign.jsonl", [{"fold": "test", "talk": "Hi."}])
    done = dialeval("select", "build", "foreign.jsonl", "--repository", "lines.txt", "-o", "x")
    assert done.code == 1
    assert "there are: 'fold', 'talk'" in done.err
    assert "expected dialogues with 'id' and 'messages'" in done.err


def test_an_address_is_for_milvus_only(dialeval, dialogues):
    done = dialeval("select", "build", dialogues, "--repository", "lines.txt", "--uri", "http://x", "-o", "x")
    assert done.code == 2
    assert "--engine milvus" in done.err


def test_whoever_stops_it_is_told_how_it_goes_on(tmp_path):
    pipe = tmp_path / "dialogues"
    os.mkfifo(pipe)
    arguments = ["select", "build", str(pipe), "--repository", "lines.txt", "-o", "draft"]
    with subprocess.Popen(
        [sys.executable, "-m", "dialeval", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    ) as running:
        end = opened_by(running, pipe)
        try:
            said = interrupted(running)
        finally:
            running.kill()
            os.close(end)
    assert "the same command resumes" in said
    assert running.returncode != 0


def interrupted(running: subprocess.Popen, times: int = 12) -> str:
    """What the process says when it is interrupted; once more after some seconds, as a person would.

    Python drops an interrupt that comes while an object is being removed.
    """
    for _ in range(times):
        running.send_signal(signal.SIGINT)
        try:
            return running.communicate(timeout=10)[1]
        except subprocess.TimeoutExpired:
            continue
    pytest.fail(f"goes on after {times} interrupts")


def hear_interrupts() -> None:
    """Undo what a shell does to whatever it starts in the background, and what children inherit: not to hear Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def opened_by(running: subprocess.Popen, pipe: Path) -> int:
    """The end to write to, once the process has begun to read."""
    while running.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"ended before it read: {running.communicate()[1]}")


def test_random_candidates_of_a_file_look_like_the_questions_own(dialeval, tmp_path):
    texts = ("It isn't far to the park.", "I'm sure it isn't here.", "Well, where is it?")
    candidates = [{"text": text, "correct": at == 0} for at, text in enumerate(texts)]
    rows = [
        {"id": f"q{at}", "context": messages("Where is it?"), "candidates": candidates} for at in range(2)
    ]
    write(tmp_path / "questions.jsonl", rows)
    lines = [f"well , it isn 't number {at} ." for at in range(12)]
    (tmp_path / "raw.txt").write_text(
        "\n".join([*lines, "Oh no !", "And then I said that"]), encoding="utf-8"
    )
    ask = ("select", "ask", "questions.jsonl", "--system", "tfidf", "--random-trials", "2")
    done = dialeval(*ask, "--repository", "raw.txt")
    assert done.code == 0, done.err
    left = "12 utterances of raw.txt (left out: 1 fewer than 3 words, 1 no mark at its end)"
    assert left in " ".join(done.out.split())
    utterances, _ = utterances_of(
        [str(tmp_path / "raw.txt")], list(data_read(tmp_path / "questions.jsonl", "question"))
    )
    assert utterances.texts([0, 11]) == ["Well, it isn't number 0.", "Well, it isn't number 11."]
    (tmp_path / "bad.txt").write_text("Oh no !\n", encoding="utf-8")
    none = dialeval(*ask, "--repository", "bad.txt")
    assert none.code == 1
    assert "left out: 1 fewer than 3 words" in " ".join(none.err.split())
