"""Each rule on sentences whose result can be seen to contradict, and on sentences that it must leave alone."""

from __future__ import annotations

from random import Random

import pytest

from dialeval.consistency.pairs import rules


@pytest.mark.parametrize(
    ("rule", "sentence", "changed"),
    [
        (rules.negation, "I am a teacher.", "I am not a teacher."),
        (rules.negation, "I'm a teacher.", "I'm not a teacher."),
        (rules.negation, "I'm not a teacher.", "I'm a teacher."),
        (rules.negation, "I love my dog.", "I don't love my dog."),
        (rules.negation, "I don't love my dog.", "I do love my dog."),
        (rules.negation, "I can't swim.", "I can swim."),
        (rules.negation, "I won't go there.", "I will go there."),
        (rules.negation, "She was not at home.", "She was at home."),
        (rules.negation, "I have been to Rome.", "I don't have been to Rome."),
        (rules.negation, "My brother has seen it.", "My brother has not seen it."),
        (rules.negation, "My brother has a dog.", None),
        (rules.negation, "What a day!", None),
        (rules.frequency, "I never drink tea.", "I always drink tea."),
        (rules.frequency, "Usually we walk.", "Never we walk."),
        (rules.frequency, "We walk.", None),
        (rules.antonym, "The soup was good.", "The soup was bad."),
        (rules.antonym, "Love it here.", "Hate it here."),
        (rules.antonym, "The soup was soup.", None),
        (rules.pronoun, "My brother called.", "My sister called."),
        (rules.pronoun, "Somebody called.", None),
        (rules.number, "No numbers at all.", None),
        (rules.entity, "We flew to Nowhereville.", None),
        (rules.yes_no, "Yes, I am hungry.", "No, I am not hungry."),
        (rules.yes_no, "no, i can't cook", "Yes, i can cook"),
        (rules.yes_no, "No problem, I am here.", None),
        (rules.yes_no, "I am hungry.", None),
    ],
)
def test_a_rule_by_hand(rule, sentence, changed):
    assert rule(sentence, Random(0)) == changed


def test_a_number_becomes_another_number():
    for seed in range(20):
        assert rules.number("I have 3 cats.", Random(seed)) not in ("I have 3 cats.", None)
        assert rules.number("I have two cats.", Random(seed)) not in ("I have two cats.", None)
    assert rules.number("It starts at 10:30 on 1.5.", Random(0)) is None


def test_a_place_becomes_another_place_and_a_person_another_person():
    changed = rules.entity("We moved to Boston last year.", Random(1))
    assert changed is not None
    assert changed.split()[3] in set(rules.PLACES) - {"Boston"}
    assert rules.entity("I met Sarah there.", Random(1)).split()[2] in rules.NAMES


def test_what_is_restated_keeps_its_words():
    for seed in range(10):
        said = rules.restated("My dog is old.", Random(seed))
        assert said.lower().endswith("my dog is old.")


def test_every_rule_is_reproducible():
    for rule in rules.CONTRADICTING.values():
        sentence = "Yes, I never saw my two good brothers in Boston."
        assert rule(sentence, Random(3)) == rule(sentence, Random(3)) != sentence
