"""Verdicts by a detector, for lists that do not say which answer is expected."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Signature
from dialeval.data.types import NBest, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.nbest.answers.classifier import FirstWord
from dialeval.nbest.measuring.judged import judge_lists

CONTEXT = (Turn("assistant", "I have a dog."), Turn("user", "Tell me more."))


class ByWord:
    """Takes a response for contradictory by the number in it."""

    signature = Signature("by_word", ())

    def contradiction(self, contexts, responses):
        return np.array([float(response.split()[-1]) for response in responses])


def test_open_lists_are_judged_by_the_detector_with_an_ambiguous_band():
    open_list = NBest("a", "s", CONTEXT, tuple(map(Response, ("x 0.1", "x 0.5", "x 0.9"))))
    asked = NBest("b", "s", CONTEXT, (Response("Yes."),), "yes")
    first, second = judge_lists([open_list, asked], FirstWord(), ByWord())
    assert (first.verdicts, first.kind) == (("consistent", "ambiguous", "contradictory"), "open")
    assert first.probabilities == pytest.approx((0.9, 0.5, 0.9))
    assert (second.verdicts, second.reader) == (("consistent",), str(FirstWord().signature))


def test_open_lists_without_a_detector_are_refused():
    with pytest.raises(Unsuitable, match=r"'a'.*detector"):
        judge_lists([NBest("a", "s", CONTEXT, (Response("x"),))], FirstWord())
