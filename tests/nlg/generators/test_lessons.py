from __future__ import annotations

import pytest

from dialeval.errors import Unsuitable
from dialeval.nlg.acts.files import ActItem
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.lessons import digest, split_lessons
from support.small_nlg import made_items


def item(act: str, *references: str) -> ActItem:
    return ActItem("i", parse_act(act), references)


def test_a_lesson_for_every_reference() -> None:
    data = split_lessons(
        {"train": [item("inform(name=Ax)", "Ax is nice.", "try Ax")], "valid": [item("bye()", "bye")]}
    )
    assert [lesson.words for lesson in data.train] == [
        ("SLOT_NAME", "is", "nice", "##."),
        ("try", "SLOT_NAME"),
    ]
    assert [lesson.words for lesson in data.held_out] == [("bye",)]
    assert data.incomplete == 0


def test_lower_case_finds_values_that_the_sentence_spells_otherwise() -> None:
    splits = {
        "train": [item("inform(addr='king street')", "It is on King Street")],
        "valid": [item("bye()", "Bye")],
    }
    assert split_lessons(splits).incomplete == 1
    lower = split_lessons(splits, lowercase=True)
    assert lower.incomplete == 0
    assert lower.train[0].words == ("it", "is", "on", "SLOT_ADDR")


def test_without_a_validation_split_some_acts_are_held_out_with_all_their_sentences() -> None:
    items = [item(f"inform(name=x{number})", f"x{number} is nice", f"try x{number}") for number in range(200)]
    data = split_lessons({"train": items}, seed=3)
    held = {lesson.meaning for lesson in data.held_out}
    assert 8 <= len(held) <= 32
    assert not held & {lesson.meaning for lesson in data.train}
    assert len(data.train) + len(data.held_out) == 400
    assert split_lessons({"train": items}, seed=3) == data
    assert split_lessons({"train": items}, seed=4) != data


@pytest.mark.parametrize("splits", [{}, {"test": made_items()}, {"train": [item("bye()")]}])
def test_nothing_to_learn_from_is_explained(splits) -> None:
    with pytest.raises(Unsuitable, match="no act with a sentence to learn from"):
        split_lessons(splits)


def test_the_digest_follows_the_content() -> None:
    a, b = (
        split_lessons({"train": some, "valid": made_items()}).train
        for some in (made_items(), made_items()[1:])
    )
    assert digest(a) != digest(b)
    assert digest(a) == digest(list(a))
