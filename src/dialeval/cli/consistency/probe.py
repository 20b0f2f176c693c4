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
from dialeval.cli.options import From, Json, Limit, Seed

if TYPE_CHECKING:
    from dialeval.consistency.probing.probes import Probe
    from dialeval.data import Dialogue

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
            "--system", metavar="NAME", help="The model of FQness: any that gives log-probabilities."
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
    top: Annotated[int | None, typer.Option("--top", min=1, help="Keep only the best so many.")] = None,
    random: Annotated[
        int, typer.Option("--random", min=0, help="Also so many drawn at random, to compare the best with.")
    ] = 0,
    per_dialogue: Annotated[
        int, typer.Option("--per-dialogue", min=1, help="Questions by rules for each dialogue.")
    ] = 3,
    format: From = None,
    seed: Seed = 0,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Mine follow-up questions, or ask questions by rules, that provoke contradictions.

    FQness (Sato, 2024) is how much more probable a question is right after a statement than without it: P(question |
    context without the turns between) / P(question | context without the statement).

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --top 100 --random 100

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --kind entity
    """
    from dialeval.consistency.probing.probes import write_probes
    from dialeval.data import read

    given = list(islice(read(dialogues, "dialogue", format=format), limit))
    if kind == "entity":
        from dialeval.consistency.probing.entities import entity_probes

        asked = entity_probes(given, per_dialogue=per_dialogue, seed=seed)
        probes, excluded = list(asked.probes)[:top], asked.excluded
    else:
        probes, excluded = _follow_ups(given, system, distance, top, random, seed)
    write_probes(out, probes)
    _show(probes, excluded, out, json=json)


def _follow_ups(
    dialogues: Sequence[Dialogue],
    system: str,
    distances: Sequence[int] | None,
    top: int | None,
    random: int,
    seed: int,
) -> tuple[list[Probe], Counter[str]]:
    from dialeval.cli.systems import named_system
    from dialeval.consistency.probing.followups import DISTANCES, draw_random, log_fqness, mine, scored_probes
    from dialeval.core import LikelihoodModel
    from dialeval.engine.progress import RichProgress
    from dialeval.errors import Unsuitable

    mined = mine(dialogues, tuple(distances or DISTANCES))
    if not mined.found:
        return [], mined.excluded
    model = named_system(system)
    if not isinstance(model, LikelihoodModel):
        raise Unsuitable(
            f"{model.name} gives no log-probabilities, which FQness needs. Name a model, as smollm2-135m-instruct."
        )
    with RichProgress("questions", len(mined.found)) as progress:
        probes = scored_probes(mined.found, log_fqness(mined.found, model, progress=progress))
    return [*probes[:top], *draw_random(probes, random, seed)], mined.excluded


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
