"""``study.yaml``: its shape, its checks, and the path to every bad value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import yaml

from dialeval.catalogue.building import build_system, keys_of, make_system
from dialeval.catalogue.systems import SYSTEMS
from dialeval.catalogue.tasks import KINDS, TASKS
from dialeval.core import CacheRule, Resampling, System
from dialeval.data import FORMATS
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.sources import beside, file_of
from dialeval.data.prompts import Turns
from dialeval.engine import EngineSettings
from dialeval.errors import BadStudy, DialevalError, UnknownName, Unsuitable
from dialeval.evaluation.measure import Located, Measure, can_answer
from dialeval.evaluation.silence import SilenceRule
from dialeval.files.custom_code import is_place
from dialeval.files.digests import hash_file
from dialeval.files.folders import is_there
from dialeval.ratings.checks import Repeats
from dialeval.stats.tests.multiple import Correction
from dialeval.study.document import MissingRule
from dialeval.study.gates import Gate, build_claims, build_gates
from dialeval.study.judged_pairs import KEY, PairsPlan, build_pairs
from dialeval.study.measures import build_measure
from dialeval.study.missing import silence_of
from dialeval.study.schema import HumanFile, check_shape, parse_yaml, read_text
from dialeval.systems.custom import custom_place, make_custom_system
from dialeval.systems.spending import Budget
from dialeval.systems.transcript import Transcript
from dialeval.text.blank import is_blank
from dialeval.text.calls import construct

if TYPE_CHECKING:
    from dialeval.judge.metric import Judge
    from dialeval.ratings import RatingScale
    from dialeval.talks.measure import TalkPlan


@dataclass(frozen=True, slots=True)
class HumanRatings:
    """Where a study's human ratings are, and on which criterion the measures are compared with them."""

    path: Path
    criterion: str | None = None
    """None where the ratings have only one."""
    format: str | None = None
    """None where the file's suffix tells."""
    repeats: Repeats | None = None
    """Judgement that counts if one rater judged an answer twice; None if that is an error."""
    scale: RatingScale | None = None
    """Values that raters could choose from; None if nobody said, and no export beside the file does."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study ready to run: every name resolved, every path absolute."""

    name: str
    path: Path
    digest: str
    """SHA-256 of the file; of a study without one, of its text."""
    text: str
    """The file as it was read, kept in the run folder."""
    data: Path
    systems: tuple[System, ...]
    kinds: tuple[str, ...]
    """The kind of each system, beside ``systems``."""
    measures: tuple[Measure, ...]
    human: HumanRatings | None = None
    gates: tuple[Gate, ...] = ()
    resampling: Resampling = field(default_factory=Resampling)
    limit: int | None = None
    allow_unmatched: bool = False
    """Whether most lines of a file may match no item; a choice of the command line."""
    missing: MissingRule = "auto"
    references: tuple[Path, ...] = ()
    """Files of references beside those that the data has."""
    turns: Turns = "last"
    """Which of the assistant's turns of a dialogue in the data are items."""
    primary: str | None = None
    """The measure that decides, declared before anybody looked; None where none was."""
    correction: Correction = "holm"
    margins: Mapping[str, float] = field(default_factory=dict)
    """The smallest difference that matters, by measure."""
    engine: EngineSettings | None = None
    """Where batches run; None where the command line says it."""
    caches: Mapping[str, CacheRule] = field(default_factory=dict)
    """Rules for cached answers, of systems for which the study states one."""
    columns: Columns | None = None
    """Columns of the data that stand for fields; None if their names tell."""
    allow_unanswered: float = 0.0
    """Share of the items that a system may leave unanswered and still pass a gate."""
    budget: Budget | None = None
    """The most that a run may spend on all servers and judges together; None sets no limit."""
    gold: tuple[str, ...] = ()
    """Systems whose responses are meant to equal the references."""
    talks: TalkPlan | None = None
    """Talks with a simulated user, which all measures of responses and dialogues are about; None if there are none."""
    pairs: PairsPlan | None = None
    """Who judges the systems' answers pair by pair; None if nobody does."""

    @property
    def silence(self) -> SilenceRule:
        """Value of an unanswered item, which the study's own rule for missing values says of all of them."""
        return silence_of(self.missing)


def load_study(path: str | Path) -> Study:
    """The study in ``path``; BadStudy lists every problem at once, each with the path to the bad value."""
    path = Path(path)
    text = read_text(path)
    return _study_of(parse_yaml(path, text), path, text, hash_file(path))


def compose_study(content: Mapping[str, object], path: str | Path = "study.yaml") -> Study:
    """Return the study with these keys and values, as if they stood in a file at ``path``."""
    text = yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True)
    return _study_of(content, Path(path), text, sha256(text.encode()).hexdigest())


def _study_of(content: Mapping[str, object], path: Path, text: str, digest: str) -> Study:
    content = _with_scenarios_as_data(content)
    file = check_shape(content)
    problems = file if isinstance(file, list) else []
    listed = _with_siblings(_listed(content, "systems"))
    odd = [index for index, given in enumerate(listed) if isinstance(given, dict) and not _has_kind(given)]
    systems = [
        _build_system(index, given, path.parent, problems, hint=index in odd[:1])
        for index, given in enumerate(listed)
    ]
    measures = [
        _build_measure(index, given, path.parent, problems)
        for index, given in enumerate(_listed(content, "measures"))
    ]
    built = [system for system in systems if system is not None]
    known = _distinct([measure for measure in measures if measure is not None])
    talks = None
    if not isinstance(file, list) and file.talks is not None:
        from dialeval.study.talks import build_talks, on_plan

        talks = build_talks(file.talks, path.parent, file.seed, problems)
        if talks is not None:
            first = _first_of_answers(known)
            known = [on_plan(measure, talks, leads=n == first) for n, measure in enumerate(known)]
    elif built and all(_kind(given) == "dialogues" for given in _listed(content, "systems")):
        from dialeval.study.talks import on_recorded

        first = _first_of_answers(known)
        known = [on_recorded(measure, built, leads=n == first) for n, measure in enumerate(known)]
    problems += _repeats("systems", "name", [system.name for system in built])
    problems += _repeats("measures", "measure", [measure.label for measure in known])
    problems += _idle(built, known)
    problems += _own_judges(built, known)
    problems += _strange_gold(content, [system.name for system in built])
    pairs = build_pairs(content.get(KEY), [system.name for system in built], path.parent, problems)
    problems += _own_pairs_judge(built, pairs)
    primary, margins = build_claims(content, known, problems)
    gates = build_gates(
        _listed(content, "gates"), built, known, margins, problems, rated=bool(content.get("human"))
    )
    data, columns = _build_data(content.get("data", "."), path.parent, problems)
    built = [_with_columns(system, data, columns) for system in built]
    references = [beside(path.parent, Path(given)) for given in _strings(content, "references")]
    missing = [given for given in references if not is_there(file_of(given))]
    problems += [f"references: no such file: {given}" for given in missing]
    human = None if isinstance(file, list) else _build_human(file.human, path.parent, problems)
    problems += _rated_twice(built) if human else []
    if problems or isinstance(file, list):
        raise BadStudy(str(path), problems)
    return Study(
        name=file.name or path.stem,
        path=path,
        digest=digest,
        text=text,
        data=data,
        systems=tuple(built),
        kinds=tuple(_kind(given) for given in file.systems),
        measures=tuple(known),
        human=human,
        gates=tuple(gates),
        resampling=Resampling.of_json(file.model_dump()),
        limit=file.limit,
        missing=file.missing,
        references=tuple(references),
        turns=file.turns,
        primary=primary,
        correction=file.correction,
        margins=margins,
        engine=file.engine.settings if file.engine else None,
        caches={
            system.name: rule
            for system, given in zip(built, listed, strict=True)
            if (rule := _cache_rule(given)) is not None
        },
        columns=columns,
        allow_unanswered=file.allow_unanswered,
        budget=file.budget.settings if file.budget else None,
        gold=tuple(file.gold),
        talks=talks,
        pairs=pairs,
    )


def _first_of_answers(measures: Sequence[Measure]) -> int | None:
    """Place of the first measure that judges answers, or the dialogues in their place."""
    return next((place for place, measure in enumerate(measures) if measure.capability is None), None)


def _with_scenarios_as_data(content: Mapping[str, object]) -> Mapping[str, object]:
    """Return the keys of a study; of one of talks without ``data``, the scenarios are the data."""
    talks = content.get("talks")
    scenarios = talks.get("scenarios") if isinstance(talks, Mapping) else None
    if isinstance(scenarios, str) and "data" not in content:
        return {"data": scenarios, **content}
    return content


def _listed(content: Mapping[str, object], key: str) -> list[Any]:
    """The entries under ``key`` that can be checked, even where other keys are wrong."""
    entries = content.get(key)
    return [entry for entry in entries if isinstance(entry, str | dict)] if isinstance(entries, list) else []


def _strings(content: Mapping[str, object], key: str) -> list[str]:
    given = content.get(key)
    return [given] if isinstance(given, str) else [str(entry) for entry in _listed(content, key)]


def _with_siblings(listed: Sequence[Any]) -> list[Any]:
    """The systems; a filter around another system of the study, which it names, has the keys of that one.

    A rule for cached answers that the other one states holds for the filter, too, unless it states its own.
    """
    known = {
        given["name"]: given
        for given in listed
        if isinstance(given, dict) and isinstance(given.get("name"), str) and given.get("kind") != "filtered"
    }
    return [_with_sibling(given, known) for given in listed]


def _with_sibling(given: Any, known: Mapping[str, Mapping[str, Any]]) -> Any:
    named = given.get("system") if isinstance(given, dict) and given.get("kind") == "filtered" else None
    if not isinstance(named, str) or named not in known:
        return given
    inner = known[named]
    rule = _cache_rule(inner)
    left = ("name",) if rule is None else ("name", "cache")
    keys = {key: value for key, value in inner.items() if key not in left}
    return {**({} if rule is None else {"cache": rule}), **given, "system": keys}


def _has_kind(given: Mapping[str, object]) -> bool:
    kind = given.get("kind")
    return isinstance(kind, str) and (kind in KINDS or custom_place(kind) is not None)


def _build_system(
    index: int, given: object, folder: Path, problems: list[str], *, hint: bool
) -> System | None:
    """The system, or None and what is wrong with it; with ``hint``, also which kinds there are."""
    where = f"systems[{index}]"
    if isinstance(given, str):
        return _named(given, folder, where, problems)
    if not isinstance(given, dict):
        return None
    kind = given.get("kind")
    ours = ("kind", "cache") if _cache_rule(given) or given.get("cache") is None else ("kind",)
    if str(given.get("cache")).lower() in _NO_FOLDERS and _cache_rule(given) is None and "cache" not in ours:
        problems.append(
            f"{where}.cache: found {given['cache']!r}, expected none, run or keep, or a folder (./{given['cache']})"
        )
        return None
    options = {key: value for key, value in given.items() if key not in ours}
    if isinstance(kind, str) and kind not in KINDS and (place := custom_place(kind)) is not None:
        try:
            return make_custom_system(place, options, folder=folder)
        except DialevalError as error:
            problems.append(f"{where}: {error}")
            return None
    if not isinstance(kind, str) or kind not in KINDS:
        problem = "required" if kind is None else str(UnknownName("kind of system", str(kind), KINDS))
        known = f"; known kinds: {', '.join(KINDS)}, or your own, as file.py:NAME"
        problems.append(f"{where}.kind: {problem}{known if hint else ''}")
        return None
    if isinstance(options.get("name"), str) and is_blank(options["name"]):
        problems.append(f"{where}.name: found {options['name']!r}, expected a name: results are kept by it")
        return None
    if "cache" in options and "cache" not in keys_of(KINDS[kind]):
        problems.append(f"{where}.cache: found {options.pop('cache')!r}, expected none, run or keep")
    made = make_system(kind, options, folder=folder, kinds=KINDS)
    if isinstance(made, list):
        problems += [f"{where}.{problem}" if problem.key else f"{where}: {problem}" for problem in made]
        return None
    return made.located(folder) if isinstance(made, Located) else made


def _named(given: str, folder: Path, where: str, problems: list[str]) -> System | None:
    try:
        return named_system(given, folder=folder)
    except DialevalError as error:
        problems.append(f"{where}: {error}")
        return None


def named_system(text: str, *, folder: Path | None = None) -> System:
    """Return the system that a line of text names: ``STUDY.yaml:NAME``, or as `build_system` knows it."""
    path, colon, name = text.rpartition(":")
    if colon and path.endswith((".yaml", ".yml")):
        systems = {system.name: system for system in load_study((folder or Path()) / path).systems}
        if name not in systems:
            raise UnknownName(f"system in {path}", name, systems, todo=f"There are {', '.join(systems)}.")
        return systems[name]
    kind = text.partition("(")[0].strip()
    if kind in KINDS and kind not in SYSTEMS:
        return construct(text, {kind: KINDS[kind]}, kind="system")
    return build_system(text, folder=folder)


_NO_FOLDERS: Final = frozenset(
    ("none", "run", "keep", "no", "never", "off", "false", "yes", "always", "on", "true")
)
"""Words under ``cache`` that hardly mean a folder."""


def _kind(given: str | Mapping[str, object]) -> str:
    """The kind of a system, as a study writes it; of one that a line of text names, that line."""
    return given if isinstance(given, str) else str(given.get("kind"))


def _cache_rule(given: str | Mapping[str, object]) -> CacheRule | None:
    """The rule for cached answers that a system's keys state; any other ``cache`` is a folder, if the kind has one."""
    stated = None if isinstance(given, str) else given.get("cache")
    return next((rule for rule in get_args(CacheRule) if rule == stated), None)


def _build_data(given: object, folder: Path, problems: list[str]) -> tuple[Path, Columns | None]:
    held: Mapping[str, Any] = given if isinstance(given, dict) else {"path": given}
    data = beside(folder, Path(str(held.get("path", "."))))
    if not is_there(file_of(data)):
        problems.append(f"data: no such file: {data}")
    try:
        return data, Columns.of(held.get("columns"))
    except (DialevalError, AttributeError, TypeError) as error:  # the shape of the keys is checked elsewhere
        problems += [f"data.{error}"] if isinstance(error, DialevalError) else []
        return data, None


def _with_columns(system: System, data: Path, columns: Columns | None) -> System:
    """The system; responses that are recorded in the data's own file have its columns, unless they name others.

    Of the systems that have a column each, a transcript without ``system`` is the one of its own name.
    """
    own = isinstance(system, Transcript) and not system.paths and system.columns is None
    if (
        columns is None
        or not isinstance(system, Transcript)
        or not own
        or system.path.resolve() != data.resolve()
    ):
        return system
    whose = system.system or (system.name if system.name in columns.systems else None)
    return replace(system, columns=str(columns), system=whose)


def _idle(systems: Sequence[System], measures: Sequence[Measure]) -> list[str]:
    """A line for each system that no measure of the study is for: it answers no prompts, and nothing else is asked."""
    idle = (
        [] if any(measure.capability for measure in measures) else [s for s in systems if not can_answer(s)]
    )
    if not idle or not measures:
        return []
    hints = " or ".join(capability.hint for capability in TASKS.values() if capability.measures)
    return [
        f"systems: {system.name} answers no prompts, and no measure asks anything else of it; add one such as {hints}"
        for system in idle
    ]


def _own_judges(systems: Sequence[System], measures: Sequence[Measure]) -> list[str]:
    """A line for each judge that is the model of a system under test, unless the study says that it is meant."""
    asking = [measure for measure in measures if measure.metric.asks or measure.asking is not None]
    if not asking:
        return []
    from dialeval.judge.record import inquiries

    return [
        line
        for measure in asking
        for asked in inquiries(measure.label, (measure.metric, measure.asking), [])[:1]
        for line in _its_own_judge(f"measures: {measure.label}", asked.judge, systems)
    ]


def _own_pairs_judge(systems: Sequence[System], pairs: PairsPlan | None) -> list[str]:
    """The same of the judge of pairs."""
    return (
        []
        if pairs is None
        else _its_own_judge(f"{KEY}: {', '.join(pairs.judge.models)}", pairs.judge, systems)
    )


def _its_own_judge(where: str, judge: Judge, systems: Sequence[System]) -> list[str]:
    from dialeval.judge.metric import names_of

    own = set() if judge.own_judge else set().union(*map(names_of, judge.models))
    named = [(system, getattr(system, "model", None)) for system in systems]
    return [
        f"{where} would judge its own answers, as {system.name} is the same model ({model}); choose another judge, "
        "or, if it is meant, give it 'own_judge: true'"
        for system, model in named
        if isinstance(model, str) and names_of(model) & own
    ]


def _strange_gold(content: Mapping[str, object], systems: Sequence[str]) -> list[str]:
    """A line for each system under ``gold`` that the study does not have."""
    strange = [name for name in _strings(content, "gold") if name not in systems]
    return [f"gold: {UnknownName('system in this study', name, systems)}" for name in strange]


def _build_measure(
    index: int, given: str | Mapping[str, Any], folder: Path, problems: list[str]
) -> Measure | None:
    where = f"measures[{index}]"
    if isinstance(given, str):
        name, options = given, {}
    elif isinstance(given.get("name"), str):
        name, options = given["name"], {key: value for key, value in given.items() if key != "name"}
    else:
        problems.append(f"{where}.name: required")
        return None
    try:
        measure = build_measure(name, options, folder=folder)
    except (DialevalError, ValueError) as error:
        problems.append(f"{where}: {error}")
        return None
    for option, file in measure.inputs.items():
        if file is None:
            problems.append(f"{where}.{option}: required: a file of {option}")
        elif not is_there(file_of(file)):
            problems.append(f"{where}.{option}: no such file: {file}")
    return measure


def _distinct(measures: Sequence[Measure]) -> list[Measure]:
    """The measures; those that ask the same of different files have the file in their label."""
    labels = Counter(measure.label for measure in measures)
    return [
        replace(measure, label=measure.full_label)
        if labels[measure.label] > 1 and measure.full_label
        else measure
        for measure in measures
    ]


def _build_human(given: HumanFile | None, folder: Path, problems: list[str]) -> HumanRatings | None:
    if given is None:
        return None
    path = beside(folder, Path(given.path))
    if not is_there(file_of(path)):
        problems.append(f"human.path: no such file: {path}")
    if given.format is not None and given.format not in FORMATS and not is_place(given.format):
        todo = f"known: {', '.join(FORMATS)}"
        problems.append(f"human.format: {UnknownName('format', given.format, FORMATS, todo=todo)}")
    scale = None
    if given.scale is not None:
        from dialeval.ratings import RatingScale

        try:
            scale = RatingScale.parse(given.scale)
        except Unsuitable as error:
            problems.append(f"human.scale: {error}")
    return HumanRatings(path, given.criterion, given.format, given.repeats, scale)


def _rated_twice(systems: Sequence[System]) -> list[str]:
    """A line for each system with several runs in a study with human ratings, which are about single answers."""
    return [
        f"human: people rated single answers, and {system.name} has {len(system.runs)} runs; give it the file that was "
        "rated, as 'path'"
        for system in systems
        if isinstance(system, Transcript) and len(system.runs) > 1
    ]


def _repeats(where: str, what: str, names: list[str]) -> list[str]:
    return [
        f"{where}: the {what} {name!r} occurs {names.count(name)} times"
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
