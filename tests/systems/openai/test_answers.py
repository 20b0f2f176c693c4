from __future__ import annotations

import json

import pytest

from dialeval.errors import Unsuitable
from dialeval.systems.openai.answers import (
    Answer,
    Malformed,
    read_answer,
    read_echo,
    read_prompt_logprobs,
    refusal,
    said,
    spent_on,
    worth_retrying,
)
from dialeval.systems.openai.keys import Key


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"message": {"content": "Hi."}}, Answer("Hi.", None)),
        ({"message": {"content": None, "reasoning_content": "Hm."}}, Answer(None, None)),
        (
            {"message": {"content": "Hi."}, "logprobs": {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}},
            Answer("Hi.", -0.75),
        ),
        (
            {"text": "Hi", "logprobs": {"token_logprobs": [-1, -2.5], "tokens": ["H", "i"]}},
            Answer("Hi", -3.5),
        ),
        # The llama.cpp server answers completions in the chat API's format.
        ({"text": "Hi", "logprobs": {"content": [{"logprob": -2.0}]}}, Answer("Hi", -2.0)),
        ({"text": "Hi", "logprobs": None}, Answer("Hi", None)),
        ({"text": "Hi", "logprobs": {"content": []}}, Answer("Hi", None)),
    ],
)
def test_answers_of_every_api_are_read(choice: dict, expected: Answer) -> None:
    assert read_answer({"choices": [choice]}) == expected


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"choices": []},
        {"choices": ["Hi"]},
        {"choices": [{"text": 3}]},
        {"choices": [{"text": "Hi", "logprobs": {"token_logprobs": [0.5]}}]},
        {"choices": [{"text": "Hi", "logprobs": {"token_logprobs": [float("nan")]}}]},
        {"choices": [{"text": "Hi", "logprobs": {"content": [{"token": "H"}]}}]},
    ],
)
def test_other_shapes_are_malformed(body: object) -> None:
    with pytest.raises(Malformed):
        read_answer(body)


def test_tokens_are_those_the_server_counts() -> None:
    assert spent_on({"usage": {"total_tokens": 12}}).total == 12
    assert spent_on({"usage": None}).total is None
    assert spent_on({}).total is None


# As vLLM 0.16 answers "The step of" with echo, logprobs and one token to generate.
ECHO = {
    "choices": [
        {
            "text": "The step of 1",
            "logprobs": {
                "text_offset": [0, 3, 8, 11],
                "token_logprobs": [None, -8.82, -1.55, -0.41],
                "tokens": ["The", " step", " of", " 1"],
                "top_logprobs": [None, {" step": -8.82, " is": -0.79}, {" of": -1.55}, {" 1": -0.41}],
            },
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}


def test_echo_gives_the_prompts_tokens_and_not_what_came_after() -> None:
    tokens, logprobs = read_echo(ECHO, "The step of")
    assert tokens == ("The", " step", " of")
    assert logprobs == (None, -8.82, -1.55)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": " 1"}, "did not repeat the prompt"),
        ({"logprobs": None}, "did not repeat the prompt"),
        ({"logprobs": {"content": [{"logprob": -1.0}]}}, "did not repeat the prompt"),
        ({"logprobs": {"tokens": ["The"], "token_logprobs": [None]}}, "lists only 1"),
        (
            {"logprobs": {"tokens": ["The", " step", " of"], "token_logprobs": [None, None, -1]}},
            "left .* out",
        ),
    ],
)
def test_an_echo_that_lacks_something_is_refused(change: dict, reason: str) -> None:
    body = {**ECHO, "choices": [{**ECHO["choices"][0], **change}]}
    with pytest.raises(Unsuitable, match=reason):
        read_echo(body, "The step of")


def test_an_echo_without_a_count_must_hold_the_prompt_alone() -> None:
    with pytest.raises(Unsuitable, match="without saying"):
        read_echo({"choices": ECHO["choices"]}, "The step of")
    assert read_echo({"choices": ECHO["choices"]}, "The step of 1").logprobs[-1] == -0.41


def place(*pairs: tuple[int, float]) -> dict:
    return {
        str(token): {"logprob": value, "rank": at, "decoded_token": "?"}
        for at, (token, value) in enumerate(pairs)
    }


@pytest.mark.parametrize("where", ["choice", "top"])
def test_of_two_tokens_at_a_place_the_less_likely_is_the_prompts(where: str) -> None:
    listed = [
        None,
        place((7, -3.0), (9, -0.1)),
        place((9, -0.2), (4, -5.0)),
        place((5, -0.3)),
        place((2, -1), (3, -1)),
    ]
    body = {"choices": [{"prompt_logprobs": listed}]} if where == "choice" else {"choices": [{}]}
    if where == "top":
        body["prompt_logprobs"] = listed
    found = read_prompt_logprobs(body)
    assert found.tokens == ("", "7", "4", "5", "2")
    assert found.logprobs == (None, -3.0, -5.0, -0.3, -1.0)


@pytest.mark.parametrize("listed", [None, [], "x"])
def test_a_server_without_prompt_logprobs_is_refused(listed: object) -> None:
    with pytest.raises(Unsuitable, match="gave no 'prompt_logprobs'"):
        read_prompt_logprobs({"choices": [{"prompt_logprobs": listed}]})


NO_KEY = Key(None)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (
            '{"error": {"message": "No such\\n model.", "type": "NotFoundError", "code": 404}}',
            "No such model. (NotFoundError)",
        ),
        ('{"error": "plain"}', "plain"),
        ('{"object": "error", "message": "older vLLM", "code": 400}', "older vLLM"),
        ('{"detail": "Not Found"}', "Not Found"),
        ("<html><h1>502</h1> Bad gateway</html>", "502 Bad gateway"),
        ('{"weird": 1}', '{"weird": 1}'),
        ("[1]", "[1]"),
        ("", "it gave no reason."),
    ],
)
def test_the_message_is_found_in_every_kind_of_body(body: str, shown: str) -> None:
    assert said(body, NO_KEY) == shown


def test_long_messages_are_cut() -> None:
    assert len(said("word " * 1000, NO_KEY)) < 310


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "The maximum context length is 4097 tokens.", "code": "context_length_exceeded"}}',
        '{"error": {"message": "request (4031 tokens) exceeds the available context size (1024 tokens)", '
        '"type": "exceed_context_size_error"}}',
        '{"error": {"message": "The decoder prompt (length 9) is longer than the maximum model context length of 8."}}',
    ],
)
def test_contexts_that_are_too_long_are_recognised(body: str) -> None:
    refused = refusal(400, body, NO_KEY, None)
    assert refused.kind == "too_long"
    assert refused.one_item


def test_a_code_counts_though_the_message_is_too_long_to_be_shown() -> None:
    body = json.dumps({"error": {"message": "word " * 100, "code": "content_filter", "param": "max_tokens"}})
    refused = refusal(400, body, NO_KEY, None)
    assert "content_filter" not in refused.said
    assert (refused.kind, refused.wants_tokens) == ("filtered", True)


def test_an_account_without_credit_is_not_asked_again() -> None:
    spent = '{"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}}'
    assert not worth_retrying(429, spent)
    assert worth_retrying(429, '{"error": {"message": "insufficient_quota is not the reason"}}')


def test_other_refusals_concern_all_items() -> None:
    assert not refusal(404, '{"error": {"message": "The model `x` does not exist."}}', NO_KEY, None).one_item
    assert not refusal(400, '{"error": {"message": "max_tokens must be at least 1"}}', NO_KEY, None).one_item


@pytest.mark.parametrize(
    ("status", "again"),
    [(200, False), (301, False), (400, False), (401, False), (404, False), (408, True), (409, True), (425, True),
     (429, True), (500, True), (501, False), (502, True), (503, True), (504, True), (529, True)],
)  # fmt: skip
def test_what_may_pass_is_tried_again(status: int, again: bool) -> None:
    assert worth_retrying(status, "") is again
