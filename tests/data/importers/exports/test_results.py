"""Results of other evaluators become responses with references, and judgements of judges, checks and people."""

from __future__ import annotations

import json
import zipfile

import pytest

from dialeval.data import read, read_prompts
from dialeval.data.codec.sources import allowed_ratio
from dialeval.errors import BadInput


def sample(number, answer, **beside):
    messages = [{"role": "user", "content": "attachment://q"}, {"role": "assistant", "content": answer}]
    held = {"id": number, "epoch": 1, "input": "2+2?", "target": ["4", "four"], "messages": messages}
    return {**held, "attachments": {"q": "2+2?"}, **beside}


def log(*samples, status="success"):
    about = {
        "task": "sums",
        "model": "m-1",
        "dataset": {"samples": 5},
        "model_roles": {"grader": {"model": "g-2"}},
    }
    return {"version": 2, "status": status, "eval": about, "samples": list(samples)}


def judged(path):
    return [(one.item, one.system, one.rater, one.criterion, one.value) for one in read(path, "judgement")]


class TestInspect:
    def archive(self, tmp_path, samples, name="run.eval", start="header.json"):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(start, json.dumps({**log(), "samples": None}))
            for number, held in enumerate(samples, 1):
                archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(held))
        return path

    def test_json_and_archives_alike(self, export, tmp_path):
        samples = [sample(1, "4"), sample("b", "5")]
        found = list(read(export("log.json", log(*samples)), "example"))
        assert [(one.item, one.system, one.response.text, one.references) for one in found] == [
            ("1", "m-1", "4", ("4", "four")),
            ("b", "m-1", "5", ("4", "four")),
        ]
        assert [turn.text for turn in found[0].context] == ["2+2?"]
        assert list(read(self.archive(tmp_path, samples), "example")) == found
        assert list(read(self.archive(tmp_path, samples, start="_journal/start.json"), "example")) == found

    def test_scores(self, export):
        edited = {"value": "I", "provenance": {"author": "ana", "reason": "rounded"}}
        scores = {
            "match": {"value": "C"},
            "model_graded_qa": {"value": "P", "explanation": "half", "history": [{"value": "P"}, edited]},
            "parts": {"value": {"x": 0.25, "y": True}},
            "odd": {"value": "maybe"},
        }
        path = export("log.json", log(sample(1, "4", scores=scores)))
        judge = "judge(of='model_graded_qa',model='g-2')"
        assert judged(path) == [
            ("1", "m-1", "match", "match", 1.0),
            ("1", "m-1", judge, "model_graded_qa", 0.5),
            ("1", "m-1", "ana", "model_graded_qa", 0.0),
            ("1", "m-1", "parts/x", "parts/x", 0.25),
            ("1", "m-1", "parts/y", "parts/y", 1.0),
            ("1", "m-1", "odd", "odd", None),
        ]

    def test_epochs_are_repeats_and_errors_no_responses(self, export):
        failed = sample(1, "", error={"message": "rate limit"}, epoch=2)
        failed["messages"] = failed["messages"][:1]
        first, second = read(export("log.json", log(sample(1, "4"), failed)), "example")
        assert (second.item, second.response.missing, second.response.cause) == (
            "1/2",
            "rate limit",
            "failed",
        )
        assert first.response.missing is None

    def test_broken_archives_and_bombs(self, tmp_path, monkeypatch):
        path = self.archive(tmp_path, [sample(1, "4" * 200_000)])
        monkeypatch.setattr("dialeval.data.codec.sources.FREE", 1000)
        with allowed_ratio(2), pytest.raises(BadInput, match="packed bytes that unpack to"):
            list(read(path, "example"))
        path.write_bytes(path.read_bytes()[:-40])
        with pytest.raises(BadInput):
            list(read(path, "example"))
        with pytest.raises(BadInput, match=r"an archive without 'header\.json'"):
            list(read(self.archive(tmp_path, [], start="other.json"), "example"))

    def test_one_bad_sample_is_refused(self, export):
        path = export("log.json", log(sample(1, "4"), {**sample(2, "5"), "id": None}))
        with pytest.raises(BadInput, match=r"field 'samples\[1\]\.id': found no id of a sample"):
            list(read(path, "example"))
        bad = []
        assert [one.item for one in read(path, "example", on_bad=bad.append)] == ["1"]
        assert len(bad) == 1

    def test_two_logs_compare_in_one_command(self, export, dialeval):
        export("a.json", log(*(sample(number, "4") for number in range(8))))
        export("b.json", log(*(sample(number, "5") for number in range(8))))
        folder = export("c.json", []).parent
        done = dialeval("compare", folder / "a.json", folder / "b.json", "-m", "rouge_l", "--json")
        (test,) = json.loads(done.out)["comparisons"]
        assert test["wins"] == 8


def outcome(test, prompt, provider, output, components=(), **beside):
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "prompt": {"raw": json.dumps([{"role": "user", "content": f"Ask {test}"}]), "label": "Ask {{x}}"},
        "provider": {"id": provider},
        "vars": {"x": test},
        "response": {"output": output},
        "success": True,
        "score": 1,
        "testCase": {"assert": [{"type": "equals", "value": "Yes."}]},
        "gradingResult": {"componentResults": list(components)},
        **beside,
    }


class TestPromptfoo:
    def test_systems_tests_and_assertions(self, export):
        rubric = {
            "score": 0.5,
            "reason": "dull",
            "pass": True,
            "assertion": {"type": "llm-rubric", "provider": "g"},
        }
        exact = {"score": 1, "pass": True, "assertion": {"type": "equals", "metric": "exact"}}
        results = [outcome(0, 0, "p", "Yes.", [rubric, exact, exact]), outcome(0, 1, "q", {"a": 1})]
        results.append(outcome(1, 0, "p", None, error="timeout", success=False))
        path = export("out.json", {"results": {"version": 3, "results": results}, "config": {}})
        found = list(read(path, "example"))
        assert [(one.item, one.system, one.response.text, one.references) for one in found] == [
            ("1", "p", "Yes.", ("Yes.",)),
            ("1", "q", '{"a": 1}', ("Yes.",)),
            ("2", "p", "", ("Yes.",)),
        ]
        assert found[2].response.missing == "timeout"
        assert [prompt.context[0].text for prompt in read_prompts(path)] == ["Ask 0", "Ask 1"]
        assert [one[2:] for one in judged(path)][:5] == [
            ("judge(of='llm-rubric',model='g')", "llm-rubric", 0.5),
            ("exact", "exact", 1.0),
            ("exact 2", "exact 2", 1.0),
            ("pass", "pass", 1.0),
            ("score", "score", 1.0),
        ]

    def test_prompts_of_one_provider_are_systems_of_their_own(self, export):
        results = [outcome(0, 0, "p", "Yes."), outcome(0, 1, "p", "No.")]
        results[1]["prompt"] = {"raw": "Well?", "label": "other"}
        path = export("out.json", {"results": results, "config": {}})
        assert [one.system for one in read(path, "example")] == ["p prompt-1", "p prompt-2"]


class TestDeepEval:
    METRIC = {"name": "Tone", "score": 0.5, "reason": "flat", "evaluationModel": "g"}  # noqa: RUF012

    def test_cases(self, export):
        case = {
            "name": "c",
            "input": "Hi",
            "actualOutput": "Ho",
            "expectedOutput": "Hey",
            "metricsData": [self.METRIC],
        }
        run = {"testCases": [case, {**case, "name": "d", "actualOutput": None}], "metricsScores": []}
        path = export("run.json", run)
        first, second = read(path, "example")
        assert (first.item, first.response.text, first.references) == ("c", "Ho", ("Hey",))
        assert second.response.missing == "no actualOutput"
        assert judged(path)[0] == ("c", "system", "judge(of='Tone',model='g')", "Tone", 0.5)

    def test_conversations(self, export):
        turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
        case = {"name": "talk", "turns": turns, "metricsData": [self.METRIC]}
        path = export("run.json", {"testCases": [], "conversationalTestCases": [case], "metricsScores": []})
        (one,) = read(path, "dialogue")
        assert [(turn.speaker, turn.text) for turn in one.turns] == [("user", "Hi"), ("assistant", "Ho")]
        assert [each.item for each in read(path, "judgement")] == ["talk"]


class TestLmEval:
    def test_generated_and_chosen_answers(self, export):
        ask = {"gen_args_0": {"arg_0": "2+2?", "arg_1": {"until": []}}}
        chosen = {
            f"gen_args_{at}": {"arg_0": "Sky?", "arg_1": text} for at, text in enumerate((" red", " blue"))
        }
        rows = [
            {
                "doc_id": 0,
                "target": "4",
                "arguments": ask,
                "filtered_resps": ["4"],
                "metrics": ["em"],
                "em": 1.0,
            },
            {
                "doc_id": 1,
                "target": "blue",
                "arguments": chosen,
                "resps": [[["-3.5", "False"]], [["-1.25", "False"]]],
                "metrics": ["acc"],
                "acc": 1.0,
            },
        ]
        path = export("samples_task_2026-01-21T03-44-18.4.jsonl", rows)
        assert [(one.system, one.response.text) for one in read(path, "example")] == [
            ("system", "4"),
            ("system", "blue"),
        ]
        export("results_2026-01-21T03-44-18.4.json", {"model_name": "tiny"})
        assert judged(path) == [("0", "tiny", "em", "em", 1.0), ("1", "tiny", "acc", "acc", 1.0)]
