"""``dialeval chat``: talk with a system, or let it talk."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.options import From, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Generator
from dialeval.core.answers import generate
from dialeval.data import Dialogue, Prompt, Response, Turn, read, read_prompts, write
from dialeval.data.codec.sources import native_format
from dialeval.display.wording import one_line
from dialeval.engine.progress import RichProgress
from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.options import Argument, Option
from dialeval.study import named_system
from dialeval.systems.conversation import Script, converse, talk_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dialeval.core import System

COMMANDS = "/again another answer, /undo takes your last turn back, /new starts over, /quit"


def chat(
    system: Annotated[
        str,
        Argument(metavar="SYSTEM", help="A model's name or folder, 'kind(key=value)' or STUDY.yaml:NAME."),
    ],
    partner: Annotated[
        str | None,
        Option("--with", metavar="SYSTEM", help="Let it talk with this system, or with 'self'."),
    ] = None,
    script: Annotated[
        Path | None, Option("--script", help="Let it answer the lines of this file, one turn a line.")
    ] = None,
    openings: Annotated[
        Path | None, Option("--openings", help="How talks begin: prompts or dialogues, one talk each.")
    ] = None,
    scenario: Annotated[
        Path | None,
        Option(
            "--scenario",
            metavar="FILE",
            help="Play the user of these scenarios, one talk each until /quit; -o adds the talks with their outcomes.",
        ),
    ] = None,
    turns: Annotated[
        int | None,
        Option(
            "--turns",
            min=1,
            help="Number of turns after the opening.",
            show_default="8, or the whole script",
        ),
    ] = None,
    out: Annotated[Path | None, Option("--out", "-o", help="Keep the dialogues in this file.")] = None,
    limit: Annotated[int | None, Option("--limit", min=1, help="Use the first N openings.")] = None,
    format: From = None,
    seed: Seed = 0,
) -> None:
    """Talk with a system in the terminal, or let it talk with another system, itself or a script.

    Example: dialeval chat smollm2-135m-instruct

    Example: dialeval chat smollm2-135m-instruct --with self --openings prompts.jsonl --turns 6 -o talks.jsonl

    Example: dialeval chat smollm2-135m-instruct --scenario scenarios.yaml -o real_talks.jsonl
    """
    speaker = _generator(named_system(system))
    if out:
        native_format(out, writing=True)  # an unknown format should be reported before the talk
    if partner and script:
        raise DialevalError(
            "Found both --with and --script; a system can talk with one of them. Leave one out."
        )
    if scenario is not None:
        if partner or script or openings or turns:
            raise BadUsage("it goes without --with, --script, --openings and --turns", where="--scenario")
        _play(speaker, scenario, limit, seed, out)
        return
    begin = _openings(openings, limit, format)
    if partner or script:
        listener = _scripted(script) if script else speaker if partner == "self" else _partner(partner)
        dialogues = _converse(speaker, listener, begin, turns, seed)
        _show(dialogues)
        _keep(out, dialogues)
    else:
        said = list(begin[0].context)
        try:
            _talk(speaker, said, seed)
        finally:
            # Also where the system fails or is interrupted: what was said until then is not lost.
            _keep(out, [Dialogue(begin[0].item, tuple(said), speaker.name, {"seed": seed})])


def _play(speaker: Generator, file: Path, limit: int | None, seed: int, out: Path | None) -> None:
    """A person plays the user of each scenario; what was said is kept even if the person stops in the middle."""
    from dialeval.talks.faults import with_faults
    from dialeval.talks.scenarios import read_scenarios
    from dialeval.talks.success import with_outcomes
    from dialeval.talks.users import briefing

    held: list[Dialogue] = []
    scenarios = read_scenarios(file).scenarios[:limit]
    try:
        for number, scenario in enumerate(scenarios, start=1):
            print(f"\n{number} of {len(scenarios)}: {briefing(scenario)}", file=sys.stderr)
            turns = [Turn("system", scenario.instructions)] if scenario.instructions else []
            for said in scenario.first:
                turns.append(Turn("user", said))
                _append_answer(speaker, turns, seed)
            try:
                _talk(speaker, turns, seed)
            finally:
                metadata = {
                    "scenario": scenario.id,
                    "repeat": 1,
                    "user": "person",
                    "seed": seed,
                    "end": "user",
                }
                held.append(Dialogue(f"{scenario.id}/1", tuple(turns), speaker.name, metadata))
    finally:
        first = {scenario.id: len(scenario.first) for scenario in scenarios}
        spoken = [
            each
            for each in held
            if sum(turn.speaker == "user" for turn in each.turns) > first[str(each.metadata["scenario"])]
        ]
        earlier = list(read(out, "dialogue")) if out is not None and out.is_file() else []
        spoken = _numbered(spoken, earlier)
        judged = with_faults(with_outcomes(spoken, scenarios, file.parent), scenarios)
        for each in judged:
            told = {True: "reached", False: "not reached"}.get(bool(each.metadata["success"]))
            unknown = each.metadata["success"] is None
            why = each.metadata.get("success_reason")
            print(
                f"{each.item}: goal {'not known' if unknown else told}{f' ({why})' if why else ''}",
                file=sys.stderr,
            )
        _keep(out, [*earlier, *judged])


def _numbered(talks: Sequence[Dialogue], earlier: Sequence[Dialogue]) -> list[Dialogue]:
    """The talks as further repeats of their scenarios, after those that the file has."""
    taken = {each.item for each in earlier}
    found: list[Dialogue] = []
    for talk in talks:
        name = talk.metadata["scenario"]
        number = next(n for n in count(1) if f"{name}/{n}" not in taken)
        taken.add(f"{name}/{number}")
        found.append(replace(talk, item=f"{name}/{number}", metadata={**talk.metadata, "repeat": number}))
    return found


def _keep(out: Path | None, dialogues: Sequence[Dialogue]) -> None:
    if out:
        write(out, dialogues)
        print(f"Dialogues: {out}", file=sys.stderr)


def _generator(system: System) -> Generator:
    if not isinstance(system, Generator):
        raise Unsuitable(
            f"{system.name} replays what was recorded; it cannot answer anything new. Name another."
        )
    return system


def _partner(text: str | None) -> Generator:
    return _generator(named_system(str(text)))


def _scripted(path: Path) -> Script:
    return Script(path.stem, tuple(_lines(path)))


def _lines(path: Path) -> list[str]:
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            str(path), f"no readable text ({error})", "one turn a line", "Check --script."
        ) from None
    if not lines:
        raise BadInput(str(path), "no line of text", "one turn a line", "Write what the user says.")
    return lines


def _openings(path: Path | None, limit: int | None, format: str | None) -> Sequence[Prompt]:
    return [Prompt("talk", ())] if path is None else list(islice(read_prompts(path, format=format), limit))


def _converse(
    speaker: Generator, listener: Generator | Script, openings: Sequence[Prompt], turns: int | None, seed: int
) -> list[Dialogue]:
    total = sum(talk_length(turns, listener, opening.context) for opening in openings)
    with RichProgress("talking", total) as progress:
        return converse(speaker, listener, openings=openings, turns=turns, seed=seed, spoken=progress.advance)


def _show(dialogues: Iterable[Dialogue]) -> None:
    for dialogue in dialogues:
        print(f"# {dialogue.item}")
        for turn in dialogue.turns:
            print(_line(turn))
        if "stopped" in dialogue.metadata:
            print(f"({dialogue.metadata['stopped']})")
        print()


def _line(turn: Turn) -> str:
    return f"{turn.name or turn.speaker}: {one_line(turn.text)}"


def _talk(system: Generator, turns: list[Turn], seed: int) -> None:
    """A person talks with the system until they stop; ``turns`` holds the opening, and then all that is said."""
    print(COMMANDS, file=sys.stderr)
    opening, draw = tuple(turns), seed
    for turn in turns:
        print(_line(turn))
    while (said := _asked()) is not None and said != "/quit":
        if said == "/new":
            turns[:] = opening
            continue
        if said in ("/undo", "/again"):
            # The system's last answer goes; with /undo, what it answered goes as well.
            while turns and turns[-1].speaker == "assistant":
                turns.pop()
            draw += 1
            if said == "/undo":
                del turns[-1:]
                continue
        elif said.startswith("/") and said[1:].isalpha():
            print(f"Unknown command {said}. {COMMANDS}", file=sys.stderr)
            continue
        elif said:
            turns.append(Turn("user", said))
        _answer(system, turns, draw)


def _append_answer(system: Generator, turns: list[Turn], seed: int) -> tuple[Response, ...]:
    """Append the system's answer if it has one; return its responses."""
    answers = generate(system, [tuple(turns)], seed=seed)[0]
    if answers and answers[0].missing is None:
        turns.append(Turn("assistant", answers[0].text, system.name))
    return answers


def _answer(system: Generator, turns: list[Turn], seed: int) -> None:
    answers = _append_answer(system, turns, seed)
    if answers and answers[0].missing is None:
        print(_line(turns[-1]))
        usage = answers[0].usage
        if usage is not None and usage.emptied:
            print("(the filter dropped every candidate; this is what it falls back to)", file=sys.stderr)
    else:
        why = f": {answers[0].missing}" if answers else ""
        print(f"({system.name} has no answer{why})")


def _asked() -> str | None:
    """Return the person's input, or None at its end."""
    try:
        return input("you: " if sys.stdin.isatty() else "").strip()
    except (EOFError, KeyboardInterrupt):
        return None
