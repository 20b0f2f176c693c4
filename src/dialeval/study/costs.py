"""Cost of a study before anything is spent: what its servers and judges have yet to be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dialeval.consistency.detecting.metrics import Contradictions
from dialeval.consistency.detecting.recorded import RecordedDialogues
from dialeval.core import Missing, Replayer, System, innermost, served
from dialeval.data import Example, Prompt, Response
from dialeval.engine import Workshop
from dialeval.evaluation.measure import Respondent, can_answer
from dialeval.judge.costs import CHARACTERS_PER_TOKEN, CostEstimate, judge_cost
from dialeval.judge.record import inquiries
from dialeval.nbest.filtering.system import Filtered
from dialeval.study.answers import as_example, ask
from dialeval.study.file import Study
from dialeval.study.judged_pairs import KEY, answers_of, planned_cost
from dialeval.study.run import read_inputs, uses_answers
from dialeval.systems.openai import OpenAI

if TYPE_CHECKING:
    from dialeval.talks.measure import TalkPlan

_BRIEFING_TOKENS: Final = 400
"""Tokens of instructions, or of a scenario and its rules."""
_ANSWER_TOKENS: Final = 200
"""Tokens of an answer that nobody has given yet, if no limit is stated."""


def study_costs(study: Study) -> list[CostEstimate]:
    """What each server and judge of the study has yet to be asked; nothing is sent, and no model runs.

    A judge of answers that are not there yet is estimated by texts of the length that they may have.
    """
    if study.talks is not None:
        return list(_talk_costs(study, study.talks))
    prompts, items, _ = read_inputs(study)
    found: list[CostEstimate] = []
    answers: list[Example | Missing] = []
    first: list[Respondent] = []
    for system in study.systems if uses_answers(study) else ():
        if not can_answer(system):
            continue
        if isinstance(system, Replayer):
            respondent = ask(system, prompts, items, study, Workshop(), [])
            answers += [answer for run in respondent.runs or (respondent.examples,) for answer in run]
            first.append(respondent)
            continue
        server, seed = served(system), study.resampling.seed
        known = server.recall([p.context for p in prompts], seed=seed) if server else []
        first.append(Respondent(system, list(_expected(system, prompts, known))))
        answers += first[-1].examples
        inner = innermost(system)
        if isinstance(inner, OpenAI):
            candidates = system.n if isinstance(system, Filtered) else 1
            found.append(_server_cost(system.name, inner, prompts, candidates, seed))
    for measure in study.measures:
        if measure.metric.asks and measure.asking is None:
            found += [judge_cost(*one) for one in inquiries(measure.label, [measure.metric], answers)]
        elif isinstance(measure.metric, Contradictions):
            own = [each for each in study.systems if isinstance(each, RecordedDialogues)]
            asked = measure.metric.judged_in([dialogue for each in own for dialogue in each.dialogues])
            found += [judge_cost(measure.label, *one) for one in asked]
    if study.pairs is not None:
        recorded = [Respondent(system, ()) for system in study.systems if not can_answer(system)]
        if known_answers := answers_of([*first, *recorded]):
            found.append(planned_cost(study.pairs, known_answers))
    return found


def _talk_costs(study: Study, plan: TalkPlan) -> Iterator[CostEstimate]:
    """What talks take at most, if every one goes on to its last turn: each request holds the talk so far."""
    scenarios = plan.scenarios[: study.limit]
    turns = [scenario.most for scenario in scenarios] * plan.repeats
    pairs: list[tuple[str, System, int, list[int]]] = [
        (system.name, innermost(system), 1, turns) for system in study.systems
    ]
    free = [max(0, each.most - len(each.first)) for each in scenarios] * plan.repeats
    if plan.user.model is not None:
        pairs.append(("user", innermost(plan.user.model), len(study.systems), free))
    if plan.reviewer is not None:
        pairs.append(("reviewer", innermost(plan.reviewer.system), len(study.systems), [1] * len(free)))
    for name, model, times, of_each in pairs:
        if not isinstance(model, OpenAI):
            continue
        requests = times * sum(of_each)
        said = model.decoding.max_tokens or _ANSWER_TOKENS
        before = times * sum(each * (each - 1) // 2 for each in of_each)
        prompt = requests * _BRIEFING_TOKENS + 2 * before * said
        completion = requests * said
        cost = model.cost(prompt, completion)
        yield CostEstimate(f"{name} (at most)", requests, 0, prompt, completion, cost, model.budget.requests)


def _expected(
    system: System, prompts: Sequence[Prompt], known: Sequence[Response | None]
) -> Iterator[Example | Missing]:
    """The answers that are known, and texts as long as the others may be."""
    limit = getattr(getattr(system, "decoding", None), "max_tokens", None) or _ANSWER_TOKENS
    unknown = Response("word" * limit)
    for place, prompt in enumerate(prompts):
        response = (known[place] if known else None) or unknown
        yield as_example(system, prompt, (response,))


def uncounted_measures(study: Study) -> list[str]:
    """Labels of measures with questions of their own to a server or judge that costs leave out."""
    served = any(isinstance(innermost(system), OpenAI) for system in study.systems)
    asking = [each for each in study.measures if each.capability is not None]
    found = [
        each.label
        for each in asking
        if (served or inquiries(each.label, (each.metric, each.asking), []))
        and not isinstance(each.metric, Contradictions)
    ]
    return [*found, *([KEY] if study.pairs is not None and study.talks is not None else [])]


def _server_cost(
    name: str, system: OpenAI, prompts: Sequence[Prompt], candidates: int, seed: int
) -> CostEstimate:
    """What the server has yet to answer: of each candidate a request."""
    contexts = [prompt.context for prompt in prompts]
    samples = min(candidates, system.decoding.most or candidates)
    new = [
        prompt
        for sample in range(samples)
        for prompt, response in zip(prompts, system.recall(contexts, seed=seed, sample=sample), strict=True)
        if response is None
    ]
    texts = (json.dumps([turn.text for turn in system.instructed(prompt.context)]) for prompt in new)
    prompt_tokens = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    completion = len(new) * (system.decoding.max_tokens or _ANSWER_TOKENS)
    cost = system.cost(prompt_tokens, completion)
    kept = samples * len(prompts) - len(new)
    return CostEstimate(name, len(new), kept, prompt_tokens, completion, cost, system.budget.requests)
