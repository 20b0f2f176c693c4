"""Questions by rules."""

from __future__ import annotations

from dialeval.consistency.probing.entities import NO_STATEMENT, NO_SYSTEM_TURN, entity_probes
from dialeval.consistency.probing.probes import KINDS, read_probes, write_probes
from dialeval.data.types import Dialogue, Turn, alternating

TALK = Dialogue("d", alternating(["My brother is ill.", "Oh. I love my old cat.", "Good."], last="user"))


def test_kinds_come_in_the_order_of_their_success():
    asked = entity_probes([TALK], per_dialogue=10)
    kinds = [probe.kind for probe in asked.probes]
    assert kinds == sorted(kinds, key=KINDS.index)
    assert kinds[:4] == ["user-entity-modified", "user-entity", "own-entity", "antonym"]


def test_the_questions_by_hand():
    questions = {probe.kind: probe.question for probe in entity_probes([TALK], per_dialogue=10).probes}
    assert questions["user-entity-modified"] == "Do you remember what I told you about my sister?"
    assert questions["user-entity"] == "Do you remember what I told you about my brother?"
    assert questions["own-entity"] == "Can you tell me more about your old cat?"
    assert questions["paraphrase"] == "You said that you love your old cat, did you not?"
    assert questions["antonym"] in (
        "So you hate your old cat, is that right?",
        "So you love your young cat, is that right?",
    )


def test_a_greeting_before_a_statement_is_not_asked_about():
    talk = Dialogue("d", alternating(["Hello.", "Oh, hi! Well, I work as a baker."], last="assistant"))
    questions = {probe.kind: probe.question for probe in entity_probes([talk], per_dialogue=10).probes}
    assert questions["paraphrase"] == "You said that you work as a baker, did you not?"


def test_the_user_asks_after_the_systems_last_turn():
    probes = entity_probes([TALK], per_dialogue=10).probes
    assert probes
    for probe in probes:
        assert [turn.speaker for turn in probe.context] == ["user", "assistant", "user"]
        assert probe.context[-1].text == probe.question
        assert probe.referent + probe.distance == len(probe.context) - 1


def test_dialogues_that_give_none_are_counted_by_reason():
    bad = [
        Dialogue("1", (Turn("user", "I am ill."),)),
        Dialogue("2", alternating(["It rains.", "So it does.", "Bye."], last="user")),
    ]
    asked = entity_probes(bad)
    assert asked.probes == ()
    assert asked.excluded == {NO_SYSTEM_TURN: 1, NO_STATEMENT: 1}


def test_probes_are_read_back_as_they_were_written(tmp_path):
    probes = list(entity_probes([TALK]).probes)
    write_probes(tmp_path / "probes.jsonl", probes)
    assert read_probes(tmp_path / "probes.jsonl") == probes


def test_instructions_stay_in_the_context_and_are_not_asked_about():
    talk = Dialogue("d", (Turn("system", "I want you to hate my cat."), *TALK.turns))
    probes = entity_probes([talk], per_dialogue=10).probes
    assert {probe.kind for probe in probes} == {
        probe.kind for probe in entity_probes([TALK], per_dialogue=10).probes
    }
    for probe in probes:
        assert [turn.speaker for turn in probe.context] == ["system", "user", "assistant", "user"]
        assert probe.passage in probe.context[probe.referent].text
        assert probe.distance == 3 - probe.referent


def test_a_dialogue_that_the_system_opens_is_asked_by_the_other_speaker():
    talk = Dialogue("d", (Turn("assistant", "I love my cat."), Turn("user", "Oh.", "ann")))
    asked = entity_probes([talk]).probes
    assert {(each.context[-1].speaker, each.context[-1].name) for each in asked} == {("user", "ann")}


def test_things_are_what_the_speaker_has_with_their_adjectives():
    talk = alternating(["I was born in a small town. Our tiny old dog died.", "I see.", "Yes."], last="user")
    (first,) = (
        p for p in entity_probes([Dialogue("d", talk)], per_dialogue=10).probes if p.kind == "user-entity"
    )
    assert first.question == "Do you remember what I told you about my tiny old dog?"


def test_a_number_is_not_what_somebody_has():
    talk = Dialogue("d", alternating(["I walk my two dogs. I ate my fifty.", "I see."], last="assistant"))
    questions = [probe.question for probe in entity_probes([talk], per_dialogue=10).probes]
    assert "Do you remember what I told you about my two dogs?" in questions
    assert not any(question.endswith(("my two?", "my fifty?")) for question in questions)
