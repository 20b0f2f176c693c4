"""A format that is recognised is read: by ending, by first record, or by the name before the file."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from dialeval.data import FORMATS, Turn, read, read_guessing, read_prompts, survey, write
from dialeval.data.codec.sources import file_of, split_format
from dialeval.errors import BadInput, UnknownName

SAID = ("Hi.", "Hello!", "Tea?", "Please.")
ROLES = ("user", "assistant") * 2
ROWS = {
    "openai": {"messages": [{"role": role, "content": said} for role, said in zip(ROLES, SAID, strict=True)]},
    "sharegpt": {
        "conversations": [
            {"from": who, "value": said} for who, said in zip(["human", "gpt"] * 2, SAID, strict=True)
        ]
    },
    "turns": {"turns": list(SAID)},
    "parlai-jsonl": {
        "dialog": [
            [{"id": "human", "text": SAID[0]}, {"id": "bot", "text": SAID[1]}],
            [{"id": "human", "text": SAID[2]}, {"id": "bot", "text": SAID[3]}],
        ]
    },
}
PARLAI = "text:Hi.\tlabels:Hello!\ntext:Tea?\tlabels:Please.\tepisode_done:True\n"


def texts(name, **options):
    (dialogue,) = read(name, "dialogue", **options)
    assert [turn.speaker for turn in dialogue.turns] == ["user", "assistant"] * 2
    return tuple(turn.text for turn in dialogue.turns)


@pytest.mark.parametrize("form", ROWS)
class TestConversations:
    def test_lines_arrays_and_packed_files(self, put, form):
        line = json.dumps(ROWS[form])
        assert texts(put("x.jsonl", line)) == SAID
        assert texts(put("x.json", f"[{line}]")) == SAID
        assert texts(put("x.ndjson.gz", gzip.compress(line.encode()))) == SAID

    def test_parquet_and_tables(self, put, form):
        import pyarrow as pa
        import pyarrow.parquet as pq

        put("empty", "")
        pq.write_table(pa.Table.from_pylist([ROWS[form]]), "x.parquet")
        assert texts("x.parquet") == SAID
        (column,) = ROWS[form]
        cell = json.dumps(ROWS[form][column]).replace('"', '""')
        assert texts(put("x.csv", f'{column};other\n"{cell}";1\n')) == SAID

    def test_streams(self, form, monkeypatch):
        raw = io.BytesIO(json.dumps(ROWS[form]).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
        assert texts("-") == SAID

    def test_by_name_before_the_file_and_as_an_option(self, put, form, tmp_path):
        name = put("folder/x.log", json.dumps(ROWS[form]))
        assert texts(f"{form}:{name}") == texts(name, format=form) == SAID
        assert texts(tmp_path / f"{form}:{name}") == texts(Path("folder") / f"{form}:x.log") == SAID
        assert texts(tmp_path / "elsewhere" / f"{form}:{tmp_path / name}") == SAID

    def test_as_prompts_and_examples(self, put, form):
        name = put("x.jsonl", json.dumps(ROWS[form]))
        (prompt,) = read_prompts(name)
        assert [turn.text for turn in prompt.context] == list(SAID[:3])
        assert prompt.references == ("Please.",)
        (example,) = read(name, "example")
        assert (example.system, example.response.text, len(example.context)) == ("system", "Please.", 3)
        assert survey(name).kind == read_guessing(name).kind == "dialogue"


@pytest.mark.parametrize("ending", ["txt", "log", "parlai"])
def test_parlai_text(put, ending):
    assert texts(put(f"x.{ending}", PARLAI)) == SAID


def test_lines_of_text_are_responses_or_prompts(put):
    name = put("x.txt", "Hi.\nTea?\n")
    assert [example.response.text for example in read(name, "example")] == ["Hi.", "Tea?"]
    asked = [prompt.context for prompt in read_prompts(f"text:{name}")]
    assert asked == [(Turn("user", "Hi."),), (Turn("user", "Tea?"),)]


def test_every_format_can_stand_before_a_file():
    for form in FORMATS:
        assert split_format(f"{form}:a/b.x") == ("a/b.x", form)
        assert file_of(f"/f/{form}:a/b.x") == Path("/f/a/b.x")
        assert file_of(f"/f/{form}:/a/b.x") == Path("/a/b.x")
    assert split_format("openai:-") == ("-", "openai")
    assert split_format("C:/x.jsonl") == ("C:/x.jsonl", None)
    assert split_format("http://x") == ("http://x", None)


def test_a_file_of_that_very_name_is_that_file(put):
    name = put("turns:x.jsonl", json.dumps({"id": "a", **ROWS["openai"]}))
    assert split_format(name) == (name, None)
    assert texts(name) == SAID


def test_an_unknown_format_is_suggested_and_an_unknown_ending_refused(put):
    with pytest.raises(UnknownName, match="'sharegpt'"):
        read(put("x.jsonl", "{}"), "dialogue", format="sharegtp")
    with pytest.raises(BadInput, match=r"a name that ends in '\.doc'"):
        read(put("x.doc", "Hi."), "dialogue")


def test_our_own_records_are_not_taken_for_conversations(put):
    line = {"id": "a", "system": "s", "context": [], "response": "Hi.", "turns": ["x"], "messages": []}
    (example,) = read(put("x.jsonl", json.dumps(line)), "example")
    assert example.response.text == "Hi."


class TestWhatNeedNotBeSaid:
    def test_a_response_without_system_and_context(self, put):
        (first, second) = read(put("x.csv", "id,response,reference\na,Hi.,Hello.\nb,Ho.,\n"), "example")
        assert (first.item, first.system, first.context, first.references) == ("a", "system", (), ("Hello.",))
        assert second.references == ()

    def test_a_response_without_an_id_is_numbered(self, put):
        rows = read(put("x.jsonl", '{"response": "Hi."}\n{"response": "Ho."}\n'), "example")
        assert [(example.item, example.response.text) for example in rows] == [("1", "Hi."), ("2", "Ho.")]

    def test_a_slip_in_a_name_is_not_passed_over(self, put):
        with pytest.raises(BadInput, match="Rename 'model' to 'system'"):
            list(read(put("x.jsonl", '{"id": "a", "response": "Hi.", "model": "m"}'), "example"))

    def test_ratings_without_rater_and_criterion(self, put):
        name = put("x.csv", "id,system,rating\na,s,4\na,s,5\nb,s,3\n")
        judgements = list(read(name, "judgement"))
        assert [(one.item, one.rater, one.criterion, one.value) for one in judgements] == [
            ("a", "#1", "rating", 4),
            ("a", "#2", "rating", 5),
            ("b", "#1", "rating", 3),
        ]


TOOLS = [
    {
        "role": "user",
        "content": [{"type": "text", "text": "What is"}, {"type": "image_url", "image_url": {"url": "u"}}],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}
        ],
    },
    {"role": "tool", "content": "a cat", "name": "look", "tool_call_id": "1"},
    {"role": "function", "content": "old", "name": "look"},
    {"role": "assistant", "content": "A cat.", "function_call": {"name": "f", "arguments": "{}"}},
]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_tools_and_parts_survive_every_format(put, ending):
    from dialeval.data import encode

    name = put("x.jsonl", json.dumps({"id": "a", "messages": TOOLS}))
    (dialogue,) = read(name, "dialogue")
    assert encode(dialogue)["messages"] == TOOLS
    assert [turn.text for turn in dialogue.turns] == ["What is\n[image_url]", "", "a cat", "old", "A cat."]
    write(f"y.{ending}", [dialogue])
    assert list(read(f"y.{ending}", "dialogue")) == [dialogue]
    (prompt,) = read_prompts(name)
    write(f"z.{ending}", [prompt])
    assert list(read(f"z.{ending}", "prompt")) == [prompt]


def test_a_column_for_each_rater_is_recognised(put):
    name = put("x.csv", "item;system;ana;ben\nq1;s;3,5;\nq2;s;2;1\n")
    judgements = list(read(name, "judgement"))
    assert judgements == list(read(name, "judgement", format="ratings-wide"))
    assert [one.value for one in judgements] == [3.5, None, 2, 1]
    assert survey(name).raters == {"ana": 2, "ben": 2}
    with pytest.raises(BadInput, match=r"field 'value': found no such field \(there are: 'item', 'note'\)"):
        list(read(put("y.csv", "item,note\nq1,good\n"), "judgement"))


def test_fields_of_other_tools_are_not_unknown(put):
    found = survey(put("x.jsonl", json.dumps({"id": "a", "lang": "en", **ROWS["sharegpt"]})))
    assert found.unknown == {}
