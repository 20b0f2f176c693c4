"""The record of a labelling: what raters agreed on, where they did not, and which answers could not be used."""

from __future__ import annotations

from collections import Counter
from typing import Final

from dialeval.annotation.answers import blamed
from dialeval.errors import Unsuitable
from dialeval.selection.labelling.labelling import Labelled

RECORD: Final = "labelling.json"


def labelling_json(labelled: Labelled, *, at_least: int) -> dict[str, object]:
    """What happened, with each candidate that has no label.

    Raises Unsuitable where no answer could be used: nothing happened then.
    """
    if not labelled.labels and not labelled.undecided:
        why = blamed(labelled.unusable, labelled.form, used=0) if labelled.unusable else "There is no answer."
        raise Unsuitable(f"No false candidate gets a label. {why}")
    return {
        "format": 1,
        "form": labelled.form.criterion,
        "at_least": at_least,
        "questions": len(labelled.questions),
        "labels": labelled.counts,
        "kappa": labelled.kappa.value,
        "kappa_reason": labelled.kappa.reason,
        "unasked": labelled.unasked,
        "undecided": [one._asdict() for one in labelled.undecided],
        "unusable_answers": dict(Counter(one.fault for one in labelled.unusable)),
        "unusable": [one._asdict() for one in labelled.unusable],
    }
