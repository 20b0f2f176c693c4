"""``dialeval data``: formats, validation, conversion."""

from __future__ import annotations

import json
import re
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
    assert re.search(
        rf"Examples?: dialeval data {verb}", " ".join(dialeval("data", verb, "--help").out.split())
    )


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


def test_validate_counts_turns_and_words_as_tables_of_data_sets_do(dialeval):
    talk = '{"id": "1", "system": "s", "turns": ["one two three", "four"]}\n'
    path = put("talks.jsonl", talk + talk.replace('"1"', '"2"'))
    done = dialeval("data", "validate", path)
    assert "  in all: 4 turns; 8 words, 2.0 per turn\n" in done.out
    found = json.loads(dialeval("data", "validate", path, "--json").out)
    assert (found["said"], found["words"]) == (4, 8)
    answer = '{"id": "1", "system": "s", "context": ["one two"], "response": "three"}\n'
    done = dialeval("data", "validate", put("answers.jsonl", answer))
    assert "  in all: 2 turns, responses counted; 3 words, 1.5 per turn\n" in done.out


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
    assert done.code == 2
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
    assert done.err == "1 record written to standard output\n"


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


def test_the_group_shows_an_example(dialeval):
    assert "Example: dialeval data convert" in " ".join(dialeval("data", "--help").out.split())


def test_tables_stand_without_blank_lines_around(dialeval):
    lines = dialeval("data", "ls").out.split("\n")
    assert lines[0].startswith("format")
    assert all(line.strip() for line in lines[:-1])


def test_convert_says_where_its_bad_lines_go(dialeval):
    assert "TO.bad.jsonl" in " ".join(dialeval("data", "convert", "--help").out.replace("│", " ").split())


def test_convert_skips_bad_lines_of_text_files_too(dialeval):
    Path("out.txt").write_bytes(b"a\n\xff\nc\n")
    put("ref.txt", "x\ny\nz\n")
    assert dialeval("data", "convert", "out.txt", "x.jsonl", "--ref", "ref.txt").code == 1
    done = dialeval("data", "convert", "out.txt", "x.jsonl", "--ref", "ref.txt", "--skip-bad")
    assert done.code == 0
    assert "warning: 1 bad line was left out and written to x.jsonl.bad.jsonl" in done.err
    assert [(one.item, one.references) for one in read("x.jsonl", "example")] == [
        ("1", ("x",)),
        ("3", ("z",)),
    ]


def test_a_clean_rerun_leaves_no_stale_side_file(dialeval):
    side = Path("x.jsonl.bad.jsonl")
    dialeval("data", "validate", put("x.jsonl", GOOD % 1 + "oops\n"), "--skip-bad")
    assert side.exists()
    dialeval("data", "validate", "x.jsonl")
    assert side.exists()  # a strict run asks for no such file and touches none
    assert dialeval("data", "validate", put("x.jsonl", GOOD % 1), "--skip-bad").err == ""
    assert not side.exists()


def test_convert_never_writes_over_its_input(dialeval):
    put("x.jsonl", GOOD % 1)
    Path("link.jsonl").symlink_to("x.jsonl")
    for target in ("x.jsonl", "./x.jsonl", "link.jsonl"):
        done = dialeval("data", "convert", "x.jsonl", target, "--system", "new")
        assert (done.code, done.out) == (1, "")
        assert "found the file that is to be read, expected another one to write" in done.err
    put("y.jsonl.bad.jsonl", GOOD % 1 + "oops\n")
    assert dialeval("data", "convert", "y.jsonl.bad.jsonl", "y.jsonl", "--skip-bad").code == 1
    put("ref.jsonl", "hello\n")
    assert dialeval("data", "convert", "x.jsonl", "ref.jsonl", "--ref", "ref.jsonl").code == 1
    assert Path("x.jsonl").read_text() == GOOD % 1
    assert Path("y.jsonl.bad.jsonl").read_text() == GOOD % 1 + "oops\n"
    assert Path("ref.jsonl").read_text() == "hello\n"


def test_convert_says_when_it_replaces_a_file(dialeval):
    put("x.jsonl", GOOD % 1)
    assert dialeval("data", "convert", "x.jsonl", "y.csv").err == "1 record written to y.csv\n"
    again = dialeval("data", "convert", "x.jsonl", "y.csv")
    assert again.err == "1 record written to y.csv, in place of the file that was there\n"


def test_validate_counts_what_is_absent(dialeval):
    bare = GOOD.replace('["Hi.", "Hey."]', "[]") % 2
    silent = GOOD.replace('"Hello."', '" "') % 3
    put("x.jsonl", GOOD % 1 + bare + silent)
    out = dialeval("data", "validate", "x.jsonl").out
    assert "  without references: 1\n  empty responses: 1\n" in out
    told = json.loads(dialeval("data", "validate", "x.jsonl", "--json").out)
    assert (told["without_references"], told["empty_responses"]) == (1, 1)


def test_the_default_kind_follows_the_file(dialeval, shared_data):
    table = shared_data / "multirefeval" / "mturk_rating_processed_output.csv"
    assert dialeval("data", "convert", table, "x.jsonl", "--from", "multirefeval").code == 0
    assert next(read("x.jsonl", "example")).references
    assert dialeval("data", "convert", table, "p.jsonl", "--from", "multirefeval", "--as", "prompt").code == 0
    assert next(read("p.jsonl", "prompt")).references
    done = dialeval("data", "convert", table, "d.jsonl", "--from", "multirefeval", "--as", "dialogue")
    assert done.code == 1
    assert "holds no dialogue records, only example and judgement." in done.err


def test_positives_alone_make_no_question(dialeval):
    put("data_positives.json", json.dumps({"context": ["Hi."], "positive_responses": ["Hello."]}))
    options = ("--from", "dailydialog++", "--as")
    done = dialeval("data", "convert", "data_positives.json", "q.jsonl", *options, "question")
    assert done.code == 1
    assert "data_positives.json, line 1: found no false candidates" in done.err
    assert "dialeval data convert data_positives.json OUT.jsonl --from dailydialog++ --as prompt" in done.err
    assert dialeval("data", "convert", "data_positives.json", "q.jsonl", *options, "prompt").code == 0
