"""The key ``talks`` of a study: scenarios, the simulated user, and how often each scenario is played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from dialeval.catalogue.building import build_system, make_system
from dialeval.catalogue.systems import SYSTEMS
from dialeval.catalogue.tasks import TASKS
from dialeval.consistency.detecting.recorded import RecordedDialogues
from dialeval.core import Generator, System
from dialeval.data import Dialogue, read
from dialeval.data.codec.sources import beside, file_of
from dialeval.errors import BadInput, DialevalError, UnknownName, Unsuitable, first_line
from dialeval.evaluation.answers import ANSWERED_AT_ONCE
from dialeval.evaluation.measure import Measure, Respondent, Subjects, Tools
from dialeval.files.digests import hash_file
from dialeval.files.folders import is_there
from dialeval.files.foreign import load_yaml
from dialeval.study.schema import TalksFile
from dialeval.systems.custom import custom_place, make_custom_system
from dialeval.talks.measure import TalkMeasure, TalkPlan, scenarios_of
from dialeval.talks.outcome import scenario_of
from dialeval.talks.review import Reviewer
from dialeval.talks.scenarios import read_scenarios
from dialeval.talks.turns import on_talks
from dialeval.talks.users import GraphUser, ModelUser, ReplayedUser, SimulatedUser, State, user_turns


def build_talks(given: TalksFile, folder: Path, seed: int, problems: list[str]) -> TalkPlan | None:
    """Return the plan of the talks, or None and what is wrong with it."""
    path = beside(folder, Path(given.scenarios))
    if not is_there(file_of(path)):
        problems.append(f"talks.scenarios: no such file: {path}")
        return None
    try:
        scenarios = read_scenarios(path).scenarios
        user = build_user(given.user, folder)
        reviewer = (
            None if given.reviewer is None else Reviewer(_generator(given.reviewer, folder, "reviewer"))
        )
    except DialevalError as error:
        problems.append(f"talks: {error}")
        return None
    return TalkPlan(scenarios, path, user, given.repeats, seed, folder, reviewer)


def build_user(given: Mapping[str, Any], folder: Path) -> SimulatedUser:
    """Return the simulated user that a study describes: by ``graph``, by ``replay``, or a system that plays it."""
    ways = [key for key in ("graph", "replay") if key in given]
    strange = [key for key in given if key not in (*ways[:1], "name")] if ways else []
    if strange:
        raise DialevalError(f"user: found the key {strange[0]!r} beside {ways[0]!r}, which takes only 'name'")
    if "graph" in ways:
        return _graph(beside(folder, Path(str(given["graph"]))), str(given.get("name", "graph")))
    if "replay" in ways:
        return _replay(beside(folder, Path(str(given["replay"]))), str(given.get("name", "replay")))
    system = _generator(given, folder, "user")
    form = given.get("form", "json")
    if form not in ("json", "plain"):
        raise BadInput("talks.user", f"the form {form!r}", "json or plain", "Correct 'form'.", field="form")
    prompt = given.get("prompt")
    return ModelUser(
        str(given.get("name", system.name)), system, form, None if prompt is None else str(prompt)
    )


def _generator(given: Mapping[str, Any], folder: Path, role: str) -> Generator:
    system = _system(given, folder, role)
    if not isinstance(system, Generator):
        raise BadInput(
            f"talks.{role}", f"{system.name!r}, which replays", "a system that answers", "Name a model."
        )
    return system


def _system(given: Mapping[str, Any], folder: Path, role: str) -> System:
    options = {key: value for key, value in given.items() if key not in ("form", "prompt")}
    if "kind" not in options:
        return build_system(str(options.get("model", "")), folder=folder)
    kind = str(options.pop("kind"))
    options.setdefault("name", role)
    if kind not in SYSTEMS and (place := custom_place(kind)) is not None:
        return make_custom_system(place, options, folder=folder)
    if kind not in SYSTEMS:
        raise UnknownName(
            f"kind of {role}", kind, [*SYSTEMS, "graph", "replay"] if role == "user" else SYSTEMS
        )
    made = make_system(kind, options, folder=folder)
    if isinstance(made, list):
        raise DialevalError(f"{role}: {'; '.join(map(str, made))}")
    return made


_SHAPE: Final = (
    "{start: {say: ..., next: {'pattern': other state, '*': another}}, other: {say: ..., end: true}}"
)


def _graph(path: Path, name: str) -> GraphUser:
    """The user that a YAML file of states describes."""
    if not is_there(path):
        raise BadInput(str(path), "no such file", "a graph of states in YAML", "Check 'graph'.")
    try:
        given = load_yaml(str(path), path.read_text(encoding="utf-8"))
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(
            str(path), f"no readable YAML ({first_line(error)})", "states", f"Write {_SHAPE}."
        ) from None
    if not isinstance(given, Mapping) or not given:
        raise BadInput(str(path), "no states", "states by name", f"Write {_SHAPE}.")
    states = {str(key): _state(str(path), str(key), value) for key, value in given.items()}
    for key, state in states.items():
        for _pattern, target in state.next:
            if target not in states:
                known = f"one of {', '.join(states)}"
                todo = "Name a state of the file."
                raise BadInput(str(path), f"the state {target!r}", known, todo, field=f"{key}.next")
    return GraphUser(name, states, hash_file(path), next(iter(states)))


def _state(path: str, name: str, given: object) -> State:
    if not isinstance(given, Mapping) or not isinstance(given.get("say"), str):
        raise BadInput(
            path, json.dumps(given, default=str)[:80], "a state with 'say'", f"Write {_SHAPE}.", field=name
        )
    strange = [str(key) for key in given if key not in ("say", "next", "end")]
    if strange:
        raise BadInput(path, f"the key {strange[0]!r}", "say, next and end", f"Write {_SHAPE}.", field=name)
    after = given.get("next", {})
    if isinstance(after, str):
        after = {"*": after}
    if not isinstance(after, Mapping):
        raise BadInput(path, repr(after)[:80], "states by pattern", f"Write {_SHAPE}.", field=f"{name}.next")
    pairs = tuple((str(pattern), str(target)) for pattern, target in after.items())
    for pattern, _ in pairs:
        try:
            re.compile("" if pattern == "*" else pattern)
        except re.error as error:
            todo = "Correct the pattern; '*' fits everything."
            field = f"{name}.next"
            raise BadInput(
                path, f"the pattern {pattern!r} ({error})", "a pattern", todo, field=field
            ) from None
    end = given.get("end", not pairs)
    if not isinstance(end, bool):
        raise BadInput(path, repr(end)[:80], "true or false", f"Write {_SHAPE}.", field=f"{name}.end")
    return State(str(given["say"]), pairs, end)


def _replay(path: Path, name: str) -> ReplayedUser:
    """The user who repeats recorded ones, the first dialogue of each scenario."""
    said: dict[str, tuple[str, ...]] = {}
    for dialogue in read(path, "dialogue"):
        said.setdefault(scenario_of(dialogue), user_turns(dialogue))
    return ReplayedUser(name, said, hash_file(file_of(path)))


def on_recorded(measure: Measure, systems: Sequence[System], *, leads: bool) -> Measure:
    """Return the measure as one of recorded dialogues; one that asks systems something else stays as it is."""
    if measure.capability is not None:
        return measure
    made = _of_talks(measure, TalkMeasure(on_talks(measure.metric), None, leads, _recorded), "recorded")
    return replace(made, contexts=partial(_recorded_scenarios, systems))


def _recorded_scenarios(systems: Sequence[System]) -> list[tuple[str, Hashable]]:
    """Ids and scenarios of recorded talks that name these, by which they are resampled."""
    recorded = [system for system in systems if isinstance(system, RecordedDialogues)]
    return list(scenarios_of(each for system in recorded for each in system.dialogues))


def _recorded(system: System, tools: Tools) -> list[Dialogue]:
    """The system's own dialogues, under the name that the study gives it."""
    if not isinstance(system, RecordedDialogues):
        raise Unsuitable(
            f"{system.name} has no recorded dialogues: give it as {{kind: dialogues, path: FILE}}."
        )
    known = frozenset((tools.recorded or system.items)[: tools.limit])
    own = [replace(each, system=system.name) for each in system.dialogues if each.item in known]
    return list(tools.share(own, ANSWERED_AT_ONCE))


def on_plan(measure: Measure, plan: TalkPlan, *, leads: bool) -> Measure:
    """Return the measure as one of the talks of a plan; one that asks systems something else stays as it is."""
    if measure.capability is not None:
        return measure
    return _of_talks(measure, TalkMeasure(on_talks(measure.metric), plan, leads), plan.key)


def _of_talks(measure: Measure, asking: TalkMeasure, asks: Hashable) -> Measure:
    subjects: Callable[[Respondent, Tools], Subjects] = partial(asking.subjects, {})
    return replace(
        measure,
        metric=asking.metric,
        subjects=subjects,
        inputs={} if asking.plan is None else {"scenarios": asking.plan.path},
        asks=asks,
        asking=asking,
        capability=TASKS["talks"],
        shown_by=None,
        breakdowns=None,
    )
