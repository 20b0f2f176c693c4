"""Summary of the talks of a study: success by every convention, faults, costs, and talks of systems side by side."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final

from dialeval.core import Estimate, Resampling
from dialeval.data.types import Dialogue, Turn
from dialeval.display.wording import count
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.talks.calls import calls_of
from dialeval.talks.document import Message, ScenarioTalks, SystemTalks, TalkShown, TalksInfo
from dialeval.talks.metrics import Counting, Failures, Success
from dialeval.talks.outcome import are_identical, end_of, faults_of, scenario_of, success_of
from dialeval.talks.scenarios import Scenario

SHOWN: Final = 40
"""Scenarios of which talks are shown on a page at most."""


def talks_info(
    measure: str,
    talks: Mapping[str, Sequence[Dialogue]],
    scenarios: Sequence[Scenario],
    resampling: Resampling,
) -> TalksInfo:
    """Return what ``summary.json`` says of the talks of each system."""
    everything = [talk for own in talks.values() for talk in own]
    repeats = max((sum(1 for _ in own) for own in _groups(everything).values()), default=0)
    judged = sum(success_of(talk) is not None for talk in everything)
    return TalksInfo(
        measure=measure,
        status=f"{count(len(everything), 'talk')}, {judged:,} with an outcome; faults found by {_tagger(everything)}",
        user=str(next((talk.metadata.get("user_signature", "") for talk in everything), "")),
        scenarios=len({scenario_of(talk) for talk in everything}),
        repeats=repeats,
        systems=tuple(_system(name, own, resampling) for name, own in talks.items()),
        by_scenario=tuple(_scenarios(talks, scenarios)),
    )


def _tagger(talks: Sequence[Dialogue]) -> str:
    """Who looked for faults, and in how many talks the model's reply could not be read."""
    if not any("faults" in talk.metadata for talk in talks):
        return "nobody"
    if not any("reviewer" in talk.metadata for talk in talks):
        return "rules"
    lost = sum("review" in talk.metadata for talk in talks)
    return "rules and a model" + (f", whose reply on {count(lost, 'talk')} could not be read" if lost else "")


def _groups(talks: Sequence[Dialogue]) -> dict[tuple[str, str], list[Dialogue]]:
    groups: dict[tuple[str, str], list[Dialogue]] = {}
    for talk in talks:
        groups.setdefault((talk.system, scenario_of(talk)), []).append(talk)
    return groups


def _system(name: str, talks: Sequence[Dialogue], resampling: Resampling) -> SystemTalks:
    def success(failures: Failures = "out", counting: Counting = "observed") -> Estimate:
        metric = Success(failures=failures, counting=counting)
        return evaluate(metric, list(talks), Plan(resampling=resampling)).estimate

    turns = [sum(turn.speaker == "user" for turn in talk.turns) for talk in talks]
    kinds = Counter(kind for talk in talks for kind in {fault.kind for fault in faults_of(talk)})
    return SystemTalks(
        system=name,
        talks=len(talks),
        success=success(),
        failures_as_zero=success("zero"),
        faultless=success(counting="faultless"),
        worst=success(counting="worst").value,
        best=success(counting="best").value,
        ends=dict(Counter(end for talk in talks if (end := end_of(talk)) is not None).most_common()),
        faults=dict(kinds.most_common()),
        turns=sum(turns) / len(turns) if turns else None,
        usage=_usage(talks),
        identical=are_identical(talks),
    )


def _usage(talks: Sequence[Dialogue]) -> dict[str, dict[str, int]]:
    sums: dict[str, Counter[str]] = {"system": Counter(), "user": Counter()}
    for talk in talks:
        usage = talk.metadata.get("usage")
        for side, own in sums.items():
            given = usage.get(side) if isinstance(usage, Mapping) else None
            counted = given.items() if isinstance(given, Mapping) else ()
            own.update({str(key): number for key, number in counted if isinstance(number, int)})
    return {side: dict(own) for side, own in sums.items()}


def _scenarios(talks: Mapping[str, Sequence[Dialogue]], scenarios: Sequence[Scenario]) -> list[ScenarioTalks]:
    goals = {scenario.id: scenario.goal for scenario in scenarios}
    by_name: dict[str, dict[str, list[Dialogue]]] = {}
    for system, own in talks.items():
        for talk in own:
            by_name.setdefault(scenario_of(talk), {}).setdefault(system, []).append(talk)
    return [
        ScenarioTalks(
            scenario=name,
            goal=goals.get(name, ""),
            rates={system: _rate(own) for system, own in held.items()},
            shown=tuple(_shown(own[0]) for own in held.values()) if number < SHOWN else (),
            parts_at=_parting([own[0] for own in held.values()]),
        )
        for number, (name, held) in enumerate(by_name.items())
    ]


def _rate(talks: Sequence[Dialogue]) -> tuple[float, int]:
    known = [value for talk in talks if (value := success_of(talk)) is not None]
    return (sum(known) / len(known) if known else 0.0), len(known)


def _parting(talks: Sequence[Dialogue]) -> int | None:
    """The first turn at which the first two talks differ."""
    if len(talks) < 2:
        return None
    first, second = (talk.turns for talk in talks[:2])
    pairs = enumerate(zip_longest(first, second), start=1)
    return next(
        (
            number
            for number, (a, b) in pairs
            if a is None or b is None or (a.speaker, a.text) != (b.speaker, b.text)
        ),
        None,
    )


def _shown(talk: Dialogue) -> TalkShown:
    metadata = talk.metadata
    return TalkShown(
        system=talk.system,
        repeat=str(metadata.get("repeat", "")),
        success=success_of(talk),
        reason=str(metadata.get("success_reason", "")),
        end=str(metadata.get("end", "")),
        messages=tuple(map(_message, talk.turns)),
        faults=faults_of(talk),
    )


def _message(turn: Turn) -> Message:
    calls = tuple(
        f"{call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})" for call in calls_of(turn)
    )
    return Message(turn.speaker, turn.text, calls)
