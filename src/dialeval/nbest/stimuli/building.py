"""Stimuli from pairs: ENTQ asks about an entailed hypothesis, CNTQ doubts a contradicted one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dialeval.data.types import Candidate, Context, Question, Turn
from dialeval.nbest.document import Stimulus, StimulusKind
from dialeval.nbest.stimuli.pairs import Pair, Relation
from dialeval.nbest.stimuli.questions import Polar, polar_questions, without_capital
from dialeval.nbest.stimuli.rules import HYPOTHESIS_RULES, PREMISE_RULES, first_rule
from dialeval.nbest.stimuli.sentence import Sentence, Tagger, analyse, capitalised, tidy_text, written
from dialeval.nbest.stimuli.subjects import Clause, clause_of


class Usable(NamedTuple):
    """A pair that passed every rule."""

    pair: Pair
    history: str
    statement: Sentence
    """The hypothesis, its first word without a capital unless it is a name."""
    polar: Polar


class Sifted(NamedTuple):
    """The pairs that can be used, and how many each rule left out."""

    usable: list[Usable]
    excluded: Counter[str]


class Built(NamedTuple):
    """Stimuli to test with, questions to train on, and how many pairs each rule left out."""

    stimuli: list[Stimulus]
    training: list[Question]
    excluded: Counter[str]


def build_stimuli(pairs: Iterable[Pair], tagger: Tagger, *, hold_back: bool = False) -> Built:
    """A stimulus for each usable pair.

    With ``hold_back``, premises that have both an entailed and a contradicted hypothesis become training questions
    instead (Table 5.7), so that no context is both trained on and tested.
    """
    sifted = sift(list(pairs), tagger)
    excluded = Counter(sifted.excluded)
    twins = _twins(sifted.usable) if hold_back else {}
    training = [question for pair in twins.values() for question in training_questions(*pair)]
    stimuli = []
    for usable in sifted.usable:
        if usable.history in twins:
            excluded["kept for training"] += 1
        elif (stimulus := stimulus_of(usable)) is not None:
            stimuli.append(stimulus)
        else:
            excluded["hypothesis: no negative form"] += 1
    return Built(stimuli, training, excluded)


def sift(pairs: Sequence[Pair], tagger: Tagger) -> Sifted:
    """The pairs that pass every rule, each premise looked at first."""
    excluded: Counter[str] = Counter()
    decided = [pair for pair in pairs if pair.relation in ("entailment", "contradiction")]
    excluded["label: neutral"] = sum(pair.relation == "neutral" for pair in pairs)
    excluded["label: none"] = sum(pair.relation is None for pair in pairs)
    premises = analyse([history_of(pair.premise) for pair in decided], tagger)
    hypotheses = analyse([tidy_text(pair.hypothesis) for pair in decided], tagger)
    usable = []
    for pair, premise, hypothesis in zip(decided, premises, hypotheses, strict=True):
        result = _questions_of(pair, premise, hypothesis)
        if isinstance(result, Usable):
            usable.append(result)
        else:
            excluded[result] += 1
    return Sifted(usable, +excluded)


def _questions_of(pair: Pair, premise: Sentence, hypothesis: Sentence) -> Usable | str:
    """The pair with its questions, or the rule that leaves it out."""
    if (rule := first_rule(premise, PREMISE_RULES)) is not None:
        return f"premise: {rule}"
    if (rule := first_rule(hypothesis, HYPOTHESIS_RULES)) is not None:
        return f"hypothesis: {rule}"
    clause = clause_of(hypothesis)
    if not isinstance(clause, Clause):
        return f"hypothesis: {clause}"
    polar = polar_questions(clause, pair.premise)
    if polar is None:
        return "hypothesis: unusual modal"
    statement = without_capital(clause.words, pair.premise)
    return Usable(pair, history_of(pair.premise), statement, polar)


def history_of(premise: str) -> str:
    """The premise as something that was said: a capital first, a full stop last.

    >>> history_of("yeah i'm in North Carolina")
    "Yeah I'm in North Carolina."
    """
    said = capitalised(tidy_text(premise))
    return said if said.endswith((".", "!", "?")) or not said else f"{said}."


def stimulus_of(usable: Usable) -> Stimulus | None:
    """The stimulus of a pair; None where a contradicted hypothesis has no negative question."""
    entailed = usable.pair.relation == "entailment"
    kind: StimulusKind = "ENTQ" if entailed else "CNTQ"
    message = usable.polar.positive if entailed else usable.polar.negative
    if message is None:
        return None
    context = _context(usable.history, message)
    return Stimulus(f"{kind.lower()}-{usable.pair.item}", kind, context, "yes" if entailed else "no")


def _context(history: str, message: str) -> Context:
    """The system has said the history, and the user asks back."""
    return (Turn("assistant", history), Turn("user", message))


def _twins(usable: Iterable[Usable]) -> dict[str, tuple[Usable, Usable]]:
    """By history, the first entailed and the first contradicted hypothesis, where there are both with all questions."""
    first: dict[tuple[str, Relation | None], Usable] = {}
    for each in usable:
        if each.polar.negative is not None:
            first.setdefault((each.history, each.pair.relation), each)
    return {
        history: (entailed, first[history, "contradiction"])
        for (history, relation), entailed in first.items()
        if relation == "entailment" and (history, "contradiction") in first
    }


def training_questions(entailed: Usable, contradicted: Usable) -> list[Question]:
    """PositiveQ1, PositiveQ2, NegativeQ1 and NegativeQ2 with their gold and negative answers (Table 5.7)."""
    true, false = written(entailed.statement), written(contradicted.statement)
    about_true = (f"Yes, {true}.", f"No, {false}.")
    about_false = (f"No, {true}.", f"Yes, {false}.")
    asked = {
        "PositiveQ1": (entailed.polar.positive, about_true),
        "PositiveQ2": (contradicted.polar.positive, about_false),
        "NegativeQ1": (entailed.polar.negative, about_true),
        "NegativeQ2": (contradicted.polar.negative, about_false),
    }
    return [
        Question(
            f"{entailed.pair.item}-{name}",
            _context(entailed.history, message),
            (Candidate(gold, correct=True), Candidate(negative, correct=False, error="contradictory")),
        )
        for name, (message, (gold, negative)) in asked.items()
        if message is not None
    ]
