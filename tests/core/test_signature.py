"""Signatures print and parse back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.core import Signature

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
scalars = st.one_of(
    st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()
)
parameters = st.lists(
    st.tuples(names.filter(lambda n: n not in _KEYWORDS), scalars), unique_by=lambda p: p[0], max_size=4
)
fact_values = st.text(st.characters(exclude_characters="|=", exclude_categories=["Cs"]), min_size=1)
facts = st.lists(st.tuples(names.filter(lambda n: n != "version"), fact_values), max_size=3)
_KEYWORDS = {"as", "if", "in", "is", "or", "and", "def", "del", "for", "not", "try", "from", "else", "elif", "with"} | {
    "pass", "None", "True", "False", "class", "raise", "while", "yield", "async", "await", "break", "except", "global",
    "import", "lambda", "return", "assert", "finally", "continue", "nonlocal",
}  # fmt: skip


@given(
    name=names.filter(lambda n: n not in _KEYWORDS),
    params=parameters,
    facts=facts,
    version=st.integers(1, 99),
)
def test_a_signature_prints_and_parses_back(name, params, facts, version):
    signature = Signature(name, tuple(params), tuple(facts), version)
    assert Signature.parse(str(signature)) == signature


def test_a_signature_reads_as_one_short_line():
    signature = Signature("bleu", (("order", 4), ("profile", "nlgeval")), (("tokens", "whitespace"),), 2)
    assert str(signature) == "bleu(order=4,profile='nlgeval')|tokens=whitespace|version=2"
    assert signature.call == "bleu(order=4,profile='nlgeval')"


@pytest.mark.parametrize(
    "text",
    ["", "bleu", "bleu(order=4)", "bleu|tokens", "bleu|version=x", "bleu(|version=1", "bleu(4)|version=1"],
)
def test_text_that_is_no_signature_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        Signature.parse(text)


@pytest.mark.parametrize(
    "fact", [("a b", "x"), ("version", "2"), ("key", "a|b"), ("key", "a=b"), ("key", "")]
)
def test_facts_that_would_not_parse_back_are_refused(fact):
    with pytest.raises(ValueError, match="not a signature fact"):
        Signature("bleu", (), (fact,))
