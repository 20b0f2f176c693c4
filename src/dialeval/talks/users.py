"""Simulated users: a model that plays the scenario, a graph of states, or the turns of a recorded user."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias

from dialeval.core import Generator, Signature, resources_of
from dialeval.data.types import Context, Dialogue, Response, Turn
from dialeval.judge.verdicts import objects_in
from dialeval.metrics.assertions.patterns import SearchDied, search
from dialeval.talks.scenarios import Scenario

VERSION: Final = 1
"""Rises when a model is asked in other words, or another rule ends a talk."""
Form: TypeAlias = Literal["json", "plain"]
"""Form of a model's turns: a JSON object with ``message`` and ``end``; or the text alone, and a second question on
whether the goal is reached, for models too small for JSON."""


class UserTurn(NamedTuple):
    """Next turn of a simulated user."""

    text: str
    end: bool = False
    """True if the user ends the talk with this turn."""
    failed: str | None = None
    """Why there is no turn, if asking failed or the reply cannot be read: nobody's fault but ours."""
    replies: tuple[Response | None, ...] = ()
    """Replies of a model, for their cost."""


class UserRequest(NamedTuple):
    """A talk that waits for its user."""

    scenario: Scenario
    turns: Context
    """All turns so far."""
    may_end: bool
    """True if the scenario's least number of turns is reached, and the system asks nothing."""

    @property
    def said(self) -> int:
        """Number of the user's turns so far."""
        return sum(turn.speaker == "user" for turn in self.turns)


Ask: TypeAlias = Callable[[Generator, Sequence[Context]], list[Response | None]]
"""Asks a model about contexts and returns the first response to each; None if there is none."""


class SimulatedUser(Protocol):
    """A user who talks with systems."""

    @property
    def name(self) -> str:
        """As reports print it."""

    @property
    def signature(self) -> Signature:
        """All that could move what the user says, but the scenario and the seed."""

    @property
    def model(self) -> Generator | None:
        """The model that is asked; None if none is."""

    def speak(self, requests: Sequence[UserRequest], ask: Ask) -> list[UserTurn]:
        """Return the next turn in each talk; ``ask`` gives a model's first response to each context."""


_RULES: Final = (
    "You play a user who talks with a dialogue system. Write only what this user types next, in the user's own words: "
    "one short message, as people write in a chat. You are never the system: do not answer for it or help it.\n"
    "Follow the scenario. Tell nothing that it does not say: invent no names, numbers, dates or details; if you are "
    "asked for something that you do not know, say that you do not know. Tell facts marked 'only if asked' only after "
    "the system asked for them, and tell what is needed for the next step, not everything at once.\n"
    "The talk ends when the goal is reached, or when it is clear that it cannot be reached. As long as the system asks "
    "a question or wants a confirmation, answer it first."
)
_JSON: Final = (
    'Reply with one JSON object and nothing else: {"message": "what the user types", "end": true or false}. "end" is '
    "true only if the talk is over with this message."
)
_PLAIN: Final = "Reply with the user's message and nothing else."
_OVER: Final = (
    "Read the talk as an observer. The user's goal: GOAL\n"
    "Is this goal reached, or has the system said that it cannot be reached, with nothing left to ask? Answer yes or "
    "no and nothing else."
)


@dataclass(frozen=True, slots=True)
class ModelUser:
    """A model that plays the user: behind a server, a local one, or your own code."""

    name: str
    system: Generator
    form: Form = "json"
    prompt: str | None = None
    """Rules of your own in place of ours; the scenario and the form follow them."""

    @property
    def model(self) -> Generator:
        """The model."""
        return self.system

    @property
    def signature(self) -> Signature:
        """The model's signature, the rules and the form."""
        rules = hashlib.sha256((self.prompt or _RULES).encode()).hexdigest()[:12]
        parameters = (("model", str(self.system.signature)), ("form", self.form))
        return Signature("user", parameters, (("rules", rules),), version=VERSION)

    def speak(self, requests: Sequence[UserRequest], ask: Ask) -> list[UserTurn]:
        """Ask the model for the next turn of each talk."""
        replies = ask(self.system, [self._context(each) for each in requests])
        if self.form == "json":
            return [
                _from_json(reply, request.may_end)._replace(replies=(reply,))
                for reply, request in zip(replies, requests, strict=True)
            ]
        over = self._over(requests, ask)
        return [
            _from_text(reply, end=place in over and _says_yes(over[place]))._replace(
                replies=(reply, *([over[place]] if place in over else []))
            )
            for place, reply in enumerate(replies)
        ]

    def _context(self, request: UserRequest) -> Context:
        """The talk as the model hears it: itself the assistant, the system under test the user."""
        form = _JSON if self.form == "json" else _PLAIN
        rules = f"{self.prompt or _RULES}\n\n{briefing(request.scenario)}\n\n{form}"
        turns = [Turn(_OTHER[turn.speaker], turn.text) for turn in request.turns if turn.speaker in _OTHER]
        if not turns or turns[0].speaker == "assistant":
            turns.insert(0, Turn("user", "(The talk begins. Write the user's first message.)"))
        return (Turn("system", rules), *turns)

    def _over(self, requests: Sequence[UserRequest], ask: Ask) -> dict[int, Response | None]:
        """Replies on whether talks that may end are over, asked apart from the user's next turns, by place."""
        due = [place for place, each in enumerate(requests) if each.may_end]
        contexts = [_as_observed(requests[place]) for place in due]
        replies = ask(self.system, contexts) if contexts else []
        return dict(zip(due, replies, strict=True))


_OTHER: Final[Mapping[str, str]] = {"assistant": "user", "user": "assistant"}


def _says_yes(reply: Response | None) -> bool:
    return reply is not None and re.match(r"\W*yes\b", reply.text, re.IGNORECASE) is not None


def _as_observed(request: UserRequest) -> Context:
    talk = "\n".join(
        f"{turn.speaker}: {turn.text}" for turn in request.turns if turn.speaker in _OTHER and turn.text
    )
    return (Turn("system", _OVER.replace("GOAL", request.scenario.goal)), Turn("user", talk))


def briefing(scenario: Scenario) -> str:
    """Return the scenario as a model is told it."""
    lines = [f"Goal: {scenario.goal}"]
    if scenario.persona:
        lines.append(f"How the user is and writes: {scenario.persona}")
    if scenario.language:
        lines.append(f"Language of the user: {scenario.language}")
    facts = [
        f"- {name}: {fact.value}{' (only if asked)' if fact.when == 'asked' else ''}"
        for name, fact in scenario.facts.items()
    ]
    lines += ["The user knows:", *facts] if facts else ["The user knows nothing beyond the goal."]
    return "Scenario\n" + "\n".join(lines)


def _from_json(reply: Response | None, may_end: bool) -> UserTurn:
    """The last complete object with both keys; what cannot be read is a failure, never a turn."""
    if reply is None or reply.missing is not None:
        return UserTurn("", failed=(reply.missing if reply else None) or "the user's model gave no answer")
    found = [
        each
        for each in objects_in(reply.text)
        if isinstance(each.get("message"), str) and isinstance(each.get("end"), bool)
    ]
    if not found:
        shown = json.dumps(reply.text[:80], ensure_ascii=False)
        return UserTurn("", failed=f"the user's model gave no object with 'message' and 'end': {shown}")
    end = bool(found[-1]["end"])
    return UserTurn(str(found[-1]["message"]).strip(), end=end and may_end)


def _from_text(reply: Response | None, *, end: bool) -> UserTurn:
    if reply is None or reply.missing is not None:
        return UserTurn("", failed=(reply.missing if reply else None) or "the user's model gave no answer")
    return UserTurn(reply.text.strip(), end=end)


@dataclass(frozen=True, slots=True)
class State:
    """A state of a graph: what the user says there, and where it goes on by what the system answers."""

    say: str
    next: tuple[tuple[str, str], ...] = ()
    """Pattern in the system's turn and the state that follows, the first that fits; ``*`` fits everything."""
    end: bool = False


@dataclass(frozen=True, slots=True)
class GraphUser:
    """A user who follows a graph of states; ``{fact}`` in its turns stands for a fact of the scenario.

    Without a state that fits, the user says the same again.
    """

    name: str
    states: Mapping[str, State] = field(hash=False)
    digest: str
    start: str = "start"
    model: ClassVar[None] = None

    @property
    def signature(self) -> Signature:
        """The graph, by its digest."""
        return Signature("graph_user", (("start", self.start),), (("graph", self.digest),))

    def speak(self, requests: Sequence[UserRequest], ask: Ask) -> list[UserTurn]:
        """Follow the graph through the talk so far, and say what its state says."""
        return [self._next(request) for request in requests]

    def _next(self, request: UserRequest) -> UserTurn:
        state = self.states[self.start]
        spoken = [turn for turn in request.turns if turn.speaker in _OTHER]
        scripted = len(request.scenario.first)
        users = 0
        for turn, after in pairwise(spoken):
            users += turn.speaker == "user"
            if turn.speaker == "user" and users > scripted:
                state = self._after(state, after.text)
        text = _filled(state.say, request.scenario)
        return UserTurn(text, end=state.end)

    def _after(self, state: State, heard: str) -> State:
        for pattern, name in state.next:
            try:
                if pattern == "*" or search(pattern, heard, ignore_case=True):
                    return self.states[name]
            except SearchDied:
                continue
        return state


def _filled(text: str, scenario: Scenario) -> str:
    for name, fact in scenario.facts.items():
        text = text.replace(f"{{{name}}}", fact.value)
    return text.replace("{goal}", scenario.goal)


@dataclass(frozen=True, slots=True)
class ReplayedUser:
    """A user who says what people said in recorded dialogues of the same scenarios, turn by turn.

    The talk ends when the system has answered the last recorded turn, whatever it answers.
    """

    name: str
    said: Mapping[str, tuple[str, ...]] = field(hash=False)
    """The user's turns by scenario."""
    digest: str
    model: ClassVar[None] = None

    @property
    def signature(self) -> Signature:
        """The recorded turns, by their digest."""
        return Signature("replayed_user", (), (("dialogues", self.digest),))

    def speak(self, requests: Sequence[UserRequest], ask: Ask) -> list[UserTurn]:
        """Say the next recorded turn."""
        return [self._next(request) for request in requests]

    def _next(self, request: UserRequest) -> UserTurn:
        lines = self.said.get(request.scenario.id)
        if not lines:
            return UserTurn("", failed=f"no recorded user of the scenario {request.scenario.id!r}")
        place = request.said
        if place >= len(lines):
            return UserTurn("", end=True)
        return UserTurn(lines[place])


def user_turns(dialogue: Dialogue) -> tuple[str, ...]:
    """Return what the user said in a dialogue."""
    return tuple(turn.text for turn in dialogue.turns if turn.speaker == "user" and turn.text.strip())


def resources_of_user(user: SimulatedUser) -> Mapping[str, str]:
    """Name and sha256 of the weights that a user rests on."""
    return {} if user.model is None else resources_of(user.model)
