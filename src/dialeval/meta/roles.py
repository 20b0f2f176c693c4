"""Roles of raters: people or measures, and the names of measures."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.catalogue.metrics import CORPUS_MEASURES, METRICS
from dialeval.core import Signature
from dialeval.display.notes import Note
from dialeval.display.wording import first_few
from dialeval.errors import UnknownName, Unsuitable
from dialeval.ratings.table import Ratings
from dialeval.text.calls import print_call, split_call


def measuring(
    ratings: Ratings, criterion: str, *, people: Sequence[str] | None, measures: Sequence[str] | None
) -> NDArray[np.bool_]:
    """Whether each rater is a measure, shape (raters,); the others are people.

    A rater is a measure by its name (see `measures_among`), if it never judges the human criterion, or where a
    pattern of ``measures`` fits. If ``people`` is given, those whom its patterns fit are people and nobody else is.
    A pattern that fits nobody is refused.
    """
    for patterns, what in ((people, "people"), (measures, "measures")):
        _check_patterns(ratings, patterns or (), what)
    judges = np.zeros(len(ratings.raters), dtype=bool)
    judges[ratings.rater[ratings.criterion == ratings.criteria.index(criterion)]] = True
    human = people_among(ratings, human=criterion, people=people, measures=measures)
    if people is None:
        return ~(human & judges)
    for name, person in zip(ratings.raters, human.tolist(), strict=True):
        if person and fits(name, measures or ()):
            raise Unsuitable(
                f"The rater {name!r} matches a pattern for people and one for measures. Make one of them narrower."
            )
    return ~human


def people_among(
    ratings: Ratings,
    *,
    human: str | None = None,
    people: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> NDArray[np.bool_]:
    """Whether each rater is a person, whatever it judges, shape (raters,).

    If ``people`` is given, those whom its patterns fit; otherwise all but the measures by name (`measures_among`)
    and those whom a pattern of ``measures`` fits.
    """
    if people is not None:
        return np.array([fits(name, people) for name in ratings.raters], dtype=bool)
    known = measures_among(ratings, human=human)
    return np.array(
        [name not in known and not fits(name, measures or ()) for name in ratings.raters], dtype=bool
    )


def measures_among(ratings: Ratings, *, human: str | None = None) -> frozenset[str]:
    """The raters that are measures by their names, of whatever criterion.

    Those are called as a metric of ours is (by its name or its whole signature), or judge nothing but a criterion which
    is called after them, as ``METEOR`` on ``METEOR`` or ``fed(quality='Fluent')`` on ``fed``. A rater called after the
    ``human`` criterion is a person; and so are those called after theirs if nobody else would be left.
    """
    ours = frozenset(name for name in ratings.raters if called_like_a_metric(name))
    theirs = called_after_their_criterion(ratings, human)
    return ours | theirs if len(ours | theirs) < len(ratings.raters) else ours


def taken_for_measures(
    automatic: Ratings,
    human_criterion: str,
    *,
    people: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> tuple[Note, ...]:
    """A note on those among the ``automatic`` raters whom neither their names nor any pattern calls measures."""
    if people is not None:
        return ()
    known = called_after_their_criterion(automatic, human_criterion)
    unsure = [
        name
        for name in automatic.raters
        if name not in known and not called_like_a_metric(name) and not fits(name, measures or ())
    ]
    if not unsure:
        return ()
    text = (
        f"treated as measures, because they never rated {human_criterion}: {first_few(unsure)}; if they are people, "
        "give their names with --people"
    )
    return (Note("taken_for_measures", text),)


def told_roles(
    human: Sequence[str], automatic: Sequence[str], *, people: Sequence[str] | None
) -> tuple[Note, ...]:
    """A note on who counts as what, for those who named some of them; ``automatic`` are the measures' raters."""
    rest = ", being all the others" if people is not None else ""
    measures = first_few([_label(name) or name for name in automatic], most=8) or "none"
    return (
        Note("people", f"people: {first_few(human, most=8) or 'nobody'}"),
        Note("measures", f"measures{rest}: {measures}"),
    )


def called_after_their_criterion(ratings: Ratings, human: str | None) -> frozenset[str]:
    """The raters that judge nothing but a criterion called after them, unless it is the human one."""
    pairs = np.unique(np.column_stack([ratings.rater, ratings.criterion]), axis=0).tolist()
    judged = [(ratings.raters[rater], ratings.criteria[criterion]) for rater, criterion in pairs]
    others = {
        rater
        for rater, criterion in judged
        if criterion == human or criterion not in (rater, _name_in_call(rater))
    }
    return frozenset(ratings.raters) - others


def fits(rater: str, patterns: Sequence[str]) -> bool:
    """Whether the rater, or the call its signature begins with, is matched by one of the patterns."""
    names = {rater, _call(rater) or rater, _label(rater) or rater}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _check_patterns(ratings: Ratings, patterns: Sequence[str], what: str) -> None:
    for pattern in patterns:
        if not any(fits(name, [pattern]) for name in ratings.raters):
            names = [_call(name) or name for name in ratings.raters]
            todo = f"A pattern for {what} must match one of the {len(names):,} raters: {first_few(names, most=8)}."
            raise UnknownName("rater", pattern, names, todo=todo)


def called_like_a_metric(rater: str) -> bool:
    """Whether the rater's name is a signature, or a metric of ours with or without parameters."""
    name = _name_in_call(rater)
    return _call(rater) is not None or name in METRICS or name in CORPUS_MEASURES


class Named(NamedTuple):
    """A measure's name in tables, and whose values it stands for."""

    name: str
    rater: str
    criterion: str


def named(pairs: Sequence[tuple[str, str]]) -> list[Named]:
    """The shortest telling name of each (rater, criterion), all of them different.

    A rater with a signature goes by its name, with parameters that are not a default or in which it differs from others
    of that name (``bertscore``, ``bleu(order=2)``), another one with a single criterion by its own name, and one with
    several by its criteria; if that is not unique all parameters are written, the rater before it, or in full.
    """
    criteria = Counter(rater for rater, _ in pairs)
    differing = _differing([rater for rater, _ in pairs])
    short = [
        (_label(rater, differing) or rater) if criteria[rater] == 1 else criterion
        for rater, criterion in pairs
    ]
    calls = [(_call(rater) or rater) if criteria[rater] == 1 else criterion for rater, criterion in pairs]
    longer = [
        rater if criteria[rater] == 1 else f"{_call(rater) or rater}/{criterion}"
        for rater, criterion in pairs
    ]
    whole = [f"{rater}/{criterion}" for rater, criterion in pairs]
    names = short
    for alternative in (calls, longer, whole):
        times = Counter(names)
        names = [name if times[name] == 1 else other for name, other in zip(names, alternative, strict=True)]
    return [Named(name, *pair) for name, pair in zip(names, pairs, strict=True)]


def _call(rater: str) -> str | None:
    try:
        return Signature.parse(rater).call
    except ValueError:
        return None


def _differing(raters: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Names of measures and of parameters in which two measures of that name differ."""
    values: dict[tuple[str, str], set[object]] = {}
    for rater in raters:
        if _call(rater) is not None:
            signature = Signature.parse(rater)
            for key, value in signature.parameters:
                values.setdefault((signature.name, key), set()).add(value)
    return frozenset(name for name, different in values.items() if len(different) > 1)


def _label(rater: str, differing: Collection[tuple[str, str]] = ()) -> str | None:
    """The call without parameters that are a metric's defaults, or are not known, unless measures differ in them."""
    try:
        signature = Signature.parse(rater)
    except ValueError:
        return None
    maker = METRICS.get(signature.name) or CORPUS_MEASURES.get(signature.name)
    name, parameters = signature.name, signature.parameters
    usual = dict(parameters)
    if maker is not None:
        usual = {key: parameter.default for key, parameter in inspect.signature(maker).parameters.items()}
    return print_call(name, [(k, v) for k, v in parameters if usual.get(k) != v or (name, k) in differing])


def _name_in_call(rater: str) -> str | None:
    """``bleu`` of ``bleu(order=4)``; None if the rater is not called so, or more follows."""
    try:
        call = split_call(rater)
    except ValueError:
        return None
    return None if call.rest and _call(rater) is None else call.name
