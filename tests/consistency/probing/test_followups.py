"""Follow-up questions, and FQness on a model whose probabilities are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.consistency.probing.followups import (
    NO_QUESTION,
    NO_REFERENT,
    ONE_TURN,
    draw_random,
    log_fqness,
    mine,
    scored_probes,
)
from dialeval.core import Signature
from dialeval.data.types import Dialogue, Turn, alternating
from dialeval.engine import Cache, ProcessPool
from support.toy_likelihood import Toy

TALK = Dialogue(
    "d",
    alternating(
        ["Hello. Any news?", "I got a dog. And you?", "Nothing new here.", "I see.", "Is it big?"],
        last="user",
    ),
)


def test_questions_with_statements_of_the_other_speaker_at_odd_distances():
    found = mine([TALK]).found
    assert [(each.item, each.referent, each.distance) for each in found] == [
        ("d/1-1", 0, 1),
        ("d/4-1", 3, 1),
        ("d/4-3", 1, 3),
    ]


def test_what_is_left_out_of_each_context():
    probe = mine([TALK]).found[2]
    assert [turn.text for turn in probe.near] == ["Hello. Any news?", "I got a dog. And you?"]
    assert [turn.text for turn in probe.without] == [
        "Hello. Any news?",
        "And you?",
        "Nothing new here.",
        "I see.",
    ]


def test_a_referent_without_questions_leaves_no_turn_behind():
    probe = mine([TALK]).found[1]
    assert [turn.text for turn in probe.without] == [
        "Hello. Any news?",
        "I got a dog. And you?",
        "Nothing new here.",
    ]


def test_fqness_by_hand():
    """d/4-3: 0.5 / 2^2 after the statement, 0.1 / 2^4 without it; d/4-1: 0.5 / 2^4 and 0.5 / 2^3."""
    found = mine([TALK]).found
    scores = log_fqness(found, Toy())
    assert np.exp(scores) == pytest.approx(
        [0.1 / 2 / (0.1 / 2), (0.5 / 16) / (0.5 / 8), (0.5 / 4) / (0.1 / 16)]
    )


def test_the_best_comes_first_and_the_asker_is_the_assistant():
    toy = Toy()
    found = mine([TALK]).found
    probes = scored_probes(found, log_fqness(found, toy))
    assert [probe.id for probe in probes] == ["d/4-3", "d/1-1", "d/4-1"]
    assert probes[0].fqness == pytest.approx(20)
    assert probes[0].passage == "I got a dog."
    assert {turn.speaker for turn in toy.calls[0][2][0]} <= {"user", "assistant"}
    # The question of turn 4 is by the speaker of turn 0: that turn is the assistant's.
    assert toy.calls[0][4][0][0].speaker == "assistant"


def test_a_batch_is_one_call_and_batches_change_nothing(monkeypatch):
    from dialeval.consistency.probing import followups

    found = mine([Dialogue(str(place), TALK.turns) for place in range(5)]).found
    together, apart = Toy(), Toy()
    whole = log_fqness(found, together)
    monkeypatch.setattr(followups, "_AT_ONCE", 2)
    assert log_fqness(found, apart) == pytest.approx(whole)
    assert (len(together.calls), len(apart.calls)) == (1, 8)


def test_what_is_kept_is_not_asked_again_and_workers_change_nothing(tmp_path):
    found = mine([Dialogue(str(place), TALK.turns) for place in range(40)]).found
    whole = log_fqness(found, Toy())
    cache = Cache(tmp_path)
    first, again, other = Toy(), Toy(), Toy()
    other.signature = Signature("another toy")
    with ProcessPool(2) as pool:
        assert np.array_equal(log_fqness(found, first, executor=pool, cache=cache), whole)
    assert np.array_equal(log_fqness(found, again, cache=cache), whole)
    assert again.calls == []
    log_fqness(found, other, cache=cache)
    assert len(other.calls) == 2


def test_no_overflow_where_a_question_is_impossible_without_its_referent():
    (probe,) = scored_probes(mine([TALK]).found[:1], np.array([1e6]))
    assert probe.log_fqness == 1e6
    assert math.isfinite(probe.fqness)


def test_dialogues_without_such_questions_are_counted_by_reason():
    bad = [
        Dialogue("1", alternating(["Hello?"])),
        Dialogue("2", alternating(["Hello.", "Hi."])),
        Dialogue("3", alternating(["Why?", "Who asks?"])),
    ]
    assert mine(bad).excluded == {ONE_TURN: 1, NO_QUESTION: 1, NO_REFERENT: 1}


def test_random_probes_are_drawn_without_repeats_and_marked():
    probes = scored_probes(mine([TALK]).found, np.zeros(3))
    drawn = draw_random(probes, 2, seed=1)
    assert len({probe.id for probe in drawn}) == 2
    assert {probe.draw for probe in drawn} == {"random"}
    assert drawn == draw_random(probes, 2, seed=1)


def test_systems_with_the_same_dialogue_id_have_probes_of_their_own():
    found = mine([Dialogue("d", TALK.turns, "x"), Dialogue("d", TALK.turns, "y")]).found
    assert len({each.item for each in found}) == len(found) == 6
    assert found[0].item == "d@x/1-1"


def test_instructions_stay_in_the_context_and_move_no_probability():
    told = Dialogue(
        "d", (Turn("system", "You love dogs."), *TALK.turns[:3], Turn("user", " "), *TALK.turns[3:])
    )
    found, plain = mine([told]).found, mine([TALK]).found
    assert [each.item for each in found] == [each.item for each in plain]
    assert [each.referent for each in found] == [each.referent + 1 for each in plain]
    assert [(each.near, each.without) for each in found] == [(each.near, each.without) for each in plain]
    assert all(each.context[0].text == "You love dogs." for each in found)
