"""Questions of Sato et al. (2020): from the rebuilt table, and from line numbers of two made corpora."""

from __future__ import annotations

import gzip
import json

import pytest

from dialeval.data import read
from dialeval.data.importers.corpora.eval_via_selection import _numbers
from dialeval.errors import BadInput

DIALOGUES = """Hi . __eou__ Hello . __eou__ Tea ? __eou__ Yes , please . __eou__ Here . __eou__
One . __eou__ Two . __eou__ Three . __eou__ Four . __eou__
"""
TABLE = """One .\tTwo .\tThree .\tFour .\tBlue .\tRed .\tGreen .
Hi .\tHello .\tTea ?\tYellow .\tBlue .\tRed .\tGreen .
"""


def questions(source, form):
    return [
        (
            question.item,
            [turn.text for turn in question.context],
            [(candidate.text, candidate.correct) for candidate in question.candidates],
        )
        for question in read(source, "question", format=form)
    ]


@pytest.fixture
def folder(tmp_path):
    """Two dialogues and six lines of subtitles; the second question has an utterance as its correct candidate."""
    (tmp_path / "indice").mkdir()
    (tmp_path / "indice" / "dailydialog.txt").write_text("1\n0\n")
    (tmp_path / "indice" / "opensubtitles.txt").write_text("3\t1\t5\n2\t3\t1\t5\n")
    (tmp_path / "dialogues_text.txt").write_text(DIALOGUES)
    # A lone carriage return ends a line too, for Python's text files and so for the authors' script.
    (tmp_path / "en.txt").write_bytes(b"None .\rRed .\nYellow .\r\nBlue .\nNobody .\nGreen .\nNever read .\n")
    return tmp_path


def test_the_table_has_three_turns_and_four_candidates(tmp_path):
    path = tmp_path / "testset.tsv"
    path.write_text(TABLE)
    first, second = questions(path, "eval-via-selection")
    false = [("Blue .", False), ("Red .", False), ("Green .", False)]
    assert first == ("selection-1", ["One .", "Two .", "Three ."], [("Four .", True), *false])
    assert second == ("selection-2", ["Hi .", "Hello .", "Tea ?"], [("Yellow .", True), *false])


def test_line_numbers_and_corpora_give_the_same_questions(folder, tmp_path):
    path = tmp_path / "testset.tsv"
    path.write_text(TABLE)
    assert questions(folder, "eval-via-selection-folder") == questions(path, "eval-via-selection")
    subtitles = folder / "en.txt"
    (folder / "en.txt.gz").write_bytes(gzip.compress(subtitles.read_bytes()))
    subtitles.unlink()
    assert questions(folder, "eval-via-selection-folder") == questions(path, "eval-via-selection")


def test_a_table_of_other_columns_is_refused(tmp_path):
    path = tmp_path / "testset.tsv"
    path.write_text("One .\tTwo .\tThree .\tFour .\n")
    with pytest.raises(BadInput, match="line 1: found 4 texts, expected 7 texts with tabs"):
        questions(path, "eval-via-selection")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("en.txt", None, "no en.txt and no en.txt.gz"),
        ("en.txt", "only\n", "a line 1, from 0"),
        ("indice/dailydialog.txt", "1\n", "2 lines, expected 1 lines"),
        ("indice/opensubtitles.txt", "3\tx\t5\n", r"line 1: found '3\\tx\\t5'"),
        ("indice/opensubtitles.txt", "3\t1\n2\t3\t1\t5\n", "line 1: found 6 texts"),
        ("dialogues_text.txt", "Hi . __eou__\nOne . __eou__ Two . __eou__\n", "line 1: found 5 texts"),
    ],
)
def test_what_is_missing_is_named(folder, name, content, message):
    path = folder / name
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(BadInput, match=message):
        questions(folder, "eval-via-selection-folder")


def test_the_published_line_numbers_have_876_dialogues_with_a_fourth_turn_as_truth(shared_data):
    folder = shared_data / "eval-via-selection"
    numbers = _numbers(folder, "indice/opensubtitles.txt")
    assert (
        len(numbers),
        sum(len(line) == 3 for line in numbers),
        sum(len(line) == 4 for line in numbers),
    ) == (
        1019,
        876,
        143,
    )
    assert len(_numbers(folder, "indice/dailydialog.txt")) == 1019
    recovered = [json.loads(line) for line in (folder / "contexts_recovered.jsonl").read_text().splitlines()]
    assert all((one["ground_truth"] is None) == (len(numbers[one["row"]]) == 4) for one in recovered)
