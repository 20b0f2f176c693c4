"""Drafts of selection questions: what people said next, hidden among utterances like it (Sato et al., 2020)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.choices import shuffled_places
from dialeval.data.types import Candidate, Context, Dialogue, Question, Turn
from dialeval.data.writer import write
from dialeval.engine import SILENT, Progress
from dialeval.errors import Unsuitable
from dialeval.files.documents import write_json_lines
from dialeval.files.folders import check_links
from dialeval.selection.drafting.retrieval import CandidateRules, Retrieval, retrieve
from dialeval.selection.repository.repository import Engine, Repository
from dialeval.selection.repository.utterances import Excluded, same_key
from dialeval.selection.repository.words import content_words, tidy

_AT_ONCE: Final = 64


class LeftOut(NamedTuple):
    """A dialogue that gave no question, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """Questions as built, before anyone has looked at them."""

    questions: tuple[Question, ...]
    """In the order of their dialogues; status ``unvetted``, one candidate correct, in an order drawn by the seed."""
    left_out: tuple[LeftOut, ...]
    """Dialogues that were tried and gave no question."""
    retrieved: Mapping[str, tuple[Retrieval, ...]]
    """The false candidates of each item, as they were found; in the order of the questions."""
    untried: int = 0
    """Dialogues that were not needed to reach the limit."""


def build_draft(
    dialogues: Iterable[Dialogue],
    repository: Repository,
    *,
    turns: int = 3,
    m: int = 10,
    seed: int = 0,
    limit: int | None = None,
    depth: int = 50,
    exclude: Excluded = Excluded(),  # noqa: B008 - frozen
    rules: CandidateRules = CandidateRules(),  # noqa: B008 - frozen
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> Draft:
    """A question from each dialogue: its first ``turns`` turns, the next one, and ``m`` utterances like that one.

    Dialogues are tried in an order drawn by the seed until there are ``limit`` questions. One that is too short, whose
    ground truth has no content word or would not pass the repository's own filters, that repeats another, or for which
    fewer than ``m`` utterances are found, is left out with its reason. No turn of any of these dialogues becomes a
    false candidate, nor does any other utterance to ``exclude``, whatever the repository holds. Where the repository's
    spelling was tidied, so is the dialogues'.
    """
    _check_sizes(turns, m, repository)
    tried = _Trial(repository, turns)
    corpus = list(dialogues)
    barred = exclude | Excluded.of(turn.text for dialogue in corpus for turn in dialogue.turns)
    places = iter(random.Random(f"{seed}/order").sample(range(len(corpus)), len(corpus)))
    made: dict[int, tuple[Question, tuple[Retrieval, ...]]] = {}
    while limit is None or len(made) < limit:
        most = _AT_ONCE if limit is None else min(_AT_ONCE, limit - len(made))
        batch = list(tried.next(corpus, places, most))
        if not batch:
            break
        candidates = retrieve(
            repository,
            [asked.truth for asked in batch],
            m=m,
            depth=depth,
            apart=[[turn.text for turn in asked.context] for asked in batch],
            exclude=barred,
            rules=rules,
            engine=engine,
        )
        for asked, false in zip(batch, candidates, strict=True):
            if len(false) < m:
                tried.leave(
                    asked.place, asked.item, f"{len(false)} fit utterances like the ground truth, {m} needed"
                )
            else:
                made[asked.place] = _question(asked, false, seed), false
        progress.advance(len(batch))
    left = tuple(tried.left[place] for place in sorted(tried.left))
    kept = [made[place] for place in sorted(made)]
    retrieved = {question.item: false for question, false in kept}
    return Draft(
        tuple(question for question, _ in kept), left, retrieved, len(corpus) - len(made) - len(left)
    )


def _check_sizes(turns: int, m: int, repository: Repository) -> None:
    if turns < 1 or m < 1:
        raise Unsuitable(f"Found turns={turns} and m={m}; expected at least 1 of each.")
    if m > len(repository):
        raise Unsuitable(
            f"{m} false candidates were asked for, but the repository has only {len(repository)}. Ask for "
            "fewer, or add files to the repository."
        )


class _Asked(NamedTuple):
    """A context with what was said next, and the place of its dialogue."""

    place: int
    item: str
    context: Context
    truth: str


class _Trial:
    """Which dialogues can be asked about, and why the others cannot."""

    def __init__(self, repository: Repository, turns: int) -> None:
        self._filters, self._turns = repository.facts.filters, turns
        self._first: dict[str, str] = {}
        self.left: dict[int, LeftOut] = {}

    def next(self, corpus: list[Dialogue], places: Iterator[int], most: int) -> Iterator[_Asked]:
        """At most ``most`` further contexts."""
        count = 0
        while count < most and (place := next(places, None)) is not None:
            dialogue = corpus[place]
            reason = self._reason(dialogue)
            if reason is None:
                count += 1
                *context, truth = (self._spelled(turn) for turn in dialogue.turns[: self._turns + 1])
                yield _Asked(place, dialogue.item, tuple(context), truth.text)
            else:
                self.leave(place, dialogue.item, reason)

    def leave(self, place: int, item: str, reason: str) -> None:
        self.left[place] = LeftOut(item, reason)

    def _reason(self, dialogue: Dialogue) -> str | None:
        head = dialogue.turns[: self._turns + 1]
        if len(head) <= self._turns:
            return f"{len(head)} turns, {self._turns + 1} needed"
        if not all(turn.text.strip() for turn in head):
            return f"a blank turn among the first {self._turns + 1}"
        if (reason := self._filters.reason(head[-1].text)) is not None:
            return f"{reason} in the ground truth"
        if not content_words(head[-1].text):
            return "no content word in the ground truth"
        first = self._first.setdefault("\n".join(same_key(turn.text) for turn in head), dialogue.item)
        return None if first == dialogue.item else f"the same turns as {first}"

    def _spelled(self, turn: Turn) -> Turn:
        return Turn(turn.speaker, tidy(turn.text) if self._filters.tidy else turn.text, turn.name)


def _question(asked: _Asked, false: tuple[Retrieval, ...], seed: int) -> Question:
    candidates = [Candidate(asked.truth, True), *(Candidate(candidate.text, False) for candidate in false)]
    order = shuffled_places([candidate.text for candidate in candidates], item=asked.item, seed=seed)
    return Question(asked.item, asked.context, tuple(candidates[place] for place in order), "unvetted")


def write_draft(draft: Draft, folder: Path) -> None:
    """Write ``draft.jsonl``, ``left_out.jsonl`` and ``retrieved.jsonl`` into ``folder``."""
    check_links(folder)
    write(folder / "draft.jsonl", draft.questions)
    write_json_lines(folder / "left_out.jsonl", (dialogue._asdict() for dialogue in draft.left_out))
    retrieved = (
        {"id": item, "retrieved": [asdict(candidate) for candidate in candidates]}
        for item, candidates in draft.retrieved.items()
    )
    write_json_lines(folder / "retrieved.jsonl", retrieved)
