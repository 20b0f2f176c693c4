"""Which utterances get into a repository."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialeval.data import Candidate, Dialogue, Example, NBest, Prompt, Question, Response, Turn, write
from dialeval.errors import BadInput
from dialeval.selection.repository.utterances import (
    Corpus,
    Excluded,
    Filters,
    Sieve,
    filters_beside,
    said_in,
    same_key,
    texts_of,
)
from support.repositories import LINES, small_repository


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Press the button.", None),
        ("Oh no!", "fewer than 3 words"),
        ("", "fewer than 3 words"),
        (" ".join(f"w{at}" for at in range(41)) + ".", "more than 40 words"),
        ("Look at www" + "x" * 30 + " now.", "a word of more than 30 letters"),
        ("No kidding. No kidding!", "mostly the same words again"),
        ("I believe next week", "no mark at its end"),
        ('He said "yes and no."', None),
        ("いい天気ですね。", None),
    ],
)
def test_filters_by_example(text, reason):
    assert Filters().reason(text) == reason


def test_chat_without_marks_may_be_let_in():
    assert Filters(ended=False).reason("I believe next week") is None


def test_each_utterance_passes_once_however_it_is_spelled():
    sieve = Sieve(Filters(), Excluded.of(["We lost the game ."]))
    texts = ["It isn 't far .", "it isn't far!", "we lost the game!", "No.", "It is not far."]
    assert list(sieve.pass_through(texts)) == ["It isn't far.", "It is not far."]
    assert sieve.dropped == {"repeated": 1, "excluded": 1, "fewer than 3 words": 1}


def test_what_stands_beside_utterances_is_filtered_and_spelled_as_they_are():
    tidied = ["It isn't far.", "Are we there?", "Not yet, I'm afraid."]
    assert filters_beside(tidied) == Filters()
    assert filters_beside(["it is n 't far", "are we there ?", "no"]) == Filters(1, ended=False, tidy=False)
    assert filters_beside([*tidied * 4, "No"]) == Filters()  # one in thirteen


def test_what_is_excluded_adds_up_and_is_nothing_by_default():
    both = Excluded.of(["Hello there."]) | Excluded.of(["Good bye."])
    assert [text in both for text in ("hello, THERE", "Good-bye!", "Hello.")] == [True, True, False]
    assert "" not in Excluded()
    assert "Hello there." not in Excluded()


def test_spellings_share_a_key_and_different_words_do_not():
    assert same_key("I ' m  FINE , thanks .") == same_key("I'm fine, thanks!")
    assert same_key("I am fine.") != same_key("I'm fine.")


USER, BOT = Turn("user", "Hi there."), Turn("assistant", "Hello to you.")


@pytest.mark.parametrize(
    ("record", "texts"),
    [
        (Dialogue("d", (USER, Turn("user", " "), BOT)), ["Hi there.", "Hello to you."]),
        (Prompt("p", (USER,), ("Hey.",)), ["Hi there.", "Hey."]),
        (Example("e", "s", (USER,), Response("Yo."), ("Hey.",)), ["Hi there.", "Yo.", "Hey."]),
        (Question("q", (USER,), (Candidate("Hey.", True), Candidate("Bye.", False))), ["Hi there.", "Hey."]),
        (NBest("n", "s", (USER,), (Response("Yo."), Response("Hey."))), ["Hi there.", "Yo.", "Hey."]),
    ],
)
def test_every_record_gives_what_was_said_in_it(record, texts, tmp_path):
    assert list(said_in(record)) == texts
    for name in ("records.jsonl", "records.parquet"):
        write(tmp_path / name, [record])
        assert list(texts_of(Corpus(tmp_path / name))) == texts


def test_lines_of_text_are_utterances_also_gzipped(tmp_path):
    plain, packed = tmp_path / "lines.txt", tmp_path / "lines.txt.gz"
    plain.write_text("One line.\n\n  Another.  \n", encoding="utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert list(texts_of(Corpus(plain))) == list(texts_of(Corpus(packed))) == ["One line.", "Another."]


def test_records_with_a_text_are_utterances(tmp_path):
    rows = [{"id": at, "text": text} for at, text in enumerate(("One line.", " ", "Another."))]
    (tmp_path / "u.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "u.json").write_text(json.dumps(rows))
    (tmp_path / "u.csv").write_text("text,film\nOne line.,a\n,b\nAnother.,c\n")
    (tmp_path / "u.tsv").write_text("film\ttext\na\tOne line.\nb\tAnother.\n")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "u.parquet")
    for name in ("u.jsonl", "u.json", "u.csv", "u.tsv", "u.parquet"):
        assert list(texts_of(Corpus(tmp_path / name))) == ["One line.", "Another."], name


def test_the_utterances_of_a_repository_are_a_file_of_utterances(tmp_path):
    folder = small_repository(tmp_path).folder
    assert list(texts_of(Corpus(folder / "utterances.parquet"))) == list(LINES)


def test_a_row_without_its_text_is_bad_and_the_others_are_read(tmp_path):
    path = tmp_path / "u.jsonl"
    path.write_text('{"text": "One line."}\n{"txt": "Lost."}\n{"text": 3}\n{"text": "Another."}\n')
    with pytest.raises(BadInput, match="line 2, field 'text'"):
        list(texts_of(Corpus(path)))
    bad = []
    assert list(texts_of(Corpus(path), on_bad=bad.append)) == ["One line.", "Another."]
    assert [one.error.line for one in bad] == [2, 3]


def test_records_that_hold_no_utterance_are_told_what_to_do(tmp_path):
    path = tmp_path / "u.jsonl"
    path.write_text('{"utterance": "One line."}\n')
    with pytest.raises(
        BadInput, match=r"found a record with 'utterance', expected the field 'text'.*sharegpt:"
    ):
        list(texts_of(Corpus(path)))


def test_a_corpus_in_a_foreign_shape_is_read_by_its_format(tmp_path):
    path = tmp_path / "chats.json"
    path.write_text(
        json.dumps({"conversations": [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Yo."}]})
    )
    assert list(texts_of(Corpus(path, "sharegpt"))) == ["Hi.", "Yo."]


def test_judgements_hold_no_utterances(tmp_path):
    path = tmp_path / "scores.jsonl"
    path.write_text('{"item": "a", "system": "s", "rater": "r", "criterion": "c", "value": 1}\n')
    with pytest.raises(BadInput, match="judgements"):
        list(texts_of(Corpus(Path(path))))
