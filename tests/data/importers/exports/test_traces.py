"""Traces in each tool's shape give the dialogue of the last call's history, whatever the shape."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dialeval.data import read
from dialeval.errors import BadInput

ASKED = {"role": "user", "content": "Rain in Kiel?"}
ANSWERED = [("user", "Rain in Kiel?"), ("assistant", ""), ("tool", "wet"), ("assistant", "Take a coat.")]
CALL = {"id": "c1", "type": "function", "function": {"name": "forecast", "arguments": '{"city": "Kiel"}'}}
HISTORY = [
    ASKED,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "wet", "tool_call_id": "c1"},
]
FINAL = {"role": "assistant", "content": "Take a coat."}
PARTS = [
    {"role": "user", "parts": [{"type": "text", "content": "Rain in Kiel?"}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "forecast", "arguments": {"city": "Kiel"}}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "wet"}]},
]
CATEGORY = {"dataType": "CATEGORICAL"}
CURT = {"score": 0.2, "explanation": "curt"}
ARGS = [{"name": "forecast", "args": {}, "id": "c1"}]
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": "Take a coat."}]}]


def span(number, **attributes):
    return {
        "trace_id": "t",
        "span_id": f"s{number}",
        "name": "chat",
        "start_time": f"2026-05-01T10:00:0{number}",
        "end_time": f"2026-05-01T10:00:0{number}.5",
        "attributes": {"gen_ai.request.model": "m", **attributes},
    }


def with_parts():
    first = {"gen_ai.input.messages": json.dumps(PARTS[:1]), "gen_ai.output.messages": json.dumps(PARTS[1:2])}
    last = {"gen_ai.input.messages": PARTS, "gen_ai.output.messages": SAID}
    return [span(1, **first), span(2, **{"gen_ai.operation.name": "execute_tool"}), span(3, **last)]


def with_indices():
    told = {}
    for at, message in enumerate(HISTORY):
        told |= {
            f"gen_ai.prompt.{at}.role": message["role"],
            f"gen_ai.prompt.{at}.content": message["content"],
        }
    told |= {"gen_ai.prompt.1.tool_calls.0.name": "forecast", "gen_ai.prompt.1.tool_calls.0.arguments": "{}"}
    return [
        span(
            1,
            **told,
            **{"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Take a coat."},
        )
    ]


def with_events():
    events = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Rain in Kiel?"}},
        {"name": "gen_ai.assistant.message", "attributes": {"tool_calls": json.dumps([CALL])}},
        {"name": "gen_ai.tool.message", "attributes": {"content": "wet", "id": "c1"}},
        {"name": "gen_ai.choice", "attributes": {"index": 0, "message": json.dumps(FINAL)}},
    ]
    return [{**span(1), "events": events}]


def with_openinference():
    told = {"openinference.span.kind": "LLM", "llm.model_name": "m"}
    for at, message in enumerate(HISTORY):
        told[f"llm.input_messages.{at}.message.role"] = message["role"]
        if message["content"] is not None:
            told[f"llm.input_messages.{at}.message.contents.0.message_content.text"] = message["content"]
    tool = "llm.input_messages.1.message.tool_calls.0.tool_call"
    told |= {f"{tool}.function.name": "forecast", f"{tool}.function.arguments": "{}", f"{tool}.id": "c1"}
    told |= {"llm.output_messages.0.message.role": "assistant"}
    return [span(1, **told, **{"llm.output_messages.0.message.content": "Take a coat."})]


def with_nested_columns():
    """As Phoenix' data frames have them."""
    told = [
        {"message.role": message["role"], "message.content": message["content"]}
        | (
            {
                "message.tool_calls": [
                    {"tool_call.function.name": "forecast", "tool_call.function.arguments": "{}"}
                ]
            }
            if "tool_calls" in message
            else {}
        )
        for message in HISTORY
    ]
    return [
        {
            "context.trace_id": "t",
            "context.span_id": "s",
            "span_kind": "LLM",
            "start_time": "2026-05-01",
            "attributes.llm.model_name": "m",
            "attributes.llm.input_messages": told,
            "attributes.llm.output_messages": [
                {"message.role": "assistant", "message.content": "Take a coat."}
            ],
        }
    ]


@pytest.mark.parametrize(
    "shape", [with_parts, with_indices, with_events, with_openinference, with_nested_columns]
)
def test_every_way_to_record_messages_in_spans_gives_the_same_dialogue(export, said, shape):
    for name in ("spans.jsonl", "spans.json"):
        assert said(export(name, shape())) == ("t", ANSWERED, ["forecast"])


def otlp(value):
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": otlp(held)} for key, held in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [otlp(held) for held in value]}}
    return {"stringValue": value}


def test_otlp_json_in_one_document(export, said):
    spans = [
        {
            "traceId": "t",
            "spanId": each["span_id"],
            "startTimeUnixNano": f"{number}000000000",
            "attributes": [{"key": key, "value": otlp(value)} for key, value in each["attributes"].items()],
        }
        for number, each in enumerate(with_parts())
    ]
    document = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    path = export("otlp.json", document)
    assert said(path) == ("t", ANSWERED, ["forecast"])
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    assert said(path)[1] == ANSWERED


def generation(number, trace, said, reply, **beside):
    start = f"2026-05-01 10:00:0{number}.000000"
    told = {
        "id": f"{trace}{number}",
        "traceId": trace,
        "type": "GENERATION",
        "startTime": start,
        "model": "m",
    }
    return {**told, "input": json.dumps({"messages": said}), "output": json.dumps(reply), **beside}


def langfuse(**beside):
    observations = [
        generation(2, "t", HISTORY, FINAL),
        generation(1, "t", HISTORY[:1], HISTORY[1]),
        {"id": "x", "traceId": "t", "type": "TOOL", "startTime": "2026-05-01"},
    ]
    return {"trace": {"id": "t", "scores": [], **beside}, "observations": observations}


class TestLangfuse:
    def test_the_page_s_download(self, export, said):
        assert said(export("trace.json", langfuse())) == ("t", ANSWERED, ["forecast"])
        assert said(export("trace.json", langfuse(sessionId="chat-7")))[0] == "chat-7"

    def test_people_and_judges_are_apart(self, export):
        score = {"traceId": "t", "name": "helpful", "dataType": "NUMERIC"}
        scores = [
            {"id": "1", **score, "value": 0.5, "source": "EVAL", "comment": "vague"},
            {"id": "2", **score, "value": 4, "source": "ANNOTATION", "authorUserId": "ana"},
            {"id": "3", **score, "value": 3, "source": "ANNOTATION"},
            {"id": "4", **score, "name": "ctr", "value": 1, "source": "API"},
            {
                "id": "5",
                **score,
                "name": "tone",
                **CATEGORY,
                "stringValue": "pass",
                "value": 0,
                "source": "ANNOTATION",
            },
        ]
        found = list(read(export("trace.json", langfuse(scores=scores)), "judgement"))
        assert {(one.item, one.system) for one in found} == {("t", "m")}
        assert [(one.rater, one.criterion, one.value, one.evidence) for one in found] == [
            ("judge(of='helpful')", "helpful", 0.5, "vague"),
            ("ana", "helpful", 4.0, None),
            ("annotation", "helpful", 3.0, None),
            ("ctr", "ctr", 1.0, None),
            ("annotation", "tone", 1.0, None),
        ]

    def test_categories_without_poles_are_numbered_in_their_order(self, export):
        scores = [
            {
                "id": name,
                "traceId": "t",
                "name": "topic",
                "stringValue": name,
                "dataType": "CATEGORICAL",
                "source": "EVAL",
            }
            for name in ("sport", "food", "sport ")
        ]
        found = read(export("scores.jsonl", scores), "judgement")
        assert [one.value for one in found] == [2.0, 1.0, 3.0]

    def test_a_session_whose_traces_hold_one_exchange_each_is_one_dialogue(self, export, said):
        hello = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello."}]
        export("blob/traces/0.jsonl", [{"id": "a", "sessionId": "s"}, {"id": "b", "sessionId": "s"}])
        told = [
            generation(3, "b", [hello[0], ASKED], FINAL),
            generation(1, "a", hello, {"role": "assistant", "content": "Hi!"}),
        ]
        path = export("blob/observations/0.jsonl", told).parent.parent
        item, turns, _ = said(path)
        assert (item, turns) == (
            "s",
            [
                ("system", "Be kind."),
                ("user", "Hello."),
                ("assistant", "Hi!"),
                ANSWERED[0],
                ANSWERED[-1],
            ],
        )

    def test_one_bad_trace_is_refused_and_the_rest_kept(self, export):
        rows = [generation(1, "good", [ASKED], FINAL), {"traceId": "bad", "type": "GENERATION"}]
        path = export("observations.jsonl", rows)
        with pytest.raises(BadInput, match=r"line 2, field 'id': found no id"):
            list(read(path, "dialogue"))
        bad = []
        assert [one.item for one in read(path, "dialogue", on_bad=bad.append)] == ["good"]
        assert len(bad) == 1


def test_a_trace_with_a_broken_span_is_refused_whole(export):
    broken = {**span(2, **{"gen_ai.input.messages": "no JSON {"}), "trace_id": "broken"}
    broken["attributes"]["gen_ai.input.messages"] = [{"parts": 3}]
    ours = {**with_parts()[2], "trace_id": "broken"}
    path = export("spans.jsonl", [*with_parts(), ours, broken])
    with pytest.raises(BadInput, match=r"line 5, field 'gen_ai.input.messages': found something else"):
        list(read(path, "dialogue"))
    bad = []
    assert [one.item for one in read(path, "dialogue", on_bad=bad.append)] == ["t"]
    assert [line.error.line for line in bad] == [5]


def test_sub_agents_and_graders_are_other_threads_and_counted(export, said, caplog):
    caplog.set_level("INFO", logger="dialeval.data")
    grader = span(
        9,
        **{
            "gen_ai.input.messages": [{"role": "user", "content": "Grade it."}],
            "gen_ai.output.messages": SAID,
        },
    )
    tool = span(2, **{"gen_ai.operation.name": "execute_tool"})
    inner = span(4, **{"gen_ai.input.messages": PARTS * 3, "gen_ai.output.messages": SAID}) | {
        "parent_span_id": "s2"
    }
    assert said(export("x.jsonl", [with_parts()[2], grader, tool, inner]))[1] == ANSWERED
    assert "left out: 1 tool span, 2 model calls (other threads, as of sub-agents)" in caplog.text


def test_annotations_of_spans_name_people_judges_and_code(export):
    annotated = {
        **with_parts()[2],
        "annotations": [
            {
                "name": "kind",
                "annotator_kind": "HUMAN",
                "identifier": "bo",
                "result": {"score": 0.2, "explanation": "curt"},
            },
            {"name": "kind", "annotator_kind": "LLM", "result": {"score": 0.9}},
        ],
        "events": [
            {
                "name": "gen_ai.evaluation.result",
                "attributes": {"gen_ai.evaluation.name": "true", "gen_ai.evaluation.score.value": 1},
            }
        ],
    }
    found = list(read(export("x.jsonl", [annotated]), "judgement"))
    assert Counter((one.rater, one.criterion, one.value, one.evidence) for one in found) == Counter(
        [
            ("bo", "kind", 0.2, "curt"),
            ("judge(of='kind')", "kind", 0.9, None),
            ("judge(of='true')", "true", 1.0, None),
        ]
    )


RUN = {"id": "r", "run_type": "llm", "trace_id": "t", "dotted_order": "1", "session_id": "project"}


class TestLangSmith:
    def run(self, **beside):
        return {
            **RUN,
            "inputs": {"messages": HISTORY},
            "outputs": {"choices": [{"message": FINAL}]},
            **beside,
        }

    def test_runs_as_lines_as_an_object_and_as_they_are_sent(self, export, said):
        expected = ("t", ANSWERED, ["forecast"])
        assert said(export("runs.jsonl", [self.run()])) == expected
        assert said(export("runs.json", {"runs": [self.run()]})) == expected
        post, patch = self.run(outputs={}), {"dotted_order": "1", "outputs": self.run()["outputs"]}
        assert said(export("sent.json", {"post": [post], "patch": [patch]})) == expected

    def test_the_project_is_not_the_conversation(self, export, said):
        path = export("runs.jsonl", [self.run(extra={"metadata": {"thread_id": "talk-1"}})])
        assert said(path)[0] == "talk-1"

    def test_langchain_s_objects(self, export, said):
        names = {"user": "HumanMessage", "assistant": "AIMessage", "tool": "ToolMessage"}
        inputs = {
            "messages": [
                [
                    {
                        "lc": 1,
                        "type": "constructor",
                        "id": ["langchain", "schema", names[message["role"]]],
                        "kwargs": {
                            **message,
                            "content": message["content"] or "",
                            "tool_calls": message.get("tool_calls")
                            and [{"name": "forecast", "args": {}, "id": "c1"}],
                        },
                    }
                    for message in HISTORY
                ]
            ]
        }
        outputs = {
            "generations": [
                [{"text": "Take a coat.", "message": {"kwargs": {"content": "Take a coat.", "type": "ai"}}}]
            ]
        }
        assert said(export("runs.jsonl", [self.run(inputs=inputs, outputs=outputs)])) == (
            "t",
            ANSWERED,
            ["forecast"],
        )

    def test_feedback(self, export):
        feedback = {
            "run_id": "r",
            "key": "liked",
            "score": 1,
            "feedback_source": {"type": "app", "user_name": "cy"},
        }
        (one,) = read(export("runs.jsonl", [self.run(), feedback]), "judgement")
        assert (one.item, one.system, one.rater, one.criterion, one.value) == ("t", "", "cy", "liked", 1.0)


class TestMlflow:
    def trace(self, session=None):
        span = {
            "name": "chat",
            "span_id": "s",
            "start_time_unix_nano": 1,
            "attributes": {
                "mlflow.spanType": '"CHAT_MODEL"',
                "mlflow.spanInputs": json.dumps({"messages": HISTORY, "model": "m"}),
                "mlflow.spanOutputs": json.dumps({"choices": [{"message": FINAL}]}),
            },
        }
        assessment = {
            "source": {"source_type": "HUMAN", "source_id": "di"},
            "feedback": {"value": True},
            "rationale": "fine",
        }
        info = {
            "trace_id": "tr-1",
            "assessments": [{"assessment_name": "right", **assessment}],
            "trace_metadata": {"mlflow.trace.session": session} if session else {},
        }
        return {"info": info, "data": {"spans": [span]}}

    def test_dialogues_and_assessments(self, export, said):
        path = export("traces.json", [self.trace()])
        assert said(path) == ("tr-1", ANSWERED, ["forecast"])
        (one,) = read(path, "judgement")
        assert (one.item, one.rater, one.criterion, one.value, one.evidence) == (
            "tr-1",
            "di",
            "right",
            1.0,
            "fine",
        )
        assert said(export("one.json", self.trace("s-9")))[0] == "s-9"


@pytest.mark.parametrize("deep", [100, 100_000])
def test_nesting_is_bounded(export, deep):
    path = export("spans.jsonl", [span(1, **{"gen_ai.input.messages": "[" * deep + "]" * deep})])
    with pytest.raises(BadInput):
        list(read(path, "dialogue"))
    path.write_text('{"resourceSpans": ' + "[" * deep + "]" * deep + "}", encoding="utf-8")
    with pytest.raises(BadInput):
        list(read(path, "dialogue"))


def test_people_and_judges_of_langfuse_meet_in_one_command(export, dialeval):
    scores = []
    for at in range(12):
        for who, source, value in (
            ("", "EVAL", at / 12),
            ("ana", "ANNOTATION", at // 3),
            ("bo", "ANNOTATION", (at + 1) // 3),
        ):
            about = {"id": f"{who}{at}", "trace_id": f"t{at}", "name": "helpful", "author_user_id": who}
            scores.append({**about, "value": value, "source": source})
    folder = export("blob/scores/0.jsonl", scores).parent.parent
    told = dialeval("meta", folder, "--level", "item", "--json").out
    assert "judge(of='helpful')" in told
    agreed = dialeval("annotate", "agreement", folder, "--json", "--trials", 0).out
    assert "ana" in agreed
    assert "judge(" not in agreed


def test_half_a_character_inside_json_inside_a_text_reaches_no_dialogue(export):
    path = export(
        "x.jsonl", [span(1, **{"gen_ai.input.messages": '[{"role": "user", "content": "\\ud800"}]'})]
    )
    with pytest.raises(BadInput, match=r"field 'gen_ai\.input\.messages'"):
        list(read(path, "dialogue"))


def test_tables_of_phoenix_langfuse_and_langsmith(tmp_path, said):
    import datetime

    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    begun = datetime.datetime(2026, 5, 1, 10, tzinfo=datetime.UTC)
    tables = {
        "spans": [{**with_nested_columns()[0], "start_time": begun}],
        "observations": [generation(1, "t", HISTORY, FINAL)],
        "runs": [{**RUN, "inputs": json.dumps({"messages": HISTORY}), "outputs": json.dumps(FINAL)}],
    }
    for name, rows in tables.items():
        table = pa.Table.from_pylist(rows)
        pq.write_table(table, tmp_path / f"{name}.parquet")
        assert said(tmp_path / f"{name}.parquet") == ("t", ANSWERED, ["forecast"])
        if name != "spans":
            pa.csv.write_csv(table, tmp_path / f"{name}.csv")
            assert said(tmp_path / f"{name}.csv") == ("t", ANSWERED, ["forecast"])
