"""The response-selection set of Sato et al. (2020): four candidates a question, each scored by five people.

Published are people's scores (``human_scores.jsonl``) and, without the texts, line numbers of two corpora
(``indice/``), from which the authors' script makes a table of 1,019 questions. Line n of every file is question
``selection-n``.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.fields import wrong
from dialeval.data.codec.jsonl import loads
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, is_stdin, lines, opened, shown
from dialeval.data.importers.ratings import position, rating
from dialeval.data.types import Candidate, Judgement, Kind, Question, Record, alternating
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement", "question")
KINDS_OF_FOLDER: Final[tuple[Kind, ...]] = ("question",)

_CANDIDATES: Final = ("ground_truth", "false_1", "false_2", "false_3")
_TURNS: Final = 3
_TODO: Final = "Name the file human_scores.jsonl, or the table of questions that create_test.sh writes."
_INDICES: Final = ("indice/dailydialog.txt", "indice/opensubtitles.txt")
_DIALOGUES: Final = ("dialogues_text.txt", "ijcnlp_dailydialog/dialogues_text.txt")
_SUBTITLES: Final = ("en.txt", "en.txt.gz", "OpenSubtitles.raw.en.gz")
_OF_FOLDER: Final = (
    "Put into one folder indice/ of the authors' repository, dialogues_text.txt of DailyDialog, and en.txt or "
    "en.txt.gz, the raw English text of OpenSubtitles 2018."
)
_END: Final = "__eou__"


def kinds_of(source: Source) -> tuple[Kind, ...]:
    """The kind that a file gives: judgements if its first character begins a list, as scores do."""
    if is_stdin(source):
        return KINDS
    with opened(source) as handle:
        start = handle.peek(1)[:1]
    return ("judgement",) if start == b"[" else ("question",)


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Every person's score of every candidate under the criterion ``acceptability``, or the questions of the table.

    Questions are ``selection-1`` onwards, by line. Who wrote a candidate is its system: ``ground_truth``, the first of
    the line, and ``false_1`` to ``false_3``. Scores run from 1 to 5; 0 says that the candidate is ungrammatical. The
    table has a question a line: three turns, the correct candidate and three false ones, between tabs.
    """
    if kind == "question":
        return records(_cells(source, on_bad), lambda row: (_question(row),), on_bad)
    return records(_rows(source, on_bad), _judgements, on_bad)


def read_folder(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Questions from the published line numbers and the two corpora, in the order of the line numbers.

    Where there are four numbers of OpenSubtitles, the first is the correct candidate; where there are three, the fourth
    turn of the dialogue is. Lines count from 0 and end as in Python's text files, as for the authors' script.
    """
    folder = Path(source)
    return records(_joined(folder), lambda row: (_question(row),), on_bad)


def _cells(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The lines of the table, numbered by where they stand: a blank line is a question that is missing."""
    for line in lines(source, on_bad, expected="a question a line"):
        if line.text.strip():
            cells = line.text.strip("\r\n ").split("\t")
            yield Row(Where(shown(source), line.number), line.number, cells, line.text)


def _question(row: Row) -> Question:
    cells, where = row.fields, row.where
    size = _TURNS + len(_CANDIDATES)
    if not isinstance(cells, list) or len(cells) != size or not all(cell.strip() for cell in cells):
        found = cells if not isinstance(cells, list) else f"{sum(bool(c.strip()) for c in cells)} texts"
        expected = (
            f"{size} texts with tabs between them: three turns, the correct candidate and three false ones"
        )
        raise BadInput(where.path, f"{found}", expected, _TODO, where.line)
    turns, candidates = cells[:_TURNS], cells[_TURNS:]
    return Question(
        f"selection-{row.number}",
        alternating([turn.strip() for turn in turns]),
        tuple(Candidate(text.strip(), correct=index == 0) for index, text in enumerate(candidates)),
        status="vetted",
    )


class _Numbers(NamedTuple):
    """Line numbers of one question."""

    dialogue: int
    subtitles: Sequence[int]


def _joined(folder: Path) -> Iterator[Row]:
    dialogue_numbers, subtitle_numbers = (_numbers(folder, name) for name in _INDICES)
    path = folder / _INDICES[1]
    if len(dialogue_numbers) != len(subtitle_numbers):
        found = f"{len(subtitle_numbers):,} lines"
        expected = f"{len(dialogue_numbers):,} lines, as in {_INDICES[0]}"
        raise BadInput(str(path), found, expected, "Fetch both files again.")
    pairs = zip(dialogue_numbers, subtitle_numbers, strict=True)
    questions = [_Numbers(of_dialogue[0], rest) for of_dialogue, rest in pairs]
    dialogues = _texts(_there(folder, _DIALOGUES), {question.dialogue for question in questions})
    subtitles = _texts(
        _there(folder, _SUBTITLES), {number for question in questions for number in question.subtitles}
    )
    for number, question in enumerate(questions, start=1):
        turns = [turn.strip() for turn in dialogues[question.dialogue].split(_END)]
        said = turns[: _TURNS + (len(question.subtitles) < len(_CANDIDATES))]
        cells = [*said, *(subtitles[line] for line in question.subtitles)]
        yield Row(Where(str(path), number), number, cells, "\t".join(cells))


def _numbers(folder: Path, name: str) -> list[list[int]]:
    """The line numbers in each line of a file."""
    path = _there(folder, (name,))
    found = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1):
        given = line.split()
        if not given or not all(text.isascii() and text.isdigit() for text in given):
            raise BadInput(
                str(path), repr(line[:40]), "line numbers with tabs between them", _OF_FOLDER, number
            )
        found.append([int(text) for text in given])
    return found


def _there(folder: Path, names: Sequence[str]) -> Path:
    """The first of these files that is in the folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise BadInput(str(folder), f"no {' and no '.join(names)}", "one of them", _OF_FOLDER)


def _texts(path: Path, wanted: Collection[int]) -> Mapping[int, str]:
    """The lines of a file that are wanted, from 0; of hundreds of millions, no more than those are held."""
    found, last = {}, max(wanted, default=-1)
    with opened(path) as handle, io.TextIOWrapper(handle, "utf-8", "replace") as text:
        for number, line in enumerate(text):
            if number in wanted:
                found[number] = line.strip()
            if number >= last:
                break
    if len(found) < len(wanted):
        missing = min(set(wanted) - set(found))
        raise BadInput(
            str(path),
            f"{number + 1 if found else 0:,} lines or fewer",
            f"a line {missing:,}, from 0",
            _OF_FOLDER,
        )
    return found


def _rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The lines, each a JSON array: the file is not one array, although it begins like one."""
    number = 0
    for line in lines(source, on_bad, expected="one JSON array a line"):
        text = line.text.strip()
        if not text:
            continue
        number += 1
        where = Where(shown(source), line.number)
        try:
            yield Row(where, number, loads(text, where), text)
        except BadInput as error:
            on_bad(BadLine(error, text))


def _judgements(row: Row) -> Sequence[Record]:
    given, where = row.fields, row.where
    if not isinstance(given, list) or len(given) != len(_CANDIDATES):
        raise wrong(where, "", given, "a list of four lists of scores", _TODO)
    return [
        judgement
        for index, (system, scores) in enumerate(zip(_CANDIDATES, given, strict=True))
        for judgement in _scored(f"selection-{row.number}", system, scores, where, f"[{index}]")
    ]


def _scored(item: str, system: str, scores: object, where: Where, field: str) -> Iterator[Judgement]:
    if not isinstance(scores, list):
        raise wrong(where, field, scores, "a list of scores", _TODO)
    for index, score in enumerate(scores):
        value, reason = rating(score, where, f"{field}[{index}]")
        yield Judgement(item, system, position(index + 1), "acceptability", value, reason)
