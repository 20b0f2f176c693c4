"""Corrupted dialogues to learn from: words, turns or coherence spoilt, and clusters of versions of one dialogue.

The four kinds of incoherence are those of DEAM (Ghazarian et al., 2022), on words instead of AMR graphs. Coreference:
pronouns become nouns of the dialogue. Contradiction: a statement is negated and said again later by its speaker.
Irrelevancy: content words become others of the dialogue. Engagement: questions and sentences go. The shares are those
of the paper.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from dialeval.core import Generator
from dialeval.data.types import Context, Dialogue
from dialeval.selfeval.replacement import (
    Rank,
    Replacement,
    Sample,
    Texts,
    likely_source,
    random_source,
    replaced_samples,
)
from dialeval.selfeval.subjects import spoken_turns

Spoiler = Callable[[str, random.Random], str]


def drop_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Without some of its words; at least one word goes and at least one stays."""
    words = text.split()
    gone = set(draw.sample(range(len(words)), _some(len(words), share)))
    return " ".join(word for place, word in enumerate(words) if place not in gone)


def repeat_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Some of its words twice in a row."""
    words = text.split()
    twice = set(draw.sample(range(len(words)), max(_some(len(words), share), min(1, len(words)))))
    return " ".join(word if place not in twice else f"{word} {word}" for place, word in enumerate(words))


def shuffle_words(text: str, draw: random.Random) -> str:
    """Its words in another order; a text of one word, or of one word many times, stays."""
    words = text.split()
    if len(set(words)) < 2:
        return text
    shuffled = words
    while shuffled == words:
        shuffled = draw.sample(words, len(words))
    return " ".join(shuffled)


def swap_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Some neighbouring words exchanged."""
    words = text.split()
    for _ in range(max(_some(len(words), share), 1) if len(words) > 1 else 0):
        place = draw.randrange(len(words) - 1)
        words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)


def _some(count: int, share: float) -> int:
    return min(max(round(share * count), 1), count - 1) if count > 1 else 0


WORDINGS: Final[tuple[Spoiler, ...]] = (drop_words, repeat_words, shuffle_words, swap_words)


GENERIC: Final = (
    "I don't know.",
    "I'm not sure what you mean.",
    "OK.",
    "That's nice.",
    "I see.",
    "Yes, of course.",
    "Really?",
    "I think so.",
    "Maybe.",
    "Oh, that's great!",
    "Thank you.",
    "No, I don't think so.",
    "I like that too.",
    "What do you mean?",
    "That sounds good.",
    "I have no idea.",
)
"""Replies that fit almost anything and say almost nothing."""


def swap_turns(turns: Sequence[str], draw: random.Random) -> Texts:
    """Two turns of one speaker exchanged; the same dialogue if nobody spoke twice."""
    own = [(first, first + 2 * gap) for first in range(len(turns)) for gap in range(1, len(turns))]
    pairs = [(a, b) for a, b in own if b < len(turns) and turns[a] != turns[b]]
    if not pairs:
        return tuple(turns)
    first, second = draw.choice(pairs)
    swapped = list(turns)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return tuple(swapped)


def shuffle_turns(turns: Sequence[str], draw: random.Random) -> Texts:
    """All turns in another order; the same dialogue if all turns are the same."""
    if len(set(turns)) < 2:
        return tuple(turns)
    shuffled = tuple(turns)
    while shuffled == tuple(turns):
        shuffled = tuple(draw.sample(list(turns), len(turns)))
    return shuffled


def repeat_turn(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn is one that was said before, by either speaker."""
    return (*turns[:-1], draw.choice(turns[:-1])) if len(turns) > 1 else tuple(turns)


def reply_generically(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn is a reply that fits anything."""
    return (*turns[:-1], draw.choice([reply for reply in GENERIC if reply != turns[-1]]))


def fill_in_wrong_context(
    responses: Sequence[str], wrong: Sequence[Context], model: Generator, *, seed: int, kept: float = 0.4
) -> list[str | None]:
    """Each response with its beginning kept and the rest as the model continues another dialogue (Gupta et al., 2021).

    A language model that reads from left to right cannot fill a gap, so the gap is the end. None if the response has
    fewer than four words or the model added nothing.
    """
    draw = random.Random(seed)
    beginnings = []
    for response in responses:
        words = response.split()
        least = max(round(kept * len(words)), 2)
        beginnings.append(" ".join(words[: least + draw.randint(0, 1)]) if len(words) > 3 else "")
    asked = [row for row, beginning in enumerate(beginnings) if beginning]
    answers = model.generate([wrong[row] for row in asked], n=1, seed=seed)
    filled: list[str | None] = [None] * len(responses)
    for row, answer in zip(asked, answers, strict=True):
        said = answer[0].text.split() if answer else []
        size = len(responses[row].split()) - len(beginnings[row].split())
        if said:
            filled[row] = " ".join([beginnings[row], *said[: max(size, 1)]])
    return filled


_WORD: Final = re.compile(r"[A-Za-z']+")
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*\s*")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_PRONOUNS: Final = _words(
    "he she it they him her them his hers its their theirs this that these those i you we me us my your our"
)
_FUNCTION: Final = _PRONOUNS | _words(
    "a an the and or but if so as of in on at to for from with by about into over after before than then",
    "is are was were be been am do does did have has had will would can could shall should may might must",
    "not no yes n't what who where when why how which there here just very too also really well all any some",
    "oh ok okay hi hello thanks please it's i'm that's don't didn't can't you're he's she's they're we're i've",
    "i'd i'll isn't wasn't",
)
_AUXILIARIES: Final = _words(
    "is are was were am can could will would should do does did have has had must may might"
)
_PAIRS: Final = (
    "good/bad always/never like/hate love/hate happy/sad old/new big/small hot/cold early/late easy/hard many/few",
    "more/less best/worst everyone/nobody everything/nothing often/rarely right/wrong true/false first/last yes/no",
    "cheap/expensive high/low long/short fast/slow agree/disagree enjoy/dislike remember/forget win/lose buy/sell",
    "open/closed rich/poor strong/weak better/worse",
)
_OPPOSITES: Final = {
    word: other
    for pair in sorted(_words(*_PAIRS))
    for a, b in (pair.split("/"),)
    for word, other in ((a, b), (b, a))
}


def content_words(turns: Sequence[str]) -> list[str]:
    """The words of a dialogue that are not function words, in order."""
    return [word for turn in turns for word in _WORD.findall(turn) if word.lower() not in _FUNCTION]


def swap_pronouns(turns: Sequence[str], draw: random.Random, share: float = 0.5) -> Texts:
    """Half of the pronouns become content words of the dialogue."""
    words = content_words(turns)
    return _exchange(turns, draw, lambda word: word.lower() in _PRONOUNS, words, share)


def negate(text: str, draw: random.Random) -> str | None:
    """The text with an opposite word or a negated verb; None if there is neither."""
    words = text.split(" ")
    opposite = [place for place, word in enumerate(words) if _bare(word) in _OPPOSITES]
    verbs = [place for place, word in enumerate(words) if _bare(word) in _AUXILIARIES]
    if opposite:
        place = draw.choice(opposite)
        words[place] = re.sub(r"[A-Za-z]+", _OPPOSITES[_bare(words[place])], words[place], count=1)
    elif verbs:
        place = draw.choice(verbs)
        if place + 1 < len(words) and _bare(words[place + 1]) == "not":
            del words[place + 1]
        else:
            words.insert(place + 1, "not")
    else:
        return None
    return " ".join(words)


def contradict(turns: Sequence[str], draw: random.Random, share: float = 0.1) -> Texts:
    """A tenth of the turns, at least one, are negated and added to a later turn of the same speaker."""
    spoilt = list(turns)
    able = [place for place in range(len(turns) - 2) if negate(turns[place], random.Random(0)) is not None]
    for place in draw.sample(able, min(max(round(share * len(turns)), 1), len(able))):
        later = draw.choice(range(place + 2, len(turns), 2))
        spoilt[later] = f"{spoilt[later]} {negate(turns[place], draw)}"
    return tuple(spoilt)


def swap_content(
    turns: Sequence[str], draw: random.Random, share: float = 0.1, of_words: float = 0.7
) -> Texts:
    """In a tenth of the turns, at least one, 70 % of the content words become others of the dialogue."""
    words = content_words(turns)
    chosen = draw.sample(range(len(turns)), max(round(share * len(turns)), 1))
    spoilt = list(turns)
    for place in chosen:
        spoilt[place] = _exchange(
            [turns[place]], draw, lambda word: word.lower() not in _FUNCTION, words, of_words
        )[0]
    return tuple(spoilt)


def drop_sentences(turns: Sequence[str], draw: random.Random, share: float = 0.2) -> Texts:
    """In a fifth of the turns that have several sentences, at least one, a question or else any sentence goes."""
    able = [place for place, turn in enumerate(turns) if len(_SENTENCE.findall(turn)) > 1]
    spoilt = list(turns)
    for place in draw.sample(able, min(max(round(share * len(turns)), 1), len(able))):
        sentences = _SENTENCE.findall(turns[place])
        asked = [number for number, said in enumerate(sentences) if said.rstrip().endswith("?")]
        gone = draw.choice(asked or range(len(sentences)))
        spoilt[place] = "".join(sentences[:gone] + sentences[gone + 1 :]).strip()
    return tuple(spoilt)


def _exchange(
    turns: Sequence[str],
    draw: random.Random,
    wanted: Callable[[str], bool],
    words: Sequence[str],
    share: float,
) -> Texts:
    def other(match: re.Match[str]) -> str:
        word = match.group()
        if not wanted(word) or draw.random() >= share:
            return word
        others = [each for each in words if each.lower() != word.lower()]
        return draw.choice(others) if others else word

    return tuple(_WORD.sub(other, turn) for turn in turns)


def _bare(word: str) -> str:
    return word.strip(".,!?;:\"'()").lower()


Spoiling: TypeAlias = Callable[[Sequence[str], random.Random], Texts]


class Cluster(NamedTuple):
    """A dialogue in several versions."""

    samples: tuple[Sample, ...]
    """The original first, then those with replaced turns, by level."""
    spoilt: Texts | None
    """The original with spoilt form; None if nothing could be spoilt."""

    @property
    def texts(self) -> list[Texts]:
        """All versions, that of spoilt form last."""
        return [sample.turns for sample in self.samples] + ([] if self.spoilt is None else [self.spoilt])


def spoil_wording(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn with some of its words dropped, repeated, shuffled or exchanged."""
    return (*turns[:-1], draw.choice(WORDINGS)(turns[-1], draw))


FORMS: Final[tuple[Spoiling, ...]] = (
    spoil_wording,
    spoil_wording,
    repeat_turn,
    repeat_turn,
    reply_generically,
    swap_turns,
    swap_pronouns,
    contradict,
    swap_content,
    drop_sentences,
)
"""Ways to spoil form; those that matter most to readers twice."""


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues as lists of turns, by the corpus they come from."""

    dialogues: tuple[Texts, ...]
    groups: tuple[tuple[int, ...], ...]
    """Positions of dialogues that may lend one another turns."""
    group_of: tuple[int, ...]

    def cluster(self, row: int, settings: Replacement, seed: int, rank: Rank | None = None) -> Cluster | None:
        """The versions of the dialogue ``row``, a function of the seed; None if it is too short.

        A row beyond the dialogues is one of them again, spoilt in other ways, so that no epoch repeats another. With
        ``rank``, turns are replaced by ones near to them, or those that are to be near if turns have grades.
        """
        draw = random.Random(f"{seed}/{row}")
        place = row % len(self.dialogues)
        group = self.groups[self.group_of[place]]
        anyone = random_source(self.dialogues, place, group)
        near = None if rank is None else likely_source(self.dialogues, place, rank, among=group)
        source = near if near is not None and settings.grades == 1 else anyone
        samples = replaced_samples(self.dialogues[place], source, settings, draw, near)
        if not samples:
            return None
        original = samples[0].turns
        spoilt = draw.choice(FORMS)(original, draw)
        return Cluster(tuple(samples), spoilt if spoilt != original and all(spoilt) else None)


def material_of(dialogues: Iterable[Dialogue]) -> Material:
    """Dialogues of at least four turns; those of one corpus, as their metadata name it, lend one another turns.

    Instructions to a model and what tools returned are no turns here, as they are none in scoring.
    """
    texts: list[Texts] = []
    groups: dict[str, list[int]] = {}
    group_of: list[int] = []
    names: dict[str, int] = {}
    for dialogue in dialogues:
        turns = tuple(turn.text.strip() for turn in spoken_turns(dialogue))
        if len(turns) >= 4:
            corpus = str(dialogue.metadata.get("corpus", ""))
            group_of.append(names.setdefault(corpus, len(names)))
            groups.setdefault(corpus, []).append(len(texts))
            texts.append(turns)
    return Material(tuple(texts), tuple(map(tuple, groups.values())), tuple(group_of))
