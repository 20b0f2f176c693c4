"""Lines of a study's files that match no item: recorded responses and ratings whose ids the data does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dialeval.core import System, innermost
from dialeval.data import Prompt, read_prompts
from dialeval.data.prompts import reference_items
from dialeval.data.table import ids_of, is_large
from dialeval.display.wording import listing
from dialeval.errors import DialevalError, Unsuitable
from dialeval.study.document import Unmatched
from dialeval.systems.transcript import Transcript
from dialeval.text.ids import TextNumbers

if TYPE_CHECKING:
    from dialeval.ratings import Ratings
    from dialeval.study.file import Study

MOST_UNMATCHED: Final = 0.5
"""A file with this share of lines that match nothing, or more, is refused, unless the study allows it."""
EXAMPLES: Final = 3
_ASKED: Final = ("questions", "probes", "stimuli")
"""Inputs of measures that hold items."""


def known_items(study: Study, prompts: Sequence[Prompt]) -> Collection[str]:
    """Ids of all items of the data, whatever the limit, and of what measures ask beside it."""
    inputs = [pair for measure in study.measures for pair in measure.inputs.items()]
    asked = dict.fromkeys(path for key, path in inputs if key in _ASKED and path is not None)
    ids = chain(ids_of(prompts), (item for path in asked for item in _ids(path)))
    return TextNumbers(ids) if is_large(prompts) else frozenset(ids)


def unmatched_references(study: Study, items: Collection[str]) -> Iterator[Unmatched]:
    """The files of references with ids that the data does not have."""
    for path in study.references:
        ids = reference_items(path)
        strange = _unmatched(path, len(ids), [item for item in ids if item not in items])
        if strange is not None:
            yield strange


def unmatched_responses(system: System, items: Collection[str]) -> Iterator[Unmatched]:
    """The recorded responses of that system to unknown items, file by file; nothing where none was recorded."""
    source = innermost(system)
    for run in source.runs if isinstance(source, Transcript) else ():
        lines = run.lines(items)
        if lines is not None:
            strange = _unmatched(run.path, lines.total, lines.strange)
            if strange is not None:
                yield strange


def strange_ratings(study: Study, ratings: Ratings, items: Collection[str]) -> Unmatched | None:
    """Those that nobody can have meant: a study may leave out some of the systems that were rated."""
    some = any(system.name in ratings.systems for system in study.systems)
    return unmatched_ratings(study, ratings, items, systems_too=not some)


def unmatched_ratings(
    study: Study, ratings: Ratings, items: Collection[str], *, systems_too: bool = True
) -> Unmatched | None:
    """The ratings of items, and of systems, that the study does not have; None where there are none."""
    if study.human is None:
        return None
    systems = {system.name for system in study.systems}
    strange = {code: f"item {name}" for code, name in enumerate(ratings.items) if name not in items}
    unknown = [
        (code, name) for code, name in enumerate(ratings.systems) if systems_too and name not in systems
    ]
    others = {code: f"system {name}" for code, name in unknown}
    found = [
        strange.get(item) or others.get(system)
        for item, system in zip(ratings.item.tolist(), ratings.system.tolist(), strict=True)
    ]
    return _unmatched(study.human.path, len(found), [name for name in found if name is not None])


def check_unmatched(unmatched: Unmatched | None, items: Collection[str], *, allowed: bool) -> None:
    """Refuse a file of which half of the lines or more match nothing."""
    if unmatched is None or allowed or unmatched.unmatched < MOST_UNMATCHED * unmatched.lines:
        return
    known = listing([repr(item) for item in sorted(items)[:EXAMPLES]])
    raise Unsuitable(
        f"{sentence(unmatched)}; items of the data are such as {known}. "
        "Give both files the same ids, or use --allow-unmatched if these lines are meant to be left out."
    )


def sentence(unmatched: Unmatched, *, named: bool = True) -> str:
    """Say how many lines match nothing, with examples, and of which file if it is ``named``."""
    examples = listing([repr(name) for name in unmatched.examples])
    lines = f"{unmatched.unmatched:,} of {unmatched.lines:,} lines"
    return f"{lines}{f' of {Path(unmatched.path).name}' if named else ''} match no item, such as {examples}"


def no_line(system: System, item: str) -> str | None:
    """Why a system that replays a file has no response to that item; None of others, and where the file has a line."""
    source = innermost(system)
    if not isinstance(source, Transcript) or source.items is None or item in source.items:
        return None
    return f"no line with this id in {source.path.name}"


def _unmatched(path: Path, lines: int, names: Sequence[str]) -> Unmatched | None:
    if not names:
        return None
    return Unmatched(str(path), lines, len(names), tuple(dict.fromkeys(names))[:EXAMPLES])


def _ids(path: Path) -> Iterator[str]:
    try:
        yield from (prompt.item for prompt in read_prompts(path))
    except DialevalError:  # the reader of the file says so
        return
