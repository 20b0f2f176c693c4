from __future__ import annotations

import json

import pytest

from dialeval.systems.openai.keys import Key
from dialeval.systems.openai.refusals import refusal, said, worth_retrying

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
