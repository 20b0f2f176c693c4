"""Studies on files as other tools export them: the study knows what they leave out."""

from __future__ import annotations

import json

import pytest

from dialeval.core import Signature
from dialeval.data import Prompt, Response, Turn, decode, read
from dialeval.data.codec.bad import Where
from dialeval.engine import unwatched
from dialeval.errors import BadInput, BadStudy
from dialeval.evaluation.answers import answers_of
from dialeval.study import Workshop, load_run, load_study, render, run_study, write_run
from dialeval.systems.huggingface.prompts import not_in_template
from dialeval.systems.openai.system import messages, unknown_role

ITEMS = {"a": ("Where is platform 2?", "Over there on the left."), "b": ("Tea?", "Yes please, with milk.")}


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"id": item, "context": [{"role": "user", "content": asked}]} for item, (asked, _) in ITEMS.items()
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "answers.txt").write_text("Over there on the right.\nYes please, with sugar.\n")
    return tmp_path


def run(folder, *, data="data.jsonl", path="answers.txt", **keys):
    study = {
        "data": data,
        "systems": [{"name": "new", "kind": "transcript", "path": path}],
        "measures": ["rouge_l"],
        **keys,
    }
    (folder / "study.yaml").write_text(json.dumps(study))
    return run_study(load_study(folder / "study.yaml"), Workshop())


def references(done):
    return {prompt.item: prompt.references for prompt in done.prompts}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("refs.txt", "Over there on the left.\nYes please, with milk.\n"),
        ("refs.csv", "id;reference\nb;Yes please, with milk.\na;Over there on the left.\n"),
        (
            "refs.jsonl",
            "".join(json.dumps({"id": i, "references": [r]}) + "\n" for i, (_, r) in ITEMS.items()),
        ),
    ],
)
def test_references_stand_in_a_file_of_their_own(folder, name, content):
    (folder / name).write_text(content)
    done = run(folder, references=name)
    assert references(done) == {item: (reference,) for item, (_, reference) in ITEMS.items()}
    assert done.scored[0].result.scored == 2


def test_references_that_do_not_fit_are_refused(folder):
    (folder / "refs.txt").write_text("One line.\n")
    with pytest.raises(BadInput, match="found 1 lines, expected 2, one for each item of the data"):
        run(folder, references="refs.txt")
    (folder / "refs.csv").write_text("id,reference\nx,One\ny,Two\n")
    with pytest.raises(BadInput, match="found no id of the data among 2, such as 'x'"):
        run(folder, references=["refs.csv"])
    with pytest.raises(BadStudy, match="references: no such file"):
        run(folder, references="refs.tsv")


def test_a_response_that_was_not_recorded_says_why(folder):
    (folder / "answers.csv").write_text("id;response\na;Hi.\nb;N/A\n")
    (example, gap) = run(folder, path="answers.csv").respondents[0].examples
    assert example.response.text == "Hi."
    assert gap.response.missing == "no response (the cell holds 'N/A')"


def test_a_limit_keeps_the_order_of_lines(folder):
    (folder / "refs.txt").write_text("Over there on the left.\nYes please, with milk.\n")
    done = run(folder, references="refs.txt", limit=1)
    assert [example.response.text for example in done.respondents[0].examples] == ["Over there on the right."]


def test_formats_are_named_before_files(folder):
    (folder / "data.jsonl").rename(folder / "data.log")
    (folder / "answers.txt").rename(folder / "answers.out")
    done = run(folder, data="jsonl:data.log", path="text:answers.out")
    assert len(done.prompts) == 2
    assert [example.response.text for example in done.respondents[0].examples][1] == "Yes please, with sugar."


def test_every_turn_of_the_assistant_is_an_item(folder):
    said = ["Hi.", "Hello.", "Tea?", "Yes please, with milk."]
    (folder / "talks.jsonl").write_text(json.dumps({"id": "d", "turns": said}))
    done = run(folder, data="talks.jsonl", path="talks.jsonl", turns="all")
    assert references(done) == {"d/2": ("Hello.",), "d/4": ("Yes please, with milk.",)}
    assert done.scored[0].result.score == 1
    assert references(run(folder, data="talks.jsonl", path="talks.jsonl")) == {
        "d": ("Yes please, with milk.",)
    }


def test_ratings_of_the_only_system_need_not_name_it(folder):
    (folder / "refs.txt").write_text("Over there on the left.\nYes please, with milk.\n")
    (folder / "ratings.csv").write_text("id,rating\na,4\nb,2\n")
    done = run(folder, references="refs.txt", human="ratings.csv")
    assert not done.failures
    assert done.agreement is not None


TOOLS = [
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}
        ],
    },
    {"role": "tool", "content": "rain", "tool_call_id": "1"},
]


class TestTools:
    def test_calls_are_shown_in_the_browser_and_kept_in_the_folder(self, folder):
        (folder / "data.jsonl").write_text(
            json.dumps({"id": "a", "context": TOOLS, "references": ["It rains."]})
        )
        (folder / "answers.txt").write_text("Rain.\n")
        write_run(run(folder), folder / "out")
        (example,) = read(folder / "out" / "examples.jsonl", "example")
        assert example.context[1].extra == {"content": None, "tool_calls": TOOLS[1]["tool_calls"]}
        page = render(folder / "out").read_text()
        assert r"→ look({\"x\": 1})" in page

    def test_an_item_that_a_model_cannot_take_has_a_reason_and_others_are_answered(self):
        class Plain:
            name = "plain"
            signature = Signature("plain", ())

            def refuses(self, context):
                return "not asked: tools" if any(turn.speaker == "tool" for turn in context) else None

            def generate(self, contexts, *, n=1, seed=0):
                return [(Response(str(len(context))),) for context in contexts]

        prompts = [Prompt("a", (Turn("user", "x"),)), Prompt("b", (Turn("tool", "x"),)), Prompt("c", ())]
        answers, failure = answers_of(Plain(), prompts, 0, cache=None, watch=unwatched)
        assert failure is None
        assert answers == [(Response("1"),), (Response("", missing="not asked: tools"),), (Response("0"),)]

    def test_servers_get_them_as_they_are(self):
        prompt = decode({"id": "a", "context": TOOLS}, "prompt", Where("x"))
        assert messages(prompt.context) == TOOLS
        assert unknown_role(prompt.context) is None

    @pytest.mark.parametrize("turns", [TOOLS[:2], TOOLS[2:]])
    def test_models_with_a_template_refuse_them(self, turns):
        prompt = decode({"id": "a", "context": turns}, "prompt", Where("x"))
        assert not_in_template(prompt.context)


def test_runs_come_out_as_tables(folder):
    (folder / "refs.txt").write_text("Over there on the left.\n\n")
    done = run(folder, references="refs.txt", name="<b>")
    write_run(done, folder / "out")
    for kept in (done, load_run(folder / "out")):
        table = kept.to_pandas()
        assert table["item"].tolist() == ["a", "b"]
        assert table["system"].tolist() == ["new", "new"]
        assert table["measure"].tolist() == ["rouge_l", "rouge_l"]
        assert kept.to_arrow()["reason"].to_pylist() == [None, "no references"]
        assert "<b>" not in kept._repr_html_()
