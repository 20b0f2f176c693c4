"""A system's answers to a study's prompts, kept as they come or recorded in a file beside other data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.core import Missing, Replayer, System
from dialeval.data import Example, Prompt, Response
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.dialects import tell
from dialeval.data.prompts import example_of
from dialeval.data.reader import place_of
from dialeval.data.table import NoSpace, Table
from dialeval.display.wording import count
from dialeval.engine import Workshop
from dialeval.errors import DialevalError, described
from dialeval.evaluation.answers import answers_of
from dialeval.evaluation.measure import Respondent, can_answer
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.unmatched import check_unmatched, no_line, sentence, unmatched_responses
from dialeval.systems.transcript import Transcript, recorded_systems

NO_RESPONSE: Final = "the system gave no response"
_ANSWERS_NOTHING: Final = "a system of this kind answers no prompts"


def ask(
    system: System,
    prompts: Sequence[Prompt],
    items: Collection[str],
    study: Study,
    workshop: Workshop,
    failures: list[Failure],
) -> Respondent:
    """The system with its answers; where it fails as a whole, every answer is missing for that reason."""
    if not can_answer(system):
        return Respondent(system, [Missing(p.item, system.name, _ANSWERS_NOTHING) for p in prompts])
    try:
        for strange in unmatched_responses(system, items):
            check_unmatched(strange, items, allowed=study.allow_unmatched)
        answers, failure = _answers(system, prompts, study, workshop)
        first = _examples(
            system,
            prompts,
            answers,
            f"it has no response to any of the {len(prompts)} items. Do the ids agree?",
        )
        others = (
            [_replayed(run, prompts) for run in system.runs[1:]] if isinstance(system, Transcript) else []
        )
    except NoSpace:  # every other system would fail, too
        raise
    except Exception as error:  # a system is foreign code: whatever it raises must not take the others down
        message = described(error)
        failures.append(Failure(system.name, None, message))
        reason = f"system failed: {message}"
        return Respondent(system, [Missing(p.item, system.name, reason, "failed") for p in prompts])
    failure = failure or _unusable(first)
    failures += [Failure(system.name, None, failure, partial=True)] if failure else []
    return Respondent(system, first, (first, *others) if others else ())


def _unusable(answers: Sequence[Example | Missing]) -> str | None:
    """Say how many answers were lost on their way, and why the first was; None if none was."""
    lost = [answer for answer in answers if isinstance(answer, Missing) and answer.cause == "failed"]
    if not lost:
        return None
    return (
        f"{len(lost):,} of {count(len(answers), 'answer')} could not be used. {lost[0].reason}. Run again to ask for "
        f"{'it' if len(lost) == 1 else 'them'} again."
    )


class _Given(NamedTuple):
    """A system's answers in the order of the prompts, and what went wrong before the last of them."""

    answers: Iterable[tuple[Response, ...]]
    failure: str | None = None


def _answers(system: System, prompts: Sequence[Prompt], study: Study, workshop: Workshop) -> _Given:
    if isinstance(system, Transcript):
        return _Given(system.each(prompts))
    return _Given(
        *answers_of(
            system,
            prompts,
            study.resampling.seed,
            cache=workshop.answer_cache(system.name),
            watch=workshop.watch,
            executor=workshop.asking,
        )
    )


def _replayed(run: Transcript, prompts: Sequence[Prompt]) -> Sequence[Example | Missing]:
    """Return the responses of a further run of a system to the prompts."""
    silent = f"{run.path} has no response to any of the {len(prompts)} items. Do the ids agree?"
    return _examples(run, prompts, run.each(prompts), silent)


def _examples(
    system: System, prompts: Sequence[Prompt], answers: Iterable[tuple[Response, ...]], silent: str
) -> Sequence[Example | Missing]:
    """The system's response to each prompt; an error with the words ``silent`` if a file records none of them."""
    answered = not isinstance(system, Replayer)

    def each() -> Iterator[Example | Missing]:
        nonlocal answered
        for prompt, responses in zip(prompts, answers, strict=True):
            answered = answered or bool(responses)
            yield as_example(system, prompt, responses)

    examples: Table[Example | Missing] = Table(Example | Missing, each())
    if not answered:
        raise DialevalError(silent)
    return examples


def as_example(system: System, prompt: Prompt, responses: tuple[Response, ...]) -> Example | Missing:
    """The system's first response to a prompt, without a text where it gave none; Missing where we failed to get it."""
    said = responses[0] if responses else None
    if said is None:
        reason = no_line(system, prompt.item) or NO_RESPONSE
        said = Response("", missing=reason, cause="silent")
    if said.cause == "failed":
        return Missing(prompt.item, system.name, said.missing or NO_RESPONSE, said.cause)
    return example_of(prompt, system.name, said)


def recorded_examples(
    path: Path,
    prompts: Sequence[Prompt],
    *,
    format: str | None = None,
    system: str | None = None,
    columns: Columns | None = None,
    allow_unmatched: bool = False,
) -> list[Example | Missing]:
    """Return the response of each system of the file, or of the given one, to each prompt; Missing if it has no line.

    Lines that match no prompt are counted in a note; a file of which half of the lines or more match none is refused
    unless that is allowed. Lines without ids are in the order of the prompts.
    """
    source = path if format is None else Path(f"{format}:{place_of(path, format).source}")
    items = {prompt.item for prompt in prompts}
    examples: list[Example | Missing] = []
    for name in [system] if system is not None else recorded_systems(source, columns):
        replayed = Transcript(name, source, name, columns=str(columns) if columns else None)
        for unmatched in unmatched_responses(replayed, items):
            check_unmatched(unmatched, items, allowed=allow_unmatched)
            tell(str(source), sentence(unmatched, named=False))
        answers = replayed.replay(prompts)
        examples += [
            as_example(replayed, prompt, given) for prompt, given in zip(prompts, answers, strict=True)
        ]
    return examples
