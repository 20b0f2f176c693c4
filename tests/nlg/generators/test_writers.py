from __future__ import annotations

from collections import Counter
from random import Random as Dice

import pytest

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.lessons import Lesson
from dialeval.nlg.generators.writers import Draft, SlotJudge, draw, make_judge, rank, sentences_by_kind

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


SEAFOOD = parse_act("inform(name='kiss seafood';food=thai)")


def draft(text: str, logprob: float) -> Draft:
    return Draft(tuple(text.split()), logprob, len(text.split()) + 1)


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("SLOT_NAME serves SLOT_FOOD", 0),
        ("SLOT_NAME serves food", 1),  # missing
        ("SLOT_NAME serves SLOT_FOOD SLOT_FOOD", 1),  # repeated
        ("SLOT_NAME serves SLOT_FOOD in the SLOT_AREA", 1),  # added
        ("it is SLOT_AREA and ##SLOT_AREA", 4),  # two missing, one added, said twice
    ],
)
def test_errors_by_hand(text: str, errors: int) -> None:
    assert rank(SEAFOOD, [draft(text, -1.0)], 100.0, SlotJudge())[0].errors == errors


def test_errors_come_before_probability_and_probability_is_per_word() -> None:
    drafts = [
        draft("SLOT_NAME", -0.1),
        draft("SLOT_NAME serves SLOT_FOOD", -8.0),
        draft("at SLOT_NAME they serve a lot of SLOT_FOOD food", -10.0),
    ]
    ranked = [sentence.text for sentence in rank(SEAFOOD, drafts, 100.0, SlotJudge())]
    assert ranked == [
        "at kiss seafood they serve a lot of thai food",
        "kiss seafood serves thai",
        "kiss seafood",
    ]
    assert rank(SEAFOOD, drafts, 0.0, SlotJudge())[0].text == "kiss seafood"


def test_a_text_comes_once() -> None:
    drafts = [draft("SLOT_NAME", -0.1), draft("kiss seafood", -0.2)]
    assert [sentence.text for sentence in rank(SEAFOOD, drafts, 1.0, SlotJudge())] == ["kiss seafood"]


@pytest.mark.parametrize(
    ("act", "text", "errors"),
    [
        ("inform(name=x;kidsallowed=yes)", "SLOT_NAME allows kid -s", 0),
        ("inform(name=x;kidsallowed=no)", "SLOT_NAME allows kid -s", 1),  # wrong
        ("inform(name=x;kidsallowed=no)", "SLOT_NAME does not allow kid -s", 0),
        ("inform(name=x;kidsallowed=no)", "SLOT_NAME is nice", 1),  # missing
        ("inform(name=x)", "SLOT_NAME does not allow kid -s", 1),  # added
        ("inform(name=x;area=dontcare)", "SLOT_NAME if you do not care about the area", 0),
        ("inform(name=x;area=dontcare)", "SLOT_NAME is nice", 1),
    ],
)
def test_special_values_are_found_in_the_words(act: str, text: str, errors: int) -> None:
    features = ("inform-name", "inform-kidsallowed=yes", "inform-kidsallowed=no#2", "inform-area=dontcare")
    words = "SLOT_NAME allows kid -s does not allow is nice if you do care about the area"
    judge = make_judge(features, words.split())
    assert judge.errors(parse_act(act), text.split()) == errors
