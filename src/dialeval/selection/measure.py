"""Measures for which a system does not answer but chooses: selection accuracy and consistency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialeval.core import Missing, Resampling, Subject
from dialeval.data import Question, read
from dialeval.data.choices import Choice
from dialeval.data.vetting_status import status_line
from dialeval.errors import Unsuitable
from dialeval.evaluation.measure import Respondent, Tools
from dialeval.files.documents import finite
from dialeval.selection.asking.choosing import Normalise, chance, choose, fitted_chooser
from dialeval.selection.asking.error_breakdown import labelled_errors
from dialeval.selection.asking.metrics import SelectionAccuracy, SelectionConsistency, why_unscorable
from dialeval.selection.asking.questions import checked_questions
from dialeval.selection.document import SelectionInfo, SystemChoices


@dataclass(frozen=True, slots=True)
class ChoiceMeasure:
    """A metric over choices, and the file of the questions."""

    metric: SelectionAccuracy | SelectionConsistency
    file: str | None
    """As the study wrote it; None where results are read back and nobody is asked again."""

    def subjects(self, path: Path, respondent: Respondent, tools: Tools) -> Sequence[Choice | Missing]:
        """The system's choice in each question of the file."""
        questions = checked_questions(list(read(path, "question"))[: tools.limit])
        _check_ids(questions, respondent, path)
        chooser = fitted_chooser(respondent.system, questions)
        with tools.watch(f"{chooser.name} chooses", len(questions)) as progress:
            return choose(
                chooser,
                questions,
                normalise=self.metric.normalise,
                cache=tools.cache,
                progress=progress,
            )


def selection_accuracy(questions: str | None = None, normalise: Normalise = "sum") -> ChoiceMeasure:
    """Share of questions in which the system chooses a correct candidate."""
    return ChoiceMeasure(SelectionAccuracy(normalise), questions)


def selection_consistency(questions: str | None = None, normalise: Normalise = "sum") -> ChoiceMeasure:
    """Share of questions in which the system prefers a correct candidate to contradictory ones."""
    return ChoiceMeasure(SelectionConsistency(normalise), questions)


def choices_of(subjects: Sequence[object]) -> list[Choice]:
    """Those of the subjects that are choices."""
    return [subject for subject in subjects if isinstance(subject, Choice)]


def selection_info(
    label: str, subjects: Mapping[str, Sequence[Subject | Missing]], resampling: Resampling
) -> SelectionInfo | None:
    """What ``summary.json`` says of a measure over choices, by system; None where nothing was chosen."""
    chosen = {system: choices_of(own) for system, own in subjects.items()}
    questions = {choice.item: choice.question for own in chosen.values() for choice in own}
    if not questions:
        return None
    asked = list(questions.values())
    return SelectionInfo(
        measure=label,
        questions=len(asked),
        chance=finite(chance(asked)),
        status=status_line(asked),
        systems=tuple(
            SystemChoices(
                system=system,
                ties=sum(choice.tied for choice in own if why_unscorable(choice) is None),
                errors=labelled_errors(own, resampling=resampling),
            )
            for system, own in chosen.items()
        ),
    )


def _check_ids(questions: Sequence[Question], respondent: Respondent, path: Path) -> None:
    """One id must mean one context throughout a run, or its report would mix them up."""
    asked = {one.item: one.context for one in respondent.examples if not isinstance(one, Missing)}
    other = [q.item for q in questions if asked.get(q.item, q.context) != q.context]
    if other:
        raise Unsuitable(
            f"{len(other)} question(s) of {path.name} have the id of an item with another context (first: "
            f"{other[0]!r}). Give questions ids of their own."
        )
