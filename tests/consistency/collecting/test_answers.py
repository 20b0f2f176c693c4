"""Answers to probes: chosen among candidates, kept where a system fails, asked for once."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.consistency.collecting.answers import NO_RESPONSE, ProbeAnswer, ask_probes
from dialeval.consistency.folder import read_answers, write_answers
from dialeval.consistency.probing.probes import Probe
from dialeval.core import Missing, Signature
from dialeval.data.types import Response, Turn, alternating
from dialeval.engine import Cache
from dialeval.errors import RunFailed, Unsuitable


class Bot:
    """Answers with its number and that of the candidate; fails when it was asked too often."""

    name = "bot"
    signature = Signature("bot")

    def __init__(self, most=10**9):
        self.asked, self.most = 0, most

    def generate(self, contexts, *, n=1, seed=0):
        self.asked += len(contexts)
        if self.asked > self.most:
            raise RunFailed("The budget is used up.")
        return [tuple(Response(f"{context[-1].text} {k}") for k in range(n)) for context in contexts]


class Detector:
    signature = Signature("toy")

    def contradiction(self, contexts, responses):
        return np.array([0.9 if text.endswith("3") else 0.1 for text in responses])


def probes(n):
    return [
        Probe(f"p{i}", alternating(["I like tea.", f"Which tea {i}?"]), f"Which tea {i}?", 0, 1)
        for i in range(n)
    ]


def test_one_answer_each():
    given = ask_probes(Bot(), probes(3), detector=Detector())
    assert [each.example.response.text for each in given] == [f"Which tea {i}? 0" for i in range(3)]
    assert {each.chosen for each in given} == {None}


def test_of_several_candidates_the_most_contradictory_is_kept():
    (given,) = ask_probes(Bot(), probes(1), detector=Detector(), n=5)
    assert given.example.response.text == "Which tea 0? 3"
    assert (given.candidates, given.chosen) == (5, 0.9)


def test_of_several_candidates_the_most_probable_is_kept_if_asked_for(tmp_path):
    class Says(Bot):
        def generate(self, contexts, *, n=1, seed=0):
            return [tuple(Response(f"{k}", -abs(k - 2.0) - 1) for k in range(n)) for _ in contexts]

    (given,) = ask_probes(Says(), probes(1), detector=Detector(), n=5, keep="probable")
    assert (given.example.response.text, given.candidates, given.chosen) == ("2", 5, -1.0)
    write_answers(tmp_path / "a.jsonl", [("", given)])
    assert [each for _, each in read_answers(tmp_path / "a.jsonl")] == [given]
    with pytest.raises(Unsuitable, match="does not say how probable"):
        ask_probes(Bot(), probes(1), detector=Detector(), n=5, keep="probable")


def test_the_answer_is_spoken_by_the_speaker_of_the_referent():
    (given,) = ask_probes(Bot(), probes(1), detector=Detector())
    assert given.turns[-1].speaker == given.turns[given.referent].speaker


def test_a_live_system_is_asked_as_the_assistant_and_the_answer_keeps_the_speakers_of_the_corpus():
    class Roles(Bot):
        def generate(self, contexts, *, n=1, seed=0):
            return [(Response(" ".join(turn.speaker for turn in context)),) for context in contexts]

    context = (Turn("A", "Hello."), Turn("B", "I like tea."), Turn("A", "Which tea?"))
    (given,) = ask_probes(Roles(), [Probe("p", context, "Which tea?", 1, 1)], detector=Detector())
    assert given.example.response.text == "user assistant user"
    assert [turn.speaker for turn in given.turns] == ["A", "B", "A", "B"]


def test_what_was_answered_before_a_failure_is_kept_and_only_the_rest_asked_again(tmp_path):
    cache = Cache(tmp_path)
    tired = Bot(most=8)
    given = ask_probes(tired, probes(20), detector=Detector(), cache=cache)
    assert [isinstance(each, Missing) for each in given] == [False] * 8 + [True] * 12
    assert given[-1].reason == "not answered: The budget is used up"
    fresh = Bot()
    again = ask_probes(fresh, probes(20), detector=Detector(), cache=cache)
    assert not any(isinstance(each, Missing) for each in again)
    assert fresh.asked == 12


def test_a_system_that_answers_nothing_raises_its_error():
    with pytest.raises(RunFailed, match="used up"):
        ask_probes(Bot(most=0), probes(2), detector=Detector())


def test_no_response_is_a_reason():
    class Silent(Bot):
        def generate(self, contexts, *, n=1, seed=0):
            return [() for _ in contexts]

    silent = Missing("p0", "bot", NO_RESPONSE, "silent")
    assert ask_probes(Silent(), probes(1), detector=Detector()) == [silent]


def test_answers_are_read_back_as_they_were_written(tmp_path):
    given = ask_probes(Bot(), probes(3), detector=Detector(), n=4)
    write_answers(tmp_path / "a.jsonl", [("consistency", each) for each in given])
    assert list(read_answers(tmp_path / "a.jsonl")) == [("consistency", each) for each in given]
    assert all(isinstance(each, ProbeAnswer) for each in given)
