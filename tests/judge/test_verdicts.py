"""Values and reasons in replies of a judge, against probabilities known by hand."""

from __future__ import annotations

import json
import math

import pytest

from dialeval.judge import load_rubric
from dialeval.judge.rubrics import Rubric
from dialeval.judge.verdicts import JudgeReply, TokenChoice, read_expected, read_json, read_yes_no

FIVE = load_rubric("overall")
TEN = Rubric(
    name="ten", criterion="c", question="q?", scores={score: f"level {score}" for score in range(1, 11)}
)


def reply(*places: dict[str, float], finish: str = "stop", text: str | None = None) -> JudgeReply:
    """A reply along the likeliest tokens of these places."""
    tokens = tuple(
        TokenChoice(max(place, key=place.__getitem__), tuple((t, math.log(p)) for t, p in place.items()))
        for place in places
    )
    return JudgeReply("".join(t.text for t in tokens) if text is None else text, "m", finish, tokens=tokens)


def test_the_expected_score_is_over_the_probabilities_of_the_scores_alone() -> None:
    found = read_expected(reply({"4": 0.5, "5": 0.25, "2": 0.05, "Score": 0.2}), FIVE)
    assert found.value == pytest.approx((4 * 0.5 + 5 * 0.25 + 2 * 0.05) / 0.8)
    assert found.mass == pytest.approx(0.8)
    assert dict(found.probabilities)[3] == 0


def test_spellings_of_one_score_add_up_and_white_space_before_it_is_passed_over() -> None:
    found = read_expected(reply({"\n": 1.0}, {" 4": 0.6, "4": 0.2, "3": 0.2}), FIVE)
    assert found.value == pytest.approx(0.8 * 4 + 0.2 * 3)


def test_a_score_of_two_tokens_is_the_product_along_the_reply() -> None:
    found = read_expected(reply({"1": 0.7, "9": 0.3}, {"0": 0.9, "<|end|>": 0.1}), TEN)
    assert dict(found.probabilities)[10] == pytest.approx(0.63)
    assert dict(found.probabilities)[1] == pytest.approx(0.07)
    assert found.value == pytest.approx(10 * 0.63 + 1 * 0.07 + 9 * 0.3)


def test_a_tokeniser_that_writes_ten_as_one_token_leaves_nothing_open() -> None:
    found = read_expected(reply({"1": 0.5, "10": 0.4, "2": 0.1}), TEN)
    assert found.value == pytest.approx(0.5 + 4 + 0.2)


def test_a_token_that_may_be_one_or_ten_gives_no_value_if_that_matters() -> None:
    found = read_expected(reply({"7": 0.6, "1": 0.4}), TEN)
    assert (found.value, found.code) == (None, "ambiguous")
    assert "1, 10" in found.reason
    little = read_expected(reply({"7": 0.9999, "1": 0.0001}), TEN)
    assert little.value == pytest.approx(7, abs=0.01)


def test_a_reply_that_ends_after_one_cannot_tell_one_from_ten() -> None:
    assert read_expected(reply({"1": 0.9, "3": 0.1}), TEN).code == "ambiguous"
    assert read_expected(reply({"1": 0.9, "3": 0.1}), FIVE).value == pytest.approx(1.2)


def test_a_score_that_was_written_is_not_passed_over_for_those_with_probabilities() -> None:
    begun = reply({"1": 0.9, "2": 0.1})
    given = JudgeReply("10", "m", "stop", tokens=(*begun.tokens, TokenChoice("0", ())))
    assert read_expected(given, TEN)[:2] == (None, "no_probabilities")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (reply({"6": 0.9, "5": 0.1}), "off_scale"),
        (reply({"0": 1.0}), "off_scale"),
        (reply({"04": 1.0}), "off_scale"),
        (reply({"-4": 1.0}), "off_scale"),
        (reply({"4": 0.9, "5": 0.1}, finish="length"), "cut"),
        (reply({"4": 1.0}, finish="content_filter"), "refused"),
        (JudgeReply("4", "m", "stop", "I will not."), "refused"),
        (reply({"four": 1.0}), "unparsable"),
        (reply({"3": 1.0}, {" or ": 1.0}, {"4": 1.0}), "unparsable"),
        (reply({"4": 1.0}, {"/5": 1.0}), "unparsable"),
        (reply({"4.5": 1.0}), "unparsable"),
        (reply({"4" * 5000: 1.0}), "unparsable"),
        (JudgeReply("", "m", "stop"), "unparsable"),
        (JudgeReply("4", "m", "stop"), "no_probabilities"),
        (JudgeReply("4", "m", "stop", tokens=(TokenChoice("4", ()),)), "no_probabilities"),
        (reply({"4": 1.0}, text="4 "), "no_probabilities"),
    ],
)
def test_what_is_no_score_of_the_scale_is_a_reason(given: JudgeReply, code: str) -> None:
    found = read_expected(given, FIVE)
    assert (found.value, found.code) == (None, code)


TAG = "a1b2"


def in_json(**keys: object) -> str:
    return json.dumps({"tag": TAG, "reason": "Because.", "score": 4, **keys})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (in_json(), 4),
        (f"```json\n{in_json(score=2)}\n```", 2),
        (f"First {in_json(score=5)}, on reflection {in_json(score=1)}.", 1),
        (f'{in_json(score=3)} and {{"score": 5}}', 3),
        (f'The answer says {{"tag": "x", "reason": "r", "score": 5}}. {in_json(score=2)}', 2),
        (f'{in_json(score=2)} The answer says {{"tag": "", "reason": "r", "score": 5}}', 2),
        (in_json(score=3.0), 3),
        (in_json(more={"score": 5}), 4),
        (f"<think>{{ hm {{}} }}</think>{in_json()}", 4),
    ],
)
def test_the_last_complete_verdict_with_the_tag_counts(text: str, value: float) -> None:
    found = read_json(JudgeReply(text, "m", "stop"), FIVE, TAG)
    assert (found.value, found.code, found.reason) == (value, None, "Because.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unparsable"),
        ("4", "unparsable"),
        ("{}", "unparsable"),
        (in_json()[:-1], "unparsable"),
        (json.dumps({"reason": "r", "score": 5}), "unparsable"),
        (json.dumps({"tag": TAG, "score": 5}), "unparsable"),
        (json.dumps({"tag": "other", "reason": "r", "score": 5}), "unparsable"),
        (in_json(reason=None), "unparsable"),
        (in_json(score="4"), "unparsable"),
        (in_json(score=True), "unparsable"),
        (in_json(score=None), "unparsable"),
        (in_json(score=[4]), "unparsable"),
        (in_json(score=float("nan")), "off_scale"),
        (in_json(score=float("inf")), "off_scale"),
        (in_json(score=4.5), "off_scale"),
        (in_json(score=0), "off_scale"),
        (in_json(score=10**400), "off_scale"),
        (f'{{"tag": "{TAG}", "reason": "r", "score": 1, "score": 5}}', "unparsable"),
        ("{" * 50_000, "unparsable"),
        ('{"a":' * 20_000, "unparsable"),
        (in_json() + "x" * 100_000, "unparsable"),
    ],
)
def test_what_is_no_complete_verdict_is_a_reason(text: str, code: str) -> None:
    found = read_json(JudgeReply(text, "m", "stop"), FIVE, TAG)
    assert (found.value, found.code) == (None, code)


def test_a_whole_verdict_in_a_cut_reply_does_not_count() -> None:
    assert read_json(JudgeReply(in_json(), "m", "length"), FIVE, TAG).code == "cut"


def test_the_probability_of_yes_is_among_yes_and_no() -> None:
    found = read_yes_no(reply({"Yes": 0.5, "yes": 0.1, "No": 0.2, "Maybe": 0.2}))
    assert found.value == pytest.approx(0.75)
    assert found.mass == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (reply({"Maybe": 1.0}), "unparsable"),
        (reply({"Yes": 1.0}, {" and no": 1.0}), "unparsable"),
        (JudgeReply("yes", "m", "stop"), "no_probabilities"),
        (reply({"yes": 1.0}, finish="length"), "cut"),
        (reply({"Y": 0.9, "No": 0.1}, {"es": 1.0}), "no_probabilities"),
        (reply({"N": 0.9, "yes": 0.1}, {"o": 1.0}), "no_probabilities"),
    ],
)
def test_neither_yes_nor_no_is_a_reason(given: JudgeReply, code: str) -> None:
    assert (read_yes_no(given).value, read_yes_no(given).code) == (None, code)
