from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import pytest

from dialeval.errors import DialevalError, UnknownName
from dialeval.text.calls import construct, look_up


@dataclass(frozen=True, slots=True)
class Kettle:
    wheels: ClassVar[int] = 0
    colour: Literal["red", "blue"]
    litres: float = 1.5
    cups: int | None = None
    label: str = ""
    hot: bool = False


KITCHEN: Final[Mapping[str, Callable[..., Kettle]]] = {"kettle": Kettle}


def test_parameters_reach_the_constructor() -> None:
    assert construct("kettle(colour='red',cups=3,hot=True)", KITCHEN, kind="pot") == Kettle(
        "red", cups=3, hot=True
    )
    assert construct("kettle(colour='blue',cups=None)", KITCHEN, kind="pot") == Kettle("blue")


def test_a_whole_number_widens_where_any_number_may_stand() -> None:
    kettle = construct("kettle(colour='red',litres=2,cups=3)", KITCHEN, kind="pot")
    assert repr(kettle.litres) == "2.0"
    assert repr(kettle.cups) == "3"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kettle(colour='green')", "'colour' of pot 'kettle': found 'green', needed 'red' or 'blue'"),
        ("kettle(colour='red',litres='2')", "'litres' of pot 'kettle': found '2', needed a number"),
        ("kettle(colour='red',cups=2.0)", "found 2.0, needed a whole number or None"),
        ("kettle(colour='red',cups=True)", "found True, needed a whole number or None"),
        ("kettle(colour='red',label=1)", "found 1, needed quoted text"),
        ("kettle(colour='red',hot=1)", "found 1, needed True or False"),
        ("kettle", "needs the parameter colour ('red' or 'blue')"),
        ("kettle(colour='red')|version=1", "Found '|version=1' after the pot 'kettle'"),
        ("kettle(", "Cannot read the pot 'kettle('"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(text: str, complaint: str) -> None:
    with pytest.raises(DialevalError) as caught:
        construct(text, KITCHEN, kind="pot")
    assert complaint in str(caught.value)


def test_a_wrong_name_suggests_the_close_one() -> None:
    with pytest.raises(UnknownName, match=r"no pot called 'ketle'. Did you mean 'kettle'\?"):
        construct("ketle", KITCHEN, kind="pot")
    with pytest.raises(
        UnknownName, match=r"Did you mean 'litres'.*It takes colour, litres, cups, label, hot"
    ):
        construct("kettle(liters=2)", KITCHEN, kind="pot")
    with pytest.raises(UnknownName, match="wheels"):
        construct("kettle(colour='red',wheels=4)", KITCHEN, kind="pot")


def test_looking_up_builds_nothing() -> None:
    maker, call = look_up("kettle(colour='green')", KITCHEN, kind="pot")
    assert maker is Kettle
    assert call.parameters == (("colour", "green"),)
