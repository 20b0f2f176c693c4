"""``judge_pairs`` of a study: the systems' answers, pair by pair, before a judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dialeval.data.codec.sources import beside, file_of
from dialeval.data.types import Dialogue, Example
from dialeval.errors import DialevalError, UnknownName
from dialeval.evaluation.measure import Respondent, can_answer, recorded_dialogues
from dialeval.files.documents import write_json_lines
from dialeval.files.folders import is_there

if TYPE_CHECKING:
    from dialeval.core import Resampling
    from dialeval.judge.costs import CostEstimate
    from dialeval.judge.metric import Judge
    from dialeval.judge.pairs import AnswerPair, JudgedPairs
    from dialeval.study.scores import SystemResult

Answers: TypeAlias = Mapping[str, Sequence[object]]
"""By system."""
KEY: Final = "judge_pairs"
FILE: Final = "preferences.jsonl"
"""The verdicts in a run folder, as ``annotate preferences`` reads them."""
_OURS: Final = ("baseline", "own", "preferences")
"""Keys that are no options of the judge."""


@dataclass(frozen=True, slots=True)
class PairsPlan:
    """Who judges which pairs."""

    judge: Judge
    baseline: str | None = None
    """The system that the others are compared with; None if every two are."""
    own: tuple[str, ...] = ()
    """Systems of the judge's own family."""
    preferences: Path | None = None
    """People's preferences between the same answers."""

    def pairs(self, answers: Answers) -> list[AnswerPair]:
        """The pairs of answers."""
        from dialeval.judge.pairs import pairs_of

        return list(pairs_of(answers, self.baseline))


def answers_of(respondents: Sequence[Respondent], scored: Sequence[SystemResult] = ()) -> Answers:
    """Answers to the prompts by system, of the first of several runs; else recorded dialogues, or scored talks."""
    answers: dict[str, Sequence[Example | Dialogue]] = {}
    for each in respondents:
        system, name = each.system, each.system.name
        given: Iterable[object] = each.examples if can_answer(system) else recorded_dialogues(system)
        answers[name] = _of_system(name, given)
    for result in scored if not any(answers.values()) else ():
        if not answers.get(result.system):
            answers[result.system] = _of_system(result.system, result.subjects)
    return {name: given for name, given in answers.items() if given}


def _of_system(name: str, given: Iterable[object]) -> list[Example | Dialogue]:
    """Answers and dialogues under the name that the study gives their system."""
    return [replace(each, system=name) for each in given if isinstance(each, Example | Dialogue)]


def build_pairs(given: object, systems: Sequence[str], folder: Path, problems: list[str]) -> PairsPlan | None:
    """The plan that a study states under ``judge_pairs``, or None and what is wrong with it."""
    if not isinstance(given, Mapping):
        return None
    found: list[str] = []
    named = [given["baseline"]] if "baseline" in given else []
    own = given.get("own", [])
    own = [own] if isinstance(own, str) else own
    listed = own if isinstance(own, list) else []
    if not isinstance(own, list):
        found.append(f"own: found {own!r}, expected a list of systems")
    for key, name in (*(("baseline", name) for name in named), *(("own", name) for name in listed)):
        if name not in systems:
            found.append(f"{key}: {UnknownName('system in this study', str(name), systems)}")
    people = None if given.get("preferences") is None else beside(folder, Path(str(given["preferences"])))
    if people is not None and not is_there(file_of(people)):
        found.append(f"preferences: no such file: {people}")
    judge = _judge(given, folder, found)
    problems += [f"{KEY}.{line}" if line.split(":")[0] in _OURS else f"{KEY}: {line}" for line in found]
    if found or judge is None:
        return None
    return PairsPlan(judge, given.get("baseline"), tuple(listed), people)


def _judge(given: Mapping[str, Any], folder: Path, found: list[str]) -> Judge | None:
    from dialeval.judge.metric import Judge
    from dialeval.judge.pairs import check_pairs_judge
    from dialeval.study.measures import JUDGE, build_measure

    options = {key: value for key, value in given.items() if key not in _OURS}
    try:
        metric = build_measure(JUDGE, options, folder=folder).metric
        assert isinstance(metric, Judge)
        check_pairs_judge(metric)
    except (ValueError, TypeError, DialevalError) as error:
        found.append(str(error))
        return None
    return metric


def judged_pairs(plan: PairsPlan, answers: Answers, resampling: Resampling) -> JudgedPairs:
    """The verdicts on all pairs, and what they come to."""
    from dialeval.judge.pairs import judge_pairs
    from dialeval.ratings.preferences import read_preferences

    people = () if plan.preferences is None else read_preferences(plan.preferences)
    return judge_pairs(
        plan.judge,
        plan.pairs(answers),
        baseline=plan.baseline,
        own=plan.own,
        people=people,
        resampling=resampling,
    )


def planned_cost(plan: PairsPlan, answers: Answers) -> CostEstimate:
    """Return what the judge has yet to be asked."""
    from dialeval.judge.pairs import pairs_cost

    label = f"{KEY}(rubric={plan.judge.rubric!r},model={','.join(plan.judge.models)!r})"
    return pairs_cost(label, plan.judge, plan.pairs(answers))


def write_preferences(found: JudgedPairs | None, folder: Path) -> None:
    """Write the verdicts into the folder; no file if nobody judged pairs."""
    if found is None:
        (folder / FILE).unlink(missing_ok=True)
    else:
        write_json_lines(folder / FILE, found.preferences)
