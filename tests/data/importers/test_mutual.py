"""MuTual: its turns, whose they are, and which option is right."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dialeval.data import Candidate, Question, Turn, read
from dialeval.errors import BadInput

ROW = {
    "answers": "B",
    "options": ["f : at 6 : 30 .", "f : it is at m : no .", "f : why ?", "f : never ."],
    "article": "m ; when is it ? f : what ? m : the film at the m : plex .",
    "id": "dev_1",
}


def test_turns_are_parted_at_their_speakers_and_options_are_not(put):
    name = put("dev.jsonl", json.dumps(ROW))
    (found,) = read(name, "question", format="mutual")
    assert found == Question(
        "dev_1",
        (
            Turn("user", "when is it ?", "m"),
            Turn("assistant", "what ?", "f"),
            Turn("user", "the film at the", "m"),
            Turn("user", "plex .", "m"),
        ),
        (
            Candidate("at 6 : 30 .", correct=False),
            Candidate("it is at m : no .", correct=True),
            Candidate("why ?", correct=False),
            Candidate("never .", correct=False),
        ),
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("answers", "", "expected one letter, A to D"),
        ("answers", "AB", "expected one letter, A to D"),
        ("answers", "E", "MuTual's test split comes without answers"),
        ("options", ["m : one"], "expected a list of two to four texts"),
        ("options", ["m : one", 2], r"field 'options\[1\]'"),
        ("article", "no speaker here", "turns that begin with 'm : '"),
    ],
)
def test_what_cannot_be_a_question_is_refused_by_name(put, field, value, message):
    name = put("dev.jsonl", json.dumps({**ROW, field: value}))
    with pytest.raises(BadInput, match=message):
        list(read(name, "question", format="mutual"))


def test_the_published_development_set(shared_data):
    questions = list(read(shared_data / "mutual" / "dev.jsonl", "question", format="mutual"))
    assert len(questions) == 886
    assert {len(one.candidates) for one in questions} == {4}
    assert {sum(option.correct for option in one.candidates) for one in questions} == {1}
    assert Counter(one.context[-1].speaker for one in questions) == {"user": 884, "assistant": 2}
    assert questions[0].candidates[1].correct
    assert questions[0].context[1].text.startswith("only 4 days . i know that 's not long enough")
