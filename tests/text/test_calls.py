from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.errors import DialevalError, UnknownName
from dialeval.text.calls import Call, Scalar, construct, look_up, print_call, split_call

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
NAMES = st.from_regex(r"[a-z][a-z0-9]*_[a-z0-9]{1,5}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("bleu", Call("bleu", (), "")),
        (" bleu() ", Call("bleu", (), "")),
        ("bleu( order = 2 )", Call("bleu", (("order", 2),), "")),
        (
            "m(a=-1.5,b='x|y)',c=None,d=True)",
            Call("m", (("a", -1.5), ("b", "x|y)"), ("c", None), ("d", True)), ""),
        ),
        ("bleu(order=4)|case=lc|version=1", Call("bleu", (("order", 4),), "|case=lc|version=1")),
        ("bleu |version=1", Call("bleu", (), "|version=1")),
    ],
)
def test_calls_are_read(text: str, call: Call) -> None:
    assert split_call(text) == call


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a name"),
        ("bleu(", "not a name"),
        ("bleu(order=4)x", "not a name"),
        ("a.b(c=1)", "not a name"),
        ("m(a=" + "-" * 100_000 + "1)", "not a name"),
        ("bleu(4)", r"as in bleu\(order=4\)"),
        ("m(a=lower)", "a='lower'"),
        ("m(a=true)", "write a=True"),
        ("m(a=null)", "write a=None"),
        ("m(a={[]: 1})", "not a plain value"),
        ("m(a=[1])", "a must be text, a number"),
        ("m(**a)", r"\*\* is not allowed"),
        ("m(a=1,a=2)", "twice"),
    ],
)
def test_what_is_no_call_is_refused_with_the_reason(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        split_call(text)


@settings(deadline=None)
@given(
    NAMES, st.dictionaries(NAMES, SCALARS, max_size=3), st.sampled_from(["", "|version=1", "|a=(|version=2"])
)
def test_what_is_printed_reads_back(name: str, parameters: dict[str, Scalar], rest: str) -> None:
    printed = print_call(name, parameters.items())
    assert split_call(printed + rest) == Call(name, tuple(parameters.items()), rest)


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
        ("kettle(colour='green')", "'colour' of pot 'kettle': found 'green', expected 'red' or 'blue'"),
        ("kettle(colour='red',litres='2')", "'litres' of pot 'kettle': found '2', expected a number"),
        ("kettle(colour='red',cups=2.0)", "found 2.0, expected a whole number or None"),
        ("kettle(colour='red',cups=True)", "found True, expected a whole number or None"),
        ("kettle(colour='red',label=1)", "found 1, expected quoted text"),
        ("kettle(colour='red',hot=1)", "found 1, expected True or False"),
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
