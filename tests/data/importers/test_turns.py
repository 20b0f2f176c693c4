"""Dialogues as plain lists of turns, in the shapes that corpora come in."""

from __future__ import annotations

import json

import pytest

from dialeval.data import Prompt, Turn, read
from dialeval.errors import BadInput


@pytest.fixture
def put(tmp_path):
    def put(*rows: object):
        path = tmp_path / "file.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return put


def turns(path):
    return next(read(path, "dialogue", format="turns")).turns


def test_texts_take_turns(put):
    (dialogue,) = read(put({"id": 7, "turns": ["Hi.", "Hello!", "Bye."]}), "dialogue", format="turns")
    assert dialogue.item == "7"
    assert dialogue.turns == (Turn("user", "Hi."), Turn("assistant", "Hello!"), Turn("user", "Bye."))


@pytest.mark.parametrize("field", ["turns", "dialogue", "dialog", "utterances", "log"])
def test_the_list_has_many_names(put, field):
    assert turns(put({field: [{"text": "Hi.", "act": "inform"}]})) == (Turn("user", "Hi."),)


def test_speakers_that_say_what_they_are_have_that_role(put):
    said = [{"speaker": "SYSTEM", "text": "Yes?"}, {"speaker": "USER", "text": "A taxi."}]
    assert turns(put({"turns": said})) == (
        Turn("assistant", "Yes?", "SYSTEM"),
        Turn("user", "A taxi.", "USER"),
    )


def test_of_other_speakers_the_first_is_the_user(put):
    said = [{"speaker": who, "text": who} for who in ("B", "B", "A", "C", "B")]
    assert [(turn.speaker, turn.name) for turn in turns(put({"turns": said}))] == [
        ("user", "B"),
        ("user", "B"),
        ("assistant", "A"),
        ("assistant", "C"),
        ("user", "B"),
    ]


def test_speakers_may_stand_beside_the_turns(put):
    path = put({"speakers": [0, 0, 1], "turns": ["a", "b", "c"]})
    assert [turn.speaker for turn in turns(path)] == ["user", "user", "assistant"]


def test_a_role_is_a_role(put):
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
    assert turns(put({"turns": said})) == (Turn("system", "Be brief."), Turn("user", "Hi."))


def test_the_last_answer_is_a_reference(put):
    path = put({"turns": ["Hi.", "Hello!"]})
    assert list(read(path, "prompt", format="turns")) == [Prompt("1", (Turn("user", "Hi."),), ("Hello!",))]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"words": []}, "field 'turns': found no such field"),
        ({"turns": "Hi."}, "field 'turns': found the text 'Hi.', expected a list of turns"),
        ({"turns": ["Hi.", 3]}, r"field 'turns\[1\]': found the number 3"),
        ({"turns": [{"speaker": "A"}]}, r"field 'turns\[0\].text': found no such field"),
    ],
)
def test_what_is_no_turn_is_named(put, row, message):
    with pytest.raises(BadInput, match=rf"file\.jsonl, line 1, {message}"):
        list(read(put(row), "dialogue", format="turns"))


def test_the_format_need_not_be_named(put):
    path = put({"id": "a", "turns": ["Hi."]})
    assert list(read(path, "dialogue")) == list(read(path, "dialogue", format="turns"))


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("dailydialog/valid.json", "Good morning , sir . Is there a bank near here ?"),
        ("multiwoz/val_test.jsonl.gz", "I need to book a hotel in the east that has 4 stars ."),
        ("cornell-movie/dialogues.jsonl.gz", "Did you change your hair?"),
    ],
)
def test_real_corpora_are_read(shared_data, file, first):
    if not (shared_data / file).is_file():
        pytest.skip(f"no such file: {file}")
    dialogue = next(read(shared_data / file, "dialogue", format="turns"))
    assert dialogue.turns[0] == Turn("user", first, dialogue.turns[0].name)
    assert {turn.speaker for turn in dialogue.turns} == {"user", "assistant"}
