"""Further exchanges to learn from, which Circa lacks by design: direct and unrelated answers, negative questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.nbest.answers.corpus import Exchange
from dialeval.nbest.answers.topics import is_unrelated
from dialeval.nbest.document import Label
from dialeval.nbest.stimuli.verbs import NEGATIVE

_OPENINGS: Final[dict[Label, tuple[str, ...]]] = {
    "yes": ("Yes, ", "Yes. ", "Yeah, ", "Yep, ", "Yes I do, ", "Sure, ", "Of course, ", "Definitely, "),
    "no": ("No, ", "No. ", "Nope, ", "Nah, ", "No I don't, ", "Not really, ", "No way, ", "Not at all, "),
    "ambiguous": (),
}
_ALONE: Final[dict[Label, tuple[str, ...]]] = {
    "yes": (
        "Yes.",
        "Yeah.",
        "Yes, I do.",
        "Yes I am.",
        "Of course.",
        "Sure.",
        "Why not?",
        "That's right.",
        "I did.",
    ),
    "no": (
        "No.",
        "Nope.",
        "No, I don't.",
        "No I'm not.",
        "Not at all.",
        "Of course not.",
        "Never.",
        "I didn't.",
    ),
    "ambiguous": (
        "I don't know.",
        "I'm not sure.",
        "Maybe.",
        "What do you mean?",
        "What about you?",
        "Let me think about it.",
        "It depends.",
        "Why do you ask?",
    ),
}
SHARES: Final = {"opened": 0.2, "alone": 0.04, "negative": 0.2, "unrelated": 0.08}
"""Of the exchanges: with a direct opening too, with only a direct answer too, with a negative question too, and with an
answer to another question, which says neither yes nor no."""


def augmented(exchanges: Sequence[Exchange], seed: int) -> list[Exchange]:
    """The exchanges, then the further ones in the order of `SHARES`."""
    draw = np.random.default_rng(seed)
    more: list[Exchange] = []
    for each in exchanges:
        opened, alone, negative, unrelated = (draw.random() < share for share in SHARES.values())
        openings = _OPENINGS[each.label]
        if opened and openings and max(each.shares) == 1.0:
            said = openings[int(draw.integers(len(openings)))]
            more.append(each._replace(answer=said + each.answer))
        if alone:
            label: Label = ("yes", "no", "ambiguous")[int(draw.integers(3))]
            answers = _ALONE[label]
            more.append(_certain(each._replace(answer=answers[int(draw.integers(len(answers)))]), label))
        if negative and (asked := negative_question(each.question)) is not None:
            more.append(each._replace(question=asked))
        if unrelated:
            other = exchanges[int(draw.integers(len(exchanges)))]
            if is_unrelated(each.question, other):
                more.append(_certain(each._replace(answer=other.answer), "ambiguous"))
    return [*exchanges, *more]


def _certain(exchange: Exchange, label: Label) -> Exchange:
    shares = (float(label == "yes"), float(label == "no"), float(label == "ambiguous"))
    return exchange._replace(label=label, shares=shares)


def negative_question(question: str) -> str | None:
    """The question with its first word negated; None where it has no negative form.

    >>> negative_question("Are you employed?"), negative_question("Will it rain?")
    ("Aren't you employed?", "Won't it rain?")
    """
    first, _, rest = question.partition(" ")
    form = NEGATIVE.get(first.lower())
    return None if form is None or not rest else f"{form.capitalize()} {rest}"
