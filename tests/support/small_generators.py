"""Small lessons, vocabularies and networks for the tests of trained generators."""

from __future__ import annotations

from dataclasses import replace

from tokenizers import Tokenizer, models, pre_tokenizers

from dialeval.data.types import Context, Turn
from dialeval.systems.trained.config import Architecture, Shape, TrainConfig
from dialeval.systems.trained.lessons import Lesson, Split
from dialeval.systems.trained.subwords import SPECIAL, Subwords
from dialeval.training.schedule import Schedule

ARCHITECTURES: tuple[Architecture, ...] = ("gru", "lstm", "convs2s", "transformer")


def shape(architecture: Architecture, **changes: float) -> Shape:
    """A network that trains in a blink."""
    small = Shape(architecture, layers=2, embedding=16, hidden=24, heads=2, positions=16, dropout=0.1)
    return replace(small, **changes)


def config(architecture: Architecture = "gru", **changes: float) -> TrainConfig:
    schedule = Schedule(epochs=3, learning_rate=0.01, save_every=2, patience=50)
    return TrainConfig(shape(architecture), replace(schedule, **changes), batch_tokens=64, vocabulary=300)


def said(*texts: str) -> Context:
    return tuple(Turn("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(texts))


def made_lessons() -> list[Lesson]:
    """Twenty contexts of one or two turns, and twenty responses that follow from them."""
    things = ["tea", "soup", "bread", "cake", "rice"]
    places = ["home", "work", "school", "sea"]
    return [
        Lesson(said(f"I am at the {place}.", f"Do you want {thing}?"), f"{thing} at the {place}, please!")
        for thing in things
        for place in places
    ]


def made_split() -> Split:
    lessons = made_lessons()
    return Split(lessons[:16], lessons[16:])


def two_words() -> Subwords:
    """A vocabulary of ``yes`` (4) and ``no`` (5) beside the special tokens."""
    words = {word: at for at, word in enumerate((*SPECIAL, "yes", "no"))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="no"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return Subwords(tokenizer)
