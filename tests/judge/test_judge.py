"""The measure over a scripted server: values, reasons, what is sent, what is kept, and what is refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import build
from dialeval.core import Resampling
from dialeval.core.signature import Signature
from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.errors import BadInput, DialevalError, RunFailed, Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.judge import Judge
from dialeval.judge.document import REASONS
from support.bot_server import Raw, bot_server
from support.judge_server import (
    called,
    chances,
    data_of,
    refusing,
    response_of,
    said,
    spread,
    tag_of,
    verdict,
)

PLAN = Plan(resampling=Resampling(resamples=0))


def example(item: str, text: str, *references: str, system: str = "bot") -> Example:
    return Example(item, system, (Turn("user", "Is it open?"),), Response(text), references)


EXAMPLES = [example(str(number), f"Answer {number}.") for number in range(1, 6)]


def judge(url: str, cache: Path, **options: object) -> Judge:
    return Judge("m-1", base_url=url, cache=str(cache), **{"retries": 0, **options})


def number_in(body: Mapping) -> int:
    return int(response_of(body).split()[1].rstrip("."))


def test_expected_scores_are_those_of_known_probabilities(tmp_path: Path) -> None:
    likely = {1: [1.0], 2: [0.5, 0.5], 3: [0.1, 0.1, 0.8], 4: [0.2] * 5, 5: [0.01, 0.01, 0.01, 0.01, 0.96]}
    with bot_server(whole=lambda body: spread(chances(likely[number_in(body)]))) as server:
        result = evaluate(judge(server.url, tmp_path), EXAMPLES, PLAN)
    expected = [sum((k + 1) * p for k, p in enumerate(row)) / sum(row) for row in likely.values()]
    np.testing.assert_allclose(result.values, expected, rtol=1e-12)
    assert result.score == pytest.approx(np.mean(expected))
    body = server.bodies[0]
    assert (body["logprobs"], body["top_logprobs"], body["temperature"]) == (True, 20, 0)
    assert "response_format" not in body


def test_json_verdicts_are_held_to_a_schema_and_keep_reason_and_reply(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: verdict(body, number_in(body), "So <b>it</b> is.")) as server:
        metric = judge(server.url, tmp_path, mode="json")
        result = evaluate(metric, EXAMPLES, PLAN)
    assert result.values.tolist() == [1, 2, 3, 4, 5]
    wanted = server.bodies[0]["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["tag", "reason", "score"]
    assert wanted["schema"]["properties"]["score"]["enum"] == [1, 2, 3, 4, 5]
    told = metric.explain(EXAMPLES[1])
    assert told.startswith(
        "2: So <b>it</b> is.; by judge-2026-11-01, held to its form by json_schema; reply: {"
    )


def test_yes_no_is_a_probability(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: spread({"yes": 0.6, "No": 0.2, "hm": 0.2})) as server:
        metric = judge(server.url, tmp_path, mode="yes_no", rubric="safety")
        result = evaluate(metric, EXAMPLES, PLAN)
    np.testing.assert_allclose(result.values, 0.75)
    assert metric.limits == (0, 1)
    assert "Is what the judged side says free of anything" in server.bodies[0]["messages"][0]["content"]


HOSTILE = {
    1: lambda body: said("5"),  # no JSON
    2: lambda body: verdict(body, 9),
    3: lambda body: said(json.dumps({"tag": tag_of(body), "reason": "r", "score": 5}), "length"),
    4: lambda body: said(None) | {"choices": [{"message": {"content": None, "refusal": "No."}}]},
    5: lambda body: verdict(body, 3),
}


def test_what_is_no_verdict_is_a_reason_and_never_a_value(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: HOSTILE[number_in(body)](body)) as server:
        metric = judge(server.url, tmp_path, mode="json")
        result = evaluate(metric, EXAMPLES, PLAN)
    codes = ("unparsable", "off_scale", "cut", "refused")
    assert dict(result.reasons) == {place: REASONS[code] for place, code in enumerate(codes)}
    assert result.score == 3
    assert result.scored == 1
    assert "reply: 5" in metric.explain(EXAMPLES[0])
    assert "No." in metric.explain(EXAMPLES[3])


@pytest.mark.parametrize(
    "broken", [said("x"), {"choices": []}, {}, {"choices": [{"message": {"content": 5}}]}]
)
def test_a_judge_that_only_talks_nonsense_has_no_score(broken: dict, tmp_path: Path) -> None:
    with bot_server(whole=lambda _: broken) as server:
        metric = judge(server.url, tmp_path, mode="json")
        try:
            result = evaluate(metric, EXAMPLES[:2], PLAN)
        except RunFailed:
            return
    assert result.scored == 0
    assert np.isnan(result.score)


def test_a_server_that_refuses_schemas_is_asked_by_tools_and_remembered(tmp_path: Path) -> None:
    def reply(body: Mapping) -> dict | Raw:
        if "response_format" in body:
            return refusing("response_format of type json_schema is not supported")
        return verdict(body, number_in(body))

    with bot_server(whole=reply) as server:
        metric = judge(server.url, tmp_path, mode="json")
        assert evaluate(metric, EXAMPLES, PLAN).values.tolist() == [1, 2, 3, 4, 5]
        assert sum("response_format" in body for body in server.bodies) == 1
        assert server.bodies[-1]["tool_choice"]["function"]["name"] == "verdict"
        assert "held to its form by tools" in metric.explain(EXAMPLES[0])
        asked = len(server.bodies)
        more = [*EXAMPLES, example("6", "Answer 4. Really.")]
        assert evaluate(metric, more, PLAN).values.tolist() == [1, 2, 3, 4, 5, 4]
        assert len(server.bodies) == asked + 1


def test_a_server_that_takes_neither_is_asked_plainly_and_says_so(tmp_path: Path) -> None:
    def reply(body: Mapping) -> dict | Raw:
        if "response_format" in body:
            return refusing("unknown field: response_format")
        if "tools" in body:
            return refusing("tools are not supported by this model")
        return said(f"```json\n{json.dumps({'tag': tag_of(body), 'reason': 'r', 'score': 2})}\n```")

    with bot_server(whole=reply) as server:
        metric = judge(server.url, tmp_path, mode="json")
        assert evaluate(metric, EXAMPLES[:2], PLAN).values.tolist() == [2, 2]
        assert "held" not in metric.explain(EXAMPLES[0])


def test_a_server_that_wants_its_limit_under_another_name_gets_it(tmp_path: Path) -> None:
    def reply(body: Mapping) -> dict | Raw:
        if "max_tokens" in body:
            return refusing("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return spread(chances([0, 1.0][1:], 2))

    with bot_server(whole=reply) as server:
        assert evaluate(judge(server.url, tmp_path), EXAMPLES[:2], PLAN).values.tolist() == [2, 2]


def test_replies_are_kept_so_that_nothing_is_asked_twice(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: spread(chances([0.5, 0.5]))) as server:
        metric = judge(server.url, tmp_path)
        first = evaluate(metric, EXAMPLES, PLAN)
        asked = len(server.bodies)
        again = evaluate(metric, EXAMPLES[::-1], PLAN)
        assert len(server.bodies) == asked == 5
        np.testing.assert_array_equal(again.values, first.values)
        for change in (
            {"rubric": "safety"},
            {"seed": 1},
            {"revision": "b"},
            {"mode": "json"},
            {"temperature": 0.5},
        ):
            before = len(server.bodies)
            judge(server.url, tmp_path, **change).statistics(EXAMPLES[:1])
            assert len(server.bodies) == before + 1, change


def test_an_item_that_the_server_fails_on_is_asked_for_again(tmp_path: Path) -> None:
    broken = [True]

    def reply(body: Mapping) -> dict | Raw:
        if number_in(body) == 3 and broken:
            return refusing("out of order", 500)
        return spread(chances([0.5, 0.5]))

    with bot_server(whole=reply) as server:
        metric = judge(server.url, tmp_path)
        result = evaluate(metric, EXAMPLES, PLAN)
        assert dict(result.reasons) == {2: REASONS["failed"]}
        broken.clear()
        assert evaluate(metric, EXAMPLES, PLAN).scored == 5
        assert len(server.bodies) == 6


def test_a_budget_of_requests_is_never_exceeded(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: spread(chances([1.0]))) as server:
        with pytest.raises(RunFailed, match=r"budget.* 3 of the 5 answers asked for are kept"):
            judge(server.url, tmp_path, budget=3).statistics(EXAMPLES)
        assert len(server.bodies) == 3


def test_a_server_that_is_down_has_given_nothing_to_keep(tmp_path: Path) -> None:
    with (
        bot_server(whole=lambda body: Raw(b"{}", 500)) as server,
        pytest.raises(RunFailed, match="answers no more") as caught,
    ):
        judge(server.url, tmp_path).statistics(EXAMPLES)
    assert "are kept" not in str(caught.value)


def test_what_a_server_calls_too_long_or_filters_is_a_reason(tmp_path: Path) -> None:
    def reply(body: Mapping) -> dict | Raw:
        if number_in(body) == 2:
            error = {"error": {"message": "too many", "code": "context_length_exceeded"}}
            return Raw(json.dumps(error).encode(), 400)
        if number_in(body) == 3:
            return Raw(json.dumps({"error": {"message": "no", "code": "content_filter"}}).encode(), 400)
        return spread(chances([1.0]))

    with bot_server(whole=reply) as server:
        result = evaluate(judge(server.url, tmp_path), EXAMPLES, PLAN)
    assert dict(result.reasons) == {1: REASONS["too_long"], 2: REASONS["refused"]}


def test_repeats_are_requests_of_their_own_and_their_median_counts(tmp_path: Path) -> None:
    scores = iter([1, 5, 4])
    with bot_server(whole=lambda body: verdict(body, next(scores))) as server:
        metric = judge(server.url, tmp_path, mode="json", repeats=3, temperature=1, concurrency=1)
        assert evaluate(metric, EXAMPLES[:1], PLAN).values.tolist() == [4]
        assert len({body["seed"] for body in server.bodies}) == 3
        assert metric.explain(EXAMPLES[0]).count("reply:") == 3


@pytest.mark.parametrize(("combine", "value"), [("median", 4), ("mean", 10 / 3), ("majority", 5)])
def test_a_panel_is_combined_as_asked(combine: str, value: float, tmp_path: Path) -> None:
    votes = {"a": 1, "b": 5, "c": 5} if combine == "majority" else {"a": 1, "b": 5, "c": 4}
    with bot_server(whole=lambda body: verdict(body, votes[body["model"]])) as server:
        metric = Judge(
            "a, b, c", base_url=server.url, cache=str(tmp_path), mode="json", combine=combine, retries=0
        )
        result = evaluate(metric, EXAMPLES[:2], PLAN)
    np.testing.assert_allclose(result.values, value)
    assert {body["model"] for body in server.bodies} == {"a", "b", "c"}


def test_a_panel_of_which_one_gives_no_verdict_has_none(tmp_path: Path) -> None:
    with bot_server(whole=lambda body: verdict(body, 4 if body["model"] == "a" else 7)) as server:
        metric = Judge("a,b", base_url=server.url, cache=str(tmp_path), mode="json", retries=0)
        assert dict(evaluate(metric, EXAMPLES[:1], PLAN).reasons) == {0: REASONS["off_scale"]}


def test_references_are_shown_if_asked_for(tmp_path: Path) -> None:
    given = [example("1", "Answer 1.", "It is open."), example("2", "Answer 2.")]
    with bot_server(whole=lambda body: spread(chances([1.0]))) as server:
        result = evaluate(judge(server.url, tmp_path, reference=True), given, PLAN)
    assert dict(result.reasons) == {1: "no references"}
    assert data_of(server.bodies[0])["references"] == ["It is open."]


def test_a_dialogue_is_judged_as_a_whole_with_calls_by_name_and_arguments(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "book", "arguments": '{"seats": 2}'}}
    turns = (
        Turn("system", "You sell tickets."),
        Turn("user", "Two seats, please."),
        Turn("assistant", "", extra={"content": None, "tool_calls": [call]}),
        Turn("tool", '{"ok": true}', name="book"),
        Turn("assistant", "Booked."),
    )
    with bot_server(whole=lambda body: spread(chances([0.1, 0.9], 4))) as server:
        metric = judge(server.url, tmp_path, level="dialogue", rubric="goal_reached")
        evaluate(metric, [Dialogue("1", turns, "bot")], PLAN)
    data = data_of(server.bodies[0])
    assert data["judged"] == ["assistant"]
    assert data["conversation"] == [
        {"role": "system", "text": "You sell tickets."},
        {"role": "user", "text": "Two seats, please."},
        {"role": "assistant", "calls": [{"name": "book", "arguments": {"seats": 2}}]},
        {"role": "tool", "name": "book", "text": '{"ok": true}'},
        {"role": "assistant", "text": "Booked."},
    ]


def test_a_long_dialogue_loses_its_oldest_turns_but_not_its_instructions_and_says_so(tmp_path: Path) -> None:
    spoken = [Turn("user" if n % 2 == 0 else "assistant", f"turn {n} {'x' * 100}") for n in range(20)]
    dialogue = Dialogue("1", (Turn("system", "Be brief."), *spoken), "bot")
    with bot_server(whole=lambda body: spread(chances([1.0]))) as server:
        metric = judge(server.url, tmp_path, level="dialogue", window=1000)
        evaluate(metric, [dialogue], PLAN)
        data = data_of(server.bodies[0])
        assert data["conversation"][0]["text"] == "Be brief."
        assert data["conversation"][1]["text"].startswith("turn 14")
        assert data["conversation"][-1]["text"].startswith("turn 19")
        assert data["omitted_turns"] == 14
        assert "the first 14 turns were not shown" in metric.explain(dialogue)
        too_long = Dialogue("2", (Turn("user", "x" * 2000), Turn("assistant", "y" * 2000)), "bot")
        assert dict(evaluate(metric, [too_long], PLAN).reasons) == {0: REASONS["too_long"]}


def test_steps_are_a_part_of_the_rules_and_of_the_signature(tmp_path: Path) -> None:
    (tmp_path / "steps.txt").write_text("1. Read.\n2. Weigh.")
    with bot_server(whole=lambda body: spread(chances([1.0]))) as server:
        plain = judge(server.url, tmp_path / "kept")
        stepped = judge(server.url, tmp_path / "kept", steps="steps.txt", folder=str(tmp_path))
        stepped.statistics(EXAMPLES[:1])
    assert "1. Read.\n2. Weigh." in server.bodies[0]["messages"][0]["content"]
    assert "steps" not in dict(plain.signature.facts)
    before = stepped.signature
    (tmp_path / "steps.txt").write_text("1. Guess.")
    assert stepped.signature != before
    with pytest.raises(BadInput, match="no readable text"):
        judge("http://127.0.0.1:1", tmp_path, steps="none.txt")


def test_the_signature_tells_everything_that_moves_a_verdict_and_nothing_else(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/v1"
    metric = judge(url, tmp_path)
    shown = str(metric.signature)
    assert Signature.parse(shown) == metric.signature
    assert "m-1" in shown
    assert dict(metric.signature.facts)["rubric"] == metric.read_rubric().sha256[:12]
    same = judge(url, tmp_path / "other", budget=5, price_input=1.0, concurrency=2, api_key_env="A_KEY")
    assert str(same.signature) == shown
    assert "A_KEY" not in str(same.signature)
    for change in ({"mode": "json"}, {"window": 500}, {"temperature": None}, {"max_tokens": 50}, {"seed": 3}):
        assert str(judge(url, tmp_path, **change).signature) != shown
    rebuilt = build(metric.signature.call)
    assert rebuilt.signature == metric.signature
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_no_judge_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    with pytest.raises(DialevalError, match="needs the parameter model"):
        build("judge")


@pytest.mark.parametrize("system", ["m-1", "M-1", "m-1 "])
def test_the_model_under_test_is_no_judge_unless_it_is_said(system: str, tmp_path: Path) -> None:
    given = [example("1", "Answer 1.", system=system)]
    with bot_server(whole=lambda body: spread(chances([1.0]))) as server:
        with pytest.raises(Unsuitable, match="would judge itself"):
            evaluate(judge(server.url, tmp_path), given, PLAN)
        assert not server.bodies
        assert evaluate(judge(server.url, tmp_path, own_judge=True), given, PLAN).scored == 1


def test_the_owner_of_a_model_does_not_hide_it(tmp_path: Path) -> None:
    metric = Judge("acme/m-1,other", base_url="http://127.0.0.1:1", cache=str(tmp_path))
    with pytest.raises(Unsuitable, match="would judge itself"):
        metric.unscorable(example("1", "Hi", system="m-1"))
    assert metric.unscorable(example("1", "Hi", system="m-2")) is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": ""}, "found no name"),
        ({"model": "a,a"}, "Set 'repeats' instead"),
        ({"repeats": 2}, "Set temperature=1"),
        ({"base_url": None, "mode": "json"}, "gives probabilities, not JSON"),
        ({"base_url": None, "api_key_env": "K"}, "it goes with a 'base_url'"),
        ({"rubric": "coherense"}, "Did you mean 'coherence'"),
        ({"temperature": 3.0}, "expected 0 to 2"),
        ({"window": 1}, "at least 100"),
        ({"base_url": "nowhere"}, "expected an address"),
        ({"api_key_env": "sk-1"}, "no name of an environment variable"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(options: dict, told: str) -> None:
    with pytest.raises(DialevalError, match=told):
        Judge(**{"model": "m", "base_url": "http://127.0.0.1:1/v1", **options})


def test_the_tool_of_a_server_that_calls_it_twice_counts_last(tmp_path: Path) -> None:
    def reply(body: Mapping) -> dict | Raw:
        if "response_format" in body:
            return refusing("no json_schema here")
        first, last = (
            called(json.dumps({"tag": tag_of(body), "reason": "r", "score": score})) for score in (5, 2)
        )
        calls = [answer["choices"][0]["message"]["tool_calls"][0] for answer in (first, last)]
        first["choices"][0]["message"]["tool_calls"] = calls
        return first

    with bot_server(whole=reply) as server:
        assert evaluate(judge(server.url, tmp_path, mode="json"), EXAMPLES[:1], PLAN).values.tolist() == [2]
