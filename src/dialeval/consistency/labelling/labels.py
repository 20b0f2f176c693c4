"""Labels of answers to probes: three raters each, by the rules of the thesis (Sato, 2024, section 4.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, NamedTuple, cast

import numpy as np

from dialeval.annotation.answers import Unusable, blamed, usable
from dialeval.annotation.forms import Form, Option
from dialeval.annotation.items import Utterance
from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.detecting.detector import PairDetector, Verdict, without_gaps
from dialeval.consistency.document import Label, LabelledAnswer
from dialeval.consistency.pairs.types import Pair
from dialeval.data import encode
from dialeval.data.types import Judgement, Prompt
from dialeval.errors import Unsuitable
from dialeval.ratings.raters import Qualification, gold_answers, qualify
from dialeval.ratings.table import Ratings
from dialeval.ratings.votes import Unsettled, Votes
from dialeval.stats.agreement.kappa import fleiss_kappa
from dialeval.stats.estimate import Statistic

FORM: Final = Form(
    "contradiction",
    "Read the conversation. Does the line below it contradict what the same speaker said in the marked line?",
    (
        Option(1, "contradictory", "yes, it contradicts what the speaker said"),
        Option(0, "consistent", "no, both can be true"),
    ),
    raters=3,
)
QUALIFICATION: Final = Qualification(accuracy=20 / 21, answers=21)
"""Fewer than two wrong of 21 known answers."""
GOLD: Final = "gold"
"""The rater whose answers to the qualification test are the known ones."""


@dataclass(frozen=True, slots=True)
class Rule:
    """1 if ``needed`` or more votes are for a contradiction, 0 if all of at least ``raters`` are against it."""

    needed: int = 2
    raters: int = FORM.raters

    @classmethod
    def of(cls, text: str) -> Rule:
        """The rule that is written ``2-of-3``."""
        found = re.fullmatch(r"([1-9]\d?)-of-([1-9]\d?)", text.strip())
        needed, raters = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 0 < needed <= raters:
            raise Unsuitable(f"Found the rule {text!r}; write votes and raters, as in 2-of-3 or 3-of-3.")
        return cls(needed, raters)

    def label(self, votes: Votes) -> float | Unsettled:
        """That value, or how the votes are spread."""
        against = sum(vote == 1 for vote in votes)
        if against >= self.needed:
            return 1.0
        if len(votes) >= self.raters and against == 0:
            return 0.0
        return Unsettled(f"{against} of {len(votes)} votes for a contradiction")


class Unanimity(NamedTuple):
    """Answers that any rater calls a contradiction, and those that all raters do."""

    any: int
    all: int

    @property
    def share(self) -> float | None:
        """Of those with any vote, how many are unanimous; None if there are none."""
        return self.all / self.any if self.any else None


@dataclass(frozen=True, slots=True)
class AtDistance:
    """Labels of answers to questions that follow what they ask about by one number of turns."""

    distance: int
    counts: Mapping[Label, int]
    """Answers with each label."""
    contexts: int
    contradicted: int
    """Contexts in which one system or more contradicts itself."""
    kappa: Statistic
    unanimity: Unanimity


@dataclass(frozen=True, slots=True)
class Labels:
    """Labelled answers, raters' agreement, and the answers that could not be used."""

    answers: tuple[LabelledAnswer, ...]
    kappa: Statistic
    unusable: tuple[Unusable, ...]
    dropped: tuple[str, ...] = ()
    """Raters who did not pass the qualification test."""
    by_distance: tuple[AtDistance, ...] = ()
    """The same for each distance of the question from what it asks about."""
    gold: tuple[Judgement, ...] = ()
    """Unanimous answers as known values, contradictory and consistent ones in turn as far as there are both."""

    @property
    def unanimity(self) -> Unanimity:
        """Answers with any vote for a contradiction, and with all."""
        return _unanimity(self.answers)

    @property
    def counts(self) -> Counter[Label]:
        """How many answers have each label."""
        return Counter(answer.label for answer in self.answers)


def with_utterances(answers: Iterable[ProbeAnswer]) -> list[tuple[ProbeAnswer, Utterance]]:
    """Each answer with what raters judge of it: the response under its probe and system, the referent marked.

    A system that gives one probe one text twice, as one probe may be in two draws, is judged once; a second text has
    ``(2)`` behind the system.
    """
    found: list[tuple[ProbeAnswer, Utterance]] = []
    known: dict[tuple[str, str], dict[str, Utterance]] = {}
    for answer in answers:
        texts = known.setdefault((answer.item, answer.system), {})
        text = answer.example.response.text
        if text not in texts:
            name = f"{answer.system} ({len(texts) + 1})" if texts else answer.system
            texts[text] = Utterance(answer.item, answer.example.context, name, text, answer.referent)
        found.append((answer, texts[text]))
    return found


def utterances_of_answers(answers: Iterable[ProbeAnswer]) -> list[Utterance]:
    """What raters judge, each utterance once."""
    judged = {(said.item, said.system): said for _, said in with_utterances(answers)}
    return list(judged.values())


def qualified(
    judgements: Sequence[Judgement], test: Sequence[Judgement]
) -> tuple[list[Judgement], list[str]]:
    """The judgements of raters who pass the qualification test, and the names of the others."""
    table = Ratings.of(test)
    found = qualify(table, FORM.criterion, gold_answers(table, FORM.criterion, GOLD), QUALIFICATION)
    passed = set(found.passed)
    failed = sorted({judgement.rater for judgement in judgements} - passed)
    return [judgement for judgement in judgements if judgement.rater in passed], failed


def settle(
    answers: Sequence[ProbeAnswer],
    judgements: Iterable[Judgement],
    *,
    rule: Rule | None = None,
    unusable_before: Iterable[Unusable] = (),
    dropped: Sequence[str] = (),
) -> Labels:
    """The label of each answer that raters judged; those nobody judged are left out. Unsuitable if that is all."""
    judged = with_utterances(answers)
    read = usable((said for _, said in judged), judgements, form=FORM, unusable=unusable_before)
    votes = read.by_candidate()
    chosen, labelled, rows = rule or Rule(), [], []
    known: dict[tuple[str, str], float] = {}
    for answer, said in judged:
        given = votes.get((said.item, said.system))
        if not given:
            continue
        values = tuple(map(float, given.values()))
        rows.append(values)
        labelled.append(_labelled(answer, values, chosen.label(values)))
        if len(values) >= chosen.raters and len(set(values)) == 1:
            known[said.item, said.system] = values[0]
    if not labelled:
        why = blamed(read.unusable, FORM, used=0) if read.unusable else "There are no judgements of them."
        by = f" Raters who did not pass the test: {', '.join(dropped)}." if dropped else ""
        raise Unsuitable(f"No answer gets a label. {why}{by}")
    by_distance = _by_distance(labelled, rows)
    gold = _gold(known)
    return Labels(tuple(labelled), _kappa(rows), read.unusable, tuple(dropped), by_distance, gold)


def _gold(known: Mapping[tuple[str, str], float]) -> tuple[Judgement, ...]:
    """Known values as judgements; the first ones have as many contradictions as consistent answers."""
    yes, no = ([name for name, value in known.items() if value == wanted] for wanted in (1.0, 0.0))
    mixed = [name for pair in zip_longest(yes, no) for name in pair if name is not None]
    return tuple(Judgement(item, system, GOLD, FORM.criterion, known[item, system]) for item, system in mixed)


def _by_distance(labelled: Sequence[LabelledAnswer], rows: Sequence[Votes]) -> tuple[AtDistance, ...]:
    found = []
    for distance in sorted({answer.distance for answer in labelled if answer.distance is not None}):
        places = [place for place, answer in enumerate(labelled) if answer.distance == distance]
        own = [labelled[place] for place in places]
        contradicted = {answer.id for answer in own if answer.label == "contradiction"}
        found.append(
            AtDistance(
                distance,
                Counter(answer.label for answer in own),
                len({answer.id for answer in own}),
                len(contradicted),
                _kappa([rows[place] for place in places]),
                _unanimity(own),
            )
        )
    return tuple(found)


def _unanimity(labelled: Sequence[LabelledAnswer]) -> Unanimity:
    return Unanimity(
        sum(answer.votes > 0 for answer in labelled), sum(answer.unanimous for answer in labelled)
    )


def label_by_detector(answers: Sequence[ProbeAnswer], detector: PairDetector) -> Labels:
    """Labels by the detector's verdicts on each answer and the turn that its probe asks about.

    They follow the detector's errors: two sets of answers can be compared by them, rates cannot be reported.
    """
    said: dict[Verdict, Label] = {
        "contradiction": "contradiction",
        "ambiguous": "ambiguous",
        "none": "consistent",
    }
    pairs = [
        Pair(
            answer.example.context[answer.referent].text,
            answer.example.response.text,
            answer.example.context[-1].text,
        )
        for answer in answers
    ]
    verdicts = map(detector.calibration.verdict, without_gaps(detector.probabilities(pairs)).tolist())
    labelled = tuple(
        replace(_labelled(answer, (), Unsettled("")), label=said[verdict], by="detector")
        for answer, verdict in zip(answers, verdicts, strict=True)
    )
    return Labels(labelled, _kappa([]), ())


def _labelled(answer: ProbeAnswer, votes: Votes, label: float | Unsettled) -> LabelledAnswer:
    context = answer.example.context
    said: Label = "ambiguous"
    messages = cast("list[dict[str, str]]", encode(Prompt(answer.item, context))["context"])
    if not isinstance(label, Unsettled):
        said = "contradiction" if label else "consistent"
    return LabelledAnswer(
        id=answer.item,
        system=answer.system,
        earlier=context[answer.referent].text,
        between=context[-1].text,
        response=answer.example.response.text,
        label=said,
        votes=int(sum(votes)),
        raters=len(votes),
        draw=answer.draw,
        kind=answer.kind,
        context=tuple(messages),
        referent=answer.referent,
        distance=answer.distance,
    )


def _kappa(rows: Sequence[Votes]) -> Statistic:
    return fleiss_kappa(np.array([[row.count(0.0), row.count(1.0)] for row in rows]).reshape(-1, 2))
