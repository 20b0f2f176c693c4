"""Labels of answers to polar questions, and the rule of the first word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from dialeval.nbest.document import Label

LABELS: Final[tuple[Label, ...]] = ("yes", "no", "ambiguous")

OF_CIRCA: Final[Mapping[str, Label | None]] = {
    "Yes": "yes",
    "Probably yes / sometimes yes": "yes",
    "Yes, subject to some conditions": "yes",
    "No": "no",
    "Probably no": "no",
    "In the middle, neither yes nor no": "ambiguous",
    "I am not sure how X will interpret Y’s answer": "ambiguous",
    "Other": None,
}
"""Which side each label of Circa is on (Sato, 2024, section 5.6.3); ``Other``, which the thesis leaves out, on none."""

_YES_LIST: Final = """
yes yeah yep yup yea sure certainly absolutely definitely indeed
"""
YES_WORDS: Final = frozenset(_YES_LIST.split())
NO_WORDS: Final = frozenset(["no", "nope", "nah", "never"])


def first_word_label(answer: str) -> Label:
    """What the first word says: yes, no, or nothing.

    >>> first_word_label("Yeah, I do."), first_word_label("No."), first_word_label("I love it.")
    ('yes', 'no', 'ambiguous')
    """
    words = re.findall(r"[a-z']+", answer.lower())
    first = words[0] if words else ""
    if words[:2] == ["of", "course"]:
        return "no" if words[2:3] == ["not"] else "yes"
    if words[:2] in (["not", "really"], ["not", "at"]):
        return "no"
    return "yes" if first in YES_WORDS else "no" if first in NO_WORDS else "ambiguous"


def majority(votes: Sequence[Label | None], least: int = 3) -> Label | None:
    """The label that at least this many of the people gave; None where there is none.

    >>> majority(["yes", "yes", "no", "yes", "ambiguous"])
    'yes'
    """
    return next((label for label in LABELS if sum(vote == label for vote in votes) >= least), None)
