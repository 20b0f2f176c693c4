"""Which passages of a dialogue are compared, and which pair is quoted."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.consistency.detecting import dialogues
from dialeval.consistency.detecting.dialogues import (
    BLANK_LAST,
    INSIDE,
    LAST_TURN,
    NO_PAIR,
    NO_SPEAKER,
    NO_SYSTEM_PAIR,
    NO_TURN,
    OUT_OF_REACH,
    PARTS,
    PERSONA,
    Case,
    Cost,
    Reading,
    cost_of,
    find_contradictions,
    obstacle,
    passages,
)
from dialeval.consistency.detecting.scoring import Work
from dialeval.consistency.pairs.types import Pair
from dialeval.data.types import Dialogue, Turn, alternating
from dialeval.engine import Cache
from dialeval.errors import Unsuitable


class Words:
    """Contradiction is one passage with ``not`` and one without that shares its last word."""

    def __init__(self):
        self.seen = []

    def probabilities(self, pairs):
        self.seen += pairs
        return np.array([0.9 if self.clash(*pair[:2]) else 0.1 for pair in pairs])

    @staticmethod
    def clash(first, second):
        alike = first.split()[-1].strip(".") == second.split()[-1].strip(".")
        return alike and ("not" in first.split()) != ("not" in second.split())


TALK = alternating(
    [
        "Hi.",
        "I like tea. I have a dog.",
        "What else?",
        "Nothing. Do you like tea?",
        "Yes.",
        "I do not like tea.",
    ]
)


def test_only_turns_of_one_speaker_are_compared():
    places = {(each.first, each.second) for each in passages(TALK)}
    assert places == {(0, 2), (0, 4), (2, 4), (1, 3), (1, 5), (3, 5), (1, 1)}


def test_the_last_turn_alone():
    places = {(each.first, each.second) for each in passages(TALK, LAST_TURN)}
    assert places == {(1, 5), (3, 5)}


def test_whole_utterances_and_every_two_statements_are_compared_and_no_question_alone():
    pairs = [each.pair for each in passages(TALK) if (each.first, each.second) == (1, 3)]
    assert pairs == [
        Pair("I like tea. I have a dog.", "Nothing. Do you like tea?", "What else?"),
        *(Pair(first, "Nothing.", "What else?") for first in ("I like tea.", "I have a dog.")),
    ]


def test_the_worst_pair_is_quoted_by_its_sentence():
    (found,) = find_contradictions([Case(TALK)], Words())
    assert (found.quoted.first, found.quoted.second) == (1, 5)
    assert found.quoted.pair == Pair("I like tea.", "I do not like tea.", "Yes.")
    assert found.probability == pytest.approx(1 / (1 + math.exp(PARTS - math.log(9))))


def test_every_other_turn_is_quoted_with_what_it_contradicts_most():
    said = [
        "I like tea.",
        "Ok.",
        "I am not fond of tea.",
        "Ok.",
        "I saw a dog.",
        "Ok.",
        "I never, not once saw a dog.",
    ]
    found = find_contradictions([Case(alternating(said))], Words())[0]
    assert (found.quoted.first, found.quoted.second, found.probability) == (0, 2, 0.9)
    assert [(each.quoted.first, each.quoted.second, each.probability) for each in found.others] == [
        (1, 3, 0.0),
        (0, 4, 0.1),
        (1, 5, 0.0),
        (4, 6, 0.9),
    ]


def test_an_utterance_may_contradict_itself():
    (found,) = find_contradictions([Case((Turn("a", "I like tea. I do not like tea."),))], Words())
    assert (found.quoted.first, found.quoted.second) == (0, 0)
    assert found.probability == pytest.approx(1 / (1 + math.exp(INSIDE - math.log(9))))


def test_each_different_pair_is_scored_once_over_all_dialogues():
    words = Words()
    find_contradictions([Case(TALK)] * 3, words)
    assert len(words.seen) == len(set(words.seen))


def test_dialogues_are_held_in_chunks_with_the_same_findings(monkeypatch):
    talks = [Case(turns) for turns in (TALK, alternating(["Hi.", "Oh."]), TALK[2:], TALK, ())]
    together = find_contradictions(talks, Words())
    bound = cost_of(TALK).passages
    for held in (
        bound - 1,
        bound,
        bound + cost_of(TALK[2:]).passages,
    ):  # the first is less than a dialogue has
        monkeypatch.setattr(dialogues, "_HELD", held)
        words = Words()
        assert find_contradictions(talks, words) == together
        assert len(words.seen) > len(set(words.seen)), "both talks are in chunks of their own"


def test_the_same_words_twice_contradict_nothing_and_are_not_even_scored():
    words = Words()
    (found,) = find_contradictions([Case(alternating(["I like tea.", "Oh.", "i like  tea."]))], words)
    assert words.seen == []
    assert found.probability == 0


def test_instructions_and_tools_do_not_speak():
    turns = (Turn("system", "You do not like tea."), Turn("system", "You like tea."), Turn("user", "Hi"))
    assert obstacle(turns) == NO_PAIR


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ((), NO_TURN),
        (alternating(["  "]), NO_TURN),
        (alternating(["Hello there."]), NO_PAIR),
        (alternating(["Hello.", "Hi."]), NO_PAIR),
        ((Turn("", "Hello."), Turn("", "Hi.")), NO_SPEAKER),
        (alternating(["Hello.", "Hi.", "Well."]), None),
    ],
)
def test_why_a_dialogue_cannot_be_checked(turns, reason):
    assert obstacle(turns) == reason


def test_people_of_the_same_role_are_different_speakers():
    turns = (Turn("user", "I like tea.", "ann"), Turn("user", "I do not like tea.", "bob"))
    assert obstacle(turns) == NO_PAIR


def test_the_number_of_pairs_of_a_long_dialogue_is_that_of_combinations():
    turns = alternating([f"word {place}" for place in range(40)])
    assert len(list(passages(turns))) == 2 * len([1 for i, j in product(range(20), repeat=2) if i < j])


def test_a_turn_that_only_asks_contradicts_nothing_and_is_not_even_scored():
    words = Words()
    asks = alternating(["I like tea.", "Oh.", "Do you not like tea?"])
    (found,) = find_contradictions([Case(asks, LAST_TURN)], words)
    assert words.seen == []
    assert found.probability == 0


def test_turns_beyond_the_reach_are_counted_and_not_compared():
    turns = alternating([f"word {place}" for place in range(8)])
    near = Reading(reach=2)
    assert {(each.first, each.second) for each in passages(turns, near)} == {
        (place, place + 2) for place in range(6)
    }
    assert cost_of(turns, near) == Cost(passages=6, beyond=6)
    assert cost_of(turns) == Cost(passages=12, beyond=0)
    assert obstacle(turns, Reading(reach=1)) == OUT_OF_REACH


@given(
    texts=st.lists(st.sampled_from(["Hi.", "I do. I do not. Why?", "What?", " ", "Yes. No."]), max_size=9),
    reach=st.none() | st.integers(1, 9),
    scope=st.sampled_from(["all", "last"]),
)
def test_the_cost_is_the_number_of_passages(texts, reach, scope):
    turns, reading = alternating(texts), Reading(scope, reach)
    assert cost_of(turns, reading).passages == len(list(passages(turns, reading)))


def test_progress_counts_every_passage_once():
    class Count:
        done = 0

        def advance(self, n):
            self.done += n

    counted = Count()
    find_contradictions([Case(TALK)] * 2, Words(), work=Work(progress=counted))
    assert counted.done == 2 * cost_of(TALK).passages


def test_a_blank_last_turn_contradicts_nothing_where_only_the_last_is_asked_about():
    turns = alternating(["I like tea.", "Oh.", "I do not like tea.", " "])
    assert obstacle(turns, LAST_TURN) == BLANK_LAST
    assert obstacle(turns) is None


def test_a_turn_without_words_contradicts_nothing():
    turns = alternating(["I like tea.", "Oh.", "🎉", "...", "!?"])
    assert list(passages(turns)) == []
    assert obstacle(turns, LAST_TURN) == BLANK_LAST
    assert obstacle(turns) == NO_PAIR
    assert obstacle(turns[2:]) == NO_TURN


@pytest.mark.parametrize(
    ("roles", "system", "judged"),
    [
        (("user", "assistant"), "", {1}),
        (("USER", " Assistant "), "", {1}),
        (("user", "system"), "", {1}),  # the corpus calls the dialogue system so
        (("A", "B"), "", {0, 1}),
        (("A", "B"), "b", {1}),
        (("human", "parlbot"), "", {1}),
    ],
)
def test_the_turns_of_the_system_are_judged_where_it_is_known(roles, system, judged):
    turns = tuple(Turn(roles[place % 2], f"word {place}") for place in range(4))
    dialogue = Dialogue("1", turns, system)
    narrowed = Reading().of(dialogue, "system")
    assert {each.first % 2 for each in passages(turns, narrowed)} == judged
    assert cost_of(turns, narrowed).passages == len(judged)
    assert {each.first % 2 for each in passages(turns, Reading().of(dialogue, "all"))} == {0, 1}
    assert LAST_TURN.of(dialogue, "system") == LAST_TURN


def test_a_system_with_nothing_to_compare_is_not_checked_whatever_the_user_said():
    dialogue = Dialogue("1", alternating(["I like tea.", "Oh.", "I do not like tea."]), "s")
    narrowed = Reading().of(dialogue, "system")
    assert obstacle(dialogue.turns, narrowed) == NO_SYSTEM_PAIR
    alone = Dialogue("2", (Turn("User", "I like tea."), Turn("user", "I do not like tea.")), "s")
    assert obstacle(alone.turns, Reading().of(alone, "system")) == NO_SYSTEM_PAIR


def test_a_speaker_is_the_same_in_any_case_and_with_whitespace_around():
    turns = (Turn("ASSISTANT", "I like tea."), Turn(" assistant", "I do not like tea."))
    assert [(each.first, each.second) for each in passages(turns)] == [(0, 1)]


def test_what_was_scored_is_kept_and_not_scored_again(tmp_path):
    first, again = Words(), Words()
    found = [
        find_contradictions([Case(TALK)], words, work=Work(cache=Cache(tmp_path), key="words"))
        for words in (first, again)
    ]
    assert found[0] == found[1]
    assert first.seen
    assert again.seen == []
    find_contradictions([Case(TALK)], again, work=Work(cache=Cache(tmp_path), key="other words"))
    assert again.seen == first.seen


def test_the_turns_of_the_system_are_also_compared_with_its_persona():
    turns = tuple(
        Turn(role, text)
        for role, text in (
            ("user", "Do you have pets?"),
            ("assistant", "I have one cat. It is old."),
            ("user", "I have no cat."),
            ("assistant", "Oh."),
        )
    )
    persona = ["I have no cat. I like dogs.", " ", "I am a nurse."]
    bot = Dialogue("d", turns, "bot", {"persona": persona})
    whole = Reading().of(bot, "system")
    told = [each for each in passages(turns, whole) if each.first == PERSONA]
    assert {each.second for each in told} == {1, 3}, "the user has no persona"
    assert [each.pair for each in told if each.second == 1][:2] == [
        (persona[0], turns[1].text, turns[0].text),
        ("I have no cat.", "I have one cat.", turns[0].text),
    ]
    assert {each.pair.earlier for each in told} == {persona[0], "I have no cat.", "I like dogs.", persona[2]}
    for reading in (whole, Reading("last").of(bot, "system"), Reading().of(bot, "all")):
        assert cost_of(turns, reading).passages == len(list(passages(turns, reading)))
    last = passages(turns, Reading("last").of(bot, "system"))
    assert {each.second for each in last if each.first == PERSONA} == {3}
    people = Dialogue(
        "d", tuple(Turn("ab"[place % 2], turn.text) for place, turn in enumerate(turns)), "", bot.metadata
    )
    assert Reading().of(people, "system").persona == (), "nobody is known as the system"
    assert Reading().of(Dialogue("d", turns, "bot", {"persona": None}), "system").persona == ()
    with pytest.raises(Unsuitable, match="neither a text nor a list of texts"):
        Reading().of(Dialogue("d", turns, "bot", {"persona": 3}), "system")
