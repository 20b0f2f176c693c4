"""What asking systems to choose found, as JSON and as a folder (docs/files.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Missing, Resampling
from dialeval.data import Question
from dialeval.data.vetting_status import status_line
from dialeval.files.documents import as_json, write_document
from dialeval.selection.asking.asking import Answered, Asked
from dialeval.selection.asking.choices_json import Json, choice_json, ends, errors_json, finite, write_choices
from dialeval.selection.asking.choosing import chance
from dialeval.selection.asking.metrics import SelectionAccuracy
from dialeval.selection.asking.shared_contexts import sharing_a_context
from dialeval.selection.asking.trials import RandomTrials
from dialeval.selection.inspection.question_faults import question_faults
from dialeval.stats import correlations, five_numbers, over_scores
from dialeval.version import __version__

FILES: Final = ("asked.json", "choices.jsonl", "asked.html")


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """Systems' mean ratings by people."""

    criterion: str
    means: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TrialsDone:
    """Trials with random candidates, where those came from, and people's ranking where there is one."""

    found: RandomTrials
    source: str
    human: HumanRanking | None = None


def asked_json(
    asked: Asked,
    resampling: Resampling,
    *,
    trials: TrialsDone | None = None,
    no_trials: str | None = None,
    sources: Mapping[str, str] | None = None,
) -> Json:
    """All that was found; ``no_trials`` says why trials failed, ``sources`` has the sha256 of each file read."""
    return {
        "format": 1,
        "questions": _questions(asked.questions),
        "results": [_result(one, asked) for one in asked.answered],
        "comparisons": as_json(asked.comparisons),
        "failures": [one._asdict() for one in asked.refused],
        "trials": _trials(trials) if trials else None,
        "trials_reason": no_trials,
        "settings": {
            "normalise": asked.normalise,
            "seed": resampling.seed,
            "trials": resampling.resamples,
            "level": resampling.confidence,
            "cluster": resampling.cluster_name,
            "package": __version__,
            "sources": [{"path": path, "sha256": sha256} for path, sha256 in (sources or {}).items()],
        },
    }


def choice_rows(asked: Asked) -> list[Json]:
    """Every choice of every system, as ``choices.jsonl`` and ``--per-item`` hold it; missing ones with their reason."""
    measure = {"measure": SelectionAccuracy(asked.normalise).signature.call}
    return [
        measure | {"id": one.item, "system": one.system, "status": question.status, "reason": one.reason}
        if isinstance(one, Missing)
        else measure | choice_json(one)
        for answer in asked.answered
        for one, question in zip(answer.choices, asked.questions, strict=True)
    ]


def write_asked(folder: Path, content: Json, rows: Sequence[Json]) -> None:
    """Write ``asked.json`` and ``choices.jsonl`` into the folder, each whole."""
    write_choices(folder / "choices.jsonl", rows)
    write_document(folder / "asked.json", content)


def why_no_ranking(ranking: HumanRanking, systems: Sequence[str]) -> str | None:
    """Why these systems' ranking cannot be correlated with people's; None where it can."""
    if sum(name in ranking.means for name in systems) >= 2:
        return None
    return (
        f"People judged {', '.join(ranking.means) or 'nobody'}, and two or more of {', '.join(systems)} are needed to "
        "correlate rankings. Use the same names in both."
    )


def _questions(questions: Sequence[Question]) -> Json:
    counts = Counter(question.status for question in questions)
    return {
        "n": len(questions),
        "chance": finite(chance(questions)),
        "status": status_line(questions),
        "vetted": counts["vetted"],
        "unvetted": counts["unvetted"],
        "unknown": counts[None],
        "sharing_a_context": sharing_a_context(questions),
        "most_candidates": max(len(question.candidates) for question in questions),
        "warnings": list(question_faults(questions)),
    }


def _result(answer: Answered, asked: Asked) -> Json:
    statuses = {question.status for question in asked.questions}
    hits = {str(k): finite(result.score) for k, result in answer.hits.items()}
    return {
        "system": answer.system,
        "signature": answer.signature,
        "accuracy": finite(answer.accuracy.score),
        **ends(answer.accuracy),
        "mrr": finite(answer.mrr.score),
        **ends(answer.mrr, prefix="mrr_"),
        **{f"hits@{k}": score for k, score in hits.items()},
        "hits": hits,
        "n": answer.accuracy.scored,
        "unscored": len(answer.accuracy) - answer.accuracy.scored,
        "reason": next(iter(answer.accuracy.reasons.values()), None),
        "ties": answer.ties,
        "normalise": asked.normalise,
        "by_likelihood": answer.by_likelihood,
        "status": statuses.pop() if len(statuses) == 1 else "mixed",
        "measure": str(answer.accuracy.signature),
        "data": answer.accuracy.provenance.data,
        "errors": errors_json(answer.errors),
    }


def _trials(trials: TrialsDone) -> Json:
    found = trials.found
    return {
        "trials": len(found.random),
        "pool": found.pool,
        "questions": found.questions,
        "left_out": found.left_out,
        "source": trials.source,
        "seed": found.seed,
        "systems": [
            {
                "system": name,
                "chosen": float(chosen),
                "mean": float(random.mean()),
                "five": five_numbers(random),
            }
            for name, chosen, random in zip(found.systems, found.chosen, found.random.T, strict=True)
        ],
        "accuracies": found.random.tolist(),
        "human": _human_json(trials),
        "human_reason": why_no_ranking(trials.human, found.systems) if trials.human else None,
        "failures": [one._asdict() for one in found.refused],
    }


def _human_json(trials: TrialsDone) -> Json | None:
    """How the rankings of trials correlate with people's; None where people ranked fewer than two of the systems."""
    found, ranking = trials.found, trials.human
    if ranking is None or why_no_ranking(ranking, found.systems):
        return None
    human = np.array([ranking.means.get(name, np.nan) for name in found.systems])
    known = ~np.isnan(human)
    spread = over_scores(human, found.random)
    return {
        "criterion": ranking.criterion,
        "coefficient": "spearman",
        "systems": int(known.sum()),
        "not_judged": [name for name, judged in zip(found.systems, known, strict=True) if not judged],
        "chosen": finite(float(correlations(human[known], found.chosen[known], "spearman"))),
        "mean": float(spread.values.mean()) if spread.values.size else None,
        "five": spread.five,
        "undefined": spread.undefined,
        "values": spread.values.tolist(),
    }
