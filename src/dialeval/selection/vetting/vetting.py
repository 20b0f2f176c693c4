"""Vetting: a test set from a draft and people's scores, with a record of every removal."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, TypeAlias

from dialeval.annotation.answers import Unusable, usable
from dialeval.annotation.forms import ACCEPTABILITY, candidate_ids
from dialeval.annotation.items import utterances_of
from dialeval.data.choices import Purpose, shuffled_places
from dialeval.data.types import Candidate, Judgement, Question
from dialeval.selection.vetting.rules import Rule, Rules, Votes


class Removal(NamedTuple):
    """A candidate, or a whole question, that a rule removed."""

    question: str
    candidate: str | None
    """Its id in the draft; None of the question itself, which has its ground truth's text and scores."""
    text: str
    """Its words; empty if the question has not exactly one ground truth."""
    rule: Rule
    """By which it, or the question it stood in, was removed."""
    votes: tuple[int, ...]
    """Its scores."""
    became: str | None = None
    """The second question whose ground truth it became after all."""


class RuleCount(NamedTuple):
    """Number that a rule removed, or made in the case of surplus."""

    rule: Rule
    questions: int
    candidates: int


@dataclass(frozen=True, slots=True)
class VettingResult:
    """A vetted test set: its questions, their scores, and what is no longer there."""

    rules: Rules
    seed: int
    drafted: int
    """Number of questions that there were."""
    candidates: int
    """Number of their candidates: as many as stayed or were removed, less those that came back as second truths."""
    questions: tuple[Question, ...]
    """With status ``vetted``, candidates shuffled. A second question's id is the first's with ``/2`` behind it."""
    scores: tuple[Judgement, ...]
    """The scores of the candidates that stayed, under their ids in ``questions``."""
    removed: tuple[Removal, ...]
    unusable: tuple[Unusable, ...]
    """Answers that could not be used."""
    used: int
    """Number of answers that were."""

    @property
    def counts(self) -> tuple[RuleCount, ...]:
        """Counts of what each rule removed, in the order of the rules; of surplus, of the questions that it made."""
        counts = []
        for rule in self.rules:
            removals = [removal for removal in self.removed if removal.rule == rule]
            whole = sum(removal.candidate is None for removal in removals)
            made = self.second_questions if rule == self.rules.surplus else 0
            counts.append(RuleCount(rule, whole + made, len(removals) - whole))
        return tuple(counts)

    @property
    def second_questions(self) -> int:
        """Number of questions that were made of surplus."""
        dropped = sum(removal.candidate is None for removal in self.removed)
        return len(self.questions) - (self.drafted - dropped)


def apply(
    rules: Rules,
    questions: Iterable[Question],
    judgements: Iterable[Judgement],
    *,
    unusable: Iterable[Unusable] = (),
    seed: int = 0,
) -> VettingResult:
    """The questions that stand under ``rules`` by these scores (criterion ``acceptability``).

    A judgement's ``item`` is the question and its ``system`` the candidate, as ``candidate_ids`` calls it. ``unusable``
    are answers that became no judgements, to be kept in the record. Applied to its own questions and scores with the
    same seed, it changes nothing.
    """
    drafted = list(questions)
    answers = usable(utterances_of(drafted), judgements, unusable=unusable)
    given = answers.by_candidate()
    taken = {question.item for question in drafted}
    stood, removed = [], []
    for question in drafted:
        sifted = _sift(question, rules, given, taken, seed)
        stood += sifted.kept
        removed += sifted.removed
    finished = [_finish(kept, seed) for kept in stood]
    return VettingResult(
        rules,
        seed,
        len(drafted),
        sum(len(question.candidates) for question in drafted),
        tuple(question.question for question in finished),
        tuple(judgement for question in finished for judgement in _judgements(question, given)),
        tuple(removed),
        answers.unusable,
        len(answers.judgements),
    )


_Given: TypeAlias = Mapping[tuple[str, str], Mapping[str, int]]
"""Scores by question and candidate, then by rater."""


class _Named(NamedTuple):
    """A candidate with its id in the draft and its votes."""

    name: str
    candidate: Candidate
    votes: Votes


class _Kept(NamedTuple):
    """A question in the making."""

    item: str
    draft: Question
    truth: _Named
    false: tuple[_Named, ...]


class _Finished(NamedTuple):
    """A question, and where each of its candidates comes from in the draft."""

    question: Question
    draft: str
    origin: tuple[str, ...]


class _Sifted(NamedTuple):
    kept: list[_Kept]
    removed: list[Removal]


def _sift(question: Question, rules: Rules, given: _Given, taken: Container[str], seed: int) -> _Sifted:
    named = _named(question, given, rules.settled.raters)
    truths = [candidate for candidate in named if candidate.candidate.correct]
    if len(truths) != 1:
        fallen = Removal(question.item, None, "", rules.one_truth, ())
        return _Sifted([], [fallen, *(_single(question, candidate, rules.one_truth) for candidate in named)])
    truth = truths[0]
    against = rules.truth_rule(truth.votes)
    false = [candidate for candidate in named if not candidate.candidate.correct]
    if against is not None:
        return _Sifted([], _whole(question, truth, false, against))
    false = _in_order(false, question.item, seed, "drawn")
    judged = [(candidate, rules.false_rule(candidate.votes)) for candidate in false]
    removed = [_single(question, candidate, rule) for candidate, rule in judged if rule is not None]
    left = [candidate for candidate, rule in judged if rule is None]
    if len(left) < rules.fewest.false:
        return _Sifted([], [*removed, *_whole(question, truth, left, rules.fewest)])
    acceptable = [candidate for candidate, rule in judged if rule == rules.acceptable]
    kept, spare = _deal(question, truth, left, acceptable, rules, taken)
    back: dict[str | None, str] = {question.truth.name: question.item for question in kept[1:]}
    removed = [removal._replace(became=back.get(removal.candidate)) for removal in removed]
    if rules.most is not None:
        removed += [_single(question, candidate, rules.most) for candidate in spare]
    return _Sifted(kept, removed)


def _named(question: Question, given: _Given, raters: int) -> list[_Named]:
    named = []
    for name, candidate in zip(candidate_ids(question), question.candidates, strict=True):
        scores = tuple(given.get((question.item, name), {}).values())
        named.append(_Named(name, candidate, Votes(scores, max(0, raters - len(scores)))))
    return named


def _deal(
    question: Question,
    truth: _Named,
    left: Sequence[_Named],
    acceptable: Sequence[_Named],
    rules: Rules,
    taken: Container[str],
) -> tuple[list[_Kept], list[_Named]]:
    """One question or two of the false candidates that are left, and those that neither takes."""
    second = _second_truth(left, acceptable, rules)
    most = len(left) if rules.most is None else rules.most.false
    half = (len(left) + 1) // 2 if second is not None else len(left)
    mine, rest = left[:half], left[half:]
    kept = [_Kept(question.item, question, truth, tuple(mine[:most]))]
    if second is not None:
        kept.append(_Kept(_free_id(question.item, taken), question, second, tuple(rest[:most])))
    return kept, [*mine[most:], *rest[most:]]


def _second_truth(left: Sequence[_Named], acceptable: Sequence[_Named], rules: Rules) -> _Named | None:
    """The best-scored dropped utterance that would stand as a ground truth, where there is surplus for a question."""
    if rules.surplus is None or len(left) < max(rules.surplus.at_least, 2 * rules.fewest.false):
        return None
    fit = [candidate for candidate in acceptable if rules.truth_rule(candidate.votes) is None]
    return max(fit, key=lambda candidate: candidate.votes.mean, default=None)


def _free_id(item: str, taken: Container[str]) -> str:
    """The id of a second question: ``/2`` behind the first's, or the next number that the draft does not use."""
    return next(name for name in (f"{item}/{number}" for number in count(2)) if name not in taken)


def _in_order(named: Sequence[_Named], item: str, seed: int, purpose: Purpose) -> list[_Named]:
    """Candidates in the order in which they are drawn or shown."""
    places = shuffled_places(
        [candidate.candidate.text for candidate in named], item=item, seed=seed, purpose=purpose
    )
    return [named[place] for place in places]


def _finish(kept: _Kept, seed: int) -> _Finished:
    named = _in_order([kept.truth, *kept.false], kept.item, seed, "shown")
    candidates = tuple(
        # A dropped utterance that became a ground truth no longer has the error it was thought to have.
        Candidate(candidate.candidate.text, correct=True) if candidate is kept.truth else candidate.candidate
        for candidate in named
    )
    question = Question(kept.item, kept.draft.context, candidates, "vetted")
    return _Finished(question, kept.draft.item, tuple(candidate.name for candidate in named))


def _judgements(finished: _Finished, given: _Given) -> list[Judgement]:
    return [
        Judgement(finished.question.item, name, rater, ACCEPTABILITY.criterion, float(score))
        for name, origin in zip(candidate_ids(finished.question), finished.origin, strict=True)
        for rater, score in given.get((finished.draft, origin), {}).items()
    ]


def _single(question: Question, candidate: _Named, rule: Rule) -> Removal:
    return Removal(question.item, candidate.name, candidate.candidate.text, rule, candidate.votes.scores)


def _whole(question: Question, truth: _Named, left: Iterable[_Named], rule: Rule) -> list[Removal]:
    """A question that goes, and with it the false candidates that no rule of their own removed."""
    fallen = Removal(question.item, None, truth.candidate.text, rule, truth.votes.scores)
    return [fallen, *(_single(question, candidate, rule) for candidate in left)]
