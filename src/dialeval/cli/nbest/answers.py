"""``dialeval nbest answers``: what answers to polar questions mean."""

from __future__ import annotations

import json as jsonlib
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from dialeval.cli.options import Json, Limit
from dialeval.cli.parsing.parameters import BadUsage
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


def reader_of(reader: Literal["yesno", "first_word"], model: Path | None) -> AnswerReader:
    """The reader that the options name."""
    if reader == "first_word" and model is not None:
        raise BadUsage("--model is for the reader yesno")
    return FirstWord() if reader == "first_word" else load_classifier(model)


def answers(
    file: Annotated[str, Argument(metavar="FILE", help="Lines with id, question and answer; - for stdin.")],
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Classify each answer to a polar question as yes, no or ambiguous.

    Example: dialeval nbest answers answers.jsonl --json
    """
    asked = list(islice(read_questions(file), limit))
    found = reader_of(reader, model)
    readings = found.read([each.question for each in asked], [each.answer for each in asked])
    if json:
        rows = [
            {"id": each.item, "label": reading.label, "probability": round(reading.probability, 6)}
            for each, reading in zip(asked, readings, strict=True)
        ]
        print(jsonlib.dumps({"answers": rows, "reader": str(found.signature)}, ensure_ascii=False))
        return
    for each, reading in zip(asked, readings, strict=True):
        print(f"{each.item}\t{reading.label}\t{reading.probability:.3f}\t{each.question} | {each.answer}")
