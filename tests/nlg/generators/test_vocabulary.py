from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.vocabulary import (
    END,
    SPECIAL,
    UNKNOWN,
    Part,
    Vocabulary,
    kind_of,
    learn_vocabulary,
    load_vocabulary,
    parts_of,
)


@pytest.mark.parametrize(
    ("act", "parts"),
    [
        (
            "inform(name='Kiss Seafood';food=thai)",
            [("inform-name", ("kiss", "seafood")), ("inform-food", ("thai",))],
        ),
        ("goodbye()", [("goodbye", ())]),
        ("request(area)", [("request-area?", ())]),
        ("inform(kidsallowed=no)", [("inform-kidsallowed=no", ("no",))]),
        ("select(food=thai;food=indian)", [("select-food", ("thai",)), ("select-food#2", ("indian",))]),
        (
            "offer(name=x) inform(food=dont_care)",
            [("offer-name", ("x",)), ("inform-food=dontcare", ("dont_care",))],
        ),
    ],
)
def test_parts_by_hand(act: str, parts: list[tuple[str, tuple[str, ...]]]) -> None:
    assert parts_of(parse_act(act)) == [Part(*part) for part in parts]


def test_the_kind_of_an_act_ignores_values_and_order() -> None:
    first, second = parse_act("inform(name=x;food=thai)"), parse_act("inform(food=no;name='y z')")
    assert kind_of(first) == kind_of(second) == "inform(food,name)"
    assert kind_of(parse_act("inform(name=x;name=y)")) != kind_of(parse_act("inform(name=x)"))


KNOWN = learn_vocabulary(
    [parse_act("inform(name=x;food=thai)"), parse_act("inform(name='x y')"), parse_act("goodbye()")],
    [["SLOT_NAME", "is", "SLOT_FOOD"], ["SLOT_NAME"], ["bye"]],
)


def test_the_most_frequent_stand_first() -> None:
    assert KNOWN.features == ("inform-name", "goodbye", "inform-food")
    assert KNOWN.words == (*SPECIAL, "SLOT_NAME", "SLOT_FOOD", "bye", "is")
    assert KNOWN.values == (*SPECIAL, "x", "thai", "y")


def test_acts_and_sentences_by_number() -> None:
    read = KNOWN.act(parse_act("inform(food='thai fusion';name=x)"))
    assert read.parts == ((2, (5, UNKNOWN)), (0, (4,)))
    assert read.strange == ()
    assert KNOWN.sentence(["SLOT_NAME", "is", "tasty"]) == (4, 7, UNKNOWN, END)


def test_a_slot_under_an_act_that_was_never_met_is_read_as_under_another() -> None:
    read = KNOWN.act(parse_act("recommend(food=thai;phone=1)"))
    assert read.parts == ((2, (5,)),)
    assert read.strange == ("recommend-food", "recommend-phone")


def test_the_file_gives_the_vocabulary_back(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps(KNOWN.as_json()), encoding="utf-8")
    assert load_vocabulary(path).as_json() == KNOWN.as_json()


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"features": []}', json.dumps(Vocabulary((), (), ()).as_json())]
)
def test_another_file_is_explained(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=r"the words of a generator.*Train the model again"):
        load_vocabulary(path)
