"""The record of a judge: every verdict that is lacking is counted, and every request is paid for once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dialeval.core import Resampling
from dialeval.data.types import Example, Response, Turn
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.judge import Judge
from dialeval.judge.document import judge_notes
from dialeval.judge.record import record_of
from support.bot_server import Raw, bot_server
from support.judge_server import chances, refusing, response_of, spread

PLAN = Plan(resampling=Resampling(resamples=0))


def example(item: str, text: str) -> Example:
    return Example(item, "bot", (Turn("user", "Is it open?"),), Response(text))


def reply(body: Mapping) -> dict | Raw:
    """A refusal, a failure, or a score for 100 tokens asked and 10 replied."""
    text = response_of(body)
    if text == "refused":
        return Raw(json.dumps({"error": {"message": "no", "code": "content_filter"}}).encode(), 400)
    return refusing("out of order", 500) if text == "failed" else spread(chances([0.9, 0.1]))


def test_verdicts_that_never_came_are_counted_and_hide_no_cost(tmp_path: Path) -> None:
    given = [example(str(place), text) for place, text in enumerate(("yes", "no", "no", "refused", "failed"))]
    with bot_server(whole=reply) as server:
        judge = Judge("m", base_url=server.url, cache=str(tmp_path), retries=0, price_input=1.0)
        result = evaluate(judge, given, PLAN)
        record = record_of("judge", judge, given)
    assert (result.scored, len(result.reasons)) == (3, 2)
    assert record.verdicts == 3
    assert record.unscored == {"refused": 1, "failed": 1}
    assert (record.prompt_tokens, record.completion_tokens) == (200, 20)  # two answers of three differ
    assert record.cost == pytest.approx(200e-6)
    (note,) = judge_notes([record])
    assert "no value from 2 verdicts" in note


def test_a_panel_whose_names_have_spaces_is_answered_by_itself(tmp_path: Path) -> None:
    def named(body: Mapping) -> dict:
        return {**spread(chances([1.0])), "model": body["model"]}

    with bot_server(whole=named) as server:
        judge = Judge("one, two", base_url=server.url, cache=str(tmp_path), retries=0)
        judge.statistics([example("1", "yes")])
        record = record_of("judge", judge, [example("1", "yes")])
    assert record.returned == ("one", "two")
    assert record.unscored == {}
    (note,) = judge_notes([record])
    assert "answered by" not in note
