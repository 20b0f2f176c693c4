"""Features of responses, by hand on vectors of two dimensions; features of whole dialogues."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.metric import SelfEval
from dialeval.selfeval.quality import features
from dialeval.selfeval.quality.features import (
    PLEASED,
    PUZZLED,
    Moment,
    Utterance,
    feature_rows,
    information,
    partner_turns,
    reaction,
    talk_of,
    variety,
    words_of,
)
from dialeval.selfeval.subjects import spoken_turns


def said(speaker: str, text: str, degrees: float) -> Utterance:
    angle = math.radians(degrees)
    return Utterance(speaker, text, np.array([math.cos(angle), math.sin(angle)]))


MOMENT = Moment(
    said("assistant", "I like old films a lot", 0),
    (
        said("user", "Hello there", 90),
        said("assistant", "I like films", 60),
        said("user", "Which ones do you like?", 60),
    ),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("last_cosine", 0.5),
        ("recent_cosine", (0 + 0.5 + 0.5) / 3),
        ("partner_cosine", (0 + 0.5) / 2),
        ("own_cosine", 0.5),
        (
            "own_overlap",
            information(["i", "like", "films"]) / information(["i", "like", "old", "films", "a", "lot"]),
        ),
        ("own_repeat", 0.0),
        ("repeated_bigrams", 0.0),
        ("response_information", math.log1p(information(["i", "like", "old", "films", "a", "lot"]))),
        ("asks", 0.0),
    ],
)
def test_every_feature_by_hand(name: str, value: float) -> None:
    assert features.TURN_FEATURES[name].measure(MOMENT) == pytest.approx(value)


def test_no_feature_lacks_a_value_by_hand() -> None:
    marks = test_every_feature_by_hand.pytestmark[0].args[1]  # type: ignore[attr-defined]
    # The network of `selfeval` takes vectors of its own encoder alone; its test follows.
    assert {name for name, _ in marks} == set(features.TURN_FEATURES) - {"next_turn"}


def test_next_turn_is_the_score_of_selfeval() -> None:
    texts = [
        "Hi!",
        "Hello, how are you?",
        "Tired, I ran a race.",
        "How long was it?",
        "Ten miles.",
        "I like tea.",
    ]
    turns = alternating(texts, last="assistant")
    subjects = [Example("1", "s", turns[:-1], Response(texts[-1])), Dialogue("2", turns, "s")]
    expected = SelfEval().values(subjects)
    assert feature_rows(subjects, ["next_turn"])[:, 0] == pytest.approx(expected, abs=1e-5)
    assert expected[0] < expected[1]


def test_only_the_last_four_turns_are_recent() -> None:
    old = [said("user", f"turn {number}", 0) for number in range(3)]
    recent = [said("user", f"late {number}", 90) for number in range(4)]
    moment = Moment(said("assistant", "yes", 0), (*old, *recent))
    assert features.recent_cosine(moment) == pytest.approx(0)


def test_an_echo_of_the_other_side_gains_nothing_by_its_likeness() -> None:
    moment = Moment(said("assistant", "Which ones?", 0), (said("user", "which ones ?", 0),))
    assert features.last_cosine(moment) == 0
    assert features.partner_cosine(moment) == 0


def test_repeating_oneself_is_seen_whatever_the_punctuation() -> None:
    moment = Moment(said("a", "Oh, well.", 0), (said("a", "oh well", 0), said("b", "What?", 90)))
    assert features.own_repeat(moment) == 1
    assert features.own_cosine(moment) == pytest.approx(1)


def test_repeated_bigrams_are_those_after_the_first() -> None:
    # Pairs: so-so, so-so, so-so: one kind among three.
    moment = Moment(said("a", "so so so so", 0), (said("b", "What?", 90),))
    assert features.repeated_bigrams(moment) == pytest.approx(2 / 3)


def test_without_own_turns_likeness_to_them_is_undefined() -> None:
    moment = Moment(said("a", "yes", 0), (said("b", "What?", 90),))
    assert math.isnan(features.own_cosine(moment))
    assert features.own_overlap(moment) == 0


def dialogue(*texts: str) -> Dialogue:
    speakers = ("user", "assistant")
    return Dialogue("1", tuple(Turn(speakers[place % 2], text) for place, text in enumerate(texts)), "s")


def test_variety_is_different_words_over_the_root_of_all() -> None:
    talk = talk_of(
        dialogue("Hi", "the cat sat", "Oh", "the cat ran"),
        dict.fromkeys(["Hi", "the cat sat", "Oh", "the cat ran"], np.zeros(2)),
    )
    assert variety(talk) == pytest.approx(4 / math.sqrt(6))


def test_the_other_side_reacts_only_after_it_was_answered() -> None:
    texts = ["Hi", "Hello", "Fine", "Good"]
    talk = talk_of(dialogue(*texts), dict.fromkeys(texts, np.zeros(2)))
    assert [said.text for said in partner_turns(talk)] == ["Fine"]


def test_where_both_sides_are_judged_nobody_reacts() -> None:
    turns = (Turn("A", "Hi"), Turn("B", "Hello"), Turn("A", "Bye"))
    talk = talk_of(Dialogue("1", turns, ""), dict.fromkeys(["Hi", "Hello", "Bye"], np.zeros(2)))
    assert math.isnan(reaction(talk))


def test_a_pleased_user_reacts_better_than_a_puzzled_one() -> None:
    pleased, puzzled = (
        dialogue("I saw a film.", "Which one was it?", text, "I see.") for text in (PLEASED[0], PUZZLED[1])
    )
    values = feature_rows([pleased, puzzled], ["reaction"])[:, 0]
    assert values[0] > 0.3 > -0.3 > values[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Well , I 'd go .", ("well", "i'd", "go")),
        ("It’s 9 o'clock!", ("it's", "9", "o'clock")),
        ("Ça va?", ("ça", "va")),
        ("... ?!", ()),
    ],
)
def test_words_are_the_same_however_a_corpus_spaces_them(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_information_is_the_log_of_how_rare_each_different_word_is() -> None:
    # The table's head: 229,858 utterances, 83,663 of them with "i" and 63,851 with "the".
    assert information(["i", "the", "i"]) == pytest.approx(
        math.log(229_858 / 83_664) + math.log(229_858 / 63_852)
    )


def test_an_unknown_word_counts_as_if_it_had_occurred_once() -> None:
    assert information(["zyxwvut"]) == pytest.approx(math.log(229_858 / 2))
    assert information([]) == 0


class Zeros(dict[str, np.ndarray]):
    """A vector for whatever is asked."""

    def __missing__(self, text: str) -> np.ndarray:
        return np.zeros(2)


def test_an_example_is_answered_by_the_latest_speaker_who_is_not_the_last() -> None:
    context = (Turn("C", "Hm."), Turn("B", "Hi."), Turn("A", "Hello."), Turn("A", "You?"))
    talk = talk_of(Example("1", "s", context, Response("Me.")), Zeros())
    assert [moment.response.speaker for moment in talk.moments] == ["b"]
    assert [said.text for said in talk.moments[0].own] == ["Hi."]


def test_a_lone_speaker_is_answered_by_the_assistant() -> None:
    assert spoken_turns(Example("1", "s", (Turn("A", "Hi."),), Response("Me.")))[-1].speaker == "assistant"


def test_blank_turns_and_instructions_are_left_out() -> None:
    turns = (Turn("system", "Be kind."), Turn("user", "Hi."), Turn("user", " "), Turn("assistant", "Hello."))
    talk = talk_of(Dialogue("1", turns, "s"), Zeros())
    assert [said.text for said in talk.moments[0].earlier] == ["Hi."]


def test_a_dialogue_is_judged_by_its_assistants_turns_but_not_by_a_greeting() -> None:
    turns = (Turn("assistant", "Hi."), Turn("user", "Hello."), Turn("assistant", "Tea?"))
    talk = talk_of(Dialogue("1", turns, "s"), Zeros())
    assert [moment.response.text for moment in talk.moments] == ["Tea?"]
    assert talk.moments[0].last.text == "Hello."


def test_the_case_of_a_name_does_not_make_another_speaker() -> None:
    turns = tuple(Turn(role, "Hm.") for role in ("user", "ASSISTANT", "User", "Assistant"))
    last = talk_of(Dialogue("1", turns, "s"), Zeros()).moments[-1]
    assert (len(last.own), len(last.others)) == (1, 2)
