"""Consistency as a study knows it: answers to probes, and recorded dialogues, are checked against what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

from dialeval.consistency.collecting.answers import PROBES_AT_ONCE, ProbeAnswer, ask_probes
from dialeval.consistency.detecting.detecting import (
    AT_ONCE,
    Talk,
    check_dialogues,
    detect_each,
    rates_of,
    talk_of,
)
from dialeval.consistency.detecting.detector import SHIPPED
from dialeval.consistency.detecting.dialogues import LAST_TURN, REACH, Case, Scope, Speakers, cost_of
from dialeval.consistency.detecting.metrics import ContradictionDetector, ContradictionFree, Contradictions
from dialeval.consistency.detecting.recorded import CheckedDialogue, RecordedDialogues
from dialeval.consistency.detecting.scoring import Work
from dialeval.consistency.document import ConsistencyInfo, Detected, DialoguesInfo
from dialeval.consistency.folder import (
    CONTRADICTIONS,
    DETECTED,
    read_answers,
    read_detected,
    write_answers,
    write_detected,
)
from dialeval.consistency.probing.probes import read_probes
from dialeval.consistency.relevance import rates_by_people, relevance_of
from dialeval.core import Floats, Missing, Resampling, System
from dialeval.data import Dialogue, Example
from dialeval.data.codec.encode import canonical
from dialeval.data.types import Prompt, Response, Turn
from dialeval.display.pages import Section
from dialeval.display.wording import count
from dialeval.engine import InProcess
from dialeval.errors import Unsuitable
from dialeval.evaluation.measure import Asking, Measure, Respondent, Subjects, Tools
from dialeval.judge.questioner import Asked, ask_in_batches
from dialeval.metrics.rows import MeanOfValues
from dialeval.text.calls import split_call

_SHOWN: Final = 40
_SHOWN_DIALOGUES: Final = 200
"""Pairs on a page at most, of answers to probes and of dialogues."""


@dataclass(frozen=True, slots=True)
class Consistency(MeanOfValues[ProbeAnswer]):
    """Share of answers to probes that do not contradict what the system was made to say before."""

    name: ClassVar[str] = "consistency"
    version: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    model: str = SHIPPED
    n: int = 1

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Those of the detector."""
        return ContradictionFree(self.model).facts

    @property
    def resources(self) -> Mapping[str, str]:
        """The detector's adapter and encoder."""
        return ContradictionFree(self.model).resources

    def unscorable(self, answer: ProbeAnswer) -> str | None:
        """Why the answer cannot be checked, or None."""
        return ContradictionFree(self.model).unscorable(answer.example)

    def statistics(self, answers: Sequence[ProbeAnswer]) -> Floats:
        """Rows of 1 for an answer without a contradiction or 0, and 1."""
        return ContradictionFree(self.model).statistics([answer.example for answer in answers])

    def undefined(self, row: Floats) -> str:
        """Why a judge gave no verdict."""
        return ContradictionFree(self.model).undefined(row)

    @property
    def asks(self) -> bool:
        """Whether the detector is a judge."""
        return ContradictionFree(self.model).asks

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge, and the pairs of turns that it reads; nothing of other detectors."""
        examples = [each.example for each in subjects if isinstance(each, ProbeAnswer)]
        return ContradictionFree(self.model).judged(examples)

    def explain(self, answer: ProbeAnswer) -> str:
        """What a judge says of the two turns; empty of other detectors."""
        return ContradictionFree(self.model).explain(answer.example)


@dataclass(frozen=True, slots=True)
class ProbeMeasure:
    """The metric, and the file of probes."""

    metric: Consistency
    probes: str | None
    """As the study wrote it; None where results are read back and nobody is asked again."""
    seed: int = 0
    labelled: str | None = None
    """What ``dialeval consistency label`` wrote of answers of these systems; None without raters."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of probes, and that of labelled answers if there is one."""
        labels = {} if self.labelled is None else {"labelled": self.labelled}
        return {"probes": self.probes, **labels}

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[ProbeAnswer | Missing]:
        """The system's answer to each probe; of several candidates the one that contradicts most."""
        detector = ContradictionDetector(self.metric.model)
        if detector.judge is not None:
            detector.judge.judge.refuse_itself(respondent.system.name)
        probes = tools.share(read_probes(inputs["probes"])[: tools.limit], PROBES_AT_ONCE)
        with tools.watch(f"{respondent.system.name} is probed", len(probes)) as progress:
            return ask_probes(
                respondent.system,
                probes,
                detector=detector,
                n=self.metric.n,
                seed=self.seed,
                cache=tools.cache,
                progress=progress,
                executor=tools.executor,
            )


def consistency(
    probes: str | None = None,
    model: str = SHIPPED,
    n: int = 1,
    seed: int = 0,
    labelled: str | None = None,
) -> ProbeMeasure:
    """Share of answers to probes that do not contradict what was said before."""
    return ProbeMeasure(Consistency(model, n), probes, seed, labelled)


@dataclass(frozen=True, slots=True)
class DialogueMeasure:
    """The share of recorded dialogues with a contradiction."""

    metric: Contradictions

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """None: systems name the files of their dialogues."""
        return {}

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[CheckedDialogue]:
        """The system's dialogues, each with its two most contradictory turns."""
        system = respondent.system
        if not isinstance(system, RecordedDialogues):
            raise Unsuitable(
                f"{system.name} has no recorded dialogues: give it as {{kind: dialogues, path: FILE}}."
            )
        known = frozenset((tools.recorded or system.items)[: tools.limit])
        own = tools.share([each for each in system.dialogues if each.item in known], AT_ONCE)
        metric, detector = self.metric, ContradictionDetector(self.metric.model)
        costs = [cost_of(*talk_of(each, metric.reading, metric.speakers).case) for each in own]
        with tools.watch(f"{system.name}: pairs", sum(cost.passages for cost in costs)) as progress:
            work = Work(tools.scoring or InProcess(), tools.cache, detector.key, progress)
            if detector.judge is not None:  # which keeps its replies itself, and may fail on some
                detector.judge.judge.refuse_itself(system.name)
                work = Work(progress=progress)
                ask_in_batches(metric.judged_in(own))
            return check_dialogues(
                own, system.name, detector, reading=metric.reading, speakers=metric.speakers, work=work
            )


def contradictions(
    model: str = SHIPPED, turn: Scope = "all", speakers: Speakers = "system", reach: int | None = None
) -> DialogueMeasure:
    """Share of recorded dialogues in which two turns contradict each other."""
    usual = REACH if turn == "all" else 0
    return DialogueMeasure(Contradictions(model, turn, speakers, usual if reach is None else reach))


class ConsistencyCapability:
    """Consistency in a study."""

    name: Final = "consistency"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {
        "consistency": consistency,
        "contradictions": contradictions,
    }
    shows: Final = frozenset[str]()
    files: Final = (CONTRADICTIONS, DETECTED)
    systems: Final[Mapping[str, Callable[..., System]]] = {"dialogues": RecordedDialogues}
    hint: Final = "{name: consistency, probes: probes.jsonl}"
    document: Final[Any] = ConsistencyInfo | DialoguesInfo

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> ConsistencyInfo | DialoguesInfo | None:
        """Rates, and the clashing turns of every system; None where nobody was asked."""
        if checked := [each for given in subjects.values() for each in checked_of(given)]:
            return _of_dialogues(measure, checked)
        answers = [answer for given in subjects.values() for answer in _answers(given)]
        if not answers:
            return None
        detector = ContradictionDetector(_model_of(measure.label))
        detected = detected_answers(answers, detector)
        probes = len({answer.item for answer in answers})
        labelled = measure.inputs.get("labelled")
        people, others = ((), 0) if labelled is None else rates_by_people(answers, labelled)
        return ConsistencyInfo(
            measure=measure.label,
            status=f"{count(probes, 'probe')}, judged by {_who(detector)} and not by people",
            threshold=detector.calibration.threshold,
            band=detector.calibration.band,
            detector=str(detector.signature),
            systems=rates_of(detected),
            worst=tuple(clashes(detected, most=_SHOWN)),
            relevance=tuple(relevance_of(answers, resampling)),
            people=people,
            others_labelled=others,
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every answer as a line of ``contradictions.jsonl``, and every dialogue as one of ``detected.jsonl``.

        No file if nobody was asked, or there are no dialogues.
        """
        given = list(subjects)
        answers = [(label, answer) for label, each in given for answer in _answers(each)]
        checked = [(label, dialogue) for label, each in given for dialogue in checked_of(each)]
        if answers:
            write_answers(folder / CONTRADICTIONS, answers)
        else:
            (folder / CONTRADICTIONS).unlink(missing_ok=True)
        if checked:
            write_detected(folder / DETECTED, checked)
        else:
            (folder / DETECTED).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """The context of each probe."""
        return {
            f"{label} {answer.item}": canonical(Prompt(answer.item, answer.example.context))
            for label, answer in _read(folder)
        }

    def examples(self, folder: Path) -> Iterator[Example]:
        """What each system answered to the probes, and the last turns of its dialogues."""
        path = folder / DETECTED
        dialogues = read_detected(path) if path.is_file() else ()
        return chain((answer.example for _, answer in _read(folder)), map(_as_example, dialogues))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the answers and dialogues themselves."""
        dialogues = (checked.dialogue for checked in checked_of(subjects))
        return chain((answer.example for answer in _answers(subjects)), map(_as_example, dialogues))

    def lines(self, sections: Sequence[ConsistencyInfo | DialoguesInfo]) -> Iterator[str]:
        """What was asked, and from which probability on it counts."""
        from dialeval.consistency.report.section import notes_of

        return (note for info in sections for note in notes_of(info))

    def page(self, sections: Sequence[ConsistencyInfo | DialoguesInfo]) -> Section:
        """Where each system contradicts itself."""
        from dialeval.consistency.report.section import contradictions_section

        return contradictions_section(sections)


def _of_dialogues(measure: Measure, checked: Sequence[CheckedDialogue]) -> DialoguesInfo:
    metric = measure.metric
    assert isinstance(metric, Contradictions), "no other measure has dialogues as subjects"
    detector = ContradictionDetector(metric.model)
    detected = [each.detected for each in checked]
    return DialoguesInfo(
        measure=measure.label,
        status=f"{count(len(checked), 'dialogue')}, judged by {_who(detector)} and not by people",
        threshold=detector.calibration.threshold,
        band=detector.calibration.band,
        detector=str(detector.signature),
        turn=metric.turn,
        speakers=metric.speakers,
        all_speakers=sum(not each.is_narrowed for each in checked),
        reach=metric.reading.reach,
        passages=sum(each.passages for each in checked),
        not_compared=sum(each.not_compared for each in detected),
        excluded=dict(Counter(each.reason for each in detected if each.reason)),
        systems=rates_of(detected),
        worst=tuple(clashes(detected)),
    )


def _who(detector: ContradictionDetector) -> str:
    return "the detector" if detector.judge is None else detector.model


def clashes(detected: Iterable[Detected], *, most: int = _SHOWN_DIALOGUES) -> list[Detected]:
    """Return contradictions and ambiguous pairs, the most probable first."""
    kept = [each for each in detected if each.quotes is not None and each.verdict != "none"]
    return sorted(kept, key=lambda each: -(each.probability or 0.0))[:most]


def detected_answers(answers: Sequence[ProbeAnswer], detector: ContradictionDetector) -> list[Detected]:
    """The worst pair in each answer's dialogue, its own turn being the later one."""
    talks = [Talk(answer.item, answer.system, Case(answer.turns, LAST_TURN)) for answer in answers]
    return detect_each(talks, detector)


def _model_of(label: str) -> str:
    return str(dict(split_call(label).parameters).get("model", SHIPPED))


def _answers(subjects: Subjects) -> list[ProbeAnswer]:
    return [subject for subject in subjects if isinstance(subject, ProbeAnswer)]


def checked_of(subjects: Subjects) -> list[CheckedDialogue]:
    """Return those of the subjects that are dialogues."""
    return [subject for subject in subjects if isinstance(subject, CheckedDialogue)]


def _as_example(dialogue: Dialogue) -> Example:
    """The dialogue with its last turn as the response."""
    *context, last = dialogue.turns or (Turn("", ""),)
    return Example(dialogue.item, dialogue.system, tuple(context), Response(last.text))


def _read(folder: Path) -> Iterator[tuple[str, ProbeAnswer]]:
    path = folder / CONTRADICTIONS
    return read_answers(path) if path.is_file() else iter(())
