"""N-best lists as a study knows them: measures for which a system gives several responses to each stimulus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.detecting.dialogues import LAST_TURN, Case
from dialeval.consistency.detecting.metrics import ContradictionDetector, explain_worst, pairs_judged
from dialeval.core import Detector, Missing, Part, Resampling, System
from dialeval.data.speakers import with_response
from dialeval.data.types import Example, NBest, Response
from dialeval.display.wording import count, listing
from dialeval.errors import Unsuitable
from dialeval.evaluation.answers import ANSWERED_AT_ONCE
from dialeval.evaluation.measure import Asking, Measure, Respondent, Subjects, Tools
from dialeval.files.documents import as_json
from dialeval.judge.naming import names_judge
from dialeval.judge.questioner import Asked
from dialeval.nbest.answers.by_judge import AnswerJudge, example_of
from dialeval.nbest.answers.classifier import AnswerReader, FirstWord, load_classifier
from dialeval.nbest.detectors import SHIPPED, detector_named
from dialeval.nbest.document import ListKind, NBestInfo, Stimulus
from dialeval.nbest.filtering.metric import UNFILTERED, FilterAccuracy
from dialeval.nbest.filtering.rule import Method, Otherwise
from dialeval.nbest.folder import read_lists, read_stimuli, write_lists, write_sweep
from dialeval.nbest.measuring.judged import JudgedList, SweptList, judge_lists
from dialeval.nbest.measuring.lists import Profile, beam_of, decoded_by, generate_lists
from dialeval.nbest.measuring.metrics import Certainty, Variety
from dialeval.text.calls import split_call

LISTS: Final = "nbest.jsonl"
SWEEP: Final = "sweep.jsonl"
ReaderName: TypeAlias = Literal["yesno", "first_word"]
JudgedBy: TypeAlias = str
"""``answer``, ``detector``, or ``judge:NAME``."""
KINDS: Final[tuple[ListKind, ...]] = ("ENTQ", "CNTQ", "open")


def check_by(by: JudgedBy) -> None:
    """Unsuitable if nothing can judge by that name."""
    if by not in ("answer", "detector") and not names_judge(by):
        raise Unsuitable(
            f"'by': found {by!r}, expected answer, detector, or judge:NAME as in judge:strong.yaml."
        )


def reader_named(name: ReaderName, model: str = "", by: JudgedBy = "answer") -> AnswerReader:
    """Return what judges answers: the first word, a classifier (the shipped one or ``model``), or a judge."""
    if names_judge(by):
        return AnswerJudge(by)
    if name == "first_word" and model:
        raise Unsuitable("A model is for the reader 'yesno'; found the reader 'first_word' with one.")
    return FirstWord() if name == "first_word" else load_classifier(Path(model) if model else None)


@dataclass(frozen=True, slots=True)
class ListMeasure:
    """A metric over n-best lists, how the lists are made, and what judges them."""

    metric: Certainty | Variety | FilterAccuracy
    stimuli: str | None
    """The file as the study wrote it; None if results are read back and nobody is asked again."""
    n: int
    decoding: str
    reader: ReaderName
    model: str
    """A classifier of ``train yesno``; empty for the shipped one."""
    by: JudgedBy
    """``detector``: lists are judged by the contradiction detector although an answer is expected. ``judge:NAME``: a
    judge reads the answers, and detects contradictions where none is expected."""
    detector: str
    """What judges lists without an expected answer; empty if there are none."""
    sizes: str = ""
    """Sizes of prefixes in the breakdown, as ``1,2,5``; empty for the default ones."""
    beams: str = ""
    """Beam sizes of the breakdown, each searched by itself; empty for none."""
    profile: Profile = "usual"
    """How beams are ranked."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of stimuli."""
        return {"stimuli": self.stimuli}

    def implied(self, inputs: Mapping[str, Path | None]) -> Mapping[str, str]:
        """Return the shipped detector if a stimulus expects no answer and the study names no detector."""
        path = inputs["stimuli"]
        if self.detector or names_judge(self.by) or path is None or not path.is_file():
            return {}
        is_open = self.by == "detector" or any(each.kind == "open" for each in read_stimuli(path))
        return {"detector": SHIPPED} if is_open else {}

    @property
    def asks(self) -> tuple[object, ...]:
        """All that moves the lists and their verdicts."""
        judge = (self.reader, self.model, self.by, self.detector)
        return (self.n, self.decoding, self.profile, self.beams, *judge)

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[JudgedList | Missing]:
        """Return the system's list for each stimulus, judged."""
        stimuli = tools.share(read_stimuli(inputs["stimuli"])[: tools.limit], ANSWERED_AT_ONCE)
        system = respondent.system
        if not self.beams:
            made = decoded_by(system, self.decoding or None, self.n, self.profile)
            return self._judged(self._lists(made, stimuli, self.n, tools))
        sizes = whole_numbers(self.beams, "beam sizes")
        found = [
            self._lists(beam_of(system, size, self.decoding, self.profile), stimuli, size, tools)
            for size in dict.fromkeys((self.n, *sizes))
        ]
        judged = iter(self._judged([each for lists in found for each in lists]))
        by_size = {size: [next(judged) for _ in stimuli] for size in dict.fromkeys((self.n, *sizes))}
        return [
            first
            if isinstance(first, Missing)
            else _swept(first, [(size, by_size[size][place]) for size in sizes])
            for place, first in enumerate(by_size[self.n])
        ]

    def _lists(
        self, system: System, stimuli: Sequence[Stimulus], n: int, tools: Tools
    ) -> list[NBest | Missing]:
        return generate_lists(
            system, stimuli, n, cache=tools.cache, watch=tools.watch, executor=tools.executor
        ).lists

    def _judged(self, generated: Sequence[NBest | Missing]) -> list[JudgedList | Missing]:
        lists = [each for each in generated if isinstance(each, NBest)]
        detector = detector_named(self._detector) if self._detector else None
        reader = reader_named(self.reader, self.model, self.by)
        self._refuse_itself(reader, detector, lists)
        judged = iter(judge_lists(lists, reader, detector, detect_all=self.by == "detector"))
        return [each if isinstance(each, Missing) else next(judged) for each in generated]

    @property
    def _detector(self) -> str:
        """What judges lists without an expected answer; empty if nothing can."""
        return self.by if names_judge(self.by) else self.detector

    def _refuse_itself(self, reader: AnswerReader, detector: Detector | None, lists: Sequence[NBest]) -> None:
        """Unsuitable if a judge would judge its own responses."""
        judges = [reader.questioner.judge] if isinstance(reader, AnswerJudge) else []
        if isinstance(detector, ContradictionDetector) and detector.judge is not None:
            judges.append(detector.judge.judge)
        for judge in judges:
            for system in {nbest.system for nbest in lists}:
                judge.refuse_itself(system)

    def judged(self, subjects: Sequence[object]) -> Sequence[Asked]:
        """The judge, the answers that it reads, and the pairs of turns if no answer is expected; nothing of others."""
        lists = [each for each in subjects if isinstance(each, JudgedList)]
        found: list[Asked] = []
        if names_judge(self.by):
            answers = [
                example_of(question, response.text)
                for each in lists
                if each.kind != "open"
                for question, response in _exchanges(each)
                if response.text.strip()
            ]
            found.append(Asked(AnswerJudge(self.by).questioner.judge, answers))
        if names_judge(self._detector):
            unread = [each for each in lists if self.by == "detector" or each.kind == "open"]
            cases = [case for each in unread for case in _cases(each)]
            found += pairs_judged(PairDetector(self._detector), cases)
        return [asked for asked in found if asked.about] or found[:1]

    def explain(self, judged: JudgedList) -> str:
        """What a judge says of each response, a line each; empty if something else judges."""
        if names_judge(self.by) and judged.kind != "open":
            reader = AnswerJudge(self.by)
            told = [reader.questioner.explain(example_of(q, r.text)) for q, r in _exchanges(judged)]
        elif names_judge(self._detector):
            told = [explain_worst(PairDetector(self._detector), case) for case in _cases(judged)]
        else:
            return ""
        return "\n".join(f"{number}. {line}" for number, line in enumerate(told, 1) if line)

    def breakdowns(self, subjects: Subjects) -> Iterator[Part]:
        """Yield the lists of each kind of stimulus, those of each beam size, and these cut to their first responses.

        Of a filter, also what the system's first response is without it.
        """
        lists = _judged(subjects)
        groups = {kind: [judged for judged in lists if judged.kind == kind] for kind in KINDS}
        groups = {kind: group for kind, group in groups.items() if group}
        if isinstance(self.metric, FilterAccuracy):
            yield from _choices(self.metric, groups)
            return
        for kind, group in groups.items():
            yield Part((("stimuli", kind),), self.metric, group)
        if self.beams:
            yield from _curves(self.metric, groups)
        if not self.beams or self.sizes:
            longest = max((len(judged.verdicts) for judged in lists), default=0)
            sizes = whole_numbers(self.sizes) if self.sizes else default_sizes(min(self.n, longest))
            for kind, group in groups.items():
                for size in sizes:
                    yield Part((("stimuli", kind), (PREFIX, size)), replace(self.metric, n=size), group)


PREFIX: Final = "first"
"""The key of the first so many responses of a list, which are no list of a smaller search."""
BEAMS: Final = "beams"
"""The key of lists by a search with so many beams."""


def _exchanges(judged: JudgedList) -> Iterator[tuple[str, Response]]:
    """The question and each response."""
    context = judged.nbest.context
    return ((context[-1].text if context else "", response) for response in judged.nbest.responses)


def _cases(judged: JudgedList) -> list[Case]:
    """Each response in its context, to be compared with what was said before."""
    context = judged.nbest.context
    return [Case(with_response(context, response.text), LAST_TURN) for response in judged.nbest.responses]


def _swept(judged: JudgedList, by_beams: Sequence[tuple[int, JudgedList | Missing]]) -> SweptList:
    parts = (judged.nbest, judged.verdicts, judged.probabilities, judged.reader, judged.obstacle)
    return SweptList(*parts, tuple(by_beams))


def _curves(metric: Certainty | Variety, groups: Mapping[ListKind, Sequence[JudgedList]]) -> Iterator[Part]:
    """Yield the lists of each beam size, whole (Figure 5.2)."""
    for kind, group in groups.items():
        by_size: dict[int, list[JudgedList | Missing]] = {}
        for judged in group:
            for size, other in judged.by_beams if isinstance(judged, SweptList) else ():
                by_size.setdefault(size, []).append(other)
        for size, lists in sorted(by_size.items()):
            yield Part((("stimuli", kind), (BEAMS, size)), replace(metric, n=None), lists)


def _choices(metric: FilterAccuracy, groups: Mapping[ListKind, Sequence[JudgedList]]) -> Iterator[Part]:
    """Yield what the filter and the system's own order choose from the same lists, by kind of stimulus."""
    unfiltered = replace(metric, filter=UNFILTERED)
    for kind, group in groups.items():
        same = [judged for judged in group if metric.unscorable(judged) is None]
        yield Part((("stimuli", kind), ("choice", "filter")), metric, group)
        yield Part((("stimuli", kind), ("choice", "first response")), unfiltered, same)


def default_sizes(longest: int) -> tuple[int, ...]:
    """Return list sizes for a curve: 1, 2, 5, 10, 20, 40 ... up to the longest list, and that one.

    >>> default_sizes(10), default_sizes(3)
    ((1, 2, 5, 10), (1, 2, 3))
    """
    steps = [size for size in (1, 2, 5, 10, 20, 40, 80, 100) if size < longest]
    return (*steps, longest) if longest else ()


def whole_numbers(text: str, what: str = "list sizes") -> list[int]:
    """Return the different numbers of a list such as ``1,2,5``, in order; Unsuitable if it holds anything else."""
    parts = text.replace(" ", "").split(",")
    if not all(part.isdecimal() and int(part) for part in parts):
        raise Unsuitable(f"Found the {what} {text!r}, expected whole numbers as in '1,2,5,10'.")
    return sorted({int(part) for part in parts})


def nbest(
    stimuli: str | None = None,
    n: int = 10,
    decoding: str = "",
    reader: ReaderName = "yesno",
    model: str = "",
    by: JudgedBy = "answer",
    detector: str = "",
    sizes: str = "",
    beams: str = "",
    profile: Profile = "usual",
) -> ListMeasure:
    """Certainty: share of n-best lists with at least one response that does not contradict."""
    judge = _judge(reader, model, by, detector)
    return ListMeasure(
        Certainty(judge, n), stimuli, n, decoding, reader, model, by, detector, sizes, beams, profile
    )


def nbest_variety(
    stimuli: str | None = None,
    n: int = 10,
    decoding: str = "",
    reader: ReaderName = "yesno",
    model: str = "",
    by: JudgedBy = "answer",
    detector: str = "",
    sizes: str = "",
    beams: str = "",
    profile: Profile = "usual",
) -> ListMeasure:
    """Variety: mean share of responses that do not contradict, over n-best lists that have one."""
    judge = _judge(reader, model, by, detector)
    return ListMeasure(
        Variety(judge, n), stimuli, n, decoding, reader, model, by, detector, sizes, beams, profile
    )


def nbest_filter(
    stimuli: str | None = None,
    n: int = 10,
    decoding: str = "",
    reader: ReaderName = "yesno",
    model: str = "",
    by: JudgedBy = "answer",
    detector: str = "",
    profile: Profile = "usual",
    filter: str = SHIPPED,
    method: Method = "drop",
    otherwise: Otherwise = "first",
) -> ListMeasure:
    """Filter: share of n-best lists with a consistent response of which a real filter chooses one."""
    metric = FilterAccuracy(_judge(reader, model, by, detector), n, filter, method, otherwise)
    return ListMeasure(metric, stimuli, n, decoding, reader, model, by, detector, profile=profile)


def _judge(reader: ReaderName, model: str, by: JudgedBy, detector: str) -> str:
    """Return what a signature says of the judge: a name if it comes with the package, else all that moves it."""
    check_by(by)
    named = model or names_judge(by)
    answers = str(reader_named(reader, model, by).signature) if named else reader
    if names_judge(by):
        return f"{answers}; {detector_named(by).signature}"
    if not detector:
        return answers
    found = str(detector_named(detector).signature)
    return found if by == "detector" else f"{answers}; {found}"


class NBestLists:
    """N-best lists in a study."""

    name: Final = "nbest"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {
        "nbest": nbest,
        "nbest_variety": nbest_variety,
        "nbest_filter": nbest_filter,
    }
    shows: Final = frozenset[str]()
    files: Final = (LISTS, SWEEP)
    systems: Final[Mapping[str, Callable[..., System]]] = {}
    hint: Final = "{name: nbest, stimuli: stimuli.jsonl, n: 10}"
    document: Final = NBestInfo

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> NBestInfo | None:
        """Return what was asked and who judged it; None if nobody gave a list."""
        lists = [judged for given in subjects.values() for judged in _judged(given)]
        if not lists:
            return None
        n = int(dict(split_call(measure.label).parameters).get("n") or 10)
        return NBestInfo(
            measure=measure.label,
            stimuli=len({judged.item for judged in lists}),
            status="not checked by people",
            reader="; ".join(dict.fromkeys(judged.reader for judged in lists)),
            n=n,
            shorter=dict(Counter(judged.system for judged in lists if 0 < len(judged.verdicts) < n)),
        )

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every list once as a line of ``nbest.jsonl``, and those of other beam sizes of ``sweep.jsonl``.

        No file where there is none.
        """
        lists = {
            (judged.system, judged.item, judged.nbest.responses): judged
            for _label, given in subjects
            for judged in _judged(given)
        }
        swept = [judged for judged in lists.values() if isinstance(judged, SweptList)]
        if swept:
            write_sweep(folder / SWEEP, swept)
        else:
            (folder / SWEEP).unlink(missing_ok=True)
        if lists:
            write_lists(folder / LISTS, lists.values())
        else:
            (folder / LISTS).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """Context and expected answer of each stimulus."""
        return {
            f"{self.name} {judged.item}": json.dumps(
                [as_json(judged.nbest.context), judged.nbest.expected], ensure_ascii=False
            ).encode()
            for judged in _read(folder)
        }

    def examples(self, folder: Path) -> Iterator[Example]:
        """The best response of each list."""
        return map(_as_example, _read(folder))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the lists themselves."""
        return map(_as_example, _judged(subjects))

    def lines(self, sections: Sequence[NBestInfo]) -> Iterator[str]:
        """Yield what each measure asked about and who judged, and whose lists are short."""
        for info in sections:
            stimuli = "1 stimulus" if info.stimuli == 1 else f"{info.stimuli:,} stimuli"
            yield f"{info.measure}: {stimuli}, {info.status}; judged by {info.reader}"
            if split_call(info.measure).name == "nbest_filter":
                yield (
                    f"{info.measure}: an ideal filter, which Certainty and Variety assume, has 1; what is missing to 1 "
                    "are lists with a consistent response whose answer contradicts nevertheless"
                )
            if info.shorter:
                short = listing(
                    [f"{count(number, 'list')} of {name}" for name, number in info.shorter.items()]
                )
                yield f"{info.measure}: {short} with fewer than {info.n} responses; Certainty rises with their number"

    def page(self, sections: Sequence[NBestInfo]) -> None:
        """Return nothing: breakdowns show the scores."""


def _judged(subjects: Subjects) -> list[JudgedList]:
    return [subject for subject in subjects if isinstance(subject, JudgedList)]


def _read(folder: Path) -> Iterator[JudgedList]:
    path = folder / LISTS
    return read_lists(path) if path.is_file() else iter(())


def _as_example(judged: JudgedList) -> Example:
    nbest = judged.nbest
    return Example(nbest.item, nbest.system, nbest.context, nbest.responses[0])
