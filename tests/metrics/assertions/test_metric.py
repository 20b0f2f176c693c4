"""Assertions as measures: each kind by hand, for all items and from the data; patterns that would never end."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import build
from dialeval.data.types import LANGUAGES, Assertion, Example, Response
from dialeval.errors import DialevalError
from dialeval.evaluation.compare import compare
from dialeval.evaluation.runner import evaluate
from dialeval.metrics.assertions import patterns
from dialeval.metrics.assertions.languages import TOLD, language_of
from dialeval.metrics.assertions.metric import Assertions, Contains, Regex, check
from dialeval.metrics.assertions.patterns import SearchDied, _is_simple, _Searcher, search
from dialeval.metrics.facts.metric import read_facts

NAMES = ("assertions", "contains", "not_contains", "regex", "equals", "json", "max_length", "language")


def example(response: str, *assertions: Assertion, item: str = "1", system: str = "s") -> Example:
    return Example(item, system, (), Response(response), (), (), assertions)


@pytest.mark.parametrize(
    ("measure", "response", "value"),
    [
        ("contains(text='refund')", "Your refund is on its way.", 1),
        ("contains(text='refund')", "Refund sent.", 0),
        ("contains(text='refund',ignore_case=True)", "Refund sent.", 1),
        ("not_contains(text='sorry')", "I am sorry.", 0),
        ("not_contains(text='sorry')", "Done.", 1),
        (r"regex(pattern='\\d+ days')", "It takes 3 days.", 1),
        (r"regex(pattern='^\\d+$')", "3 days", 0),
        ("regex(pattern='yes',ignore_case=True)", "YES", 1),
        ("equals(text='yes')", " yes\n", 1),
        ("equals(text='yes')", "Yes", 0),
        ("json", '{"a": 1}', 1),
        ("json", '```json\n{"a": 1}\n```', 0),
        ("json", "[" * 100_000, 0),
        ("json(required='a, b')", '{"a": 1}', 0),
        ("json(required='a')", '{"a": 1}', 1),
        ("max_length(words=3)", "one two three", 1),
        ("max_length(words=3)", "one two three four", 0),
        ("max_length(characters=5)", "fünf!", 1),
        ("max_length(words=9,characters=3)", "fünf", 0),
        ("language(code='en')", "Where is my parcel?", 1),
        ("language(code='en')", "Wo ist mein Paket? Ich warte.", 0),
        ("language(code='ja')", "ご注文は明日届きます。", 1),
    ],
)
def test_what_is_asked_of_every_item(measure: str, response: str, value: int) -> None:
    metric = build(measure)
    assert metric.unscorable(example(response)) is None
    assert metric.statistics([example(response)]).tolist() == [[value, 1]]


@pytest.mark.parametrize(
    ("assertion", "measure", "right", "wrong"),
    [
        (Assertion("contains", ["a", "b"]), "contains", "a b", "a c"),
        (Assertion("contains", ["a", "b"], negated=True), "not_contains", "c", "a c"),
        (Assertion("regex", r"^\w+$"), "regex", "word", "two words"),
        (Assertion("equals", "42"), "equals", "42", "43"),
        (Assertion("max_length", 2), "max_length", "one two", "one two three"),
        (Assertion("language", "de"), "language", "Das ist nicht gut.", "That is not good."),
        (
            Assertion(
                "json", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
            ),
            "json",
            '{"n": 1}',
            '{"n": true}',
        ),
    ],
)
def test_what_the_data_asks_of_an_item(assertion: Assertion, measure: str, right: str, wrong: str) -> None:
    for name in (measure, "assertions"):
        metric = build(name)
        rows = metric.statistics([example(right, assertion), example(wrong, assertion)])
        assert rows[:, 0].tolist() == [1, 0]
        assert metric.explain(example(right, assertion)) == ""  # type: ignore[attr-defined]
        assert metric.explain(example(wrong, assertion)).startswith("fails: ")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "json"])
def test_an_item_of_which_nothing_is_asked_is_unscored(name: str) -> None:
    assert (build(name).unscorable(example("x")) or "").startswith("no ")


def test_assertions_are_a_share_or_all_or_nothing() -> None:
    said = example(
        "It is $5.", Assertion("contains", "$5"), Assertion("max_length", 2), Assertion("equals", "x")
    )
    assert Assertions().statistics([said])[0, 0] == pytest.approx(1 / 3)
    assert Assertions(strict=True).statistics([said])[0, 0] == 0
    assert Assertions().explain(said) == "fails: max_length 2, equals 'x'"
    assert not Assertions().yes_no
    assert Assertions(strict=True).yes_no


@pytest.mark.parametrize("name", [name for name in NAMES if name != "assertions"])
def test_single_kinds_are_yes_or_no(name: str) -> None:
    metric = build(name)
    assert metric.yes_no


def test_intervals_are_exact_and_tests_are_mcnemars() -> None:
    good = [example("refund", item=str(at), system="a") for at in range(30)]
    bad = [example("refund" if at % 2 else "no", item=str(at), system="b") for at in range(30)]
    one, other = evaluate(Contains("refund"), good), evaluate(Contains("refund"), bad)
    assert one.estimate.bounds is not None
    assert one.estimate.low == pytest.approx(0.8843, abs=5e-4)  # Clopper-Pearson of 30 in 30
    assert compare(one, other).p_mcnemar == pytest.approx(2 * 0.5**15)  # 15 to 0


@pytest.mark.parametrize("name", NAMES)
def test_batching_and_order_change_nothing(name: str) -> None:
    metric = build(name)
    every = (Assertion("contains", "a"), Assertion("regex", "(a|b)+c*"), Assertion("max_length", 3))
    examples = [example(text, *every) for text in ("a", "b b b b", "", "{}", "東京 a")]
    rows = metric.statistics(examples)
    np.testing.assert_array_equal(
        np.concatenate([metric.statistics(examples[:2]), metric.statistics(examples[2:])]), rows
    )
    np.testing.assert_array_equal(metric.statistics(examples[::-1]), rows[::-1])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("regex(pattern='a(b')", "'pattern' of regex: found the pattern 'a(b': missing )"),
        ("regex(pattern='a(b')", "unterminated subpattern at position 1"),
        ("max_length(words=-1)", "'words' of max_length: found -1, expected a whole number from 0"),
        ("language(code='xx')", "'code' of language: found 'xx', expected one of ar, bg"),
        ("contains(txt='a')", "Did you mean 'text'?"),
        ("contains(text=5)", "found 5, expected quoted text"),
    ],
)
def test_bad_parameters_are_explained(name: str, complaint: str) -> None:
    with pytest.raises(DialevalError) as caught:
        build(name)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|a)*b", r"a*a*a*a*a*a*a*a*b"])
def test_a_pattern_that_would_take_forever_leaves_its_item_unscored(pattern: str) -> None:
    text = "a" * 60 + "!"
    began = time.monotonic()
    metric = Regex(pattern)
    reason = metric.unscorable(example(text))
    assert time.monotonic() - began < 60  # 0.2 seconds of CPU time on a busy machine
    found = metric.unscorable(example("a"))
    assert found is None  # and the next item is searched as if nothing had happened
    assert reason == f"the pattern {pattern!r} takes more than 0.2 seconds"


@pytest.mark.parametrize(
    ("pattern", "simple"),
    [
        (r"\d+ days", True),
        ("refund", True),
        ("colou?r", True),
        ("(yes|no)", True),
        ("(a|a)*b", False),
        ("(a+)+", False),
        ("a?" * 30 + "a" * 30, False),
        ("(a?){25}", False),
        (".*.*=", False),
        (r"(a)\1+", False),
    ],
)
def test_only_patterns_that_cannot_take_long_are_searched_for_here(pattern: str, simple: bool) -> None:
    assert _is_simple(pattern) is simple


def test_a_language_that_cannot_be_told_is_unscored() -> None:
    assert build("language(code='en')").unscorable(example("OK 42")) == "the language cannot be told"


def test_languages_of_our_sentences() -> None:
    """90 of 101 are told, none is wrong; the words were corrected on these."""
    lines = (Path(__file__).parent / "languages.jsonl").read_text(encoding="utf-8").splitlines()
    told = [(line["language"], language_of(line["text"])) for line in map(json.loads, lines)]
    assert len(told) == 101
    assert [pair for pair in told if pair[1] not in (pair[0], None)] == []
    assert sum(one == other for one, other in told) >= 90


@pytest.mark.parametrize(
    ("text", "schema", "fits"),
    [
        ("NaN", True, False),
        ('{"a": -Infinity}', True, False),
        ("1.0", {"type": "integer"}, True),
        ("1.5", {"type": "integer"}, False),
        ("true", {"enum": [1]}, False),
        ("1.0", {"enum": [1]}, True),
        ('{"a": [true]}', {"const": {"a": [1]}}, False),
        ('{"a": [1]}', {"const": {"a": [1.0]}}, True),
    ],
)
def test_values_are_those_of_json_and_not_of_python(text: str, schema: object, fits: bool) -> None:
    assert check(Assertion("json", schema), text).held is fits


def test_data_may_ask_for_the_languages_that_can_be_told() -> None:
    assert frozenset(LANGUAGES) == TOLD
    assert list(LANGUAGES) == sorted(LANGUAGES)


def test_a_search_whose_process_dies_once_is_made_again(tmp_path: Path, monkeypatch) -> None:
    script = tmp_path / "process.py"
    script.write_text(
        "import os, pathlib, signal\ninput()\nseen = pathlib.Path(__file__ + '.seen')\n"
        "if not seen.exists():\n    seen.touch()\n    os.kill(os.getpid(), signal.SIGKILL)\nprint('true')\n"
    )
    monkeypatch.setattr(patterns, "_PROCESS", script)
    searcher = _Searcher()
    assert searcher.search("a", 0, "a") is True
    searcher.close()


def test_a_search_whose_process_dies_is_not_said_to_be_slow_and_is_not_remembered(
    tmp_path: Path, monkeypatch
) -> None:
    script = tmp_path / "process.py"
    script.write_text("input()\nraise SystemExit(3)\n")
    pattern = "(x+x+)+y died"
    with monkeypatch.context() as broken:
        broken.setattr(patterns, "_PROCESS", script)
        broken.setattr(patterns, "_SEARCHER", _Searcher())
        reason = check(Assertion("regex", pattern), "xxy died").reason
        with pytest.raises(SearchDied):
            search(pattern, "xxy died")
    assert reason == f"the search for the pattern {pattern!r} failed: its process ended with code 3"
    assert search(pattern, "xxy died") is True


def test_searching_needs_no_forks(monkeypatch) -> None:
    monkeypatch.delattr(os, "register_at_fork")
    searcher = _Searcher()
    assert searcher.search("b", 0, "abc") is True
    searcher.close()


def test_no_cache_of_whole_texts_is_large() -> None:
    for cached in (search, language_of, read_facts):
        assert cached.cache_info().maxsize <= 10_000
