"""Cost of a study before anything is spent: what its servers and judges have yet to be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.core import Missing, Replayer, System, innermost, served
from dialeval.data import Example, Prompt, Response
from dialeval.engine import Workshop
from dialeval.evaluation.measure import can_answer
from dialeval.judge.costs import CHARACTERS_PER_TOKEN, CostEstimate, judge_cost
from dialeval.judge.metric import Judge
from dialeval.nbest.filtering.system import Filtered
from dialeval.study.answers import as_example, ask
from dialeval.study.file import Study
from dialeval.study.run import read_inputs, uses_answers
from dialeval.systems.openai import OpenAI

_ANSWER_TOKENS: Final = 200
"""Tokens of an answer that nobody has given yet, if no limit is stated."""


def study_costs(study: Study) -> list[CostEstimate]:
    """What each server and judge of the study has yet to be asked; nothing is sent, and no model runs.

    A judge of answers that are not there yet is estimated by texts of the length that they may have.
    """
    prompts, items, _ = read_inputs(study)
    found: list[CostEstimate] = []
    answers: list[Example | Missing] = []
    for system in study.systems if uses_answers(study) else ():
        if not can_answer(system):
            continue
        if isinstance(system, Replayer):
            respondent = ask(system, prompts, items, study, Workshop(), [])
            answers += [answer for run in respondent.runs or (respondent.examples,) for answer in run]
            continue
        server, seed = served(system), study.resampling.seed
        known = server.recall([p.context for p in prompts], seed=seed) if server else []
        answers += _expected(system, prompts, known)
        inner = innermost(system)
        if isinstance(inner, OpenAI):
            candidates = system.n if isinstance(system, Filtered) else 1
            found.append(_server_cost(system.name, inner, prompts, candidates, seed))
    for measure in study.measures:
        if isinstance(measure.metric, Judge):
            found.append(judge_cost(measure.label, measure.metric, answers))
    return found


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
    """Labels of measures with questions of their own, if a server may have to answer them; costs leave these out."""
    if not any(isinstance(innermost(system), OpenAI) for system in study.systems):
        return []
    return [measure.label for measure in study.measures if measure.capability is not None]


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
