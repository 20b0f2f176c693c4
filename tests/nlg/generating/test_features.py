from __future__ import annotations

import pytest

from dialeval.nlg.acts.forms import parse_act
from dialeval.nlg.generating.features import Part, kind_of, parts_of


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
