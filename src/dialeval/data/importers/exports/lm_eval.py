"""Samples that lm-evaluation-harness logs (``samples_*.jsonl``): prompts, responses, targets and metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.jsonl import read_whole
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.importers.exports.documents import bad, objects, word
from dialeval.data.importers.exports.messages import messages_in
from dialeval.data.importers.exports.results import KINDS as RESULTS, Result, result_records
from dialeval.data.importers.exports.scores import Score
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput

KINDS: Final = RESULTS
_STAMP: Final = re.compile(r"samples_.*_(\d{4}-\d{2}-\d{2}T[\d.-]+?)\.jsonl")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each sample; the system is the model of the ``results_*.json`` of the same run beside it."""
    system = _model(source)

    def results() -> Iterator[Result]:
        for row, fields in objects(source, on_bad):
            if "doc_id" not in fields:
                found, expected = "aggregated results", "samples, one a line"
                todo = "Run lm_eval with --log_samples, and name samples_*.jsonl."
                raise bad(row.where, "doc_id", found, expected, todo)
            try:
                yield _result(fields, row, system)
            except BadInput as error:
                on_bad(BadLine(error, row.raw))

    yield from result_records(results(), kind, on_bad, shown(source))


def _model(source: Source) -> str:
    """The model of the run, which only the file of its results names."""
    stamp = None if is_stdin(source) else _STAMP.fullmatch(Path(source).name)
    beside = Path(source).with_name(f"results_{stamp[1]}.json") if stamp else None
    if beside is None or not beside.is_file():
        return ""
    held = read_whole(beside, Where(str(beside), 1))
    fields = held if isinstance(held, Mapping) else {}
    config = fields.get("config")
    inner = config if isinstance(config, Mapping) else {}
    return word(fields, "model_name") or word(inner, "model_args", "model")


def _result(fields: Mapping[str, object], row: Row, system: str) -> Result:
    asked = _arguments(fields)
    if not asked:
        raise bad(
            row.where, "arguments", "no arguments", "what the model was asked", "Log the samples again."
        )
    context = messages_in(asked[0][0], "user") or []
    target = fields.get("target")
    listed = target if isinstance(target, list) else [target]
    metrics = fields.get("metrics")
    named = [name for name in metrics if isinstance(name, str)] if isinstance(metrics, list) else []
    filtered = word(fields, "filter")
    item = word(fields, "doc_id") + ("" if filtered in ("", "none") else f"/{filtered}")
    reply = _reply(fields, asked)
    return Result(
        *(row.where, row.raw, item, system, context, reply),
        missing="no response",
        cause="silent",
        references=tuple(str(text) for text in listed if isinstance(text, str) and text.strip()),
        scores=tuple(Score("", "", name, "check", fields.get(name)) for name in named),
    )


def _arguments(fields: Mapping[str, object]) -> list[tuple[object, object]]:
    """What the model was asked: of each request its prompt, and the continuation that was scored or the settings."""
    held = fields.get("arguments")
    if isinstance(held, Mapping):
        return [(each.get("arg_0"), each.get("arg_1")) for each in held.values() if isinstance(each, Mapping)]
    listed = held if isinstance(held, list) else []
    return [
        (each[0], each[1] if len(each) > 1 else None) for each in listed if isinstance(each, list) and each
    ]


def _reply(fields: Mapping[str, object], asked: list[tuple[object, object]]) -> str | None:
    """The text that was generated, or of scored continuations the most probable one."""
    held = fields.get("filtered_resps") or fields.get("resps")
    listed = held if isinstance(held, list) else []
    first = listed[0] if listed else None
    if isinstance(first, str):
        return first
    if len(asked) > 1 and all(isinstance(each, list) and each for each in listed):
        values = [
            _number(each[0][0] if isinstance(each[0], list) and each[0] else each[0]) for each in listed
        ]
        choice = asked[values.index(max(values))][1] if len(values) == len(asked) else None
        return choice.strip() if isinstance(choice, str) else None
    while isinstance(first, list) and first:
        first = first[0]
    return first if isinstance(first, str) else None


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return float("-inf")
