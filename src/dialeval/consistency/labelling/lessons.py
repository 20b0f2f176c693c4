"""Labelled contradictions as lessons: questions whose false candidates a generator learns not to say."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from dialeval.consistency.document import LabelledAnswer
from dialeval.consistency.probing.probes import Probe
from dialeval.data.codec.bad import Where
from dialeval.data.codec.decode import decode
from dialeval.data.speakers import as_chat
from dialeval.data.types import Candidate, Context, Question
from dialeval.errors import Unsuitable
from dialeval.text.blank import is_blank

CONTESTED: Final = "one system's contradiction is another's consistent answer"
NO_CONTRADICTION: Final = "no answer contradicts"
NO_CONSISTENT: Final = "no answer is consistent"
NO_CONTEXT: Final = "the labelled answer has no context"


class Lessons(NamedTuple):
    """Questions to learn from, and the probes that gave none, by reason."""

    questions: list[Question]
    left_out: Counter[str]


def lessons_of(labelled: Iterable[LabelledAnswer]) -> Lessons:
    """A question for each probe with contradictory answers: its false candidates, beside consistent ones as true ones.

    Answers of all systems count, ambiguous ones do not. A text that is contradictory of one system and consistent of
    another is left out. Speakers are as the systems were asked: who answers is the assistant. Unsuitable if no probe
    gives a question.
    """
    by_probe: dict[str, list[LabelledAnswer]] = {}
    for answer in labelled:
        by_probe.setdefault(answer.id, []).append(answer)
    questions: list[Question] = []
    left_out: Counter[str] = Counter()
    for probe, answers in by_probe.items():
        context = _context(answers)
        texts = {
            label: dict.fromkeys(a.response for a in answers if a.label == label and not is_blank(a.response))
            for label in ("contradiction", "consistent")
        }
        contested = texts["contradiction"].keys() & texts["consistent"].keys()
        false, true = (
            [text for text in texts[label] if text not in contested]
            for label in ("contradiction", "consistent")
        )
        left_out[CONTESTED] += len(contested)
        if context and false and true:
            candidates = [Candidate(text, correct=True) for text in true]
            candidates += [Candidate(text, correct=False, error="contradictory") for text in false]
            questions.append(
                Question(probe, context, tuple(candidates), "vetted" if _people(answers) else None)
            )
        else:
            left_out[NO_CONTEXT if not context else NO_CONTRADICTION if not false else NO_CONSISTENT] += 1
    if not questions:
        why = "; ".join(f"{number} times {reason}" for reason, number in left_out.items() if number)
        raise Unsuitable(
            f"No probe of {len(by_probe):,} has a contradictory and a consistent answer ({why}). Collect answers of "
            "more systems, or more of each, and label them."
        )
    return Lessons(questions, +left_out)


def hold_out(
    labelled: Sequence[LabelledAnswer], probes: Sequence[Probe], share: float, seed: int
) -> tuple[list[LabelledAnswer], list[Probe]]:
    """The labelled answers to learn from, and the probes of a share of the dialogues to test on, which are not learnt.

    Probes whose contexts begin with the same two turns go together: no test probe comes from a dialogue that is learnt
    from.
    """
    openings = {probe.id: _opening(probe.context) for probe in probes}
    groups = sorted(
        set(openings.values()), key=lambda text: hashlib.sha256(json.dumps([seed, text]).encode()).hexdigest()
    )
    number = max(1, round(share * len(groups)))
    if number >= len(groups):
        raise Unsuitable(
            f"Found probes from {len(groups)} dialogues, too few to learn from some and test on {share:.0%}. Give more."
        )
    tested = set(groups[:number])
    strange = [answer.id for answer in labelled if answer.id not in openings]
    if strange:
        raise Unsuitable(
            f"{len(strange):,} labelled answers are to other probes (first: {strange[0]!r}). Give the probes that were "
            "answered."
        )
    kept = [answer for answer in labelled if openings[answer.id] not in tested]
    return kept, [probe for probe in probes if openings[probe.id] in tested]


def _context(answers: Sequence[LabelledAnswer]) -> Context:
    """The messages that were asked, as a chat."""
    answer = next((each for each in answers if each.context), None)
    if answer is None:
        return ()
    fields = {"id": answer.id, "context": [dict(message) for message in answer.context]}
    context = decode(fields, "prompt", Where("labelled answers", None)).context
    return context if answer.referent is None else as_chat(context, context[answer.referent])


def _people(answers: Sequence[LabelledAnswer]) -> bool:
    return all(answer.by == "people" for answer in answers)


def _opening(context: Context) -> str:
    return json.dumps([turn.text for turn in context[:2]])
