"""Reading, prompts, guessing and writing where nothing is wrong."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest

from dialeval.data import (
    FORMATS,
    Candidate,
    Dialogue,
    Example,
    Judgement,
    Prompt,
    Question,
    Response,
    Turn,
    kind_of,
    read,
    read_prompts,
    survey,
    write,
)
from dialeval.errors import BadInput, Unsuitable
from support.paths import DOCS

HI = (Turn("user", "Hi."),)
HELLO = Turn("assistant", "Hello.")


def test_the_table_of_formats_is_keyed_by_name():
    assert all(name == form.name and form.summary and form.kinds for name, form in FORMATS.items())


def test_naming_the_format_overrides_the_suffix(put):
    assert next(read(put("x.txt", "id,context\n1,Hi\n"), "prompt", format="csv")).item == "1"


@pytest.mark.parametrize("context", [["Hi.", "Hello.", "Tea?"], "Hi.\nHello.\nTea?", "Hi.\r\nHello.\r\nTea?"])
def test_a_context_of_texts_alternates_and_ends_with_the_user(put, context):
    row = {"id": "1", "system": "s", "context": context, "response": "Yes."}
    (example,) = read(put("x.jsonl", json.dumps(row)), "example")
    assert example.context == (*HI, HELLO, Turn("user", "Tea?"))


def test_null_for_an_optional_field_is_as_good_as_none(put):
    row = {
        "id": 5,
        "system": None,
        "messages": [{"role": "user", "content": "Hi.", "name": None}],
        "metadata": None,
    }
    (dialogue,) = read(put("x.jsonl", json.dumps(row)), "dialogue")
    assert dialogue == Dialogue("5", HI)
    assert pickle.loads(pickle.dumps(dialogue)) == dialogue


class TestPrompts:
    def check(self, tmp_path, records, expected):
        write(tmp_path / "x.jsonl", records)
        assert list(read_prompts(tmp_path / "x.jsonl")) == expected

    def test_systems_that_share_an_item_give_one_prompt(self, tmp_path):
        records = [Example(item, system, HI, Response("?"), ("a",)) for system in "xy" for item in "12"]
        self.check(tmp_path, records, [Prompt("1", HI, ("a",)), Prompt("2", HI, ("a",))])

    def test_an_assistants_last_turn_is_the_reference(self, tmp_path):
        records = [Dialogue("1", (*HI, HELLO)), Dialogue("2", (*HI, HELLO, *HI)), Dialogue("3", ())]
        self.check(
            tmp_path, records, [Prompt("1", HI, ("Hello.",)), Prompt("2", (*HI, HELLO, *HI)), Prompt("3", ())]
        )

    def test_correct_candidates_are_references(self, tmp_path):
        candidates = (Candidate("a", True), Candidate("b", False), Candidate("c", True))
        self.check(tmp_path, [Question("1", HI, candidates)], [Prompt("1", HI, ("a", "c"))])

    def test_judgements_have_no_contexts(self, tmp_path):
        write(tmp_path / "x.jsonl", [Judgement("1", "s", "r", "c", 1.0)])
        with pytest.raises(
            BadInput,
            match="found judgement records, expected prompts, examples, dialogues, questions or n-best lists",
        ):
            read_prompts(tmp_path / "x.jsonl")


def test_a_file_of_unknown_fields_has_no_kind(put):
    with pytest.raises(
        BadInput, match=r"line 1: found a record with 'bar', 'foo', expected 'response' for score and compare"
    ):
        kind_of(put("x.jsonl", '{"foo": 1, "bar": 2}\n'))


def test_standard_input_and_output(tmp_path, monkeypatch):
    record = Prompt("1", HI)
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out, isatty=lambda: False, flush=out.flush))
    assert write("-", [record]) == 1
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(out.getvalue()))))
    assert list(read_prompts("-")) == [record]


class TestWriting:
    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self, tmp_path):
        path = tmp_path / "x.jsonl"
        write(path, [Prompt("old", HI)])

        def records():
            yield Prompt("new", HI)
            raise RuntimeError("no more")

        for name in ("x.jsonl", "y.csv", "z.parquet", "w.jsonl.gz"):
            with pytest.raises(RuntimeError, match="no more"):
                write(tmp_path / name, records())
        assert [one.name for one in tmp_path.iterdir()] == ["x.jsonl"]
        assert next(read(path, "prompt")).item == "old"

    def test_a_file_holds_one_kind(self, tmp_path):
        with pytest.raises(Unsuitable, match="after prompts came a dialogue"):
            write(tmp_path / "x.jsonl", [Prompt("1", HI), Dialogue("1", HI)])

    def test_nothing_can_be_written_but_not_into_a_folder(self, tmp_path):
        for suffix in ("jsonl", "csv", "parquet"):
            assert write(tmp_path / f"x.{suffix}", []) == 0
        with pytest.raises(BadInput, match="found a directory, expected a file to write"):
            write(tmp_path, [])


class TestSurvey:
    def test_it_counts_systems_turns_and_references(self, put):
        rows = [
            {"id": "1", "system": "a", "context": [], "response": "x", "refs": ["y"]},
            {"id": "1", "system": "b", "context": [{"role": "user", "content": "Hi"}] * 3, "response": "x"},
            {"id": "2", "system": "b", "context": [], "response": "x", "references": ["y", "z"], "colour": 1},
        ]
        found = survey(put("x.jsonl", "\n".join(map(json.dumps, rows))))
        assert (found.kind, found.records, found.systems) == ("example", 3, {"a": 1, "b": 2})
        assert (found.turns.total, found.turns.least, found.turns.most, found.turns.mean) == (3, 0, 3, 1.0)
        assert (found.answers.total, found.answers.least, found.answers.most) == (2, 0, 2)
        assert found.unknown == {"refs": 1, "colour": 1}
        assert found.meant == {"refs": "references"}


def test_importing_data_brings_no_heavy_library():
    code = (
        "import sys, dialeval.data; print([m for m in ('pyarrow', 'torch', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_format_is_documented():
    page = (DOCS / "importing.md").read_text()
    assert [name for name in FORMATS if f"`{name}`" not in page] == []


READ = """
import resource, sys
from dialeval.data import read, write
next(read(sys.argv[1], "example"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
records = read(sys.argv[1], "example")
count = write(sys.argv[2], records) if len(sys.argv) > 2 else sum(1 for _ in records)
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def run(*arguments: object) -> tuple[int, int]:
    """Records read, and by how many MiB the process grew over it."""
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    count, grown = done.stdout.split()
    return int(count), int(grown)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """60 MB of examples."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    context = [{"role": "user", "content": "How do I get to the station from here, please? " * 20}]
    row = {"system": "s", "context": context, "response": "Turn left. " * 30, "references": ["Left. " * 30]}
    with path.open("w") as file:
        for at in range(40_000):
            file.write(json.dumps({"id": str(at), **row}) + "\n")
    assert path.stat().st_size > 60_000_000
    return path


def test_reading_sixty_megabytes_takes_a_few(large):
    count, grown = run(large)
    assert count == 40_000
    assert grown < 12


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "room"), [("jsonl.gz", 12), ("csv", 12), ("json", 16), ("parquet", 200)])
def test_converting_there_and_back_streams_too(large, tmp_path, suffix, room):
    path = tmp_path / f"large.{suffix}"
    count, grown = run(large, path)
    assert count == 40_000
    assert grown < room
    count, grown = run(path)
    assert count == 40_000
    assert grown < room


@pytest.mark.slow
def test_an_array_on_one_line_streams(large, tmp_path):
    path = tmp_path / "array.json"
    path.write_text("[" + ",".join(large.read_text().splitlines()) + "]")
    count, grown = run(path)
    assert count == 40_000
    assert grown < 16
