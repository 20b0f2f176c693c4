"""Further exchanges to learn from, which Circa lacks by design: direct and unrelated answers, negative questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.nbest.answers.corpus import Exchange
from dialeval.nbest.answers.labels import first_word_label
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
_FEWEST_WORDS: Final = 4
"""Words of an unrelated answer: shorter ones, such as "I do", may answer any question."""
_STOP_WORDS: Final = (
    "about after again all also always and any anything are aren been before being both but can cant could did didnt "
    "does doesnt doing dont else enjoy ever every for from get going got had has have having her here him his how "
    "interested into its ive ill isnt just kind kinds know like liked likes lot love lots many more most much myself "
    "never new not now off often one only other our out over own really she should some something sometimes still such "
    "than that thats the their them then there these they thing things think this those though too type types very "
    "want wanted was way well went were what when where which while who why will with would yes you your youre"
)


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


def is_unrelated(question: str, other: Exchange) -> bool:
    """Return whether the other exchange's answer says nothing about the question.

    It is on another topic, says neither yes nor no, and is not too short.

    >>> other = Exchange("", "Do you like fruit?", "Bananas are my favourite.", "yes", (1.0, 0.0, 0.0))
    >>> is_unrelated("Do you have a car?", other), is_unrelated("Are bananas cheap?", other)
    (True, False)
    """
    if first_word_label(other.answer) != "ambiguous" or len(other.answer.split()) < _FEWEST_WORDS:
        return False
    asked, said, answered = (_content(text) for text in (question, other.question, other.answer))
    return bool(asked) and bool(answered) and not asked & (said | answered)


def _content(text: str) -> set[str]:
    """The beginnings of words that carry a topic, so that "banana" and "bananas" are the same."""
    return {
        word[:5]
        for word in re.findall(r"[a-z]{3,}", text.lower().replace("'", ""))
        if word not in _STOP_WORDS
    }


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
