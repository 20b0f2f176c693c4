"""Acts in every notation: parsed, printed, parsed back, and refused with the place that does not parse."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.data.codec.bad import Where
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.nlg.acts.notations import PRINTERS, parse_act, print_act
from dialeval.nlg.acts.types import Act, Slot

NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)
SLOTS = st.builds(Slot, NAMES, st.none() | VALUES.map(str.strip))
MEANINGS = st.lists(
    st.builds(Act, NAMES, st.lists(SLOTS, max_size=4).map(tuple)), min_size=1, max_size=3
).map(tuple)


@pytest.mark.parametrize(
    ("written", "acts"),
    [
        ("goodbye()", [("goodbye", [])]),
        ("inform(name='x';area=centre)", [("inform", [("name", "x"), ("area", "centre")])]),
        ("?request(area;near)", [("?request", [("area", None), ("near", None)])]),
        # BAGEL parts slots by commas; a comma without name= behind it belongs to the value.
        ("inform(name='X',food=Chinese)", [("inform", [("name", "X"), ("food", "Chinese")])]),
        (
            "inform(color=black , silver stand;hdmiport=2)",
            [("inform", [("color", "black , silver stand"), ("hdmiport", "2")])],
        ),
        ("inform(name='joe's bar')", [("inform", [("name", "joe's bar")])]),
        # ViGGO has the slots of E2E within an act; an empty one is asked for.
        (
            "confirm(name[Far Cry 3], genres[action, role-playing], has_multiplayer[])",
            [
                (
                    "confirm",
                    [("name", "Far Cry 3"), ("genres", "action, role-playing"), ("has_multiplayer", None)],
                )
            ],
        ),
        ("inform(note='a[b]')", [("inform", [("note", "a[b]")])]),
        # A quote is doubled as in SQL, or follows a backslash.
        (
            "inform(name='Joe''s; bar, etc.';area=x)",
            [("inform", [("name", "Joe's; bar, etc."), ("area", "x")])],
        ),
        (r"inform(name='Joe\'s bar';price='')", [("inform", [("name", "Joe's bar"), ("price", "")])]),
        ("inform(name=foo (bar))", [("inform", [("name", "foo (bar)")])]),
        # DSTC2-NLG: a semicolon behind every slot, several acts, dots and hyphens in names.
        (
            "canthelp(area=east;) canthelp.exception(name=the missing sock;) expl-conf(food=thai;) ",
            [
                ("canthelp", [("area", "east")]),
                ("canthelp.exception", [("name", "the missing sock")]),
                ("expl-conf", [("food", "thai")]),
            ],
        ),
        (
            'inform(line="M11")&inform_no_match(ampm="am")',
            [("inform", [("line", "M11")]), ("inform_no_match", [("ampm", "am")])],
        ),
        (
            "name[The [Old] Bar], customer rating[5 out of 5]",
            [("inform", [("name", "The [Old] Bar"), ("customer rating", "5 out of 5")])],
        ),
        (
            {
                "act": "inform",
                "slots": {"n": 4, "x": 2.5, "ok": True, "no": False, "q": None, "l": ["a", "b"]},
            },
            [
                (
                    "inform",
                    [
                        ("n", "4"),
                        ("x", "2.5"),
                        ("ok", "yes"),
                        ("no", "no"),
                        ("q", None),
                        ("l", "a"),
                        ("l", "b"),
                    ],
                )
            ],
        ),
        (
            {"act": "offer", "slots": {"hotel": {"name": "Ritz", "stars": [4, [5]]}, "none": [], "x": ""}},
            [("offer", [("hotel.name", "Ritz"), ("hotel.stars", "4"), ("hotel.stars", "5"), ("x", "")])],
        ),
        ({"slots": [["a", ["x", "y"]]]}, [("inform", [("a", "x"), ("a", "y")])]),
        ({"slots": [["a", "x"], ["b", None]]}, [("inform", [("a", "x"), ("b", None)])]),
        ('[{"act": "request", "slots": ["area"]}]', [("request", [("area", None)])]),
    ],
)
def test_each_notation_by_hand(written: object, acts: list[tuple[str, list[tuple[str, str | None]]]]) -> None:
    expected = tuple(Act(name, tuple(Slot(*slot) for slot in slots)) for name, slots in acts)
    assert parse_act(written) == expected


@pytest.mark.parametrize("form", [form for form in PRINTERS if form != "e2e"])
@given(meaning=MEANINGS)
def test_what_is_printed_is_parsed_back(form: str, meaning: tuple[Act, ...]) -> None:
    assert parse_act(print_act(meaning, form)) == meaning


@given(meaning=MEANINGS)
def test_e2e_prints_what_it_can_hold_and_refuses_the_rest(meaning: tuple[Act, ...]) -> None:
    try:
        printed = print_act(meaning, "e2e")
    except Unsuitable:
        return
    assert parse_act(printed) == meaning


def test_each_form_prints_as_its_corpus_does() -> None:
    meaning = parse_act("inform(name='The Punter';area=centre)")
    assert {form: print_act(meaning, form) for form in PRINTERS} == {
        "rnnlg": "inform(name=The Punter;area=centre)",
        "dstc2": "inform(name=The Punter;area=centre;) ",
        "e2e": "name[The Punter], area[centre]",
        "alex": 'inform(name="The Punter",area="centre")',
        "json": '{"act": "inform", "slots": {"name": "The Punter", "area": "centre"}}',
    }


@pytest.mark.parametrize(
    ("written", "found", "expected"),
    [
        ("inform name", "'inform name' at character 1", "an act's name and '('"),
        ("inform(name='x'", "the end of", "';' or ')' after a slot"),
        ("inform(name='x') and more", "'and more' at character 18", "an act's name and '('"),
        ("inform(=x)", "'=x)' at character 8", "a slot's name or ')'"),
        ("", "the end of ''", "an act's name"),
        ("name[x], area", "'name[x], area' at character 1", "slot[value]"),
        (
            {"act": "inform", "slots": {"price": {"low": float("nan")}}},
            "float (nan)",
            "text, a number, true, false, null or a list",
        ),
        ({"name": "x"}, "an object", "an act such as"),
        ({"act": 3}, "int (3)", "text (the act's name)"),
        (7, "int (7)", "an act such as"),
    ],
)
def test_what_does_not_parse_is_named_with_its_file_and_line(
    written: object, found: str, expected: str
) -> None:
    with pytest.raises(BadInput) as caught:
        parse_act(written, Where("acts.jsonl", 12))
    error = caught.value
    assert (error.path, error.line) == ("acts.jsonl", 12)
    assert found in error.found
    assert expected in error.expected
    assert "acts.jsonl, line 12, field 'act" in str(error)


def test_an_unknown_form_suggests_the_close_one() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'rnnlg'"):
        print_act(parse_act("goodbye()"), "rnnl")


def test_special_values_are_known_in_every_spelling() -> None:
    spelt = {
        "yes": "yes",
        "True": "yes",
        "false": "no",
        "dont_care": "dontcare",
        "none": "none",
        "centre": None,
        "": None,
    }
    assert {value: Slot("s", value).special for value in spelt} == spelt
    assert Slot("s").special is None
