"""Success of talks: every criterion of a scenario must hold; one that cannot be judged leaves the outcome unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialeval.data.types import Context, Dialogue
from dialeval.errors import DialevalError, Unsuitable, described, first_line
from dialeval.files.custom_code import load_code
from dialeval.judge.document import REASONS
from dialeval.judge.metric import Judge
from dialeval.judge.verdicts import Verdict
from dialeval.metrics.assertions.metric import check
from dialeval.talks.calls import calls_of, has_arguments
from dialeval.talks.scenarios import Call, Criterion, JudgedBy, Scenario

NO_CRITERIA: Final = "the scenario has no criteria of success"


class Held(NamedTuple):
    """Outcome of one criterion."""

    held: bool | None
    """None if nobody can say."""
    reason: str = ""
    """Why it does not hold, or cannot be judged."""


def with_outcomes(
    talks: Sequence[Dialogue], scenarios: Sequence[Scenario], folder: Path = Path()
) -> list[Dialogue]:
    """Return the talks with ``success`` and, where it is not true, ``success_reason``.

    ``folder`` is where custom functions are looked for. A judge is asked about all talks of its scenarios at once. A
    talk that failed for a technical reason has no outcome.
    """
    known = {scenario.id: scenario for scenario in scenarios}
    verdicts = _Verdicts(talks, known, folder)
    return [_with_outcome(talk, known, verdicts) for talk in talks]


def _with_outcome(talk: Dialogue, known: Mapping[str, Scenario], verdicts: _Verdicts) -> Dialogue:
    scenario = known[str(talk.metadata["scenario"])]
    if talk.metadata.get("end") == "failed":
        return _noted(talk, None, str(talk.metadata.get("end_reason", "the talk failed")))
    if not scenario.success:
        return _noted(talk, None, NO_CRITERIA)
    found = [verdicts.holds(talk, criterion, scenario) for criterion in scenario.success]
    failed = [each.reason for each in found if each.held is False]
    if failed:  # known, whatever the others say
        return _noted(talk, False, "; ".join(failed))
    unknown = [each.reason for each in found if each.held is None]
    return _noted(talk, None if unknown else True, "; ".join(unknown))


def _noted(talk: Dialogue, success: bool | None, reason: str) -> Dialogue:
    told = {"success_reason": reason} if reason else {}
    return replace(talk, metadata={**talk.metadata, "success": success, **told})


class _Verdicts:
    """Verdicts on criteria, those of judges in one go for all talks."""

    def __init__(self, talks: Sequence[Dialogue], known: Mapping[str, Scenario], folder: Path) -> None:
        self._folder = folder
        self._functions: dict[str, Callable[..., Any]] = {}
        self._judged: dict[tuple[str, str, str], Held] = {}
        asked: dict[str, tuple[JudgedBy, list[Dialogue]]] = {}
        for talk in talks:
            for criterion in known[str(talk.metadata["scenario"])].success:
                if criterion.judge is not None and talk.metadata.get("end") != "failed":
                    key = criterion.judge.model_dump_json()
                    asked.setdefault(key, (criterion.judge, []))[1].append(talk)
        for key, (judge, own) in asked.items():
            for talk, held in zip(own, _judge(judge, own, folder), strict=True):
                self._judged[key, talk.system, talk.item] = held

    def holds(self, talk: Dialogue, criterion: Criterion, scenario: Scenario) -> Held:
        """Return whether the criterion holds in a talk."""
        if criterion.judge is not None:
            return self._judged[criterion.judge.model_dump_json(), talk.system, talk.item]
        if criterion.function is not None:
            return self._by_function(talk, criterion.function, scenario)
        if criterion.call is not None:
            return _called(talk.turns, criterion.call)
        return _said(talk.turns, criterion)

    def _by_function(self, talk: Dialogue, place: str, scenario: Scenario) -> Held:
        if place not in self._functions:
            code = load_code(place, self._folder)
            if not code.is_function:
                raise Unsuitable(
                    f"{place}: found a class, expected a function of the messages and the scenario that returns true, "
                    "false or None."
                )
            self._functions[place] = code.thing
        messages = [{"role": t.speaker, "content": t.text, **(t.extra or {})} for t in talk.turns]
        try:
            found = self._functions[place](messages, scenario.fields())
        except Exception as error:
            return Held(None, f"{place} failed: {type(error).__name__}: {first_line(error)}")
        if found is None or isinstance(found, bool):
            return Held(found, "" if found else f"{place} returned {found}")
        return Held(None, f"{place} returned {type(found).__name__}, expected true, false or None")


def _judge(judge: JudgedBy, talks: Sequence[Dialogue], folder: Path) -> Iterator[Held]:
    """The verdicts of a judge on whole talks."""
    try:
        metric = _judge_of(judge, folder)
    except DialevalError as error:
        yield from (Held(None, f"the judge cannot be made: {described(error)}") for _ in talks)
        return
    obstacles = [metric.unscorable(talk) for talk in talks]
    able = [talk for talk, why in zip(talks, obstacles, strict=True) if why is None]
    try:
        verdicts = iter([metric.combined(given) for given in metric.verdicts(able)])
    except DialevalError as error:
        yield from (Held(None, f"the judge could not be asked: {described(error)}") for _ in talks)
        return
    for why in obstacles:
        yield Held(None, f"the judge: {why}") if why is not None else _held(next(verdicts), judge)


def _judge_of(judge: JudgedBy, folder: Path) -> Judge:
    return Judge(
        model=judge.model,
        rubric=judge.rubric,
        base_url=judge.base_url,
        api_key_env=judge.api_key_env,
        level="dialogue",
        mode=judge.mode or ("json" if judge.base_url else "expected"),
        folder=str(folder),
    )


def _held(verdict: Verdict, judge: JudgedBy) -> Held:
    if verdict.value is None:
        return Held(
            None, f"the judge gave no verdict: {REASONS[verdict.code] if verdict.code else 'unknown'}"
        )
    held = verdict.value >= judge.at_least
    return Held(held, "" if held else f"the judge gives {verdict.value:g}, less than {judge.at_least:g}")


def _said(turns: Context, criterion: Criterion) -> Held:
    spoken = [turn.text for turn in turns if turn.speaker == "assistant"]
    text = "\n".join(spoken) if criterion.said is not None else spoken[-1] if spoken else ""
    for assertion in criterion.assertions:
        found = check(assertion, text)
        if found.held is not True:
            what = f"{'not_' if assertion.negated else ''}{assertion.kind} {str(assertion.value)[:60]!r}"
            where = "its last turn" if criterion.last is not None else "what it said"
            why = found.reason if found.held is None else f"{what} does not hold in {where}"
            return Held(found.held, why)
    return Held(True)


def _called(turns: Context, wanted: Call) -> Held:
    made = [call for turn in turns for call in calls_of(turn)]
    if any(call.name == wanted.name and has_arguments(call, wanted.arguments) for call in made):
        return Held(True)
    named = [call for call in made if call.name == wanted.name]
    if named:
        return Held(False, f"{wanted.name} was called with other arguments ({len(named)} times)")
    return Held(False, f"{wanted.name} was not called")
