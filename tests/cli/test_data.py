"""``dialeval data``: formats, validation, conversion."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.data import FORMATS, Dialogue, Turn, read, write

GOOD = '{"id": "%s", "system": "s", "context": [], "response": "Hello.", "references": ["Hi.", "Hey."]}\n'


def put(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_every_format_is_listed(dialeval):
    out = dialeval("data", "ls").out
    assert all(name in out for name in FORMATS)
    listed = json.loads(dialeval("data", "ls", "--json").out)["formats"]
    assert [row["name"] for row in listed] == list(FORMATS)


@pytest.mark.parametrize("verb", ["ls", "validate", "convert"])
def test_every_verb_shows_an_example(dialeval, verb):
    assert f"Example: dialeval data {verb}" in dialeval("data", verb, "--help").out


def test_validate_says_what_is_in_a_file(dialeval):
    extra = GOOD.replace('"references"', '"colour": 1, "references"')
    done = dialeval("data", "validate", put("x.jsonl", GOOD % 1 + extra % 2))
    assert done.code == 0
    assert done.out == (
        "2 example records\n"
        "  systems: 1: s (2)\n"
        "  turns per record: 0.0 on average, 0 to 0\n"
        "  references per record: 2.0 on average, 2 to 2\n"
        "  unknown field 'colour' in 1 records\n"
    )


def test_validate_suggests_what_a_misspelt_field_means(dialeval):
    out = dialeval("data", "validate", put("x.jsonl", GOOD.replace("references", "refs") % 1)).out
    assert "unknown field 'refs' in 1 records; did you mean 'references'?" in out


def test_validate_stops_at_the_first_bad_line(dialeval):
    done = dialeval("data", "validate", put("x.jsonl", GOOD % 1 + "{oops\n"))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: x.jsonl, line 2: found broken JSON at column 2")


def test_validate_can_skip_bad_lines_and_says_how_many(dialeval):
    done = dialeval(
        "data", "validate", put("x.jsonl", GOOD % 1 + "{oops\n" + GOOD % 1), "--skip-bad", "--json"
    )
    assert done.code == 0
    assert done.err == "warning: 2 bad lines were left out and written to x.jsonl.bad.jsonl\n"
    found = json.loads(done.out)
    assert (found["records"], found["bad"], found["bad_file"]) == (1, 2, "x.jsonl.bad.jsonl")
    assert [json.loads(line)["line"] for line in Path("x.jsonl.bad.jsonl").read_text().splitlines()] == [2, 3]


def test_validate_fails_where_every_line_is_bad(dialeval):
    done = dialeval("data", "validate", put("x.jsonl", "a\nb\n"), "--skip-bad")
    assert done.code == 1
    assert "found 2 bad lines and nothing else" in done.err


def test_an_unknown_kind_is_a_usage_error(dialeval):
    assert dialeval("data", "validate", put("x.jsonl", GOOD % 1), "--kind", "exmple").code == 2


def test_an_unknown_format_suggests_the_close_one(dialeval):
    done = dialeval("data", "validate", put("x.jsonl", GOOD % 1), "--from", "opnai")
    assert done.code == 1
    assert "There is no format called 'opnai'. Did you mean 'openai'?" in done.err


def test_convert_goes_by_the_targets_ending(dialeval):
    put("x.jsonl", "".join(GOOD % at for at in range(5)))
    for name in ("x.csv", "x.tsv", "x.parquet", "y.jsonl.gz"):
        done = dialeval("data", "convert", "x.jsonl", name, "--limit", 3)
        assert (done.code, done.out, done.err) == (0, "", f"3 records written to {name}\n")
        assert list(read(name, "example")) == list(read("x.jsonl", "example"))[:3]


def test_convert_to_standard_output_keeps_talk_apart(dialeval):
    done = dialeval("data", "convert", put("x.jsonl", GOOD % 1), "-")
    assert json.loads(done.out)["id"] == "1"
    assert done.err == "1 records written to standard output\n"


def test_convert_puts_text_files_together(dialeval):
    put("out.txt", "a\nb\n")
    put("one.txt", "x\ny\n")
    put("two.txt", "\nz\n")
    options = ("--ref", "one.txt", "--ref", "two.txt", "--system", "mine")
    assert dialeval("data", "convert", "out.txt", "x.jsonl", *options).code == 0
    assert [(one.system, one.references) for one in read("x.jsonl", "example")] == [
        ("mine", ("x",)),
        ("mine", ("y", "z")),
    ]


def test_convert_refuses_references_for_other_formats(dialeval):
    done = dialeval(
        "data", "convert", put("x.jsonl", GOOD % 1), "y.jsonl", "--ref", "r.txt", "--from", "openai"
    )
    assert done.code == 1
    assert "--ref goes with a text file of responses" in done.err


def test_convert_names_the_system_of_chats(dialeval):
    chat = {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}
    put("chat.jsonl", json.dumps(chat))
    done = dialeval(
        "data", "convert", "chat.jsonl", "x.jsonl", "--from", "openai", "--as", "example", "--system", "me"
    )
    assert done.code == 0
    assert next(read("x.jsonl", "example")).system == "me"


def test_convert_makes_prompts_of_dialogues(dialeval):
    write("d.jsonl", [Dialogue("1", (Turn("user", "Hi."), Turn("assistant", "Hello.")))])
    assert dialeval("data", "convert", "d.jsonl", "p.jsonl", "--as", "prompt").code == 0
    assert next(read("p.jsonl", "prompt")).references == ("Hello.",)


def test_convert_leaves_no_file_when_it_fails(dialeval):
    done = dialeval("data", "convert", put("x.jsonl", GOOD % 1 + "oops\n"), "y.jsonl")
    assert done.code == 1
    assert not Path("y.jsonl").exists()


def test_convert_can_skip_bad_lines(dialeval):
    done = dialeval("data", "convert", put("x.jsonl", GOOD % 1 + "oops\n"), "y.jsonl", "--skip-bad")
    assert done.code == 0
    assert "1 bad line was left out and written to y.jsonl.bad.jsonl" in done.err
    assert len(list(read("y.jsonl", "example"))) == 1
