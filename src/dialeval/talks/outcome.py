"""Outcome of a talk, as the metadata of its dialogue hold it: scenario, success, how it ended, and the user's faults.

A dialogue is a talk if its metadata have ``success``: true, false or a number from 0 to 1, or null if nobody can say,
with ``success_reason``. ``scenario`` and ``repeat`` say what it was about; without them, the id is read as
``SCENARIO/REPEAT``. ``end`` is a code, and ``faults`` lists the user's faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast, get_args

from dialeval.core import Resampling, by_context
from dialeval.data.types import Dialogue

End: TypeAlias = Literal["user", "system", "limit", "silent", "failed"]
"""Code of how a talk ended: the user ended it, or the system did; it reached the most turns; the system said nothing;
or we failed to ask one of them, which is nobody's fault."""
ENDS: Final[tuple[End, ...]] = get_args(End)
FaultKind: TypeAlias = Literal[
    "invented", "early", "ended_early", "never_ended", "off_goal", "language", "repeated", "empty"
]
FAULT_KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)
Effect: TypeAlias = Literal["helped", "hindered", "minor", "unknown"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a simulated user."""

    turn: int
    """Number of the turn among all turns of the dialogue, from 1."""
    kind: FaultKind
    effect: Effect = "unknown"
    """True if the fault helped the system, hindered it, or can have changed nothing."""
    evidence: str = ""
    """Words of the fault, or what is missing."""
    by: str = "rules"
    """Who tagged it: the rules, a judge or a person."""


NOT_A_TALK: Final = "no outcome (metadata.success)"
FAILED: Final = "the talk failed for a technical reason"


def is_talk(dialogue: object) -> bool:
    """Return whether the dialogue has an outcome, perhaps an unknown one."""
    return isinstance(dialogue, Dialogue) and "success" in dialogue.metadata


def scenario_of(dialogue: Dialogue) -> str:
    """Return the scenario: what the metadata say, or the id up to its last slash."""
    stated = dialogue.metadata.get("scenario")
    return str(stated) if isinstance(stated, str | int) else dialogue.item.rpartition("/")[0] or dialogue.item


def success_of(dialogue: Dialogue) -> float | None:
    """Return the success from 0 to 1; None if nobody can say, or if the dialogue is no talk."""
    value = dialogue.metadata.get("success")
    if isinstance(value, bool | int | float) and 0.0 <= float(value) <= 1.0:
        return float(value)
    return None


def end_of(dialogue: Dialogue) -> End | None:
    """Return how the talk ended; None if that is not recorded."""
    end = dialogue.metadata.get("end")
    return end if end in ENDS else None


def why_unknown(dialogue: object) -> str | None:
    """Return why the talk has no outcome; None if it has one."""
    if not isinstance(dialogue, Dialogue) or "success" not in dialogue.metadata:
        return NOT_A_TALK
    if success_of(dialogue) is not None:
        return None
    stated = dialogue.metadata.get("success_reason")
    found = dialogue.metadata["success"]
    wrong = f"metadata.success is {found!r}, expected true, false or a number from 0 to 1"
    return str(stated) if stated else wrong if found is not None else "no outcome"


NOBODY_LOOKED: Final = "nobody looked for the user's faults (metadata.faults)"


def check_faults(dialogue: Dialogue) -> str | None:
    """Return why the user's faults are not known: nobody looked for them, or one in the metadata is none."""
    found = dialogue.metadata.get("faults")
    if found is None:
        return NOBODY_LOOKED
    if not isinstance(found, list | tuple):
        return f"metadata.faults is {str(found)[:40]!r}, expected a list"
    for place, each in enumerate(found):
        if not isinstance(each, Mapping) or each.get("kind") not in FAULT_KINDS:
            shown = each.get("kind") if isinstance(each, Mapping) else each
            return f"metadata.faults[{place}] is of no known kind: {str(shown)[:40]!r}"
        if each.get("effect", "unknown") not in EFFECTS:
            return f"metadata.faults[{place}].effect is {str(each['effect'])[:40]!r}"
    return None


def by_scenario(resampling: Resampling, talks: Iterable[Dialogue]) -> Resampling:
    """Return the settings with talks about one scenario resampled together, also if their ids do not show it."""
    pairs = [(talk.item, ("scenario", scenario_of(talk))) for talk in talks if "scenario" in talk.metadata]
    return replace(resampling, group=by_context(pairs)) if pairs else resampling


def faults_of(dialogue: Dialogue) -> tuple[Fault, ...]:
    """Return the user's faults; what is no fault in the metadata is left to `check_faults`."""
    return tuple(_faults(dialogue.metadata.get("faults")))


def _faults(found: object) -> Iterator[Fault]:
    for each in found if isinstance(found, Sequence) else ():
        if not isinstance(each, Mapping) or each.get("kind") not in FAULT_KINDS:
            continue
        turn, effect = each.get("turn"), each.get("effect", "unknown")
        yield Fault(
            turn if isinstance(turn, int) else 0,
            cast(FaultKind, each["kind"]),
            cast(Effect, effect) if effect in EFFECTS else "unknown",
            str(each.get("evidence", "")),
            str(each.get("by", "rules")),
        )


def fault_fields(fault: Fault) -> dict[str, object]:
    """Return the fault as metadata hold it."""
    return {
        "turn": fault.turn,
        "kind": fault.kind,
        "effect": fault.effect,
        "evidence": fault.evidence,
        "by": fault.by,
    }


def are_identical(talks: Sequence[Dialogue]) -> bool:
    """Return whether the repeats of every scenario are word for word the same, so that they show nothing."""
    said: dict[tuple[str, str], set[tuple[tuple[str, str], ...]]] = {}
    times: dict[tuple[str, str], int] = {}
    for talk in talks:
        key = talk.system, scenario_of(talk)
        said.setdefault(key, set()).add(tuple((turn.speaker, turn.text) for turn in talk.turns))
        times[key] = times.get(key, 0) + 1
    repeated = [key for key, number in times.items() if number > 1]
    return bool(repeated) and all(len(said[key]) == 1 for key in repeated)
