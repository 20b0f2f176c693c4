"""Vectors of subjects' turns, each different text encoded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.encoder.adapters import Adapted
from dialeval.encoder.sentences import to_units
from dialeval.selfeval.subjects import Exchange, Judged, exchanges_of, spoken_turns
from dialeval.selfeval.trained.graph import edges, graph_score
from dialeval.selfeval.trained.pairs import Head, pair_features
from dialeval.selfeval.turnwise.network import REACH


def mean_pair_scores(
    adapted: Adapted, subjects: Sequence[Judged], score: Callable[[Head, Floats], Floats]
) -> Floats:
    """The mean score of each subject's judged responses."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    asked = [_texts(exchange) for own in exchanges for exchange in own]
    # In one order, whatever the order of the subjects, so that rounding cannot show it.
    known = {texts: row for row, texts in enumerate(sorted(set(asked)))}
    scores = score(adapted.head, pair_features(*pair_units(adapted, list(known))))
    values = scores[[known[texts] for texts in asked]]
    ends = np.cumsum([len(own) for own in exchanges])
    return np.array([part.mean() for part in np.split(values, ends[:-1])])


def pair_units(adapted: Adapted, pairs: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """The vectors of responses, the last text of each pair, and of the texts before, latest first, filled up with 0."""
    units = text_units(adapted, {text for texts in pairs for text in texts})
    responses = np.stack([units[texts[-1]] for texts in pairs])
    earlier = np.zeros((len(pairs), REACH, responses.shape[1]))
    for row, texts in enumerate(pairs):
        for place, text in enumerate(texts[-2::-1]):
            earlier[row, place] = units[text]
    return responses, earlier


def graph_scores(adapted: Adapted, subjects: Sequence[Judged]) -> Floats:
    """The score of each subject as a dialogue that ends with its last turn; blank turns are left out."""
    dialogues = [spoken_turns(subject) for subject in subjects]
    units = text_units(adapted, {turn.text.strip() for turns in dialogues for turn in turns})
    values = []
    for turns in dialogues:
        vectors = np.stack([units[turn.text.strip()] for turn in turns])
        values.append(graph_score(adapted.head, vectors, edges([folded(turn.speaker) for turn in turns])))
    return np.array(values)


def text_units(adapted: Adapted, texts: set[str]) -> dict[str, Floats]:
    """The unit vector of each text."""
    ordered = sorted(texts)
    tokens = adapted.encoder.tokens(ordered, longest=adapted.about.longest)
    states = adapted.encoder.states(tokens, keep=lambda states: states.mean(axis=0))
    return dict(zip(ordered, to_units(np.stack(states)), strict=True))


def _texts(exchange: Exchange) -> tuple[str, ...]:
    """The last turns before a response that say something, and the response."""
    said = [turn.text.strip() for turn in exchange.context if turn.text.strip()]
    return (*said[-REACH:], exchange.response.strip())
