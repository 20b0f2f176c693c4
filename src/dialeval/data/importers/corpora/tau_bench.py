"""Talks of tau-bench (Yao et al., 2024) and tau2-bench: an agent with tools, a simulated user, and a reward.

Rows of tau-bench (``historical_trajectories``: ``task_id``, ``trial``, ``reward``, ``traj``), the same with
``messages``, and the ``simulations`` of tau2-bench's result files. The reward becomes the success of the talk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import missing, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.parts import turns as messages
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import as_kind
from dialeval.data.types import EXTRA, Dialogue, Kind, Record, Turn

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example")
STOPS: Final = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
"""Marks by which the simulated user ends a talk; they are no part of what it says."""
_ENDS: Final[Mapping[str, str]] = {
    "user": "user",
    "user_stop": "user",
    "agent_stop": "system",
    "agent": "system",
    "transfer_to_human_agents": "system",
    "max_steps": "limit",
    "too_many_errors": "failed",
    "agent_error": "failed",
    "user_error": "failed",
    "infrastructure_error": "failed",
}
"""How talks end, as both projects call it; tau-bench names the tool that was called last if the steps were used up."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A talk for each trial of a task, under ``TASK/TRIAL``."""

    def parse(row: Row) -> Sequence[Record]:
        return [each for talk in _talks(row) for each in as_kind(talk, kind, row.where)]

    return records(rows_of(source)(source, on_bad), parse, on_bad)


def _talks(row: Row) -> Iterator[Dialogue]:
    fields = row.fields
    if not isinstance(fields, Mapping):
        raise wrong(row.where, "", fields, "a trial of a task", "Name a file of trajectories or results.")
    simulations = fields.get("simulations")
    if isinstance(simulations, list):  # a whole result file of tau2-bench is one object
        for each in simulations:
            if not isinstance(each, Mapping):
                raise wrong(row.where, "simulations", each, "a simulation", "Name a result file.")
            yield _talk(each, row, _agent(fields))
        return
    yield _talk(fields, row, "")


def _agent(results: Mapping[str, object]) -> str:
    """Name of the agent's model in a result file of tau2-bench."""
    info = results.get("info")
    agent = info.get("agent_info") if isinstance(info, Mapping) else None
    model = agent.get("llm") if isinstance(agent, Mapping) else None
    return model if isinstance(model, str) else ""


def _talk(fields: Mapping[str, object], row: Row, agent: str) -> Dialogue:
    said = next((fields[key] for key in ("messages", "traj") if key in fields), None)
    if said is None:
        raise missing(fields, "messages", row.where, "", "the messages of a trial ('messages' or 'traj')")
    task = next((fields[key] for key in ("task_id", "task") if isinstance(fields.get(key), str | int)), None)
    if task is None:
        raise missing(fields, "task_id", row.where, "", "the id of the task")
    trial = fields.get("trial", 0)
    given = fields.get("id")
    named = given if isinstance(given, str) and given.endswith(f"/{trial}") else f"{task}/{trial}"
    system = fields.get("system")
    turns = tuple(map(_without_mark, messages(_plain(said), row.where, "messages")))
    metadata = {"scenario": named.rpartition("/")[0], "repeat": trial, **_outcome(fields, row)}
    return Dialogue(named, turns, system if isinstance(system, str) else agent, metadata)


def _plain(said: object) -> object:
    """Messages with null for a missing text, as some of these files leave it out beside calls of tools."""
    if not isinstance(said, list):
        return said
    return [{**each, "content": each.get("content")} if isinstance(each, Mapping) else each for each in said]


def _without_mark(turn: Turn) -> Turn:
    text = turn.text
    if turn.speaker != "user":
        return turn
    for mark in STOPS:
        text = text.replace(mark, "")
    if text == turn.text:
        return turn
    extra = {key: value for key, value in (turn.extra or {}).items() if key != EXTRA[0]}
    return Turn(turn.speaker, text.strip(), turn.name, extra or None)


def _outcome(fields: Mapping[str, object], row: Row) -> dict[str, object]:
    """The reward as success, who ended the talk, and the user's cost."""
    info = fields.get("reward_info")
    reward = fields.get("reward", info.get("reward") if isinstance(info, Mapping) else None)
    if reward is not None and not (isinstance(reward, int | float) and 0 <= reward <= 1):
        raise wrong(row.where, "reward", reward, "a number from 0 to 1, or null", "Fix the reward.")
    inner = fields.get("info")
    source = next(
        (
            value
            for key in ("source", "termination_reason")
            for held in (
                fields,
                inner,
                info,
                inner.get("reward_info") if isinstance(inner, Mapping) else None,
            )
            if isinstance(held, Mapping) and isinstance(value := held.get(key), str)
        ),
        None,
    )
    cost = fields.get("user_cost", inner.get("user_cost") if isinstance(inner, Mapping) else None)
    found: dict[str, object] = {"success": None if reward is None else float(reward)}
    if reward is None:
        found["success_reason"] = "no reward"
    if source is not None:
        found |= {"end": _ENDS.get(source, "limit"), "ended_by": source}
    return found | ({"user_cost": cost} if isinstance(cost, int | float) else {})
