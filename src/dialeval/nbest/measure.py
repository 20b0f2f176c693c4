"""N-best lists as a study knows them: measures for which a system gives several responses to each stimulus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.core import Detector, Missing, Part, Resampling, System
from dialeval.data.types import Example, NBest
from dialeval.display.wording import count, listing
from dialeval.errors import Unsuitable
from dialeval.evaluation.answers import ANSWERED_AT_ONCE
from dialeval.evaluation.measure import Asking, Measure, Respondent, Subjects, Tools
from dialeval.files.custom_code import load_code
from dialeval.files.documents import as_json
from dialeval.nbest.answers.classifier import AnswerReader, FirstWord, load_classifier
from dialeval.nbest.document import ListKind, NBestInfo
from dialeval.nbest.folder import read_lists, read_stimuli, write_lists
from dialeval.nbest.measuring.judged import JudgedList, judge_lists
from dialeval.nbest.measuring.lists import decoded_by, generate_lists
from dialeval.nbest.measuring.metrics import Certainty, Variety
from dialeval.text.calls import split_call

LISTS: Final = "nbest.jsonl"
ReaderName: TypeAlias = Literal["yesno", "first_word"]
JudgedBy: TypeAlias = Literal["answer", "detector"]
SHIPPED: Final = "shipped"
KINDS: Final[tuple[ListKind, ...]] = ("ENTQ", "CNTQ", "open")


def reader_named(name: ReaderName, model: str = "") -> AnswerReader:
    """Return what judges answers: the rule of the first word, the shipped classifier, or the one in ``model``."""
    if name == "first_word" and model:
        raise Unsuitable("A model is for the reader 'yesno'; found the reader 'first_word' with one.")
    return FirstWord() if name == "first_word" else load_classifier(Path(model) if model else None)


def detector_named(place: str) -> Detector:
    """Return the shipped contradiction detector, a trained one, or one that custom code makes."""
    if ".py:" not in place:
        return ContradictionDetector(place)
    made = load_code(place, Path.cwd()).thing
    detector = made() if isinstance(made, type) or not isinstance(made, Detector) else made
    if not isinstance(detector, Detector):
        raise Unsuitable(
            f"{place} is not a Detector: it needs a signature and contradiction(contexts, responses)."
        )
    return detector


@dataclass(frozen=True, slots=True)
class ListMeasure:
    """A metric over n-best lists, how the lists are made, and what judges them."""

    metric: Certainty | Variety
    stimuli: str | None
    """The file as the study wrote it; None if results are read back and nobody is asked again."""
    n: int
    decoding: str
    reader: ReaderName
    model: str
    """A classifier of ``train yesno``; empty for the shipped one."""
    by: JudgedBy
    """``detector``: lists are judged by the contradiction detector although an answer is expected."""
    detector: str
    """What judges lists without an expected answer; empty if there are none."""
    sizes: str
    """List sizes of the breakdown, as ``1,2,5``; empty for the default ones."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of stimuli."""
        return {"stimuli": self.stimuli}

    def implied(self, inputs: Mapping[str, Path | None]) -> Mapping[str, str]:
        """Return the shipped detector if a stimulus expects no answer and the study names no detector."""
        path = inputs["stimuli"]
        if self.detector or path is None or not path.is_file():
            return {}
        is_open = self.by == "detector" or any(each.kind == "open" for each in read_stimuli(path))
        return {"detector": SHIPPED} if is_open else {}

    @property
    def asks(self) -> tuple[object, ...]:
        """All that moves the lists and their verdicts."""
        return (self.n, self.decoding, self.reader, self.model, self.by, self.detector)

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[JudgedList | Missing]:
        """Return the system's list for each stimulus, judged."""
        stimuli = tools.share(read_stimuli(inputs["stimuli"])[: tools.limit], ANSWERED_AT_ONCE)
        system = decoded_by(respondent.system, self.decoding or None, self.n)
        generated = generate_lists(
            system, stimuli, self.n, cache=tools.cache, watch=tools.watch, executor=tools.executor
        )
        lists = [each for each in generated.lists if isinstance(each, NBest)]
        detector = detector_named(self.detector) if self.detector else None
        reader = reader_named(self.reader, self.model)
        judged = iter(judge_lists(lists, reader, detector, detect_all=self.by == "detector"))
        return [each if isinstance(each, Missing) else next(judged) for each in generated.lists]

    def breakdowns(self, subjects: Subjects) -> Iterator[Part]:
        """Yield the lists of each kind of stimulus, and these cut to their first responses (Figure 5.2)."""
        lists = _judged(subjects)
        groups = {kind: [judged for judged in lists if judged.kind == kind] for kind in KINDS}
        groups = {kind: group for kind, group in groups.items() if group}
        for kind, group in groups.items():
            yield Part((("stimuli", kind),), self.metric, group)
        longest = max((len(judged.verdicts) for judged in lists), default=0)
        sizes = _sizes(self.sizes) if self.sizes else default_sizes(min(self.n, longest))
        for kind, group in groups.items():
            for size in sizes:
                yield Part((("stimuli", kind), ("n", size)), replace(self.metric, n=size), group)


def default_sizes(longest: int) -> tuple[int, ...]:
    """Return list sizes for a curve: 1, 2, 5, 10, 20, 40 ... up to the longest list, and that one.

    >>> default_sizes(10), default_sizes(3)
    ((1, 2, 5, 10), (1, 2, 3))
    """
    steps = [size for size in (1, 2, 5, 10, 20, 40, 80, 100) if size < longest]
    return (*steps, longest) if longest else ()


def _sizes(text: str) -> list[int]:
    parts = text.replace(" ", "").split(",")
    if not all(part.isdigit() and int(part) for part in parts):
        raise Unsuitable(f"Found the list sizes {text!r}, expected whole numbers as in '1,2,5,10'.")
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
) -> ListMeasure:
    """Certainty: share of n-best lists with at least one response that does not contradict."""
    judge = _judge(reader, model, by, detector)
    return ListMeasure(Certainty(judge, n), stimuli, n, decoding, reader, model, by, detector, sizes)


def nbest_variety(
    stimuli: str | None = None,
    n: int = 10,
    decoding: str = "",
    reader: ReaderName = "yesno",
    model: str = "",
    by: JudgedBy = "answer",
    detector: str = "",
    sizes: str = "",
) -> ListMeasure:
    """Variety: mean share of responses that do not contradict, over n-best lists that have one."""
    judge = _judge(reader, model, by, detector)
    return ListMeasure(Variety(judge, n), stimuli, n, decoding, reader, model, by, detector, sizes)


def _judge(reader: ReaderName, model: str, by: JudgedBy, detector: str) -> str:
    """Return what a signature says of the judge: a name if it comes with the package, else all that moves it."""
    answers = reader if not model else str(reader_named(reader, model).signature)
    if not detector:
        return answers
    found = str(detector_named(detector).signature)
    return found if by == "detector" else f"{answers}; {found}"


class NBestLists:
    """N-best lists in a study."""

    name: Final = "nbest"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {"nbest": nbest, "nbest_variety": nbest_variety}
    shows: Final = frozenset[str]()
    files: Final = (LISTS,)
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
        """Write every list once as a line of ``nbest.jsonl``; no file where there is none."""
        lists = {
            (judged.system, judged.item, judged.nbest.responses): judged
            for _label, given in subjects
            for judged in _judged(given)
        }
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
