"""Contexts as a server reads them: messages for the chat API, one text for the completions API."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from dialeval.data.types import Context, Turn
from dialeval.errors import DialevalError, Unsuitable

ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
"""Those that the chat API knows; results of tools have the last two."""

_PLACES: Final = re.compile(r"\{(role|text)\}")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a context is written out for the completions API."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    turn: str = "{role}: {text}\n"
    """Each turn, with ``{role}`` and ``{text}`` filled in."""
    cue: str = "assistant:"
    """What comes after the last turn: the server continues from here."""
    lead: str = " "
    """What separates the cue from the response; tokenisers mostly want it on the response's side."""

    def __post_init__(self) -> None:
        if "{text}" not in self.turn:
            raise DialevalError(f"The layout's turn: found {self.turn!r}, expected a place for {{text}}.")
        if not self.cue:
            raise DialevalError(
                "The layout's cue is empty; expected the text after which a response begins, as in 'assistant:'."
            )

    def write(self, context: Context) -> str:
        """The whole prompt."""
        return "".join(self._turn(turn) for turn in context) + self.cue

    def _turn(self, turn: Turn) -> str:
        # In one pass, so that a text which says '{role}' stays as it is.
        return _PLACES.sub(lambda place: turn.speaker if place[1] == "role" else turn.text, self.turn)


def messages(context: Context) -> list[dict[str, object]]:
    """The context as the chat API wants it, with calls of tools, their results and content in parts as they are."""
    reason = unknown_role(context)
    if reason is not None:
        raise Unsuitable(
            f"Found {reason}. Rename the roles in the data, or use the completions API ('api: completions'), which "
            "takes any."
        )
    return [_message(turn) for turn in context]


def unknown_role(context: Context) -> str | None:
    """What the chat API does not know in a context; None where it knows every role."""
    turn = next((turn for turn in context if turn.speaker not in ROLES), None)
    if turn is None:
        return None
    return f"the role {turn.speaker!r}, of the turn {turn.text[:40]!r}, but the chat API knows {', '.join(ROLES)}"


def _message(turn: Turn) -> dict[str, object]:
    message: dict[str, object] = {"role": turn.speaker, "content": turn.text}
    if turn.speaker in ("tool", "function") and turn.name is not None:
        message["name"] = turn.name
    return {**message, **(turn.extra or {})}


def shortened(context: Context) -> Context | None:
    """The context without its oldest turn, instructions apart; None where only one is left."""
    spoken = [index for index, turn in enumerate(context) if turn.speaker not in ("system", "developer")]
    if len(spoken) < 2:
        return None
    return context[: spoken[0]] + context[spoken[0] + 1 :]


def warn_of_cut_contexts(system: str, dropped: Sequence[int]) -> None:
    """Say how many contexts lost turns, given how many turns each of them lost."""
    cut = [turns for turns in dropped if turns]
    if cut:
        warnings.warn(
            f"{system}: {len(cut)} of {len(dropped)} contexts are longer than the server's window; "
            f"their oldest turns, {sum(cut)} in all, were left out.",
            stacklevel=5,
        )
