"""N-best lists for raters: contexts drawn where a measure says right and where it says wrong, and what raters said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from dialeval.core import Signature
from dialeval.data.types import Judgement, NBest
from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.nbest.measuring.judged import JudgedList, Verdict, says_nothing

CRITERIA: Final = ("contradictory", "contradiction")
"""Criteria under which 1 means a contradiction; of labels of errors, ``NAME:contradictory``."""
UNRATED: Final = "a response has no votes"
TIED: Final = "as many raters call a response contradictory as do not"


class Drawn(NamedTuple):
    """Lists of one system that were drawn for raters."""

    system: str
    right: tuple[NBest, ...]
    """For contexts in which the measure says right."""
    wrong: tuple[NBest, ...]


def draw_lists(
    lists: Sequence[NBest], right: Mapping[tuple[str, str], bool], *, most: int, seed: int = 0
) -> list[Drawn]:
    """At most ``most`` lists of each system where the measure says right, and as many where it says wrong.

    ``right`` has the verdict by item and system. The draw of a system follows from the seed and the ids of its lists,
    not from their order or from other systems (Sato, 2024, section 3.6, drew five and five by hand).
    """
    found = []
    for system in dict.fromkeys(nbest.system for nbest in lists):
        groups: dict[bool, list[NBest]] = {True: [], False: []}
        for nbest in sorted((one for one in lists if one.system == system), key=lambda one: one.item):
            verdict = right.get((nbest.item, system))
            if verdict is not None:
                groups[verdict].append(nbest)
        own = {verdict: _some(group, most, f"{seed} {system} {verdict}") for verdict, group in groups.items()}
        found.append(Drawn(system, own[True], own[False]))
    return found


def _some(group: Sequence[NBest], most: int, seed: str) -> tuple[NBest, ...]:
    # Only random() is promised to stay the same from one Python to the next.
    dice = Random(seed)
    marked = sorted((dice.random(), place) for place in range(len(group)))
    return tuple(group[place] for place in sorted(place for _, place in marked[:most]))


class Read(NamedTuple):
    """Lists by raters' verdicts, and the votes that fit none of them."""

    lists: list[JudgedList]
    strange: int
    """Judgements of responses that are in no list."""
    unjudged: Counter[str]
    """Lists that raters' votes do not settle, by reason."""


def judge_by_people(
    lists: Sequence[NBest], judgements: Iterable[Judgement], *, criterion: str | None = None
) -> Read:
    """The lists whose responses raters judged, each response contradictory if more than half of its votes say so.

    A response is the item ``ID/RANK`` of its system, as ``annotate init`` asks about each, or the system
    ``SYSTEM/RANK`` of the item if all responses stood on one page. Blank responses count as contradictory.
    """
    given = list(judgements)
    named = _criterion({judgement.criterion for judgement in given}, criterion)
    votes: dict[tuple[str, str], list[float]] = {}
    for judgement in given:
        if judgement.criterion == named and judgement.value is not None:
            if judgement.value not in (0, 1):
                found = f"{judgement.rater} judges {judgement.item!r} as {judgement.value:g} under {named!r}"
                raise DialevalError(
                    f"{found}; expected 1 for a contradiction or 0 for none. Ask with 'annotate init --kind yes_no "
                    "--criterion contradictory'."
                )
            votes.setdefault((judgement.item, judgement.system), []).append(judgement.value)
    used: set[tuple[str, str]] = set()
    judged: list[JudgedList] = []
    unjudged: Counter[str] = Counter()
    for nbest in lists:
        verdict = _list(nbest, votes, used, named)
        if isinstance(verdict, JudgedList):
            judged.append(verdict)
        else:
            unjudged[verdict] += 1
    strange = sum(len(values) for key, values in votes.items() if key not in used)
    if not judged:
        raise Unsuitable(
            f"Raters' judgements settle none of {len(lists)} lists ({strange:,} votes are about other responses). Give "
            "the lists that were rated, and the export of all of their responses."
        )
    return Read(judged, strange, unjudged)


def _criterion(names: set[str], wanted: str | None) -> str:
    usual = [name for name in sorted(names) if name.rpartition(":")[2] in CRITERIA]
    if wanted is not None and wanted not in names:
        raise UnknownName("criterion", wanted, sorted(names), todo=f"There are {', '.join(sorted(names))}.")
    if wanted is None and len(usual) != 1:
        found = ", ".join(sorted(names)) or "no judgement"
        raise Unsuitable(
            f"Found the criteria {found}; expected one of contradictions. Name it with --criterion."
        )
    return wanted or usual[0]


def _list(
    nbest: NBest,
    votes: Mapping[tuple[str, str], Sequence[float]],
    used: set[tuple[str, str]],
    criterion: str,
) -> JudgedList | str:
    """The list by its votes, or why it has no verdicts; ``used`` gets the responses that were judged."""
    verdicts: list[Verdict] = []
    shares = []
    why = None
    for rank, response in enumerate(nbest.responses, start=1):
        keys = (f"{nbest.item}/{rank}", nbest.system), (nbest.item, f"{nbest.system}/{rank}")
        known = [key for key in keys if key in votes]
        used.update(known)
        values = [value for key in known for value in votes[key]]
        if says_nothing(response):
            values = [1.0]
        share = sum(values) / len(values) if values else None
        if share is None or share == 0.5:
            why = why or (UNRATED if share is None else TIED)
            continue
        verdicts.append("contradictory" if share > 0.5 else "consistent")
        shares.append(max(share, 1 - share))
    if why is not None:
        return why
    reader = str(Signature("people", (("criterion", criterion),)))
    return JudgedList(nbest, tuple(verdicts), tuple(shares), reader)
