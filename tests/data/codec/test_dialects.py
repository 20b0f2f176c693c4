"""Exports of spreadsheets in any locale: read as they are, and the dialect is told."""

from __future__ import annotations

import gzip
import io
import logging
import math
import sys
from pathlib import Path

import pytest

from dialeval.data import read, write
from dialeval.data.codec.dialects import forget_told, is_windows, likely_encoding, number_in
from dialeval.errors import BadInput, ResourceUnavailable

TABLE = 'id,system,context,response,reference\na,neu,Wie geht\'s?,"Gut, danke – für dich auch?",Ça va\n'
WANTED = ("a", "neu", "Wie geht's?", "Gut, danke – für dich auch?", ("Ça va",))


@pytest.fixture(autouse=True)
def told(caplog):
    """What was logged about files."""
    forget_told()
    caplog.set_level(logging.INFO, "dialeval.data")
    return caplog


def only(name: str, **options: str):
    (example,) = read(name, "example", **options)
    return (
        example.item,
        example.system,
        example.context[0].text,
        example.response.text,
        example.references,
    )


def table(separator: str) -> str:
    header, row = ["id", "system", "context", "response", "reference"], ["a", "neu", *WANTED[2:4], "Ça va"]
    return "".join(separator.join(f'"{cell}"' for cell in cells) + "\r\n" for cells in (header, row))


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_every_export_reads_alike(put, mark, ending, encoding):
    assert only(put(f"x.{ending}", table(mark).encode(encoding))) == WANTED


def test_what_is_unusual_is_told_once(put, told):
    name = put("x.csv", table(";").encode("cp1252"))
    assert only(name) == only(name)
    assert told.messages == [
        "x.csv: read with semicolons between the cells",
        "x.csv: read as Windows-1252; save it as UTF-8 if letters look wrong",
    ]
    only(put("y.csv", table(",")))
    assert len(told.messages) == 2


def test_a_declared_separator_is_no_header(put, told):
    name = put("x.csv", "sep=;\r\n" + table(";"))
    assert only(name) == WANTED
    bad = put("y.csv", "sep=;\r\nid;system\r\na;b;c\r\n")
    with pytest.raises(BadInput, match=r"y\.csv, line 3: found 3 cells"):
        list(read(bad, "example"))


def test_line_breaks_in_cells_and_carriage_returns_alone(put):
    content = 'id;system;"context";response\r\na;s;"Hi.\nHow?";"Fine,\r\nyou?"\r\n'
    (example,) = read(put("x.csv", content), "example")
    assert [turn.text for turn in example.context] == ["Hi.", "How?"]
    assert example.response.text == "Fine,\r\nyou?"
    assert only(put("mac.csv", TABLE.replace("\n", "\r"))) == WANTED


def test_gzipped_utf16_and_json_lines_of_powershell(put):
    assert only(put("x.csv.gz", gzip.compress(TABLE.encode("utf-16")))) == WANTED
    line = '{"id": "a", "system": "s", "context": [], "response": "Schön"}\r\n'
    (example,) = read(put("x.jsonl", line.encode("utf-16")), "example")
    assert example.response.text == "Schön"


def test_a_stream_has_a_dialect_too(monkeypatch):
    raw = io.BytesIO(table(";").encode("utf-16"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
    assert only("-", format="csv") == WANTED


def test_blank_rows_and_columns_of_spreadsheets_are_passed_over(put):
    content = "ID;System;Context;Response;;\na;s;;Hello;;\n;;;;;\nb;s;;;;\n"
    assert [(e.item, e.response.text) for e in read(put("x.csv", content), "example")] == [
        ("a", "Hello"),
        ("b", ""),
    ]


def test_a_file_that_was_utf8_stays_so(put):
    content = "id,system,context,response\na,s,,café\n".encode() + b"b,s,,caf\xe9\n"
    with pytest.raises(BadInput, match="line 3: found byte 0xe9 at offset 46, which is not UTF-8"):
        list(read(put("x.csv", content), "example"))


@pytest.mark.parametrize(
    ("text", "encoding", "western"),
    [
        ("Größe, Straße, naïve café – “yes”, 5 €", "cp1252", True),
        ("Ça a été créée à Noël", "latin-1", True),
        ("Привет, как дела?", "cp1251", False),
        ("Γειά σου, τι κάνεις;", "cp1253", False),
        ("こんにちは、元気ですか", "cp932", False),
        ("你好，你怎么样", "gb18030", False),
        ("café crème, déjà vu", "mac-roman", False),
    ],
)
def test_western_text_is_recognised_and_other_text_is_not_guessed(text, encoding, western):
    assert is_windows(text.encode(encoding)) is western


@pytest.mark.parametrize(
    ("cell", "separator", "value"),
    [
        ("4.5", ",", 4.5),
        ("4,5", ",", 4.5),
        ("4,5", ";", 4.5),
        (" -0,123 ", ",", -0.123),
        ("3,667", ";", 3.667),
        ("3,667", ",", math.nan),
        ("1.234,5", ";", 1234.5),
        ("1,2,3", ";", math.nan),
        ("", ";", math.nan),
    ],
)
def test_decimal_commas(cell, separator, value):
    assert number_in(cell, separator) == pytest.approx(value, nan_ok=True)


def test_judgements_and_wide_ratings_with_decimal_commas(put):
    long = put("x.csv", "item;system;rater;criterion;value\na;s;ana;tact;3,667\na;s;ben;tact;\n")
    assert [judgement.value for judgement in read(long, "judgement")] == [3.667, None]
    wide = put("y.csv", "item;ana;ben\na;3,5;NA\n")
    assert [j.value for j in read(wide, "judgement", format="ratings-wide")] == [3.5, None]
    unclear = put("z.csv", 'item,system,rater,criterion,value\na,s,ana,tact,"3,667"\n')
    with pytest.raises(BadInput, match="found the text '3,667', expected a number"):
        list(read(unclear, "judgement"))


@pytest.fixture
def book(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.chdir(tmp_path)
    made = openpyxl.Workbook()
    made.active.title = "Answers"
    for row in (["id", "system", "context", "response", "reference"], [7, "neu", None, "Gut,\ndanke", "Ja"]):
        made.active.append(row)
    ratings = made.create_sheet("Ratings")
    for row in (["item", "system", "ana", "ben"], [7, "neu", 4, 3.5], [None, None, None, None]):
        ratings.append(row)
    made.save("book.xlsx")
    return "book.xlsx"


def test_sheets_of_a_workbook(book, told):
    (example,) = read(book, "example")
    assert (example.item, example.context, example.response.text) == ("7", (), "Gut,\ndanke")
    assert told.messages == [
        "book.xlsx: read its first sheet, 'Answers'; name another as book.xlsx#SHEET ('Ratings')"
    ]
    ratings = list(read(f"{book}#Ratings", "judgement", format="ratings-wide"))
    assert [(one.item, one.rater, one.value) for one in ratings] == [("7", "ana", 4), ("7", "ben", 3.5)]


def test_what_is_wrong_with_a_workbook_is_said(book, put, monkeypatch):
    with pytest.raises(BadInput, match="found the sheets 'Answers', 'Ratings', expected 'ratings'"):
        list(read(f"{book}#ratings", "judgement"))
    with pytest.raises(BadInput, match="found no readable workbook"):
        list(read(put("broken.xlsx", b"PK nothing"), "example"))
    with pytest.raises(BadInput, match="found a workbook to write"):
        write("out.xlsx", [])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ResourceUnavailable, match=r"pip install '\.\[xlsx\]'"):
        list(read(book, "example"))


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("質問,正解,回答\n", "cp932", "SHIFT_JIS"),  # a header without kana
        ("id,response\n1,自転車のしらべ\n", "cp932", "SHIFT_JIS"),  # nothing that Windows-1252 lacks
        ("問題,回答\n運費是多少,十元\n", "big5", "BIG5"),
        ("问题,答案\n运费是多少,十元\n", "gb2312", "GB18030"),
        ("질문,답변\n안녕하세요\n", "euc_kr", "EUC-KR"),
        ("¿Cuándo? ¡Mañana! Señor Núñez, 100 °C·m²\n", "cp1252", "WINDOWS-1252"),
    ],
)
def test_the_encoding_that_is_advised_reads_the_text(text: str, encoding: str, name: str) -> None:
    raw = text.encode(encoding)
    assert likely_encoding(raw) == name
    assert raw.decode(name) == text


@pytest.mark.parametrize("name", ["sheet.csv", "lines.txt", "records.jsonl"])
def test_the_encoding_is_told_from_more_than_a_header(tmp_path: Path, name: str) -> None:
    """A header of ideographs alone could be Korean."""
    text = "質問,正解,回答\n" + "自転車はいくらですか,一日十二ユーロです,十二ユーロです\n" * 3
    (tmp_path / name).write_bytes(text.encode("euc_jp"))
    with pytest.raises(BadInput, match="It looks like EUC-JP"):
        list(read(tmp_path / name, "example"))
