"""``dialeval annotate init``: a rating study from a run or a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import From, Limit, Seed

if TYPE_CHECKING:
    from dialeval.annotation.blinding import Blind
    from dialeval.annotation.kinds import Ask
    from dialeval.annotation.project import ChatSettings, Crowd, Settings


def init(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_RUN",
            help="A run folder, or examples, dialogues, questions, n-best lists or probes; with --chat, a study.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="STUDY", help="The study folder to make.")],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="How raters answer. Give it once, or once per criterion."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            "--criterion", metavar="NAME", help="What raters judge. Repeatable.", show_default="overall"
        ),
    ] = None,
    overlap: Annotated[int, typer.Option("--overlap", min=1, metavar="K", help="Judgements per item.")] = 3,
    order: Annotated[
        Literal["depth", "breadth"],
        typer.Option("--order", help="Fill items to K before opening new ones, or open all items first."),
    ] = "depth",
    raters: Annotated[
        int | None, typer.Option("--raters", min=0, metavar="N", help="Raters to invite.", show_default="K")
    ] = None,
    rater: Annotated[
        list[str] | None,
        typer.Option("--rater", metavar="NAME", help="A rater to invite, by name. Repeatable."),
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="TEXT", help="The wording of the question, once per criterion."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="LOW-HIGH", help="The scale of likert and slider, as in 1-7."),
    ] = None,
    cannot_say: Annotated[
        bool, typer.Option("--cannot-say", help="Let raters answer that they cannot judge.")
    ] = False,
    comment: Annotated[bool, typer.Option("--comment", help="Also ask for a comment.")] = False,
    title: Annotated[
        str | None, typer.Option("--title", help="The title that raters see.", show_default="the folder")
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option("--instructions", help="A text file that raters can open at any time.")
    ] = None,
    block: Annotated[
        int | None, typer.Option("--block", min=1, help="Most items that one rater gets.")
    ] = None,
    lease: Annotated[
        float, typer.Option("--lease", min=1, help="Minutes for which an item stays reserved for a rater.")
    ] = 30,
    least_seconds: Annotated[
        float,
        typer.Option("--least-seconds", min=0, help="Least seconds between showing an item and its answer."),
    ] = 0,
    gold: Annotated[
        str | None, typer.Option("--gold", metavar="JUDGEMENTS", help="Known values of some of the items.")
    ] = None,
    qualify: Annotated[
        int, typer.Option("--qualify", min=0, metavar="N", help="Test raters on N items with known values.")
    ] = 0,
    pass_share: Annotated[
        float, typer.Option("--pass", min=0, max=1, help="Share of right answers needed to pass the test.")
    ] = 0.8,
    check_rate: Annotated[
        float, typer.Option("--check-rate", min=0, max=0.5, help="Share of items that check attention.")
    ] = 0,
    check_failures: Annotated[
        int | None,
        typer.Option("--check-failures", min=0, help="Stop raters who fail more than this many checks."),
    ] = None,
    within: Annotated[
        float, typer.Option("--within", min=0, help="Distance from a known value that still counts as right.")
    ] = 0,
    chat: Annotated[
        int | None,
        typer.Option(
            "--chat", min=1, metavar="TURNS", help="Let raters first talk with a system for this many turns."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", metavar="SYSTEM", help="A system to talk with, if FILE is not a study. Repeatable."
        ),
    ] = None,
    prolific: Annotated[
        str | None,
        typer.Option(
            "--prolific", metavar="CODES", help="Completion, screen-out and failed-check code: A,B,C."
        ),
    ] = None,
    mturk: Annotated[
        bool, typer.Option("--mturk", help="Raters come from MTurk, which shows the study in a frame.")
    ] = False,
    language: Annotated[str, typer.Option("--language", help="Language of the pages: en or ja.")] = "en",
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="A database instead: postgresql://...",
            show_default="SQLite, in the folder",
        ),
    ] = None,
    format: From = None,
    limit: Limit = None,
    seed: Seed = 0,
) -> None:
    """Make a rating study: blind items, what is asked about them, and invitations.

    Kinds: likert, slider, yes_no, three_way, pairwise, ranking, sentences, best_of, errors, turns, dialogue,
    contradiction and comment.

    Example: dialeval annotate init runs/demo -o ratings --kind likert --criterion overall --raters 3 --overlap 3

    Example: dialeval annotate init study.yaml -o talks --chat 4 --kind likert --criterion engaging
    """
    from dialeval.annotation.project import STORE, Settings, write_project

    asks = _asks(kind or ["likert"], criterion or ["overall"], ask or [], scale, cannot_say, comment)
    talk = _chat(source, chat, system or [])
    blinded = _items(source, asks, talk, format, limit, gold, qualify, check_rate)
    names = tuple(rater or ()) or tuple(
        f"rater-{n}" for n in range(1, _count(raters, overlap, prolific, mturk) + 1)
    )
    crowd = _crowd(prolific, mturk)
    settings = Settings(
        title=title or out.name,
        asks=tuple(asks),
        overlap=overlap,
        order=order,
        raters=names,
        seed=seed,
        instructions=instructions.read_text(encoding="utf-8") if instructions else "",
        block=block,
        lease_seconds=60 * lease,
        least_seconds=float(least_seconds),
        check_rate=float(check_rate),
        check_failures=check_failures,
        qualification=float(pass_share),
        gold_within=float(within),
        chat=talk,
        crowd=crowd,
        frame_ancestors=_MTURK if mturk else (),
        language=language,
        store=store or STORE,
        provenance=_provenance(source),
    )
    project = write_project(out, settings, blinded)
    _say(out, settings, len(project.items))


_MTURK = ("https://*.mturk.com",)


def _count(raters: int | None, overlap: int, prolific: str | None, mturk: bool) -> int:
    return raters if raters is not None else 0 if prolific or mturk else overlap


def _say(out: Path, settings: Settings, items: int) -> None:
    from dialeval.display.wording import count

    wanted = f"{count(items, 'item')}, {count(settings.overlap, 'judgement')} each"
    print(f"{out}: {wanted}, {count(len(settings.raters), 'rater')} invited")
    print(f"Next: dialeval annotate serve {out}", file=sys.stderr)


def _asks(
    kinds: list[str],
    criteria: list[str],
    texts: list[str],
    scale: str | None,
    cannot_say: bool,
    comment: bool,
) -> list[Ask]:
    from dialeval.annotation.kinds import KINDS
    from dialeval.annotation.kinds.asking import asked
    from dialeval.errors import UnknownName, Unsuitable

    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("kind of task", kind, KINDS, todo=f"There are {', '.join(KINDS)}.")
    if len(kinds) not in (1, len(criteria)):
        raise Unsuitable(
            f"Found {len(kinds)} kinds and {len(criteria)} criteria. Give one kind, or one for each."
        )
    if len(texts) > len(criteria):
        raise Unsuitable(f"Found {len(texts)} --ask and {len(criteria)} criteria. Give one for each at most.")
    chosen = kinds * len(criteria) if len(kinds) == 1 else kinds
    found = [
        asked(kind, name, scale=scale, cannot_say=cannot_say)
        for kind, name in zip(chosen, criteria, strict=True)
    ]
    worded = [
        replace(one, text=texts[place]) if place < len(texts) else one for place, one in enumerate(found)
    ]
    return [*worded, asked("comment", "comment")] if comment else worded


def _chat(source: str, turns: int | None, systems: list[str]) -> ChatSettings | None:
    """The talk before the ratings: with the systems named, or with those of a study that can answer."""
    from dialeval.annotation.project import ChatSettings
    from dialeval.core import Generator
    from dialeval.errors import Unsuitable

    if turns is None:
        return None
    if not systems and source.endswith((".yaml", ".yml")):
        from dialeval.study import load_study

        path = Path(source).resolve()
        able = [system for system in load_study(path).systems if isinstance(system, Generator)]
        made = {system.name: f"{path}:{system.name}" for system in able}
    else:
        from dialeval.cli.systems import named_system

        made = {named_system(text).name: text for text in systems}
    if not made:
        raise Unsuitable(
            "Found --chat, and no system that can answer. Name one with --system, or give a study."
        )
    return ChatSettings(turns, made)


def _items(
    source: str,
    asks: list[Ask],
    talk: ChatSettings | None,
    format: str | None,
    limit: int | None,
    gold: str | None,
    qualify: int,
    check_rate: float,
) -> list[Blind]:
    from itertools import islice

    from dialeval.annotation.blinding import blind_prompts, roles, with_gold
    from dialeval.annotation.gathering import gather, source_file
    from dialeval.annotation.kinds.asking import shows_of
    from dialeval.data.prompts import read_prompts
    from dialeval.data.reading import read

    if talk is not None:
        file = source
        if source.endswith((".yaml", ".yml")):
            from dialeval.study import load_study

            file = str(load_study(Path(source)).data)
        prompts = list(islice(read_prompts(source_file(file), format=format), limit))
        return blind_prompts(prompts, list(talk.systems))
    blinded = gather(source, shows_of(asks), format=format, limit=limit)
    if gold is None:
        return blinded
    return roles(with_gold(blinded, read(gold, "judgement")), asks, qualify=qualify, checks=check_rate > 0)


def _crowd(prolific: str | None, mturk: bool) -> Crowd | None:
    from dialeval.annotation.project import Crowd
    from dialeval.errors import Unsuitable

    if prolific and mturk:
        raise Unsuitable("Found both --prolific and --mturk. Make one study for each platform.")
    if mturk:
        return Crowd("mturk")
    if prolific is None:
        return None
    codes = [code.strip() for code in prolific.split(",")]
    return Crowd("prolific", *[*codes, "", ""][:3])


def _provenance(source: str) -> dict[str, str]:
    from dialeval.annotation.gathering import source_file
    from dialeval.files.digests import hash_file
    from dialeval.version import __version__

    file = Path(source_file(source))
    found = {"source": source, "dialeval": __version__}
    return {**found, "sha256": hash_file(file)} if file.is_file() else found
