"""``dialeval judge escalate`` and ``estimate``: which answers people rate after a judge, and what follows from it."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dialeval.annotation.blind_items import gather, provenance
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.project import Settings, write_project
from dialeval.cli.execution import Sampling
from dialeval.cli.judge.verdicts import Judged, mean_ratings, read_judged
from dialeval.cli.options import From, Json, RepeatsOption
from dialeval.core import Resampling
from dialeval.display.terminal import print_table
from dialeval.display.wording import count
from dialeval.errors import Unsuitable
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.judge.escalation import Escalation, Wanted, escalate as draw_answers, sentences, strata_of
from dialeval.judge.escalation_folder import read_escalation, write_escalation
from dialeval.judge.metric import scale_of_judge
from dialeval.options import Argument, Option, Options

if TYPE_CHECKING:
    from dialeval.annotation.kinds import Ask
    from dialeval.judge.escalation import JudgedAnswer

_KINDS = Literal["likert", "slider", "yes_no", "three_way", "pairwise", "dialogue"]


def escalate(
    verdicts: Annotated[
        list[str],
        Argument(
            metavar="RUN",
            help="A run folder, or files of verdicts; ratings of people may be among the files.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", metavar="FOLDER", help="The folder to make.")],
    wanted: Annotated[Wanted, Options()] = Wanted(),
    judge: Annotated[
        str | None, Option("--judge", metavar="RATER", help="Whose verdicts.", show_default="the only judge")
    ] = None,
    confidence: Annotated[
        str | None,
        Option(
            "--confidence",
            metavar="RATER",
            help="The rater whose values say how sure the judge is.",
            show_default="the judge, on the criterion 'confidence'",
        ),
    ] = None,
    people: Annotated[
        list[str] | None,
        Option("--people", metavar="GLOB", help="Raters who are people, as in 'worker*'. Repeatable."),
    ] = None,
    criterion: Annotated[
        str | None,
        Option("--criterion", metavar="NAME", help="What people rate.", show_default="the judge's rubric"),
    ] = None,
    items: Annotated[
        str | None,
        Option(
            "--items", metavar="FILE", help="The answers or dialogues as raters see them.", show_default="RUN"
        ),
    ] = None,
    kind: Annotated[
        _KINDS | None,
        Option("--kind", help="How raters answer.", show_default="likert, or yes_no after such a judge"),
    ] = None,
    scale: Annotated[
        str | None,
        Option(
            "--scale", metavar="LOW-HIGH", help="The scale of likert and slider.", show_default="the judge's"
        ),
    ] = None,
    overlap: Annotated[int, Option("--overlap", min=1, metavar="K", help="Ratings of each answer.")] = 1,
    raters: Annotated[
        int | None, Option("--raters", min=1, metavar="N", help="Raters to invite.", show_default="K")
    ] = None,
    repeats: RepeatsOption = None,
    format: From = None,
    json: Json = False,
) -> None:
    """Send a judge's uncertain verdicts to people, with a random audit of the others.

    Verdicts are accepted from the lowest confidence at which people agree with enough of them, by a binomial bound on
    the answers rated so far; without ratings none is accepted. FOLDER becomes a rating study of what was drawn, for
    'annotate serve', with every answer's probability of being drawn, for 'judge estimate'.

    Example: dialeval judge escalate runs/demo ratings.jsonl -o more --agree 0.85 --budget 200

    Example: dialeval judge escalate verdicts.jsonl --judge gpt-4 --items answers.jsonl -o more
    """
    check_target(out, kind="new", parts=())
    judged = read_judged(
        verdicts,
        format,
        judge=judge,
        confidence=confidence,
        people=people,
        criterion=criterion,
        repeats=repeats,
    )
    acceptance, drawn = draw_answers(judged.answers, wanted)
    sources = tuple(verdicts)
    found = Escalation(1, judged.judge, judged.criterion, wanted, acceptance, strata_of(drawn), sources)
    shown = items or next(
        (source for source in verdicts if (Path(source) / "examples.jsonl").is_file()), None
    )
    sent = [answer for answer in drawn if answer.drawn]
    if shown is not None and sent:
        ask = _ask(judged, kind, scale)
        _write_study(out, shown, sent, ask, overlap=overlap, raters=raters, seed=wanted.seed)
    write_escalation(out, found, drawn)
    if json:
        study = str(out) if shown is not None and sent else None
        print(jsonlib.dumps({**as_json(found), "folder": str(out), "study": study}, ensure_ascii=False))
        return
    for line in sentences(found):
        print(f"{line[0].upper()}{line[1:]}.")
    _say_next(out, found, len(sent), served=shown is not None)


def _ask(judged: Judged, kind: str | None, scale: str | None) -> Ask:
    """The question, on the judge's own scale if that is known."""
    low, high = scale_of_judge(judged.judge) or (1.0, 5.0)
    chosen = kind or ("yes_no" if (low, high) == (0.0, 1.0) else "likert")
    return asked(
        chosen, judged.criterion, scale=scale or (f"{low:g}-{high:g}" if chosen != "yes_no" else None)
    )


def _write_study(
    out: Path,
    shown: str,
    sent: Sequence[JudgedAnswer],
    ask: Ask,
    *,
    overlap: int,
    raters: int | None,
    seed: int,
) -> None:
    """Make a rating study of the answers that were drawn."""
    from dialeval.annotation.kinds.asking import shows_of

    wanted = {(answer.item, answer.system) for answer in sent}
    blinded = [
        one
        for one in gather(shown, shows_of([ask]))
        if (one.source.item, one.source.system) in wanted or (one.source.item, "") in wanted
    ]
    if len(blinded) < len(wanted):
        have = {
            key for one in blinded for key in ((one.source.item, one.source.system), (one.source.item, ""))
        }
        item, system = next(key for key in wanted if key not in have)
        raise Unsuitable(
            f"{shown} has {len(blinded):,} of the {len(wanted):,} answers that were drawn (lacking, for example, "
            f"{item!r} of {system!r}). Give the file that the judge judged, with --items."
        )
    names = tuple(f"rater-{number}" for number in range(1, (raters or overlap) + 1))
    settings = Settings(
        title=out.name, asks=(ask,), overlap=overlap, raters=names, seed=seed, provenance=provenance(shown)
    )
    write_project(out, settings, blinded)


def _say_next(out: Path, found: Escalation, sent: int, *, served: bool) -> None:
    if not sent:
        print("Next: nothing is left to rate.", file=sys.stderr)
    elif served:
        print(
            f"Next: dialeval annotate serve {out}; dialeval annotate export {out} -o rated.jsonl; "
            f"dialeval judge estimate {out} rated.jsonl",
            file=sys.stderr,
        )
    else:
        print(
            f"Next: let people rate the {count(sent, 'answer')} that {out}/answers.jsonl marks as drawn, on "
            f"{found.criterion!r} (with --items FILE they are a rating study); dialeval judge estimate {out} RATINGS",
            file=sys.stderr,
        )


def estimate(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="What 'judge escalate' wrote.")],
    ratings: Annotated[
        list[str], Argument(metavar="RATINGS", help="Ratings of the answers that were drawn.")
    ],
    criterion: Annotated[
        str | None,
        Option("--criterion", metavar="NAME", help="What people rated.", show_default="as escalated"),
    ] = None,
    repeats: RepeatsOption = None,
    format: From = None,
    resampling: Sampling = Resampling(),
    json: Json = False,
) -> None:
    """Estimate systems' mean ratings after an escalation, by the known probabilities of being rated.

    Verdicts predict the ratings of all answers, ratings correct them. Also: how often people agree with the accepted
    verdicts of the audit.

    Example: dialeval judge estimate more rated.jsonl
    """
    from dialeval.meta.escalated import estimate_escalated
    from dialeval.meta.report import tables

    escalation, answers = read_escalation(folder)
    given = mean_ratings(ratings, format, criterion or escalation.criterion, repeats)
    found = estimate_escalated(escalation, answers, given, resampling=resampling)
    if json:
        print(jsonlib.dumps(as_json(found), ensure_ascii=False))
        return
    print_table(tables.estimates(found.estimates))
    if found.estimates.differences:
        print()
        print_table(tables.differences(found.estimates))
    print(f"\n{found.verdict[0].upper()}{found.verdict[1:]}.")
    for note in found.notes:
        print(f"{note}.", file=sys.stderr)
