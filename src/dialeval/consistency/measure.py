"""Consistency as a study knows it: systems are asked probes, and their answers are checked against what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from dialeval.consistency.collecting.answers import PROBES_AT_ONCE, ProbeAnswer, ask_probes
from dialeval.consistency.detecting.detecting import Talk, detect_each, rates_of
from dialeval.consistency.detecting.detector import SHIPPED
from dialeval.consistency.detecting.dialogues import LAST_TURN, Case
from dialeval.consistency.detecting.metrics import ContradictionDetector, ContradictionFree
from dialeval.consistency.document import ConsistencyInfo, Detected
from dialeval.consistency.folder import CONTRADICTIONS, read_answers, write_answers
from dialeval.consistency.probing.probes import read_probes
from dialeval.core import Floats, Missing, Resampling, Signature, System
from dialeval.data import Example
from dialeval.data.codec.encode import canonical
from dialeval.data.types import Prompt
from dialeval.display.pages import Section
from dialeval.display.wording import count
from dialeval.evaluation.measure import Asking, Respondent, Subjects, Tools
from dialeval.metrics.rows import MeanOfValues

_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Consistency(MeanOfValues):
    """Share of answers to probes that do not contradict what the system was made to say before."""

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    model: str = SHIPPED
    n: int = 1

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        facts = ContradictionFree(self.model).signature.facts
        return Signature("consistency", (("model", self.model), ("n", self.n)), facts, version=2)

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


@dataclass(frozen=True, slots=True)
class ProbeMeasure:
    """The metric, and the file of probes."""

    metric: Consistency
    probes: str | None
    """As the study wrote it; None where results are read back and nobody is asked again."""
    seed: int = 0

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of probes."""
        return {"probes": self.probes}

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[ProbeAnswer | Missing]:
        """The system's answer to each probe; of several candidates the one that contradicts most."""
        probes = tools.share(read_probes(inputs["probes"])[: tools.limit], PROBES_AT_ONCE)
        with tools.watch(f"{respondent.system.name} is probed", len(probes)) as progress:
            return ask_probes(
                respondent.system,
                probes,
                detector=ContradictionDetector(self.metric.model),
                n=self.metric.n,
                seed=self.seed,
                cache=tools.cache,
                progress=progress,
                executor=tools.executor,
            )


def consistency(probes: str | None = None, model: str = SHIPPED, n: int = 1, seed: int = 0) -> ProbeMeasure:
    """Share of answers to probes that do not contradict what was said before."""
    return ProbeMeasure(Consistency(model, n), probes, seed)


class ConsistencyCapability:
    """Consistency in a study."""

    name: Final = "consistency"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {"consistency": consistency}
    shows: Final = frozenset[str]()
    systems: Final[Mapping[str, Callable[..., System]]] = {}
    hint: Final = "{name: consistency, probes: probes.jsonl}"
    document: Final = ConsistencyInfo

    def section(
        self, label: str, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> ConsistencyInfo | None:
        """Rates, and the clashing turns of every system; None where nobody was asked."""
        answers = [answer for given in subjects.values() for answer in _answers(given)]
        if not answers:
            return None
        detector = ContradictionDetector(_model_of(label))
        detected = detected_answers(answers, detector)
        shown = sorted(
            (each for each in detected if each.verdict != "none"), key=lambda each: -(each.probability or 0.0)
        )
        probes = len({answer.item for answer in answers})
        return ConsistencyInfo(
            measure=label,
            status=f"{count(probes, 'probe')}, judged by the detector and not by people",
            threshold=detector.calibration.threshold,
            band=(detector.calibration.low, detector.calibration.high),
            detector=str(detector.signature),
            systems=rates_of(detected),
            worst=tuple(shown[:_SHOWN]),
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every answer as a line of ``contradictions.jsonl``; no file where nobody was asked."""
        rows = [(label, answer) for label, given in subjects for answer in _answers(given)]
        if rows:
            write_answers(folder / CONTRADICTIONS, rows)
        else:
            (folder / CONTRADICTIONS).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """The context of each probe."""
        return {
            f"{label} {answer.item}": canonical(Prompt(answer.item, answer.example.context))
            for label, answer in _read(folder)
        }

    def examples(self, folder: Path) -> Iterator[Example]:
        """What each system answered to the probes."""
        return (answer.example for _, answer in _read(folder))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the answers themselves."""
        return (answer.example for answer in _answers(subjects))

    def lines(self, sections: Sequence[ConsistencyInfo]) -> Iterator[str]:
        """What was asked, and from which probability on it counts."""
        from dialeval.consistency.report.section import consistency_note

        return map(consistency_note, sections)

    def page(self, sections: Sequence[ConsistencyInfo]) -> Section:
        """Where each system contradicts itself."""
        from dialeval.consistency.report.section import contradictions_section

        return contradictions_section(sections)


def detected_answers(answers: Sequence[ProbeAnswer], detector: ContradictionDetector) -> list[Detected]:
    """The worst pair in each answer's dialogue, its own turn being the later one."""
    talks = [Talk(answer.item, answer.system, Case(answer.turns, LAST_TURN)) for answer in answers]
    return detect_each(talks, detector)


def _model_of(label: str) -> str:
    from dialeval.text.calls import split_call

    return str(dict(split_call(label).parameters).get("model", SHIPPED))


def _answers(subjects: Subjects) -> list[ProbeAnswer]:
    return [subject for subject in subjects if isinstance(subject, ProbeAnswer)]


def _read(folder: Path) -> Iterator[tuple[str, ProbeAnswer]]:
    path = folder / CONTRADICTIONS
    return read_answers(path) if path.is_file() else iter(())
