"""Labels, and guesses compared with our own reading."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dialeval.core import Signature
from dialeval.data import Candidate, Judgement, Question, Turn
from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE, load_tagger
from dialeval.selection.document import is_guess
from dialeval.selection.labelling.labelling import settle_labels
from dialeval.selection.labelling.mistakes import (
    MISTAKES,
    TABLE_7,
    Mistake,
    guess_mistakes,
    mistake_form,
    sketch,
)
from support.mistake_examples import EXAMPLES


@pytest.fixture
def tagger():
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    return load_tagger()


def asked(truth: str, *false: str, error: str | None = None) -> Question:
    wrong = tuple(Candidate(text, correct=False, error=error) for text in false)
    return Question("q", (Turn("user", "And?"),), (Candidate(truth, correct=True), *wrong))


@pytest.mark.parametrize(
    ("text", "person", "tense"),
    [
        ("Mom, I'll be finished soon.", "first", "future"),  # Table 4
        ("You are to be finished very soon.", "second", "present"),
        ("We were at my sister's house by 2 p.m.", "first", "past"),  # Table 10
        ("i 'm not sure .", "first", "present"),
        ("Didn't they tell you?", "third", "past"),
        ("I am going to buy it.", "first", "future"),
        ("She has gone home.", "third", None),
        ("The cat has a cold.", None, "present"),
        ("Run!", None, None),
        ("", None, None),
    ],
)
def test_a_glance_tells_person_and_tense(tagger, text, person, tense):
    (found,) = sketch([text], tagger)
    assert (found.person, found.tense) == (person, tense)


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("Yeah, yeah, yeah, I", True),
        ("So do I.", False),
        ("She and I.", False),
        ("Oh, the", True),
        ("", False),
    ],
)
def test_sentences_that_break_off(tagger, text, off):
    assert sketch([text], tagger)[0].breaks_off == off


class TestGuesses:
    def test_examples_of_the_paper(self, tagger):
        four = asked("Mom, I'll be finished soon.", "You are to be finished very soon.")
        nine = asked("Yeah, I will.", "Yeah, yeah, yeah, I")
        ten = asked(
            "I'm going to my parents' house for my father's birthday.",
            "We were at my sister's house for my nephew's birthday by 2 p.m.",
        )
        found = [one.candidates[1].error for one in guess_mistakes([four, nine, ten], tagger=tagger)]
        assert found == ["wrong_subject?", "insufficient?", "wrong_tense?"]
        assert all(map(is_guess, found))

    def test_on_fifty_examples_that_we_labelled(self, tagger):
        """23 of 24 guesses agree with the reader, who gave 28 labels that can be guessed at all."""
        questions = guess_mistakes([asked(one.truth, one.false) for one in EXAMPLES], tagger=tagger)
        pairs = Counter(
            (one.label, question.candidates[1].error)
            for one, question in zip(EXAMPLES, questions, strict=True)
        )
        guessed = {pair: count for pair, count in pairs.items() if pair[1] is not None}
        assert sum(guessed.values()) == 24
        assert sum(count for (label, found), count in guessed.items() if found == label + "?") == 23
        assert sum(one.label in ("wrong_subject", "wrong_tense", "insufficient") for one in EXAMPLES) == 28

    def test_what_people_said_stays_and_ground_truths_get_no_label(self, tagger):
        said = asked("I have the key.", "You have the key.", error="irrelevant")
        assert guess_mistakes([said], tagger=tagger) == [said]
        guessed = asked("I have the key.", "You have the lock.", error="wrong_tense?")
        assert guess_mistakes([guessed], tagger=tagger)[0].candidates[1].error is None

    def test_a_detector_is_heard_first(self, tagger):
        class Detector:
            signature = Signature("never")

            def contradiction(self, contexts, responses):
                assert len(contexts) == len(responses)
                return np.array([float("never" in text) for text in responses])

        question = asked("I have the key.", "You never have the key.", "You have the key.")
        found = guess_mistakes([question], tagger=tagger, detector=Detector())[0]
        assert [one.error for one in found.candidates] == [None, "inconsistent?", "wrong_subject?"]


class TestLabels:
    def test_table_7_is_there_and_can_be_extended(self):
        assert [one.label for one in TABLE_7] == [
            *("inconsistent", "insufficient", "wrong_subject", "wrong_tense")
        ]
        assert set(MISTAKES) == {*(one.label for one in TABLE_7), "irrelevant", "other"}
        form = mistake_form([*TABLE_7, Mistake("rude", "one does not say such things")])
        assert form.value_of("rude") == 5
        assert form.false_only

    def test_people_label_by_vote(self):
        question, form = asked("Now.", "Never."), mistake_form()
        votes = [
            Judgement("q", "false_1", f"r{n}", "mistake", value) for n, value in enumerate((4.0, 4.0, 1.0))
        ]
        found = settle_labels([question], votes, form=form)
        assert found.questions[0].candidates[1].error == "wrong_tense"
