"""Contradictions made from dialogues."""

from __future__ import annotations

from dialeval.consistency.pairs.making import made_pairs
from dialeval.data.types import Dialogue, alternating

TALK = Dialogue(
    "d",
    alternating(
        ["Hi! I love my two cats.", "Nice.", "What do you do?", "I am a nurse in Boston.", "Good for you."]
    ),
)


def test_a_contradiction_stands_beside_the_statement_that_it_changes():
    pairs = list(made_pairs([TALK], per_dialogue=5))
    wrong = [each for each in pairs if each.contradicts]
    assert wrong
    for each in wrong:
        assert each.source.startswith("made:")
        assert each.pair.earlier in {turn.text for turn in TALK.turns}
        assert each.pair.response not in each.pair.earlier


def test_there_are_as_many_restatements_as_contradictions():
    sources = [each.source for each in made_pairs([TALK], per_dialogue=5)]
    assert sources.count("made:restated") == sum(s not in ("made:restated", "made:real") for s in sources)


def test_real_pairs_are_by_one_speaker():
    for each in made_pairs([TALK], per_dialogue=5):
        if each.source == "made:real":
            speakers = {turn.text: turn.speaker for turn in TALK.turns}
            assert speakers[each.pair.earlier] == speakers[each.pair.response]


def test_questions_and_small_talk_give_nothing():
    assert list(made_pairs([Dialogue("d", alternating(["Hi.", "Hello?", "Do I know you?"]))])) == []
