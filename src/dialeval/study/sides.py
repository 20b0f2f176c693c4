"""The two sides of a comparison: runs or files of examples, as results that pair item by item."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.catalogue.tasks import TASKS
from dialeval.core import Missing, Resampling, Result
from dialeval.data import Dialogue, Example, Prompt, Response, canonical, read
from dialeval.data.codec.column_names import Columns, ColumnsGiven
from dialeval.data.codec.sources import file_of, split_format
from dialeval.data.prompts import example_of, prompt_of
from dialeval.data.types import UNNAMED
from dialeval.errors import UnknownName, Unsuitable
from dialeval.evaluation.compare import (
    Comparison,
    add_first_look,
    compare_pairs,
    decide_families,
    without_credit,
)
from dialeval.evaluation.compare.pairs import paired_items, shared_items
from dialeval.evaluation.compare.sentences import renamed
from dialeval.evaluation.leaks import Leak, leaks_of
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.evaluation.silence import Unanswered, unanswered_of
from dialeval.files.custom_code import is_place, only_named
from dialeval.stats.tests.multiple import Correction
from dialeval.study.measures import JUDGE, build_measure
from dialeval.text.calls import split_call

DEFAULT_MEASURES = ("bleu(order=4)", "rouge_l")
_OTHERS: Final = 0.5
"""A file that lacks this share of the items, or more, is about others."""


class Key(NamedTuple):
    """Which result: a measure's and a system's."""

    measure: str
    system: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Claim of a comparison of two sides, made before anybody looks."""

    margins: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """By measure, the smallest difference that matters."""
    primary: str | None = None
    """The measure whose comparisons are confirmatory."""
    correction: Correction = "holm"
    spent: float | None = None
    """Bound of p-values if this is one of two looks; None if it is the only one."""
    first: Sequence[Comparison] | None = None
    """Comparisons of a first look at other items; None if this is the first."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison."""

    source: str
    """The run folder or file, without the system that may have been picked from it."""
    results: Mapping[Key, Result]
    prompts: Mapping[str, bytes]
    """Prompt of each item, in canonical form: one id must mean one thing on both sides."""
    resampling: Resampling | None = None
    """Resampling of a run; None for files."""
    statuses: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    """Whether people have checked what each measure of a capability asks, by capability and measure."""
    claim: Claim | None = None
    """Claims of a run's study; None for files."""
    known: Mapping[str, Prompt] = dataclasses.field(default_factory=dict)
    """Contexts and references of a run's items; nothing for files."""
    leaks: tuple[Leak, ...] = ()
    """Systems whose responses equal their references on most items."""
    missing: str = "auto"
    """Rule of a run's study for missing values."""

    @property
    def unanswered(self) -> list[Unanswered]:
        """Systems that left items unanswered."""
        return unanswered_of(self.source, ((key.system, found) for key, found in self.results.items()))

    @property
    def systems(self) -> list[str]:
        """The systems on this side, in order."""
        return list(dict.fromkeys(key.system for key in self.results))

    @property
    def measures(self) -> list[str]:
        """The measures on this side, in order."""
        return list(dict.fromkeys(key.measure for key in self.results))

    def judged_by(self, label: str) -> bool:
        """Whether a language model judges under that label."""
        return any(key.measure == label and r.signature.name == JUDGE for key, r in self.results.items())


def open_sides(
    a: str,
    b: str,
    measures: Sequence[str] | None = None,
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    data: str | None = None,
    allow_unmatched: bool = False,
    code: Sequence[str] = (),
) -> tuple[Side, Side]:
    """Both sides, each a run folder or an example file; ``SOURCE:SYSTEM`` keeps one system of several.

    A file that meets a run is scored by the run's measures, so that no measure is left out silently. ``data`` is a file
    with the contexts and references of files that hold only ids and responses, or lines of text; without it, they are
    those of the other side. ``columns`` are those of ``read``, for both files. Custom code is loaded where an argument
    names it, and never because a run folder does.
    """
    written = (*(measures or ()), format, *(split_format(source).format for source in (a, b, data or "")))
    named = [*code, *(place for place in map(_code_of, written) if place)]
    with only_named(named):
        reading = _Reading(format, Columns.of(columns), data, allow_unmatched, named)
        return _open_sides((_place(a), _place(b)), measures, reading)


class _Reading(NamedTuple):
    """Settings with which sides are read."""

    format: str | None
    columns: Columns | None
    data: str | None
    allow_unmatched: bool
    code: Sequence[str]


def _code_of(name: str | None) -> str | None:
    """The place of custom code that the user writes, such as ``own.py:NAME(weight=2)``; None where it is none."""
    try:
        place = split_call(name or "").name
    except ValueError:
        return None
    return place if is_place(place) else None


def _open_sides(
    places: tuple[_Place, _Place], measures: Sequence[str] | None, reading: _Reading
) -> tuple[Side, Side]:
    data = reading.data
    if data is not None and all(place.path.is_dir() for place in places):
        raise Unsuitable(f"Runs have contexts and references already; leave out {data}, or compare files.")
    runs = {place: _from_run(place, measures, reading.code) for place in places if place.path.is_dir()}
    shared = measures or next((side.measures for side in runs.values()), None)
    prompts = None if data is None else _prompts_of(data)
    files = _Files(reading.format, reading.columns, prompts, reading.allow_unmatched)
    examples = {place: files.examples(place) for place in places if place not in runs}
    known = {item: prompt for side in runs.values() for item, prompt in side.known.items()}
    for given in examples.values():
        known |= _prompts_known(_present(given))
    complete = {place: files.completed(place, given, known) for place, given in examples.items()}
    asked = known if runs else {e.item: prompt_of(e) for given in complete.values() for e in _present(given)}
    first, second = (
        runs[place]
        if place in runs
        else _from_file(place, [*complete[place], *_absent(place, complete[place], asked)], shared)
        for place in places
    )
    return first, second


def _absent(
    place: _Place, examples: Sequence[Example | Missing], asked: Mapping[str, Prompt]
) -> Iterator[Example]:
    """Yield the items that a system of the file has no line for: unanswered, as in a run of the same files.

    A file that lacks half of the items or more is about other items: those are left unpaired.
    """
    lines: dict[str, set[str]] = {}
    for example in examples:
        lines.setdefault(example.system, set()).add(example.item)
    reason = f"no line with this id in {place.path.name}"
    for system, items in lines.items():
        absent = [prompt for item, prompt in asked.items() if item not in items]
        if len(absent) < _OTHERS * len(asked):
            for prompt in absent:
                yield example_of(prompt, system, Response("", missing=reason, cause="silent"))


def compare_sides(a: Side, b: Side, resampling: Resampling, claim: Claim | None = None) -> list[Comparison]:
    """Every measure both sides have, for every pair of systems, with p-values corrected over all of them."""
    claim = claim or Claim()
    _same_prompts(a, b)
    labels = [label for label in a.measures if label in b.measures]
    if not labels:
        raise Unsuitable(f"{a.source} and {b.source} share no measure. Run both with the same measures.")
    compared: list[Comparison] = []
    sides: list[tuple[Result, Result]] = []
    systems = _pairs(a, b)
    pairs = {label: _results(a, b, label, systems) for label in labels}
    for label in labels:
        tests = 1 if label == claim.primary else len(labels) - (claim.primary in labels)
        # A system that failed keeps no other from being compared.
        able = [pair for pair in pairs[label] if shared_items(*pair)]
        found = compare_pairs(
            able,
            resampling,
            margin=claim.margins.get(label),
            tests=tests * len(systems),
            spent=claim.spent,
        )
        compared += [dataclasses.replace(pair, measure=label) for pair in found]
        sides += able
    if not compared:
        for pair in pairs[labels[0]]:
            paired_items(*pair)  # says why not
    raw = compared if claim.first is None else add_first_look(compared, claim.first)
    decided = decide_families(raw, primary=claim.primary, correction=claim.correction)
    if {a.missing, b.missing} != {"auto"}:
        return list(decided)
    return [without_credit(pair, *results) for pair, results in zip(decided, sides, strict=True)]


def _results(a: Side, b: Side, label: str, systems: Sequence[tuple[str, str]]) -> list[tuple[Result, Result]]:
    """The results of these pairs of systems under one measure, those of the same name distinguished by their source."""
    return [
        (
            renamed(a.results[Key(label, x)], _shown(a, x, both=x == y)),
            renamed(b.results[Key(label, y)], _shown(b, y, both=x == y)),
        )
        for x, y in systems
        if Key(label, x) in a.results and Key(label, y) in b.results
    ]


def shared_statuses(a: Side, b: Side) -> dict[str, dict[str, str]]:
    """Whether people have checked what each measure that was compared asks, by capability and measure."""
    asking = [name for name, traits in TASKS.traits.items() if traits.measures]
    return {name: _shared(a.statuses.get(name, {}), b.statuses.get(name, {})) for name in asking}


def _shared(a: Mapping[str, str], b: Mapping[str, str]) -> dict[str, str]:
    return {label: " / ".join(dict.fromkeys((status, b[label]))) for label, status in a.items() if label in b}


def shared_resampling(a: Side, b: Side) -> Resampling:
    """Return the resampling of the runs on both sides, with which they are compared; the defaults for two files."""
    known = [side.resampling for side in (a, b) if side.resampling is not None]
    if len(set(known)) > 1:
        raise Unsuitable(
            f"{a.source} was run with {_told(known[0])} and {b.source} with {_told(known[1])}. Run "
            "both with the same settings, or say how to compare them with --trials, --seed, --level and --cluster."
        )
    return known[0] if known else Resampling()


def shared_claim(a: Side, b: Side) -> Claim:
    """Return the claims of the runs on both sides, as far as they agree and both have the measure."""
    known = [side.claim for side in (a, b) if side.claim is not None]
    if not known:
        return Claim()
    first, last = known[0], known[-1]
    measures = set(a.measures) & set(b.measures)
    agreed = first.primary if first.primary == last.primary else None
    return Claim(
        margins={
            name: margin
            for name, margin in first.margins.items()
            if name in measures and last.margins.get(name) == margin
        },
        primary=agreed if agreed in measures else None,
        correction=first.correction if first.correction == last.correction else "holm",
    )


def _told(resampling: Resampling) -> str:
    return ", ".join(f"{name} {value}" for name, value in resampling.as_json().items())


class _Place(NamedTuple):
    path: Path
    system: str | None


def _place(source: str) -> _Place:
    path, system = Path(source), None
    picked = "#" in source and ":" in source.rpartition("#")[2]  # no sheet has a colon in its name
    if ":" in source and not path.exists() and (picked or not file_of(path).exists()):
        name, _, system = source.rpartition(":")
        path = Path(name)
    return _Place(path, system)


def _from_run(place: _Place, measures: Sequence[str] | None, code: Sequence[str]) -> Side:
    from dialeval.study.loading import load_run

    run = load_run(place.path, code=code)
    results = {Key(scored.measure.label, scored.system): scored.result for scored in run.scored}
    known = list(dict.fromkeys(key.measure for key in results))
    wanted = [name if name in known else build_measure(name).label for name in measures or known]
    for name in wanted:
        if name not in known:
            raise UnknownName(f"measure in {place.path}", name, known, todo=f"It has: {', '.join(known)}.")
    kept = {key: result for key, result in results.items() if key.measure in wanted}
    prompts = {**_prompts(run.examples), **run.asked}
    statuses = {
        name: {label: status for label, status in known.items() if label in wanted}
        for name, known in run.statuses.items()
    }
    claim = Claim(margins=run.margins, primary=run.primary, correction=run.correction)
    asked = _prompts_known(run.examples)
    side = Side(
        str(place.path), kept, prompts, run.resampling, statuses, claim, asked, run.leaks, run.missing
    )
    return _picked(side, place)


class _Files(NamedTuple):
    """Settings with which files of responses are read."""

    format: str | None
    columns: Columns | None
    data: Sequence[Prompt] | None
    """Contexts and references that the files need not have; None where nobody names them."""
    allow_unmatched: bool

    def examples(self, place: _Place) -> Sequence[Example | Missing]:
        """The responses in a file, beside the contexts and references of the data where these are given."""
        if self.data is None:
            return list(read(place.path, "example", format=self.format, columns=self.columns))
        return self._beside(place, self.data, allowed=self.allow_unmatched)

    def completed(
        self, place: _Place, examples: Sequence[Example | Missing], known: Mapping[str, Prompt]
    ) -> Sequence[Example | Missing]:
        """The examples; where they have neither contexts nor references, beside those known from the other side."""
        bare = not any(isinstance(e, Missing) or e.context or e.references for e in examples)
        return self._beside(place, list(known.values()), allowed=True) if bare and known else examples

    def _beside(
        self, place: _Place, prompts: Sequence[Prompt], *, allowed: bool
    ) -> Sequence[Example | Missing]:
        from dialeval.study.answers import recorded_examples

        return recorded_examples(
            place.path,
            prompts,
            format=self.format,
            columns=self.columns,
            system=place.system,
            allow_unmatched=allowed,
        )


def _from_file(place: _Place, examples: Sequence[Example | Missing], measures: Sequence[str] | None) -> Side:
    built = [build_measure(name) for name in measures or DEFAULT_MEASURES]
    asking = [measure.label for measure in built if measure.capability]
    if asking:
        warnings.warn(
            f"{', '.join(asking)}: left out, since {place.path} holds responses to prompts only", stacklevel=2
        )
    metrics = {measure.label: measure.metric for measure in built if measure.capability is None}
    results = evaluate(metrics, examples, Plan(resampling=Resampling(resamples=0)))
    kept = {Key(*key): result for key, result in results.items()}
    present = _present(examples)
    return _picked(Side(str(place.path), kept, _prompts(present), leaks=leaks_of(present)), place)


def _present(examples: Iterable[Example | Missing]) -> list[Example]:
    return [example for example in examples if isinstance(example, Example)]


def _picked(side: Side, place: _Place) -> Side:
    if place.system is None:
        return side
    if place.system not in side.systems:
        todo = f"It has: {', '.join(side.systems)}."
        raise UnknownName(f"system in {side.source}", place.system, side.systems, todo=todo)
    kept = {key: result for key, result in side.results.items() if key.system == place.system}
    leaks = tuple(leak for leak in side.leaks if leak.system == place.system)
    return dataclasses.replace(side, results=kept, leaks=leaks)


def _prompts_of(data: str) -> list[Prompt]:
    from dialeval.data import read_prompts

    return list(read_prompts(data))


def _prompts_known(examples: Sequence[Example]) -> Mapping[str, Prompt]:
    """Prompts of the items whose context or references the examples have."""
    return {
        e.item: prompt_of(e) for e in examples if e.context or e.references or e.knowledge or e.assertions
    }


def _prompts(examples: Iterable[Example]) -> dict[str, bytes]:
    return {e.item: canonical(prompt_of(e)) for e in examples}


def _same_prompts(a: Side, b: Side) -> None:
    differ = [item for item, asked in a.prompts.items() if b.prompts.get(item, asked) != asked]
    if differ and differ[0].startswith("talks "):
        raise Unsuitable(
            f"{a.source} and {b.source} are talks with different simulated users or seeds, so their differences may be "
            f"the users'. 'dialeval talks survive {a.source} {b.source}' compares the systems under both users."
        )
    if differ:
        raise Unsuitable(
            f"Items ({len(differ)}) have other contexts or references in {b.source} than in {a.source} (first: "
            f"{differ[0]!r}), so they cannot be paired. Run both on the same data, or give items distinct ids."
        )


def _pairs(a: Side, b: Side) -> list[tuple[str, str]]:
    if len(a.systems) == len(b.systems) == 1:
        pairs = [(a.systems[0], b.systems[0])]
    else:
        pairs = [(name, name) for name in a.systems if name in b.systems]
    if a.source == b.source and a.systems == b.systems and len(a.systems) == 1:
        raise Unsuitable(
            f"Found {a.systems[0]} of {a.source} on both sides, expected two different systems. Give another file or "
            "another system of this one, as FILE:SYSTEM."
        )
    if not pairs or (a.source == b.source and any(x == y for x, y in pairs)):
        raise Unsuitable(
            f"{a.source} has {', '.join(a.systems)}; {b.source} has {', '.join(b.systems)}. "
            f"Say which two to compare, as in {a.source}:{a.systems[0]} {b.source}:{b.systems[-1]}."
        )
    return pairs


def _shown(side: Side, system: str, *, both: bool) -> str:
    """A system's name, after its source where both sides have it; the source alone where the file does not name it."""
    if system == UNNAMED:
        return side.source
    return f"{side.source}:{system}" if both else system


def read_answers(
    a: str,
    b: str,
    *,
    dialogues: bool = False,
    format: str | None = None,
    columns: ColumnsGiven = None,
    data: str | None = None,
    allow_unmatched: bool = False,
    code: Sequence[str] = (),
) -> dict[str, list[Example | Dialogue]]:
    """The answers of two systems, each in a run folder or a file, by system; arguments as of `open_sides`."""
    places = (_place(a), _place(b))
    prompts = None if data is None else _prompts_of(data)
    with only_named(code):
        files = _Files(format, Columns.of(columns), prompts, allow_unmatched)
        given = [_answers_in(place, files, dialogues=dialogues, code=code) for place in places]
    known: dict[str, Prompt] = {}
    for examples in given:
        known |= _prompts_known([each for each in examples if isinstance(each, Example)])
    found: dict[str, list[Example | Dialogue]] = {}
    for place, answers in zip(places, given, strict=True):
        whole: Sequence[Example | Dialogue | Missing] = answers
        if not dialogues and not place.path.is_dir():
            whole = files.completed(place, [e for e in answers if not isinstance(e, Dialogue)], known)
        present = [each for each in whole if isinstance(each, Example | Dialogue)]
        systems = list(dict.fromkeys(each.system for each in present))
        system = place.system if place.system is not None else systems[0] if len(systems) == 1 else None
        if system is None or system not in systems:
            listed = ", ".join(systems) or "none"
            raise Unsuitable(
                f"{place.path} has answers of these systems: {listed}. Pick one, as in {place.path}:SYSTEM."
            )
        name = str(place.path) if system == UNNAMED or not system else system
        if name in found and places[0].path == places[1].path:
            raise Unsuitable(f"Found {name} of {place.path} on both sides, expected two different systems.")
        name = f"{place.path}:{system}" if name in found else name
        found[name] = [dataclasses.replace(each, system=name) for each in present if each.system == system]
    return found


def _answers_in(
    place: _Place, files: _Files, *, dialogues: bool, code: Sequence[str]
) -> Sequence[Example | Dialogue | Missing]:
    if dialogues:
        if place.path.is_dir():
            raise Unsuitable(
                f"{place.path} is a run, expected a file of whole dialogues, as level='dialogue' says."
            )
        return list(read(place.path, "dialogue", format=files.format, columns=files.columns))
    if place.path.is_dir():
        from dialeval.study.loading import load_run

        return list(load_run(place.path, code=code).examples)
    return files.examples(place)
