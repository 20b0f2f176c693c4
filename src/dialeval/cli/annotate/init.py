"""``dialeval annotate init``: a rating study from a run or a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.annotation.blind_items import (
    blind_prompts,
    blind_together,
    blind_utterances,
    gather,
    provenance,
    roles,
    source_file,
    with_gold,
)
from dialeval.annotation.items import BRIEFING
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.asking import ask_of, asked, shows_of
from dialeval.annotation.project import ChatSettings, Crowd, Settings, write_project
from dialeval.cli.options import From, Limit
from dialeval.cli.sampling import Sample, check_sample, drawn
from dialeval.consistency.folder import is_answers, read_answers
from dialeval.consistency.labelling.labels import FORM, utterances_of_answers
from dialeval.core import Generator
from dialeval.data.codec.sources import check
from dialeval.data.prompts import read_prompts
from dialeval.data.reader import read
from dialeval.data.types import Prompt, Turn
from dialeval.display.wording import count
from dialeval.errors import UnknownName, Unsuitable
from dialeval.options import Argument, Option, Options
from dialeval.study import load_study, named_system
from dialeval.talks.users import briefing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialeval.annotation.blind_items import Blind
    from dialeval.annotation.kinds import Ask
    from dialeval.talks.scenarios import Scenario


_OF_EACH = (
    "Read the conversation. Which lines below it contradict what the same speaker said in the marked line?"
)
_USUAL = Settings(title="", asks=(), overlap=3, qualification=0.8)


def init(
    source: Annotated[
        str,
        Argument(
            metavar="FILE_OR_RUN",
            help="A run folder, or examples, dialogues, questions, n-best lists, probes or answers to them; with "
            "--chat, a study.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", metavar="STUDY", help="The study folder to make.")],
    kind: Annotated[
        list[str] | None,
        Option("--kind", metavar="KIND", help="How raters answer. Give it once, or once per criterion."),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        Option("--criterion", metavar="NAME", help="What raters judge. Repeatable.", show_default="overall"),
    ] = None,
    raters: Annotated[
        int | None, Option("--raters", min=0, metavar="N", help="Raters to invite.", show_default="K")
    ] = None,
    rater: Annotated[
        list[str] | None,
        Option("--rater", metavar="NAME", help="A rater to invite, by name. Repeatable."),
    ] = None,
    ask: Annotated[
        list[str] | None,
        Option("--ask", metavar="TEXT", help="The wording of the question, once per criterion."),
    ] = None,
    scale: Annotated[
        str | None,
        Option("--scale", metavar="LOW-HIGH", help="The scale of likert, sentences and slider, as in 1-7."),
    ] = None,
    cannot_say: Annotated[
        bool, Option("--cannot-say", help="Let raters answer that they cannot judge.")
    ] = False,
    together: Annotated[
        bool,
        Option(
            "--together", help="Ask about all answers to a probe on one page; --block then counts probes."
        ),
    ] = False,
    comment: Annotated[bool, Option("--comment", help="Also ask for a comment.")] = False,
    title: Annotated[
        str | None, Option("--title", help="The title that raters see.", show_default="the folder")
    ] = None,
    instructions: Annotated[
        Path | None, Option("--instructions", help="A text file that raters can open at any time.")
    ] = None,
    lease: Annotated[
        float, Option("--lease", min=1, help="Minutes for which an item stays reserved for a rater.")
    ] = 30,
    gold: Annotated[
        str | None, Option("--gold", metavar="JUDGEMENTS", help="Known values of some of the items.")
    ] = None,
    qualify: Annotated[
        int,
        Option(
            "--qualify",
            min=0,
            metavar="N",
            help="Test raters on N items with known values, the first ones of --gold.",
        ),
    ] = 0,
    chat: Annotated[
        int | None,
        Option(
            "--chat", min=1, metavar="TURNS", help="Let raters first talk with a system for this many turns."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        Option(
            "--system", metavar="SYSTEM", help="A system to talk with, if FILE is not a study. Repeatable."
        ),
    ] = None,
    prolific: Annotated[
        str | None,
        Option("--prolific", metavar="CODES", help="Completion, screen-out and failed-check code: A,B,C."),
    ] = None,
    mturk: Annotated[
        bool, Option("--mturk", help="Raters come from MTurk, which shows the study in a frame.")
    ] = False,
    format: From = None,
    limit: Limit = None,
    sample: Sample = None,
    settings: Annotated[
        Settings,
        Options(
            *("overlap", "order", "block", "least_seconds", "qualification", "gold_within"),
            *("check_rate", "check_failures", "language", "store", "seed"),
        ),
    ] = _USUAL,
) -> None:
    """Make a rating study: blind items, what is asked about them, and invitations.

    Kinds: likert, slider, yes_no, three_way, pairwise, ranking, sentences, best_of, errors, turns, dialogue,
    contradiction and comment. Of answers to probes, as 'consistency collect' writes them, raters are asked whether each
    contradicts the turn that its probe asks about, which is marked; 'consistency label' reads the export.

    Example: dialeval annotate init runs/demo -o ratings --kind likert --criterion overall --raters 3 --overlap 3

    Example: dialeval annotate init study.yaml -o talks --chat 4 --kind likert --criterion engaging
    """
    check_sample(limit, sample)
    probed = chat is None and is_answers(source)
    if probed and kind is None and criterion in (None, [FORM.criterion]):
        asks = _form_asks(ask or [], cannot_say, comment, together=together)
    elif together:
        check(source)
        raise Unsuitable(
            "Found --together, which is for answers to probes and their own question. To compare the responses to an "
            "item on one page, use a kind such as 'sentences' or 'ranking'."
        )
    else:
        asks = _asks(kind or ["likert"], criterion or ["overall"], ask or [], scale, cannot_say, comment)
    talk = _chat(source, chat, system or [])
    blinded = _items(source, asks, talk, format, limit, probed=probed, together=together)
    blinded, told = drawn(blinded, lambda one: one.source.item, limit=None, sample=sample, seed=settings.seed)
    if gold is not None and talk is None:
        blinded = with_gold(blinded, read(gold, "judgement"))
        blinded = roles(blinded, asks, qualify=qualify, checks=settings.check_rate > 0)
    names = tuple(rater or ()) or tuple(
        f"rater-{n}" for n in range(1, _count(raters, settings.overlap, prolific, mturk) + 1)
    )
    settings = replace(
        settings,
        title=title or out.name,
        asks=tuple(asks),
        raters=names,
        instructions=instructions.read_text(encoding="utf-8") if instructions else "",
        lease_seconds=60 * lease,
        chat=talk,
        crowd=_crowd(prolific, mturk),
        frame_ancestors=_MTURK if mturk else (),
        provenance=provenance(source, told),
    )
    project = write_project(out, settings, blinded)
    _say(out, settings, len(project.items))


_MTURK = ("https://*.mturk.com",)


def _count(raters: int | None, overlap: int, prolific: str | None, mturk: bool) -> int:
    return raters if raters is not None else 0 if prolific or mturk else overlap


def _say(out: Path, settings: Settings, items: int) -> None:
    wanted = f"{count(items, 'item')}, {count(settings.overlap, 'judgement')} each"
    print(f"{out}: {wanted}, {count(len(settings.raters), 'rater')} invited")
    print(f"Next: dialeval annotate serve {out}", file=sys.stderr)


def _form_asks(texts: list[str], cannot_say: bool, comment: bool, *, together: bool) -> list[Ask]:
    """The question of contradictions, perhaps in other words: of one answer, or of each answer on a page."""
    if len(texts) > 1:
        raise Unsuitable(f"Found {len(texts)} --ask and 1 criterion. Give one for each at most.")
    form = replace(ask_of(FORM), cannot_say=cannot_say)
    if together:
        form = replace(form, kind="sentences", text=_OF_EACH)
    worded = replace(form, text=texts[0]) if texts else form
    return [worded, asked("comment", "comment")] if comment else [worded]


def _asks(
    kinds: list[str],
    criteria: list[str],
    texts: list[str],
    scale: str | None,
    cannot_say: bool,
    comment: bool,
) -> list[Ask]:
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
    if turns is None:
        return None
    if not systems and source.endswith((".yaml", ".yml")):
        path = Path(source).resolve()
        able = [system for system in load_study(path).systems if isinstance(system, Generator)]
        made = {system.name: f"{path}:{system.name}" for system in able}
    else:
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
    *,
    probed: bool,
    together: bool,
) -> list[Blind]:
    if talk is not None:
        file = source
        if source.endswith((".yaml", ".yml")):
            study = load_study(Path(source))
            if study.talks is not None:
                return blind_prompts(_parts(study.talks.scenarios[:limit]), list(talk.systems))
            file = str(study.data)
        prompts = list(islice(read_prompts(source_file(file), format=format), limit))
        return blind_prompts(prompts, list(talk.systems))
    if probed:
        answers = [answer for _, answer in read_answers(Path(source))]
        said = utterances_of_answers(answers)
        first, _ = drawn(said, lambda one: one.item, limit=limit, sample=None, seed=0)
        return blind_together(first) if together else blind_utterances(first, shows_of(asks))
    return gather(source, shows_of(asks), format=format, limit=limit)


def _parts(scenarios: Sequence[Scenario]) -> list[Prompt]:
    """Return what raters are told of each scenario whose user they play, before what the system is told."""
    found = []
    for scenario in scenarios:
        first = [f"Begin with: {scenario.first[0]}"] if scenario.first else []
        turns = [Turn(BRIEFING, "\n".join([briefing(scenario), *first]))]
        turns += [Turn("system", scenario.instructions)] if scenario.instructions else []
        found.append(Prompt(scenario.id, tuple(turns)))
    return found


def _crowd(prolific: str | None, mturk: bool) -> Crowd | None:
    if prolific and mturk:
        raise Unsuitable("Found both --prolific and --mturk. Make one study for each platform.")
    if mturk:
        return Crowd("mturk")
    if prolific is None:
        return None
    codes = [code.strip() for code in prolific.split(",")]
    return Crowd("prolific", *[*codes, "", ""][:3])
