"""The exports that other tools wrote, whole: turns and scores as data/trace-exports/README.md counts them."""

from __future__ import annotations

from collections import Counter

import pytest

from dialeval.data import read, survey
from dialeval.errors import BadInput


@pytest.fixture
def exports(shared_data):
    return shared_data / "trace-exports"


SAME = (
    "01-otlp-genai.json.gz",
    "02-openinference-spans.json",
    "03-langfuse-export.json",
    "06-ndjson-spans.ndjson",
)


def test_four_exports_of_the_same_dialogues_are_equal(exports):
    found = [
        {
            one.item: (one.system, [(turn.speaker, turn.text) for turn in one.turns])
            for one in read(exports / "same-dialogues" / name, "dialogue")
        }
        for name in SAME
    ]
    assert len(found[0]) == 12
    assert found[1:] == found[:1] * 3
    (plain,) = read(exports / "same-dialogues" / "04-plain-conversation.json", "dialogue")
    assert [(turn.speaker, turn.text) for turn in plain.turns][:5] == found[0]["trace-001"][1]
    assert len(list(read(exports / "same-dialogues" / "05-array-of-conversations.json", "dialogue"))) == 6


def test_the_reviewer_s_verdicts_belong_to_the_hundred_dialogues(exports):
    folder = exports / "same-dialogues"
    dialogues = {
        (one.item, one.system) for one in read(folder / "demo-100-conversations.json.gz", "dialogue")
    }
    verdicts = list(read(folder / "demo-100-feedback.json", "judgement"))
    assert Counter(one.value for one in verdicts) == {1.0: 55, 0.0: 45}
    assert {(one.item, one.system) for one in verdicts} == dialogues
    passed = Counter(one.system for one in verdicts if one.value)
    assert passed == {"claude-opus-4-8": 14, "claude-sonnet-5": 14, "gpt-4o": 14, "gemini-1.5-pro": 13}


TURNS = {  # user, assistant, tool; calls of tools
    "langfuse/agno-2025-06-11.trace.json.gz": (1, 2, 1, 1),
    "langfuse/autogen-2025-06-06.trace.json": (1, 1, 0, 0),
    "langfuse/claude-agent-2025-12-22.trace.json": (1, 4, 0, 2),
    "langfuse/crewai-2025-07-11.trace.json": (1, 1, 0, 0),
    "langfuse/google-adk-2025-08-28.trace.json": (1, 2, 1, 1),
    "langfuse/langgraph-js-2025-10-30.trace.json.gz": (1, 2, 1, 1),
    "langfuse/openai-agents-2025-09-30.trace.json": (1, 2, 1, 1),
    "langfuse/pydantic-ai-tools-2025-12-04.trace.json.gz": (2, 3, 3, 3),
    "otel/openai_agents_genai_live_spans.json": (1, 3, 2, 2),
    "otel/pydantic_ai_live_spans.json": (1, 2, 1, 1),
    "otel/adk_live_spans.json": (1, 2, 1, 1),
    "otel/otel_genai_convention_spans.json": (1, 2, 2, 2),
    "otel/genai-v2-messages.json": (1, 2, 1, 1),
    "otel/attributes/otel_genai_client_span_tool_calls.json": (1, 2, 1, 1),
    "otel/attributes/otel_genai_deprecated_client_span_tool_calls.json": (1, 2, 1, 1),
    "otel/attributes/openinference_client_span_tool_calls.json": (1, 2, 1, 1),
    "openinference/openai_agents_openinference_live_spans.json": (1, 2, 1, 1),
    "openinference/smolagents_live_spans.json.gz": (1, 3, 1, 0),  # its calls are code in texts
    "openinference/openinference_live_spans.json": (1, 1, 0, 1),
    "langsmith/js_wrap_openai_default.json": (1, 1, 0, 0),
    "langsmith/js_wrap_openai_reasoning.json": (1, 1, 0, 0),
    "langsmith/js_wrap_openai_stream.json": (1, 1, 0, 0),
    "langsmith/py_wrap_openai_plain.json": (1, 1, 0, 0),
    "langsmith/py_wrap_openai_reasoning.json": (1, 1, 0, 0),
    "langsmith/py_wrap_openai_stream.json": (1, 1, 0, 0),
    "langsmith/py_wrap_openai_stream_no_usage.json": (1, 1, 0, 0),
    "chatgpt/conversations.json.gz": (8, 23, 11, 11),
    "inspect/browser.json.gz": (1, 5, 4, 4),
    "inspect/log_message_deduplication.eval": None,
    "inspect/log_tool_call_error.json": (0, 0, 11, 0),
    "inspect/popularity.json": (3, 3, 0, 0),
    "inspect/popularity_dPiJifoWeEQBrfWsAopzWr.eval": (10, 10, 0, 0),
    "inspect/security-guide.json.gz": (3, 3, 0, 0),
    "promptfoo/sample-export.json": (4, 4, 0, 0),
    "promptfoo/v4evalToShare.json": (8, 8, 0, 0),
    "promptfoo/llama4-scout-output.v2.json": (10, 10, 0, 0),
    "promptfoo/config-multishot-output.v1.json": (8, 8, 0, 0),
    "deepeval/test_run_sample.json": (1, 1, 0, 0),
    "deepeval/trace.openai_agents.json": (1, 3, 2, 2),
    "deepeval/trace.langchain.json": (1, 2, 1, 1),
    "lm-eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl": (10, 10, 0, 0),
    "adk/dependent_tool_calls.test.json": (2, 4, 0, 2),
    "adk/order_query.test.json": (4, 8, 0, 7),
    "adk/roll_die.test.json": None,
    "adk/simple_multi_turn_conversation.test.json": (2, 4, 0, 2),
    "adk/trip_inquiry_sub_agent.test.json": (1, 1, 0, 0),
    "rasa/tracker_moodbot.json": (2, 2, 0, 0),
    "rasa/tracker_moodbot_with_new_utterances.json": (3, 3, 0, 0),
    "discord/discord_export.json": (4, 3, 0, 0),
    "telegram/telegram_export.json": (4, 3, 0, 0),
    "instagram/instagram_export.json": (4, 3, 0, 0),
    "slack": (19, 7, 0, 0),
}


@pytest.mark.parametrize("name", TURNS)
def test_every_export_is_recognised_with_all_its_turns(exports, name):
    found = Counter()
    for dialogue in read(exports / name, "dialogue"):
        found.update(turn.speaker for turn in dialogue.turns)
        found["calls"] += sum(len((turn.extra or {}).get("tool_calls", [])) for turn in dialogue.turns)
    if TURNS[name] is not None:
        assert tuple(found[key] for key in ("user", "assistant", "tool", "calls")) == TURNS[name]
    assert sum(found.values())


def test_old_and_new_names_of_one_call_give_the_same_dialogue(exports):
    folder = exports / "otel" / "attributes"
    names = ("otel_genai_client", "otel_genai_deprecated_client", "openinference_client")
    found = [next(read(folder / f"{name}_span_tool_calls.json", "dialogue")) for name in names]
    told = [[(turn.speaker, turn.text, turn.extra) for turn in one.turns] for one in found]
    assert [turn[:2] for turn in told[0]] == [turn[:2] for turn in told[2]]
    assert {one.system for one in found} == {"gpt-4-0613"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mlflow/v2_trace.json", "2 spans without messages"),
        ("inspect/no-samples.json", r"a log without samples \(status cancelled\)"),
        ("lm-eval/results_2026-01-21T03-44-18.458309.json", "aggregated results"),
        ("otel/attributes/otel_genai_tool_execution_span.json", "1 span without messages"),
    ],
)
def test_exports_without_dialogues_say_what_they_hold(exports, name, found):
    with pytest.raises(BadInput, match=found):
        list(read(exports / name, "dialogue"))


def values(path):
    return Counter((one.rater, one.value) for one in read(path, "judgement"))


def test_scores_of_people_judges_and_checks(exports):
    found = values(exports / "langfuse" / "scores_v3.json")
    assert found == {
        ("annotation", 1.0): 2,
        ("annotation", 0.0): 2,
        ("annotation", None): 1,
        ("judge(of='correctness')", 0.9): 1,
        ("judge(of='correctness')", 0.2): 1,
    }
    assert values(exports / "inspect" / "popularity.json") == {("match", 1.0): 2, ("match", 0.0): 1}
    assert values(exports / "inspect" / "security-guide.json.gz") == {
        ("judge(of='model_graded_fact')", 1.0): 3
    }
    assert values(exports / "promptfoo" / "sample-export.json")["judge(of='llm-rubric')", 1.0] == 4
    run = list(read(exports / "deepeval" / "test_run_sample.json", "judgement"))
    assert [(one.criterion, one.value) for one in run] == [("Answer Relevancy", 0.92), ("Faithfulness", 0.45)]
    samples = exports / "lm-eval" / "samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl"
    assert values(samples) == {("exact_match", 0.0): 10}
    assert set(survey(samples).systems) == {
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"
    }


def test_a_whole_folder_of_langfuse_is_one_export(exports):
    assert len(list(read(f"langfuse:{exports / 'langfuse'}", "dialogue"))) == 8
    assert len(list(read(f"langfuse:{exports / 'langfuse'}", "judgement"))) == 18


def test_the_same_chat_from_four_services_is_one_dialogue(exports):
    names = (
        *("discord/discord_export.json", "telegram/telegram_export.json", "instagram/instagram_export.json"),
        "whatsapp/whatsapp_export.txt",
    )
    found = [[turn.text for turn in next(read(exports / name, "dialogue")).turns] for name in names]
    assert len(found[0]) == 7
    assert found[1:] == found[:1] * 3
