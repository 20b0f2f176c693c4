"""One sheet with questions, gold answers and a column for each system: guessed if clear, named if not."""

from __future__ import annotations

import csv
import datetime
import io
import json
import logging
import sys

import pytest
from hypothesis import given, strategies as st

from dialeval.data import Example, Prompt, Response, Turn, kind_of, read, read_prompts, survey, write
from dialeval.data.codec.column_names import Columns
from dialeval.data.reader import glance
from dialeval.errors import BadInput, Unsuitable

ROWS = [
    {
        "question": "Where is\nmy order?",
        "gold": "It ships tomorrow.",
        "old_bot": "Please wait.",
        "new_bot": "Tomorrow, I think.",
    },
    {"question": "Are you open?", "gold": "Until six, yes.", "old_bot": None, "new_bot": "Yes, until six."},
]
FORMS = ["csv", "tsv", "xlsx", "parquet", "jsonl"]


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    """Write rows as a file of any of our formats."""
    monkeypatch.chdir(tmp_path)

    def sheet(rows, form="csv", name="sheet"):
        path = f"{name}.{form}"
        columns = list(rows[0])
        if form in ("csv", "tsv"):
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns, delimiter="," if form == "csv" else "\t")
                writer.writeheader()
                writer.writerows(rows)
        elif form == "xlsx":
            from openpyxl import Workbook

            book = Workbook()
            for cells in [columns, *(list(row.values()) for row in rows)]:
                book.active.append(cells)
            book.save(path)
        elif form == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist(rows), path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        return path

    return sheet


@pytest.mark.parametrize("form", FORMS)
class TestEveryForm:
    def test_each_system_answers_each_row(self, sheet, form, caplog):
        caplog.set_level(logging.INFO, "dialeval.data")
        path = sheet(ROWS, form, f"told-{form}")
        first, second, third, fourth = read(path, "example")
        asked = (Turn("user", "Where is\nmy order?"),)
        assert first == Example("1", "old_bot", asked, Response("Please wait."), ("It ships tomorrow.",))
        assert (second.item, second.system, second.response.text) == ("1", "new_bot", "Tomorrow, I think.")
        assert third.response.missing is not None
        assert third.response.missing.startswith("no response")
        assert fourth.response.text == "Yes, until six."
        assert caplog.messages == [
            f"{path}: read as: context=question, references=gold, systems old_bot, new_bot"
        ]

    def test_its_prompts_have_neither(self, sheet, form):
        asked = [Turn("user", row["question"]) for row in ROWS]
        expected = [
            Prompt(str(n), (turn,), (row["gold"],))
            for n, (turn, row) in enumerate(zip(asked, ROWS, strict=True), 1)
        ]
        assert list(read_prompts(sheet(ROWS, form))) == expected

    def test_columns_can_be_named(self, sheet, form):
        rows = [
            {"q": row["question"], "a": row["gold"], "x": row["old_bot"], "y": row["new_bot"]} for row in ROWS
        ]
        path = sheet(rows, form)
        columns = {"context": "q", "references": "a", "system:old_bot": "x", "system:new_bot": "y"}
        named = list(read(path, "example", columns=columns))
        assert named == list(
            read(path, "example", columns="context=q,references=a,system:old_bot=x,system:new_bot=y")
        )
        assert named == list(read(sheet(ROWS, form), "example"))

    def test_a_column_that_is_not_there_is_named_with_those_that_are(self, sheet, form):
        with pytest.raises(
            BadInput, match="the columns 'gold', 'new_bot', 'old_bot', 'question', expected 'golds'"
        ) as bad:
            list(read(sheet(ROWS, form), "example", columns="references=golds"))
        assert "Did you mean 'gold'?" in str(bad.value)
        with pytest.raises(BadInput, match=r"expected 'questoin', for 'context'\. Did you mean 'question'"):
            list(read(sheet([{"question": "Where?", "x": "1"}], form), "example", columns="context=questoin"))

    def test_what_is_read_can_be_written_and_read_again(self, sheet, form):
        examples = list(read(sheet(ROWS, form), "example"))
        write("again.jsonl", examples)
        assert list(read("again.jsonl", "example")) == examples


class TestGuesses:
    @pytest.mark.parametrize(
        ("header", "expected"),
        [
            ("id,prompt,expected,completion", "id?,context=prompt,references=expected,response=completion"),
            (
                "Question ID,Question,Gold answer,Model,Output",
                "id=Question ID,context=Question,references=Gold answer,response=Output,system=Model",
            ),
            ("question,gold1,gold2,bot", "context=question,references=gold1,references=gold2,system:bot=bot"),
            ("context,reference,response", None),
            ("id,response,gold", "references=gold"),
            (
                "query,target,GPT-4,baseline,category",
                "context=query,references=target,system:GPT-4=GPT-4,system:baseline=baseline",
            ),
            ("question,gold,answer", "context=question,references=gold,response=answer"),
            ("context,references,old_bot,new_bot", "system:old_bot=old_bot,system:new_bot=new_bot"),
            ("id,context,references,mood", None),
            ("question,references,gold,bot", "context=question,system:bot=bot"),
            ("question,gold,bot,rationale", "context=question,references=gold,system:bot=bot"),
        ],
    )
    def test_by_names(self, put, header, expected):
        cells = ",".join(f"some words {n}" for n, _ in enumerate(header.split(",")))
        found = glance(put("x.csv", f"{header}\n{cells}\n")).columns
        assert (str(found) if found else None) == (expected.replace("id?,", "") if expected else None)

    @pytest.mark.parametrize(
        ("header", "cells", "suggested"),
        [
            ("question,answer", "where is it,in the box", "--columns context=question,references=answer"),
            ("question,answer,old_bot", "where is it,in the box,no", "references=answer,response=old_bot"),
            ("question,gold,old_bot,zone", "where is it,in the box,no idea,north", "system:zone=zone"),
            ("a,b", "where is it,in the box", "--columns context=a,response=b"),
            (
                "question,expected,target,old_bot,new_bot",
                "where is it,in the box,in a box,no idea,in the box",
                "context=question,references=expected,references=target,system:old_bot=old_bot,system:new_bot=new_bot",
            ),
            (
                "question,gold answer,reference answer,bot",
                "where is it,in the box,in a box,no idea",
                "context=question,references=gold answer,references=reference answer,response=bot",
            ),
        ],
    )
    def test_what_is_not_clear_is_refused_with_a_line_to_correct(self, put, header, cells, suggested):
        with pytest.raises(BadInput) as bad:
            kind_of(put("x.csv", f"{header}\n{cells}\n"))
        names = ", ".join(repr(name) for name in sorted(header.split(",")))
        assert f"x.csv, line 2: found a record with {names}, expected 'response' for score" in str(bad.value)
        assert suggested in str(bad.value)

    def test_numbers_and_descriptions_hold_no_responses_and_this_is_said(self, put, caplog):
        caplog.set_level(logging.INFO, "dialeval.data")
        name = put("aside.csv", "question,gold,bot,ms,language\nWhere?,Here it is.,Over there.,12,en\n")
        assert [example.system for example in read(name, "example")] == ["bot"]
        assert caplog.messages[-1].endswith("systems bot; not read: ms, language")

    def test_the_index_of_a_data_frame_is_the_id(self, put):
        name = put("x.csv", ",question,gold,bot\n7,Where?,Here it is.,Over there.\n")
        assert [example.item for example in read(name, "example")] == ["7"]

    def test_json_with_a_field_of_ours_means_what_it_says(self, put):
        name = put("x.jsonl", '{"id": "1", "context": "Hi.", "old_bot": "Hello you.", "gold": "Hello."}')
        assert kind_of(name) == "prompt"
        assert next(read_prompts(name)).references == ()

    def test_lines_from_a_stream_are_guessed_too(self, monkeypatch):
        raw = io.BytesIO(
            b'{"prompt": "Where?", "completion": "Here."}\n{"prompt": "When?", "completion": "Now."}\n'
        )
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
        assert [example.response.text for example in read("-", "example")] == ["Here.", "Now."]

    def test_bad_rows_are_counted_once(self, put):
        name = put("x.csv", "question,gold,bot\nonly one\nWhere?,Here it is.,Over there.\na,b\n")
        bad = []
        assert len(list(read(name, "example", on_bad=bad.append))) == 1
        assert [line.error.line for line in bad] == [2, 4]


class TestCells:
    def test_several_references_are_a_list_or_several_columns(self, put):
        name = put("x.csv", 'q,g,h,r\nWhere?,"[""Here."", ""There.""]",Yonder.,Here.\nWhen?,Now.,,Soon.\n')
        examples = list(read(name, "example", columns="context=q,references=g,references=h,response=r"))
        assert [example.references for example in examples] == [("Here.", "There.", "Yonder."), ("Now.",)]

    @pytest.mark.parametrize("cell", ["", "nan", "None", "NULL", "#N/A"])
    def test_words_for_nothing_are_no_responses(self, put, cell):
        name = put("x.csv", f"question,gold,old_bot,new_bot\nWhere?,Here it is.,{cell},Over there.\n")
        old, new = read(name, "example")
        assert old.response.missing is not None
        assert new.response.text == "Over there."

    def test_numbers_and_dates_are_text_as_a_person_types_them(self, sheet):
        row = {
            "question": "How many?",
            "gold": 42,
            "old_bot": 41.0,
            "new_bot": datetime.datetime(2026, 11, 18, 9, 30),
        }
        old, new = read(sheet([row], "xlsx"), "example", columns="system:old=old_bot,system:new=new_bot")
        assert (old.references, old.response.text, new.response.text) == (
            ("42",),
            "41",
            "2026-11-18T09:30:00",
        )
        row["new_bot"] = 1.5
        old, new = read(sheet([row], "parquet"), "example", columns="system:old=old_bot,system:new=new_bot")
        assert (old.references, old.response.text, new.response.text) == (("42",), "41", "1.5")

    def test_formulas_have_the_values_that_were_saved_with_them(self, sheet):
        from openpyxl import Workbook

        sheet(ROWS, "csv")
        book = Workbook()
        book.active.append(["question", "gold", "bot"])
        book.active.append(["Where?", "Here it is.", '="Over "&"there"'])
        book.save("x.xlsx")  # openpyxl saves no value, as if nothing had been computed
        (example,) = read("x.xlsx", "example", columns="response=bot")
        assert example.response.missing == "no response (empty cell)"

    @pytest.mark.parametrize(
        ("rows", "line", "found"),
        [
            (
                [["Evaluation of bots"], ["question", "gold", "bot"], ["a", "b", "c"]],
                1,
                "'Evaluation of bots' alone",
            ),
            (
                [["question", "gold", None, "bot"], ["a", "b", "c", "d"]],
                1,
                "a column without a name (number 3), which holds 'c'",
            ),
            ([["question", "gold", "bot", "bot"], ["a", "b", "c", "d"]], 1, "the column 'bot' twice"),
        ],
    )
    def test_titles_and_merged_headers_are_refused_by_row(self, tmp_path, rows, line, found):
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "x.xlsx")
        with pytest.raises(BadInput) as bad:
            list(read(tmp_path / "x.xlsx", "example"))
        assert bad.value.line == line
        assert found in bad.value.found

    def test_another_sheet_is_named_behind_the_file(self, sheet):
        from openpyxl import load_workbook

        path = sheet([{"remarks": "nothing here"}], "xlsx")
        book = load_workbook(path)
        second = book.create_sheet("March")
        second.append(list(ROWS[0]))
        second.append(list(ROWS[0].values()))
        book.save(path)
        assert [example.system for example in read(f"{path}#March", "example")] == ["old_bot", "new_bot"]


class TestColumns:
    @given(
        st.dictionaries(
            st.sampled_from(["id", "context", "references", "system:a", "system:b c", "content"]),
            st.text(min_size=1).filter(lambda name: name == name.strip() and not set(name) & set("\r\n\x00")),
        )
    )
    def test_they_print_and_parse_back(self, given_columns):
        columns = Columns.of(given_columns)
        assert Columns.of(str(columns) if columns else None) == columns

    @pytest.mark.parametrize(
        ("columns", "problem"),
        [
            ("respnse=x", "Did you mean 'response'?"),
            ("response", "expected FIELD=COLUMN"),
            ("response=a,response=b", "found 'response' twice"),
            ("response=a,system:x=b", "name one column for all responses, or one for each system"),
            ("system:=b", "'system:' is not a field"),
        ],
    )
    def test_mistakes_are_explained(self, put, columns, problem):
        with pytest.raises(Unsuitable, match="columns: ") as bad:
            read(put("x.csv", "a,b\n1,2\n"), "example", columns=columns)
        assert problem in str(bad.value)

    def test_formats_with_fields_of_their_own_take_none(self, put):
        with pytest.raises(Unsuitable, match=r"the text format of x\.txt has its own fields"):
            read(put("x.txt", "Hi.\n"), "example", columns="response=a")

    def test_a_survey_counts_every_system(self, sheet):
        found = survey(sheet(ROWS))
        assert (found.kind, found.systems, found.unknown) == ("example", {"old_bot": 2, "new_bot": 2}, {})
