"""``dialeval nbest answers``: what answers to polar questions mean."""

from __future__ import annotations

import json as jsonlib
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from dialeval.cli.costs import JUDGE_NAMES
from dialeval.cli.options import Json, Limit
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.judge.naming import names_judge
from dialeval.nbest.answers.by_judge import AnswerJudge
from dialeval.nbest.answers.classifier import FirstWord, load_classifier
from dialeval.nbest.answers.corpus import read_questions
from dialeval.options import Argument, Option

if TYPE_CHECKING:
    from dialeval.nbest.answers.classifier import AnswerReader

ReaderOption: TypeAlias = Annotated[
    Literal["yesno", "first_word"],
    Option("--reader", help="What tells yes from no: the classifier, or the first word of the answer."),
]
ModelOption: TypeAlias = Annotated[
    Path | None,
    Option(
        "--model",
        metavar="PATH|NAME",
        help="A classifier of 'dialeval train yesno', shipped-minilm or shipped-deberta.",
        show_default="the best shipped one",
    ),
]


def reader_of(
    reader: Literal["yesno", "first_word"], model: Path | None, by: str | None = None
) -> AnswerReader:
    """The reader that the options name."""
    if by is not None:
        if not names_judge(by):
            raise BadUsage(f"takes judge:NAME, found {by!r}", where="--by")
        if reader != "yesno" or model is not None:
            raise BadUsage("a judge cannot be combined with --reader or --model", where="--by")
        return AnswerJudge(by)
    if reader == "first_word" and model is not None:
        raise BadUsage("--model is for the reader yesno")
    return FirstWord() if reader == "first_word" else load_classifier(model)


def answers(
    file: Annotated[str, Argument(metavar="FILE", help="Lines with id, question and answer; - for stdin.")],
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    by: Annotated[
        str | None,
        Option("--by", metavar="judge:NAME", help=f"A judge in place of the reader: {JUDGE_NAMES}."),
    ] = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Classify each answer to a polar question as yes, no or ambiguous.

    An answer on which a judge gives no verdict has a reason instead.

    Example: dialeval nbest answers answers.jsonl --json
    """
    asked = list(islice(read_questions(file), limit))
    found = reader_of(reader, model, by)
    readings = found.read([each.question for each in asked], [each.answer for each in asked])
    if json:
        rows = [
            {"id": each.item, "label": reading.label, "probability": round(reading.probability, 6)}
            if reading.lacking is None
            else {"id": each.item, "label": None, "probability": None, "reason": reading.lacking}
            for each, reading in zip(asked, readings, strict=True)
        ]
        print(jsonlib.dumps({"answers": rows, "reader": str(found.signature)}, ensure_ascii=False))
        return
    for each, reading in zip(asked, readings, strict=True):
        said = (
            f"{reading.label}\t{reading.probability:.3f}"
            if reading.lacking is None
            else f"–\t{reading.lacking}"
        )
        print(f"{each.item}\t{said}\t{each.question} | {each.answer}")
