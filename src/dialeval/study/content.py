"""The content of a run's report, put together from the run or from its files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from dialeval.catalogue.tasks import TASKS
from dialeval.data import Example
from dialeval.data.results import ItemValues
from dialeval.display.pages import Section
from dialeval.meta.document import Points
from dialeval.study.browsing import choose, shown
from dialeval.study.document import Content, Manifest, Summary, Values
from dialeval.study.freshness import answer_notes
from dialeval.study.unmatched import sentence


def content_of(
    study: str,
    summary: Summary,
    manifest: Manifest,
    blocks: Sequence[ItemValues],
    points: Points,
    answers: Callable[[Collection[str]], Iterable[Example]],
) -> Content:
    """The content of a report.

    ``answers`` gives the systems' responses to these items at least, to prompts and to whatever else was asked.
    """
    values = Values.of_blocks(blocks)
    chosen = choose(values)
    return Content(
        study=study,
        summary=summary,
        manifest=manifest,
        values=values,
        items=shown(
            values,
            chosen,
            answers({values.items[position] for position in chosen}),
            {system.name: system.runs for system in summary.systems},
        ),
        notes=(
            *answer_notes(manifest.answers, manifest.started),
            *map(sentence, manifest.unmatched),
            *notes_of(summary),
        ),
        points=points,
    )


def notes_of(summary: Summary) -> tuple[str, ...]:
    """What capabilities say below the leaderboard."""
    sections = {name: given for name, given in summary.sections.items() if given}
    return tuple(line for name, given in sections.items() for line in TASKS[name].lines(given))


def page_sections(content: Content) -> Iterator[Section]:
    """What capabilities and people add to the page, in the order of ``summary.json``."""
    for name, sections in content.summary.sections.items():
        if sections and (section := TASKS[name].page(sections)) is not None:
            yield section
    if content.summary.turns:
        from dialeval.selfeval.report import turns_section

        yield turns_section(content.summary.turns)
    if content.summary.human is not None:
        from dialeval.meta.report.page import people_section

        yield people_section(content.summary.human, content.points)
