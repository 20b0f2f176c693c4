"""Checks before shards are merged: all there, each once, finished, and of one and the same task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from dialeval.display.wording import listing
from dialeval.errors import BadInput
from dialeval.evaluation.shards import Shard
from dialeval.study.shards.folder import ShardDocument, Task, digests_by_path, read_shard

_EXPECTED = "every shard of one command, each once and finished"
_LISTED = 100
"""Missing shards that an error lists: a damaged file may ask for billions."""


def read_shards(folders: Sequence[Path]) -> list[tuple[Path, ShardDocument]]:
    """The shards in these folders, in order; BadInput names one that is missing, repeated, unfinished or foreign."""
    documents = [(folder, read_shard(folder)) for folder in folders]
    first_folder, first = documents[0]
    for folder, document in documents:
        _check_same(first_folder, first, folder, document)
    _check_each_once(documents)
    for folder, document in documents:
        _check_finished(folder, document)
    return sorted(documents, key=lambda pair: pair[1].shard)


def check_unchanged(folder: Path, then: Task, now: Task) -> None:
    """Refuse shards whose files, systems, measures or version are not those of this moment."""
    difference = next(_differences(then, now), None)
    if difference is not None:
        raise BadInput(
            str(folder),
            f"a shard of another state: {difference}",
            "shards of the files, systems, measures and version as they are now",
            "Restore what has changed, or run every shard again.",
        )


def difference_of_commands(first: ShardDocument, other: ShardDocument) -> str | None:
    """In what two shards are not of the same command, in words; its files may have changed in between."""
    if first.name != other.name:
        return f"it is shard {first.name}"
    return next(_differences_of_options(first.task, other.task), None)


def _check_same(first_folder: Path, first: ShardDocument, folder: Path, document: ShardDocument) -> None:
    if document.shards != first.shards:
        difference: str | None = f"it is shard {document.name}, and {first_folder} is shard {first.name}"
    else:
        difference = next(_differences(first.task, document.task), None)
    if difference is not None:
        raise BadInput(
            str(folder),
            f"a shard of another command than {first_folder}: {difference}",
            _EXPECTED,
            "Leave it out, or run the shards again with the same files and options.",
        )


def _differences(first: Task, other: Task) -> Iterator[str]:
    """In what two tasks differ, in words."""
    if first.dialeval != other.dialeval:
        yield f"dialeval {first.dialeval} and {other.dialeval}"
    yield from _differences_of_options(first, other)
    yield from _unequal("the file", digests_by_path(first.files), digests_by_path(other.files))
    yield from _unequal("the system or measure", first.signatures, other.signatures)


def _differences_of_options(first: Task, other: Task) -> Iterator[str]:
    if first.verb != other.verb:
        yield f"one is of 'dialeval {first.verb}', the other of 'dialeval {other.verb}'"
    yield from _unequal("the option", first.arguments, other.arguments)


def _unequal(what: str, first: Mapping[str, object], other: Mapping[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*first, *other)):
        one, two = first.get(name), other.get(name)
        if one != two:
            yield f"{what} {name} differs ({_shown(one)} and {_shown(two)})"


def _shown(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _check_each_once(documents: Sequence[tuple[Path, ShardDocument]]) -> None:
    places: dict[int, Path] = {}
    for folder, document in documents:
        if document.shard in places:
            raise BadInput(
                str(folder),
                f"shard {document.name}, which {places[document.shard]} is too",
                _EXPECTED,
                "Give it once.",
            )
        places[document.shard] = folder
    _, first = documents[0]
    absent = (number for number in range(1, first.shards + 1) if number not in places)
    missing = [Shard(number, first.shards) for number in islice(absent, _LISTED)]
    if missing:
        given = listing([str(document.name) for _, document in documents])
        more = first.shards - len(places) - len(missing)
        without = [*map(str, missing), *([f"{more:,} more"] if more > 0 else [])]
        raise BadInput(
            listing([str(folder) for folder, _ in documents]),
            f"shards {given}, without {listing(without)}",
            _EXPECTED,
            f"Run what is missing with --shard {missing[0]} and give its folder too.",
        )


def _check_finished(folder: Path, document: ShardDocument) -> None:
    again = f"Run it again ('{document.command}'); what was computed is kept."
    if not document.finished:
        raise BadInput(str(folder), f"shard {document.name}, which was interrupted", _EXPECTED, again)
    failed = [failure for failure in document.failures if failure.measure is None]
    if failed:
        why = f"shard {document.name}, in which {failed[0].system} failed: {failed[0].message.rstrip('.')}"
        raise BadInput(str(folder), why, _EXPECTED, again)
