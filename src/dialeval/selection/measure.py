"""Response selection as a study knows it: measures for which a system does not answer but chooses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import Final

from dialeval.core import Missing, Part, Resampling, System
from dialeval.data import Example, Question, Response, read
from dialeval.data.choices import Choice, ChoiceRow, NoChoice, read_choices, status_line, write_choices
from dialeval.display.notes import Note
from dialeval.display.pages import Section
from dialeval.errors import Unsuitable
from dialeval.evaluation.measure import Asking, Measure, Respondent, Subjects, Tools
from dialeval.files.documents import as_json, finite
from dialeval.selection.artefacts import notes_below_chance
from dialeval.selection.asking.choices import QUESTIONS_AT_ONCE, Normalise, chance, choose, fitted_chooser
from dialeval.selection.asking.choosers import CHOOSERS
from dialeval.selection.asking.metrics import (
    HitsAt,
    RandomAccuracy,
    ReciprocalRank,
    SelectionAccuracy,
    SelectionConsistency,
    all_against,
    error_labels,
    labels_of,
    why_unscorable,
)
from dialeval.selection.asking.people import HumanRanking, read_ranking, trials_document
from dialeval.selection.asking.questions import (
    narrowed,
    question_notes,
    refuse_twins,
    sharing_a_context,
)
from dialeval.selection.asking.trials import (
    RandomChoice,
    choose_at_random,
    random_pools,
    trials_of,
    utterances_of,
)
from dialeval.selection.document import UNLABELLED, HardQuestion, Offer, SelectionInfo, SystemChoices, Trials
from dialeval.text.calls import print_call, split_call

CHOICES: Final = "choices.jsonl"
HARDEST: Final = 24
"""Number of questions that are shown of those that some system gets wrong."""


@dataclass(frozen=True, slots=True)
class ChoiceMeasure:
    """A metric over choices, and the questions."""

    metric: SelectionAccuracy | ReciprocalRank | HitsAt
    questions: str | None
    """The file as the study wrote it; None if results are read back and nobody is asked again."""
    errors: str = ""
    """Labels, separated by commas, one with a comma in quotes: only false candidates with one of them are offered."""
    one_truth: bool = False
    """Whether each correct candidate is asked about on its own."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of questions."""
        return {"questions": self.questions}

    @property
    def asks(self) -> Hashable:
        """All that moves the choices."""
        return (self.metric.normalise, self.errors, self.one_truth)

    def contexts(self, inputs: Mapping[str, Path]) -> Iterator[tuple[str, Hashable]]:
        """Return the id and the context of each question."""
        return _contexts(inputs["questions"], self.errors, one_truth=self.one_truth)

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[Choice | Missing]:
        """Return the system's choice in each question of the file."""
        questions = _asked(inputs["questions"], respondent, tools, self.errors, one_truth=self.one_truth)
        chooser = fitted_chooser(respondent.system, questions)
        asked = tools.share(questions, QUESTIONS_AT_ONCE)
        with tools.watch(f"{chooser.name} chooses", len(asked)) as progress:
            return choose(
                chooser,
                asked,
                normalise=self.metric.normalise,
                cache=tools.cache,
                progress=progress,
                executor=tools.executor,
            )

    def breakdowns(self, subjects: Subjects) -> Iterator[Part]:
        """Yield the choices against false candidates of each label alone."""
        if isinstance(self.metric, SelectionAccuracy):
            made = [choice for choice in _choices(subjects) if self.metric.unscorable(choice) is None]
            for label in sorted(labels_of(made), key=lambda label: (label is None, label or "")):
                alone = all_against(made, label)
                yield Part((("error", label or UNLABELLED),), self.metric, alone)


@dataclass(frozen=True, slots=True)
class RandomMeasure:
    """Accuracy with random false candidates, and where these come from."""

    metric: RandomAccuracy
    questions: str | None
    repository: str = ""
    """Sources of utterances, separated by commas; by default the candidates of all questions."""
    human: str = ""
    """File of people's judgements of the systems, with which the rankings of trials are correlated."""
    criterion: str = ""
    errors: str = ""
    one_truth: bool = False

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The files of questions, of utterances and of judgements."""
        sources = [source.strip() for source in self.repository.split(",") if source.strip()]
        numbered = {f"repository[{at}]" if at else "repository": one for at, one in enumerate(sources)}
        return {"questions": self.questions, **numbered, **({"human": self.human} if self.human else {})}

    def contexts(self, inputs: Mapping[str, Path]) -> Iterator[tuple[str, Hashable]]:
        """Return the id and the context of each question."""
        return _contexts(inputs["questions"], self.errors, one_truth=self.one_truth)

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[RandomChoice | Missing]:
        """Return the system's choices with own and with random candidates."""
        self.people(inputs)  # a file that cannot be used, before anybody is asked
        questions = _asked(inputs["questions"], respondent, tools, self.errors, one_truth=self.one_truth)
        chooser = fitted_chooser(respondent.system, questions)
        utterances, _ = utterances_of(_sources(inputs), questions)
        pools = random_pools(questions, utterances, size=self.metric.pool or None, seed=self.metric.seed)
        share = [tools.share(part, QUESTIONS_AT_ONCE) for part in (questions, pools)]
        with tools.watch(f"{chooser.name} chooses at random", 2 * len(share[0])) as progress:
            return choose_at_random(
                chooser,
                *share,
                normalise=self.metric.normalise,
                cache=tools.cache,
                progress=progress,
                executor=tools.executor,
            )

    def people(self, inputs: Mapping[str, Path | None]) -> HumanRanking | None:
        """Return people's ranking of the systems; None if none was named."""
        path = inputs.get("human")
        return None if path is None else read_ranking(path, self.criterion or None)


def _sources(inputs: Mapping[str, Path | None]) -> list[str]:
    return [str(path) for key, path in inputs.items() if key.startswith("repository") and path is not None]


def _contexts(path: Path, errors: str, *, one_truth: bool) -> Iterator[tuple[str, Hashable]]:
    kept = narrowed(list(read(path, "question")), _labels(errors), one_truth=one_truth)
    return ((question.item, question.context) for question in kept)


def joined_labels(labels: Iterable[str]) -> str:
    """Return the labels as one value of ``errors``: separated by commas, one with a comma of its own in quotes.

    >>> joined_labels(["tone", "name, date"])
    'tone,"name, date"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(labels)
    return text.getvalue()


def _labels(errors: str) -> list[str]:
    return [
        label for each in next(csv.reader([errors], skipinitialspace=True), []) if (label := each.strip())
    ]


def _asked(
    path: Path, respondent: Respondent, tools: Tools, errors: str, *, one_truth: bool
) -> tuple[Question, ...]:
    asked = list(read(path, "question"))[: tools.limit]
    questions = narrowed(asked, _labels(errors), one_truth=one_truth)
    refuse_twins(questions, path.name)
    _check_ids(questions, respondent, path)
    return questions


def selection_accuracy(
    questions: str | None = None, normalise: Normalise = "sum", errors: str = "", one_truth: bool = False
) -> ChoiceMeasure:
    """Share of questions in which the system chooses a correct candidate."""
    return ChoiceMeasure(SelectionAccuracy(normalise), questions, errors, one_truth)


def selection_consistency(
    questions: str | None = None, normalise: Normalise = "sum", errors: str = "", one_truth: bool = False
) -> ChoiceMeasure:
    """Share of questions in which the system prefers a correct candidate to contradictory ones."""
    return ChoiceMeasure(SelectionConsistency(normalise), questions, errors, one_truth)


def selection_mrr(
    questions: str | None = None, normalise: Normalise = "sum", errors: str = "", one_truth: bool = False
) -> ChoiceMeasure:
    """Mean reciprocal rank of the best correct candidate."""
    return ChoiceMeasure(ReciprocalRank(normalise), questions, errors, one_truth)


def selection_hits(
    questions: str | None = None,
    k: int = 2,
    normalise: Normalise = "sum",
    errors: str = "",
    one_truth: bool = False,
) -> ChoiceMeasure:
    """Share of questions with a correct candidate among the system's first k."""
    return ChoiceMeasure(HitsAt(k, normalise), questions, errors, one_truth)


def selection_random(
    questions: str | None = None,
    trials: int = 100,
    pool: int = 0,
    seed: int = 0,
    repository: str = "",
    human: str = "",
    criterion: str = "",
    normalise: Normalise = "sum",
    errors: str = "",
    one_truth: bool = False,
) -> RandomMeasure:
    """Accuracy with random false candidates, the mean over trials."""
    if trials < 1 or pool < 0:
        raise Unsuitable(
            f"Found trials: {trials} and pool: {pool}, expected one trial or more, and no pool below 0."
        )
    metric = RandomAccuracy(trials, pool, seed, normalise)
    return RandomMeasure(metric, questions, repository, human, criterion, errors, one_truth)


class Selection:
    """Response selection in a study."""

    name: Final = "selection"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {
        "selection_accuracy": selection_accuracy,
        "selection_consistency": selection_consistency,
        "selection_mrr": selection_mrr,
        "selection_hits": selection_hits,
        "selection_random": selection_random,
    }
    shows: Final = frozenset[str]()
    files: Final = (CHOICES,)
    systems: Final[Mapping[str, Callable[..., System]]] = CHOOSERS
    hint: Final = "{name: selection_accuracy, questions: questions.jsonl}"
    document: Final = SelectionInfo

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> SelectionInfo | None:
        """Return ties, errors, hard questions and trials of every system; None if nothing was chosen.

        Nothing for ranks and hits, whose choices the section of accuracy shows, but for hits that say nothing.
        """
        chosen = {system: _own_choices(given) for system, given in subjects.items()}
        asked = list({one.item: one.question for made in chosen.values() for one in made}.values())
        if not asked:
            return None
        most = max(len(question.candidates) for question in asked)
        info = SelectionInfo(
            measure=measure.label,
            questions=len(asked),
            chance=finite(chance(asked)),
            status=status_line(asked),
            most_candidates=most,
            sharing_a_context=sharing_a_context(asked),
        )
        if isinstance(measure.metric, HitsAt) and measure.metric.k >= most:
            return replace(info, warnings=(Note("idle_hits", _IDLE.format(most=most)),))
        if isinstance(measure.metric, RandomAccuracy):
            return replace(info, trials=_trials(measure, subjects, asked))
        if not isinstance(measure.metric, SelectionAccuracy):
            return None
        hard = hard_questions([choice for made in chosen.values() for choice in made])
        return replace(
            info,
            systems=tuple(starmap(_system_choices, chosen.items())),
            warnings=(
                *question_notes(asked),
                *notes_below_chance(chosen),
                *_independence(info, resampling),
            ),
            hardest=tuple(hard[:HARDEST]),
            wrong=len(hard),
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every choice as a line of ``choices.jsonl``, or why there is none; no file if nothing was chosen."""
        rows = choice_rows(subjects)
        if rows:
            write_choices(folder / CHOICES, rows)
        else:
            (folder / CHOICES).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """Return the context and candidates of each question."""
        questions = {}
        for measure, choice in _read(folder):
            offered = [[candidate.text, candidate.correct] for candidate in choice.question.candidates]
            asked = json.dumps([as_json(choice.question.context), offered], ensure_ascii=False)
            questions[f"{_narrowing(measure)} {choice.item}"] = asked.encode()
        return questions

    def contexts(self, folder: Path) -> Iterator[tuple[str, Hashable]]:
        """Yield the id and the context of each question in a run folder."""
        return ((choice.item, choice.question.context) for _, choice in _read(folder))

    def examples(self, folder: Path) -> Iterator[Example]:
        """Yield what each system chose, as its response; the right candidates as references."""
        return (_as_example(choice) for _, choice in _read(folder))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """Yield the same from the choices themselves."""
        return map(_as_example, _own_choices(subjects))

    def lines(self, sections: Sequence[SelectionInfo]) -> Iterator[str]:
        """Yield what was asked, whether people have vetted it, and what is odd about it."""
        from dialeval.selection.report.section import section_notes

        return (line for section in sections for line in section_notes(section))

    def page(self, sections: Sequence[SelectionInfo]) -> Section:
        """Return ties, errors, hard questions and trials under each measure."""
        from dialeval.selection.report.section import choices_section

        return choices_section(sections)


_IDLE: Final = "the score is 1 whatever is chosen: no question has more than {most} candidates"


def _system_choices(system: str, choices: Sequence[Choice]) -> SystemChoices:
    ties = sum(choice.tied for choice in choices if why_unscorable(choice) is None)
    return SystemChoices(system, ties, error_labels(choices))


def _independence(info: SelectionInfo, resampling: Resampling) -> Iterator[Note]:
    """Warn of questions on one context that are resampled as if they were independent."""
    shared = info.sharing_a_context
    if shared and resampling.cluster == "none":
        have = "1 question has" if shared == 1 else f"{shared:,} questions have"
        yield Note(
            "shared_contexts",
            f"{have} the context of another one, but all are resampled as if independent: cluster auto is safer",
        )


def choice_rows(subjects: Iterable[tuple[str, Subjects]]) -> list[ChoiceRow]:
    """Return every choice, or why there is none, from the label and subjects of each measure and system.

    Choices that several measures share are under the first of them.
    """
    chosen: dict[tuple[str, str, str], tuple[str, Subjects]] = {}
    for label, given in subjects:
        if made := _own_choices(given):
            normalise = str(dict(split_call(label).parameters).get("normalise", "sum"))
            chosen.setdefault((_narrowing(label), normalise, made[0].system), (label, given))
    status = {one.item: one.question.status for _, given in chosen.values() for one in _own_choices(given)}
    return [
        ChoiceRow(
            label,
            subject
            if isinstance(subject, Choice)
            else NoChoice(subject.item, subject.system, status.get(subject.item), subject.reason),
        )
        for label, given in chosen.values()
        for subject in (one.own if isinstance(one, RandomChoice) else one for one in given)
        if isinstance(subject, Choice | Missing)
    ]


def _narrowing(label: str) -> str:
    """Return what moves the questions that a measure asks, of its label."""
    asked = [(key, value) for key, value in split_call(label).parameters if key in _NARROWS]
    return print_call("selection", asked)


_NARROWS: Final = ("questions", "errors", "one_truth")


def hard_questions(choices: Sequence[Choice]) -> list[HardQuestion]:
    """Return the questions that some system gets wrong, those with the smallest share of systems right first."""
    by_item: dict[str, list[Choice]] = {}
    for choice in choices:
        by_item.setdefault(choice.item, []).append(choice)
    hard = [_hard_question(made) for made in by_item.values() if not all(choice.right for choice in made)]
    return sorted(hard, key=lambda question: question.right / question.systems)


def _hard_question(choices: Sequence[Choice]) -> HardQuestion:
    question = choices[0].question
    return HardQuestion(
        id=question.item,
        context=tuple((turn.speaker, turn.text) for turn in question.context),
        right=sum(choice.right for choice in choices),
        systems=len(choices),
        candidates=tuple(
            Offer(
                candidate.text,
                candidate.correct,
                candidate.error,
                tuple(choice.system for choice in choices if choice.chosen == place),
            )
            for place, candidate in enumerate(question.candidates)
        ),
    )


def _trials(
    measure: Measure, subjects: Mapping[str, Subjects], questions: Sequence[Question]
) -> Trials | None:
    """The trials with random candidates; None of another measure."""
    metric, asking = measure.metric, measure.asking
    if not isinstance(metric, RandomAccuracy) or not isinstance(asking, RandomMeasure):
        return None
    tried = {
        system: [one for one in given if isinstance(one, RandomChoice | Missing)]
        for system, given in subjects.items()
    }
    try:
        found = trials_of(tried, trials=metric.trials, seed=metric.seed)
    except Unsuitable:  # no question has a choice of every system, which their scores tell
        return None
    _, source = utterances_of(_sources(measure.inputs), questions)
    return trials_document(found, source, asking.people(measure.inputs))


def _choices(subjects: Subjects) -> list[Choice]:
    return [subject for subject in subjects if isinstance(subject, Choice)]


def _own_choices(subjects: Subjects) -> list[Choice]:
    """The choices among the questions' own candidates."""
    own = (subject.own if isinstance(subject, RandomChoice) else subject for subject in subjects)
    return [subject for subject in own if isinstance(subject, Choice)]


def _read(folder: Path) -> Iterator[tuple[str, Choice]]:
    """Measure and choice of every line; nothing if the folder has no choices."""
    path = folder / CHOICES
    for row in read_choices(path) if path.is_file() else ():
        if isinstance(row.outcome, Choice):
            yield row.measure, row.outcome


def _as_example(choice: Choice) -> Example:
    candidates = choice.question.candidates
    right = tuple(candidate.text for candidate in candidates if candidate.correct)
    said = Response(candidates[choice.chosen].text)
    return Example(choice.item, choice.system, choice.question.context, said, right)


def _check_ids(questions: Sequence[Question], respondent: Respondent, path: Path) -> None:
    """Refuse one id with two contexts: the report would mix them up."""
    answered = {
        example.item: example.context for example in respondent.examples if not isinstance(example, Missing)
    }
    other = [q.item for q in questions if answered.get(q.item, q.context) != q.context]
    if other:
        raise Unsuitable(
            f"{len(other)} question(s) of {path.name} have the id of an item with another context (first: "
            f"{other[0]!r}). Give these questions other ids."
        )
