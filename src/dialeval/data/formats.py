"""Every format we read, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Native, Source, shown
from dialeval.data.importers import parlai_text, ratings_wide, text
from dialeval.data.importers.conversation import KINDS as CONVERSATION, read_conversations
from dialeval.data.importers.corpora import (
    circa,
    dailydialog_plusplus,
    emnlp17,
    eval_via_selection,
    fed,
    grade,
    multirefeval,
    mutual,
    predictive_engagement,
    rgm_contradiction,
    score_list,
    unieval,
    usr,
)
from dialeval.data.importers.shapes import SHAPES
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput, DialevalError, first_line
from dialeval.files.custom_code import load_code

RecordReader: TypeAlias = Callable[[Source, Kind, OnBad], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which records are written down, and how to read it."""

    name: str
    summary: str
    kinds: tuple[Kind, ...]
    """Which records it can give, the most natural first."""
    read: RecordReader | None
    """None for our own formats, whose rows ``dialeval.data.reading`` recognises one by one."""
    folder: bool = False
    """Whether it is a folder of files."""
    narrow: Callable[[Source], tuple[Kind, ...]] | None = None
    """Which of the kinds one file of it holds, where its files differ."""

    def kinds_of(self, source: Source) -> tuple[Kind, ...]:
        """Which records ``source`` can give, the most natural first."""
        return self.narrow(source) if self.narrow else self.kinds


_ALL: Final[tuple[Kind, ...]] = ("example", "dialogue", "prompt", "question", "nbest", "judgement")


def _native(name: Native, summary: str) -> Format:
    return Format(name, summary, _ALL, None)


def _conversation(name: str, summary: str) -> Format:
    def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
        return read_conversations(source, kind, on_bad, SHAPES[name])

    return Format(name, summary, CONVERSATION, read)


FORMATS: Final[Mapping[str, Format]] = {
    form.name: form
    for form in (
        _native("jsonl", "JSON Lines, or one JSON array of objects (.jsonl, .ndjson, .json)"),
        _native("csv", "comma- or semicolon-separated values with a header (.csv)"),
        _native("tsv", "tab-separated values with a header (.tsv)"),
        _native("xlsx", "a workbook's first sheet, or FILE.xlsx#SHEET (.xlsx; needs openpyxl)"),
        _native("parquet", "Parquet with nested columns (.parquet)"),
        Format(
            "text", "one response (or prompt) a line; references in files of their own", text.KINDS, text.read
        ),
        _conversation("openai", "chat and fine-tuning files: {'messages': [...]}"),
        _conversation(
            "turns", "{'turns': [...]} of texts or of {'speaker', 'text'}; also 'dialogue', 'utterances'"
        ),
        _conversation("sharegpt", "{'conversations': [{'from', 'value'}]}"),
        Format(
            "parlai-text",
            "text:...<tab>labels:...<tab>episode_done:True",
            parlai_text.KINDS,
            parlai_text.read,
        ),
        _conversation("parlai-jsonl", "ParlAI conversations: {'dialog': [[{'id', 'text'}]]}"),
        Format(
            "ratings-wide",
            "a table of ratings, one column for each rater (.csv, .tsv)",
            ratings_wide.KINDS,
            ratings_wide.read,
        ),
        Format("fed", "FED: rated turns and dialogues (fed_data.json)", fed.KINDS, fed.read),
        Format(
            "grade",
            "GRADE: the folder with eval_data/ and human_score/",
            grade.KINDS,
            grade.read,
            folder=True,
        ),
        Format("usr", "USR-TopicalChat with human scores (topical_chat_result.json)", usr.KINDS, usr.read),
        Format(
            "multirefeval",
            "multi-reference DailyDialog (.csv ratings, multireftest.json)",
            multirefeval.KINDS,
            multirefeval.read,
            narrow=multirefeval.kinds_of,
        ),
        Format(
            "dailydialog++",
            "DailyDialog++: 5 good, 5 adversarial, 5 random responses",
            dailydialog_plusplus.KINDS,
            dailydialog_plusplus.read,
        ),
        Format("mutual", "MuTual: four options for the next turn (dev.jsonl)", mutual.KINDS, mutual.read),
        Format(
            "fed-scores",
            "FED's own scores, with fed_data.json beside them",
            score_list.KINDS,
            score_list.read_fed_scores,
        ),
        Format(
            "unieval",
            "UniEval's results, people beside the metric",
            unieval.KINDS,
            unieval.read,
        ),
        Format(
            "emnlp17",
            "BAGEL and SFRES with median ratings and metrics (.csv)",
            emnlp17.KINDS,
            emnlp17.read,
        ),
        Format(
            "predictive-engagement",
            "DailyDialog pairs rated for engagement (.csv)",
            predictive_engagement.KINDS,
            predictive_engagement.read,
        ),
        Format(
            "eval-via-selection",
            "scores of response-selection candidates (human_scores.jsonl)",
            eval_via_selection.KINDS,
            eval_via_selection.read,
        ),
        Format("circa", "Circa: indirect answers, five labels each (.tsv)", circa.KINDS, circa.read),
        Format(
            "rgm-contradiction",
            "how many of 3 people call a response contradictory (.jsonl)",
            rgm_contradiction.KINDS,
            rgm_contradiction.read,
        ),
    )
}
"""The formats ``read`` knows, by name. A new reader is one file and one line here."""


def custom_format(place: str) -> Format:
    """A custom reader, whose rows are understood as those of our own formats are."""
    return Format(place, "a custom reader", _ALL, None)


def own_rows(place: str, source: Source) -> Iterator[Row]:
    """What a custom function makes of a file: a dict for each record, with the fields of our own formats."""
    reader = load_code(place, Path.cwd())
    path = shown(source)
    number = 0
    try:
        for number, fields in enumerate(reader.thing(str(source)), start=1):
            yield Row(Where(path, number), number, fields)
    except DialevalError:
        raise
    except Exception as error:
        raise BadInput(
            path=path,
            line=number + 1,
            found=f"{type(error).__name__}: {first_line(error)} in {reader.place}",
            expected="a dict for each record",
            todo="Fix the reader, or the file.",
        ) from error
