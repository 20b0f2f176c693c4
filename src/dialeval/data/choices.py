"""What systems chose, as ``choices.jsonl`` has it (docs/files.md), read as judgements: 1 where rightly, 0 where not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import flag, optional_text
from dialeval.data.types import Judgement

_MEASURE: Final = "selection_accuracy"
"""Of lines that do not say which measure asked."""


def is_choice(fields: Mapping[str, object]) -> bool:
    """Whether this is a line of ``choices.jsonl``: a choice, or the reason why there is none."""
    return "id" in fields and "rater" not in fields and ("chosen" in fields or "reason" in fields)


def choice_judgement(fields: Mapping[str, object], item: str, system: str, where: Where) -> Judgement:
    """The line as the judgement of the measure that asked, whose name is the criterion."""
    measure = optional_text(fields, "measure", where, "") or _MEASURE
    name = measure.partition("(")[0]
    if "chosen" not in fields:
        return Judgement(item, system, measure, name, None, optional_text(fields, "reason", where, ""))
    return Judgement(item, system, measure, name, float(flag(fields, "correct", where, "")))
