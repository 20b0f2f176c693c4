"""Arbitrary records: any text a file can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from dialeval.data import (
    Assertion,
    Candidate,
    Dialogue,
    Example,
    Judgement,
    NBest,
    Prompt,
    Question,
    Response,
    Turn,
)

odd = st.sampled_from(
    ["", "\n", "\r", "\r\n", "\t", '"', "'", "\\", ",", "\x00", "\x85", "\u2028", "\ufeff", "{", "["]
)
odd |= st.sampled_from(
    ['{"text": "x"}', '{"text":', "[1]", "null", "NaN", "  ", "😀", "e\u0301", "\ufffe", "日本"]
)
texts = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), odd)
names = texts.filter(lambda text: bool(text) and not text.isspace())
"""What an item, a system or a rater can be called."""
numbers = st.floats(allow_nan=False, allow_infinity=False)
turns = st.builds(Turn, texts, texts, st.none() | texts)
contexts = st.lists(turns, max_size=3).map(tuple)
responses = st.builds(Response, texts, st.none() | numbers)
references = st.lists(texts.filter(str.strip), max_size=3).map(tuple)
leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | numbers | texts
metadata = st.dictionaries(
    texts, st.recursive(leaves, lambda inner: st.lists(inner, max_size=2), max_leaves=4), max_size=2
)
wrong = st.builds(Candidate, texts, st.just(False), st.none() | texts)
candidates = st.tuples(st.builds(Candidate, texts, st.just(True)), wrong).map(tuple)

assertions = st.lists(
    st.builds(
        Assertion,
        st.just("contains"),
        texts.filter(bool) | st.lists(texts.filter(bool), min_size=1),
        st.booleans(),
        st.booleans(),
    )
    | st.just(Assertion("max_length", {"characters": 40}))
    | st.just(Assertion("json", True, negated=True)),
    max_size=2,
).map(tuple)
RECORDS = {
    "dialogue": st.builds(Dialogue, names, contexts, texts, metadata),
    "prompt": st.builds(Prompt, names, contexts, references, references, assertions),
    "example": st.builds(Example, names, names, contexts, responses, references, references, assertions),
    "question": st.builds(
        Question, names, contexts, candidates, st.sampled_from(["vetted", "unvetted", None])
    ),
    "nbest": st.builds(
        NBest,
        names,
        names,
        contexts,
        st.lists(responses, max_size=3).map(tuple),
        st.sampled_from(["yes", "no", None]),
    ),
    # A table cannot tell an empty reason from none.
    "judgement": st.builds(
        Judgement,
        *(names, texts, names, texts),
        st.none() | numbers,
        st.none() | texts.filter(bool),
        st.none() | texts.filter(bool),
    ),
}
"""A strategy for each kind of record."""
