from __future__ import annotations

from collections import Counter
from random import Random as Dice

from dialeval.nlg.acts.forms import parse_act
from dialeval.nlg.generating.lessons import Lesson
from dialeval.nlg.generating.random_sentences import draw, sentences_by_kind

ACT = parse_act("inform(name=x;kidsallowed=yes)")
LESSONS = [
    Lesson(ACT, ("SLOT_NAME", "allows", "kid", "-s")),
    Lesson(ACT, ("SLOT_NAME", "allows", "kid", "-s")),
    Lesson(parse_act("inform(kidsallowed=no;name=y)"), ("no", "kid", "-s", "at", "SLOT_NAME")),
    Lesson(parse_act("goodbye()"), ("bye",)),
]


def test_sentences_are_counted_by_acts_and_slots_alone() -> None:
    assert sentences_by_kind(LESSONS) == {
        "goodbye()": {"bye": 1},
        "inform(kidsallowed,name)": {"SLOT_NAME allows kid -s": 2, "no kid -s at SLOT_NAME": 1},
    }


def test_a_sentence_is_drawn_as_often_as_it_was_met() -> None:
    sentences = sentences_by_kind(LESSONS)
    counts = Counter(draw(sentences, ACT, 1, Dice(seed))[0] for seed in range(600))
    assert 350 < counts["SLOT_NAME allows kid -s"] < 450
    assert counts.total() == 600


def test_no_sentence_comes_twice_and_more_only_follow() -> None:
    sentences = sentences_by_kind(LESSONS)
    assert len(draw(sentences, ACT, 5, Dice(1))) == 2
    assert draw(sentences, ACT, 5, Dice(1))[:1] == draw(sentences, ACT, 1, Dice(1))


def test_an_act_that_was_never_met_takes_the_closest() -> None:
    sentences = sentences_by_kind(LESSONS)
    assert draw(sentences, parse_act("inform(name=x)"), 1, Dice(0))[0].endswith(("kid -s", "SLOT_NAME"))
    assert draw(sentences, parse_act("goodbye(name=x)"), 1, Dice(0)) == ["bye"]
