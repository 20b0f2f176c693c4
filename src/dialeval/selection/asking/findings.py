"""Findings of asking several systems, as the document that ``asked.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.core import Missing, Resampling
from dialeval.data.choices import ChoiceRow, NoChoice, vetting_of
from dialeval.data.types import Question
from dialeval.files.digests import FileDigest
from dialeval.files.documents import finite
from dialeval.selection.asking.asking import Answered, Asked
from dialeval.selection.asking.choosing import chance
from dialeval.selection.asking.metrics import SelectionAccuracy
from dialeval.selection.asking.questions import question_notes, sharing_a_context
from dialeval.selection.asking.trials import RandomTrials
from dialeval.selection.document import (
    AskedDocument,
    QuestionSet,
    RankingTrials,
    Settings,
    SystemResult,
    Trials,
    TrialsRow,
)
from dialeval.stats import correlations, five_numbers, over_scores
from dialeval.version import __version__


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """Systems' mean ratings by people."""

    criterion: str
    means: Mapping[str, float]


def asked_document(
    asked: Asked,
    resampling: Resampling,
    *,
    trials: Trials | None = None,
    trials_reason: str | None = None,
    sources: Mapping[str, str] | None = None,
) -> AskedDocument:
    """All that was found; ``trials_reason`` says why trials failed, ``sources`` has the sha256 of each file read."""
    return AskedDocument(
        questions=_question_set(asked.questions),
        results=tuple(_result(answer, asked) for answer in asked.answered),
        comparisons=asked.comparisons,
        failures=asked.refused,
        trials=trials,
        trials_reason=trials_reason,
        settings=Settings(
            normalise=asked.normalise,
            seed=resampling.seed,
            trials=resampling.resamples,
            level=resampling.confidence,
            cluster=resampling.cluster_name([question.item for question in asked.questions]),
            package=__version__,
            sources=tuple(FileDigest(path, sha256) for path, sha256 in (sources or {}).items()),
        ),
    )


def choice_rows(asked: Asked) -> list[ChoiceRow]:
    """Every choice of every system, and the reason where there is none."""
    measure = SelectionAccuracy(asked.normalise).signature.call
    return [
        ChoiceRow(
            measure,
            NoChoice(choice.item, choice.system, question.status, choice.reason)
            if isinstance(choice, Missing)
            else choice,
        )
        for answer in asked.answered
        for choice, question in zip(answer.choices, asked.questions, strict=True)
    ]


def trials_document(trials: RandomTrials, source: str, people: HumanRanking | None = None) -> Trials:
    """Trials with random candidates from ``source``, correlated with people's ranking where there is one."""
    return Trials(
        trials=len(trials.random),
        pool=trials.pool,
        questions=trials.questions,
        left_out=trials.left_out,
        source=source,
        seed=trials.seed,
        systems=tuple(
            TrialsRow(
                system=name,
                chosen=float(trials.chosen[index]),
                mean=float(trials.random[:, index].mean()),
                five=five_numbers(trials.fresh[:, index]),
                widening=finite(float(trials.widening[index])),
            )
            for index, name in enumerate(trials.systems)
        ),
        accuracies=tuple(map(tuple, trials.random.tolist())),
        human=_with_people(trials, people) if people else None,
        human_reason=why_no_ranking(people, trials.systems) if people else None,
        failures=trials.refused,
    )


def why_no_ranking(ranking: HumanRanking, systems: Sequence[str]) -> str | None:
    """Why these systems' ranking cannot be correlated with people's; None where it can."""
    if sum(name in ranking.means for name in systems) >= 2:
        return None
    return (
        f"People judged {', '.join(ranking.means) or 'nobody'}, and two or more of {', '.join(systems)} are needed to "
        "correlate rankings. Use the same names in both."
    )


def _question_set(questions: Sequence[Question]) -> QuestionSet:
    vetting = vetting_of(questions)
    return QuestionSet(
        n=len(questions),
        chance=finite(chance(questions)),
        status=str(vetting),
        vetted=vetting.vetted,
        unvetted=vetting.unvetted,
        unknown=vetting.unknown,
        sharing_a_context=sharing_a_context(questions),
        most_candidates=max(len(question.candidates) for question in questions),
        warnings=question_notes(questions),
    )


def _result(answer: Answered, asked: Asked) -> SystemResult:
    statuses = {question.status for question in asked.questions}
    accuracy, mrr = answer.accuracy, answer.mrr
    return SystemResult(
        system=answer.system,
        signature=answer.signature,
        accuracy=finite(accuracy.score),
        low=finite(accuracy.interval.low) if accuracy.interval else None,
        high=finite(accuracy.interval.high) if accuracy.interval else None,
        mrr=finite(mrr.score),
        mrr_low=finite(mrr.interval.low) if mrr.interval else None,
        mrr_high=finite(mrr.interval.high) if mrr.interval else None,
        hits={str(k): finite(result.score) for k, result in answer.hits.items()},
        n=accuracy.scored,
        unscored=len(accuracy) - accuracy.scored,
        reason=next(iter(accuracy.reasons.values()), None),
        ties=answer.ties,
        normalise=asked.normalise,
        by_likelihood=answer.by_likelihood,
        status=statuses.pop() if len(statuses) == 1 else "mixed",
        measure=str(accuracy.signature),
        data=accuracy.provenance.data,
        errors=answer.errors,
        design_effect=None if accuracy.design_effect is None else finite(accuracy.design_effect),
    )


def _with_people(trials: RandomTrials, ranking: HumanRanking) -> RankingTrials | None:
    """How the rankings of trials correlate with people's; None where people ranked fewer than two of the systems."""
    if why_no_ranking(ranking, trials.systems):
        return None
    human = np.array([ranking.means.get(name, np.nan) for name in trials.systems])
    known = ~np.isnan(human)
    over = over_scores(human, trials.random)  # as drawn: stretching each system alone would part ties
    return RankingTrials(
        criterion=ranking.criterion,
        coefficient="spearman",
        systems=int(known.sum()),
        not_judged=tuple(name for name, judged in zip(trials.systems, known, strict=True) if not judged),
        chosen=finite(float(correlations(human[known], trials.chosen[known], "spearman"))),
        mean=float(over.values.mean()) if over.values.size else None,
        five=over.five,
        undefined=over.undefined,
        values=tuple(over.values.tolist()),
    )
