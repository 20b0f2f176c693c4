"""Exports of a study: judgements, and beside them full answers, talks, preferences, settled values, provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dialeval.annotation.desk import is_right
from dialeval.annotation.pace import RATERS, RaterFlags, Timed, beside, paces, timed_answers
from dialeval.annotation.project import Project
from dialeval.annotation.results import counted, judgements_of, preferences_of, settled
from dialeval.annotation.store.plan import Given, Rater, iso
from dialeval.annotation.store.store import Store
from dialeval.data.types import Dialogue, Judgement
from dialeval.data.writing import write
from dialeval.errors import Unsuitable
from dialeval.files.digests import hash_file
from dialeval.files.documents import write_document, write_json_lines
from dialeval.version import __version__


class Exported(NamedTuple):
    """What was written, and where."""

    judgements: int
    raters: int
    left_out: int
    """Answers of raters who were dropped or failed their checks."""
    files: tuple[Path, ...]
    """The judgements first."""


class Beside(NamedTuple):
    """The names of the files beside the judgements."""

    answers: Path
    raters: Path
    talks: Path
    preferences: Path
    settled: Path
    provenance: Path

    @classmethod
    def of(cls, path: Path) -> Beside:
        """For judgements in that file: ``ratings.jsonl`` has ``ratings.answers.jsonl`` beside it."""
        names = ("answers.jsonl", RATERS, "talks.jsonl", "preferences.jsonl", "settled.jsonl")
        return cls(*(beside(path, name) for name in (*names, "provenance.json")))


def export(project: Project, store: Store, path: Path, *, dropped: bool = False) -> Exported:
    """Write the judgements that count, in the format that the file's ending names, and the files beside them.

    It is one consistent look at the store, so it may be taken while raters work. ``dropped`` keeps raters who were
    dropped or failed their checks.
    """
    raters, latest = store.raters(), store.latest_answers()
    kept = counted(project, latest, raters, dropped=dropped)
    judgements = judgements_of(project, kept)
    if not judgements:
        raise Unsuitable(
            f"{project.folder} has no judgements to export: nobody has answered yet, or all who did were dropped."
        )
    others = Beside.of(path)
    write(path, judgements)
    written = [path]
    timed = timed_answers(project, store.revisions(), store.shown_at())
    write_json_lines(others.answers, _answers(project, latest, raters, timed))
    write_json_lines(others.raters, _flags(raters, timed))
    written += [others.answers, others.raters]
    if project.settings.chat is not None:
        write(others.talks, _talks(project, store))
        written.append(others.talks)
    preferences = preferences_of(project, kept)
    if preferences:
        write_json_lines(others.preferences, preferences)
        written.append(others.preferences)
    final = list(settled(project, kept, store.decisions()))
    if final:
        write(others.settled, final)
        written.append(others.settled)
    write_document(others.provenance, _provenance(project, judgements, path))
    written.append(others.provenance)
    rated = [given for given in latest if project.sources[given.item].role == "rating"]
    who = len({judgement.rater for judgement in judgements})
    return Exported(len(judgements), who, len(rated) - len(kept), tuple(written))


def _flags(raters: list[Rater], timed: Mapping[tuple[str, str], Timed]) -> Iterator[RaterFlags]:
    speeds = paces(timed.values())
    for rater in raters:
        pace = speeds.get(rater.name)
        flags = {pace.note.code: pace.note.text} if pace is not None and pace.flagged else {}
        yield RaterFlags(rater.name, "dropped" if rater.dropped else rater.state, flags)


def _answers(
    project: Project, latest: list[Given], raters: list[Rater], timed: Mapping[tuple[str, str], Timed]
) -> Iterator[Mapping[str, object]]:
    """Every rater's latest answer to every item, in full; also those that do not count, and why."""
    out = {rater.name: "dropped" if rater.dropped else rater.state for rater in raters}
    for given in latest:
        source = project.sources[given.item]
        time = timed.get((given.rater, given.item))
        right = is_right(project, given.item, given.answers) if source.gold else None
        yield {
            "item": source.item,
            "system": source.system,
            "systems": source.systems,
            "blind_item": given.item,
            "role": source.role,
            "rater": given.rater,
            "rater_state": out[given.rater],
            "answers": given.answers,
            "seconds": given.seconds,
            "faster_than_reading": None if time is None else time.hurried,
            "at": iso(given.at),
            "revision": given.revision,
            "attempt": given.attempt,
            "right": right,
        }


def _talks(project: Project, store: Store) -> Iterator[Dialogue]:
    """Each talk as a dialogue, the opening included."""
    for (rater, item), turns in store.talks().items():
        source = project.sources[item]
        context = project.items[item].context
        metadata: dict[str, Any] = {"rater": rater, "opening": len(context)}
        yield Dialogue(f"{source.item}/{rater}", (*context, *turns), source.system, metadata)


def _provenance(project: Project, judgements: list[Judgement], path: Path) -> dict[str, object]:
    return {
        "dialeval": __version__,
        "study": project.settings.title,
        "source": project.settings.provenance,
        "seed": project.settings.seed,
        "overlap": project.settings.overlap,
        "asks": project.settings.asks,
        "judgements": len(judgements),
        "raters": sorted({judgement.rater for judgement in judgements}),
        "sha256": {path.name: hash_file(path)},
    }
