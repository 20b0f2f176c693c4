from __future__ import annotations

import io
import json

import pytest


@pytest.fixture
def typed(monkeypatch):
    def type_in(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


def kept(path):
    [dialogue] = [json.loads(line) for line in path.read_text().splitlines()]
    return [(turn["role"], turn["content"]) for turn in dialogue["messages"]]


def test_a_person_talks_until_the_input_ends(dialeval, typed, tmp_path):
    typed("Hello", "Tea?")
    done = dialeval("chat", "echo", "-o", tmp_path / "talk.jsonl")
    assert (done.code, done.out) == (0, "echo: Hello\necho: Tea?\n")
    assert kept(tmp_path / "talk.jsonl") == [
        ("user", "Hello"),
        ("assistant", "Hello"),
        ("user", "Tea?"),
        ("assistant", "Tea?"),
    ]


def test_undo_takes_the_last_exchange_back_and_again_asks_anew(dialeval, typed, tmp_path):
    typed("Hello", "Tea?", "/undo", "/again", "/quit", "never said")
    done = dialeval("chat", "echo", "-o", tmp_path / "talk.jsonl")
    assert done.out == "echo: Hello\necho: Tea?\necho: Hello\n"
    assert kept(tmp_path / "talk.jsonl") == [("user", "Hello"), ("assistant", "Hello")]


def test_a_script_is_answered_to_its_end(dialeval, tmp_path):
    (tmp_path / "ann.txt").write_text("Hi.\n\nTea?\n")
    done = dialeval("chat", "echo", "--script", tmp_path / "ann.txt")
    assert done.out == "# talk\nann: Hi.\necho: Hi.\nann: Tea?\necho: Tea?\n\n"


def test_a_system_talks_with_itself_from_each_opening(dialeval, tmp_path):
    rows = [{"id": str(at), "context": [{"role": "user", "content": text}]} for at, text in enumerate("abc")]
    (tmp_path / "openings.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "talks.jsonl"
    done = dialeval(
        *("chat", "echo", "--with", "self", "--openings", tmp_path / "openings.jsonl"),
        *("--turns", "3", "--limit", "2", "-o", out),
    )
    assert done.code == 0
    talks = [json.loads(line) for line in out.read_text().splitlines()]
    assert [[turn["content"] for turn in talk["messages"]] for talk in talks] == [["a"] * 4, ["b"] * 4]
    assert {talk["system"] for talk in talks} == {"echo"}
    assert [talk["id"] for talk in talks] == ["0", "1"]


def test_what_was_said_is_kept_where_the_system_fails(dialeval, typed, tmp_path):
    typed("Hello")
    out = tmp_path / "talk.jsonl"
    nobody = f"openai(base_url='http://127.0.0.1:9/v1', model='m', retries=0, cache='{tmp_path}')"
    done = dialeval("chat", nobody, "-o", out)
    assert done.code == 1
    assert kept(out) == [("user", "Hello")]


def test_an_ending_that_is_no_format_is_named_before_the_talk(dialeval, typed, tmp_path):
    typed("Hello")
    done = dialeval("chat", "echo", "-o", tmp_path / "talk.txt")
    assert (done.code, done.out) == (1, "")
    assert "'.txt'" in done.err


def test_a_command_that_is_none_is_not_said_to_the_system(dialeval, typed):
    typed("/help", "/ is a slash")
    done = dialeval("chat", "echo")
    assert done.out == "echo: / is a slash\n"
    assert "Unknown command /help. /again another answer" in done.err


def test_what_cannot_answer_says_so(dialeval, tmp_path):
    row = {"id": "1", "system": "x", "context": [], "response": "Hi."}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    done = dialeval("chat", tmp_path / "x.jsonl")
    assert done.code == 1
    assert "replays what was recorded" in done.err


@pytest.mark.parametrize("content", [None, "", "\n \n"])
def test_a_script_without_lines_is_named(dialeval, tmp_path, content):
    path = tmp_path / "ann.txt"
    if content is not None:
        path.write_text(content)
    done = dialeval("chat", "echo", "--script", path)
    assert done.code == 1
    assert str(path) in done.err
    assert "one turn a line" in done.err
