"""Every kind of task keeps the contract, and its judgements are right by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Shown, Source
from dialeval.annotation.kinds import KINDS, Ask, BadAnswer
from dialeval.annotation.kinds.asking import asked as asked_on
from dialeval.annotation.kinds.kind import Answer, Preferring
from dialeval.data.types import Turn, alternating
from dialeval.ratings.preferences import Preference

TALK = alternating(["Any pets?", "Two cats.", "Do you like dogs?", "I never had a pet."], last="assistant")
ITEMS = {
    "response": Item("i", TALK[:3], (Shown("x", "Yes."),)),
    "pair": Item("i", TALK[:1], (Shown("x", "Yes."), Shown("y", "No."))),
    "candidates": Item("i", TALK[:1], (Shown("x", "Yes."), Shown("y", "No."), Shown("z", "Perhaps."))),
    "dialogue": Item("i", TALK),
}
ITEMS["any"] = ITEMS["response"]
SOURCES = {
    "response": Source("i", "d1", system="s", systems={"x": "s"}),
    "pair": Source("i", "d1", systems={"x": "old", "y": "new"}),
    "candidates": Source("i", "d1", systems={"x": "old", "y": "new", "z": "odd"}),
    "dialogue": Source("i", "d1", system="s"),
}
SOURCES["any"] = SOURCES["response"]


def asked(kind: str, **changes: Any) -> Ask:
    return replace(KINDS[kind].ask("quality"), **changes)


def check(kind: str, payload: dict[str, object], **changes: Any) -> Answer:
    return KINDS[kind].check(asked(kind, **changes), ITEMS[KINDS[kind].shows], payload)


def values(kind: str, payload: dict[str, object], **changes: Any) -> dict[Any, float | None]:
    """What an answer gives, by item, system and criterion where these differ from d1, s and quality."""
    ask, source = asked(kind, **changes), SOURCES[KINDS[kind].shows]
    rows = KINDS[kind].judgements(ask, source, "ann", check(kind, payload, **changes))
    assert {row.rater for row in rows} <= {"ann"}
    return {(row.item, row.system, row.criterion): row.value for row in rows}


@pytest.mark.parametrize("kind", KINDS)
@given(feelings=st.lists(st.floats(-0.5, 1.5), min_size=9, max_size=9), cannot_say=st.booleans())
def test_what_simulated_raters_post_is_accepted_and_shown_again_as_it_was(
    kind: str, feelings: list[float], cannot_say: bool
) -> None:
    ask, item = asked(kind, cannot_say=cannot_say), ITEMS[KINDS[kind].shows]
    places = iter(feelings)
    answer = KINDS[kind].check(ask, item, KINDS[kind].simulated(ask, item, lambda part: next(places)))
    assert KINDS[kind].check(ask, item, dict(KINDS[kind].posted(answer))) == answer


NAMES = ("value", "choice", "turns", "labels", "verdict", "text", "rank_x", "turn_2", "cannot_say")
POSTED = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.floats(),
    st.integers(),
    st.lists(st.sampled_from(["1", "2", "unsafe", "x", ""]), max_size=3),
    st.sampled_from(["none", "cannot_say", "tie", "x", "1", "3"]),
)


@pytest.mark.parametrize("kind", KINDS)
@given(payload=st.dictionaries(st.sampled_from(NAMES), POSTED))
def test_whatever_is_posted_is_accepted_or_refused_with_a_field(
    kind: str, payload: dict[str, object]
) -> None:
    ask, item = asked(kind, cannot_say=True), ITEMS[KINDS[kind].shows]
    refused = None
    try:
        answer = KINDS[kind].check(ask, item, payload)
    except BadAnswer as error:
        refused = error.field
    if refused is None:
        assert KINDS[kind].check(ask, item, dict(KINDS[kind].posted(answer))) == answer
    else:
        assert refused in {field.name for field in KINDS[kind].fields(ask, item)}


@pytest.mark.parametrize("kind", set(KINDS) - {"comment"})
def test_nothing_posted_is_refused_where_an_answer_is_required_and_null_where_it_is_not(kind: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        check(kind, {})
    assert refused.value.fault == "required"
    answer = check(kind, {}, required=False)
    assert check(kind, dict(KINDS[kind].posted(answer)), required=False) == answer
    assert set(values(kind, {}, required=False).values()) == {None}


@pytest.mark.parametrize("kind", set(KINDS) - {"comment"})
def test_every_kind_lets_raters_abstain_where_that_is_asked(kind: str) -> None:
    ask, item = asked(kind, cannot_say=True), ITEMS[KINDS[kind].shows]
    names = {field.name: field.values for field in KINDS[kind].fields(ask, item)}
    if kind == "ranking":
        return  # ranks can be tied instead
    abstain = {name: "cannot_say" for name, known in names.items() if "cannot_say" in known} or {
        "cannot_say": "1"
    }
    assert set(values(kind, abstain, cannot_say=True).values()) == {None}


@pytest.mark.parametrize(
    ("kind", "payload", "expected"),
    [
        ("likert", {"value": "4"}, {("d1", "s", "quality"): 4.0}),
        ("likert", {"value": 4.0}, {("d1", "s", "quality"): 4.0}),
        ("dialogue", {"value": "1"}, {("d1", "s", "quality"): 1.0}),
        ("slider", {"value": "62"}, {("d1", "s", "quality"): 62.0}),
        ("yes_no", {"value": "0"}, {("d1", "s", "quality"): 0.0}),
        ("yes_no", {"value": "cannot_say"}, {("d1", "s", "quality"): None}),
        ("three_way", {"value": "2"}, {("d1", "s", "quality"): 2.0}),
        ("pairwise", {"choice": "y"}, {("d1", "old", "quality"): 0.0, ("d1", "new", "quality"): 1.0}),
        ("pairwise", {"choice": "tie"}, {("d1", "old", "quality"): 0.5, ("d1", "new", "quality"): 0.5}),
        ("pairwise", {"choice": "both_bad"}, {("d1", "old", "quality"): 0.0, ("d1", "new", "quality"): 0.0}),
        (
            "best_of",
            {"choice": "z"},
            {("d1", "old", "quality"): 0.0, ("d1", "new", "quality"): 0.0, ("d1", "odd", "quality"): 1.0},
        ),
        (
            "best_of",
            {"choice": "none"},
            {("d1", "old", "quality"): 0.0, ("d1", "new", "quality"): 0.0, ("d1", "odd", "quality"): 0.0},
        ),
        (
            "sentences",
            {"value_x": "5", "value_y": "1", "value_z": "3"},
            {("d1", "old", "quality"): 5.0, ("d1", "new", "quality"): 1.0, ("d1", "odd", "quality"): 3.0},
        ),
        (  # x beats both others; y and z are tied, so each has beaten half of one of two others
            "ranking",
            {"rank_x": "1", "rank_y": "3", "rank_z": "3"},
            {("d1", "old", "quality"): 1.0, ("d1", "new", "quality"): 0.25, ("d1", "odd", "quality"): 0.25},
        ),
        (
            "turns",
            {"turn_2": "1", "turn_4": "3"},
            {("d1/2", "s", "quality"): 1.0, ("d1/4", "s", "quality"): 3.0},
        ),
        ("contradiction", {"turns": ["4", "2"]}, {("d1", "s", "quality"): 1.0}),
        ("contradiction", {"verdict": "none"}, {("d1", "s", "quality"): 0.0}),
        ("contradiction", {"verdict": ["cannot_say"]}, {("d1", "s", "quality"): None}),
        ("comment", {"text": " It repeats itself. "}, {}),
    ],
)
def test_judgements_by_hand(kind: str, payload: dict[str, object], expected: dict[Any, float | None]) -> None:
    assert values(kind, payload) == expected


def test_error_labels_give_one_judgement_each_and_their_number() -> None:
    found = values("errors", {"labels": ["unsafe", "irrelevant"]})
    marked = {criterion: value for (_, _, criterion), value in found.items()}
    assert marked.pop("quality") == 2
    assert {name for name, value in marked.items() if value} == {"quality:unsafe", "quality:irrelevant"}
    assert len(marked) == 6
    assert set(values("errors", {"verdict": "none"}).values()) == {0.0}
    assert check("errors", {"labels": ["unsafe", "irrelevant"]}) == {"labels": ["irrelevant", "unsafe"]}


@pytest.mark.parametrize(
    ("kind", "payload", "field", "fault"),
    [
        ("likert", {"value": "6"}, "value", "not_an_option"),
        ("likert", {"value": "cannot_say"}, "value", "out_of_scale"),
        ("likert", {"value": "nan"}, "value", "out_of_scale"),
        ("slider", {"value": "101"}, "value", "out_of_scale"),
        ("slider", {"value": "50.5"}, "value", "out_of_scale"),
        ("pairwise", {"choice": "z"}, "choice", "not_an_option"),
        ("best_of", {"choice": "new"}, "choice", "not_an_option"),
        ("ranking", {"rank_x": "1"}, "rank_y", "incomplete"),
        ("ranking", {"rank_x": "1", "rank_y": "4", "rank_z": "2"}, "rank_y", "not_an_option"),
        ("errors", {"labels": ["witty"]}, "labels", "not_an_option"),
        ("errors", {"labels": ["unsafe"], "verdict": "none"}, "verdict", "not_an_option"),
        ("turns", {"turn_2": "1"}, "turn_4", "required"),
        ("contradiction", {"turns": ["2"]}, "turns", "incomplete"),
        ("contradiction", {"turns": ["1", "2", "3"]}, "turns", "incomplete"),
        ("contradiction", {"turns": ["2", "2"]}, "turns", "twice"),
        ("contradiction", {"turns": ["2", "5"]}, "turns", "not_a_turn"),
        ("contradiction", {"turns": ["1", "2"], "verdict": "none"}, "verdict", "not_an_option"),
        ("comment", {"text": "x" * 5001}, "text", "too_long"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_answer_is_refused_with_its_field_and_fault(
    kind: str, payload: dict[str, object], field: str, fault: str
) -> None:
    with pytest.raises(BadAnswer) as refused:
        check(kind, payload)
    assert (refused.value.field, refused.value.fault) == (field, fault)


def test_a_continuous_slider_takes_any_number_between_its_ends() -> None:
    assert check("slider", {"value": "50.25"}, step=0) == {"value": 50.25}
    assert check("slider", {"value": "0.3"}, lowest=0, highest=1, step=0.1) == {"value": 0.3}


def test_a_scale_of_ones_own_is_what_is_asked() -> None:
    options = (Option(0, "broken", "not a sentence"), Option(5, "clearly", "clearly yes"))
    assert check("likert", {"value": "0"}, options=options) == {"value": 0.0}
    with pytest.raises(BadAnswer):
        check("likert", {"value": "3"}, options=options)


def test_choices_say_which_system_is_preferred() -> None:
    def preferred(kind: str, payload: dict[str, object]) -> list[tuple[str, str, str]]:
        maker = KINDS[kind]
        assert isinstance(maker, Preferring)
        found = maker.preferences(asked(kind), SOURCES[KINDS[kind].shows], "ann", check(kind, payload))
        assert all(isinstance(one, Preference) and one.rater == "ann" and one.item == "d1" for one in found)
        return [(one.a, one.b, one.choice) for one in found]

    assert preferred("pairwise", {"choice": "y"}) == [("old", "new", "b")]
    assert preferred("pairwise", {"choice": "both_bad"}) == [("old", "new", "tie")]
    assert preferred("best_of", {"choice": "y"}) == [("new", "old", "a"), ("new", "odd", "a")]
    assert preferred("best_of", {"choice": "none"}) == []
    assert preferred("ranking", {"rank_x": 2, "rank_y": 1, "rank_z": 2}) == [
        ("old", "new", "b"),
        ("old", "odd", "tie"),
        ("new", "odd", "a"),
    ]


def test_where_nobody_is_the_assistant_each_turn_is_rated() -> None:
    item = Item("i", (Turn("A", "Hi."), Turn("B", "Hello."), Turn("system", "Be kind.")))
    names = [field.name for field in KINDS["turns"].fields(asked("turns"), item)]
    assert names == ["turn_1", "turn_2"]


def test_sentences_have_five_values_and_a_zero_if_asked_for():
    plain = asked_on("sentences", "quality")
    assert [option.value for option in plain.options] == [1, 2, 3, 4, 5]
    zero = asked_on("sentences", "quality", scale="0-5")
    assert [option.value for option in zero.options] == [0, 1, 2, 3, 4, 5]
    assert [option.meaning for option in zero.options][::5] == ["not grammatical", "very good"]
    assert zero.options[1].meaning == "very bad"
    assert "not grammatical" in zero.text
