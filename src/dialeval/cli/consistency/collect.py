"""``dialeval consistency collect``: answers of systems to probes."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialeval.cli.consistency.detect import Model
from dialeval.cli.options import (
    Address,
    AskAgain,
    CacheFolder,
    EngineOption,
    Json,
    Limit,
    Resume,
    Seed,
    engine_given,
)

if TYPE_CHECKING:
    from dialeval.core import System


def collect(
    probes: Annotated[str, typer.Argument(metavar="PROBES", help="What 'dialeval consistency probe' wrote.")],
    system: Annotated[
        list[str],
        typer.Option(
            "--system", metavar="NAME", help="A system that answers, named as in 'dialeval chat'. Repeatable."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of answers to write.")],
    n: Annotated[
        int,
        typer.Option(
            "--n", min=1, help="Candidates of which the most contradictory is kept; Sato (2024) takes 100."
        ),
    ] = 1,
    top_p: Annotated[
        float,
        typer.Option("--top-p", min=0.01, max=1.0, help="Nucleus (top-p) from which candidates are sampled."),
    ] = 0.5,
    model: Model = "shipped",
    seed: Seed = 0,
    limit: Limit = None,
    engine: EngineOption = None,
    address: Address = None,
    resume: Resume = True,
    ask_again: AskAgain = None,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Ask systems for answers to probes, one each, or the most contradictory of many.

    Interrupted, or out of an HTTP system's budget? The same command asks for the rest only.

    Example: dialeval consistency collect probes.jsonl --system smollm2-135m-instruct --n 100 -o answers.jsonl
    """
    from dialeval.cli.cached import CachedAnswers
    from dialeval.cli.systems import named_system
    from dialeval.cli.workshop import open_workshop
    from dialeval.consistency.collecting.answers import ask_probes
    from dialeval.consistency.detecting.metrics import ContradictionDetector
    from dialeval.consistency.folder import write_answers
    from dialeval.consistency.probing.probes import read_probes
    from dialeval.core import Missing
    from dialeval.errors import RunFailed

    asked = read_probes(probes)[:limit]
    answers, missing, unanswered = [], Counter[str](), 0
    chosen = engine_given(engine, address)
    with open_workshop(jobs=1, cache=cache, resume=resume, engine=chosen) as shop:
        cached = CachedAnswers(shop, ask_again=ask_again is True)
        for name in system:
            answering = cached.watched(_sampling(named_system(name), top_p) if n > 1 else named_system(name))
            with shop.watch(f"{answering.name} answers", len(asked)) as progress:
                given = ask_probes(
                    answering,
                    asked,
                    detector=ContradictionDetector(model),
                    n=n,
                    seed=seed,
                    cache=cached.of(answering),
                    progress=progress,
                    executor=shop.asking,
                )
            answers += [each for each in given if not isinstance(each, Missing)]
            left = [each for each in given if isinstance(each, Missing)]
            missing.update(f"{each.system}: {each.reason}" for each in left)
            unanswered += sum(each.cause == "failed" for each in left)
        cached.tell()
    write_answers(out, (("", answer) for answer in answers))
    _show(len(answers), missing, out, json=json)
    if unanswered:
        raise RunFailed(
            f"{unanswered:,} probes were not answered; the rest was kept. Run again to ask for them."
        )


def _sampling(system: System, top_p: float) -> System:
    """The system drawing from a nucleus, where it has decoding settings that do not sample yet."""
    from dialeval.systems.decoding import Decoding

    decoding = getattr(system, "decoding", None)
    if not isinstance(decoding, Decoding) or decoding.samples:
        return system
    nucleus = Decoding("nucleus", top_p=top_p, max_tokens=decoding.max_tokens)
    changed: System = replace(system, decoding=nucleus)  # type: ignore[type-var]
    return changed


def _show(answers: int, missing: Counter[str], out: Path, *, json: bool) -> None:
    if json:
        print(jsonlib.dumps({"answers": answers, "missing": missing, "file": str(out)}, ensure_ascii=False))
    else:
        print(f"{answers:,} answers: {out}")
        for reason, number in missing.items():
            print(f"{number:,} missing: {reason}", file=sys.stderr)
