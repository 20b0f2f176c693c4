"""Features of a response in its context and of a whole dialogue, one small function each, and rows of them."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.data.types import Dialogue, Turn
from dialeval.encoder.adapters import Adapted, AdapterFile, load_adapter
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors
from dialeval.selfeval.crossencoder.reading import fit_logits
from dialeval.selfeval.metric import adapter_file
from dialeval.selfeval.subjects import Subject, judged_speakers, spoken_turns
from dialeval.selfeval.turnwise import REACH, vector_scores

_TABLE: Final = Path(__file__).with_name("word_counts.tsv")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words_of(text: str) -> tuple[str, ...]:
    """The words, in lower case; a clitic that was split off is joined again, as corpora differ there.

    >>> words_of("I 'd say it’s FINE!")
    ("i'd", 'say', "it's", 'fine')
    """
    return tuple(_WORD.findall(text.lower().replace("’", "'").replace(" '", "'")))


def information(words: Iterable[str]) -> float:
    """The sum over different words of log(utterances / utterances that have the word), in nats.

    Counted in eight corpora of English dialogues; a word outside the table counts as if it had occurred once.
    """
    utterances, counts = _counts()
    # Rounded once, so that the order of a set cannot show.
    return math.fsum(math.log(utterances / (1 + counts.get(word, 1))) for word in set(words))


def is_common(word: str) -> bool:
    """Return whether it is among the 8,000 words that are counted, perhaps with a clitic, or a number."""
    counts = _counts()[1]
    return word in counts or word.isdigit() or word.partition("'")[0] in counts


@cache
def _counts() -> tuple[int, dict[str, int]]:
    """Number of utterances that were counted, and of those with each word."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return int(rows[0][1]), {word: int(count) for word, count in rows[1:]}


@dataclass(frozen=True, eq=False)
class Utterance:
    """A turn with its unit vector."""

    speaker: str
    """In lower case."""
    text: str
    unit: Floats

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case."""
        return words_of(self.text)

    @property
    def asks(self) -> bool:
        """Whether it has a question mark."""
        return "?" in self.text


@dataclass(frozen=True, eq=False)
class Moment:
    """A response and what was said before it, the oldest first; there is at least one earlier turn."""

    response: Utterance
    earlier: tuple[Utterance, ...]

    @property
    def last(self) -> Utterance:
        """The turn that is answered."""
        return self.earlier[-1]

    @property
    def own(self) -> list[Utterance]:
        """Earlier turns of the one who responds."""
        return [said for said in self.earlier if said.speaker == self.response.speaker]

    @property
    def others(self) -> list[Utterance]:
        """Earlier turns of anybody else."""
        return [said for said in self.earlier if said.speaker != self.response.speaker]


@dataclass(frozen=True, eq=False)
class Talk:
    """A subject's turns, and the moments that are judged."""

    turns: tuple[Utterance, ...]
    moments: tuple[Moment, ...]


def talk_of(subject: Subject, units: Mapping[str, Floats]) -> Talk:
    """The subject with the vectors of its texts, which ``units`` has by stripped text."""
    turns = spoken_turns(subject)
    said = tuple(Utterance(folded(turn.speaker), turn.text, units[turn.text.strip()]) for turn in turns)
    places = judged_places(subject, turns)
    return Talk(said, tuple(Moment(said[place], said[:place]) for place in places))


def judged_places(subject: Subject, turns: Sequence[Turn]) -> list[int]:
    """Places of the judged turns: an example's last; a dialogue's of the judged speakers, or all, but the first."""
    if not isinstance(subject, Dialogue):
        return [len(turns) - 1] if len(turns) > 1 else []
    judged = judged_speakers(subject)
    return [place for place, turn in enumerate(turns) if place and (not judged or turn.speaker in judged)]


RECENT: Final = 4
"""Number of turns that count as recent."""


T = TypeVar("T", Moment, Talk)


class Feature(NamedTuple, Generic[T]):
    """A number for a moment or for a whole talk; NaN if it is undefined."""

    measure: Callable[[T], float]
    direction: int
    """1 if more is better, -1 if less is."""


def last_cosine(moment: Moment) -> float:
    """Likeness in meaning to the turn that is answered."""
    return _cosines(moment.response, [moment.last])[0]


def recent_cosine(moment: Moment) -> float:
    """Mean likeness to the last four turns of either side."""
    return float(np.mean(_cosines(moment.response, moment.earlier[-RECENT:])))


def partner_cosine(moment: Moment) -> float:
    """Mean likeness to all that the other side said."""
    return float(np.mean(_cosines(moment.response, moment.others))) if moment.others else math.nan


def own_cosine(moment: Moment) -> float:
    """Likeness to the closest of one's own earlier turns: above all, repetition in other words."""
    return max(_cosines(moment.response, moment.own), default=math.nan)


def own_overlap(moment: Moment) -> float:
    """Share of the response's information in words that one has used before; 0 if it has no words."""
    said = {word for turn in moment.own for word in turn.words}
    whole = information(moment.response.words)
    return information(said.intersection(moment.response.words)) / whole if whole else 0.0


def own_repeat(moment: Moment) -> float:
    """1 if one has said the very same before, else 0."""
    return float(any(turn.words == moment.response.words for turn in moment.own))


def repeated_bigrams(moment: Moment) -> float:
    """Share of the response's word pairs that are not the first of their kind in it; 0 if it has none."""
    words = moment.response.words
    pairs = Counter(itertools.pairwise(words))
    return 1 - len(pairs) / pairs.total() if pairs else 0.0


def response_information(moment: Moment) -> float:
    """Logarithm of 1 plus the information in the response's words."""
    return math.log1p(information(moment.response.words))


def asks(moment: Moment) -> float:
    """1 if the response has a question mark, else 0."""
    return float(moment.response.asks)


def next_turn(moment: Moment) -> float:
    """Probability that this is the next turn and not a stranger's, as `selfeval` has learnt it, of turns as a whole."""
    units = [said.unit for said in (*moment.earlier[-REACH:], moment.response)]
    return float(vector_scores(_network(), [np.stack(units)])[0])


def embedded_adapter() -> AdapterFile:
    """The adapter of `selfeval` that comes with dialeval."""
    return adapter_file("embedded", "selfeval")


@cache
def _network() -> Adapted:
    return load_adapter(embedded_adapter())


def _cosines(response: Utterance, turns: Sequence[Utterance]) -> list[float]:
    """Cosines in [-1, 1], but 0 for another's turn in the very same words: an echo does not answer."""
    return [
        0.0 if is_echo(response, turn) else float(np.clip(turn.unit @ response.unit, -1, 1)) for turn in turns
    ]


def is_echo(response: Utterance, turn: Utterance) -> bool:
    """Return whether it says another's turn in the very same words."""
    return turn.speaker != response.speaker and turn.words == response.words


TURN_FEATURES: Final[Mapping[str, Feature[Moment]]] = {
    "last_cosine": Feature(last_cosine, 1),
    "recent_cosine": Feature(recent_cosine, 1),
    "partner_cosine": Feature(partner_cosine, 1),
    "own_cosine": Feature(own_cosine, -1),
    "own_overlap": Feature(own_overlap, -1),
    "own_repeat": Feature(own_repeat, -1),
    "repeated_bigrams": Feature(repeated_bigrams, -1),
    "response_information": Feature(response_information, 1),
    "asks": Feature(asks, 1),
    "next_turn": Feature(next_turn, 1),
}


# Written for this purpose; by its likeness to these a reaction is known to be puzzled or pleased.
PUZZLED: Final = (
    "What are you talking about?",
    "That doesn't make any sense.",
    "That's not what I asked.",
    "You already said that.",
    "You didn't answer my question.",
    "I don't understand you.",
    "Are you a robot?",
    "You are weird.",
    "Stop repeating yourself.",
    "Huh? What?",
    "I just told you that.",
    "That has nothing to do with what I said.",
)
PLEASED: Final = (
    "That's really interesting!",
    "Wow, that's so cool!",
    "I love that too!",
    "Haha, that's funny!",
    "It was nice talking to you.",
    "Tell me more about it!",
    "That makes sense.",
    "You're right, good point.",
    "That sounds great!",
    "Thanks, that is very helpful.",
)


def variety(talk: Talk) -> float:
    """Different words of the judged turns over the root of all their words (Guiraud, 1954); NaN without words."""
    words = [word for moment in talk.moments for word in moment.response.words]
    return len(set(words)) / math.sqrt(len(words)) if words else math.nan


def reaction(talk: Talk) -> float:
    """Likeness of the other side's later turns to pleased ones minus that to puzzled ones, on average."""
    turns = partner_turns(talk)
    return float(np.mean([_pleasure(turn) for turn in turns])) if turns else math.nan


def partner_turns(talk: Talk) -> list[Utterance]:
    """Turns of the other side after it was first answered; none if both sides are judged."""
    judged = {moment.response.speaker for moment in talk.moments}
    first = len(talk.moments[0].earlier) if talk.moments else 0
    return [turn for turn in talk.turns[first:] if turn.speaker not in judged]


def _pleasure(turn: Utterance) -> float:
    pleased, puzzled = _reactions()
    return float((pleased @ turn.unit).max() - (puzzled @ turn.unit).max())


@cache
def _reactions() -> tuple[Floats, Floats]:
    """Unit vectors of pleased and of puzzled utterances, one row each."""
    units = unit_vectors((*PLEASED, *PUZZLED), EMBEDDED)
    return np.stack([units[text] for text in PLEASED]), np.stack([units[text] for text in PUZZLED])


DIALOGUE_FEATURES: Final[Mapping[str, Feature[Talk]]] = {
    "variety": Feature(variety, 1),
    "reaction": Feature(reaction, 1),
}


Kind: TypeAlias = Literal["turn", "dialogue"]
Encode: TypeAlias = Callable[[set[str]], Mapping[str, Floats]]
"""From stripped texts to their unit vectors."""

LM_FEATURES: Final = {"follow_ups": 1}
"""Scores by the embedded language model, with their direction."""
FITS: Final = "fits"
"""Log-odds that a response fits what was said just before, by an encoder that reads them together."""
DIRECTIONS: Final[Mapping[str, int]] = {
    **{name: feature.direction for name, feature in TURN_FEATURES.items()},
    **{name: feature.direction for name, feature in DIALOGUE_FEATURES.items()},
    FITS: 1,
    **LM_FEATURES,
}
"""Of every feature: 1 if more is better, -1 if less is."""


def recipe_name(kind: Kind, *, lm: bool = False, fits: bool = False) -> str:
    """As the file of heads calls it: ``turn``, ``dialogue``, and with ``+fits``, ``+lm`` or ``+fits+lm``."""
    return kind + "+fits" * fits + "+lm" * lm


# How much a single response says goes either way with its ratings, so it counts in dialogues alone.
_PLAIN: Final[Mapping[Kind, tuple[str, ...]]] = {
    "turn": tuple(name for name in TURN_FEATURES if name != "response_information"),
    "dialogue": (*TURN_FEATURES, *DIALOGUE_FEATURES),
}
RECIPES: Final[Mapping[str, tuple[str, ...]]] = {
    recipe_name(kind, lm=lm, fits=fits): (*names, *(FITS,) * fits, *tuple(LM_FEATURES) * lm)
    for kind, names in _PLAIN.items()
    for fits in (False, True)
    for lm in (False, True)
}
"""The features of each recipe, by what is judged, and whether the cross-encoder and the language model are asked."""


def kind_of(subject: Subject) -> Kind:
    """Kind of what is judged: one response, or a dialogue."""
    return "dialogue" if isinstance(subject, Dialogue) else "turn"


def feature_rows(subjects: Sequence[Subject], names: Sequence[str], encode: Encode | None = None) -> Floats:
    """The features of these names, one row per subject; a feature of responses is the mean over the judged ones."""
    encode = encode or _embedded
    units = encode({turn.text.strip() for subject in subjects for turn in spoken_turns(subject)})
    talks = [talk_of(subject, units) for subject in subjects]
    rows = np.empty((len(subjects), len(names)))
    for column, name in enumerate(names):
        if name in LM_FEATURES:
            rows[:, column] = _follow_ups(subjects)
        elif name == FITS:
            rows[:, column] = mean_fits(talks)
        else:
            rows[:, column] = [_measured(name, talk) for talk in talks]
    return rows


def _measured(name: str, talk: Talk) -> float:
    if name in DIALOGUE_FEATURES:
        return DIALOGUE_FEATURES[name].measure(talk)
    values = [TURN_FEATURES[name].measure(moment) for moment in talk.moments]
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def mean_fits(talks: Sequence[Talk]) -> Floats:
    """The mean log-odds of each talk's responses; NaN without responses."""
    logits = iter(fit_logits([turns_read(moment) for talk in talks for moment in talk.moments]).tolist())
    means = [[next(logits) for _ in talk.moments] for talk in talks]
    return np.array([np.mean(own) if own else np.nan for own in means])


def turns_read(moment: Moment) -> list[str]:
    """The turns before a response, and the response, as the cross-encoder reads them."""
    return [said.text.strip() for said in (*moment.earlier, moment.response)]


def _follow_ups(subjects: Sequence[Subject]) -> Floats:
    from dialeval.selfeval.rivals.likelihood import FollowUps

    return np.asarray(FollowUps().values(subjects))


def _embedded(texts: set[str]) -> Mapping[str, Floats]:
    return unit_vectors(texts, EMBEDDED)
