"""Verdicts by a detector, for lists that do not say which answer is expected."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import DEFAULT_RESAMPLING, Signature
from dialeval.data.types import NBest, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.nbest.answers.classifier import FirstWord
from dialeval.nbest.measure import NBestLists
from dialeval.nbest.measuring.judged import NOTHING_SAID, judge_lists
from dialeval.nbest.measuring.metrics import why_left_out
from dialeval.study import build_measure

CONTEXT = (Turn("assistant", "I have a dog."), Turn("user", "Tell me more."))


class ByWord:
    """Takes a response for contradictory by the number in it."""

    signature = Signature("by_word", ())

    def contradiction(self, contexts, responses):
        return np.array([float(response.split()[-1]) for response in responses])


def test_open_lists_are_judged_by_the_detector_and_its_threshold():
    open_list = NBest("a", "s", CONTEXT, tuple(map(Response, ("x 0.1", "x 0.5", "x 0.9"))))
    asked = NBest("b", "s", CONTEXT, (Response("Yes."),), "yes")
    first, second = judge_lists([open_list, asked], FirstWord(), ByWord())
    assert (first.verdicts, first.kind) == (("consistent", "contradictory", "contradictory"), "open")
    assert first.probabilities == pytest.approx((0.9, 0.5, 0.9))
    assert (second.verdicts, second.reader) == (("consistent",), str(FirstWord().signature))


def test_a_detector_may_name_its_threshold():
    class Strict(ByWord):
        threshold = 0.6

    (judged,) = judge_lists([NBest("a", "s", CONTEXT, (Response("x 0.55"),))], FirstWord(), Strict())
    assert judged.verdicts == ("consistent",)


def test_the_detector_may_judge_lists_that_expect_an_answer_too():
    asked = NBest("b", "s", CONTEXT, (Response("Yes 0.9"),), "yes")
    (judged,) = judge_lists([asked], FirstWord(), ByWord(), detect_all=True)
    assert (judged.verdicts, judged.kind, judged.reader) == (
        ("contradictory",),
        "ENTQ",
        str(ByWord.signature),
    )


def test_a_list_whose_responder_has_said_nothing_is_left_out():
    alone = NBest("a", "s", (Turn("system", "Be kind."), CONTEXT[1]), (Response("x 0.1"),))
    (judged,) = judge_lists([alone], FirstWord(), ByWord())
    assert why_left_out(judged) == NOTHING_SAID


def test_a_list_is_judged_where_the_corpus_calls_the_responder_system():
    turns = (Turn("user", "Hi."), Turn("system", "I have a dog."), Turn("user", "Tell me more."))
    (judged,) = judge_lists([NBest("a", "s", turns, (Response("x 0.1"),))], FirstWord(), ByWord())
    assert why_left_out(judged) is None


def test_open_lists_without_a_detector_are_refused():
    with pytest.raises(Unsuitable, match=r"'a'.*detector"):
        judge_lists([NBest("a", "s", CONTEXT, (Response("x"),))], FirstWord())


def test_lists_of_different_sizes_are_noted_unless_a_size_is_set():
    lists = [
        NBest(str(place), system, CONTEXT, (Response("x 0.1"),) * size)
        for place, (system, size) in enumerate([("a", 3), ("a", 2), ("b", 5)])
    ]
    judged = judge_lists(lists, FirstWord(), ByWord())
    by_system = {name: [each for each in judged if each.system == name] for name in ("a", "b")}
    notes = [list(NBestLists().lines([_section(by_system, n)])) for n in (5, 2)]
    assert [len(each) for each in notes] == [2, 1]
    assert "2 lists of a with fewer than 5 responses; Certainty rises with their number" in notes[0][1]


def _section(by_system, n):
    section = NBestLists().section(build_measure(f"nbest(n={n})"), by_system, DEFAULT_RESAMPLING)
    assert section is not None
    return section
