"""N-best lists of any system for stimuli, generated batch by batch and kept as they come."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

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


def decoded_by(system: System, decoding: str | None, n: int) -> System:
    """The system with this decoding; without one, beam search of ``n`` beams where its own gives fewer responses.

    Systems without a decoding of their own, such as transcripts and servers, stay as they are, and are refused where a
    decoding is asked for.
    """
    maker: Any = system
    own = getattr(system, "decoding", None)
    if not isinstance(own, Decoding):
        if decoding:
            raise Unsuitable(
                f"{system.name} has no decoding that could be set to {decoding!r}. Leave it out."
            )
        return system
    if decoding:
        changed: System = dataclasses.replace(maker, decoding=Decoding.parse(decoding))
        return changed
    if own.most is not None and own.most < n:
        beam = Decoding("beam", beams=n, max_tokens=own.max_tokens)
        widened: System = dataclasses.replace(maker, decoding=beam)
        return widened
    return system
