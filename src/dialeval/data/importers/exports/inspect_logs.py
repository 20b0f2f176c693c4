"""Logs of Inspect, as ``.json`` or as ``.eval`` archives: samples with their messages, targets and scores.

A scorer that asks a model (``model_graded_...``, or with the grader's messages kept) is a judge, any other a check, and
who edits a score by hand a person.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.jsonl import loads
from dialeval.data.codec.sources import Source, check_archive, is_stdin, shown
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, table, word
from dialeval.data.importers.exports.messages import messages_in
from dialeval.data.importers.exports.results import KINDS as RESULTS, Result, result_records, split
from dialeval.data.importers.exports.scores import Score, Source as Giver
from dialeval.data.types import Kind, Record
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final = RESULTS
_GRADES: Final[Mapping[str, float]] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's letters: correct, partial, incorrect, no answer."""
_TODO: Final = "Name a log as 'inspect eval' writes it."


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each sample and epoch, or the scores of them."""
    packed = not is_stdin(source) and zipfile.is_zipfile(Path(source))
    found = _packed(Path(source), on_bad) if packed else _plain(source, on_bad)
    yield from result_records(found, kind, on_bad, shown(source))


def _plain(source: Source, on_bad: OnBad) -> Iterator[Result]:
    for row, log in objects(source, on_bad):
        samples = listing(log, "samples", row.where)
        _tell(log, len(samples), row.where)
        for at, sample in enumerate(samples):
            yield from _told(sample, log, row.where, f"samples[{at}]", on_bad)


def _packed(path: Path, on_bad: OnBad) -> Iterator[Result]:
    """The samples of an archive, whose directory must not promise too much."""
    where = Where(str(path))
    try:
        check_archive(path, str(path))
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            start = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            if start is None:
                raise bad(where, "", "an archive without 'header.json'", "a log of Inspect", _TODO)
            log = entry(loads(archive.read(start).decode("utf-8"), where), where, start)
            samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
            _tell(log, len(samples), where)
            for name in sorted(samples, key=lambda name: (len(name), name)):
                sample = loads(archive.read(name).decode("utf-8"), where)
                yield from _told(sample, log, where, name, on_bad)
    except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError, RuntimeError, EOFError) as error:
        todo = "Convert it: 'inspect log convert LOG.eval --to json --output-dir .'"
        raise bad(where, "", f"an archive that cannot be read ({error})", "a log of Inspect", todo) from None


def _tell(log: Mapping[str, object], samples: int, where: Where) -> None:
    status = word(log, "status")
    if not samples:
        found = f"a log without samples (status {status or 'unknown'})"
        raise bad(where, "samples", found, "at least one sample", "Name a log that keeps its samples.")
    asked = table(table(log, "eval", where), "dataset", where, "eval").get("samples")
    if status not in ("success", "") and isinstance(asked, int):
        tell(where.path, f"read as inspect: a {status} run, {count(samples, 'sample')} of {asked}")


def _told(
    sample: object, log: Mapping[str, object], where: Where, field: str, on_bad: OnBad
) -> Iterator[Result]:
    try:
        yield _result(entry(sample, where, field), log, where, field)
    except BadInput as error:
        on_bad(BadLine(error, field))


def _result(sample: Mapping[str, object], log: Mapping[str, object], where: Where, field: str) -> Result:
    item = word(sample, "id")
    if not item:
        raise bad(where, f"{field}.id", "no id of a sample", "text or a number", _TODO)
    about = table(log, "eval", where)
    attached = table(sample, "attachments", where, field)
    messages = messages_in(_resolved(sample.get("messages"), attached)) or []
    context, reply = split(messages)
    if not messages:
        context = messages_in(_resolved(sample.get("input"), attached), "user") or []
    error = sample.get("error")
    failed = word(error, "message") if isinstance(error, Mapping) else ""
    target = sample.get("target")
    listed = target if isinstance(target, list) else [target]
    references = tuple(text for text in listed if isinstance(text, str) and text.strip())
    return Result(
        *(where, field, item, word(about, "model"), context, reply),
        missing=failed or "no last message of the assistant",
        cause="failed" if failed else "silent",
        references=references,
        scores=tuple(_scores(sample, about, where, field)),
    )


def _resolved(value: object, attached: Mapping[str, object], depth: int = 0) -> object:
    """The value with the texts that a log keeps apart put back."""
    if isinstance(value, str) and value.startswith("attachment://"):
        held = attached.get(value.removeprefix("attachment://"))
        return held if isinstance(held, str) else value
    if depth > 8 or not attached:
        return value
    if isinstance(value, list):
        return [_resolved(each, attached, depth + 1) for each in value]
    if isinstance(value, dict):
        return {name: _resolved(each, attached, depth + 1) for name, each in value.items()}
    return value


def _scores(
    sample: Mapping[str, object], about: Mapping[str, object], where: Where, field: str
) -> Iterator[Score]:
    for name, held in table(sample, "scores", where, field).items():
        score = entry(held, where, f"{field}.scores.{name}")
        metadata = score.get("metadata")
        graded = name.startswith("model_graded") or (isinstance(metadata, Mapping) and "grading" in metadata)
        giver: Giver = "judge" if graded else "check"
        model = _grader(about) if graded else ""
        yield from _values(name, score.get("value"), giver, model, word(score, "explanation"))
        history = score.get("history")
        for edit in history if isinstance(history, list) else []:
            if isinstance(edit, Mapping) and isinstance(edit.get("provenance"), Mapping):
                author = word(edit["provenance"], "author")
                reason = word(edit["provenance"], "reason")
                yield from _values(name, edit.get("value"), "person", author, reason)


def _grader(about: Mapping[str, object]) -> str:
    """The model that grades, if the log says which."""
    roles = about.get("model_roles")
    grader = roles.get("grader") if isinstance(roles, Mapping) else None
    return grader if isinstance(grader, str) else word(grader, "model") if isinstance(grader, Mapping) else ""


def _values(name: str, value: object, giver: Giver, rater: str, comment: str) -> Iterator[Score]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _values(f"{name}/{key}", each, giver, rater, comment)
        return
    number = _GRADES.get(value, value) if isinstance(value, str) else value
    if isinstance(number, str):
        with suppress(ValueError):
            number = float(number)
    yield Score("", "", name, giver, number, rater, comment)
