"""``dialeval compare --judge``: two systems' answers, pair by pair and in both orders, before a judge."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.errors import DialevalError, Unsuitable
from dialeval.files.documents import as_json, write_json_lines
from dialeval.options import Option

if TYPE_CHECKING:
    from dialeval.data.codec.column_names import ColumnsGiven
    from dialeval.judge.metric import Judge

JudgeOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--judge",
        metavar="JUDGE",
        help="Have a judge compare the answers in both orders instead, as in \"judge(model='m', base_url='http://...')\".",
        show_default=False,
    ),
]
PeopleOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--preferences",
        metavar="FILE",
        help="People's preferences between the same answers, with which the judge's are compared.",
        show_default=False,
    ),
]
VerdictsOption: TypeAlias = Annotated[
    Path | None,
    Option("--verdicts", metavar="FILE", help="Write the judge's verdicts to this file.", show_default=False),
]
OwnOption: TypeAlias = Annotated[
    list[str] | None,
    Option("--own", metavar="SYSTEM", help="A system of the judge's own family. Repeatable."),
]
_JUDGE: Final = "judge"


class PairsAsked(NamedTuple):
    """The judge, and what its verdicts are set beside."""

    judge: str
    preferences: str | None
    verdicts: Path | None
    own: tuple[str, ...]
    resampling: Resampling


class Sources(NamedTuple):
    """How the files of answers are read."""

    format: str | None
    columns: ColumnsGiven
    data: str | None
    allow_unmatched: bool
    code: tuple[str, ...]


def refuse_without_judge(*options: object) -> None:
    """Refuse options that only go with a judge."""
    for name, given in zip(("--preferences", "--verdicts", "--own"), options, strict=True):
        if given:
            raise BadUsage(f"'{name}' needs '--judge', which says who judges the pairs.", where=name)


def refuse_measures(metrics: Sequence[str] | None, *, sacrebleu: bool, looks: bool) -> None:
    """Refuse options that are about measures of single answers."""
    for name, given in (("--metric", metrics), ("--sacrebleu", sacrebleu), ("--first-look", looks)):
        if given:
            raise BadUsage(
                f"a judge compares pairs of answers, without measures: leave out '{name}'", where="--judge"
            )


def print_judged_pairs(asking: PairsAsked, a: str, b: str, files: Sources, *, json: bool) -> None:
    """Ask the judge about every pair, and print what its verdicts come to."""
    from dialeval.judge.pair_record import pair_notes
    from dialeval.judge.pairs import check_pairs_judge, judge_pairs, pairs_of
    from dialeval.ratings.preferences import read_preferences
    from dialeval.study.sides import read_answers

    judge = built_judge(asking.judge)
    check_pairs_judge(judge)
    answers = read_answers(
        a,
        b,
        dialogues=judge.whole_dialogues,
        format=files.format,
        columns=files.columns,
        data=files.data,
        allow_unmatched=files.allow_unmatched,
        code=files.code,
    )
    people = read_preferences(asking.preferences) if asking.preferences else ()
    _check_systems(asking.own, answers)
    if people and not {name for one in people for name in (one.a, one.b)} & set(answers):
        raise Unsuitable(
            f"{asking.preferences} has preferences between other systems than {' and '.join(answers)}. Name systems "
            "there as they are named here."
        )
    found = judge_pairs(
        judge, list(pairs_of(answers)), own=asking.own, people=people, resampling=asking.resampling
    )
    if asking.verdicts is not None:
        write_json_lines(asking.verdicts, found.preferences)
    if json:
        content = {"comparisons": [], "judge_pairs": as_json(found.record)}
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
        return
    from dialeval.cli.annotate.preferences import print_tables
    from dialeval.ratings.pairwise_tables import pairwise_tables

    if found.record.results is not None:
        print_tables(pairwise_tables(found.record.results))
    *_, canary = pair_notes(found.record)
    print(f"\n{canary}")


def _check_systems(own: Iterable[str], answers: Iterable[str]) -> None:
    known = list(answers)
    for name in own:
        if name not in known:
            raise BadUsage(f"found {name!r}, expected one of {', '.join(known)}", where="--own")


def built_judge(text: str) -> Judge:
    """The judge that a measure's name and options stand for."""
    from dialeval.judge.metric import Judge
    from dialeval.study.measures import build_measure

    try:
        metric = build_measure(text, folder=Path()).metric
    except (ValueError, DialevalError) as error:
        raise BadUsage(str(error), where="--judge") from None
    if not isinstance(metric, Judge):
        raise BadUsage(
            f"found {text!r}, expected a judge, as in \"{_JUDGE}(model='m', base_url='http://...')\"",
            where="--judge",
        )
    return metric
