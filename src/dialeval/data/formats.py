"""Every format we read, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, read_conversations
from dialeval.data.importers.shapes import SHAPES
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput, DialevalError, first_line
from dialeval.lazy import LazyTable

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


_SHAPES: Final = "shapes"
"""The module of formats that are a shape of conversations."""


class _Entry(NamedTuple):
    """A line of the table of formats."""

    name: str
    summary: str
    module: str | None = None
    """In ``dialeval.data.importers``, with ``KINDS``, ``read``, and ``kinds_of`` if its files differ; ours has none."""
    folder: bool = False

    def format(self) -> Format:
        """The format, whose reader is imported now."""
        if self.module is None:
            return Format(self.name, self.summary, _ALL, None)
        if self.module == _SHAPES:
            return _conversation(self.name, self.summary)
        reader = import_module(f"dialeval.data.importers.{self.module}")
        narrow = getattr(reader, "kinds_of", None)
        return Format(self.name, self.summary, reader.KINDS, reader.read, self.folder, narrow)


def _conversation(name: str, summary: str) -> Format:
    def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
        return read_conversations(source, kind, on_bad, SHAPES[name])

    return Format(name, summary, CONVERSATION, read)


def _formats(*entries: _Entry) -> LazyTable[Format]:
    return LazyTable({entry.name: entry.format for entry in entries})


FORMATS: Final = _formats(
    _Entry("jsonl", "JSON Lines, or one JSON array of objects (.jsonl, .ndjson, .json)"),
    _Entry("csv", "comma- or semicolon-separated values with a header (.csv)"),
    _Entry("tsv", "tab-separated values with a header (.tsv)"),
    _Entry("xlsx", "a workbook's first sheet, or FILE.xlsx#SHEET (.xlsx; needs openpyxl)"),
    _Entry("parquet", "Parquet with nested columns (.parquet)"),
    _Entry("text", "one response (or prompt) a line; references in files of their own", "text"),
    _Entry("openai", "chat and fine-tuning files: {'messages': [...]}", _SHAPES),
    _Entry(
        "turns",
        "{'turns': [...]} of texts or of {'speaker', 'text'}; also 'dialogue', 'utterances'",
        _SHAPES,
    ),
    _Entry("sharegpt", "{'conversations': [{'from', 'value'}]}", _SHAPES),
    _Entry("parlai-text", "text:...<tab>labels:...<tab>episode_done:True", "parlai_text"),
    _Entry("parlai-jsonl", "ParlAI conversations: {'dialog': [[{'id', 'text'}]]}", _SHAPES),
    _Entry(
        "message-rows",
        "a row for each message: conversation_id, role or author, content or text, perhaps a time",
        "message_rows",
    ),
    _Entry("whatsapp", "a chat exported from WhatsApp (.txt)", "whatsapp"),
    _Entry("ratings-wide", "a table of ratings, one column for each rater (.csv, .tsv)", "ratings_wide"),
    _Entry("fed", "FED: rated turns and dialogues (fed_data.json)", "corpora.fed"),
    _Entry("grade", "GRADE: the folder with eval_data/ and human_score/", "corpora.grade", folder=True),
    _Entry("usr", "USR-TopicalChat with human scores (topical_chat_result.json)", "corpora.usr"),
    _Entry(
        "multirefeval",
        "multi-reference DailyDialog (.csv ratings, multireftest.json)",
        "corpora.multirefeval",
    ),
    _Entry(
        "dailydialog++",
        "DailyDialog++: 5 good, 5 adversarial, 5 random responses",
        "corpora.dailydialog_plusplus",
    ),
    _Entry("mutual", "MuTual: four options for the next turn (dev.jsonl)", "corpora.mutual"),
    _Entry("fed-scores", "FED's own scores, with fed_data.json beside them", "corpora.score_list"),
    _Entry("unieval", "UniEval's results, people beside the metric", "corpora.unieval"),
    _Entry("emnlp17", "BAGEL and SFRES with median ratings and metrics (.csv)", "corpora.emnlp17"),
    _Entry(
        "predictive-engagement",
        "DailyDialog pairs rated for engagement (.csv)",
        "corpora.predictive_engagement",
    ),
    _Entry(
        "eval-via-selection",
        "scores of response-selection candidates (human_scores.jsonl)",
        "corpora.eval_via_selection",
    ),
    _Entry("circa", "Circa: indirect answers, five labels each (.tsv)", "corpora.circa"),
    _Entry(
        "rgm-contradiction",
        "how many of 3 people call a response contradictory (.jsonl)",
        "corpora.rgm_contradiction",
    ),
)
"""The formats ``read`` knows, by name. A new reader is one file and one line here."""


def custom_format(place: str) -> Format:
    """A custom reader, whose rows are understood as those of our own formats are."""
    return Format(place, "a custom reader", _ALL, None)


def own_rows(place: str, source: Source) -> Iterator[Row]:
    """What a custom function makes of a file: a dict for each record, with the fields of our own formats."""
    from dialeval.files.custom_code import load_code

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
