"""N-best lists of any system for stimuli, generated batch by batch and kept as they come."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dialeval.core import Missing, System
from dialeval.data.types import MissingCause, NBest, Prompt
from dialeval.engine import Cache, Executor, Watch, unwatched
from dialeval.errors import Unsuitable
from dialeval.evaluation.answers import answers_of
from dialeval.nbest.document import Stimulus
from dialeval.systems.decoding import Decoding

NO_LIST = "the system gave no response"


class Generated(NamedTuple):
    """A system's lists, and what went wrong where it failed before the last of them."""

    lists: list[NBest | Missing]
    failure: str | None = None


def generate_lists(
    system: System,
    stimuli: Sequence[Stimulus],
    n: int,
    *,
    seed: int = 0,
    cache: Cache | None = None,
    watch: Watch = unwatched,
    executor: Executor | None = None,
) -> Generated:
    """The system's ``n`` best responses to each stimulus; with a cache, an interrupted run resumes."""
    prompts = [Prompt(stimulus.id, stimulus.context) for stimulus in stimuli]
    answers, failure = answers_of(system, prompts, seed, cache=cache, watch=watch, n=n, executor=executor)
    lists: list[NBest | Missing] = []
    for stimulus, given in zip(stimuli, answers, strict=True):
        said = tuple(response for response in given if response.missing is None)
        reason = next((response.missing for response in given if response.missing), NO_LIST)
        cause: MissingCause = "failed" if any(response.cause == "failed" for response in given) else "silent"
        lists.append(
            NBest(stimulus.id, system.name, stimulus.context, said, stimulus.expected)
            if said
            else Missing(stimulus.id, system.name, reason, cause)
        )
    if lists and all(isinstance(each, Missing) for each in lists):
        raise Unsuitable(f"{system.name} has no response to any of the {len(stimuli)} stimuli.")
    return Generated(lists, failure)


Profile: TypeAlias = Literal["usual", "thesis"]
"""How beams are ranked if no decoding is given: by log-probability per token, or by its sum, as the thesis does with
``beam_length_penalty=0`` (Sato, 2024, section 5.6.3)."""
_PENALTY: Final[Mapping[Profile, float]] = {"usual": 1.0, "thesis": 0.0}


def decoded_by(system: System, decoding: str | None, n: int, profile: Profile = "usual") -> System:
    """The system with this decoding; without one, beam search of ``n`` beams where its own gives fewer responses.

    The profile ``thesis`` always takes beam search. Systems without a decoding of their own, such as transcripts and
    servers, stay as they are, and are refused where a decoding or the profile is asked for.
    """
    own = getattr(system, "decoding", None)
    if decoding and profile == "thesis":
        raise Unsuitable(f"Found the decoding {decoding!r} and the profile 'thesis', which has its own.")
    if not isinstance(own, Decoding):
        if decoding or profile == "thesis":
            asked = decoding or "beam search as in the thesis"
            raise Unsuitable(f"{system.name} has no decoding that could be set to {asked!r}. Leave it out.")
        return system
    if decoding:
        return _with(system, Decoding.parse(decoding))
    if profile == "thesis" or (own.most is not None and own.most < n):
        return _with(system, _beam(own, n, profile))
    return system


def beam_of(system: System, beams: int, decoding: str | None, profile: Profile = "usual") -> System:
    """The system with beam search of this many beams, its other options as in ``decoding``."""
    own = getattr(system, "decoding", None)
    if not isinstance(own, Decoding):
        raise Unsuitable(
            f"{system.name} has no beam search whose size could be changed. Measure the first responses of its lists "
            "instead: 'dialeval nbest measure --sizes'."
        )
    if not decoding:
        return _with(system, _beam(own, beams, profile))
    given = Decoding.parse(decoding)
    if given.method != "beam":
        raise Unsuitable(f"Found the decoding {decoding!r}; beam sizes are those of the method 'beam'.")
    return decoded_by(system, str(dataclasses.replace(given, beams=beams)), beams, profile)


def _beam(own: Decoding, beams: int, profile: Profile) -> Decoding:
    return Decoding("beam", beams=beams, length_penalty=_PENALTY[profile], max_tokens=own.max_tokens)


def _with(system: System, decoding: Decoding) -> System:
    maker: Any = system
    changed: System = dataclasses.replace(maker, decoding=decoding)
    return changed
