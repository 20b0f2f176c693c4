"""Response selection as a study knows it: measures for which a system does not answer but chooses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dialeval.core import Missing, Resampling, System
from dialeval.data import Example, Question, Response, read
from dialeval.data.choices import Choice, ChoiceRow, read_choices, status_line, write_choices
from dialeval.display.pages import Section
from dialeval.errors import Unsuitable
from dialeval.evaluation.measure import Asking, Respondent, Subjects, Tools
from dialeval.files.documents import as_json, finite
from dialeval.selection.asking.choosers import CHOOSERS
from dialeval.selection.asking.choosing import QUESTIONS_AT_ONCE, Normalise, chance, choose, fitted_chooser
from dialeval.selection.asking.metrics import (
    SelectionAccuracy,
    SelectionConsistency,
    labelled_errors,
    why_unscorable,
)
from dialeval.selection.asking.questions import by_context, checked_questions
from dialeval.selection.document import SelectionInfo, SystemChoices

CHOICES: Final = "choices.jsonl"


@dataclass(frozen=True, slots=True)
class ChoiceMeasure:
    """A metric over choices, and the file of the questions."""

    metric: SelectionAccuracy
    questions: str | None
    """The file as the study wrote it; None where results are read back and nobody is asked again."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of questions."""
        return {"questions": self.questions}

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[Choice | Missing]:
        """The system's choice in each question of the file."""
        path = inputs["questions"]
        questions = checked_questions(list(read(path, "question"))[: tools.limit])
        _check_ids(questions, respondent, path)
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


def selection_accuracy(questions: str | None = None, normalise: Normalise = "sum") -> ChoiceMeasure:
    """Share of questions in which the system chooses a correct candidate."""
    return ChoiceMeasure(SelectionAccuracy(normalise), questions)


def selection_consistency(questions: str | None = None, normalise: Normalise = "sum") -> ChoiceMeasure:
    """Share of questions in which the system prefers a correct candidate to contradictory ones."""
    return ChoiceMeasure(SelectionConsistency(normalise), questions)


class Selection:
    """Response selection in a study."""

    name: Final = "selection"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {
        "selection_accuracy": selection_accuracy,
        "selection_consistency": selection_consistency,
    }
    shows: Final = frozenset[str]()
    systems: Final[Mapping[str, Callable[..., System]]] = CHOOSERS
    hint: Final = "{name: selection_accuracy, questions: questions.jsonl}"
    document: Final = SelectionInfo

    def section(
        self, label: str, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> SelectionInfo | None:
        """Ties and errors of every system; None where nothing was chosen."""
        chosen = {system: _choices(given) for system, given in subjects.items()}
        questions = {choice.item: choice.question for choices in chosen.values() for choice in choices}
        if not questions:
            return None
        asked = list(questions.values())
        by_questions = replace(resampling, group=by_context(asked))
        return SelectionInfo(
            measure=label,
            questions=len(asked),
            chance=finite(chance(asked)),
            status=status_line(asked),
            systems=tuple(
                SystemChoices(
                    system=system,
                    ties=sum(choice.tied for choice in choices if why_unscorable(choice) is None),
                    errors=labelled_errors(choices, resampling=by_questions),
                )
                for system, choices in chosen.items()
            ),
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every choice as a line of ``choices.jsonl``; no file where nothing was chosen."""
        rows = [ChoiceRow(label, choice) for label, given in subjects for choice in _choices(given)]
        if rows:
            write_choices(folder / CHOICES, rows)
        else:
            (folder / CHOICES).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """Context and candidates of each question."""
        questions = {}
        for measure, choice in _read(folder):
            offered = [[candidate.text, candidate.correct] for candidate in choice.question.candidates]
            asked = json.dumps([as_json(choice.question.context), offered], ensure_ascii=False)
            questions[f"{measure} {choice.item}"] = asked.encode()
        return questions

    def examples(self, folder: Path) -> Iterator[Example]:
        """What each system chose, as its response; the right candidates as references."""
        return (_as_example(choice) for _, choice in _read(folder))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the choices themselves."""
        return map(_as_example, _choices(subjects))

    def lines(self, sections: Sequence[SelectionInfo]) -> Iterator[str]:
        """What was asked, and whether people have vetted it."""
        from dialeval.selection.report.section import question_note

        return map(question_note, sections)

    def page(self, sections: Sequence[SelectionInfo]) -> Section:
        """Ties and errors under each measure."""
        from dialeval.selection.report.section import choices_section

        return choices_section(sections)


def _choices(subjects: Subjects) -> list[Choice]:
    return [subject for subject in subjects if isinstance(subject, Choice)]


def _read(folder: Path) -> Iterator[tuple[str, Choice]]:
    """Measure and choice of every line; nothing where the folder has no choices."""
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
    """One id must mean one context throughout a run, or its report would mix them up."""
    answered = {
        example.item: example.context for example in respondent.examples if not isinstance(example, Missing)
    }
    other = [q.item for q in questions if answered.get(q.item, q.context) != q.context]
    if other:
        raise Unsuitable(
            f"{len(other)} question(s) of {path.name} have the id of an item with another context (first: "
            f"{other[0]!r}). Give these questions other ids."
        )
