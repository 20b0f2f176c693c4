"""Talks between a system and a simulated user: all scenarios and repeats go forward together, a turn at a time.

Every answer of the system and of the user's model is kept as it comes, so that an interrupted run goes on where it
stopped, and nothing is paid for twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from dialeval.core import Generator
from dialeval.data.table import NoSpace
from dialeval.data.types import Dialogue, Prompt, Response, Turn
from dialeval.engine import Cache, Executor, Progress, Watch, unwatched
from dialeval.errors import RunFailed, described
from dialeval.evaluation.answers import answers_of
from dialeval.talks.outcome import End
from dialeval.talks.scenarios import Scenario, digest_of
from dialeval.talks.users import SimulatedUser, UserRequest, UserTurn

_SEEDS: Final = 1_000_003
"""Repeats of different studies should not share their draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Means with which the systems and the user are asked."""

    cache: Cache | None = None
    watch: Watch = unwatched
    executor: Executor | None = None


@dataclass(slots=True)
class _Usage:
    """Requests and tokens of one side."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    """Answers whose tokens nobody counted, so that the sums are lower bounds."""

    def add(self, response: Response | None) -> None:
        """Count an answer; None is a request without one."""
        self.requests += 1
        usage = response.usage if response else None
        if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            self.uncounted += 1
            return
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    def fields(self) -> dict[str, int]:
        """Return the sums as metadata hold them."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "uncounted": self.uncounted,
        }


@dataclass(slots=True)
class _Talk:
    """A talk under way."""

    scenario: Scenario
    repeat: int
    turns: list[Turn]
    end: End | None = None
    reason: str = ""
    system: _Usage = field(default_factory=_Usage)
    user: _Usage = field(default_factory=_Usage)

    @property
    def said(self) -> int:
        """Number of the user's turns."""
        return sum(turn.speaker == "user" for turn in self.turns)

    def close(self, end: End, reason: str = "") -> None:
        """End the talk."""
        self.end, self.reason = end, reason

    def request(self) -> UserRequest:
        """Return what the user is asked."""
        heard = next((turn.text for turn in reversed(self.turns) if turn.speaker == "assistant"), "")
        may_end = self.said + 1 >= self.scenario.least and bool(heard) and not waits_for_answer(heard)
        return UserRequest(self.scenario, tuple(self.turns), may_end)


_REQUEST: Final = re.compile(
    r"[?？؟]|\byes or no\b|\byes/no\b|\b(please|kindly)\s+(confirm|provide|tell|give|enter|share|send|specify|reply)\b|"
    r"\b(do you|can you|could you|would you|shall i|should i) (confirm|agree|want|like)\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")


def waits_for_answer(text: str) -> bool:
    """Whether a text asks something or wants a confirmation, so that the talk cannot end there; quotes do not count."""
    return _REQUEST.search(_QUOTED.sub("", text)) is not None


def hold_talks(
    system: Generator,
    scenarios: Sequence[Scenario],
    user: SimulatedUser,
    *,
    repeats: int = 1,
    seed: int = 0,
    means: Means | None = None,
) -> list[Dialogue]:
    """Return a dialogue for each repeat of each scenario, under ``SCENARIO/REPEAT``, without an outcome yet.

    Repeats differ by their seed alone: greedy systems and users give the same talk again. A system that fails before
    it has said anything raises its error; later, the talk ends and its metadata say why.
    """
    means = means or Means()
    talks = [
        _Talk(scenario, repeat, [Turn("system", scenario.instructions)] if scenario.instructions else [])
        for scenario in scenarios
        for repeat in range(1, repeats + 1)
    ]
    with means.watch(f"{system.name} talks with {user.name}", len(talks)) as progress:
        while under_way := [talk for talk in talks if talk.end is None]:
            for group in _by_repeat(under_way):
                _let_user_speak(user, group, seed, means)
                _let_system_speak(system, [talk for talk in group if talk.end is None], seed, means)
            _tell(progress, under_way)
    return [_dialogue(talk, system, user, seed) for talk in talks]


def _by_repeat(talks: Sequence[_Talk]) -> Iterator[list[_Talk]]:
    """Yield the talks of each repeat, which share a seed."""
    for repeat in dict.fromkeys(talk.repeat for talk in talks):
        yield [talk for talk in talks if talk.repeat == repeat]


def _tell(progress: Progress, under_way: Sequence[_Talk]) -> None:
    progress.advance(sum(talk.end is not None for talk in under_way))


def _let_user_speak(user: SimulatedUser, talks: Sequence[_Talk], seed: int, means: Means) -> None:
    free = [talk for talk in talks if talk.said >= len(talk.scenario.first)]
    for talk in talks:
        if talk.said < len(talk.scenario.first):
            talk.turns.append(Turn("user", talk.scenario.first[talk.said]))
    if not free:
        return

    def ask(model: Generator, contexts: Sequence[tuple[Turn, ...]]) -> list[Response | None]:
        return ask_model(model, contexts, _seed(seed, talks[0].repeat), means)

    try:
        turns = user.speak([talk.request() for talk in free], ask)
    except NoSpace:  # every other talk would fail, too
        raise
    except Exception as error:  # foreign code, whatever it raises
        turns = [UserTurn("", failed=described(error)) for _ in free]
    for talk, turn in zip(free, turns, strict=True):
        _take(talk, turn)


def _take(talk: _Talk, turn: UserTurn) -> None:
    for reply in turn.replies:
        talk.user.add(reply)
    if turn.failed is not None:
        talk.close("failed", f"user: {turn.failed}")
    elif not turn.text:
        talk.close("user", "" if turn.end else "the user said nothing")
    else:
        talk.turns.append(Turn("user", turn.text))
        if turn.end:
            talk.close("user")


def _let_system_speak(system: Generator, talks: Sequence[_Talk], seed: int, means: Means) -> None:
    if not talks:
        return
    began = any(turn.speaker == "assistant" for talk in talks for turn in talk.turns)
    contexts = [tuple(talk.turns) for talk in talks]
    try:
        replies = ask_model(system, contexts, _seed(seed, talks[0].repeat), means)
    except NoSpace:  # every other talk would fail, too
        raise
    except Exception as error:  # foreign code, whatever it raises
        if not began:
            raise
        for talk in talks:
            talk.close("failed", f"system: {described(error)}")
        return
    lost = [reply for reply in replies if reply is not None and reply.cause == "failed"]
    if lost and len(lost) == len(replies) and not began:
        raise RunFailed(f"{system.name} answered nothing: {lost[0].missing}")
    for talk, reply in zip(talks, replies, strict=True):
        talk.system.add(reply)
        if reply is not None and reply.cause == "failed":
            talk.close("failed", f"system: {reply.missing}")
        elif reply is None or reply.missing is not None or not reply.text.strip():
            talk.close("silent", (reply.missing if reply else None) or "the system said nothing")
        else:
            talk.turns.append(Turn("assistant", reply.text))
            if talk.said >= talk.scenario.most:
                talk.close("limit", f"{talk.scenario.most} turns of the user")


def ask_model(
    model: Generator, contexts: Sequence[tuple[Turn, ...]], seed: int, means: Means
) -> list[Response | None]:
    """Return the first response to each context; equal contexts are asked about once."""
    places = {context: None for context in contexts}
    known = dict(zip(places, _answers(model, list(places), seed, means), strict=True))
    return [known[context] for context in contexts]


def _answers(
    model: Generator, contexts: Sequence[tuple[Turn, ...]], seed: int, means: Means
) -> list[Response | None]:
    """The first responses; if asking for all at once fails, each is asked for alone, so that no failure is shared."""
    prompts = [Prompt(str(number), context) for number, context in enumerate(contexts)]
    try:
        given = answers_of(model, prompts, seed, cache=means.cache, watch=unwatched, executor=means.executor)
    except NoSpace:  # every other talk would fail, too
        raise
    except Exception:  # foreign code, whatever it raises
        if len(contexts) == 1:
            raise
        return [_alone(model, context, seed, means) for context in contexts]
    return [answers[0] if answers else None for answers in given.answers]


def _alone(model: Generator, context: tuple[Turn, ...], seed: int, means: Means) -> Response | None:
    try:
        return _answers(model, [context], seed, means)[0]
    except NoSpace:  # every other talk would fail, too
        raise
    except Exception as error:  # foreign code, whatever it raises
        return Response("", missing=described(error), cause="failed")


def _seed(seed: int, repeat: int) -> int:
    return seed * _SEEDS + repeat


def _dialogue(talk: _Talk, system: Generator, user: SimulatedUser, seed: int) -> Dialogue:
    metadata: dict[str, object] = {
        "scenario": talk.scenario.id,
        "scenario_digest": digest_of([talk.scenario])[:12],
        "repeat": talk.repeat,
        "user": user.name,
        "user_signature": str(user.signature),
        "seed": seed,
        "end": talk.end,
    }
    metadata |= {"end_reason": talk.reason} if talk.reason else {}
    metadata["usage"] = {"system": talk.system.fields(), "user": talk.user.fields()}
    return Dialogue(f"{talk.scenario.id}/{talk.repeat}", tuple(talk.turns), system.name, metadata)
