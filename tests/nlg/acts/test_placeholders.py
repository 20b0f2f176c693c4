"""Delexicalisation and its inverse, by hand and for any sentence; rNNLG's spelling of sentences, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.errors import BadInput
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.acts.placeholders import (
    delexicalise,
    fillers,
    join_words,
    lexicalise,
    normalise,
    read_mapping,
    speak,
    split_words,
)
from dialeval.nlg.acts.types import Act, Slot


@pytest.mark.parametrize(
    ("act", "sentence", "text", "absent"),
    [
        ("inform(name='red door';food=thai)", "red door serves thai", "SLOT_NAME serves SLOT_FOOD", []),
        # The longest value comes first: the name holds the food.
        ("inform(food=thai;name='thai house')", "thai house has thai food", "SLOT_NAME has SLOT_FOOD food", []),
        # Special values stay as words, whatever their spelling.
        ("inform(kidsallowed=yes;area=dont_care;phone=none)", "yes none", "yes none", []),
        # A slot's second value has its own placeholder.
        ("?compare(name=a1;name=b2)", "b2 or a1", "SLOT_NAME_2 or SLOT_NAME", []),
        # Two slots with one value: in the order of the act.
        ("inform(count=2;hdmiport=2)", "2 have 2 ports", "SLOT_COUNT have SLOT_HDMIPORT ports", []),
        # Whole words only.
        ("inform(food=thai)", "thailand is far", "thailand is far", ["food"]),
        # A rating called a stands beside its slot's name, and is not an article.
        ("inform(ecorating=a)", "a tv with a a eco rating", "a tv with a SLOT_ECORATING eco rating", []),
        ("inform(ecorating=a+)", "an a++ eco rating", "an a++ eco rating", ["ecorating"]),
    ],
)  # fmt: skip
def test_by_hand(act: str, sentence: str, text: str, absent: list[str]) -> None:
    plain = delexicalise(parse_act(act), sentence)
    assert plain.text == text
    assert [filler.slot for filler in plain.absent] == absent
    assert plain.loss is None
    assert lexicalise(text, parse_act(act)) == sentence


def test_other_orders_are_found_on_request_and_counted() -> None:
    meaning = parse_act("inform(area='noe valley or soma')")
    assert delexicalise(meaning, "in soma or noe valley").text == "in soma or noe valley"
    plain = delexicalise(meaning, "in soma or noe valley", orders=True)
    assert (plain.text, plain.loss) == ("in SLOT_AREA", "value in another order")
    assert delexicalise(meaning, "in noe valley and soma", orders=True).text == "in SLOT_AREA"


def test_a_sentence_that_holds_a_placeholder_is_left_as_it_is() -> None:
    plain = delexicalise(parse_act("inform(name=x)"), "SLOT_NAME is x")
    assert (plain.text, plain.loss) == ("SLOT_NAME is x", "placeholder in the sentence")


def test_slots_can_be_kept_as_words() -> None:
    meaning = parse_act("inform(name=x;type=pub)")
    assert delexicalise(meaning, "x is a pub", keep={"type"}).text == "SLOT_NAME is a pub"
    assert [filler.slot for filler in fillers(meaning, frozenset({"type"}))] == ["name"]


def test_a_placeholder_that_the_act_does_not_have_stays() -> None:
    assert lexicalise("SLOT_NAME in SLOT_AREA", parse_act("inform(name=x)")) == "x in SLOT_AREA"


WORDS = st.lists(
    st.sampled_from(["a", "thai", "red", "door", "2", "+", ".", "(", "é"]), min_size=1, max_size=3
)


@given(
    values=st.lists(WORDS.map(" ".join), max_size=4),
    sentence=st.lists(WORDS.map(" ".join), max_size=6).map(" ".join),
)
def test_nothing_is_lost(values: list[str], sentence: str) -> None:
    meaning = parse_act({"act": "inform", "slots": [[f"s{i}", value] for i, value in enumerate(values)]})
    assert lexicalise(delexicalise(meaning, sentence).text, meaning) == sentence


@pytest.mark.parametrize(
    ("value", "said"), [("dont_care", "any weight range"), ("no", "no weight range"), ("7", "7 weight range")]
)
def test_no_placeholder_is_left_for_readers(value: str, said: str) -> None:
    meaning = (Act("inform", (Slot("weightrange", value),)),)
    assert speak("SLOT_WEIGHTRANGE weight range", meaning) == said


def test_a_placeholder_of_a_slot_that_the_act_lacks_becomes_its_name() -> None:
    assert speak("the SLOT_PRICE_RANGE_2 one", (Act("inform"),)) == "the price range one"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the price is 7.50 .", ["the", "price", "is", "7.50", "."]),
        ("at SLOT_ADDR, isn't it?", ["at", "SLOT_ADDR", "##,", "isn't", "it", "##?"]),
        ("(SLOT_NAME_2)", ["(", "##SLOT_NAME_2", "##)"]),
        ("£SLOT_PRICE", ["£", "##SLOT_PRICE"]),
        ("open at 10:30, daily", ["open", "at", "10:30", "##,", "daily"]),
        ("", []),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert list(split_words(text)) == words
    assert join_words(words) == text


pieces = st.sampled_from(
    ["SLOT_NAME", "SLOT_A_2", "cheap", ",", ".", "3", "?", "'s", "(", ")", "é", " ", " ", "-"]
)


@given(st.lists(pieces, max_size=20).map("".join))
def test_a_sentence_can_be_had_back(text: str) -> None:
    assert join_words(split_words(text)) == " ".join(text.split())


@given(st.text(max_size=30).filter(lambda text: "##" not in text))
def test_any_text_can_be_had_back(text: str) -> None:
    assert join_words(split_words(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("sentence", "normal"),
    [
        ("Red Door is nice .", "red door is nice"),
        ("It's nice, isn't it?", "it is nice , is not it"),
        ("call 415 282-8283!", "call 4152828283"),
        ("lunch/dinner", "lunch and dinner"),
        ("joe's bar weighs 1.5 kg.", "joe 's bar weighs 1.5 kg"),
        ("I can't, you won't and they'd go", "i cannot , you will not and they would go"),
        ("", ""),
    ],
)
def test_sentences_in_the_spelling_of_rnnlg_by_hand(sentence: str, normal: str) -> None:
    assert normalise(sentence) == normal


def test_a_mapping_replaces_words(tmp_path: Path) -> None:
    path = tmp_path / "mapping.pair"
    path.write_text("restaurants\trestaurant -s\n\nst\tstreet\n", encoding="utf-8")
    assert normalise("Restaurants in Main St.", read_mapping(path)) == "restaurant -s in main street"
    path.write_text("no tab\n", encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        read_mapping(path)
