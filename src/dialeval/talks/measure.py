"""Talks as a study knows them: every measure of responses or dialogues, asked about talks with a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dialeval.core import Generator, Metric, Resampling, System
from dialeval.data import read, write
from dialeval.data.types import Dialogue, Example, Response
from dialeval.display.pages import Section
from dialeval.display.wording import count, listing, percent
from dialeval.errors import Unsuitable
from dialeval.evaluation.answers import ANSWERED_AT_ONCE
from dialeval.evaluation.measure import Asking, Measure, Respondent, Subjects, Tools
from dialeval.talks.conduct import Means, hold_talks
from dialeval.talks.document import TalksInfo
from dialeval.talks.faults import with_faults
from dialeval.talks.outcome import is_talk, scenario_of
from dialeval.talks.review import Reviewer
from dialeval.talks.scenarios import Scenario, digest_of
from dialeval.talks.success import with_outcomes
from dialeval.talks.summary import talks_info
from dialeval.talks.users import SimulatedUser

TALKS: Final = "talks.jsonl"
"""Every talk of a run, in the run folder."""


@dataclass(frozen=True, slots=True)
class TalkPlan:
    """Who talks about what, and how often."""

    scenarios: tuple[Scenario, ...]
    path: Path
    user: SimulatedUser
    repeats: int = 1
    seed: int = 0
    folder: Path = Path()
    """Folder of custom functions that decide on success."""
    reviewer: Reviewer | None = None
    """A model that looks for the user's faults beside the rules; None if only rules do."""

    @property
    def key(self) -> Hashable:
        """All that moves the talks but the system."""
        reviewer = None if self.reviewer is None else str(self.reviewer.signature)
        user = str(self.user.signature)
        return "talks", digest_of(self.scenarios), user, self.repeats, self.seed, reviewer

    @property
    def items(self) -> list[str]:
        """Ids of all talks of a system."""
        return [f"{scenario.id}/{n}" for scenario in self.scenarios for n in range(1, self.repeats + 1)]

    def hold(self, system: System, tools: Tools) -> list[Dialogue]:
        """Let a system talk, and judge the talks."""
        if not isinstance(system, Generator):
            raise Unsuitable(f"{system.name} replays what was recorded; it cannot talk with anybody.")
        scenarios = tools.share(self.scenarios[: tools.limit], ANSWERED_AT_ONCE)
        means = Means(cache=tools.cache, watch=tools.watch, executor=tools.executor)
        # In blocks, so that a shard asks for the batches that merging looks up.
        talks = [
            talk
            for start in range(0, len(scenarios), ANSWERED_AT_ONCE)
            for talk in hold_talks(
                system,
                scenarios[start : start + ANSWERED_AT_ONCE],
                self.user,
                repeats=self.repeats,
                seed=self.seed,
                means=means,
            )
        ]
        found = with_faults(with_outcomes(talks, scenarios, self.folder), scenarios)
        return found if self.reviewer is None else self.reviewer.review(found, scenarios, self.seed, means)


@dataclass(frozen=True, slots=True)
class TalkMeasure:
    """A measure of talks: of those that a plan holds, or of recorded ones."""

    metric: Metric[Any]
    plan: TalkPlan | None
    leads: bool
    """True if it is the first of the study, which the summary of talks stands beside."""
    recorded: Callable[[System, Tools], Sequence[Dialogue]] | None = None
    """Reader of a system's dialogues, if no plan holds any."""

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """The file of scenarios, if there is one."""
        return {} if self.plan is None else {"scenarios": str(self.plan.path)}

    def subjects(self, inputs: Mapping[str, Path], respondent: Respondent, tools: Tools) -> Subjects:
        """Return the system's talks."""
        if self.plan is not None:
            return self.plan.hold(respondent.system, tools)
        return () if self.recorded is None else self.recorded(respondent.system, tools)


class Talks:
    """Talks in a study."""

    name: Final = "talks"
    measures: Final[Mapping[str, Callable[..., Asking]]] = {}
    shows: Final = frozenset[str]()
    files: Final[Collection[str]] = (TALKS,)
    systems: Final[Mapping[str, Callable[..., System]]] = {}
    hint: Final = "talks: {scenarios: scenarios.yaml, user: {...}}"
    document: Final = TalksInfo

    def section(
        self, measure: Measure, subjects: Mapping[str, Subjects], resampling: Resampling
    ) -> TalksInfo | None:
        """Return the summary of the talks beside the study's first measure of them."""
        talks = {system: held for system, given in subjects.items() if (held := talks_in(given))}
        asking = measure.asking
        if not isinstance(asking, TalkMeasure) or not asking.leads:
            return None
        if not any(is_talk(talk) for own in talks.values() for talk in own):
            return None
        scenarios = () if asking.plan is None else asking.plan.scenarios
        return talks_info(measure.label, talks, scenarios, resampling)

    def write(self, folder: Path, subjects: Iterable[tuple[str, Subjects]]) -> None:
        """Write every talk once as a line of ``talks.jsonl``; no file if there is none."""
        talks = {(talk.system, talk.item): talk for _, given in subjects for talk in talks_in(given)}
        if talks:
            write(folder / TALKS, talks.values())
        else:
            (folder / TALKS).unlink(missing_ok=True)

    def asked(self, folder: Path) -> dict[str, bytes]:
        """The user, the seed and the scenario of each talk, by which runs show that they asked the same."""
        return {
            f"{self.name} {talk.item}": " ".join(str(talk.metadata.get(key)) for key in _ASKED).encode()
            for talk in read_talks(folder)
        }

    def contexts(self, folder: Path) -> Iterator[tuple[str, Hashable]]:
        """Ids of talks and their scenarios, by which they are resampled."""
        return scenarios_of(read_talks(folder))

    def examples(self, folder: Path) -> Iterator[Example]:
        """The last response of each talk."""
        return map(_as_example, read_talks(folder))

    def examples_of(self, subjects: Subjects) -> Iterator[Example]:
        """The same from the talks themselves."""
        return map(_as_example, talks_in(subjects))

    def lines(self, sections: Sequence[TalksInfo]) -> Iterator[str]:
        """Notes below a leaderboard: who talked, what the user's faults leave open, and failures."""
        for info in sections:
            yield f"talks: {info.status}; {count(info.scenarios, 'scenario')}, {count(info.repeats, 'repeat')} each"
            for each in info.systems:
                if each.faults:
                    kinds = listing([f"{kind} {number}" for kind, number in each.faults.items()])
                    yield (
                        f"{each.system}: the simulated user made faults ({kinds}); success is between "
                        f"{percent(each.worst)} and {percent(each.best)} if they are counted against or for it, and "
                        f"{percent(each.faultless.value)} without those talks"
                    )
                if failed := each.ends.get("failed"):
                    yield (
                        f"{each.system}: {count(failed, 'talk')} failed for a technical reason and left out; counted "
                        f"as no success, it is {percent(each.failures_as_zero.value)}"
                    )
                if each.identical:
                    yield f"{each.system}: all repeats are word for word the same, so they say nothing about chance"

    def page(self, sections: Sequence[TalksInfo]) -> Section:
        """Success by scenario, faults, costs, and the talks side by side."""
        from dialeval.talks.page import talks_section

        return talks_section(sections)


_ASKED: Final = ("user_signature", "seed", "scenario_digest")


def scenarios_of(talks: Iterable[Dialogue]) -> Iterator[tuple[str, Hashable]]:
    """Yield the id and the scenario of each talk whose metadata name it."""
    return ((talk.item, ("scenario", scenario_of(talk))) for talk in talks if "scenario" in talk.metadata)


def talks_in(subjects: Subjects) -> list[Dialogue]:
    """Return those of the subjects that are talks."""
    return [subject for subject in subjects if isinstance(subject, Dialogue)]


def read_talks(folder: Path) -> Iterator[Dialogue]:
    """The talks of a run folder; none if it has none."""
    path = folder / TALKS
    return read(path, "dialogue") if path.is_file() else iter(())


def _as_example(talk: Dialogue) -> Example:
    said = [place for place, turn in enumerate(talk.turns) if turn.speaker == "assistant"]
    if not said:
        return Example(talk.item, talk.system, talk.turns, Response("", missing="no response of the system"))
    last = said[-1]
    return Example(talk.item, talk.system, talk.turns[:last], Response(talk.turns[last].text))
