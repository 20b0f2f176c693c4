"""Every format we read, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, SHAPES, read_conversations
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput, DialevalError, first_line
from dialeval.lazy import Table

RecordReader: TypeAlias = Callable[[Source, Kind, OnBad], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which records are written down, and how to read it."""

    name: str
    summary: str
    kinds: tuple[Kind, ...]
    """Which records it can give, the most natural first."""
    read: RecordReader | None
    """None for our own formats, whose rows ``dialeval.data.reader`` recognises one by one."""
    folder: bool | None = False
    """Whether it is a folder of files; None if it may be either."""
    narrow: Callable[[Source], tuple[Kind, ...]] | None = None
    """Which of the kinds one file of it holds, where its files differ."""

    def kinds_of(self, source: Source) -> tuple[Kind, ...]:
        """Which records ``source`` can give, the most natural first."""
        return self.narrow(source) if self.narrow else self.kinds


_ALL: Final[tuple[Kind, ...]] = ("example", "dialogue", "prompt", "question", "nbest", "judgement")


FORMATS: Final[Table[Format, None]] = Table(None)
"""The formats ``read`` knows, by name. A new reader is one file and one function here."""


def _add_own(name: str, summary: str) -> None:
    FORMATS.add(name, partial(Format, name, summary, _ALL, None))


def _add_conversation(name: str, summary: str) -> None:
    def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
        return read_conversations(source, kind, on_bad, SHAPES[name])

    FORMATS.add(name, partial(Format, name, summary, CONVERSATION, read))


_add_own("jsonl", "JSON Lines, or one JSON array of objects (.jsonl, .ndjson, .json)")
_add_own("csv", "comma- or semicolon-separated values with a header (.csv)")
_add_own("tsv", "tab-separated values with a header (.tsv)")
_add_own("xlsx", "a workbook's first sheet, or FILE.xlsx#SHEET (.xlsx; needs openpyxl)")
_add_own("parquet", "Parquet with nested columns (.parquet)")


@FORMATS.entry("text")
def _text() -> Format:
    from dialeval.data.importers.text import KINDS, read

    return Format("text", "one response (or prompt) a line; references in files of their own", KINDS, read)


_add_conversation("openai", "chat and fine-tuning files: {'messages': [...]}")
_add_conversation(
    "turns", "{'turns': [...]} of texts or of {'speaker', 'text'}; also 'dialogue', 'utterances'"
)
_add_conversation("sharegpt", "{'conversations': [{'from', 'value'}]}")


@FORMATS.entry("parlai-text")
def _parlai_text() -> Format:
    from dialeval.data.importers.parlai_text import KINDS, read

    return Format("parlai-text", "text:...<tab>labels:...<tab>episode_done:True", KINDS, read)


_add_conversation("parlai-jsonl", "ParlAI conversations: {'dialog': [[{'id', 'text'}]]}")


@FORMATS.entry("message-rows")
def _message_rows() -> Format:
    from dialeval.data.importers.message_rows import KINDS, read

    return Format(
        "message-rows",
        "a row for each message: conversation_id, role or author, content or text, perhaps a time",
        KINDS,
        read,
    )


@FORMATS.entry("whatsapp")
def _whatsapp() -> Format:
    from dialeval.data.importers.whatsapp import KINDS, read

    return Format("whatsapp", "a chat exported from WhatsApp (.txt)", KINDS, read)


@FORMATS.entry("otel")
def _otel() -> Format:
    from dialeval.data.importers.exports.spans import KINDS, read

    return Format(
        "otel",
        "spans of OpenTelemetry GenAI and OpenInference (Phoenix): OTLP JSON, or flat spans",
        KINDS,
        read,
    )


@FORMATS.entry("langfuse")
def _langfuse() -> Format:
    from dialeval.data.importers.exports.langfuse import KINDS, kinds_of, read

    return Format(
        "langfuse",
        "traces, observations, sessions and scores of Langfuse; also a folder of its blob export",
        KINDS,
        read,
        folder=None,
        narrow=kinds_of,
    )


@FORMATS.entry("langsmith")
def _langsmith() -> Format:
    from dialeval.data.importers.exports.langsmith import KINDS, read

    return Format(
        "langsmith",
        "runs of LangSmith with feedback: lines, {'runs': [...]}, or {'post', 'patch'}",
        KINDS,
        read,
    )


@FORMATS.entry("mlflow")
def _mlflow() -> Format:
    from dialeval.data.importers.exports.mlflow import KINDS, read

    return Format("mlflow", "traces of MLflow with assessments: {'info', 'data': {'spans'}}", KINDS, read)


@FORMATS.entry("chatgpt")
def _chatgpt() -> Format:
    from dialeval.data.importers.exports.chatgpt import KINDS, read

    return Format("chatgpt", "ChatGPT's conversations.json", KINDS, read)


@FORMATS.entry("inspect")
def _inspect() -> Format:
    from dialeval.data.importers.exports.inspect_logs import KINDS, read

    return Format("inspect", "logs of Inspect (.json, .eval): samples and scores", KINDS, read)


@FORMATS.entry("promptfoo")
def _promptfoo() -> Format:
    from dialeval.data.importers.exports.promptfoo import KINDS, read

    return Format("promptfoo", "results of promptfoo, formats 1 to 4", KINDS, read)


@FORMATS.entry("deepeval")
def _deepeval() -> Format:
    from dialeval.data.importers.exports.deepeval import KINDS, kinds_of, read

    return Format("deepeval", "test runs and traces of DeepEval", KINDS, read, narrow=kinds_of)


@FORMATS.entry("lm-eval")
def _lm_eval() -> Format:
    from dialeval.data.importers.exports.lm_eval import KINDS, read

    return Format("lm-eval", "samples of lm-evaluation-harness (samples_*.jsonl)", KINDS, read)


@FORMATS.entry("adk")
def _adk() -> Format:
    from dialeval.data.importers.exports.agents import KINDS, read_adk

    return Format("adk", "eval sets and sessions of Google's Agent Development Kit", KINDS, read_adk)


@FORMATS.entry("rasa")
def _rasa() -> Format:
    from dialeval.data.importers.exports.agents import KINDS, read_rasa

    return Format("rasa", "trackers of Rasa", KINDS, read_rasa)


@FORMATS.entry("messages")
def _messages() -> Format:
    from dialeval.data.importers.exports.agents import KINDS, read_messages

    return Format(
        "messages",
        "one conversation: a list of messages with 'role' and 'content' (.json)",
        KINDS,
        read_messages,
    )


@FORMATS.entry("feedback")
def _feedback() -> Format:
    from dialeval.data.importers.exports.agents import KINDS_OF_FEEDBACK, read_feedback

    return Format(
        "feedback",
        "a reviewer's verdicts on conversations: {'feedback': [{'conversation_id', 'verdict'}]}",
        KINDS_OF_FEEDBACK,
        read_feedback,
    )


@FORMATS.entry("slack")
def _slack() -> Format:
    from dialeval.data.importers.exports.chats import KINDS, read_slack

    return Format(
        "slack", "an unpacked export of Slack, or a day of a channel", KINDS, read_slack, folder=None
    )


@FORMATS.entry("discord")
def _discord() -> Format:
    from dialeval.data.importers.exports.chats import KINDS, read_discord

    return Format(
        "discord", "a channel of Discord, as DiscordChatExporter writes it (.json)", KINDS, read_discord
    )


@FORMATS.entry("telegram")
def _telegram() -> Format:
    from dialeval.data.importers.exports.chats import KINDS, read_telegram

    return Format("telegram", "chats that Telegram Desktop exports (result.json)", KINDS, read_telegram)


@FORMATS.entry("instagram")
def _instagram() -> Format:
    from dialeval.data.importers.exports.chats import KINDS, read_instagram

    return Format("instagram", "a chat of Instagram or Messenger (message_1.json)", KINDS, read_instagram)


@FORMATS.entry("ratings-wide")
def _ratings_wide() -> Format:
    from dialeval.data.importers.ratings import KINDS, read

    return Format("ratings-wide", "a table of ratings, one column for each rater (.csv, .tsv)", KINDS, read)


@FORMATS.entry("fed")
def _fed() -> Format:
    from dialeval.data.importers.corpora.fed import KINDS, read

    return Format("fed", "FED: rated turns and dialogues (fed_data.json)", KINDS, read)


@FORMATS.entry("grade")
def _grade() -> Format:
    from dialeval.data.importers.corpora.grade import KINDS, read

    return Format("grade", "GRADE: the folder with eval_data/ and human_score/", KINDS, read, folder=True)


@FORMATS.entry("usr")
def _usr() -> Format:
    from dialeval.data.importers.corpora.usr import KINDS, read

    return Format("usr", "USR-TopicalChat with human scores (topical_chat_result.json)", KINDS, read)


@FORMATS.entry("topical-chat")
def _topical_chat() -> Format:
    from dialeval.data.importers.corpora.topical_chat import KINDS, read

    return Format(
        "topical-chat", "Topical-Chat's conversations (train.json, test_freq.json, ...)", KINDS, read
    )


@FORMATS.entry("multirefeval")
def _multirefeval() -> Format:
    from dialeval.data.importers.corpora.multirefeval import KINDS, kinds_of, read

    return Format(
        "multirefeval",
        "multi-reference DailyDialog (.csv ratings, multireftest.json)",
        KINDS,
        read,
        narrow=kinds_of,
    )


@FORMATS.entry("dailydialog++")
def _dailydialog_plusplus() -> Format:
    from dialeval.data.importers.corpora.dailydialog_plusplus import KINDS, read

    return Format("dailydialog++", "DailyDialog++: 5 good, 5 adversarial, 5 random responses", KINDS, read)


@FORMATS.entry("mutual")
def _mutual() -> Format:
    from dialeval.data.importers.corpora.mutual import KINDS, read

    return Format("mutual", "MuTual: four options for the next turn (dev.jsonl)", KINDS, read)


@FORMATS.entry("fed-scores")
def _fed_scores() -> Format:
    from dialeval.data.importers.corpora.score_list import KINDS, read

    return Format("fed-scores", "FED's own scores, with fed_data.json beside them", KINDS, read)


@FORMATS.entry("unieval")
def _unieval() -> Format:
    from dialeval.data.importers.corpora.unieval import KINDS, read

    return Format("unieval", "UniEval's results, people beside the metric", KINDS, read)


@FORMATS.entry("emnlp17")
def _emnlp17() -> Format:
    from dialeval.data.importers.corpora.emnlp17 import KINDS, read

    return Format("emnlp17", "BAGEL and SFRES with median ratings and metrics (.csv)", KINDS, read)


@FORMATS.entry("predictive-engagement")
def _predictive_engagement() -> Format:
    from dialeval.data.importers.corpora.predictive_engagement import KINDS, read

    return Format("predictive-engagement", "DailyDialog pairs rated for engagement (.csv)", KINDS, read)


@FORMATS.entry("eval-via-selection")
def _eval_via_selection() -> Format:
    from dialeval.data.importers.corpora.eval_via_selection import KINDS, kinds_of, read

    return Format(
        "eval-via-selection",
        "response selection of Sato et al. (2020): human_scores.jsonl, or the rebuilt table of questions",
        KINDS,
        read,
        narrow=kinds_of,
    )


@FORMATS.entry("eval-via-selection-folder")
def _eval_via_selection_folder() -> Format:
    from dialeval.data.importers.corpora.eval_via_selection import KINDS_OF_FOLDER, read_folder

    return Format(
        "eval-via-selection-folder",
        "response selection of Sato et al. (2020): the folder with indice/ and both corpora",
        KINDS_OF_FOLDER,
        read_folder,
        folder=True,
    )


@FORMATS.entry("circa")
def _circa() -> Format:
    from dialeval.data.importers.corpora.circa import KINDS, read

    return Format("circa", "Circa: indirect answers, five labels each (.tsv)", KINDS, read)


@FORMATS.entry("rgm-contradiction")
def _rgm_contradiction() -> Format:
    from dialeval.data.importers.corpora.rgm_contradiction import KINDS, read

    return Format(
        "rgm-contradiction", "how many of 3 people call a response contradictory (.jsonl)", KINDS, read
    )


@FORMATS.entry("tau-bench")
def _tau_bench() -> Format:
    from dialeval.data.importers.corpora.tau_bench import KINDS, read

    return Format(
        "tau-bench",
        "tau-bench and tau2-bench: talks of agents with a simulated user, and rewards",
        KINDS,
        read,
    )


@FORMATS.entry("simulator-arena")
def _simulator_arena() -> Format:
    from dialeval.data.importers.corpora.simulator_arena import KINDS, read

    return Format(
        "simulator-arena",
        "SimulatorArena: real users who write documents and learn mathematics, with ratings and votes (.jsonl)",
        KINDS,
        read,
    )


@FORMATS.entry("llm-rubric")
def _llm_rubric() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_llm_rubric

    return Format(
        "llm-rubric",
        "LLM-Rubric: people's answers, and a judge's probabilities of each answer (.tsv)",
        KINDS,
        read_llm_rubric,
    )


@FORMATS.entry("batcheval")
def _batcheval() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_batcheval

    return Format(
        "batcheval",
        "BatchEval: five runs of GPT-4 beside people's means (*.scores.jsonl)",
        KINDS,
        read_batcheval,
    )


@FORMATS.entry("llmbar")
def _llmbar() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_llmbar

    return Format(
        "llmbar",
        "LLMBar: verdicts of judges on pairs in both orders, beside people's (.jsonl)",
        KINDS,
        read_llmbar,
    )


@FORMATS.entry("pandalm")
def _pandalm() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_pandalm

    return Format(
        "pandalm",
        "PandaLM: pairs judged by three people, or by a judge (.jsonl)",
        KINDS,
        read_pandalm,
    )


@FORMATS.entry("vicuna-reviews")
def _vicuna() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_vicuna

    return Format(
        "vicuna-reviews",
        "GPT-4's reviews of pairs of answers, some beside people's (reviews.jsonl)",
        KINDS,
        read_vicuna,
    )


@FORMATS.entry("cascaded-judges")
def _cascaded() -> Format:
    from dialeval.data.importers.corpora.recorded_judges import KINDS, read_cascaded

    return Format(
        "cascaded-judges",
        "three judges' probabilities on pairs beside people's choices (pairs.jsonl)",
        KINDS,
        read_cascaded,
    )


def custom_format(place: str) -> Format:
    """A custom reader, whose rows are understood as those of our own formats are."""
    return Format(place, "a custom reader", _ALL, None)


def own_rows(place: str, source: Source) -> Iterator[Row]:
    """Rows that a custom function makes of a file: a dict for each record, with the fields of our own formats."""
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
