from __future__ import annotations

from dataclasses import dataclass, field, fields

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter

from dialeval.errors import DialevalError, UnknownName
from dialeval.systems.decoding import Decoding
from dialeval.systems.decoding.settings import METHODS


@dataclass(frozen=True, slots=True)
class Speaker:
    """A system with a decoding, as a study would build it."""

    name: str
    decoding: Decoding = field(default_factory=Decoding)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"method": "beam", "beams": 10}, Decoding("beam", beams=10)),
        ({"method": "nucleus", "top_p": 1}, Decoding("nucleus", top_p=1.0)),
        ("beam", Decoding("beam")),
        ("diverse_beam(beams=6,groups=3)", Decoding("diverse_beam", beams=6, groups=3)),
        (Decoding("top_k", top_k=5), Decoding("top_k", top_k=5)),
        ({}, Decoding()),
    ],
)
def test_a_study_writes_decoding_as_a_table_or_a_word(given, meant):
    built = TypeAdapter(Speaker).validate_python({"name": "a", "decoding": given}).decoding
    assert built == meant
    assert [type(getattr(built, one.name)) for one in fields(built)] == [
        type(one.default) for one in fields(built)
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "beem"}, "Did you mean 'beam'"),
        ({"beam": 10}, "Did you mean 'beams'"),
        ({"method": "beam", "beams": "10"}, "'beams': found '10', expected a whole number"),
        ({"method": "beam", "beams": True}, "expected a whole number"),
        ({"method": "beam", "beams": 0}, "found 0, expected a whole number of at least 1"),
        ({"method": "diverse_beam", "beams": 5, "groups": 2}, "divides the 5 beams"),
        ({"method": "nucleus", "top_p": 0}, "above 0 and at most 1"),
        ({"method": "nucleus", "top_p": float("nan")}, "above 0 and at most 1"),
        ({"method": "sample", "temperature": 0}, "'greedy'"),
        ({"max_tokens": 3, "min_tokens": 4}, "between 0 and max_tokens"),
        ({"top_p": 0.5}, "does not use 'top_p'"),
        ("beam(10)", "without its name"),
        ("beam|x", "after the decoding"),
    ],
)
def test_what_cannot_be_meant_is_said(given, said):
    with pytest.raises(DialevalError, match=said.replace("(", r"\(").replace("|", r"\|")):
        TypeAdapter(Speaker).validate_python({"name": "a", "decoding": given})


def test_a_number_is_no_decoding():
    with pytest.raises(ValueError, match="needs a method or options"):
        TypeAdapter(Speaker).validate_python({"name": "a", "decoding": 3})


def test_an_unknown_method_in_code_suggests_the_close_one():
    with pytest.raises(UnknownName, match="'nucleus'"):
        Decoding("nucleous")  # type: ignore[arg-type]


@given(method=st.sampled_from(sorted(METHODS)), tokens=st.integers(1, 99))
def test_what_prints_parses_back(method, tokens):
    decoding = Decoding(method, max_tokens=tokens)
    assert Decoding.parse(str(decoding)) == decoding
    assert "=" not in decoding.fact
    assert "|" not in decoding.fact


def test_only_what_the_method_uses_is_shown():
    assert str(Decoding("nucleus")) == "nucleus(top_p=0.9,temperature=1.0,max_tokens=40,min_tokens=1)"
    assert str(Decoding()) == "greedy(max_tokens=40,min_tokens=1)"
