"""N-best lists as a study knows them: measures for which a system gives several responses to each stimulus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dialeval.core import Missing, Resampling, System
from dialeval.data.types import Example, NBest
from dialeval.display.pages import Section
from dialeval.evaluation.answering import ANSWERED_AT_ONCE
from dialeval.evaluation.measure import Asking, Respondent, Subjects, Tools
from dialeval.files.documents import as_json
from dialeval.nbest.answers.classifier import AnswerReader, FirstWord, load_classifier
from dialeval.nbest.document import NBestInfo
from dialeval.nbest.folder import read_lists, read_stimuli, write_lists
from dialeval.nbest.measuring.judged import JudgedList, judge_lists
from dialeval.nbest.measuring.lists import decoded_by, generate_lists
from dialeval.nbest.measuring.metrics import Certainty, Variety
from dialeval.nbest.measuring.results import curves_of, default_sizes, results_of

LISTS: Final = "nbest.jsonl"
ReaderName: TypeAlias = Literal["yesno", "first_word"]


def reader_named(name: ReaderName) -> AnswerReader:
    """What judges answers: the shipped classifier, or the rule of the first word."""
    return FirstWord() if name == "first_word" else load_classifier()


@dataclass(frozen=True, slots=True)
class ListMeasure:
    """A metric over n-best lists, and how they are made."""

    metric: Certainty | Variety
    stimuli: str | None
    """The file as the study wrote it; None where results are read back and nobody is asked again."""
    n: int
    decoding: str
    reader: ReaderName

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of stimuli."""
        return {"stimuli": self.stimuli}

    def subjects(
        self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools
    ) -> Sequence[JudgedList | Missing]:
        """The system's list for each stimulus, judged."""
        stimuli = tools.share(read_stimuli(inputs["stimuli"])[: tools.limit], ANSWERED_AT_ONCE)
        system = decoded_by(respondent.system, self.decoding or None, self.n)
        generated = generate_lists(
            system, stimuli, self.n, cache=tools.cache, watch=tools.watch, executor=tools.executor
        )
        lists = [each for each in generated.lists if isinstance(each, NBest)]
        judged = iter(judge_lists(lists, reader_named(self.reader)))
        return [each if isinstance(each, Missing) else next(judged) for each in generated.lists]


def nbest(
    stimuli: str | None = None, n: int = 10, decoding: str = "", reader: ReaderName = "yesno"
) -> ListMeasure:
    """Certainty: share of n-best lists with at least one response that does not contradict."""
    return ListMeasure(Certainty(reader, n), stimuli, n, decoding, reader)


def nbest_variety(
    stimuli: str | None = None, n: int = 10, decoding: str = "", reader: ReaderName = "yesno"
) -> ListMeasure:
    """Variety: mean share of responses that do not contradict, over n-best lists that have one."""
    return ListMeasure(Variety(reader, n), stimuli, n, decoding, reader)


class NBestLists:
    """N-best lists in a study."""

    name: Final = "nbest"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {"nbest": nbest, "nbest_variety": nbest_variety}
    shows: Final = frozenset[str]()
    systems: Final[Mapping[str, Callable[..., System]]] = {}
    hint: Final = "{name: nbest, stimuli: stimuli.jsonl, n: 10}"
    document: Final = NBestInfo

    def section(
        self, label: str, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> NBestInfo | None:
        """Certainty and Variety of every system, at several list sizes; None where nobody gave a list."""
        lists = [judged for given in subjects.values() for judged in _judged(given)]
        if not lists:
            return None
        reader, longest = lists[0].reader, max(len(judged.verdicts) for judged in lists)
        return NBestInfo(
            measure=label,
            stimuli=len({judged.item for judged in lists}),
            status="not checked by people",
            reader=reader,
            results=results_of(lists, reader, resampling=resampling),
            curves=curves_of(lists, reader, default_sizes(longest), resampling=resampling),
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
        """Certainty and Variety of every system in a line."""
        from dialeval.nbest.report.page import lists_note

        return map(lists_note, sections)

    def page(self, sections: Sequence[NBestInfo]) -> Section:
        """Tables and plots under each measure."""
        from dialeval.nbest.report.page import lists_section

        return lists_section(sections)


def _judged(subjects: Subjects) -> list[JudgedList]:
    return [subject for subject in subjects if isinstance(subject, JudgedList)]


def _read(folder: Path) -> Iterator[JudgedList]:
    path = folder / LISTS
    return read_lists(path) if path.is_file() else iter(())


def _as_example(judged: JudgedList) -> Example:
    nbest = judged.nbest
    return Example(nbest.item, nbest.system, nbest.context, nbest.responses[0])
