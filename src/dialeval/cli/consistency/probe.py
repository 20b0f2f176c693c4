"""``dialeval consistency probe``: questions that may make a system contradict itself."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.consistency.detect import Dialogues
from dialeval.cli.options import (
    Address,
    CacheFolder,
    EngineOption,
    From,
    Json,
    Limit,
    Resume,
    Seed,
    engine_given,
)

if TYPE_CHECKING:
    from dialeval.consistency.probing.probes import Probe
    from dialeval.data import Dialogue
    from dialeval.engine import Workshop

_SHOWN = 5


def probe(
    dialogues: Dialogues,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of probes to write, best first.")],
    kind: Annotated[
        Literal["follow-up", "entity"],
        typer.Option(
            "--kind",
            help="Follow-up questions that people asked, ranked by FQness; or questions by rules for a live system.",
        ),
    ] = "follow-up",
    system: Annotated[
        str,
        typer.Option(
            "--system",
            metavar="NAME",
            help="The model of FQness: any that gives log-probabilities.",
            show_default="the embedded one",
        ),
    ] = "smollm2-135m-instruct",
    distance: Annotated[
        list[int] | None,
        typer.Option(
            "--distance",
            metavar="N",
            min=1,
            help="Turns from statement to question. Repeatable.",
            show_default="1, 3, 5",
        ),
    ] = None,
    top: Annotated[int | None, typer.Option("--top", min=1, help="Keep only the best N.")] = None,
    random: Annotated[
        int, typer.Option("--random", min=0, help="Also N questions drawn at random, for comparison.")
    ] = 0,
    per_dialogue: Annotated[
        int, typer.Option("--per-dialogue", min=1, help="Questions by rules for each dialogue.")
    ] = 3,
    format: From = None,
    seed: Seed = 0,
    limit: Limit = None,
    engine: EngineOption = None,
    address: Address = None,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Mine follow-up questions, or ask questions by rules, that provoke contradictions.

    FQness (Sato, 2024) is how much more probable a question is right after a statement than without it: P(question |
    context without the turns between) / P(question | context without the statement). Interrupted? The same command
    resumes.

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --top 100 --random 100

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --engine ray

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --kind entity
    """
    from dialeval.cli.workshop import open_workshop
    from dialeval.consistency.probing.probes import write_probes
    from dialeval.data import read

    chosen = engine_given(engine, address)
    given = list(islice(read(dialogues, "dialogue", format=format), limit))
    if kind == "entity":
        if chosen is not None:
            raise typer.BadParameter("questions by rules need no model; leave it out", param_hint="--engine")
        from dialeval.consistency.probing.entities import entity_probes

        asked = entity_probes(given, per_dialogue=per_dialogue, seed=seed)
        probes, excluded = list(asked.probes)[:top], asked.excluded
    else:
        from dialeval.consistency.probing.followups import draw_random

        with open_workshop(jobs=1, cache=cache, resume=resume, engine=chosen) as shop:
            ranked, excluded = _follow_ups(given, system, distance, shop)
        probes = [*ranked[:top], *draw_random(ranked, random, seed)]
    write_probes(out, probes)
    _show(probes, excluded, out, json=json)


def _follow_ups(
    dialogues: Sequence[Dialogue],
    system: str,
    distances: Sequence[int] | None,
    shop: Workshop,
) -> tuple[list[Probe], Counter[str]]:
    """The questions that follow up on something, the best first, and the dialogues that have none."""
    from dialeval.cli.systems import named_system
    from dialeval.consistency.probing.followups import DISTANCES, log_fqness, mine, scored_probes
    from dialeval.core import LikelihoodModel
    from dialeval.errors import Unsuitable

    mined = mine(dialogues, tuple(distances or DISTANCES))
    if not mined.found:
        return [], mined.excluded
    model = named_system(system)
    if not isinstance(model, LikelihoodModel):
        raise Unsuitable(
            f"{model.name} gives no log-probabilities, which FQness needs. Name a model, as smollm2-135m-instruct."
        )
    with shop.watch("questions", len(mined.found)) as progress:
        scores = log_fqness(mined.found, model, progress=progress, executor=shop.asking, cache=shop.cache)
    return scored_probes(mined.found, scores), mined.excluded


def _show(probes: Sequence[Probe], excluded: Counter[str], out: Path, *, json: bool) -> None:
    from dialeval.display.wording import count

    if json:
        draws = Counter(each.draw for each in probes)
        print(jsonlib.dumps({"probes": len(probes), "draws": draws, "excluded": excluded, "file": str(out)}))
        return
    for reason, number in excluded.items():
        print(f"{number:,} of the dialogues left out: {reason}", file=sys.stderr)
    for each in probes[:_SHOWN]:
        score = f"FQness {each.fqness:.3g}, " if each.fqness is not None else f"{each.kind}, "
        print(f"{each.id} ({score}{count(each.distance, 'turn')} back)")
        print(f"  >> {each.passage}\n     {each.question}")
    print(f"{count(len(probes), 'probe')}: {out}")
