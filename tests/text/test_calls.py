from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.calls import Call, Scalar, print_call, split_call

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
        ("m(a={[]: 1})", "no plain value"),
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
