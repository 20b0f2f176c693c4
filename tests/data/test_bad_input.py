"""Every way a file can be wrong, with the whole message a person reads."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dialeval.data import Example, SideFile, read, read_prompts, read_texts
from dialeval.data.codec.sources import LINE_LIMIT
from dialeval.errors import BadInput, UnknownName, Unsuitable

GOOD = {"id": "a", "system": "s", "context": [{"role": "user", "content": "Hi."}], "response": "Hello."}


def line(**changes: object) -> str:
    fields = {**GOOD, **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not ...}) + "\n"


def message(name: str, kind="example", **options) -> str:
    with pytest.raises(BadInput) as caught:
        list(read(name, kind, **options))
    return str(caught.value)


ONE_LINE = {
    "truncated": (
        line()[:40],
        "found JSON that breaks off at column 40, expected a JSON object. "
        "The file may be cut short: fetch or write it again.",
    ),
    "not JSON": (
        "{'id': 'a'}\n",
        """found broken JSON at column 2, near "{'id': 'a'}", expected a JSON object. Fix the line.""",
    ),
    "two on a line": (
        line().strip() + line(id="b"),
        f"found more text after the JSON value, at column {len(line())}, expected a JSON object. "
        "Put each object on its own line.",
    ),
    "infinity": (
        line(logprob=float("-inf")),
        "found -Infinity, which JSON does not have, expected a JSON object. Write null where there is no value.",
    ),
    "too deep": (
        "[" * 3 + '{"a":' + "[" * 100_000 + "]" * 100_000 + "}]]]\n",
        "found lists or objects nested too deeply, expected a JSON object. Flatten the record.",
    ),
    "half a character": (
        line(response="\ud83d"),
        "found half of a character (\\ud83d alone), expected a JSON object. Write the character whole, or drop it.",
    ),
    "no object": (
        '"hello"\n',
        "found the text 'hello', expected a JSON object. Write each record as an object with its fields.",
    ),
}


@pytest.mark.parametrize("case", ONE_LINE)
def test_a_line_that_is_no_json_object_is_named(put, case):
    text, expected = ONE_LINE[case]
    name = put("bad.jsonl", line(id="first") + text)
    assert message(name) == f"bad.jsonl, line 2: {expected}"


FIELDS = {
    "missing, with a likely name": (
        line(response=..., output="Hello."),
        "field 'response': found no such field (there are: 'id', 'system', 'context', 'output'), "
        "expected text (the system's response). Rename 'output' to 'response'.",
    ),
    "missing, with a close name": (
        line(context=..., contexts=[]),
        "field 'context': found no such field (there are: 'id', 'system', 'response', 'contexts'), "
        "expected a list of messages. Rename 'contexts' to 'context'.",
    ),
    "missing altogether": (
        line(response=...),
        "field 'response': found no such field (there are: 'id', 'system', 'context'), expected text (the system's "
        "response). Add 'response'; 'dialeval docs files' lists the fields of each kind of record.",
    ),
    "another format": (
        '{"messages": []}\n',
        "field 'response': found no such field (there are: 'messages'), expected text (the system's response). "
        "It looks like the openai format: convert it with "
        "'dialeval data convert bad.jsonl OUT.jsonl --from openai'.",
    ),
    "text for a list": (
        line(references="Hello."),
        "field 'references': found the text 'Hello.', expected a list of texts. "
        'Write ["...", "..."], even for one.',
    ),
    "a number among texts": (
        line(references=["Hello.", 7]),
        "field 'references[1]': found the number 7, expected text. Quote it, or leave it out.",
    ),
    "a number as response": (
        line(response=7),
        'field \'response\': found the number 7, expected text or {"text", "logprob"}. '
        "Quote it; write an empty text for silence.",
    ),
    "deep inside": (
        line(context=[*GOOD["context"] * 2, {"speaker": "user", "content": "Hi."}]),
        "field 'context[2].role': found no such field (there are: 'speaker', 'content'), "
        "expected text ('user', 'assistant', 'system' ...). Rename 'speaker' to 'role'.",
    ),
    "deep and of the wrong type": (
        line(context=[{"role": "user", "content": 7}]),
        "field 'context[0].content': found the number 7, expected text (what was said), or a list of parts. Quote it.",
    ),
    "a turn that is text among messages": (
        line(context=[*GOOD["context"], "Hi."]),
        'field \'context[1]\': found the text \'Hi.\', expected a message. Write {"role": "user", "content": "..."}.',
    ),
    "an infinite number": (
        line(response={"text": "a", "logprob": "LARGE"}).replace('"LARGE"', "-1e999"),
        "field 'response.logprob': found the number -inf, expected a finite number or null. "
        "Write null where there is no value.",
    ),
    "true for a number": (
        line(response={"text": "a", "logprob": True}),
        "field 'response.logprob': found true, expected a finite number or null. Write null where there is no value.",
    ),
    "a number in quotes": (
        line(response={"text": "a", "logprob": "-4"}),
        "field 'response.logprob': found the text '-4', expected a finite number or null. Write it without quotes.",
    ),
    "no id": (
        line(id=""),
        "field 'id': found an empty text, expected text (the item's id). "
        "Fill in 'id': results are kept and compared by it.",
    ),
    "a blank id": (
        line(id=" \t"),
        "field 'id': found nothing but whitespace (' \\t'), expected text (the item's id). "
        "Fill in 'id': results are kept and compared by it.",
    ),
    "no name": (
        line(system=""),
        "field 'system': found an empty text, expected text (the system's name). "
        "Fill in 'system': results are kept and compared by it.",
    ),
    "a second time": (
        line(id="first"),
        "field 'id': found 'first' a second time for system 's', expected an id that is used once per system. "
        "Give every item its own id, or drop the repeated line.",
    ),
}


@pytest.mark.parametrize("case", FIELDS)
def test_a_field_that_is_wrong_is_named_by_its_path(put, case):
    text, expected = FIELDS[case]
    name = put("bad.jsonl", line(id="first") + text)
    assert message(name) == f"bad.jsonl, line 2, {expected}"


def test_every_kind_needs_an_id_and_what_a_system_says_needs_its_name(put):
    judged = {"item": "", "system": "", "rater": "me", "criterion": "tact", "value": 1}
    name = put("j.jsonl", json.dumps(judged))
    assert "j.jsonl, line 1, field 'item': found an empty text, expected text (the item's id)" in message(
        name, "judgement"
    )
    nbest = {"id": "a", "system": "", "context": [], "responses": []}
    assert "field 'system': found an empty text" in message(put("n.jsonl", json.dumps(nbest)), "nbest")
    for kind, fields in {"prompt": {"context": []}, "dialogue": {"messages": []}}.items():
        named = put(f"{kind}.jsonl", json.dumps({"id": "", **fields}))
        assert "field 'id': found an empty text" in message(named, kind)


def test_a_judgement_needs_somebody_who_judged(put):
    judged = {"item": "a", "system": "s", "rater": "", "criterion": "tact", "value": 1}
    assert message(put("j.jsonl", json.dumps(judged)), "judgement") == (
        "j.jsonl, line 1, field 'rater': found an empty text, expected text (who judged). "
        "Fill in 'rater': results are kept and compared by it."
    )


def test_people_who_talk_among_themselves_are_no_system(put):
    judged = {"item": "a", "system": "", "rater": "me", "criterion": "tact", "value": 1}
    assert next(read(put("j.jsonl", json.dumps(judged)), "judgement")).system == ""
    talk = {"id": "a", "system": "", "messages": []}
    assert next(read(put("d.jsonl", json.dumps(talk)), "dialogue")).system == ""


def test_a_question_without_a_right_answer_is_refused(put):
    name = put("q.jsonl", '{"id": 1, "context": [], "candidates": [{"text": "a", "correct": false}]}\n')
    assert message(name, "question") == (
        "q.jsonl, line 1, field 'candidates': found 1 candidates, none of them correct, expected at least one correct. "
        'Mark the right ones with "correct": true, or leave the question out.'
    )


def test_text_for_a_flag_is_refused(put):
    name = put("q.jsonl", '{"id": 1, "context": [], "candidates": [{"text": "a", "correct": "yes"}]}\n')
    assert message(name, "question") == (
        "q.jsonl, line 1, field 'candidates[0].correct': found the text 'yes', expected true or false. "
        "Write true or false, without quotes."
    )


def test_an_item_of_two_systems_is_no_repetition(put):
    name = put("two.jsonl", line(system="a") + line(system="b"))
    assert [example.system for example in read(name, "example")] == ["a", "b"]


def test_wrong_encoding_is_named_with_offset_and_cure(put):
    name = put("caf.txt", "Привет\n".encode("cp1251"))
    assert message(name, format="text") == (
        "caf.txt, line 1: found byte 0xcf at offset 0, which is not UTF-8, expected UTF-8 text. "
        "It looks like WINDOWS-1251. Save it as UTF-8, or convert it: "
        "iconv -f WINDOWS-1251 -t UTF-8 caf.txt > utf8-caf.txt."
    )


def test_offsets_count_every_byte_before(put):
    name = put("x.jsonl", b"\xef\xbb\xbf" + line().encode() + b'{"id": "\xff"}\n')
    assert f"byte 0xff at offset {3 + len(line()) + 8}," in message(name)


def test_whole_files_that_cannot_be_read(put):
    todo = "Check that this is the file you meant, and how it was written."
    assert (
        message(put("empty.jsonl", ""))
        == f"empty.jsonl: found an empty file, expected at least one example. {todo}"
    )
    assert (
        message(put("blank.jsonl", "\n \n"))
        == f"blank.jsonl: found no record in it, expected at least one example. {todo}"
    )
    assert (
        message(put("head.csv", "id,system\n"))
        == f"head.csv: found no record in it, expected at least one example. {todo}"
    )
    Path("folder").mkdir()
    assert message("folder") == "folder: found a directory, expected a file. Name one of the files in it."
    assert (
        message("empt.jsonl")
        == "empt.jsonl: found no such file, expected a file. Did you mean 'empty.jsonl'?"
    )
    assert (
        message("nowhere/x.jsonl") == "nowhere/x.jsonl: found no such file, expected a file. Check the path."
    )
    assert message(put("x.doc", "?")) == (
        "x.doc: found a name that ends in '.doc', expected one of .jsonl, .ndjson, .json, .csv, .tsv, .xlsx, .parquet "
        "(or with .gz). Rename the file, or convert it with 'dialeval data convert x.doc OUT.jsonl --from FORMAT' "
        "('dialeval data ls' lists the formats)."
    )


def test_errors_that_concern_the_whole_file_come_before_the_first_record(put):
    with pytest.raises(BadInput):
        read("missing.jsonl", "example")
    with pytest.raises(UnknownName, match=r"no format called 'jsnl'\. Did you mean 'jsonl'\?"):
        read(put("x.jsonl", line()), "example", format="jsnl")
    with pytest.raises(Unsuitable, match="The usr format holds no nbest records, only example and judgement"):
        read("x.jsonl", "nbest", format="usr")


def test_a_line_of_ten_megabytes_is_refused_and_the_next_one_read(put, tmp_path):
    long = '{"id": "' + "x" * (10 * 2**20) + '"}\n'
    name = put("long.jsonl", line(id="a") + long + line(id="b"))
    assert message(name) == (
        "long.jsonl, line 2: found a line longer than 8 MiB, expected one JSON object a line. It may be one big JSON "
        "document: a list at the top level can be read, anything else needs one record a line. Convert chat files with "
        "'dialeval data convert long.jsonl OUT.jsonl --from openai' (or sharegpt)."
    )
    side = SideFile(tmp_path / "side.jsonl")
    assert [example.item for example in read(name, "example", on_bad=side)] == ["a", "b"]
    assert side.count == 1


def test_a_line_of_just_the_limit_is_read(put):
    room = LINE_LIMIT - len(line(response="").strip())
    name = put("long.jsonl", line(response="x" * room))
    assert len(next(read(name, "example")).response.text) == room
    assert "longer than 8 MiB" in message(put("longer.jsonl", line(response="x" * (room + 1))))


def test_broken_gzip_is_named(put):
    name = put("x.jsonl.gz", gzip.compress(line().encode() * 50)[:-20])
    assert message(name).startswith("x.jsonl.gz: found broken gzip data (")


def test_gzip_is_known_by_its_bytes_whatever_the_name(put):
    assert len(list(read(put("x.jsonl", gzip.compress(line().encode())), "example"))) == 1


def test_marks_line_endings_and_blank_lines_are_no_fault(put):
    name = put(
        "dos.jsonl", b"\xef\xbb\xbf\r\n" + (line(id="a") + "\n" + line(id="b")).replace("\n", "\r\n").encode()
    )
    assert [example.item for example in read(name, "example")] == ["a", "b"]


def test_errors_on_standard_input_say_so(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(b"{}\n"))))
    assert message("-").startswith("<stdin>, line 1, field 'response': found no such field (there are: none)")


class TestArrays:
    def test_an_array_is_read_as_records(self, put):
        items = [json.loads(line(id=str(at))) for at in range(2000)]
        name = put("array.json", json.dumps(items, indent=1))
        assert [example.item for example in read(name, "example")] == [str(at) for at in range(2000)]

    def test_errors_name_the_line_and_the_element_of_the_array(self, put):
        name = put("array.json", "[\n" + line().strip() + ",\n\n" + line(id="b", system=7) + "]")
        assert message(name) == (
            "array.json, line 4, field 'system': found the number 7 in element 2 of the array, "
            "expected text (the system's name). Quote it."
        )
        again = put("again.json", "[" + ",".join([line().strip()] * 2) + "]")
        assert (
            "line 1, field 'id': found 'a' a second time for system 's' in element 2 of the array"
            in message(again)
        )

    def test_a_truncated_array_is_refused_after_its_whole_elements(self, put):
        found = read(put("cut.json", "[" + line() + "," + line(id="b")[:30]), "example")
        assert next(found).item == "a"
        with pytest.raises(BadInput) as caught:
            next(found)
        assert str(caught.value) == (
            "cut.json, line 2: found JSON that breaks off in element 2 of the array, 30 characters into it, "
            "expected a JSON object. The file may be cut short: fetch or write it again."
        )

    def test_what_is_broken_on_one_long_line_is_found_by_its_element(self, put):
        whole = [line(id=str(at)).strip() for at in range(1, 1500)]
        name = put("x.json", "[" + ", ".join([*whole, "{'id': 1}"]) + "]")
        assert message(name) == (
            "x.json, line 1: found broken JSON in element 1,500 of the array, 2 characters into it, "
            """near "{'id': 1}]", expected a JSON object. Fix the element."""
        )
        half = put("half.json", "[" + whole[0] + ',{"id": "\\ud83d"}]')
        assert "found half of a character (\\ud83d alone) in element 2 of the array" in message(half)

    def test_an_unclosed_array_is_refused(self, put):
        assert message(put("cut.json", "[" + line())) == (
            "cut.json, line 2: found an array that breaks off after element 1, expected ']' at its end. "
            "The file may be cut short: fetch or write it again."
        )

    def test_text_after_the_array_is_refused(self, put):
        assert "found more text after the array" in message(put("x.json", "[" + line() + "] true"))

    def test_an_element_may_be_longer_than_what_is_read_at_once(self, put):
        name = put("big.json", "[" + line(response="é" * 1_000_000) + "]")
        assert len(next(read(name, "example")).response.text) == 1_000_000

    def test_an_element_beyond_the_limit_is_refused(self, put):
        name = put("big.json", '[{"id": "' + "x" * (9 * 2**20) + '"}]')
        assert message(name) == (
            "big.json, line 1: found an element (1) that is broken or longer than 8 MiB, expected an array of objects. "
            "Fix it, or put one object on each line."
        )

    def test_wrong_encoding_names_the_offset(self, put):
        assert "byte 0xff at offset 9, which is not UTF-8" in message(put("x.json", b'[{"id": "\xff"}]'))

    def test_an_empty_array_holds_no_record(self, put):
        assert "found no record in it" in message(put("x.json", "[]"))


class TestTables:
    def test_a_row_of_too_few_cells_is_named(self, put):
        name = put("x.csv", "id,system,context,response\na,s,,Hello\nb,s,Hello\n")
        assert message(name) == (
            "x.csv, line 3: found 3 cells, expected 4, as in the header. "
            "Add or remove cells; a cell that holds the separator must stand in double quotes."
        )

    def test_broken_json_in_a_cell_names_the_field(self, put):
        name = put("x.csv", 'id,system,context,response\na,s,"[{""role""",Hello\n')
        assert message(name).startswith(
            "x.csv, line 2, field 'context': found JSON that breaks off at column 8"
        )

    def test_words_for_a_value_are_refused(self, put):
        name = put("x.tsv", "item\tsystem\trater\tcriterion\tvalue\n1\ts\tme\ttact\tgood\n")
        assert message(name, "judgement") == (
            "x.tsv, line 2, field 'value': found the text 'good', expected a number or an empty cell. "
            "Leave the cell empty where there is no value."
        )

    def test_a_stray_quote_is_refused_and_the_next_row_read(self, put, tmp_path):
        name = put("x.csv", 'id,system,context,response\na,s,,"Hel"lo\nb,s,,Hello\n')
        side = SideFile(tmp_path / "side.jsonl")
        assert [example.item for example in read(name, "example", on_bad=side)] == ["b"]
        assert json.loads(side.path.read_text())["raw"] == 'a,s,,"Hel"lo'

    @pytest.mark.parametrize(("row", "field"), [(",s,,Hello", "id"), ("a,,,Hello", "system")])
    def test_an_empty_cell_is_no_name(self, put, row, field):
        name = put("x.csv", f"id,system,context,response\n{row}\n")
        assert message(name).startswith(f"x.csv, line 2, field '{field}': found an empty text, expected text")

    def test_a_column_twice_is_refused(self, put):
        assert "found the column 'id' twice" in message(put("x.csv", "id,id\n1,2\n"))

    def test_line_numbers_count_lines_inside_cells(self, put):
        name = put("x.csv", 'id,system,context,response\na,s,"one\ntwo",Hello\na,s,,Hello\n')
        assert message(name).startswith("x.csv, line 4, field 'id': found 'a' a second time")


def test_what_is_no_parquet_is_refused(put):
    assert message(put("x.parquet", b"hello")).startswith("x.parquet: found no readable Parquet (")
    assert message(put("x.parquet.gz", b"hello")) == (
        "x.parquet.gz: found gzipped Parquet, expected a name that ends in .parquet. "
        "Unzip it, or write it without .gz: Parquet is compressed inside."
    )


def test_reference_files_must_be_as_long_as_the_responses(put):
    responses, references = put("out.txt", "a\nb\nc\n"), put("ref.txt", "x\ny\n")
    with pytest.raises(BadInput) as caught:
        list(read_texts(responses, [references]))
    assert str(caught.value) == (
        "ref.txt: found 2 lines, expected 3, as in out.txt. "
        "Give every response a line in each reference file; leave the line empty where there is no reference."
    )
    with pytest.raises(BadInput, match=r"out\.txt: found 3 lines, expected 2, as in ref\.txt"):
        list(read_texts(references, [responses]))


def test_systems_that_disagree_on_a_context_are_refused(put):
    other = [{"role": "user", "content": "Bye."}]
    name = put("two.jsonl", line(system="a") + line(system="b", context=other))
    with pytest.raises(BadInput) as caught:
        list(read_prompts(name))
    assert str(caught.value) == (
        "two.jsonl, field 'id': found two contexts or sets of references under the id 'a', "
        "expected the same ones from every system. Give items with different contexts different ids."
    )


def test_a_line_that_cannot_be_used_leaves_its_item_out_and_keeps_files_in_step(put, tmp_path):
    responses = put("out.txt", b"a\n\xff\nc\nd\ne\n\xfe\n")
    references = put("ref.txt", b"A\nB\nC\n\xff\nE\nF\n")
    side = SideFile(tmp_path / "side.jsonl")
    found = list(read_texts(responses, [references], on_bad=side))
    assert [(one.item, one.response.text, one.references) for one in found] == [
        ("1", "a", ("A",)),
        ("3", "c", ("C",)),
        ("5", "e", ("E",)),
    ]
    kept = [json.loads(entry) for entry in side.path.read_text().splitlines()]
    assert [(entry["path"], entry["line"]) for entry in kept] == [
        ("out.txt", 2),
        ("ref.txt", 4),
        ("out.txt", 6),
    ]


def test_bad_lines_do_not_hide_different_lengths(put, tmp_path):
    responses, references = put("out.txt", b"a\n\xff\nc\n"), put("ref.txt", b"\xff\nB\n")
    with pytest.raises(BadInput, match=r"ref\.txt: found 2 lines, expected 3, as in out\.txt"):
        list(read_texts(responses, [references], on_bad=SideFile(tmp_path / "side.jsonl")))


def test_text_files_of_nothing_usable_are_an_error(put, tmp_path):
    responses, references = put("out.txt", b"\xff\n"), put("ref.txt", b"B\n")
    with pytest.raises(
        BadInput, match=r"out\.txt: found 1 bad line and nothing else, expected at least one example"
    ):
        list(read_texts(responses, [references], on_bad=SideFile(tmp_path / "side.jsonl")))
    with pytest.raises(BadInput, match=r"empty\.txt: found an empty file, expected at least one example"):
        list(read_texts(put("empty.txt", ""), ["empty.txt"]))


def test_a_target_without_a_known_ending_is_refused_with_words_about_writing(put):
    from dialeval.data import write

    with pytest.raises(BadInput) as caught:
        write(put("x.doc", ""), [])
    assert str(caught.value).endswith("Give it one of these endings.")


class TestSettingAside:
    def test_bad_lines_are_kept_with_their_errors_and_counted(self, put, tmp_path):
        name = put(
            "mixed.jsonl", line(id="a") + "{oops\n" + line(id="b", system=3) + line(id="a") + line(id="c")
        )
        side = SideFile(tmp_path / "side" / "bad.jsonl")
        assert [example.item for example in read(name, "example", on_bad=side)] == ["a", "c"]
        assert side.count == 3
        kept = [json.loads(entry) for entry in side.path.read_text().splitlines()]
        assert [(entry["line"], entry["field"]) for entry in kept] == [(2, None), (3, "system"), (4, "id")]
        assert kept[0]["raw"] == "{oops"
        assert kept[1]["raw"] == line(id="b", system=3).strip()
        assert kept[1]["error"].startswith("mixed.jsonl, line 3, field 'system': found the number 3")

    def test_no_file_appears_where_nothing_is_bad(self, put, tmp_path):
        side = SideFile(tmp_path / "bad.jsonl")
        (only,) = read(put("x.jsonl", line()), "example", on_bad=side)
        assert isinstance(only, Example)
        assert side.count == 0
        assert not side.path.exists()

    def test_an_old_side_file_gives_way(self, put, tmp_path):
        name = put("x.jsonl", line() + "oops\n")
        for _ in range(2):
            side = SideFile(tmp_path / "bad.jsonl")
            list(read(name, "example", on_bad=side))
        assert len(side.path.read_text().splitlines()) == 1

    def test_a_file_of_bad_lines_only_is_an_error(self, put, tmp_path):
        with pytest.raises(
            BadInput, match=r"found 2 bad lines and nothing else, expected at least one example"
        ):
            list(read(put("x.jsonl", "a\nb\n"), "example", on_bad=SideFile(tmp_path / "bad.jsonl")))

    def test_what_an_earlier_run_set_aside_does_not_outlive_it(self, put, tmp_path):
        path = tmp_path / "x.jsonl.bad.jsonl"
        list(read(put("x.jsonl", line() + "oops\n"), "example", on_bad=SideFile(path)))
        assert path.exists()
        list(read(put("x.jsonl", line()), "example", on_bad=SideFile(path)))
        assert not path.exists()

    @pytest.mark.parametrize(
        "content", ['{"id": "mine"}\n', '["path", "line", "field", "error", "raw"]\n', "words\n", "\xff\n"]
    )
    def test_a_file_that_is_not_ours_is_neither_removed_nor_written_over(self, put, tmp_path, content):
        path = tmp_path / put("x.jsonl.bad.jsonl", content)
        side = SideFile(path)
        with pytest.raises(BadInput, match=r"found a file that holds something else.*Move or rename it\."):
            list(read(put("x.jsonl", line() + "oops\n"), "example", on_bad=side))
        assert path.read_bytes() == content.encode()

    def test_a_link_is_left_alone(self, put, tmp_path):
        list(read(put("x.jsonl", line() + "oops\n"), "example", on_bad=SideFile(tmp_path / "kept.jsonl")))
        link = tmp_path / "x.jsonl.bad.jsonl"
        link.symlink_to("kept.jsonl")
        SideFile(link)
        assert link.is_symlink()

    def test_one_wording_says_how_many_lines_and_where(self, put, tmp_path):
        side = SideFile(Path("x.bad.jsonl"))
        assert side.message() is None
        list(read(put("x.jsonl", line() + "oops\n"), "example", on_bad=side))
        assert side.message() == "warning: 1 bad line was left out and written to x.bad.jsonl"
        list(read(put("y.jsonl", line() + "oops\n" * 1199), "example", on_bad=side))
        assert side.message() == "warning: 1,200 bad lines were left out and written to x.bad.jsonl"


def test_a_field_of_ours_is_never_taken_for_another_that_is_missing(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text('{"system": "s", "rater": "r", "criterion": "c", "value": 1}\n')
    with pytest.raises(BadInput) as caught:
        list(read(path, "judgement"))
    assert "Rename" not in str(caught.value)
