"""Results of a study: answers as judgements, and their export with full answers, talks, preferences and provenance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from dialeval.annotation.desk import is_right
from dialeval.annotation.items import BRIEFING
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Preferring
from dialeval.annotation.pace import RATERS, FirstAnswer, RaterFlags, beside, paces, timed_answers
from dialeval.annotation.project import Project
from dialeval.annotation.scales import PROVENANCE
from dialeval.annotation.store.plan import Given, Rater, iso
from dialeval.annotation.store.store import Store
from dialeval.data.types import Dialogue, Judgement
from dialeval.data.writer import write
from dialeval.errors import Unsuitable
from dialeval.files.digests import hash_file
from dialeval.files.documents import write_document, write_json_lines
from dialeval.ratings.preferences import Preference
from dialeval.version import __version__


class Dispute(NamedTuple):
    """The answers to one question about one item."""

    item: str
    """The blind item."""
    criterion: str
    answers: tuple[dict[str, Any], ...]
    agreement: float
    """Share of agreeing pairs of answers; 1 if there is one answer."""


def counted(
    project: Project, answers: Iterable[Given], raters: Iterable[Rater], *, dropped: bool = False
) -> list[Given]:
    """The answers that count: about items to rate, by raters who were not dropped and not stopped by checks."""
    out = {rater.name for rater in raters if rater.dropped or rater.state == "failed_checks"}
    return [
        given
        for given in answers
        if project.sources[given.item].role == "rating" and (dropped or given.rater not in out)
    ]


def judgements_of(project: Project, answers: Iterable[Given]) -> list[Judgement]:
    """The judgements that answers give.

    A rater who met one system's answer to one item in several comparisons gets their mean, as one judgement.
    """
    rows: dict[tuple[str, str, str, str], list[Judgement]] = {}
    for given in answers:
        source = project.sources[given.item]
        for criterion, answer in given.answers.items():
            ask = project.asks.get(criterion)
            if ask is None:
                continue
            for judgement in KINDS[ask.kind].judgements(ask, source, given.rater, answer):
                key = (judgement.item, judgement.system, judgement.rater, judgement.criterion)
                rows.setdefault(key, []).append(judgement)
    return [_mean(group) for group in rows.values()]


def _mean(group: list[Judgement]) -> Judgement:
    first = group[0]
    values = [judgement.value for judgement in group if judgement.value is not None]
    if len(group) == 1 or not values:
        return first
    value = sum(values) / len(values)
    return Judgement(first.item, first.system, first.rater, first.criterion, value)


def preferences_of(project: Project, answers: Iterable[Given]) -> list[Preference]:
    """Which of two systems was preferred, from the kinds that say so."""
    found: list[Preference] = []
    for given in answers:
        for criterion, answer in given.answers.items():
            ask = project.asks.get(criterion)
            kind: object = KINDS[ask.kind] if ask else None
            if ask is not None and isinstance(kind, Preferring):
                found += kind.preferences(ask, project.sources[given.item], given.rater, answer)
    return found


def disputes(project: Project, answers: Iterable[Given]) -> list[Dispute]:
    """Questions on which raters differ, those of the lowest agreement first; then those with most answers."""
    found = [dispute for dispute in _questions(project, answers) if dispute.agreement < 1]
    return sorted(found, key=lambda dispute: (dispute.agreement, -len(dispute.answers), dispute.item))


def settled(
    project: Project,
    answers: Collection[Given],
    decisions: dict[tuple[str, str], tuple[dict[str, Any], str]],
) -> Iterator[Judgement]:
    """One judgement for each question that all raters answered alike or the owner decided.

    Its rater is ``unanimous`` or ``adjudicated``, which is where it comes from.
    """
    for question in _questions(project, answers):
        decided = decisions.get((question.item, question.criterion))
        if decided is None and (question.agreement < 1 or len(question.answers) < 2):
            continue
        ask = project.asks[question.criterion]
        who, answer = ("unanimous", question.answers[0]) if decided is None else ("adjudicated", decided[0])
        yield from KINDS[ask.kind].judgements(ask, project.sources[question.item], who, answer)


def _questions(project: Project, answers: Iterable[Given]) -> Iterator[Dispute]:
    asked: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for given in answers:
        for criterion, answer in given.answers.items():
            if criterion in project.asks and project.asks[criterion].kind != "comment":
                asked.setdefault((given.item, criterion), []).append(answer)
    for (item, criterion), group in asked.items():
        pairs = [one == other for one, other in combinations(group, 2)]
        agreement = sum(pairs) / len(pairs) if pairs else 1.0
        yield Dispute(item, criterion, tuple(group), agreement)


class Export(NamedTuple):
    """Counts and files of an export."""

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
        return cls(*(beside(path, name) for name in (*names, PROVENANCE)))


def export(project: Project, store: Store, path: Path, *, dropped: bool = False) -> Export:
    """Write the judgements that count, in the format that the file's ending names, and the files beside them.

    It is one consistent look at the store, so it may be taken while raters work. ``dropped`` keeps raters who were
    dropped or failed their checks. Only their owner can read the files.
    """
    raters, latest = store.raters(), store.latest_answers()
    kept = counted(project, latest, raters, dropped=dropped)
    judgements = judgements_of(project, kept)
    if not judgements:
        raise Unsuitable(
            f"{project.folder} has no judgements to export: nobody has answered yet, or all who did were dropped."
        )
    others = Beside.of(path)
    write(path, judgements, private=True)
    written = [path]
    timed = timed_answers(project, store.revisions(), store.shown_at())
    write_json_lines(others.answers, _answers(project, latest, raters, timed), private=True)
    write_json_lines(others.raters, _flags(raters, timed), private=True)
    written += [others.answers, others.raters]
    if project.settings.chat is not None:
        write(others.talks, _talks(project, store), private=True)
        written.append(others.talks)
    preferences = preferences_of(project, kept)
    if preferences:
        write_json_lines(others.preferences, preferences, private=True)
        written.append(others.preferences)
    final = list(settled(project, kept, store.decisions()))
    if final:
        write(others.settled, final, private=True)
        written.append(others.settled)
    write_document(others.provenance, _provenance(project, judgements, path), private=True)
    written.append(others.provenance)
    rated = [given for given in latest if project.sources[given.item].role == "rating"]
    who = len({judgement.rater for judgement in judgements})
    return Export(len(judgements), who, len(rated) - len(kept), tuple(written))


def _flags(raters: list[Rater], timed: Mapping[tuple[str, str], FirstAnswer]) -> Iterator[RaterFlags]:
    speeds = paces(timed.values())
    for rater in raters:
        pace = speeds.get(rater.name)
        flags = {pace.note.code: pace.note.text} if pace is not None and pace.flagged else {}
        yield RaterFlags(rater.name, "dropped" if rater.dropped else rater.state, flags)


def _answers(
    project: Project, latest: list[Given], raters: list[Rater], timed: Mapping[tuple[str, str], FirstAnswer]
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
        shown = project.items[item].context
        context = tuple(turn for turn in shown if turn.speaker != BRIEFING)
        metadata: dict[str, Any] = {"rater": rater, "opening": len(context)}
        if len(context) < len(shown):
            metadata |= {"scenario": source.item, "user": rater, "end": "user"}
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
