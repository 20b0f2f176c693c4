"""Findings of many sentences: what became of each item's slots, and counts for each slot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from dialeval.data.types import Example
from dialeval.display.notes import Note
from dialeval.nlg.document import ItemFindings, SlotCounts
from dialeval.nlg.slots.lexicon import Lexicon
from dialeval.nlg.slots.metric import Profile, SlotErrorRate, lexicon_of
from dialeval.nlg.subjects import act_text

BOUND: Final = 0.1
"""References with more slot errors than this make one doubt the matching, or the references."""
FOUND_BY: Final[Profile] = "dialeval"
"""The definition by which the errors of single slots are found; the others are counts of whole sentences."""


def notes_on(
    metric: SlotErrorRate, examples: Sequence[Example], rates: Mapping[str, float], bound: float = BOUND
) -> tuple[Note, ...]:
    """What a reader of the slot errors of these examples must know; ``rates`` are those of their references."""
    checked = [e for e in examples if metric.unscorable(e) is None and e.response.missing is None]
    notes = (
        reference_note(rates, bound),
        unsaid_note(lexicon_of(checked, metric.aliases), metric.profile),
        profile_note(metric.profile),
    )
    return tuple(note for note in notes if note is not None)


def item_findings(metric: SlotErrorRate, examples: Sequence[Example]) -> list[ItemFindings]:
    """The findings of each response whose act can be checked, the values of all of them being known."""
    checked = [e for e in examples if metric.unscorable(e) is None and e.response.missing is None]
    fitted = metric.fit(checked)
    return [
        ItemFindings(
            example.item,
            example.system,
            act_text(example.context),
            example.response.text,
            tuple(fitted.findings(example)),
        )
        for example in checked
    ]


def slot_counts(items: Sequence[ItemFindings]) -> list[SlotCounts]:
    """The counts of each system and slot, in the order of the file."""
    table: dict[tuple[str, str], Counter[str]] = {}
    for item in items:
        for finding in item.findings:
            times = max(len(finding.spans), 1) if finding.outcome == "said" else 1
            table.setdefault((item.system, finding.slot), Counter())[finding.outcome] += times
    return [
        SlotCounts(
            *(system, slot, counts["said"] + counts["missing"] + counts["wrong"], counts["said"]),
            *(counts["missing"], counts["wrong"], counts["added"], counts["repeated"]),
        )
        for (system, slot), counts in table.items()
    ]


def reference_note(rates: Mapping[str, float], bound: float = BOUND) -> Note | None:
    """A warning where the references' own slot error rate, by system whose items they belong to, exceeds the bound."""
    high = {system: rate for system, rate in rates.items() if rate > bound}
    if not high:
        return None
    system, rate = max(high.items(), key=lambda pair: pair[1])
    return Note(
        "references_slot_errors",
        f"the references themselves have a slot error rate of {rate:.1%} (items of {system!r}), above {bound:.0%}: "
        "either they leave slots out, or values are said in words that the matching does not know. Look at the "
        "slots with --slots, and add words with --aliases.",
    )


def unsaid_note(lexicon: Lexicon, profile: Profile = FOUND_BY) -> Note | None:
    """Which values no reference says in words that the matching knows, and whether the profile counts them."""
    if not lexicon.unsaid:
        return None
    named = ", ".join(f"{pair.slot}={pair.value}" for pair in sorted(lexicon.unsaid)[:5])
    more = f" and {len(lexicon.unsaid) - 5} more" if len(lexicon.unsaid) > 5 else ""
    if profile != FOUND_BY:
        return Note(
            "unsaid_values",
            f"counted, as {profile} counts every value, though no reference says them in words that the matching "
            f"knows: {named}{more}. The profile {FOUND_BY} leaves them out.",
        )
    return Note(
        "unsaid_values",
        f"not counted, since no reference says them in words that the matching knows: {named}{more}. Give --aliases "
        "for those that should be said.",
    )


def profile_note(profile: Profile) -> Note | None:
    """That the errors of single slots do not add up to the rate, where the profile counts otherwise."""
    if profile == FOUND_BY:
        return None
    return Note(
        "slots_of_another_profile",
        f"errors of single slots are found as the profile {FOUND_BY} defines them, so they do not add up to the rate "
        f"of {profile}; slot_error_rate is the rate that they add up to.",
    )
