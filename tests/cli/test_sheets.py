"""One sheet from end to end: every output is the input of the next step."""

from __future__ import annotations

import csv
import json
import logging
import re
from pathlib import Path

import pytest
import yaml

QUESTIONS = [
    "Where is my order?",
    "Are you open on Sunday?",
    "How do I return shoes?",
    "Is wrapping free?",
] * 3
ROWS = [
    {
        "question": question,
        "gold": f"The answer to {question.lower()} is number {n}.",
        "old_bot": "Please call us tomorrow." if n else "",
        "new_bot": f"The answer is number {n} today.",
    }
    for n, question in enumerate(QUESTIONS)
]


def write_sheet(path, rows=ROWS):
    if path.endswith(".csv"):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return
    from openpyxl import Workbook

    book = Workbook()
    for cells in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(cells)
    book.save(path)


@pytest.mark.parametrize("path", ["sheet.xlsx", "sheet.csv"])
def test_from_the_sheet_to_the_report(dialeval, path):
    write_sheet(path)
    done = dialeval("init", path)
    assert done.code == 0, done.err
    assert f"{path}: read as: context=question, references=gold, systems old_bot, new_bot" in done.err
    text = Path("study.yaml").read_text()
    study = yaml.safe_load(text)
    assert study["data"]["columns"]["system:old_bot"] == "old_bot"
    assert [system["name"] for system in study["systems"]] == ["old_bot", "new_bot"]
    Path("study.yaml").write_text(text.replace("  - bertscore\n", ""))
    ran = dialeval("run", "study.yaml", "-o", "out")
    assert ran.code == 0, ran.err
    examples = [json.loads(line) for line in Path("out/examples.jsonl").read_text().splitlines()]
    assert examples[0]["context"] == [{"role": "user", "content": QUESTIONS[0]}]
    assert "missing" in examples[0]["response"], "an empty cell is no response"
    compared = dialeval("compare", "out:old_bot", "out:new_bot", "-m", "rouge_l")
    beside = dialeval("compare", f"{path}:old_bot", f"{path}:new_bot", "-m", "rouge_l")
    assert compared.code == beside.code == 0, beside.err
    numbers = [
        re.findall(r"\d+\.\d+", text.partition("unanswered")[0]) for text in (compared.out, beside.out)
    ]
    assert numbers[0] == numbers[1] != []
    assert "new_bot is better than old_bot" in beside.out
    assert dialeval("report", "out").code == 0
    scored = dialeval("score", path, "-m", "rouge_l", "--json")
    assert [(row["system"], row["n"]) for row in json.loads(scored.out)["results"]] == [
        ("old_bot", 12),  # the unanswered one counts as the worst
        ("new_bot", 12),
    ]


def test_a_command_says_how_it_read_a_sheet_that_its_process_read_before(dialeval):
    from dialeval.data import read, read_prompts

    write_sheet("sheet.csv")
    assert len(list(read("sheet.csv", "example"))) == 24
    assert len(list(read_prompts("sheet.csv"))) == 12
    told = "note: sheet.csv: read as: context=question, references=gold, systems old_bot, new_bot\n"
    assert dialeval("init", "sheet.csv").err.count(told) == 1
    assert dialeval("score", "sheet.csv", "-m", "length").err.count(told) == 1
    assert dialeval("score", "sheet.csv", "-m", "length").err.count(told) == 1


def test_what_was_said_of_a_sheet_is_said_of_its_namesake_in_another_folder(dialeval, caplog, monkeypatch):
    from dialeval.data import read

    caplog.set_level(logging.INFO, "dialeval.data")
    for folder in ("march", "april"):
        Path(folder).mkdir()
        write_sheet(f"{folder}/sheet.csv")
        with monkeypatch.context() as there:
            there.chdir(folder)
            list(read("sheet.csv", "example"))
    assert len(caplog.messages) == 2


RENAMED = [dict(zip(("Frage", "Soll", "alt", "neu"), row.values(), strict=True)) for row in ROWS]
COLUMNS = "context=Frage,references=Soll,system:old=alt,system:new=neu"


def test_columns_are_named_on_the_command_line(dialeval):
    write_sheet("blatt.csv", RENAMED)
    refused = dialeval("score", "blatt.csv")
    assert refused.code == 1
    assert "found a record with 'Frage', 'Soll', 'alt', 'neu'" in refused.err
    assert "--columns context=Frage" in refused.err
    scored = dialeval("score", "blatt.csv", "-m", "rouge_l", "--columns", COLUMNS, "--json")
    assert [row["system"] for row in json.loads(scored.out)["results"]] == ["old", "new"]
    checked = dialeval("data", "validate", "blatt.csv", "--columns", COLUMNS)
    assert "24 example records" in checked.out
    assert dialeval("data", "convert", "blatt.csv", "all.jsonl", "--columns", COLUMNS).code == 0
    again = dialeval("score", "all.jsonl", "-m", "rouge_l", "--json")
    assert again.out == scored.out
    compared = dialeval("compare", "blatt.csv:old", "blatt.csv:new", "--columns", COLUMNS, "-m", "rouge_l")
    assert compared.code == 0, compared.err
    assert dialeval("init", "blatt.csv", "--columns", COLUMNS).code == 0
    assert [system["name"] for system in yaml.safe_load(Path("study.yaml").read_text())["systems"]] == [
        "old",
        "new",
    ]


def test_the_line_that_the_error_suggests_works(dialeval):
    write_sheet("blatt.csv", [{"Frage": row["question"], "Antwort": row["new_bot"]} for row in ROWS])
    refused = dialeval("score", "blatt.csv", "-m", "length")
    option = refused.err.split("as in ")[1].split(";")[0].split()
    assert option == ["--columns", "context=Frage,response=Antwort"]
    assert dialeval("score", "blatt.csv", "-m", "length", *option).code == 0


def test_a_study_names_the_columns_of_its_data_once(dialeval):
    write_sheet("blatt.csv", RENAMED)
    study = {
        "data": {
            "path": "blatt.csv",
            "columns": {"context": "Frage", "references": "Soll", "system:old": "alt"},
        },
        "systems": [{"name": "old", "kind": "transcript", "path": "blatt.csv"}],
        "measures": ["rouge_l"],
    }
    Path("study.yaml").write_text(yaml.safe_dump(study))
    ran = dialeval("run", "study.yaml", "-o", "out")
    assert ran.code == 0, ran.err
    study["data"]["columns"] = "kontext=Frage"
    Path("study.yaml").write_text(yaml.safe_dump(study))
    refused = dialeval("run", "study.yaml", "-o", "out")
    assert "data.columns: 'kontext' is not a field. Did you mean 'context'?" in refused.err
    study["data"] = {"path": "blatt.csv", "colums": {}}
    Path("study.yaml").write_text(yaml.safe_dump(study))
    assert "data.colums: unknown key; did you mean 'columns'?" in dialeval("run", "study.yaml").err
    study["data"] = 3
    Path("study.yaml").write_text(yaml.safe_dump(study))
    assert "data: found 3, but it must be the path of a file" in dialeval("run", "study.yaml").err


def test_a_transcript_in_another_file_names_its_own(dialeval):
    write_sheet(
        "asked.csv",
        [{"id": str(n), "question": row["question"], "gold": row["gold"]} for n, row in enumerate(ROWS)],
    )
    write_sheet("said.csv", [{"nr": str(n), "out": row["new_bot"]} for n, row in enumerate(ROWS)])
    study = {
        "data": "asked.csv",
        "systems": [
            {
                "name": "new",
                "kind": "transcript",
                "path": "said.csv",
                "columns": {"id": "nr", "response": "out"},
            }
        ],
        "measures": ["rouge_l"],
    }
    Path("study.yaml").write_text(yaml.safe_dump(study))
    ran = dialeval("run", "study.yaml", "-o", "out", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["results"][0]["estimate"]["n"] == 12


def test_a_sheet_of_a_workbook_and_one_of_its_systems(dialeval):
    from openpyxl import load_workbook

    write_sheet("book.xlsx")
    book = load_workbook("book.xlsx")
    book.active.title = "March"
    book.create_sheet("First", 0).append(["nothing"])
    book.save("book.xlsx")
    done = dialeval("compare", "book.xlsx#March:old_bot", "book.xlsx#March:new_bot", "-m", "rouge_l")
    assert done.code == 0, done.err


def test_rows_of_messages_are_scored_searched_and_run(dialeval):
    rows = [
        {"conversation_id": f"c{n % 2}", "author": who, "text": text, "created_at": f"2026-11-18 09:{n:02}"}
        for n, (who, text) in enumerate(
            [
                ("customer", "Do you have a cat?"),
                ("customer", "Are you open?"),
                ("bot", "Yes, I have a cat."),
                ("bot", "We open at nine."),
                ("customer", "Nice."),
                ("customer", "Thanks."),
                ("bot", "I have no cat and no pets."),
                ("bot", "You are welcome."),
            ]
        )
    ]
    write_sheet("messages.csv", rows)
    scored = dialeval("score", "messages.csv", "-m", "length", "--json")
    assert scored.code == 0, scored.err
    assert json.loads(scored.out)["results"][0]["n"] == 2
    assert "customer is the user, bot is the assistant; in the order of their times" in scored.err
    found = dialeval("consistency", "detect", "messages.csv", "--json")
    assert found.code == 0, found.err
    assert [talk["id"] for talk in json.loads(found.out)["dialogues"]] == ["c0", "c1"]
    assert dialeval("init", "messages.csv").code == 0
    ran = dialeval("run", "study.yaml", "-o", "out")
    assert ran.code == 0, ran.err


def test_a_chat_is_no_list_of_responses(dialeval):
    chat = [f"18/11/2026, 09:{n:02} - {'Anna' if n % 2 else 'Shop'}: message {n}\n" for n in range(49)]
    Path("chat.txt").write_text("".join(chat))
    scored = dialeval("score", "chat.txt", "-m", "length", "--json")
    assert [row["n"] for row in json.loads(scored.out or "{}").get("results", [])] in ([], [1])
    refused = dialeval("score", "--hyp", "chat.txt", "-m", "length")
    assert refused.code == 1
    assert "found a chat exported from WhatsApp" in refused.err
    assert dialeval("score", "--hyp", "text:chat.txt", "-m", "length").code == 0
    Path("x.jsonl").write_text('{"foo": "a", "bar": 1}\n')
    assert "found a record with 'bar', 'foo'" in dialeval("score", "--hyp", "x.jsonl").err
