"""Parts of records: messages as files have them."""

from __future__ import annotations

import pytest

from dialeval.data import Where, decode
from dialeval.data.codec.parts import assertions_of, knowledge_of, turns
from dialeval.data.prompts import prompt_of
from dialeval.data.types import Assertion, Turn
from dialeval.errors import BadInput

WHERE = Where("answers.jsonl", 3)


def test_what_parquet_packs_beside_role_and_content_is_unpacked():
    calls = [{"function": {"name": "seek"}}]
    message = {
        "role": "assistant",
        "content": None,
        "extra": '{"tool_calls": [{"function": {"name": "seek"}}]}',
    }
    expected = Turn("assistant", "", extra={"content": None, "tool_calls": calls})
    assert turns([message], WHERE, "context") == (expected,)


@pytest.mark.parametrize(
    "extra", ["my note", "[1]", "7", "{", "[" * 100_000, '{"mine": 1}', {"mine": 1}, None]
)
def test_a_field_called_extra_that_is_not_ours_is_passed_over_as_other_fields_are(extra):
    message = {"role": "user", "content": "hello", "extra": extra}
    assert turns([message], WHERE, "context") == (Turn("user", "hello"),)


HERE = Where("data.jsonl", 7)


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        (None, ()),
        ("It is $5.", ("It is $5.",)),
        (["a", "", None, "b"], ("a", "b")),
        ({"price": "$5", "days": [1, 2]}, ("price: $5\ndays: 1, 2",)),
        ([{"price": 5}], ("price: 5",)),
    ],
)
def test_knowledge_is_texts_however_it_is_written(given: object, texts: tuple[str, ...]) -> None:
    assert knowledge_of({"knowledge": given}) == texts


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([{"contains": "refund"}], Assertion("contains", "refund")),
        ({"not_contains": ["a", "b"]}, Assertion("contains", ["a", "b"], negated=True)),
        ([{"type": "contains", "value": "refund"}], Assertion("contains", "refund")),
        ([{"type": "icontains", "value": "refund"}], Assertion("contains", "refund", ignore_case=True)),
        ([{"type": "not-contains", "value": "x"}], Assertion("contains", "x", negated=True)),
        ([{"contains": "x", "ignore_case": True}], Assertion("contains", "x", ignore_case=True)),
        ([{"type": "is-json"}], Assertion("json", True)),
        ([{"json": {"required": ["a"]}}], Assertion("json", {"required": ["a"]})),
        ([{"regex": r"\d+"}], Assertion("regex", r"\d+")),
        ([{"max_length": 60}], Assertion("max_length", 60)),
        ([{"language": "en"}], Assertion("language", "en")),
        ('[{"equals": "yes"}]', Assertion("equals", "yes")),
    ],
)
def test_assertions_are_written_as_in_promptfoo_or_shorter(given: object, expected: Assertion) -> None:
    assert assertions_of({"assert": given}, HERE) == (expected,)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("x", "field 'assert': found the text 'x', expected a list of assertions"),
        ([5], "field 'assert[0]': found the number 5, expected an assertion"),
        ([{"contain": "x"}], "Did you mean 'contains'?"),
        ([{"contains": ""}], "expected a text or a list of texts, none of them empty"),
        ([{"regex": "(a"}], "field 'assert[0].regex': found the pattern '(a': missing )"),
        ([{"regex": "b(a"}], "unterminated subpattern at position 1"),
        ([{"regex": 5}], "found the number 5, expected a pattern as text"),
        ([{"max_length": -1}], "expected a number of words"),
        ([{"json": 3}], "expected true or a schema"),
        (
            [{"json": {"items": {"pattern": "x"}}}],
            "found the keyword 'pattern', expected keywords among type",
        ),
        ([{"json": {"properties": {"a": 5}}}], "found the number 5, expected a schema"),
        ([{"json": {"enum": 5}}], "found enum: the number 5, expected a list of values"),
        ([{"json": {"type": "text"}}], "found type: the text 'text', expected one of object, array"),
        ([{"json": {"type": ["string", 5]}}], "found type: a list, expected one of object, array"),
        (
            [{"json": {"items": {"required": "id"}}}],
            "found required: the text 'id', expected a list of names",
        ),
        ([{"json": {"additionalProperties": {}}}], "additionalProperties: an object, expected true or false"),
        ([{"language": "EN"}], "found the text 'EN', expected one of ar, bg"),
        ([{"language": "english"}], "found the text 'english', expected one of ar, bg"),
        ([{"language": ["en"]}], "found a list, expected one of ar, bg"),
        ([{"contains": "x", "weight": 2}], "found the option 'weight'"),
        ([{"type": "contains", "value": "x", "metric": "m"}], "found the option 'metric'"),
        ([{"type": "contains", "value": "x", "threshold": 1}], "found the option 'threshold'"),
        ([{}], "expected an assertion"),
        ([{"contains": "x", "ignore_case": "yes"}], "assert[0].ignore_case"),
    ],
)
def test_a_bad_assertion_is_refused_by_line_and_field(given: object, complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        assertions_of({"assert": given}, HERE)
    assert str(caught.value).startswith("data.jsonl, line 7, field 'assert")
    assert complaint in str(caught.value)


def test_examples_and_their_prompts_have_both() -> None:
    fields = {
        "id": "1",
        "system": "s",
        "context": [],
        "response": "r",
        "knowledge": "k",
        "assert": [{"equals": "r"}],
    }
    example = decode(fields, "example", HERE)
    assert (example.knowledge, example.assertions) == (("k",), (Assertion("equals", "r"),))
    prompt = prompt_of(example)
    assert (prompt.knowledge, prompt.assertions) == (example.knowledge, example.assertions)
