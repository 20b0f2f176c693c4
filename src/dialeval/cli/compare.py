"""``dialeval compare``: the difference between two systems, with intervals and tests."""

from __future__ import annotations

import json as jsonlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from dialeval.cli.claims import design_notes, named_measure, parse_margins, read_first_look
from dialeval.cli.gates import refuse_silence
from dialeval.cli.judged_pairs import (
    JudgeOption,
    OwnOption,
    PairsAsked,
    PeopleOption,
    Sources,
    VerdictsOption,
    print_judged_pairs,
    refuse_measures,
    refuse_without_judge,
)
from dialeval.cli.options import (
    AllowCode,
    AllowUnanswered,
    AllowUnmatched,
    ColumnsOption,
    DataFile,
    From,
    Json,
    MetricNames,
    Sacrebleu,
    as_sacrebleu,
    of_sacrebleu,
    with_sacrebleu,
)
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.data.types import UNNAMED
from dialeval.display.plain import wrapped
from dialeval.display.wording import as_sacrebleu_prints, listing, which_bleu
from dialeval.evaluation.compare.sentences import CORRECTIONS, prospect_of
from dialeval.evaluation.silence import silence_notes
from dialeval.files.documents import as_json
from dialeval.options import Argument, Option
from dialeval.stats import looks
from dialeval.study import Claim, compare_sides, open_sides, shared_claim, shared_resampling, shared_statuses

if TYPE_CHECKING:
    from dialeval.core import Result
    from dialeval.evaluation.compare import Comparison
    from dialeval.study.judge_changes import JudgeChange
    from dialeval.study.sides import Side


def compare(
    a: Annotated[
        str, Argument(help="A run folder or an example file; FOLDER:SYSTEM or FILE:SYSTEM picks one system.")
    ],
    b: Annotated[str, Argument(help="The other one.")],
    metric: MetricNames = None,
    sacrebleu: Sacrebleu = False,
    data: DataFile = None,
    format: From = None,
    columns: ColumnsOption = None,
    seed: Annotated[int | None, Option("--seed", min=0, help="Instead of the runs' seed.")] = None,
    trials: Annotated[int | None, Option("--trials", min=1, help="Instead of the runs' resamples.")] = None,
    level: Annotated[float | None, Option("--level", min=0.5, max=0.9999, help="Of the intervals.")] = None,
    cluster: Annotated[
        Literal["auto", "dialogue", "none"] | None,
        Option("--cluster", help="Resample whole dialogues (ids DIALOGUE/TURN), or items."),
    ] = None,
    margin: Annotated[
        list[str] | None,
        Option(
            "--margin",
            metavar="METRIC=VALUE",
            help="The smallest difference that matters, so that systems may be shown to be equivalent. Repeatable.",
        ),
    ] = None,
    primary: Annotated[
        str | None,
        Option(
            "--primary",
            metavar="NAME",
            help="The metric that decides; the others only explore.",
            show_default=False,
        ),
    ] = None,
    correction: Annotated[
        Literal["holm", "bh"] | None,
        Option(
            "--correction",
            help="Of several tests: Holm, or Benjamini and Hochberg.",
            show_default="the runs', or holm",
        ),
    ] = None,
    first_look: Annotated[
        bool,
        Option("--first-look", help="A second look at more items may follow: use a stricter threshold now."),
    ] = False,
    second_look: Annotated[
        Path | None,
        Option(
            "--second-look",
            metavar="FILE",
            help="What --first-look --json printed; A and B hold only new items.",
        ),
    ] = None,
    judge: JudgeOption = None,
    preferences: PeopleOption = None,
    verdicts: VerdictsOption = None,
    own: OwnOption = None,
    anchors: Annotated[
        list[Path] | None,
        Option(
            "--anchors",
            metavar="FILE",
            help="If the judge changed between the runs: what 'judge drift' wrote. Repeatable.",
        ),
    ] = None,
    allow_unmatched: AllowUnmatched = False,
    allow_unanswered: AllowUnanswered = None,
    allow_code: AllowCode = None,
    json: Json = False,
) -> None:
    """Compare two systems: whether A is better than B, worse or equivalent, and how large the difference may be.

    Systems are paired item by item. With several systems on a side, those of the same name are compared. Runs are
    compared as they were run; files by bleu(order=4) and rouge_l unless you name metrics.

    Example: dialeval compare runs/monday runs/tuesday

    Example: dialeval compare old.jsonl new.jsonl --data prompts.jsonl -m rouge_l -m bertscore

    Example: dialeval compare sheet.xlsx:old_bot sheet.xlsx:new_bot

    Example: dialeval compare runs/demo:attentive runs/demo:hasty -m rouge_l --margin 0.02

    Example: dialeval compare old.jsonl new.jsonl --judge "judge(model='my-judge', base_url='http://127.0.0.1:8000/v1')"
    """
    if judge is not None:
        options: dict[str, Any] = {"seed": seed, "trials": trials, "level": level, "cluster": cluster}
        chosen = {name: value for name, value in options.items() if value is not None}
        resampling = Resampling.of_json({**Resampling().as_json(), **chosen})
        asking = PairsAsked(judge, preferences, verdicts, tuple(own or ()), resampling)
        files = Sources(format, columns, data, allow_unmatched, tuple(allow_code or ()))
        refuse_measures(metric, sacrebleu=sacrebleu, looks=first_look or second_look is not None)
        print_judged_pairs(asking, a, b, files, json=json)
        return
    refuse_without_judge(preferences, verdicts, own)
    first, second = open_sides(
        a,
        b,
        with_sacrebleu(metric, sacrebleu),
        format=format,
        columns=columns,
        data=data,
        allow_unmatched=allow_unmatched,
        code=allow_code or (),
    )
    given = {"trials": trials, "seed": seed, "level": level, "cluster": cluster}
    resampling = _changed(given, first, second)
    declared = shared_claim(first, second)
    own = [label for label in first.measures if label in second.measures or first.judged_by(label)]
    margins = {**declared.margins, **parse_margins(of_sacrebleu(margin, sacrebleu), own)}
    second, judges = _matched(first, second, resampling, margins, anchors or ())
    measures = [label for label in first.measures if label in second.measures]
    look = _look(resampling, first_look=first_look, second_look=second_look)
    primary = as_sacrebleu(primary) if primary and sacrebleu else primary
    claim = Claim(
        margins={name: value for name, value in margins.items() if name in measures},
        primary=named_measure(primary, measures, "--primary") if primary else declared.primary,
        correction=correction or declared.correction,
        spent=look.spent,
        first=look.first,
    )
    pairs = compare_sides(first, second, resampling, claim)
    statuses = shared_statuses(first, second)
    if json:
        asked = {
            name: [{"measure": label, "status": status} for label, status in known.items()]
            for name, known in statuses.items()
        }
        settings = {**resampling.as_json(), "look": look.number}
        silent = [each._asdict() for side in (first, second) for each in side.unanswered]
        leaks = as_json((*first.leaks, *second.leaks))
        content = {
            "comparisons": as_json(pairs),
            **asked,
            "unanswered": silent,
            "leaks": leaks,
            "settings": settings,
            **({"judges": as_json(judges)} if judges else {}),
        }
        print(jsonlib.dumps(content, ensure_ascii=False))
        refuse_silence(_by_system(first, second), allow_unanswered or 0.0)
        return
    for pair in pairs:
        _say(f"{pair.measure}: {pair.sentence}", indent="  ")
        if prospect := prospect_of(pair):
            _say(f"  {prospect}", indent="  ")
        _say(f"  {_detail(pair)}", indent="  ")
    for label, status in (row for known in statuses.values() for row in known.items()):
        _say(f"{label}: {status}.", indent="")
    for side in (first, second):
        named = (((key.measure, _name(side, key.system)), found) for key, found in side.results.items())
        for told in silence_notes(named):
            _say(f"{told} ({side.source}).", indent="")
        for leak in side.leaks:
            _say(f"{leak.sentence} ({side.source})", indent="")
    for change in judges:
        _say(f"{change.sentence}.", indent="")
    for note in _notes(pairs, list(first.prompts), resampling, look.number):
        _say(note, indent="")
    refuse_silence(_by_system(first, second), allow_unanswered or 0.0)


def _matched(
    first: Side, second: Side, resampling: Resampling, margins: Mapping[str, float], anchors: Sequence[Path]
) -> tuple[Side, tuple[JudgeChange, ...]]:
    """Return the second side, with verdicts that may be compared with those of the first, and judges that changed."""
    if not any(first.judged_by(label) for label in first.measures):
        return second, ()
    from dialeval.study.judge_changes import match_judges

    return match_judges(first, second, resampling, margins, anchors)


def _by_system(*sides: Side) -> Iterator[tuple[str, Result]]:
    """Yield results with the names of their systems, or with that of the file if it names none."""
    for side in sides:
        for key, result in side.results.items():
            yield _name(side, key.system), result


def _name(side: Side, system: str) -> str:
    return side.source if system == UNNAMED else system


def _say(text: str, *, indent: str) -> None:
    width = shutil.get_terminal_size().columns
    print("\n".join(wrapped(text, width, rest=indent, whole_words=True)))


def _detail(pair: Comparison) -> str:
    effect = "" if pair.effect_size is None else f"; d_z {pair.effect_size:.2f}"
    unpaired = f", {pair.unpaired} unpaired" if pair.unpaired else ""
    tally = "" if pair.wins is None else f"; wins {pair.wins}, ties {pair.ties}, losses {pair.losses}"
    scores = f"{pair.a} {pair.basis.score_a:.4f}, {pair.b} {pair.basis.score_b:.4f}" if pair.basis else ""
    return f"{scores} on {pair.n} items{unpaired}{tally}{effect}"


class _Look(NamedTuple):
    """Return the look, the alpha that it may spend, and the findings of the first look."""

    number: str | None = None
    spent: float | None = None
    first: tuple[Comparison, ...] | None = None


def _look(resampling: Resampling, *, first_look: bool, second_look: Path | None) -> _Look:
    if first_look and second_look is not None:
        raise BadUsage("a look is the first or the second, not both", where="--second-look")
    if first_look:
        return _Look("1/2", looks(alpha=resampling.alpha).first)
    if second_look is not None:
        return _Look("2/2", looks(alpha=resampling.alpha).second, read_first_look(second_look))
    return _Look()


def _changed(given: Mapping[str, int | float | str | None], first: Side, second: Side) -> Resampling:
    """Return the runs' settings of resampling, with what is given in place of their own."""
    complete = None not in given.values()
    shared = Resampling() if complete else shared_resampling(first, second)
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    sides = (side.resampling for side in (first, second) if side.resampling is not None)
    group = next((held.group for held in sides), shared.group)
    return replace(Resampling.of_json({**shared.as_json(), **changes}), group=group)


def _numbers(pair: Comparison) -> Iterator[tuple[str, str, str, float | None, float | None, float | None]]:
    """The measure, its signature, whose number it is, and the number: both scores, and the difference with its ends."""
    if pair.basis is not None:
        named = pair.measure or "", pair.basis.signature
        yield *named, pair.a, pair.basis.score_a, None, None
        yield *named, pair.b, pair.basis.score_b, None, None
        yield *named, "difference", *pair.difference[:3]


def _notes(
    pairs: Sequence[Comparison], items: Sequence[str], resampling: Resampling, look: str | None
) -> Iterator[str]:
    """Yield notes on the resampling, the tests, and further looks."""
    signatures = {pair.measure or "": pair.basis.signature for pair in pairs if pair.basis}
    yield from (
        f"{note}."
        for note in (*which_bleu(signatures), *as_sacrebleu_prints(chain.from_iterable(map(_numbers, pairs))))
    )
    undecided = [pair for pair in pairs if pair.verdict == "undecided" and pair.difference.value is not None]
    if undecided and look is None:
        yield (
            "To add items, compare the new ones alone, or plan two looks (--first-look): testing old and new items "
            "together finds differences that do not exist twice as often as it says."
        )
    designs = [(pair.units, pair.n, pair.design_effect) for pair in pairs]
    yield from design_notes(designs, items, resampling)
    families = {(pair.role, pair.family, pair.correction) for pair in pairs}
    tests = [
        f"{family} {f'{role} ' if role else ''}test{'s' * (family > 1)}"
        + (f" with {CORRECTIONS[correction]}" if correction else "")
        for role, family, correction in sorted(families, key=str)
    ]
    spent = f"; {'first' if look == '1/2' else 'second'} of two looks" if look else ""
    yield (
        f"({listing(tests)}{spent}; {resampling.resamples:,} permutations, seed {resampling.seed}, "
        f"{100 * resampling.confidence:g} % intervals)"
    )
