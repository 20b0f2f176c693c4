"""Verdicts of a judge and ratings by people, from run folders and files of judgements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.errors import UnknownName, Unsuitable
from dialeval.judge.escalation import JudgedAnswer, judged_answers
from dialeval.meta.judgements import only_criterion
from dialeval.meta.roles import people_among
from dialeval.ratings import Ratings, Repeats, read_judgements
from dialeval.study.judged import CONFIDENCES
from dialeval.text.calls import split_call


class Judged(NamedTuple):
    """The answers that a judge was asked about."""

    judge: str
    """The rater, a signature of a judge that ran here."""
    criterion: str
    """What people rate."""
    answers: list[JudgedAnswer]


def read_judged(
    sources: Sequence[str],
    format: str | None,
    *,
    judge: str | None,
    confidence: str | None,
    people: Sequence[str] | None,
    criterion: str | None,
    repeats: Repeats | None,
) -> Judged:
    """The verdicts of the named judge, or of the only one, with its confidence and people's mean ratings."""
    ratings = _read(sources, format, repeats)
    name = _rater(ratings, judge)
    sure = None if confidence is None else _rater(ratings, confidence, "confidence")
    others = ratings.where(_not_by(ratings, [name, *([sure] if sure else [])]))
    on = _criterion(others, people, criterion, name)
    theirs = _people(others, people, on) if on in others.criteria else []
    if people is None:
        judges = {_judge_behind(rater) for rater in ratings.raters}
        theirs = [rater for rater in theirs if rater not in judges]
    found = judged_answers(ratings, judge=name, confidence=sure, people=theirs, criterion=on)
    return Judged(name, on, found)


def _read(sources: Sequence[str], format: str | None, repeats: Repeats | None) -> Ratings:
    parts = [read_judgements(sources, format=format, repeats=repeats)]
    beside = [str(path) for source in sources if (path := Path(source) / CONFIDENCES).is_file()]
    parts += [read_judgements(beside)] if beside else []
    return Ratings.merge(parts, repeats=repeats)


def _not_by(ratings: Ratings, names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([rater not in names for rater in ratings.raters], dtype=bool)[ratings.rater]


def _rater(ratings: Ratings, name: str | None, what: str = "judge") -> str:
    """The rater of that name, with or without what follows it in a signature; or the only judge."""
    if name is None:
        found = [rater for rater in ratings.raters if _is_judge(rater)]
        found = found or (list(ratings.raters) if len(ratings.raters) == 1 else [])
        if len(found) == 1:
            return found[0]
        told = f"found {len(found)} judges ({', '.join(found)})" if found else "found no judge of ours"
        raise Unsuitable(
            f"Which rater is the judge? In these files I {told}. Name it with --judge; the raters are "
            f"{', '.join(map(repr, ratings.raters[:8]))}."
        )
    same = [rater for rater in ratings.raters if name in (rater, rater.partition("|")[0])]
    same = same or [rater for rater in ratings.raters if _is_called(rater, name)]
    if len(same) == 1:
        return same[0]
    raise UnknownName(what, name, ratings.raters, todo=f"The raters are {', '.join(ratings.raters[:8])}.")


def _is_called(rater: str, name: str) -> bool:
    """Return whether the rater has that name with these options, as a study calls a judge; it may have more."""
    try:
        full, short = split_call(rater.partition("|")[0]), split_call(name)
    except ValueError:
        return False
    return full.name == short.name and set(short.parameters) <= set(full.parameters)


def _judge_behind(rater: str) -> str | None:
    """The judge whose numbers a rater has, as ``cascaded(judge='gpt-4')`` has those of ``gpt-4``."""
    try:
        named = dict(split_call(rater.partition("|")[0]).parameters).get("judge")
    except ValueError:
        return None
    return named if isinstance(named, str) else None


def _is_judge(rater: str) -> bool:
    """Tell whether the rater is a judge that ran here."""
    try:
        return split_call(rater.partition("|")[0]).name == "judge"
    except ValueError:
        return False


def _criterion(others: Ratings, people: Sequence[str] | None, criterion: str | None, judge: str) -> str:
    if criterion is not None:
        return criterion
    if not people_among(others, people=people).any():
        return _rubric(judge) or "overall"
    return only_criterion(others, people=people, todo="Give the one to rate with --criterion.")


def _rubric(judge: str) -> str | None:
    if not _is_judge(judge):
        return None
    rubric = dict(split_call(judge.partition("|")[0]).parameters).get("rubric")
    return rubric if isinstance(rubric, str) else None


def _people(others: Ratings, people: Sequence[str] | None, criterion: str) -> list[str]:
    human = people_among(others, human=criterion, people=people)
    return [name for name, person in zip(others.raters, human.tolist(), strict=True) if person]


def verdicts_in(source: str, judge: str | None) -> tuple[str, dict[tuple[str, str], float]]:
    """The rater that is the judge, and its verdicts by item and system."""
    ratings = _read([source], None, None)
    name = _rater(ratings, judge)
    found = judged_answers(ratings, judge=name)
    return name, {(one.item, one.system): one.value for one in found if one.value is not None}


def mean_ratings(
    sources: Sequence[str], format: str | None, criterion: str, repeats: Repeats | None
) -> dict[tuple[str, str], float]:
    """The mean rating of each item and system on the criterion, over all raters in the files."""
    ratings = read_judgements(sources, format=format, repeats=repeats).criterion_named(criterion)
    given: dict[tuple[str, str], list[float]] = {}
    for row in np.flatnonzero(np.isfinite(ratings.value)).tolist():
        item, system, _, _ = ratings.names_of(row)
        given.setdefault((item, system), []).append(float(ratings.value[row]))
    return {key: math.fsum(own) / len(own) for key, own in given.items()}
